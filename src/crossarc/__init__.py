"""crossarc: dependency parsing and treebank analysis where arcs may cross.

Everything public is here and is imported when it is first used, so that `import crossarc` costs next to nothing.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import decoders as decoders
    from .encodings import PseudoProjective as PseudoProjective
    from .encodings import Undirected as Undirected
    from .errors import CrossarcError as CrossarcError
    from .errors import FileError as FileError
    from .errors import MissingHeadsError as MissingHeadsError
    from .errors import Problem as Problem
    from .errors import TreebankError as TreebankError
    from .errors import TreeError as TreeError
    from .evaluation import InvalidTreeError as InvalidTreeError
    from .evaluation import PairError as PairError
    from .evaluation import Score as Score
    from .evaluation import attachment_scores as attachment_scores
    from .parsers import Biaffine as Biaffine
    from .parsers import GraphParser as GraphParser
    from .parsers import LinearSvm as LinearSvm
    from .parsers import MemoryBased as MemoryBased
    from .parsers import Network as Network
    from .parsers import Parser as Parser
    from .parsers import ParserError as ParserError
    from .parsers import Perceptron as Perceptron
    from .parsers import Svm as Svm
    from .parsers import TrainableParser as TrainableParser
    from .parsers import TransitionParser as TransitionParser
    from .reports.analysis import Analysis as Analysis
    from .reports.analysis import analyze as analyze
    from .reports.comparison import Comparison as Comparison
    from .reports.comparison import compare as compare
    from .reports.evaluation import Evaluation as Evaluation
    from .reports.evaluation import evaluate as evaluate
    from .samples import sample as sample
    from .structure import Classification as Classification
    from .structure import Graph as Graph
    from .structure import PlanarityWarning as PlanarityWarning
    from .structure import classify as classify
    from .text import Pipeline as Pipeline
    from .text import load as load
    from .text.teaching import teach as teach
    from .training.pretraining import pretrain as pretrain
    from .transitions import TransitionError as TransitionError
    from .transitions import TransitionSystem as TransitionSystem
    from .transitions import load_system as load_system
    from .tree import Tree as Tree
    from .treebank import NO_HEAD as NO_HEAD
    from .treebank import Sentence as Sentence
    from .treebank import Token as Token
    from .treebank import Treebank as Treebank
    from .treebank import check as check
    from .treebank import convert as convert
    from .treebank import from_text as from_text
    from .treebank import read as read
    from .treebank import stream as stream
    from .treebank import write as write

__version__ = "0.1.0"


def _refuse_subinterpreters() -> None:
    """The kernel and numpy keep one state for a process, so that a second interpreter in it would wait for ever."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            interpreters = importlib.import_module(name)
        except ImportError:  # this Python has none, or calls them otherwise
            continue
        if interpreters.get_current() != interpreters.get_main():
            raise ImportError(
                "crossarc runs in the main interpreter of a process only: use threads or processes instead of "
                "subinterpreters; under mod_wsgi, set WSGIApplicationGroup %{GLOBAL}"
            )
        return


_refuse_subinterpreters()


def _on_demand(
    package: str, homes: Mapping[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__all__`, `__getattr__` and `__dir__` of a package whose names are imported when they are first used.

    `homes` has the names of each module, one behind the other.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def value_of(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f".{home_of[name]}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    return sorted(home_of), value_of, lambda: sorted({*vars(sys.modules[package]), *home_of})


_HOMES = {
    "reports.analysis": "Analysis analyze",
    "encodings": "PseudoProjective Undirected",
    "reports.comparison": "Comparison compare",
    "errors": "CrossarcError FileError MissingHeadsError Problem TreeError TreebankError",
    "evaluation": "InvalidTreeError PairError Score attachment_scores",
    "reports.evaluation": "Evaluation evaluate",
    "parsers": "Biaffine GraphParser LinearSvm MemoryBased Network Parser ParserError Perceptron Svm TrainableParser"
    " TransitionParser",
    "samples": "sample",
    "structure": "Classification Graph PlanarityWarning classify",
    "text": "Pipeline load",
    "text.teaching": "teach",
    "training.pretraining": "pretrain",
    "transitions": "TransitionError TransitionSystem load_system",
    "tree": "Tree",
    "treebank": "NO_HEAD Sentence Token Treebank check convert from_text read stream write",
}
# Folders that are public as they stand.
_FOLDERS = ("decoders",)
_names, _value_of, _ = _on_demand(__name__, _HOMES)

__all__ = sorted([*_names, *_FOLDERS])


def __getattr__(name: str) -> Any:
    if name in _FOLDERS:
        return importlib.import_module(f".{name}", __name__)
    return _value_of(name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
