"""Transition systems as values: elementary transitions, composition, guards, the catalogue.

The first of the folders of `crossarc.transitions`: it imports none of the others.
"""

from . import guards, systems
from .serialisation import compiled
from .system import METHODS, ROOTS, Root, TransitionSystem, checked_root
from .systems import load_system

__all__ = [
    "METHODS",
    "ROOTS",
    "Root",
    "TransitionSystem",
    "checked_root",
    "compiled",
    "guards",
    "load_system",
    "systems",
]
