"""Averaged perceptrons over feature templates: options, learner, weights."""

from .options import Perceptron

__all__ = ["Perceptron"]
