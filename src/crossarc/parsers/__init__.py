"""Parsers: train, parse, save, load."""

from ..errors import ParserError
from ..models.network.learner import Network
from ..models.perceptron.learner import Perceptron
from ..training.loop import Epoch, TrainingReport
from .loading import load
from .transition.analyses import Analyses, ScoredTree
from .transition.parser import TransitionParser

__all__ = [
    "Analyses",
    "Epoch",
    "Network",
    "ParserError",
    "Perceptron",
    "ScoredTree",
    "TrainingReport",
    "TransitionParser",
    "load",
]
