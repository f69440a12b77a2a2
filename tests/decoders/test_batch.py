"""Batches as flat arrays: the trees of one sentence after the other, whatever the precision, form and threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossarc.decoders import (
    DecodingError,
    TreeBatch,
    TreeClass,
    best,
    best_batch,
    k_best,
    k_best_batch,
    log_partition,
    marginals,
    marginals_batch,
    sample,
    sample_batch,
)
from tests.support.brute_force import CLASSES
from tests.support.matrices import random_scores

Scores = NDArray[Any]
WORDS = [3, 9, 1, 6, 0, 14, 2, 5, 0]
PRECISIONS = [np.float32, np.float64]


def several(dtype: Any) -> list[Scores]:
    """Random scores for sentences of all kinds of lengths; the matrix of no words has one entry."""
    return [random_scores("normal", words, 1, seed=words)[0].astype(dtype) for words in WORDS]


def forms(matrices: list[Scores]) -> list[Scores]:
    """One after the other, with gaps between the entries, and padded, also with the sentences last in memory."""
    flat = np.concatenate([scores.reshape(-1) for scores in matrices])
    padded = np.full((len(matrices), 16, 17), np.nan, flat.dtype)
    for place, scores in enumerate(matrices):
        padded[place, : len(scores), : len(scores)] = scores
    return [flat, np.repeat(flat, 2)[::2], padded, np.asfortranarray(padded)]


def listed(batch: TreeBatch) -> list[list[tuple[list[int], float]]]:
    """The trees of each sentence with their scores."""
    assert batch.heads.dtype == np.int32
    assert batch.offsets.dtype == batch.sentences.dtype == np.int64
    assert len(batch.offsets) == len(batch.totals) + 1
    assert batch.offsets[-1] == len(batch.heads)
    heads = [row.tolist() for row in np.split(batch.heads, batch.offsets[1:-1])] if len(batch.totals) else []
    trees = list(zip(heads, batch.totals.tolist(), strict=True))
    return [trees[begin:end] for begin, end in zip(batch.sentences[:-1], batch.sentences[1:], strict=True)]


@pytest.mark.kernel
@pytest.mark.parametrize("root", ["any", "single"])
@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("tree_class", CLASSES)
def test_the_best_trees_are_those_of_one_sentence_after_the_other(tree_class: TreeClass, dtype: Any, root: Any) -> None:
    matrices = [scores for scores in several(dtype) if root == "any" or len(scores) > 1]
    lengths = [len(scores) - 1 for scores in matrices]
    alone = [best(scores, tree_class, root=root) for scores in matrices]
    for scores in forms(matrices):
        for threads in (1, 2):
            found = listed(best_batch(scores, lengths, tree_class, root=root, threads=threads))
            assert found == [[(tree.heads.tolist(), tree.score)] for tree in alone]


@pytest.mark.kernel
@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("tree_class", CLASSES)
def test_k_best_and_random_trees_are_those_of_one_sentence_after_the_other(tree_class: TreeClass, dtype: Any) -> None:
    matrices = several(dtype)
    ranked = [[(tree.heads.tolist(), tree.score) for tree in k_best(scores, tree_class, 7)] for scores in matrices]
    drawn = [sample(scores, tree_class, 5, seed=40 + place).tolist() for place, scores in enumerate(matrices)]
    for scores in forms(matrices):
        for threads in (1, 3):
            assert listed(k_best_batch(scores, WORDS, tree_class, 7, threads=threads)) == ranked
            found = listed(sample_batch(scores, WORDS, tree_class, 5, seed=40, threads=threads))
            assert [[heads for heads, _ in trees] for trees in found] == drawn
    for trees, matrix in zip(found, matrices, strict=True):
        for heads, total in trees:
            assert total == pytest.approx(sum(matrix[head, word] for word, head in enumerate(heads, 1)), abs=1e-5)


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("tree_class", CLASSES)
def test_sums_are_those_of_one_sentence_after_the_other(tree_class: TreeClass, dtype: Any) -> None:
    matrices = several(dtype)
    sums = [log_partition(scores, tree_class) for scores in matrices]
    probabilities = np.concatenate([marginals(scores, tree_class).reshape(-1) for scores in matrices])
    for scores in forms(matrices):
        found = marginals_batch(scores, WORDS, tree_class, threads=2)
        assert found.log_partitions.tolist() == sums
        assert np.array_equal(found.probabilities, probabilities)


@pytest.mark.parametrize("tree_class", CLASSES)
def test_an_empty_batch(tree_class: TreeClass) -> None:
    for scores in (np.zeros(0), np.zeros(0, np.float32), np.zeros((0, 5, 5))):
        assert listed(best_batch(scores, [], tree_class)) == []
        assert listed(k_best_batch(scores, [], tree_class, 3)) == []
        assert listed(sample_batch(scores, [], tree_class, 3, seed=1)) == []
        assert marginals_batch(scores, [], tree_class).log_partitions.tolist() == []
    assert listed(best_batch([1.0], [0], tree_class)) == [[([], 0)]]
    assert listed(sample_batch([1.0], [0], tree_class, 2, seed=1)) == [[([], 0), ([], 0)]]
    assert listed(sample_batch(np.zeros(4), [1], tree_class, 0, seed=1)) == [[]]


@pytest.mark.parametrize(
    ("name", "same"), [("1-endpoint-crossing", "one_endpoint_crossing"), ("unrestricted", "spanning_tree")]
)
def test_two_names_of_a_class(name: TreeClass, same: TreeClass) -> None:
    scores = random_scores("normal", 8, 1, seed=3)[0]
    assert best(scores, name).heads.tolist() == best(scores, same).heads.tolist()
    assert log_partition(scores, name) == log_partition(scores, same)


FINE = np.zeros(9)


def spoilt(value: float) -> Scores:
    scores = np.zeros((3, 3))
    scores[1, 2] = value
    return scores.reshape(-1)


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("scores", "lengths", "message"),
    [
        ([FINE, spoilt(np.nan)], [2, 2], "sentence 2: the score of the arc from 1 to 2 is NaN; -inf forbids an arc"),
        ([FINE, FINE, spoilt(np.inf)], [2, 2, 2], r"sentence 3: the score of the arc from 1 to 2 is \+inf"),
        ([FINE, np.full(9, -np.inf)], [2, 2], "sentence 2: no projective tree has allowed arcs only"),
        ([FINE, FINE], [2, 3], "sentence 2: the scores end before its matrix does"),
        ([FINE, FINE], [2], "9 scores are left over after the last sentence"),
        ([FINE, FINE], [2, -1], "sentence 2: -1 words"),
        ([FINE, FINE], [2, 9000], "sentence 2: a sentence has at most 8,191 words"),
        ([FINE, FINE], [2.0, 2.0], "lengths are whole numbers"),
        ([FINE, FINE], [[2, 2]], "lengths are whole numbers"),
    ],
)
def test_faults_name_the_sentence(scores: list[Scores], lengths: Any, message: str) -> None:
    for dtype in PRECISIONS:
        flat = np.concatenate(scores).astype(dtype)
        calls: list[Any] = [
            lambda flat=flat: best_batch(flat, lengths, "projective"),
            lambda flat=flat: k_best_batch(flat, lengths, "projective", 2),
            lambda flat=flat: sample_batch(flat, lengths, "projective", 2, seed=1),
            lambda flat=flat: marginals_batch(flat, lengths, "projective"),
        ]
        for call in calls:
            with pytest.raises(DecodingError, match=message):
                call()


def test_arrays_and_arguments_that_cannot_be_used() -> None:
    wrong: Any = "planar"
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: best_batch(np.zeros((2, 2)), [1], "projective"), "one flat array or one of three axes, not of 2"),
        (lambda: best_batch(np.zeros((2, 3, 3)), [2], "projective"), "1 lengths for 2 matrices"),
        (lambda: best_batch(np.zeros((1, 3, 3)), [3], "projective"), "sentence 1: 3 words do not fit into .* for 2"),
        (lambda: best_batch(FINE, [2], wrong), "no class of trees 'planar'"),
        (lambda: best_batch(FINE, [2], "projective", root=wrong), "the root is 'any' or 'single', not 'planar'"),
        (lambda: best_batch(FINE, [2], "projective", long_sentences=wrong), "one of exact, .*, not 'planar'"),
        (lambda: k_best_batch(FINE, [2], "projective", 65), "k is from 1 to 64, not 65"),
        (lambda: sample_batch(FINE, [2], "projective", -1, seed=1), "0 or more, not -1"),
        (lambda: sample_batch(FINE, [2], "projective", 1, seed=-1), "a seed is"),
    ]
    for call, message in calls:
        with pytest.raises(DecodingError, match=message):
            call()


@pytest.mark.kernel
def test_sentences_too_long_for_the_chart_get_the_trees_of_another_class() -> None:
    lengths = [5, 97, 121, 121]
    matrices = [random_scores("normal", words, 1, seed=index)[0] for index, words in enumerate(lengths)]
    chain = matrices[3]  # its best tree of all is of the class, and not projective
    chain[np.arange(121), np.arange(1, 122)] += 100
    chain[[0, 1, 2], [2, 3, 1]] += 1000
    flat = np.concatenate([scores.reshape(-1) for scores in matrices])

    def tree(found: TreeBatch, number: int) -> list[int]:
        heads: list[int] = found.heads[found.offsets[number] : found.offsets[number + 1]].tolist()
        return heads

    among_all = best_batch(flat, lengths, "unrestricted")
    for policy, instead in (("projective", "projective"), ("unrestricted", "unrestricted")):
        options: Any = {"long_sentences": policy}
        other: Any = best_batch(flat, lengths, instead)  # type: ignore[arg-type]
        long = slice(flat.size - 2 * 122**2, None)
        found = best_batch(flat[long], lengths[2:], "1-endpoint-crossing", **options)
        assert tree(found, 0) == tree(other, 2)
        assert tree(found, 1) == tree(among_all, 3) != tree(best_batch(flat, lengths, "projective"), 3)
        ranked = k_best_batch(flat[36 : 36 + 98**2], [97], "1-endpoint-crossing", 2, **options)
        if policy == "projective":  # fewer, but of the class
            assert ranked.sentences.tolist() == [0, 1]
            assert tree(ranked, 0) == best(matrices[1], "1-endpoint-crossing").heads.tolist()
        else:
            two = k_best(matrices[1], "unrestricted", 2)
            assert listed(ranked)[0] == [(found.heads.tolist(), found.score) for found in two]
        sums = marginals_batch(flat[36 : 36 + 98**2], [97], "1-endpoint-crossing", **options)
        assert sums.log_partitions[0] == log_partition(matrices[1], instead)  # type: ignore[call-overload]
        short = best_batch(flat[:36], [5], "1-endpoint-crossing", **options)
        assert short.heads.tolist() == best(matrices[0], "1-endpoint-crossing").heads.tolist()
