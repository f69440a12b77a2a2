"""Transition systems as values: elementary transitions, composition, guards, the catalogue.

The first of the folders of `crossarc.transitions`: it imports none of the others.
"""

from . import guards, systems
from .guards import Guard
from .serialisation import compiled
from .system import METHODS, ROOTS, Root, TransitionSystem, checked_root
from .systems import load_system
from .transition import (
    ARC,
    CLEAR,
    JOIN,
    LEFT_ARC,
    REDUCE,
    RIGHT_ARC,
    SHIFT,
    SKIP,
    SWAP,
    SWITCH,
    UNSHIFT,
    Definition,
    Operation,
    P,
    Step,
    Transition,
)

__all__ = [
    "ARC",
    "CLEAR",
    "JOIN",
    "LEFT_ARC",
    "METHODS",
    "REDUCE",
    "RIGHT_ARC",
    "ROOTS",
    "SHIFT",
    "SKIP",
    "SWAP",
    "SWITCH",
    "UNSHIFT",
    "Definition",
    "Guard",
    "Operation",
    "P",
    "Root",
    "Step",
    "Transition",
    "TransitionSystem",
    "checked_root",
    "compiled",
    "guards",
    "load_system",
    "systems",
]
