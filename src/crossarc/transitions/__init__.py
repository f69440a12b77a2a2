"""Transition systems as data: elementary transitions, composition, guards, systems and their catalogue."""

from . import guards, systems
from .elementary import ARC, CLEAR, JOIN, LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT, SKIP, SWAP, SWITCH, UNSHIFT, P
from .errors import TransitionError
from .guards import Guard
from .loading import load_system
from .properties import Properties, Verdict
from .system import TransitionSystem
from .transition import Operation, Transition

__all__ = [
    "ARC",
    "CLEAR",
    "JOIN",
    "LEFT_ARC",
    "REDUCE",
    "RIGHT_ARC",
    "SHIFT",
    "SKIP",
    "SWAP",
    "SWITCH",
    "UNSHIFT",
    "Guard",
    "Operation",
    "P",
    "Properties",
    "Transition",
    "TransitionError",
    "TransitionSystem",
    "Verdict",
    "guards",
    "load_system",
    "systems",
]
