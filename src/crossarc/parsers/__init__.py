"""Parsers: train, parse, save, load."""

from .analyses import Analyses, ScoredTree
from .errors import ParserError
from .linear import Perceptron
from .loading import load
from .network import Network
from .training import Epoch, TrainingReport
from .transition_parser import TransitionParser

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
