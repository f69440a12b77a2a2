"""Models: their protocols, a folder for each kind, and the model files.

A kind of scorer is a folder and a line in `base.SCORERS`; it is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _on_demand

if TYPE_CHECKING:
    from .base import Scorer as Scorer
    from .base import make_scorer as make_scorer
    from .base import register_scorer as register_scorer
    from .base import scorer_kind as scorer_kind
    from .biaffine import Biaffine as Biaffine
    from .classifiers import LinearSvm as LinearSvm
    from .classifiers import MemoryBased as MemoryBased
    from .classifiers import Svm as Svm
    from .model_file import ModelFile as ModelFile
    from .model_file import ModelFileError as ModelFileError
    from .model_file import check_model_name as check_model_name
    from .model_file import read_model_file as read_model_file
    from .model_file import write_model_file as write_model_file
    from .network import Network as Network
    from .perceptron import Perceptron as Perceptron

_HOMES = {
    "Biaffine": "biaffine",
    "LinearSvm": "classifiers",
    "MemoryBased": "classifiers",
    "ModelFile": "model_file",
    "ModelFileError": "model_file",
    "Network": "network",
    "Perceptron": "perceptron",
    "Scorer": "base",
    "Svm": "classifiers",
    "check_model_name": "model_file",
    "make_scorer": "base",
    "read_model_file": "model_file",
    "register_scorer": "base",
    "scorer_kind": "base",
    "write_model_file": "model_file",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = _on_demand(__name__, _HOMES)
