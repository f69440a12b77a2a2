"""Oracles: gold graphs to transitions, and what each transition costs."""
