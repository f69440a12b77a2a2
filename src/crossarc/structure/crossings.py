"""Which arcs cross, and the crossings graph (Gómez-Rodríguez & Nivre 2010, Section 3).

Two arcs cross if they have no endpoint in common and exactly one endpoint of one lies strictly inside the other. An arc
is a pair (head, dependent). Listing c crossings among m arcs costs O(m + c log c); c may be as large as m²/2, and the
classes of `crossarc.structure` are decided without such a list.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _kernel
from .heads import Heads, tree_heads

#: A head and its dependent, as word numbers; 0 is the artificial root.
Arc = tuple[int, int]


def arc_arrays(heads: Heads, root_arcs: bool) -> tuple[Heads, Heads]:
    """Return heads and dependents of the arcs that count, by dependent."""
    dependents = np.arange(1, len(heads) + 1, dtype=np.int32)
    if root_arcs:
        return heads, dependents
    counted = heads != 0
    return heads[counted], dependents[counted]


def arc_list(heads: Heads, dependents: Heads) -> list[Arc]:
    """Return arcs as pairs."""
    return list(zip(heads.tolist(), dependents.tolist(), strict=True))


def crossing_pairs(heads: Heads, dependents: Heads, words: int) -> list[tuple[Arc, Arc]]:
    """Return the pairs of arcs that cross, of any arcs among words 0 to `words`."""
    arcs = arc_list(heads, dependents)
    first, second = _kernel.find_crossings(heads, dependents, words)
    return [(arcs[one], arcs[other]) for one, other in zip(first.tolist(), second.tolist(), strict=True)]


def neighbours(arcs: list[Arc], pairs: list[tuple[Arc, Arc]]) -> dict[Arc, list[Arc]]:
    """Return for every arc those that cross it, in the order of `arcs`."""
    graph: dict[Arc, list[Arc]] = {arc: [] for arc in arcs}
    for one, other in pairs:
        graph[one].append(other)
        graph[other].append(one)
    rank = {arc: number for number, arc in enumerate(arcs)}
    for crossing in graph.values():
        crossing.sort(key=rank.__getitem__)
    return graph


def crossings(heads: ArrayLike, *, root_arcs: bool = False) -> list[tuple[Arc, Arc]]:
    """Return all pairs of arcs that cross, the arc that begins further left first; pairs from left to right.

    >>> crossings([3, 4, 0, 3])
    [((3, 1), (4, 2))]
    """
    tree = tree_heads(heads)
    return crossing_pairs(*arc_arrays(tree, root_arcs), len(tree))


def crossings_graph(heads: ArrayLike, *, root_arcs: bool = False) -> dict[Arc, list[Arc]]:
    """Return the crossings graph: for every arc, the arcs that cross it, all by dependent.

    >>> crossings_graph([3, 4, 0, 3])
    {(3, 1): [(4, 2)], (4, 2): [(3, 1)], (3, 4): []}
    """
    tree = tree_heads(heads)
    counted = arc_arrays(tree, root_arcs)
    return neighbours(arc_list(*counted), crossing_pairs(*counted, len(tree)))
