"""Scores of crossed arcs (Pitler 2014) in every algebra, against all trees one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from crossarc.decoders import (
    DecodingError,
    best,
    best_batch,
    count_trees,
    k_best,
    log_partition,
    marginals,
    marginals_batch,
    minimum_bayes_risk,
    one_endpoint_crossing,
    projective,
    sample,
    spanning_tree,
)

from ..support.brute_force import trees_of
from ..support.matrices import random_scores

ROOTS: list[Any] = ["any", "single"]
KINDS = ("normal", "ties", "forbidden", "peaked")
every_root = pytest.mark.parametrize("root", ROOTS)
with_and_without_root_arcs = pytest.mark.parametrize("root_arcs", [True, False])
CLASS: Any = "one_endpoint_crossing"


def crossed_arcs(trees: NDArray[Any], root_arcs: bool) -> NDArray[np.bool_]:
    """Whether each arc of each tree is crossed, by looking at all pairs."""
    words = np.arange(1, trees.shape[1] + 1)
    left, right = np.minimum(trees, words), np.maximum(trees, words)
    counts = np.ones_like(left, bool) if root_arcs else left > 0
    a, b, c, d = left[:, :, None], right[:, :, None], left[:, None, :], right[:, None, :]
    pairs = ((a < c) & (c < b) & (b < d)) | ((c < a) & (a < d) & (d < b))
    crossed: NDArray[np.bool_] = (pairs & counts[:, None, :] & counts[:, :, None]).any(axis=2)
    return crossed


def all_scores(trees: NDArray[Any], scores: Any, crossed: Any, root_arcs: bool) -> tuple[Any, Any]:
    """The scores of trees, and which of their arcs are crossed."""
    marks = crossed_arcs(trees, root_arcs)
    words = np.arange(1, trees.shape[1] + 1)
    return np.where(marks, crossed[trees, words], scores[trees, words]).sum(axis=1), marks


def pairs_of_scores(words: int, count: int, seed: int) -> list[tuple[Any, Any]]:
    pairs = []
    for number, kind in enumerate(KINDS):
        drawn = list(random_scores(kind, words, 2 * count, seed=seed + number))
        pairs += list(zip(drawn[:count], drawn[count:], strict=True))
    return pairs


def check_all(words: int, scores: Any, crossed: Any, root: Any, root_arcs: bool) -> None:
    trees = trees_of(words, CLASS, root, root_arcs)
    totals, marks = all_scores(trees, scores, crossed, root_arcs)
    options: Any = {"root": root, "root_arcs": root_arcs, "crossed": crossed}
    assert count_trees(scores, CLASS, **options) == np.isfinite(totals).sum()
    if not np.isfinite(totals).any():
        with pytest.raises(DecodingError, match="no 1-endpoint-crossing tree"):
            best(scores, CLASS, **options)
        return
    order = np.sort(totals[np.isfinite(totals)])[::-1]
    for pruned in (True, False):
        found = best(scores, CLASS, pruned=pruned, **options)
        assert found.score == pytest.approx(order[0], abs=1e-5)
        (total,), _ = all_scores(found.heads[None], scores, crossed, root_arcs)
        assert total == pytest.approx(order[0], abs=1e-5)
    ranked = k_best(scores, CLASS, 7, **options)
    assert [tree.score for tree in ranked] == pytest.approx(order[:7], abs=1e-9)
    assert len({tuple(tree.heads) for tree in ranked}) == len(ranked)
    shift = totals.max()
    weights = np.exp(totals - shift)
    assert log_partition(scores, CLASS, **options) == pytest.approx(np.log(weights.sum()) + shift)
    expected = np.zeros((2, words + 1, words + 1))
    for tree, mark, weight in zip(trees, marks, weights / weights.sum(), strict=True):
        expected[mark.astype(int), tree, np.arange(1, words + 1)] += weight
    assert marginals(scores, CLASS, **options) == pytest.approx(expected, abs=1e-9)


@pytest.mark.kernel
@every_root
@with_and_without_root_arcs
def test_every_algebra_against_all_trees(root: Any, root_arcs: bool) -> None:
    for words in (1, 2, 3, 4, 5):
        for scores, crossed in pairs_of_scores(words, 6, seed=words):
            check_all(words, scores, crossed, root, root_arcs)


@pytest.mark.kernel
@pytest.mark.exhaustive
@every_root
@with_and_without_root_arcs
def test_every_algebra_against_all_trees_of_six_words(root: Any, root_arcs: bool) -> None:
    for scores, crossed in pairs_of_scores(6, 25, seed=60):
        check_all(6, scores, crossed, root, root_arcs)


@pytest.mark.kernel
@pytest.mark.exhaustive
@every_root
def test_the_chart_of_the_best_tree_agrees_with_that_of_sums(root: Any) -> None:
    """Up to fourteen words: the maximum over the grammar with one derivation for each tree is the k best's first."""
    for words in range(7, 15):
        for scores, crossed in pairs_of_scores(words, 10, seed=words):
            try:
                ranked = k_best(scores, CLASS, 1, root=root, crossed=crossed)
            except DecodingError:
                continue
            for pruned in (True, False):
                found = best(scores, CLASS, root=root, crossed=crossed, pruned=pruned)
                assert found.score == pytest.approx(ranked[0].score, abs=1e-4)


