"""Trees of a class for a graph parser: the class by its name, or that which fits; the nearest trees of training data.

A gold tree outside the class has a nearest tree of the class, the one with the most gold arcs; the decoders find it on
scores of 0 and 1. O(words²) for a sentence, and its decoding where its tree is outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ... import _kernel
from ..._arrays import Flags, Ids
from ...errors import ParserError
from ...treebank import Treebank

if TYPE_CHECKING:
    from ...decoders.matrices import Root, TreeClass

#: By the names that they have everywhere.
TREE_CLASSES: dict[str, TreeClass] = {
    "1-endpoint-crossing": "one_endpoint_crossing",
    "projective": "projective",
    "unrestricted": "spanning_tree",
}


#: The name that leaves the choice of a class to the training data.
AUTO = "auto"
#: The share of training sentences that 1-endpoint-crossing trees must cover to be chosen. Above (English, Portuguese,
#: Danish) they were as accurate as all trees to 0.04 points of LAS; below they were worse, by 0.1 in Dutch (0.95) and
#: by 1.4 in Ancient Greek (0.67): docs/guide/graph-parsing.md.
_ENOUGH = 0.97


class NearestTrees(NamedTuple):
    """Heads of the nearest trees of a class, and which sentences were outside it."""

    heads: Ids
    outside: Flags


def fitting_class(sentences: int, projective: int, one_endpoint_crossing: int) -> str:
    """Return the smallest class that covers so many training sentences that nothing is lost by it.

    >>> fitting_class(100, 90, 98), fitting_class(100, 90, 96), fitting_class(100, 100, 100)
    ('1-endpoint-crossing', 'unrestricted', 'projective')
    """
    if projective == sentences:
        return "projective"
    return "1-endpoint-crossing" if one_endpoint_crossing >= _ENOUGH * sentences else "unrestricted"


def fitting_trees(treebank: Treebank, threads: int) -> str:
    """Return the class of trees that fits training data."""
    from ...structure import classify

    classes = classify(treebank, threads=threads)
    counts = (int(np.count_nonzero(flags)) for flags in (~classes.nonprojective, classes.one_endpoint_crossing))
    return fitting_class(len(treebank), *counts)


def checked_trees(name: str) -> str:
    """Refuse a class of trees that does not exist."""
    if name not in TREE_CLASSES:
        raise ParserError(f"trees are one of {', '.join(TREE_CLASSES)}, not {name!r}")
    return name


def tree_class(name: str) -> _kernel.TreeClass:
    """Return a class of trees as the kernel names it."""
    return _kernel.TreeClass.__members__[TREE_CLASSES[checked_trees(name)]]


def nearest_trees(treebank: Treebank, name: str, root: str, threads: int) -> NearestTrees:
    """Return trees of a class with as many gold arcs as possible, those of sentences within it unchanged.

    Sentences too long for the chart of 1-endpoint-crossing trees get projective ones, which are of the class.
    """
    from ...structure import classify

    outside = np.zeros(len(treebank), bool)
    heads = treebank.head.copy()
    if checked_trees(name) == "unrestricted":
        return NearestTrees(heads, outside)
    found = classify(treebank, threads=threads)
    outside = found.nonprojective if name == "projective" else ~found.one_endpoint_crossing
    for sentence in np.flatnonzero(outside).tolist():
        own = slice(int(treebank.word_offsets[sentence]), int(treebank.word_offsets[sentence + 1]))
        heads[own] = _nearest(heads[own], name, root)
    return NearestTrees(heads, outside)


def _nearest(heads: Ids, name: str, root: str) -> Ids:
    from ...decoders import best_batch

    words = len(heads)
    scores = np.zeros((words + 1, words + 1), np.float32)
    scores[heads, np.arange(1, words + 1)] = 1
    policy: Root = "single" if root == "single" else "any"
    found = best_batch(
        scores.reshape(-1), [words], TREE_CLASSES[name], root=policy, long_sentences="projective", threads=1
    )
    return found.heads
