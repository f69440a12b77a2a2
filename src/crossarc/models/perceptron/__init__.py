"""Averaged perceptrons over feature templates: options, learner, weights."""
