"""Transition systems as data: elementary transitions, composition, guards, the catalogue; and running them.

What runs them is imported when it is first used, so that defining a system costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..errors import TransitionError
from .algebra import guards, systems
from .algebra.elementary import ARC, CLEAR, JOIN, LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT, SKIP, SWAP, SWITCH, UNSHIFT, P
from .algebra.guards import Guard
from .algebra.loading import load_system
from .algebra.system import TransitionSystem
from .algebra.transition import Operation, Transition
from .theory.properties import Properties, Verdict

if TYPE_CHECKING:
    from .oracles.oracle import Oracle as Oracle
    from .oracles.oracle import derive as derive
    from .running.configuration import Configuration as Configuration
    from .running.configuration import LabelledArc as LabelledArc
    from .running.derivation import Derivation as Derivation
    from .running.derivation import Derivations as Derivations
    from .running.derivation import Step as Step
    from .running.machine import Machine as Machine
    from .theory.enumeration import Derivable as Derivable

_HOMES = {
    "Configuration": "running.configuration",
    "Derivable": "theory.enumeration",
    "Derivation": "running.derivation",
    "Derivations": "running.derivation",
    "LabelledArc": "running.configuration",
    "Machine": "running.machine",
    "Oracle": "oracles.oracle",
    "Step": "running.derivation",
    "derive": "oracles.oracle",
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
