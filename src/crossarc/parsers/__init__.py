"""Parsers: train, parse, save, load."""

from ..errors import ParserError
from ..models import Biaffine, LinearSvm, MemoryBased, Network, Perceptron, Svm
from ..training.report import Epoch, TrainingReport
from .analyses import Analyses, ScoredTree
from .base import Parser, load, register_parser
from .graph.parser import GraphParser
from .input_columns import MissingColumnsWarning
from .transition.parser import TransitionParser
from .transition.targets import right_transitions

__all__ = [
    "Analyses",
    "Biaffine",
    "Epoch",
    "GraphParser",
    "LinearSvm",
    "MemoryBased",
    "MissingColumnsWarning",
    "Network",
    "Parser",
    "ParserError",
    "Perceptron",
    "ScoredTree",
    "Svm",
    "TrainingReport",
    "TransitionParser",
    "load",
    "register_parser",
    "right_transitions",
]
