"""What the decoders take, and what they refuse: batches, precisions, labels, and scores that cannot be used."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc import _kernel, decoders
from crossarc.decoders import (
    DecodingError,
    count_trees,
    k_best,
    log_partition,
    marginals,
    one_endpoint_crossing,
    projective,
    sample,
    spanning_tree,
)

from ..support.brute_force import CLASSES
from ..support.matrices import random_scores
from ..support.memory import PEAK

DECODERS: list[Any] = [spanning_tree, projective, one_endpoint_crossing]


def several() -> list[Any]:
    return [random_scores("normal", words, 1, seed=words)[0] for words in (3, 9, 1, 6, 14, 2, 5)]


def test_decoders_are_an_attribute_of_the_package() -> None:
    assert xa.decoders is decoders
    assert "decoders" in dir(xa)


@pytest.mark.kernel
@pytest.mark.parametrize("decode", DECODERS)
def test_batches_and_threads_change_nothing(decode: Any) -> None:
    matrices = several()
    alone = [decode(scores) for scores in matrices]
    padded = np.full((len(matrices), 17, 17), np.nan)
    for place, scores in enumerate(matrices):
        padded[place, : len(scores), : len(scores)] = scores
    lengths = [len(scores) - 1 for scores in matrices]
    for threads in (1, 2, 5):
        for found in (decode(matrices, threads=threads), decode(padded, lengths, threads=threads)):
            assert [tree.heads.tolist() for tree in found] == [tree.heads.tolist() for tree in alone]
            assert [tree.score for tree in found] == [tree.score for tree in alone]


@pytest.mark.kernel
@pytest.mark.parametrize("decode", DECODERS)
def test_single_precision_and_any_layout(decode: Any) -> None:
    for scores in several():
        single = scores.astype(np.float32)
        expected = decode(single.astype(np.float64), root="single")
        for form in (single, np.asfortranarray(single), np.repeat(np.repeat(single, 2, 0), 3, 1)[::2, ::3]):
            found = decode(form, root="single")
            assert found.score == pytest.approx(expected.score, rel=1e-5)
        assert decode(scores.astype(np.float16)).heads.dtype == np.int32
        assert decode(np.round(scores).astype(np.int64)).score == int(decode(np.round(scores)).score)


@pytest.mark.parametrize("decode", DECODERS)
def test_ties_are_broken_the_same_way_every_time(decode: Any) -> None:
    for words in (3, 8, 13):
        flat = np.zeros((words + 1, words + 1))
        found = [decode(flat, threads=threads).heads.tolist() for threads in (1, 2, 1)]
        assert found[0] == found[1] == found[2]


def test_what_points_at_the_root_or_at_itself_does_not_matter() -> None:
    scores = random_scores("normal", 6, 1, seed=1)[0]
    other = scores.copy()
    np.fill_diagonal(other, np.nan)
    other[:, 0] = np.inf
    for decode in DECODERS:
        assert decode(other).heads.tolist() == decode(scores).heads.tolist()


def test_no_words_and_no_sentences() -> None:
    for decode in DECODERS:
        found = decode(np.zeros((1, 1)))
        assert found.heads.tolist() == []
        assert found.score == 0
        assert decode([]) == []
    for tree_class in CLASSES:
        assert count_trees(0, tree_class) == 1
        assert log_partition(np.zeros((1, 1)), tree_class) == 0
        assert sample(np.zeros((1, 1)), tree_class, 3, seed=1).shape == (3, 0)


@pytest.mark.parametrize("decode", DECODERS)
def test_labels(decode: Any) -> None:
    """Each arc has its best label; the answer is that of the sums."""
    matrices = several()
    generator = np.random.default_rng(1)
    labels = [generator.normal(size=(*scores.shape, 4)) for scores in matrices]
    found = decode(matrices, labels=labels)
    for tree, scores, of_labels in zip(found, matrices, labels, strict=True):
        plain = decode(scores + of_labels.max(axis=-1))
        assert tree.heads.tolist() == plain.heads.tolist()
        assert tree.score == pytest.approx(plain.score)
        words = np.arange(1, len(scores))
        assert tree.labels.tolist() == of_labels[tree.heads, words].argmax(axis=-1).tolist()
    alone = decode(matrices[0], labels=labels[0])
    assert alone.labels.tolist() == found[0].labels.tolist()


def with_score(value: float) -> Any:
    scores = np.zeros((4, 4))
    scores[2, 3] = value
    return scores


FINE = np.zeros((3, 3))


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([FINE, with_score(np.nan)], "sentence 2: the score of the arc from 2 to 3 is NaN; -inf forbids an arc"),
        ([with_score(np.inf), FINE], "sentence 1: the score of the arc from 2 to 3 is +inf; -inf forbids an arc"),
        (with_score(np.nan), "the scores: the score of the arc from 2 to 3 is NaN; -inf forbids an arc"),
        ([FINE, np.full((3, 3), -np.inf)], "sentence 2: no .*tree.* has allowed arcs only; allow more arcs"),
        (np.zeros((3, 4)), "the scores: a matrix of scores is .* for n words, not 3 × 4"),
        ([FINE, np.zeros((3, 4))], "sentence 2: a matrix of scores is .* not 3 × 4"),
        (np.zeros(3), "the scores: a matrix of scores is .* not 3$"),
        (np.zeros((0, 0)), "the scores: a matrix of scores is .* not 0 × 0"),
        (np.zeros((2, 3, 3)), "need the lengths of the sentences"),
        ([["a", "b"], ["c", "d"]], "scores are numbers, not"),
        ([[0, 1], [0]], "scores are a square matrix of numbers"),
    ],
)
@pytest.mark.parametrize("decode", DECODERS)
def test_scores_that_cannot_be_used(decode: Any, scores: Any, message: str) -> None:
    with pytest.raises(DecodingError, match=message.replace("+inf;", r"\+inf;")):
        decode(scores)


def test_a_class_without_a_tree_is_named() -> None:
    """0 → 2, 2 → 4, 1 → 3 …: the only tree that is allowed is neither projective nor has it one root."""
    heads = [3, 0, 2, 0]
    scores = np.full((5, 5), -np.inf)
    scores[heads, [1, 2, 3, 4]] = 1
    scores[1, 2] = -np.inf
    with pytest.raises(DecodingError, match="no projective tree has"):
        projective(scores)
    with pytest.raises(DecodingError, match="no tree with a single root has"):
        spanning_tree(scores, root="single")
    assert spanning_tree(scores).heads.tolist() == heads
    assert one_endpoint_crossing(scores).heads.tolist() == heads


def test_arguments_that_cannot_be_used() -> None:
    wrong: Any = "planar"
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: log_partition(FINE, wrong), "no class of trees 'planar': take one of projective, one_endpoint"),
        (lambda: spanning_tree(FINE, root=wrong), "the root is 'any' or 'single', not 'planar'"),
        (lambda: k_best(FINE, "projective", 65), "k is from 1 to 64, not 65"),
        (lambda: k_best(FINE, "projective", 0), "k is from 1 to 64, not 0"),
        (lambda: sample(FINE, "projective", -1, seed=1), "0 or more, not -1"),
        (lambda: sample(FINE, "projective", 1, seed=-1), "a seed is"),
        (lambda: count_trees(-1, "projective"), "0 or more, not -1"),
        (lambda: sample([FINE, FINE], "projective", seed=1), "one sentence at a time"),  # type: ignore[list-item]
        (lambda: spanning_tree(FINE[None], [5]), "sentence 1: 5 words do not fit into scores for 2"),
        (lambda: spanning_tree(FINE[None], [2, 2]), "lengths are 1 whole numbers"),
        (lambda: spanning_tree([FINE], [2]), "the matrices of a list have their own"),  # type: ignore[call-overload]
        (lambda: spanning_tree(FINE, labels=np.zeros((2, 2, 4))), "scores of labels are"),
        (lambda: spanning_tree([FINE, FINE], labels=[np.zeros((3, 3, 4))]), "for as many sentences"),
        (lambda: marginals(np.full((3, 3), -np.inf), "projective"), "no projective tree"),
    ]
    for call, message in calls:
        with pytest.raises(DecodingError, match=message):
            call()


#: In a process of its own: how many MiB more a function takes than there were in use before.
MEMORY = f"""
import sys, numpy as np
from crossarc import decoders
{PEAK}
scores = np.random.default_rng(1).normal(size=(301, 301))
decoders.spanning_tree(scores)
before = peak()
getattr(decoders, sys.argv[1])(scores, "spanning_tree", threads=1)
print((peak() - before) // 1024)
"""


@pytest.mark.skipif(_kernel.sanitized, reason="sanitizers take memory of their own")
@pytest.mark.parametrize("function", ["log_partition", "marginals"])
def test_sums_over_all_trees_take_a_few_matrices(function: str) -> None:
    """One of 301 × 301 doubles is 0.7 MiB; as many as there are words would be 208."""
    done = subprocess.run([sys.executable, "-c", MEMORY, function], stdout=subprocess.PIPE, text=True, check=True)
    assert int(done.stdout) < 20


@pytest.mark.parametrize("function", [log_partition, marginals])
def test_a_chart_beyond_the_memory_is_refused(function: Any) -> None:
    scores = np.zeros((4001, 4001), np.float32)
    with pytest.raises(DecodingError, match=r"of 4000 words takes \d+ GiB of memory, and this machine has \d+"):
        function(scores, "one_endpoint_crossing")


def test_the_best_tree_beyond_the_memory_is_refused() -> None:
    with pytest.raises(DecodingError, match="a sentence of 4000 words takes"):
        one_endpoint_crossing(np.zeros((4001, 4001), np.float32), pruned=False)
