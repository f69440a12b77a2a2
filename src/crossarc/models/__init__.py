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
    from .classifiers import LinearSvm as LinearSvm
    from .classifiers import MemoryBased as MemoryBased
    from .classifiers import Svm as Svm
    from .model_file import ModelFile as ModelFile
    from .model_file import ModelFileError as ModelFileError
    from .model_file import check_model_name as check_model_name
    from .model_file import read_model_file as read_model_file
    from .model_file import write_model_file as write_model_file
    from .neural import Biaffine as Biaffine
    from .neural import Network as Network
    from .perceptron import Perceptron as Perceptron

_HOMES = {
    "base": "Scorer make_scorer register_scorer scorer_kind",
    "classifiers": "LinearSvm MemoryBased Svm",
    "model_file": "ModelFile ModelFileError check_model_name read_model_file write_model_file",
    "neural": "Biaffine Network",
    "perceptron": "Perceptron",
}

__all__, __getattr__, __dir__ = _on_demand(__name__, _HOMES)
