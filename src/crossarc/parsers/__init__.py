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
    from .base import Abilities as Abilities
    from .base import Parser as Parser
    from .graph.parser import GraphParser as GraphParser
    from .input_columns import MissingColumnsWarning as MissingColumnsWarning
    from .plan import TrainingPlan as TrainingPlan
    from .trainable import TrainableParser as TrainableParser
    from .trainable import load as load
    from .trainable import register_parser as register_parser
    from .transition.parser import TransitionParser as TransitionParser
    from .transition.targets import right_transitions as right_transitions

_HOMES = {
    ".errors": "ParserError",
    ".models": "Biaffine LinearSvm MemoryBased Network Perceptron Svm",
    ".training.report": "Epoch TrainingReport",
    "analyses": "Analyses ScoredTree",
    "base": "Abilities Parser",
    "graph.parser": "GraphParser",
    "input_columns": "MissingColumnsWarning",
    "plan": "TrainingPlan",
    "trainable": "TrainableParser load register_parser",
    "transition.parser": "TransitionParser",
    "transition.targets": "right_transitions",
}

__all__, __getattr__, __dir__ = _on_demand(__name__, _HOMES)
