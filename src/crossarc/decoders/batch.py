"""Trees of many sentences as flat arrays, for parsers: one call for a batch, threads inside, the interpreter free.

Scores are one flat array of (n + 1) × (n + 1) matrices, one after the other, or a padded array of three axes; lengths
are the numbers of words. The answers are those of the functions for one matrix, whose costs they have.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _kernel
from .._arrays import Doubles, Ids, Offsets
from ..errors import checked_threads
from .matrices import DecodingError, Fault, Root, TreeClass, Wanted, asked, numbers, raise_fault, wanted, word_counts
from .sums import check_k, check_sampling


class TreeBatch(NamedTuple):
    """Trees of many sentences.

    Sentence i has the trees `sentences[i]` to `sentences[i + 1]`; tree t has the heads `offsets[t]` to
    `offsets[t + 1]`, one for each word, and the score `totals[t]`.
    """

    heads: Ids
    offsets: Offsets
    totals: Doubles
    sentences: Offsets


class MarginalBatch(NamedTuple):
    """Of each sentence the logarithm of the sum of exp(score); of each arc its probability, matrix after matrix."""

    log_partitions: Doubles
    probabilities: Doubles


def best_batch(
    scores: ArrayLike,
    lengths: ArrayLike,
    tree_class: TreeClass,
    *,
    root: Root = "any",
    root_arcs: bool = True,
    pruned: bool = True,
    threads: int = 0,
) -> TreeBatch:
    """Return the best tree of each sentence.

    >>> best_batch([0, 1, 0, 0, 0, 9, 1, 0, 0, 8, 0, 20, 0], [1, 2], "projective").heads.tolist()
    [0, 2, 0]
    """
    trees, words = wanted(tree_class, root, root_arcs), word_counts(lengths)
    heads, totals, fault = asked(_matrices(scores, words).decode, *trees, pruned, checked_threads(threads))
    return _tree_batch(words, trees, heads, totals, np.ones(len(words), np.int64), fault)


def k_best_batch(
    scores: ArrayLike,
    lengths: ArrayLike,
    tree_class: TreeClass,
    k: int,
    *,
    root: Root = "any",
    root_arcs: bool = True,
    threads: int = 0,
) -> TreeBatch:
    """Return the k best trees of each sentence, best first; fewer where there are fewer. k is at most 64."""
    check_k(k)
    trees, words = wanted(tree_class, root, root_arcs), word_counts(lengths)
    return _tree_batch(words, trees, *asked(_matrices(scores, words).k_best, *trees, k, checked_threads(threads)))


def sample_batch(
    scores: ArrayLike,
    lengths: ArrayLike,
    tree_class: TreeClass,
    count: int = 1,
    *,
    seed: int,
    root: Root = "any",
    root_arcs: bool = True,
    threads: int = 0,
) -> TreeBatch:
    """Return random trees of each sentence; those of sentence i are what `sample` draws with seed + i, modulo 2^64."""
    check_sampling(count, seed)
    trees, words = wanted(tree_class, root, root_arcs), word_counts(lengths)
    drawn = asked(_matrices(scores, words).sample, *trees, count, seed, checked_threads(threads))
    return _tree_batch(words, trees, *drawn)


def marginals_batch(
    scores: ArrayLike,
    lengths: ArrayLike,
    tree_class: TreeClass,
    *,
    root: Root = "any",
    root_arcs: bool = True,
    threads: int = 0,
) -> MarginalBatch:
    """Return what `log_partition` and `marginals` give for each sentence; without padding, matrix after matrix."""
    trees, words = wanted(tree_class, root, root_arcs), word_counts(lengths)
    sums, probabilities, fault = asked(_matrices(scores, words).sum, *trees, True, checked_threads(threads))
    raise_fault(fault, _place, trees)
    return MarginalBatch(sums, probabilities)


def _matrices(scores: ArrayLike, words: Offsets) -> _kernel.ScoreMatrices:
    try:
        return _kernel.ScoreMatrices(numbers(scores), words)
    except ValueError as error:
        raise DecodingError(str(error)) from error


def _tree_batch(words: Offsets, trees: Wanted, heads: Ids, totals: Doubles, counts: Offsets, fault: Fault) -> TreeBatch:
    raise_fault(fault, _place, trees)
    return TreeBatch(heads, _offsets(np.repeat(words, counts)), totals, _offsets(counts))


def _offsets(lengths: Offsets) -> Offsets:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def _place(sentence: int) -> str:
    return f"sentence {sentence + 1}"
