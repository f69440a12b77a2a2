"""Parsers: train, parse, save, load."""

from .errors import ParserError
from .loading import load
from .training import Epoch, TrainingReport
from .transition_parser import TransitionParser

__all__ = ["Epoch", "ParserError", "TrainingReport", "TransitionParser", "load"]
