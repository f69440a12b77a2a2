"""Projections: whether they are intervals, which arcs break them, their gaps and blocks, and how they nest.

The projection of a word is the word and everything below it; its blocks are the longest runs of neighbouring words in
it, its gaps what lies between them (Pitler, Kannan & Marcus 2013, Section 2). A tree is projective if every projection
is an interval, which is to say that no arcs cross when arcs from the artificial root are drawn. How far a tree is from
it: edge degree (Nivre 2006), gap degree, lifts (Nivre & Nilsson 2005, Section 2). O(n²/64); for the lifts also O(n) for
each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Flags, Ids
from ..errors import CrossarcError
from ..tree import head_array
from .crossings import Arc, arc_list
from .graph import Graph
from .heads import classify_one, tree_heads


def is_projective(heads: ArrayLike) -> bool:
    """Return whether every word's projection is an interval."""
    return int(classify_one(heads)["gap_degree"][0]) == 0


def nonprojective_arcs(heads: ArrayLike) -> list[Arc]:
    """Return the arcs that have a word strictly between head and dependent which is not below the head, by dependent.

    >>> nonprojective_arcs([3, 4, 0, 3])
    [(4, 2)]
    """
    tree = head_array(heads)
    indices = np.flatnonzero(classify_one(tree)["arc_nonprojective"])
    return arc_list(tree[indices], (indices + 1).astype(np.int32))


def covered_roots(heads: ArrayLike) -> list[int]:
    """Return the words with head 0 that lie strictly below an arc between two words (2013, Definition 2)."""
    return Graph.from_heads(heads).covered_roots


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
    indices = np.flatnonzero(lifts)
    arcs = arc_list(tree[indices], (indices + 1).astype(np.int32))
    return dict(zip(arcs, lifts[indices].tolist(), strict=True))


def lifts_histogram(heads: ArrayLike) -> dict[int, int]:
    """Return for each number of lifts how many arcs need it, of arcs that are lifted at all."""
    return dict(sorted(Counter(lifts_needed(heads).values()).items()))


def projection(heads: ArrayLike, word: int) -> list[int]:
    """Return the word and all its descendants, from left to right; 0 stands for the artificial root."""
    tree = tree_heads(heads)
    if not 0 <= word <= len(tree):
        raise CrossarcError(f"no word {word}: the tree has {len(tree)}")
    return [int(member) for member in np.flatnonzero(_dominated(tree, word))]


def _dominated(tree: Ids, word: int) -> Flags:
    # Every word looks twice as far up as in the round before, so log n rounds reach the root.
    above = np.concatenate([np.zeros(1, np.int32), tree])
    below: Flags = np.arange(len(above)) == word
    for _ in range(len(above).bit_length()):
        below |= below[above]
        above = above[above]
    return below


def blocks(heads: ArrayLike, word: int) -> list[tuple[int, int]]:
    """Return the blocks of a word as pairs of their first and last word, from left to right.

    >>> blocks([3, 4, 0, 3], 4)
    [(2, 2), (4, 4)]
    """
    return [(run[0], run[-1]) for run in runs(projection(heads, word))]


def runs(numbers: Sequence[int]) -> list[list[int]]:
    """Cut numbers into runs in which each is one more than the one before it."""
    groups = groupby(enumerate(numbers), key=lambda item: item[1] - item[0])
    return [[number for _, number in group] for _, group in groups]


def gap_degree(heads: ArrayLike) -> int:
    """Return the most gaps of any word's projection."""
    return int(classify_one(heads)["gap_degree"][0])


def block_degree(heads: ArrayLike) -> int:
    """Return the most blocks of any word's projection: one more than the gap degree."""
    return gap_degree(heads) + 1


def is_well_nested(heads: ArrayLike) -> bool:
    """Return whether no two disjoint subtrees interleave, as A and B do in the order a … b … a … b."""
    return bool(classify_one(heads)["well_nested"][0])


def gap_inheritance_degree(heads: ArrayLike) -> int:
    """Return the most children of any word that have descendants in more than one of its blocks."""
    return int(classify_one(heads)["gap_inheritance_degree"][0])


def is_gap_minding(heads: ArrayLike) -> bool:
    """Return whether the tree is well-nested with gap degree at most 1 and gap inheritance degree 0."""
    return bool(classify_one(heads)["gap_minding"][0])
