"""Projectivity, and how far a tree is from it: edge degree (Nivre 2006), lifts (Nivre & Nilsson 2005, Section 2).

A tree is projective if every projection is an interval, which is to say that no arcs cross when arcs from the
artificial root are drawn. O(n²/64); for the lifts also O(n/64) for each of them.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import ArrayLike

from ..errors import CrossarcError
from .crossings import Arc, arc_list
from .heads import classify_one, head_array


def is_projective(heads: ArrayLike) -> bool:
    """Return whether every word's projection is an interval."""
    return int(classify_one(heads)["gap_degree"][0]) == 0


def nonprojective_arcs(heads: ArrayLike) -> list[Arc]:
    """Return the arcs that have a word strictly between head and dependent which is not below the head, by dependent.

    >>> nonprojective_arcs([3, 4, 0, 3])
    [(4, 2)]
    """
    tree = head_array(heads)
    found = np.flatnonzero(classify_one(tree)["arc_nonprojective"])
    return arc_list(tree[found], (found + 1).astype(np.int32))


def covered_roots(heads: ArrayLike) -> list[int]:
    """Return the words with head 0 that lie strictly below an arc between two words (2013, Definition 2)."""
    tree = head_array(heads)
    if int(classify_one(tree)["covered_roots"][0]) == 0:
        return []
    dependents = np.arange(1, len(tree) + 1)
    between_words = tree != 0
    change = np.zeros(len(tree) + 2, np.int64)
    np.add.at(change, np.minimum(tree, dependents)[between_words] + 1, 1)
    np.add.at(change, np.maximum(tree, dependents)[between_words], -1)
    covering = np.cumsum(change)[1:-1]
    return [int(root) for root in dependents[(tree == 0) & (covering > 0)]]


def edge_degree(heads: ArrayLike) -> int:
    """Return the most connected components strictly below an arc that the head of the arc does not dominate."""
    return int(classify_one(heads)["edge_degree"][0])


def lifts_needed(heads: ArrayLike) -> dict[Arc, int]:
    """Return how often each arc is lifted to make the tree projective, of arcs that are lifted at all.

    Always the shortest non-projective arc is lifted by one step, of several the one that begins furthest left.

    >>> lifts_needed([3, 4, 0, 3])
    {(4, 2): 1}
    """
    tree = head_array(heads)
    classes = classify_one(tree, lifts=True)
    if int(classes["lifts"][0]) < 0:
        raise CrossarcError(f"lifts are counted for trees of up to 8,192 words, not for {len(tree):,}")
    lifts = classes["arc_lifts"]
    found = np.flatnonzero(lifts)
    arcs = arc_list(tree[found], (found + 1).astype(np.int32))
    return dict(zip(arcs, lifts[found].tolist(), strict=True))


def lifts_histogram(heads: ArrayLike) -> dict[int, int]:
    """Return for each number of lifts how many arcs need it, of arcs that are lifted at all."""
    return dict(sorted(Counter(lifts_needed(heads).values()).items()))
