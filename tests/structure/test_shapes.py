"""Trees whose classes are known from their shape, input that is no tree, and input made to be hard."""

from __future__ import annotations

import resource

import numpy as np
import pytest

import crossarc as xa
from crossarc import structure
from crossarc.structure import Graph, PlanarityError, PlanarityWarning, classify

from ..support import naive_structure as naive
from ..support.trees import clique, crossing_cycle, random_tree

pytestmark = pytest.mark.kernel

PROJECTIVE = {
    "no words": [],
    "one word": [0],
    "all roots": [0] * 9,
    "chain": list(range(9)),
    "chain to the left": [2, 3, 4, 5, 0],
    "star": [0] + [1] * 9,
    "star around its head": [3, 3, 0, 3, 3],
    "chain of 200": list(range(200)),
    "star of 200": [100] * 99 + [0] + [100] * 100,
}


@pytest.mark.parametrize("heads", PROJECTIVE.values(), ids=PROJECTIVE.keys())
def test_projective_shapes(heads: list[int]) -> None:
    assert structure.is_projective(heads)
    assert structure.is_planar(heads, root_arcs=True)
    assert structure.planarity(heads, root_arcs=True) == 1
    assert structure.planes(heads) == [[arc for arc in naive.arcs(heads) if arc[0] != 0]]
    assert structure.is_one_endpoint_crossing(heads)
    assert structure.is_gap_minding(heads)
    assert structure.gap_degree(heads) == structure.edge_degree(heads) == structure.gap_inheritance_degree(heads) == 0
    assert structure.crossings(heads, root_arcs=True) == []
    assert structure.nonprojective_arcs(heads) == []
    assert structure.covered_roots(heads) == []
    assert structure.lifts_needed(heads) == {}
    assert structure.lifts_histogram(heads) == {}


def test_a_covered_root_is_planar_without_root_arcs_only() -> None:
    heads = [3, 0, 0]
    assert structure.covered_roots(heads) == [2]
    assert structure.is_planar(heads)
    assert not structure.is_planar(heads, root_arcs=True)
    assert not structure.is_projective(heads)
    assert structure.planes(heads) == [[(3, 1)]]
    assert structure.planes(heads, root_arcs=True) == [[(0, 2), (0, 3)], [(3, 1)]]


def test_one_endpoint_crossing_trees_need_not_be_well_nested() -> None:
    heads = [0, 0, 1, 2]
    assert structure.is_one_endpoint_crossing(heads)
    assert not structure.is_well_nested(heads)


@pytest.mark.parametrize("k", range(2, 13))
def test_arcs_that_all_cross_need_a_plane_each(k: int) -> None:
    assert structure.planarity(clique(k)) == k
    assert [len(plane) for plane in structure.planes(clique(k))] == [1] * k


@pytest.mark.parametrize("k", range(4, 14))
def test_cycles_of_crossings_need_two_planes_or_three(k: int) -> None:
    graph = Graph(2 * k, crossing_cycle(k))
    assert len(graph.crossings()) == k
    assert all(len(crossing) == 2 for crossing in graph.crossings_graph().values())
    assert graph.planarity == (3 if k % 2 else 2)
    assert sorted(map(len, graph.planes()), reverse=True) == ([k // 2, k // 2, 1] if k % 2 else [k // 2, k // 2])


def test_more_planes_than_the_largest_clique() -> None:
    """Where the lower bound of the search is not the answer: a ring of chords of which five cannot share two planes."""
    graph = Graph(10, crossing_cycle(5))
    assert graph.planarity_bounds() == (3, 3)
    assert graph.planarity_bounds(budget=0).lower == 3


def test_so_many_planes_as_asked_for() -> None:
    heads = [3, 4, 0, 3]
    assert structure.planes(heads, 4) == [[(3, 1), (3, 4)], [(4, 2)], [], []]
    with pytest.raises(PlanarityError, match="1 planes were asked for, but the structure needs 2 planes"):
        structure.planes(heads, 1)


def test_a_long_random_tree_is_classified_in_bounded_memory() -> None:
    heads = random_tree(2_000, seed=1)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in KiB
    found = classify([heads])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 64 * 1024
    assert found.crossings[0] > 100_000
    assert 3 < found.planarity_lower[0] <= found.planarity_upper[0]
    assert found.lifts[0] > 0


def test_a_search_without_budget_gives_an_interval_and_a_warning() -> None:
    heads = random_tree(300, seed=2)
    bounds = structure.planarity_bounds(heads, budget=0)
    better = structure.planarity_bounds(heads, budget=1_000_000)
    assert bounds.lower <= better.lower <= better.upper <= bounds.upper
    assert not bounds.exact and str(bounds) == f"{bounds.lower} to {bounds.upper}"
    with pytest.warns(PlanarityWarning, match=f"at least {bounds.lower} and at most {bounds.upper} planes"):
        assert structure.planarity(heads, budget=0) == bounds.lower
    with pytest.warns(PlanarityWarning, match="for 1 sentences, the first is number 2"):
        classify([np.array([0]), heads], budget=0)


def test_trees_too_long_for_lifts_say_so() -> None:
    heads = np.arange(8_193, dtype=np.int32)
    assert classify([heads]).lifts.tolist() == [0]
    heads[-2:] = [8_190, 8_191]  # two arcs cross
    found = classify([heads])
    assert found.crossings[0] == 1 and found.lifts[0] == -1
    with pytest.raises(xa.CrossarcError, match="up to 8,192 words"):
        structure.lifts_needed(heads)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([2, 3, 1], "the heads form a cycle: 1 ← 2 ← 3 ← 1"),
        ([0, 2], "word 2 is its own head"),
        ([0, 3], "the head of word 2 is 3"),
        ([0, -2], "the head of word 2 is -2"),
        ([0.5], "whole numbers"),
        ([[0]], "whole numbers"),
        ([2**31], "word numbers"),
    ],
)
def test_what_is_no_tree_is_refused(heads: list[int], message: str) -> None:
    for function in (structure.is_projective, structure.crossings, structure.planarity, structure.blocks):
        arguments = (heads, 1) if function is structure.blocks else (heads,)
        with pytest.raises(xa.TreeError, match=message):
            function(*arguments)


def test_the_sentence_that_is_no_tree_is_named() -> None:
    with pytest.raises(xa.TreeError, match="sentence 3: the heads form a cycle: 1 ← 2 ← 1"):
        classify([[0], [0, 1], [2, 1]] + [[0]] * 1000 + [[2, 1]], threads=2)
    with pytest.raises(xa.MissingHeadsError, match="sentence 2 has no heads: parse it first"):
        classify([[0], [-1, -1]])
    text = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n# sent_id = here\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    with pytest.raises(xa.MissingHeadsError, match="sentence here has no heads"):
        classify(xa.from_text(text))


def test_arrays_of_no_sentences_and_wrong_offsets() -> None:
    assert len(classify([])) == 0
    assert len(classify([[], [0]])) == 2
    with pytest.raises(xa.CrossarcError, match="offsets"):
        classify([0, 1], [0, 1])
    with pytest.raises(xa.CrossarcError, match="budget"):
        classify([[0]], budget=-1)


def test_pencils_of_arcs_that_are_not_there() -> None:
    with pytest.raises(xa.CrossarcError, match="no arc from 1 to 2"):
        structure.pencil([0, 3, 1], (1, 2))
    with pytest.raises(xa.CrossarcError, match="does not count"):
        structure.pencil([0, 3, 1], (0, 1), root_arcs=False)
    with pytest.raises(xa.CrossarcError, match="no word 4"):
        structure.blocks([0, 3, 1], 4)
