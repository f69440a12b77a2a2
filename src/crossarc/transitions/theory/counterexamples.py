"""Graphs that show that a system lacks a property, found among all that it derives for a few words.

What `properties` cannot derive may hold all the same; a counterexample settles that it does not. The properties are
those of Definition 2 of Gómez-Rodríguez & Nivre 2013. Costs what enumeration costs: exponential in the number of words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...errors import TransitionError
from ...structure import Graph

if TYPE_CHECKING:
    from ..algebra.system import TransitionSystem
    from .enumeration import Arcs


def counterexample(system: TransitionSystem, name: str, words: int = 4) -> Arcs | None:
    """Return a graph of at most so many words that a system derives and that lacks a property, if there is one."""
    if not can_be_refuted(system, name):
        names = ", ".join(one for one in _HOLDS if can_be_refuted(system, one))
        raise TransitionError(f"{system.name}: there are no counterexamples to {name!r}; ask for one of {names}")
    for number in range(1, words + 1):
        for arcs in system.derivable(number):
            if not _HOLDS[name](Graph(number, arcs)):
                return arcs
    return None


def can_be_refuted(system: TransitionSystem, name: str) -> bool:
    """Whether a property is one that a graph of the system may have or not."""
    return name in ("acyclic", "planar") if system.is_undirected else name in _HOLDS


def _without_undirected_cycles(graph: Graph) -> bool:
    """Whether nothing is left when arcs are taken away that end in a word without other arcs."""
    left = graph.arcs
    while left:
        ends = Counter(end for arc in left for end in arc)
        within = [arc for arc in left if min(ends[end] for end in arc) > 1]
        if len(within) == len(left):
            return False
        left = within
    return True


_HOLDS: dict[str, Callable[[Graph], bool]] = {
    "single_head": lambda graph: graph.single_head,
    "acyclic": _without_undirected_cycles,
    "directed_acyclic": lambda graph: graph.acyclic,
    "no_covered_roots": lambda graph: graph.no_covered_roots,
    "planar": lambda graph: graph.planar,
}
