"""Parsers: train, parse, save, load. A kind of parser is imported when it is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _on_demand

if TYPE_CHECKING:
    from ..errors import ParserError as ParserError
    from ..models import Biaffine as Biaffine
    from ..models import LinearSvm as LinearSvm
    from ..models import MemoryBased as MemoryBased
    from ..models import Network as Network
    from ..models import Perceptron as Perceptron
    from ..models import Svm as Svm
    from ..training.report import Epoch as Epoch
    from ..training.report import TrainingReport as TrainingReport
    from .analyses import Analyses as Analyses
    from .analyses import ScoredTree as ScoredTree
    from .base import Parser as Parser
    from .base import load as load
    from .base import register_parser as register_parser
    from .graph.parser import GraphParser as GraphParser
    from .input_columns import MissingColumnsWarning as MissingColumnsWarning
    from .transition.parser import TransitionParser as TransitionParser
    from .transition.targets import right_transitions as right_transitions

_HOMES = {
    "Analyses": "analyses",
    "Biaffine": ".models",
    "Epoch": ".training.report",
    "GraphParser": "graph.parser",
    "LinearSvm": ".models",
    "MemoryBased": ".models",
    "MissingColumnsWarning": "input_columns",
    "Network": ".models",
    "Parser": "base",
    "ParserError": ".errors",
    "Perceptron": ".models",
    "ScoredTree": "analyses",
    "Svm": ".models",
    "TrainingReport": ".training.report",
    "TransitionParser": "transition.parser",
    "load": "base",
    "register_parser": "base",
    "right_transitions": "transition.targets",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = _on_demand(__name__, _HOMES)
