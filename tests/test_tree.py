"""Heads that are a tree and heads that are not; each question reaches its module with the papers' defaults."""

from __future__ import annotations

import doctest
import itertools
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
import crossarc.tree

# N1 N2 N3 V1 V2 V3: three verbs and their subjects in the same order, all three arcs cross each other.
CLUSTER = xa.Tree([4, 5, 6, 0, 4, 5], labels=["a", "b", "c", "root", "d", "e"], forms=list("uvwxyz"))
# Word 2 is the root, and the arc from 3 to 1 passes over it.
COVERED = xa.Tree([3, 0, 2])


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


def test_a_cross_serial_cluster() -> None:
    assert not CLUSTER.is_projective
    assert not CLUSTER.is_planar
    assert CLUSTER.planarity == 3
    assert CLUSTER.crossings() == [((4, 1), (5, 2)), ((4, 1), (6, 3)), ((5, 2), (6, 3))]
    assert CLUSTER.crossings_graph()[(4, 1)] == [(5, 2), (6, 3)]
    assert [len(plane) for plane in CLUSTER.planes()] == [3, 1, 1]
    assert not CLUSTER.is_one_endpoint_crossing
    assert CLUSTER.pencil((4, 1)) == [(5, 2), (6, 3)]
    assert CLUSTER.is_well_nested
    assert (CLUSTER.gap_degree, CLUSTER.block_degree) == (1, 2)
    assert CLUSTER.blocks(5) == [(2, 3), (5, 6)]
    assert CLUSTER.nonprojective_arcs == [(5, 2), (6, 3)]


def test_a_covered_root_is_planar_but_not_projective() -> None:
    assert COVERED.is_planar
    assert not COVERED.is_projective
    assert COVERED.covered_roots == [2]
    assert COVERED.crossings() == []
    assert COVERED.crossings(root_arcs=True) == [((0, 2), (3, 1))]
    assert COVERED.lifts_needed == {(3, 1): 1}
    assert COVERED.edge_degree == 1
    assert COVERED.is_gap_minding
    assert COVERED.gap_inheritance_degree == 0


def test_a_tree_that_does_not_fit_on_two_planes_says_so() -> None:
    with pytest.raises(xa.CrossarcError, match="2 planes were asked for, but the structure needs 3 planes"):
        CLUSTER.planes(2)


@pytest.mark.parametrize("suffix", [".svg", ".html", ".tex", ".txt"])
def test_drawing_into_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"tree{suffix}"
    CLUSTER.draw(path)
    assert path.stat().st_size > 100


def test_drawing_shows_itself_in_a_notebook() -> None:
    drawing = CLUSTER.draw()
    assert drawing is not None
    assert drawing.startswith("<svg")
    assert CLUSTER._repr_svg_() == drawing
    sentence = xa.sample(1)[0]
    assert "<svg" in sentence._repr_html_()


def test_examples_in_the_docstring() -> None:
    assert doctest.testmod(crossarc.tree).failed == 0


@pytest.mark.parametrize("name", ["labels", "forms"])
def test_labels_and_forms_are_texts(name: str) -> None:
    for wrong in (["a", "\ud800"], ["a", 5], ["a", None]):
        with pytest.raises(xa.TreeError, match=rf"^{name} are texts that UTF-8 can hold; that of word 2 is "):
            xa.Tree([0, 1], **{name: wrong})  # type: ignore[arg-type]
    with pytest.raises(xa.TreeError, match=rf"^{name} are a list of texts, one for each word, not one text$"):
        xa.Tree([0, 1], **{name: "ab"})
