"""Gaps, blocks and nesting of projections, as in Section 2 of Pitler, Kannan & Marcus 2013.

The projection of a word is the word and everything below it; its blocks are the longest runs of neighbouring words in
it, its gaps what lies between them. Arcs from the artificial root make no difference. O(n²/64).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import CrossarcError
from .heads import Heads, classify_one, tree_heads


def projection(heads: ArrayLike, word: int) -> list[int]:
    """Return the word and all its descendants, from left to right; 0 stands for the artificial root."""
    tree = tree_heads(heads)
    if not 0 <= word <= len(tree):
        raise CrossarcError(f"no word {word}: the tree has {len(tree)}")
    return [int(member) for member in np.flatnonzero(_dominated(tree, word))]


def _dominated(tree: Heads, word: int) -> NDArray[np.bool_]:
    # Every word looks twice as far up as in the round before, so log n rounds reach the root.
    above = np.concatenate([np.zeros(1, np.int32), tree])
    below: NDArray[np.bool_] = np.arange(len(above)) == word
    for _ in range(len(above).bit_length()):
        below |= below[above]
        above = above[above]
    return below


def blocks(heads: ArrayLike, word: int) -> list[tuple[int, int]]:
    """Return the blocks of a word as pairs of their first and last word, from left to right.

    >>> blocks([3, 4, 0, 3], 4)
    [(2, 2), (4, 4)]
    """
    found: list[tuple[int, int]] = []
    for member in projection(heads, word):
        if found and found[-1][1] == member - 1:
            found[-1] = (found[-1][0], member)
        else:
            found.append((member, member))
    return found


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