@every_root
@pytest.mark.parametrize("doubt", [0.5, 1.5, 3.0])
def test_what_is_left_out_of_long_sentences_is_not_missed(root: Any, doubt: float) -> None:
    """Few arcs stand out, as with a parser: the search, the chart of a few arcs and that of all give the same score."""
    rng = np.random.default_rng(int(10 * doubt))
    for words in (16, 23, 32):
        for _ in range(4):
            heads = rng.normal(0, 2, (words + 1, words + 1))
            heads[rng.integers(0, words + 1, words), np.arange(1, words + 1)] += 6
            scores, crossed = heads + rng.normal(0, doubt, (2, *heads.shape))
            crossed -= 1
            found, whole = (best(scores, CLASS, root=root, crossed=crossed, pruned=pruned) for pruned in (True, False))
            (total,), _ = all_scores(found.heads[None], scores, crossed, True)
            assert found.score == pytest.approx(total)
            assert found.score == pytest.approx(whole.score, abs=1e-4)


def test_scores_of_crossed_arcs_may_lie_otherwise_and_be_doubles() -> None:
    scores, crossed = np.random.default_rng(4).normal(size=(2, 9, 9))
    expected = best(scores, CLASS, crossed=crossed)
    for other in (np.asfortranarray(crossed), crossed.tolist(), np.pad(crossed, 1)[1:-1, 1:-1]):
        found = best(scores, CLASS, crossed=other)
        assert (found.heads == expected.heads).all() and found.score == expected.score
    singles = scores.astype(np.float32)
    assert best(singles, CLASS, crossed=crossed).score == best(singles.astype(np.float64), CLASS, crossed=crossed).score


@every_root
def test_what_is_never_looked_at_may_be_anything(root: Any) -> None:
    scores, crossed = np.random.default_rng(5).normal(size=(2, 7, 7))
    expected = best(scores, CLASS, root=root, crossed=crossed)
    for matrix in (scores, crossed):
        np.fill_diagonal(matrix, np.nan)
        matrix[:, 0] = np.inf
    found = best(scores, CLASS, root=root, crossed=crossed)
    assert (found.heads == expected.heads).all() and found.score == expected.score
    crossed[2, 3] = np.nan
    with pytest.raises(DecodingError, match="the arc from 2 to 3 is NaN"):
        best(scores, CLASS, root=root, crossed=crossed)


@every_root
def test_equal_scores_give_the_same_trees(root: Any) -> None:
    for words in (3, 8, 15):
        for scores in random_scores("normal", words, 10, seed=words):
            expected = one_endpoint_crossing(scores, root=root)
            found = one_endpoint_crossing(scores, root=root, crossed=scores)
            assert (found.heads == expected.heads).all()
            assert found.score == expected.score


def test_a_high_penalty_makes_trees_projective() -> None:
    for scores in random_scores("normal", 12, 10, seed=3):
        found = one_endpoint_crossing(scores, crossed=scores - 100)
        assert (found.heads == projective(scores).heads).all()


def test_crossings_can_be_asked_for() -> None:
    scores, crossed = np.full((5, 5), -50.0), np.zeros((5, 5))
    found = one_endpoint_crossing(scores, crossed=crossed)
    assert crossed_arcs(found.heads[None], True).sum() == 4
    assert found.score == 0


@pytest.mark.kernel
def test_random_trees_come_as_often_as_they_should() -> None:
    (scores, crossed), *_ = pairs_of_scores(4, 1, seed=8)
    trees = trees_of(4, CLASS, "any", True)
    totals, _ = all_scores(trees, scores, crossed, True)
    probabilities = np.exp(totals - totals.max())
    probabilities /= probabilities.sum()
    drawn = sample(scores, CLASS, 20_000, seed=5, crossed=crossed)
    numbers = {tuple(tree): number for number, tree in enumerate(trees.tolist())}
    counts = np.bincount([numbers[tuple(tree)] for tree in drawn.tolist()], minlength=len(trees))
    assert np.abs(counts / len(drawn) - probabilities).max() < 0.015


