"""Sentences worth looking at: the shortest of each class that most sentences are not in.

The classes are those of the coverage tables of the 2010 paper and of the 2013 TACL paper, each without what is in a
class before it where that would show the same thing twice. O(sentences log sentences).
"""

from __future__ import annotations

import numpy as np

from .batch import Classification, Flags

#: The name of each class, and what it is.
RARE_CLASSES = {
    "planar_not_projective": "Planar but not projective: an arc covers a root",
    "not_planar": "Not planar: two planes are needed",
    "not_2_planar": "Not 2-planar: three planes or more are needed",
    "not_one_endpoint_crossing": "Not 1-endpoint-crossing: arcs that cross an arc share no endpoint (root arcs count)",
    "not_gap_minding": "Gap inherited: a child reaches into several blocks of its parent (not gap-minding)",
    "block_degree_3": "Block degree 3 or more: a subtree in three pieces",
    "ill_nested": "Ill-nested: two disjoint subtrees interleave",
}


def rare_sentences(classes: Classification, most: int = 3) -> dict[str, list[int]]:
    """Return for each rare class up to `most` sentences, from 0, the shortest first."""
    lengths = np.diff(classes.word_offsets)
    members: dict[str, Flags] = {
        "planar_not_projective": classes.nonprojective & classes.planar,
        "not_planar": ~classes.planar & classes.k_planar(2),
        "not_2_planar": classes.not_k_planar(2),
        "not_one_endpoint_crossing": ~classes.one_endpoint_crossing,
        "not_gap_minding": classes.well_nested_block_degree_2 & ~classes.gap_minding,
        "block_degree_3": classes.gap_degree >= 2,
        "ill_nested": ~classes.well_nested,
    }
    found = {}
    for name in RARE_CLASSES:
        sentences = np.flatnonzero(members[name])
        found[name] = [int(one) for one in sentences[np.argsort(lengths[sentences], kind="stable")[:most]]]
    return found
