"""Oracles: gold graphs to transitions, and what each transition costs. Built on algebra, theory and running."""

from ..._kernel import Reach, Role, Rule
from .derivation import Derivation, Derivations, Step
from .gold import GoldArcs
from .oracle import Oracle, derive, derive_arcs
from .support import OracleSupport

__all__ = [
    "Derivation",
    "Derivations",
    "GoldArcs",
    "Oracle",
    "OracleSupport",
    "Reach",
    "Role",
    "Rule",
    "Step",
    "derive",
    "derive_arcs",
]
