"""Networks that read the whole sentence: options, learner, weights."""

from .options import Network

__all__ = ["Network"]
