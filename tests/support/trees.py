"""Trees to test on: all of a length, random ones, and shapes whose classes are known."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Heads = NDArray[np.int32]


def all_trees(words: int, at_once: int = 1 << 18, step: int = 1) -> Iterator[Heads]:
    """All (n + 1)^(n - 1) trees over words 1…n, a row for each, in portions: every Prüfer sequence is one tree.

    With a step, only every so many of them. The root is given the largest label, so that it is never pruned as a leaf:
    each leaf's neighbour is its head.
    """
    total = (words + 1) ** (words - 1)
    for start in range(0, total, at_once * step):
        numbers = np.arange(start, min(total, start + at_once * step), step)
        rows = np.arange(len(numbers))
        sequence = np.stack([numbers // (words + 1) ** place % (words + 1) for place in range(words - 1)] or [rows])
        sequence = sequence[: words - 1]
        degree = np.ones((len(numbers), words + 1), np.int64)
        for labels in sequence:
            degree[rows, labels] += 1
        heads = np.zeros((len(numbers), words), np.int32)
        for labels in [*sequence, np.full(len(numbers), words)]:
            leaf = np.argmax(degree[:, :words] == 1, axis=1)
            heads[rows, leaf] = np.where(labels == words, 0, labels + 1)
            degree[rows, leaf] = 0
            degree[rows, labels] -= 1
        yield heads


def offsets(trees: Heads) -> NDArray[np.int64]:
    starts: NDArray[np.int64] = np.arange(len(trees) + 1, dtype=np.int64) * trees.shape[1]
    return starts


def random_tree(words: int, seed: int) -> Heads:
    """Words in a random order, each below one that came before it."""
    generator = np.random.default_rng(seed)
    order = generator.permutation(words) + 1
    heads = np.zeros(words, np.int32)
    for place in range(1, words):
        heads[order[place] - 1] = order[generator.integers(place)]
    return heads


def clique(k: int) -> list[int]:
    """A tree in which k arcs between words all cross each other: from k + i to i; the heads are the roots."""
    return [k + word for word in range(1, k + 1)] + [0] * k


def crossing_cycle(k: int) -> list[tuple[int, int]]:
    """Arcs whose crossings graph is a cycle of k ≥ 4: a ring of chords, each of which crosses its two neighbours.

    On a circle of 2k points, chord i joins points 2i and 2i + 3.
    """
    return [(2 * i + 1, (2 * i + 3) % (2 * k) + 1) for i in range(k)]


@st.composite
def trees(draw: st.DrawFn, max_words: int = 12) -> list[int]:
    words = draw(st.integers(1, max_words))
    order = draw(st.permutations(range(1, words + 1)))
    heads = [0] * words
    for place, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:place]]))
    return heads


@st.composite
def arc_sets(draw: st.DrawFn, max_words: int = 10, max_arcs: int = 9) -> tuple[int, list[tuple[int, int]]]:
    """A graph that need not be a tree: the number of words and arcs among them."""
    words = draw(st.integers(1, max_words))
    word = st.integers(1, words)
    arcs = draw(st.lists(st.tuples(word, word).filter(lambda arc: arc[0] != arc[1]), max_size=max_arcs, unique=True))
    return words, arcs
