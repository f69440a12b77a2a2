"""The public tree: each question reaches the module that knows, with the papers' defaults."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import crossarc as xa
import crossarc.tree

# N1 N2 N3 V1 V2 V3: three verbs and their subjects in the same order, all three arcs cross each other.
CLUSTER = xa.Tree([4, 5, 6, 0, 4, 5], labels=["a", "b", "c", "root", "d", "e"], forms=list("uvwxyz"))
# Word 2 is the root, and the arc from 3 to 1 passes over it.
COVERED = xa.Tree([3, 0, 2])


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
    assert CLUSTER.nonprojective_arcs() == [(5, 2), (6, 3)]


def test_a_covered_root_is_planar_but_not_projective() -> None:
    assert COVERED.is_planar
    assert not COVERED.is_projective
    assert COVERED.covered_roots() == [2]
    assert COVERED.crossings() == []
    assert COVERED.crossings(root_arcs=True) == [((0, 2), (3, 1))]
    assert COVERED.lifts_needed() == {(3, 1): 1}
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
