"""Models: their protocols, a folder for each kind, and the model files.

A kind of scorer is a folder and a line that registers it here.
"""

from .base import Scorer, make_scorer, register_scorer, scorer_kind
from .biaffine import Biaffine
from .model_file import ModelFile, ModelFileError, check_model_name, read_model_file, write_model_file
from .network import Network
from .perceptron import Perceptron

register_scorer(Network)
register_scorer(Perceptron)

__all__ = [
    "Biaffine",
    "ModelFile",
    "ModelFileError",
    "Network",
    "Perceptron",
    "Scorer",
    "check_model_name",
    "make_scorer",
    "read_model_file",
    "register_scorer",
    "scorer_kind",
    "write_model_file",
]
