"""Score matrices to test on, of every kind that a decoder may meet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .trees import random_tree

Scores = NDArray[np.float64]

KINDS = ("normal", "ties", "sparse", "forbidden", "peaked")


def random_scores(kind: str, words: int, count: int, seed: int) -> Scores:
    """So many matrices of a kind. Those with forbidden arcs allow at least one tree each, of any class or of none."""
    generator = np.random.default_rng([seed, words, KINDS.index(kind)])
    shape = (count, words + 1, words + 1)
    scores = generator.normal(size=shape)
    if kind == "ties":
        scores = generator.integers(-2, 3, shape).astype(float)
    elif kind == "sparse":
        scores = np.where(generator.random(shape) < 0.2, scores, 0.0)
    elif kind == "forbidden":
        scores = np.where(generator.random(shape) < 0.4, -np.inf, scores)
    for index in range(count):
        if kind in ("forbidden", "peaked"):
            tree = random_tree(words, int(generator.integers(2**31)))
            arcs = tree, np.arange(1, words + 1)
            scores[index][arcs] = generator.normal(size=words) + (4 if kind == "peaked" else 0)
    return scores
