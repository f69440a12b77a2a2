"""Which arcs cross (2010, Section 3), and whether those that cross an arc share an endpoint (2013 TACL).

An arc is a pair (head, dependent). Two arcs cross if they have no endpoint in common and exactly one endpoint of one
lies strictly inside the other. Listing c crossings among m arcs costs O(m + c log c); c may be as large as m²/2, and
the classes of `crossarc.structure` are decided without such a list.

A tree is 1-Endpoint-Crossing (Pitler, Kannan & Marcus 2013, Definition 2) if, for every arc, the arcs that cross it,
its pencil (Definition 8), share an endpoint: O(n²/64). There, arcs from the artificial root count (footnote 1 of the
paper reports coverage without them) unless `root_arcs` is false.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .. import _kernel
from .._arrays import Ids
from ..errors import CrossarcError
from .heads import classify_one, tree_heads

#: A head and its dependent, as word numbers; 0 is the artificial root.
Arc = tuple[int, int]


def arc_arrays(heads: Ids, root_arcs: bool) -> tuple[Ids, Ids]:
    """Return heads and dependents of the arcs that count, by dependent."""
    dependents = np.arange(1, len(heads) + 1, dtype=np.int32)
    if root_arcs:
        return heads, dependents
    counted = heads != 0
    return heads[counted], dependents[counted]


def arc_list(heads: Ids, dependents: Ids) -> list[Arc]:
    """Return arcs as pairs."""
    return list(zip(heads.tolist(), dependents.tolist(), strict=True))


def crossing_pairs(heads: Ids, dependents: Ids, words: int) -> list[tuple[Arc, Arc]]:
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


def is_one_endpoint_crossing(heads: ArrayLike, *, root_arcs: bool = True) -> bool:
    """Return whether for every arc all arcs that cross it share an endpoint."""
    name = "one_endpoint_crossing" if root_arcs else "one_endpoint_crossing_without_root"
    return bool(classify_one(heads)[name][0])


def pencil(heads: ArrayLike, arc: Arc, *, root_arcs: bool = True) -> list[Arc]:
    """Return the arcs that cross an arc of the tree, by dependent: its pencil, if they share an endpoint.

    >>> pencil([3, 4, 0, 3], (3, 1))
    [(4, 2)]
    """
    tree = tree_heads(heads)
    left, right = sorted(_checked_arc(tree, arc, root_arcs))
    other_heads, dependents = arc_arrays(tree, root_arcs)
    lefts, rights = np.minimum(other_heads, dependents), np.maximum(other_heads, dependents)
    crossing = ((left < lefts) & (lefts < right) & (right < rights)) | (
        (lefts < left) & (left < rights) & (rights < right)
    )
    return arc_list(other_heads[crossing], dependents[crossing])


def pencil_points(heads: ArrayLike, arc: Arc, *, root_arcs: bool = True) -> tuple[int, ...]:
    """Return the endpoints that all arcs which cross an arc share: two if one arc crosses it, else at most one.

    Empty if no arc crosses it, or if those that do share no endpoint.
    """
    crossing = pencil(heads, arc, root_arcs=root_arcs)
    shared = set(crossing[0]).intersection(*crossing[1:]) if crossing else set()
    return tuple(sorted(shared))


def _checked_arc(tree: Ids, arc: Arc, root_arcs: bool) -> Arc:
    head, dependent = arc
    if not 1 <= dependent <= len(tree) or tree[dependent - 1] != head:
        raise CrossarcError(f"the tree has no arc from {head} to {dependent}")
    if head == 0 and not root_arcs:
        raise CrossarcError(f"the arc from 0 to {dependent} does not count without root arcs")
    return arc
