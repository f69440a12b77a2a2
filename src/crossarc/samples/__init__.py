"""The sample treebank: a generated language in which arcs cross in every way that crossarc knows."""

from .constructions import CONSTRUCTIONS
from .generator import sample

__all__ = ["CONSTRUCTIONS", "sample"]
