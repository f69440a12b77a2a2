"""Trees of many sentences as flat arrays, for parsers: one call for a batch, threads inside, the interpreter free.

Scores are one flat array of (n + 1) × (n + 1) matrices, one after the other, or a padded array of three axes; lengths
are the numbers of words. The answers are those of the functions for one matrix, whose costs they have; only here can
sentences too long for the chart of 1-endpoint-crossing trees get others (`LongSentences`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _kernel
from .._arrays import Doubles, Ids, Offsets
from ..options import checked_threads
from .matrices import (
    Batch,
    DecodingError,
    Fault,
    LongSentences,
    Root,
    TreeClass,
    call_kernel,
    decode_options,
    numbers,
    raise_fault,
    word_counts,
)
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
    long_sentences: LongSentences = "exact",
    threads: int = 0,
    crossed: ArrayLike | None = None,
) -> TreeBatch:
    """Return the best tree of each sentence.

    `crossed`: the scores of arcs that another arc crosses, in a padded array as the scores.

    >>> best_batch([0, 1, 0, 0, 0, 9, 1, 0, 0, 8, 0, 20, 0], [1, 2], "projective").heads.tolist()
    [0, 2, 0]
    """
    options = decode_options(tree_class, root, root_arcs, pruned=pruned, long_sentences=long_sentences)
    words = word_counts(lengths)
    matrices = _matrices(scores, words, crossed)
    heads, totals, fault = call_kernel(matrices.decode, options, checked_threads(threads))
    return _tree_batch(words, options, heads, totals, np.ones(len(words), np.int64), fault)


def k_best_batch(
    scores: ArrayLike,
    lengths: ArrayLike,
    tree_class: TreeClass,
    k: int,
    *,
    root: Root = "any",
    root_arcs: bool = True,
    long_sentences: LongSentences = "exact",
    threads: int = 0,
) -> TreeBatch:
    """Return the k best trees of each sentence, best first; fewer where there are fewer. k is at most 64."""
    check_k(k)
    options = decode_options(tree_class, root, root_arcs, long_sentences=long_sentences)
    words = word_counts(lengths)
    ranked = call_kernel(_matrices(scores, words).k_best, options, k, checked_threads(threads))
    return _tree_batch(words, options, *ranked)


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
    options, words = decode_options(tree_class, root, root_arcs), word_counts(lengths)
    drawn = call_kernel(_matrices(scores, words).sample, options, count, seed, checked_threads(threads))
    return _tree_batch(words, options, *drawn)


def marginals_batch(
    scores: ArrayLike,
    lengths: ArrayLike,
    tree_class: TreeClass,
    *,
    root: Root = "any",
    root_arcs: bool = True,
    long_sentences: LongSentences = "exact",
    threads: int = 0,
    crossed: ArrayLike | None = None,
) -> MarginalBatch:
    """Return what `log_partition` and `marginals` give for each sentence; without padding, matrix after matrix.

    `crossed`: the scores of arcs that another arc crosses, in a padded array as the scores; each sentence then has two
    matrices, that of crossed arcs with zeros where it is too long for the chart of its class.
    """
    options = decode_options(tree_class, root, root_arcs, long_sentences=long_sentences)
    matrices = _matrices(scores, word_counts(lengths), crossed)
    sums, probabilities, fault = call_kernel(matrices.sum, options, True, checked_threads(threads))
    raise_fault(fault, _sentence_name, options)
    return MarginalBatch(sums, probabilities)


def _matrices(scores: ArrayLike, words: Offsets, crossed: ArrayLike | None = None) -> _kernel.ScoreMatrices:
    if crossed is not None:
        return Batch.from_scores(scores, words, crossed=crossed).kernel
    try:
        return _kernel.ScoreMatrices(numbers(scores), words)
    except ValueError as error:
        raise DecodingError(str(error)) from error


def _tree_batch(
    words: Offsets, options: _kernel.DecodeOptions, heads: Ids, totals: Doubles, counts: Offsets, fault: Fault
) -> TreeBatch:
    raise_fault(fault, _sentence_name, options)
    return TreeBatch(heads, _offsets(np.repeat(words, counts)), totals, _offsets(counts))


def _offsets(lengths: Offsets) -> Offsets:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def _sentence_name(sentence: int) -> str:
    return f"sentence {sentence + 1}"
