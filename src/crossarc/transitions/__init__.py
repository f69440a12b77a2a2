"""Transition systems as data: elementary transitions, composition, guards, the catalogue; and running them.

The folders stand in order, each built on those before it: algebra, theory, running, oracles. What runs systems is
imported when it is first used, so that defining one costs next to nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _on_demand
from ..errors import TransitionError
from .algebra import METHODS, TransitionSystem, guards, load_system, systems
from .algebra.guards import Guard
from .algebra.transition import (
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
    Operation,
    P,
    Transition,
)
from .theory import Properties, Verdict

if TYPE_CHECKING:
    from .oracles import Derivation as Derivation
    from .oracles import Derivations as Derivations
    from .oracles import Oracle as Oracle
    from .oracles import Step as Step
    from .oracles import derive as derive
    from .running import Configuration as Configuration
    from .running import ElementaryChain as ElementaryChain
    from .running import LabelledArc as LabelledArc
    from .running import Machine as Machine
    from .running import TransitionChain as TransitionChain
    from .theory.enumeration import Derivable as Derivable

_HOMES = {
    "oracles": "Derivation Derivations Oracle Step derive",
    "running": "Configuration ElementaryChain LabelledArc Machine TransitionChain",
    "theory.enumeration": "Derivable",
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
    "ElementaryChain",
    "Guard",
    "LabelledArc",
    "Machine",
    "Operation",
    "Oracle",
    "P",
    "Properties",
    "Step",
    "Transition",
    "TransitionChain",
    "TransitionError",
    "TransitionSystem",
    "Verdict",
    "derive",
    "guards",
    "load_system",
    "systems",
]


def _later(home: str, name: str) -> Callable[..., Any]:
    """Return a function that is imported when it is first called."""

    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(importlib.import_module(f".{home}", __name__), name)(*arguments, **options)

    return call


# Here alone systems get the methods that are defined above the algebra.
METHODS.update(
    properties=_later("theory", "derive_properties"),
    counterexample=_later("theory.enumeration", "counterexample"),
    derivable=_later("theory.enumeration", "Derivable"),
    start=_later("running", "Configuration"),
    oracle=_later("oracles", "Oracle"),
)

_, __getattr__, __dir__ = _on_demand(__name__, _HOMES)
