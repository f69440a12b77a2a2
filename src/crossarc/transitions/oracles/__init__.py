"""Oracles: gold graphs to transitions, and what each transition costs. Built on algebra, theory and running."""

from ..._kernel import Reach, Role, Rule
from .derivation import Derivation, Derivations, Step
from .gold import GoldArcs, gold_of, gold_of_treebank
from .oracle import Oracle, derive, derive_arcs
from .rules import knowledge_of, roles_of

__all__ = [
    "Derivation",
    "Derivations",
    "GoldArcs",
    "Oracle",
    "Reach",
    "Role",
    "Rule",
    "Step",
    "derive",
    "derive_arcs",
    "gold_of",
    "gold_of_treebank",
    "knowledge_of",
    "roles_of",
]
