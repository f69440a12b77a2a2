"""TransitionParser: a transition system, an encoding around it, a model that scores."""
