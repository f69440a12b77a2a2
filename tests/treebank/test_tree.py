"""Heads that are a tree, and heads that are not."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import crossarc as xa


def test_arcs_roots_and_children() -> None:
    tree = xa.Tree([2, 0, 2, 3], labels=["a", "b", "c", "d"])
    assert len(tree) == 4
    assert tree.arcs == [(2, 1), (0, 2), (2, 3), (3, 4)]
    assert tree.roots == [2]
    assert tree.children(2) == [1, 3]


@pytest.mark.kernel
@pytest.mark.parametrize("words", range(1, 6))
def test_the_number_of_trees_is_cayleys(words: int) -> None:
    """Labelled trees on 0…n rooted at 0: (n + 1)^(n - 1). Whatever else is refused."""
    trees = 0
    for heads in itertools.product(range(words + 1), repeat=words):
        try:
            xa.Tree(heads)
            trees += 1
        except xa.TreeError:
            continue
    assert trees == (words + 1) ** (words - 1)


def test_a_tree_is_a_value() -> None:
    tree, same, other = xa.Tree([0, 1]), xa.Tree(np.array([0, 1])), xa.Tree([2, 0])
    assert tree == same
    assert hash(tree) == hash(same)
    assert tree != other
    assert tree != xa.Tree([0, 1], labels=["a", "b"])
    assert eval(repr(tree), {"Tree": xa.Tree}) == tree
    with pytest.raises(AttributeError, match="does not change"):
        tree.heads = other.heads
    with pytest.raises(ValueError, match="read-only"):
        tree.heads[0] = 1


def test_no_words() -> None:
    assert xa.Tree([]).arcs == []


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([2, 3, 1], "the heads form a cycle: 1 ← 2 ← 3 ← 1"),
        ([0, 2], "word 2 is its own head"),
        ([0, 5], r"the head of word 2 is 5; heads are 0 \(the root\) to 2"),
        ([-1], "the head of word 1 is -1"),
        ([0.5], "a list of whole numbers"),
        ([[0]], "a list of whole numbers"),
        ([2**40], "heads are word numbers"),
    ],
)
def test_what_is_no_tree_says_why(heads: list[int], message: str) -> None:
    with pytest.raises(xa.TreeError, match=message):
        xa.Tree(heads)


def test_labels_and_forms_fit() -> None:
    with pytest.raises(xa.TreeError, match="1 labels for 2 words"):
        xa.Tree([0, 1], labels=["a"])
    with pytest.raises(xa.TreeError, match="3 forms for 2 words"):
        xa.Tree([0, 1], forms=["a", "b", "c"])
