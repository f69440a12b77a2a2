"""All trees of few words as transition systems build them, sets of arcs or of links, and which are derivable."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from crossarc.transitions.algebra import systems

from .trees import all_trees

#: All trees of one to five words, as heads.
TREES = {words: [tuple(heads) for block in all_trees(words) for heads in block.tolist()] for words in range(1, 6)}


def arcs_of(heads: Iterable[int], root: str) -> list[tuple[int, int]]:
    """The arcs (head, dependent) that a system builds, those of the artificial root only where it has one."""
    return [(head, word) for word, head in enumerate(heads, start=1) if head or root != "none"]


def links_of(arcs: Iterable[tuple[int, int]]) -> set[frozenset[int]]:
    """Arcs without their direction."""
    return {frozenset(arc) for arc in arcs}


@cache
def derivable(name: str, words: int, root: str) -> list[tuple[int, ...]]:
    """The trees whose arcs, or links, some sequence of transitions of the system builds."""
    system = systems.get(name)
    possible = {frozenset(links_of(arcs) if system.is_undirected else arcs) for arcs in system.derivable(words, root)}
    wanted = {heads: arcs_of(heads, root) for heads in TREES[words]}
    return [
        heads
        for heads, arcs in wanted.items()
        if frozenset(links_of(arcs) if system.is_undirected else arcs) in possible
    ]
