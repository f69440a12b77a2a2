"""Lifting: always projective, exactly as the 2005 paper says, for every small tree, many random ones and long ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crossarc import MissingHeadsError, TreeError, _kernel, classify
from crossarc.encodings import COVERED_ROOTS, LIFT_ORDERS, EncodingError, PseudoProjective

from ..support import naive_encodings as naive
from ..support.trees import all_trees, offsets, trees

Heads = NDArray[np.int32]


def lift(
    heads: Heads, word_offsets: NDArray[np.int64], order: str = "shortest", covered_roots: str = "none"
) -> tuple[Heads, NDArray[np.uint8]]:
    lifted, marks, fault = _kernel.lift(
        heads, word_offsets, _kernel.LiftOrder[order], _kernel.CoveredRoots[covered_roots], 0
    )
    assert fault is None
    return lifted, marks


def random_trees(words: int, count: int, seed: int) -> Heads:
    """Words in a random order, each below one that came before it or below the root."""
    generator = np.random.default_rng(seed)
    order = generator.random((count, words)).argsort(axis=1).astype(np.int32) + 1
    above = (generator.random((count, words)) * np.arange(1, words + 1)).astype(np.int32)
    rows = np.arange(count)[:, None]
    heads = np.zeros((count, words), np.int32)
    heads[rows, order - 1] = np.concatenate([np.zeros((count, 1), np.int32), order], axis=1)[rows, above]
    return heads


@pytest.mark.slow
def test_every_tree_of_up_to_7_words_becomes_projective_by_the_lifts_that_are_needed() -> None:
    for words in range(1, 8):
        for trees_ in all_trees(words):
            heads, starts = trees_.reshape(-1), offsets(trees_)
            before = classify(heads, starts)
            for order in LIFT_ORDERS:
                for covered_roots in COVERED_ROOTS:
                    lifted, marks = lift(heads, starts, order, covered_roots)
                    assert not classify(lifted, starts).nonprojective.any()
                    untouched = np.repeat(~before.nonprojective, words)
                    assert np.array_equal(lifted[untouched], heads[untouched])
                    assert not marks[untouched].any()
            lifted, marks = lift(heads, starts)
            assert np.array_equal(marks & naive.LIFTED > 0, before.arc_lifts > 0)


@pytest.mark.exhaustive
def test_a_million_random_trees_become_projective() -> None:
    count = 0
    for words in range(1, 61):
        trees_ = random_trees(words, 16_667, words)
        starts = offsets(trees_)
        lifted, marks = lift(trees_.reshape(-1), starts)
        assert not classify(lifted, starts).crossings.any()
        moved = lifted != trees_.reshape(-1)
        assert np.array_equal(moved, marks & naive.LIFTED > 0)
        count += len(trees_)
    assert count >= 1_000_000


@pytest.mark.kernel
@settings(max_examples=150)
@given(trees(max_words=11), st.sampled_from(LIFT_ORDERS), st.sampled_from(COVERED_ROOTS))
def test_lifting_is_the_algorithm_of_the_paper(heads: list[int], order: str, covered_roots: str) -> None:
    lifted, marks = lift(np.array(heads, np.int32), np.array([0, len(heads)]), order, covered_roots)
    assert (lifted.tolist(), marks.tolist()) == naive.lift(heads, order, covered_roots)


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("words", "order", "covered_roots"),
    [
        *((65, order, covered_roots) for order in LIFT_ORDERS for covered_roots in COVERED_ROOTS),
        (129, LIFT_ORDERS[0], COVERED_ROOTS[0]),
    ],
)
def test_long_trees_are_lifted_as_the_paper_says(words: int, order: str, covered_roots: str) -> None:
    """Trees of more than 64 words have sets of several machine words."""
    for heads in random_trees(words, 1, words):
        lifted, marks = lift(heads, np.array([0, words]), order, covered_roots)
        assert (lifted.tolist(), marks.tolist()) == naive.lift(heads.tolist(), order, covered_roots)


@pytest.mark.kernel
@pytest.mark.parametrize("order", LIFT_ORDERS)
def test_very_long_trees_are_lifted_without_sets(order: str) -> None:
    """As the same tree alone: single roots behind it change nothing but its length."""
    for heads in random_trees(200, 5, 1):
        alone, marks = lift(heads, np.array([0, 200]), order)
        padded = np.concatenate([heads, np.zeros(16_400, np.int32)])
        lifted, marks_in_padded = lift(padded, np.array([0, len(padded)]), order)
        assert np.array_equal(lifted, np.concatenate([alone, np.zeros(16_400, np.int32)]))
        assert np.array_equal(marks_in_padded, np.concatenate([marks, np.zeros(16_400, np.uint8)]))


@pytest.mark.kernel
@pytest.mark.parametrize("order", LIFT_ORDERS)
def test_trees_of_any_length(order: str) -> None:
    """No limit on the length, and memory that grows with it: n²/8 bytes would be 5 GB here."""
    words = 200_000
    heads = np.arange(words, dtype=np.int32)  # a chain of words, each below the one on its left
    skipped = np.arange(1000, words, 1000)
    heads[skipped] = skipped + 3  # but some below one further on, past a word that is above both
    heads[skipped + 1] = skipped
    starts = np.array([0, words], np.int64)
    lifted, marks = lift(heads, starts, order)
    assert not classify(lifted, starts).nonprojective.any()
    assert np.flatnonzero(marks & naive.LIFTED).tolist() == skipped.tolist()


def test_threads_do_not_change_the_result() -> None:
    trees_ = random_trees(20, 2000, 7)
    heads, starts = trees_.reshape(-1), offsets(trees_)
    one, marks, _ = _kernel.lift(heads, starts, _kernel.LiftOrder.shortest, _kernel.CoveredRoots.none, 1)
    three, same_marks, _ = _kernel.lift(heads, starts, _kernel.LiftOrder.shortest, _kernel.CoveredRoots.none, 3)
    assert np.array_equal(one, three)
    assert np.array_equal(marks, same_marks)


@pytest.mark.kernel
def test_heads_that_are_no_trees_are_refused() -> None:
    encoding = PseudoProjective(labels=("a",), encoded_labels=("a",))
    for heads, message in [([2, 1], "cycle"), ([3, 0], "head of word 1 is 3"), ([-2, 0], "head of word 1 is -2")]:
        with pytest.raises(TreeError, match=f"sentence 1: .*{message}"):
            encoding.encode_arrays(heads, [0, 0], [0, 2])
        with pytest.raises(TreeError, match=message):
            encoding.restore_arrays(heads, [0, 0], [0, 2])
    with pytest.raises(MissingHeadsError):
        encoding.encode_arrays([-1, -1], [0, 0], [0, 2])
    with pytest.raises(EncodingError, match="labels are numbers from 0 to 0"):
        encoding.encode_arrays([0, 1], [0, 1], [0, 2])
    with pytest.raises(EncodingError, match="1 labels for 2 arcs"):
        encoding.encode_arrays([0, 1], [0], [0, 2])
    with pytest.raises(EncodingError, match="offsets"):
        encoding.restore_arrays([0, 1], [0, 0], [0, 3])
    two, one, marks, starts = np.zeros(2, np.int32), np.zeros(1, np.int32), np.zeros(2, np.uint8), np.array([0, 2])
    with pytest.raises(ValueError, match="every column"):
        _kernel.lower(two, one, two, marks, starts, _kernel.Scheme.head, _kernel.Search.first, 1)
    with pytest.raises(EncodingError, match="lift_order is one of shortest, deepest, not 'foot'"):
        PseudoProjective(lift_order="foot")