def test_least_risk() -> None:
    for scores, crossed in pairs_of_scores(5, 2, seed=9)[:4]:
        trees = trees_of(5, CLASS, "any", True)
        gains = marginals(scores, CLASS, crossed=crossed).sum(axis=0)
        expected = gains[trees, np.arange(1, 6)].sum(axis=1).max()
        assert minimum_bayes_risk(scores, CLASS, crossed=crossed).score == pytest.approx(expected)


def test_labels_and_several_sentences() -> None:
    rng = np.random.default_rng(4)
    matrices = [rng.normal(size=(size, size)).astype(np.float32) for size in (4, 7, 2)]
    crossed = [rng.normal(size=matrix.shape) for matrix in matrices]  # doubles: the scores become doubles, too
    labels = [rng.normal(size=(*matrix.shape, 3)) for matrix in matrices]
    together = best(matrices, CLASS, crossed=crossed, labels=labels)
    for decoded, matrix, other, of_labels in zip(together, matrices, crossed, labels, strict=True):
        alone = best(matrix, CLASS, crossed=other, labels=of_labels)
        assert (alone.heads == decoded.heads).all()
    padded, padded_crossed = np.zeros((3, 8, 8)), np.asfortranarray(np.zeros((3, 8, 8)))
    for index, (matrix, other) in enumerate(zip(matrices, crossed, strict=True)):
        padded[index, : len(matrix), : len(matrix)] = matrix
        padded_crossed[index, : len(matrix), : len(matrix)] = other
    lengths = [len(matrix) - 1 for matrix in matrices]
    again = best(padded, CLASS, np.array(lengths), crossed=padded_crossed)
    for decoded, matrix, other in zip(again, matrices, crossed, strict=True):
        assert (decoded.heads == best(matrix, CLASS, crossed=other).heads).all()


@pytest.mark.parametrize(
    ("scores", "crossed", "message"),
    [
        (np.zeros((3, 3)), np.zeros((4, 4)), "the scores: scores of crossed arcs have the shape of the scores"),
        (np.zeros((3, 3)), [np.zeros((3, 3))], "as many sentences"),
        ([np.zeros((3, 3))] * 2, [np.zeros((3, 3))], "as many sentences"),
        (np.zeros((3, 3)), np.full((3, 3), np.nan), "the score of the arc from 0 to 1 is NaN"),
    ],
)
def test_what_does_not_fit_is_refused(scores: Any, crossed: Any, message: str) -> None:
    with pytest.raises(DecodingError, match=message):
        best(scores, CLASS, crossed=crossed)


def test_unrestricted_trees_have_no_exact_decoder() -> None:
    with pytest.raises(DecodingError, match="cannot be found exactly"):
        best(np.zeros((3, 3)), "unrestricted", crossed=np.zeros((3, 3)))
    assert len(spanning_tree(np.zeros((3, 3))).heads) == 2


@given(st.integers(2, 9), st.integers(0, 2**32 - 1), st.sampled_from(ROOTS))
def test_the_best_tree_is_at_least_as_good_as_others(words: int, seed: int, root: Any) -> None:
    rng = np.random.default_rng(seed)
    scores, crossed = rng.normal(size=(2, words + 1, words + 1))
    found = best(scores, CLASS, root=root, crossed=crossed)
    others = np.array([tree.heads for tree in (best(scores, CLASS, root=root), best(crossed, CLASS, root=root))])
    totals, _ = all_scores(others, scores, crossed, True)
    assert found.score >= totals.max() - 1e-5


@given(st.lists(st.integers(0, 7), min_size=1, max_size=4), st.integers(0, 2**32 - 1), st.sampled_from(ROOTS))
def test_batches_have_the_answers_of_single_sentences(lengths: list[int], seed: int, root: Any) -> None:
    widest = max(lengths) + 1
    scores, crossed = np.random.default_rng(seed).normal(size=(2, len(lengths), widest, widest))
    options: Any = {"root": root, "crossed": crossed}
    trees, sums = best_batch(scores, lengths, CLASS, **options), marginals_batch(scores, lengths, CLASS, **options)
    start = 0
    for sentence, words in enumerate(lengths):
        own = np.s_[sentence, : words + 1, : words + 1]
        alone: Any = {"root": root, "crossed": crossed[own]}
        assert trees.totals[sentence] == pytest.approx(best(scores[own], CLASS, **alone).score, abs=1e-6)
        heads = trees.heads[trees.offsets[sentence] : trees.offsets[sentence + 1]]
        (total,), _ = all_scores(heads[None], scores[own], crossed[own], True)
        assert total == pytest.approx(trees.totals[sentence], abs=1e-6)
        expected = marginals(scores[own], CLASS, **alone)
        assert sums.log_partitions[sentence] == pytest.approx(log_partition(scores[own], CLASS, **alone))
        assert sums.probabilities[start : start + expected.size] == pytest.approx(expected.reshape(-1))
        start += expected.size
