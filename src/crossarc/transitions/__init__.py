"""Transition systems as data: elementary transitions, composition, guards, the catalogue; and running them.

What runs them is imported when it is first used, so that defining a system costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import guards, systems
from .elementary import ARC, CLEAR, JOIN, LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT, SKIP, SWAP, SWITCH, UNSHIFT, P
from .errors import TransitionError
from .guards import Guard
from .loading import load_system
from .properties import Properties, Verdict
from .system import TransitionSystem
from .transition import Operation, Transition

if TYPE_CHECKING:
    from .configuration import Configuration as Configuration
    from .configuration import LabelledArc as LabelledArc
    from .derivation import Derivation as Derivation
    from .derivation import Derivations as Derivations
    from .derivation import Step as Step
    from .enumeration import Derivable as Derivable
    from .machine import Machine as Machine
    from .oracle import Oracle as Oracle
    from .oracle import derive as derive

_HOMES = {
    "Configuration": "configuration",
    "Derivable": "enumeration",
    "Derivation": "derivation",
    "Derivations": "derivation",
    "LabelledArc": "configuration",
    "Machine": "machine",
    "Oracle": "oracle",
    "Step": "derivation",
    "derive": "oracle",
}

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
    "Configuration",
    "Derivable",
    "Derivation",
    "Derivations",
    "Guard",
    "LabelledArc",
    "Machine",
    "Operation",
    "Oracle",
    "P",
    "Properties",
    "Step",
    "Transition",
    "TransitionError",
    "TransitionSystem",
    "Verdict",
    "derive",
    "guards",
    "load_system",
    "systems",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value
