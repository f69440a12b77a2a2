"""Networks that score the arcs of a sentence: options, learner, weights."""

from .options import Biaffine

__all__ = ["Biaffine"]
