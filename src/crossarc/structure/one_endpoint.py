"""1-Endpoint-Crossing trees and crossing pencils (Pitler, Kannan & Marcus 2013, Definitions 2 and 8).

A tree is 1-Endpoint-Crossing if, for every arc, the arcs that cross it share an endpoint. Arcs from the artificial root
count (footnote 1 of the paper reports coverage without them) unless `root_arcs` is false. O(n²/64).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import CrossarcError
from .crossings import Arc, arc_arrays, arc_list
from .heads import Heads, classify_one, tree_heads


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


def _checked_arc(tree: Heads, arc: Arc, root_arcs: bool) -> Arc:
    head, dependent = arc
    if not 1 <= dependent <= len(tree) or tree[dependent - 1] != head:
        raise CrossarcError(f"the tree has no arc from {head} to {dependent}")
    if head == 0 and not root_arcs:
        raise CrossarcError(f"the arc from 0 to {dependent} does not count without root arcs")
    return arc
