"""The best tree is the best: against all trees of the class, against plain programs, and pruned against unpruned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossarc import decoders
from crossarc.decoders import Decoded, DecodingError, best_batch, one_endpoint_crossing, projective, spanning_tree
from crossarc.decoders.matrices import TreeClass
from crossarc.structure import classify

from ..support import plain_decoders as plain
from ..support import published_program as published
from ..support.brute_force import CLASSES, best_scores, score, trees_of
from ..support.matrices import KINDS, random_scores
from ..support.trees import all_trees, offsets

WITNESSES = Path(__file__).parent / "witness_trees.tsv"
# How many matrices of each kind and policy of the root; together more than 20,000 for each class.
COUNTS = {1: 20, 2: 200, 3: 400, 4: 600, 5: 600, 6: 220, 7: 20}


def decode(tree_class: str, scores: Any, **options: Any) -> Any:
    return getattr(decoders, tree_class)(scores, **options)


def all_in_class(tree_class: str, trees: list[Decoded], root: str, root_arcs: bool = True) -> bool:
    classes = classify([tree.heads for tree in trees])  # raises if one is no tree
    if root == "single" and any((tree.heads == 0).sum() != 1 for tree in trees):
        return False
    if tree_class == "projective":
        return not classes.nonprojective.any()
    crossing = classes.one_endpoint_crossing if root_arcs else classes.one_endpoint_crossing_without_root
    return tree_class == "spanning_tree" or bool(crossing.all())


def check_against_all(tree_class: str, root: str, words: int, matrices: Any, **options: Any) -> None:
    """Each tree is of the class and as good as the best; where there is none, that is said."""
    root_arcs = options.get("root_arcs", True)
    best = best_scores(trees_of(words, tree_class, root, root_arcs), matrices)
    possible = np.isfinite(best)
    found = decode(tree_class, list(matrices[possible]), root=root, **options)
    assert [tree.score for tree in found] == pytest.approx(best[possible].tolist(), abs=1e-9)
    own = [score(tree.heads, scores) for tree, scores in zip(found, matrices[possible], strict=True)]
    assert own == pytest.approx(best[possible].tolist(), abs=1e-9)
    assert all_in_class(tree_class, found, root, root_arcs)
    for scores in matrices[~possible]:
        with pytest.raises(DecodingError, match="has allowed arcs only"):
            decode(tree_class, scores, root=root, **options)


@pytest.mark.slow
@pytest.mark.parametrize("root", ["any", "single"])
@pytest.mark.parametrize("tree_class", CLASSES)
@pytest.mark.exhaustive
def test_it_is_the_best_of_all_trees(tree_class: str, root: str, announce: list[str]) -> None:
    tested = 0
    for words, count in COUNTS.items():
        for kind in KINDS:
            matrices = random_scores(kind, words, count, seed=1)
            tested += len(matrices)
            check_against_all(tree_class, root, words, matrices)
    announce.append(f"{tree_class}, root={root}: {tested:,} matrices against all trees")
    assert tested > 10_000


@pytest.mark.kernel
@pytest.mark.parametrize("pruned", [True, False])
@pytest.mark.parametrize("root", ["any", "single"])
@pytest.mark.parametrize("tree_class", CLASSES)
def test_every_kind_of_scores(tree_class: str, root: str, pruned: bool) -> None:
    options = {} if tree_class == "spanning_tree" else {"pruned": pruned}
    for words in range(1, 6):
        for kind in KINDS:
            check_against_all(tree_class, root, words, random_scores(kind, words, 20, seed=2), **options)


@pytest.mark.kernel
@pytest.mark.parametrize("pruned", [True, False])
@pytest.mark.parametrize("root", ["any", "single"])
def test_arcs_from_the_root_need_not_count(root: str, pruned: bool) -> None:
    """With them, word-planar trees may be lost (32 of them with five words); without them, none is."""
    for words, count in {1: 5, 2: 20, 3: 50, 4: 50, 5: 50, 6: 20}.items():
        for kind in KINDS:
            matrices = random_scores(kind, words, count, seed=3)
            check_against_all("one_endpoint_crossing", root, words, matrices, root_arcs=False, pruned=pruned)


@pytest.mark.kernel
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bonus", [0.0, 1.0, 30.0, 1000.0])
def test_one_root_is_exact_however_tempting_arcs_from_0_are(bonus: float, dtype: Any) -> None:
    """Beside the chart that counts arcs from 0: with all arcs, with few, and where only some words may be the root."""
    generator = np.random.default_rng(11)
    for words in (6, 12, 20):
        for allowed in (1.0, 0.6):
            scores = random_scores("normal", words, 1, seed=11)[0].astype(dtype)
            scores[0] += dtype(bonus)
            scores[1:][generator.random((words, words + 1)) > allowed] = -np.inf
            scores[0, generator.random(words + 1) > allowed] = -np.inf
            best = decoders.k_best(scores, "one_endpoint_crossing", 1, root="single")[0]
            for pruned in (True, False):
                found = one_endpoint_crossing(scores, root="single", pruned=pruned)
                assert (found.heads == 0).sum() == 1
                assert found.score == pytest.approx(best.score, abs=1e-3 if dtype == np.float32 else 1e-9)


@pytest.mark.exhaustive
def test_pruned_and_unpruned_agree(announce: list[str]) -> None:
    """More than 5,000 matrices of up to 40 words: the same score, and a tree of the class."""
    tested = 0
    lengths = {4: 60, 8: 60, 12: 50, 16: 40, 20: 30, 25: 20, 30: 8, 40: 4}
    for words, count in lengths.items():
        for kind in KINDS:
            matrices = random_scores(kind, words, count, seed=4)
            for root in ("any", "single"):
                for tree_class in ("projective", "one_endpoint_crossing"):
                    tested += check_pruning(tree_class, root, list(matrices))
    announce.append(f"pruned and unpruned agree on {tested:,} matrices")
    assert tested >= 5000


def check_pruning(tree_class: str, root: str, matrices: list[Any]) -> int:
    feasible = []
    for scores in matrices:
        if np.isfinite(scores).all() or outcome(tree_class, scores, root, pruned=True):
            feasible.append(scores)
        else:
            assert not outcome(tree_class, scores, root, pruned=False)
    pruned = decode(tree_class, feasible, root=root)
    unpruned = decode(tree_class, feasible, root=root, pruned=False)
    assert [tree.score for tree in pruned] == pytest.approx([tree.score for tree in unpruned], abs=1e-9)
    assert all_in_class(tree_class, pruned, root)
    assert all_in_class(tree_class, unpruned, root)
    return len(matrices)


def outcome(tree_class: str, scores: Any, root: str, pruned: bool) -> bool:
    try:
        decode(tree_class, scores, root=root, pruned=pruned)
    except DecodingError:
        return False
    return True


def test_pruned_and_unpruned_agree_without_root_arcs() -> None:
    for kind in KINDS:
        matrices = [scores for scores in random_scores(kind, 12, 6, seed=5) if kind != "forbidden"]
        for root in ("any", "single"):
            pruned = one_endpoint_crossing(matrices, root=root, root_arcs=False)
            unpruned = one_endpoint_crossing(matrices, root=root, root_arcs=False, pruned=False)
            assert [tree.score for tree in pruned] == pytest.approx([tree.score for tree in unpruned], abs=1e-9)
            assert all_in_class("one_endpoint_crossing", pruned, root, root_arcs=False)


def witnesses() -> list[list[int]]:
    """For every rule of the published program, trees that are lost without it."""
    rows = [line.split("\t") for line in WITNESSES.read_text().splitlines()[1:]]
    return [[int(head) for head in tree.split()] for row in rows for tree in row[3].split("|") if tree.strip()]


@pytest.mark.kernel
@pytest.mark.parametrize("pruned", [True, False])
def test_every_witness_is_found(pruned: bool) -> None:
    trees = witnesses()
    assert len(trees) > 150
    for heads in trees:
        scores = indicator(np.array([heads], np.int32))[0]
        found = one_endpoint_crossing(scores, pruned=pruned)
        assert found.heads.tolist() == heads
        assert found.score == len(heads)


def indicator(trees: Any) -> Any:
    """For every tree a matrix that has 1 for its arcs and 0 for others: the tree is the only best one."""
    count, words = trees.shape
    matrices = np.zeros((count, words + 1, words + 1), np.float32)
    matrices[np.arange(count)[:, None], trees, np.arange(1, words + 1)] = 1
    return matrices


@pytest.mark.slow
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5, 6, pytest.param(7, marks=pytest.mark.exhaustive)])
def test_what_can_be_derived_is_the_class(words: int) -> None:
    """A chart over the arcs of one tree, rewarded, finds the tree if and only if it is of the class."""
    classes_of_trees: tuple[TreeClass, ...] = ("projective", "one_endpoint_crossing")
    for tree_class in classes_of_trees:
        for trees in all_trees(words, at_once=1 << 16):
            classes = classify(trees.ravel(), offsets(trees))
            inside = ~classes.nonprojective if tree_class == "projective" else classes.one_endpoint_crossing
            found = best_batch(indicator(trees).ravel(), np.full(len(trees), words), tree_class, pruned=False)
            assert np.array_equal(found.totals == words, inside)


@pytest.mark.exhaustive
def test_trees_of_eight_words_are_derived() -> None:
    """With no arcs allowed but its own, a tree of the class is found: about 90,000, from every tenth tree."""
    derived = 0
    for trees in all_trees(8, at_once=1 << 17, step=10):
        classes = classify(trees.ravel(), offsets(trees))
        both: dict[TreeClass, Any] = {
            "projective": ~classes.nonprojective,
            "one_endpoint_crossing": classes.one_endpoint_crossing,
        }
        for tree_class, inside in both.items():
            chosen = trees[inside]
            derived += len(chosen)
            matrices = np.where(indicator(chosen) == 1, np.float32(1), np.float32(-np.inf))
            found = best_batch(matrices.ravel(), np.full(len(chosen), 8), tree_class, pruned=False)
            assert np.array_equal(found.heads.reshape(-1, 8), chosen)
    assert derived > 90_000


def mirrored(scores: Any) -> Any:
    order = [0, *range(len(scores) - 1, 0, -1)]
    return scores[np.ix_(order, order)]


@pytest.mark.kernel
@pytest.mark.parametrize("options", [{"root": "single"}, {"root": "any", "root_arcs": False}])
def test_the_mirrored_problem_has_the_mirrored_answer(options: dict[str, Any]) -> None:
    """Several rules show only on the right of a long sentence, since 0 stands on the left."""
    for words in (5, 8, 11, 14):
        for scores in random_scores("normal", words, 12, seed=6):
            found = one_endpoint_crossing(scores, pruned=False, **options)
            other = one_endpoint_crossing(mirrored(scores), pruned=False, **options)
            assert other.score == pytest.approx(found.score, abs=1e-9)
            heads = [0 if head == 0 else words + 1 - head for head in found.heads[::-1].tolist()]
            assert other.heads.tolist() == heads


@pytest.mark.slow
def test_the_plain_programs_agree() -> None:
    for words in (2, 4, 6, 8):
        for kind in ("normal", "ties", "peaked"):
            for scores in random_scores(kind, words, 3, seed=7):
                assert one_endpoint_crossing(scores).score == pytest.approx(published.best_arcs(scores)[0], abs=1e-9)
                assert projective(scores).score == pytest.approx(plain.eisner(scores), abs=1e-9)
                arcs = plain.best_spanning_tree(scores)
                assert spanning_tree(scores).score == pytest.approx(sum(scores[arc] for arc in arcs), abs=1e-9)


def test_the_plain_spanning_tree_agrees_on_long_sentences() -> None:
    for scores in random_scores("normal", 30, 5, seed=8):
        heads = {dependent: head for head, dependent in plain.best_spanning_tree(scores)}
        assert spanning_tree(scores).heads.tolist() == [heads[word] for word in range(1, 31)]


def test_the_published_program_lets_a_cycle_through() -> None:
    """Three words: 0 → 2, 1 → 3 and 3 → 1. The corrected program derives exactly the trees of the class."""
    cycle = frozenset({(0, 2), (1, 3), (3, 1)})
    assert cycle in published.derivable(3, corrected=False)
    for words in (1, 2, 3, 4, 5):
        trees = trees_of(words, "one_endpoint_crossing").tolist()
        sets = {frozenset((head, word) for word, head in enumerate(heads, start=1)) for heads in trees}
        assert published.derivable(words) == sets
        assert published.derivable(words, corrected=False) >= sets
    scores = np.zeros((4, 4))
    for arc in cycle:
        scores[arc] = 1
    assert published.best_arcs(scores, corrected=False)[0] == 3
    assert one_endpoint_crossing(scores, pruned=False).score == 2


@pytest.mark.kernel
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("root", ["any", "single"])
def test_sentences_side_by_side_do_not_disturb_each_other(root: str, dtype: Any) -> None:
    """Projective trees of many sentences are found several at a time: the very trees that come out one by one."""
    matrices = [
        scores.astype(dtype)
        for words in (0, 1, 2, 7, 30)
        for kind in ("normal", "ties", "sparse", "peaked")
        for scores in random_scores(kind, words, 5, seed=9)
    ]
    order = np.random.default_rng(1).permutation(len(matrices)).tolist()
    for pruned in (True, False):
        for threads in (1, 2):
            together = decode(
                "projective", [matrices[place] for place in order], root=root, pruned=pruned, threads=threads
            )
            for place, tree in zip(order, together, strict=True):
                alone = decode("projective", matrices[place], root=root, pruned=pruned)
                assert tree.heads.tolist() == alone.heads.tolist()
                assert tree.score == alone.score


@pytest.mark.kernel
def test_the_first_sentence_without_a_tree_is_named() -> None:
    matrices = list(random_scores("normal", 6, 12, seed=10))
    matrices[7][:, 3] = -np.inf
    matrices[9][1, 2] = np.nan
    with pytest.raises(DecodingError, match="sentence 8: no projective tree has allowed arcs only"):
        projective(matrices)
    with pytest.raises(DecodingError, match="sentence 2: the score of the arc from 1 to 2 is NaN"):
        projective(matrices[8:])
