"""The plain answer: all trees over n words, which of them are of a class, and the scores of all of them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crossarc.decoders import TreeClass
from crossarc.structure import classify

from .trees import all_trees, offsets

Scores = NDArray[np.float64]
Heads = NDArray[np.int32]

CLASSES: tuple[TreeClass, ...] = ("projective", "one_endpoint_crossing", "spanning_tree")
# A sum with a forbidden arc is below, one without is above.
FORBIDDEN = -1e9
LEAST = -1e8


@lru_cache(None)
def trees_of(words: int, tree_class: str, root: str = "any", root_arcs: bool = True) -> Heads:
    """All trees of a class. The classes are decided by `crossarc.structure`, whose tests go back to the definitions."""
    found = []
    for trees in all_trees(words):
        classes = classify(trees.ravel(), offsets(trees))
        keep = np.ones(len(trees), bool)
        if tree_class == "projective":
            keep = ~classes.nonprojective
        elif tree_class == "one_endpoint_crossing":
            keep = classes.one_endpoint_crossing if root_arcs else classes.one_endpoint_crossing_without_root
        if root == "single":
            keep = keep & ((trees == 0).sum(axis=1) == 1)
        found.append(trees[keep])
    return np.concatenate(found)


def score(heads: Heads, scores: Scores) -> Any:
    """The score of a tree, or of each row of trees."""
    return scores[heads, np.arange(1, len(scores))].sum(axis=-1)


def scores_of_all(trees: Heads, matrices: Scores) -> Scores:
    """The scores of all trees (rows) by all matrices (columns)."""
    words = trees.shape[1]
    chosen = np.zeros((len(trees), words, words + 1))
    np.put_along_axis(chosen, trees[:, :, None].astype(np.int64), 1, axis=2)
    finite = np.where(np.isneginf(matrices), FORBIDDEN, matrices)
    columns = finite[:, :, 1:].transpose(0, 2, 1).reshape(len(matrices), -1).T
    return np.asarray(chosen.reshape(len(trees), -1) @ columns)


def best_scores(trees: Heads, matrices: Scores) -> Scores:
    """The score of the best tree by each matrix, -inf where none is allowed."""
    best = scores_of_all(trees, matrices).max(axis=0, initial=FORBIDDEN)
    return np.where(best < LEAST, -np.inf, best)
