"""Models: their protocols, a folder for each kind, and the model files.

A kind of scorer is a folder and a line that registers it here.
"""

from .base import Scorer, make_scorer, register_scorer, scorer_kind
from .biaffine import Biaffine
from .classifiers import LinearSvm, MemoryBased, Svm
from .model_file import ModelFile, ModelFileError, check_model_name, read_model_file, write_model_file
from .network import Network
from .perceptron import Perceptron

register_scorer(Network)
register_scorer(Perceptron)
register_scorer(Svm)
register_scorer(LinearSvm)
register_scorer(MemoryBased)

__all__ = [
    "Biaffine",
    "LinearSvm",
    "MemoryBased",
    "ModelFile",
    "ModelFileError",
    "Network",
    "Perceptron",
    "Scorer",
    "Svm",
    "check_model_name",
    "make_scorer",
    "read_model_file",
    "register_scorer",
    "scorer_kind",
    "write_model_file",
]
