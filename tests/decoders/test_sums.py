"""Sums over all trees of a class, their number, random trees and the k best, against all trees one by one."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from crossarc import _kernel
from crossarc.decoders import (
    DecodingError,
    TreeClass,
    count_trees,
    k_best,
    k_best_batch,
    log_partition,
    marginals,
    minimum_bayes_risk,
    sample,
)
from crossarc.structure import classify

from ..support import plain_decoders as plain
from ..support.brute_force import CLASSES, score, trees_of
from ..support.golden_counts import GOLDEN_COUNTS
from ..support.matrices import KINDS, random_scores

COLUMNS = {
    ("projective", True): "projective",
    ("one_endpoint_crossing", True): "1ec_rootedges",
    ("one_endpoint_crossing", False): "1ec_wordsonly",
    ("spanning_tree", True): "all",
}
ROOTS: list[Any] = ["any", "single"]
every_class = pytest.mark.parametrize("tree_class", CLASSES)
every_root = pytest.mark.parametrize("root", ROOTS)


def finite_trees(words: int, tree_class: str, root: str, scores: Any, root_arcs: bool = True) -> tuple[Any, Any]:
    """All allowed trees of the class, and their scores."""
    trees = trees_of(words, tree_class, root, root_arcs)
    totals = score(trees, scores)
    return trees[np.isfinite(totals)], totals[np.isfinite(totals)]


@pytest.mark.kernel
@pytest.mark.parametrize(("tree_class", "root_arcs"), list(COLUMNS))
def test_counts_are_the_golden_ones(tree_class: TreeClass, root_arcs: bool) -> None:
    assert set(GOLDEN_COUNTS) == {(words, single) for words in range(1, 10) for single in (False, True)}
    for (words, single), golden in GOLDEN_COUNTS.items():
        found = count_trees(words, tree_class, root="single" if single else "any", root_arcs=root_arcs)
        assert found == golden[COLUMNS[tree_class, root_arcs]]


def test_large_counts_are_exact() -> None:
    assert count_trees(12, "one_endpoint_crossing") == 7_789_956_343
    assert count_trees(30, "spanning_tree") == 31**29
    assert count_trees(30, "spanning_tree", root="single") == 30**29
    assert count_trees(40, "projective") == comb(3 * 40, 40) // (2 * 40 + 1)


@every_root
@every_class
def test_forbidden_arcs_are_not_counted(tree_class: TreeClass, root: Any) -> None:
    for words in (1, 3, 5):
        for scores in random_scores("forbidden", words, 5, seed=1):
            trees, _ = finite_trees(words, tree_class, root, scores)
            assert count_trees(scores, tree_class, root=root) == len(trees)


@pytest.mark.kernel
@every_root
@every_class
def test_sums_and_probabilities(tree_class: TreeClass, root: Any) -> None:
    for words in (1, 2, 4, 6):
        for kind in ("normal", "forbidden", "peaked"):
            for scores in random_scores(kind, words, 3, seed=2):
                check_sums(scores, tree_class, root, True)
                if tree_class == "one_endpoint_crossing":
                    check_sums(scores, tree_class, root, False)


def check_sums(scores: Any, tree_class: TreeClass, root: Any, root_arcs: bool) -> None:
    words = len(scores) - 1
    trees, totals = finite_trees(words, tree_class, root, scores, root_arcs)
    found = log_partition(scores, tree_class, root=root, root_arcs=root_arcs)
    if not len(trees):
        assert found == -np.inf
        with pytest.raises(DecodingError, match="has allowed arcs only"):
            marginals(scores, tree_class, root=root, root_arcs=root_arcs)
        return
    assert found == pytest.approx(np.logaddexp.reduce(totals), abs=1e-10)
    expected = arc_probabilities(trees, np.exp(totals - found))
    assert marginals(scores, tree_class, root=root, root_arcs=root_arcs) == pytest.approx(expected, abs=1e-10)


def arc_probabilities(trees: Any, weights: Any) -> NDArray[np.float64]:
    words = trees.shape[1]
    probabilities = np.zeros((words + 1, words + 1))
    for word in range(1, words + 1):
        np.add.at(probabilities[:, word], trees[:, word - 1], weights)
    return probabilities


@every_root
@every_class
def test_probabilities_are_derivatives(tree_class: TreeClass, root: Any) -> None:
    """Longer sentences than can be enumerated, by finite differences."""
    for words in (10, 15):
        scores = random_scores("normal", words, 1, seed=3)[0]
        found = marginals(scores, tree_class, root=root)
        assert found[:, 1:].sum(axis=0) == pytest.approx(np.ones(words), abs=1e-9)
        for head, dependent in [(0, 1), (1, words), (words, 2), (3, 4)]:
            step = np.zeros_like(scores)
            step[head, dependent] = 1e-4
            above = log_partition(scores + step, tree_class, root=root)
            below = log_partition(scores - step, tree_class, root=root)
            assert found[head, dependent] == pytest.approx((above - below) / 2e-4, abs=1e-6)


@every_root
def test_the_matrix_tree_theorem(root: Any) -> None:
    for scores in random_scores("normal", 25, 3, seed=4):
        assert log_partition(scores, "spanning_tree", root=root) == pytest.approx(
            plain.log_partition(scores, root == "single"), abs=1e-8
        )


@pytest.mark.kernel
@every_root
@every_class
def test_scores_far_apart_are_no_harm(tree_class: TreeClass, root: Any) -> None:
    """exp(score) would be 0 or infinite: two words that each want the other for a head, and a root that is far off."""
    scores = np.array([[0, -2000, -2010], [0, 0, 900], [0, 900, 0]], float)
    assert log_partition(scores, tree_class, root=root) == pytest.approx(-1100 + np.log1p(np.exp(-10)), abs=1e-9)
    first = 1 / (1 + np.exp(-10))
    found = marginals(scores, tree_class, root=root)
    assert found == pytest.approx(np.array([[0, first, 1 - first], [0, 0, first], [0, 1 - first, 0]]), abs=1e-9)
    assert sample(scores, tree_class, 50, seed=1, root=root).shape == (50, 2)
    shifted = random_scores("normal", 6, 1, seed=5)[0]
    expected = log_partition(shifted, tree_class, root=root) + 6 * 1e5
    assert log_partition(shifted + 1e5, tree_class, root=root) == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
@pytest.mark.kernel
@every_root
@every_class
def test_the_k_best_trees(tree_class: TreeClass, root: Any) -> None:
    for words in (1, 2, 4, 6):
        for kind in ("normal", "ties", "forbidden", "peaked"):
            for scores in random_scores(kind, words, 2, seed=6):
                for root_arcs in (True, False)[: 1 + (tree_class == "one_endpoint_crossing")]:
                    trees, totals = finite_trees(words, tree_class, root, scores, root_arcs)
                    if not len(trees):
                        continue
                    found = k_best(scores, tree_class, 64, root=root, root_arcs=root_arcs)
                    best = np.sort(totals)[::-1][:64]
                    assert [tree.score for tree in found] == pytest.approx(best.tolist(), abs=1e-9)
                    distinct = {tuple(tree.heads.tolist()) for tree in found}
                    assert len(distinct) == len(found)
                    assert distinct <= {tuple(heads) for heads in trees.tolist()}


@every_root
@every_class
def test_the_first_of_the_k_best_is_the_best(tree_class: TreeClass, root: Any) -> None:
    from crossarc import decoders

    for scores in random_scores("normal", 16, 2, seed=7):
        found = k_best(scores, tree_class, 20, root=root)
        assert found[0].score == pytest.approx(getattr(decoders, tree_class)(scores, root=root).score, abs=1e-9)
        assert [tree.score for tree in found] == sorted((tree.score for tree in found), reverse=True)
        classes = classify([tree.heads for tree in found])
        if tree_class == "one_endpoint_crossing":
            assert classes.one_endpoint_crossing.all()


@every_root
@every_class
def test_random_trees_have_their_probabilities(tree_class: TreeClass, root: Any) -> None:
    """4,000 trees of four words: no frequency is further off than five standard deviations."""
    scores = random_scores("normal", 4, 1, seed=8)[0]
    trees, totals = finite_trees(4, tree_class, root, scores)
    expected = np.exp(totals - np.logaddexp.reduce(totals))
    drawn = sample(scores, tree_class, 4000, seed=9, root=root)
    numbers = {tuple(heads): place for place, heads in enumerate(trees.tolist())}
    counts = np.bincount([numbers[tuple(heads)] for heads in drawn.tolist()], minlength=len(trees))
    deviation = np.sqrt(4000 * expected * (1 - expected))
    assert (abs(counts - 4000 * expected) < 5 * deviation + 1).all()
    assert (drawn == sample(scores, tree_class, 4000, seed=9, root=root)).all()
    assert (drawn != sample(scores, tree_class, 4000, seed=10, root=root)).any()


@every_class
def test_random_trees_of_long_sentences(tree_class: TreeClass) -> None:
    scores = random_scores("normal", 12, 1, seed=10)[0]
    drawn = sample(scores, tree_class, 300, seed=1, root="single")
    found = arc_probabilities(drawn, np.full(len(drawn), 1 / len(drawn)))
    expected = marginals(scores, tree_class, root="single")
    assert abs(found - expected).max() < 5 * 0.5 / np.sqrt(len(drawn))
    assert ((drawn == 0).sum(axis=1) == 1).all()


@every_root
@every_class
def test_minimum_bayes_risk(tree_class: TreeClass, root: Any) -> None:
    """No tree of the class has more heads in common with the others, by their probabilities."""
    for scores in random_scores("normal", 5, 5, seed=11):
        trees, _ = finite_trees(5, tree_class, root, scores)
        expected = score(trees, marginals(scores, tree_class, root=root))
        found = minimum_bayes_risk(scores, tree_class, root=root)
        assert found.score == pytest.approx(expected.max(), abs=1e-9)
        assert found.heads.tolist() in trees.tolist()


def test_several_sentences_at_once() -> None:
    matrices = [random_scores("normal", words, 1, seed=12)[0] for words in (3, 7, 1, 5)]
    padded = np.zeros((4, 8, 8))
    for place, scores in enumerate(matrices):
        padded[place, : len(scores), : len(scores)] = scores
    for tree_class in ("projective", "one_endpoint_crossing", "spanning_tree"):
        alone = [log_partition(scores, tree_class) for scores in matrices]
        assert log_partition(matrices, tree_class, threads=2).tolist() == alone
        assert log_partition(padded, tree_class, [3, 7, 1, 5]).tolist() == alone
        for found, scores in zip(marginals(matrices, tree_class), matrices, strict=True):
            assert (found == marginals(scores, tree_class)).all()


@pytest.mark.kernel
@every_root
@pytest.mark.parametrize("kind", KINDS)
def test_the_k_best_trees_without_a_chart_are_those_of_the_chart(kind: str, root: Any) -> None:
    for words in (7, 12):
        for scores in random_scores(kind, words, 3, seed=8):
            for root_arcs in (True, False):
                ranked = [
                    ranked_trees(scores, 20, single_root=root == "single", root_arcs=root_arcs, pruned=pruned)
                    for pruned in (True, False)
                ]
                assert ranked[0][1] == pytest.approx(ranked[1][1])
                assert len({tuple(heads) for heads in ranked[0][0]}) == len(ranked[0][0])


def ranked_trees(scores: NDArray[np.float64], k: int, **options: Any) -> tuple[list[list[int]], list[float]]:
    """The heads and the scores of trees; without `pruned`, all arcs go into the chart at once."""
    settings = _kernel.DecodeOptions(_kernel.TreeClass.one_endpoint_crossing, **options)
    heads, totals, _, fault = _kernel.ScoreMatrices([scores]).k_best(settings, k, 1)
    assert fault is None or not len(totals)
    return heads.reshape(len(totals), -1).tolist(), totals.tolist()


@every_root
def test_the_k_best_trees_of_96_words_are_those_of_the_class_among_the_best_of_all(root: Any) -> None:
    """The chart would take 0.9 GB, which parsers do not take."""
    words, k = 96, 64
    scores = random_scores("normal", words, 1, seed=9)[0]
    scores[np.arange(words), np.arange(1, words + 1)] += 9
    scores[[10, 11, 13], [14, 16, 18]] += 11  # the class has no more than two of these arcs
    among_all = k_best(scores, "spanning_tree", k, root=root)
    of_class = classify([tree.heads for tree in among_all]).one_endpoint_crossing
    expected = [tree.score for tree, own in zip(among_all, of_class, strict=True) if own]
    assert 3 <= len(expected) < k and not of_class[0]
    options: Any = {"root": root, "long_sentences": "projective"}
    found = k_best_batch(scores.reshape(-1), [words], "one_endpoint_crossing", k, **options)
    assert found.totals[: len(expected)] == pytest.approx(expected)
    trees = found.heads.reshape(-1, words)
    assert len(np.unique(trees, axis=0)) == k and classify(list(trees)).one_endpoint_crossing.all()
    assert (np.diff(found.totals) <= 1e-9).all()
