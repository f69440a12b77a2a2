"""Random trees against every definition taken literally."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc import structure
from crossarc.structure.projections import projection

from ..support import naive_structure as naive
from ..support.trees import arc_sets, random_tree, trees

pytestmark = pytest.mark.kernel


@given(trees(), st.booleans())
def test_crossings(heads: list[int], root_arcs: bool) -> None:
    pairs = structure.crossings(heads, root_arcs=root_arcs)
    assert {frozenset(pair) for pair in pairs} == naive.crossings(heads, root_arcs)
    assert len(pairs) == len(naive.crossings(heads, root_arcs))
    assert all(min(one) < min(other) for one, other in pairs)
    assert structure.is_planar(heads, root_arcs=root_arcs) == (not pairs)
    graph = structure.crossings_graph(heads, root_arcs=root_arcs)
    assert graph == {arc: naive.pencil(heads, arc, root_arcs) for arc in naive.arcs(heads, root_arcs)}


@given(trees(9), st.booleans())
def test_planarity(heads: list[int], root_arcs: bool) -> None:
    least = naive.planarity(naive.arcs(heads, root_arcs))
    assert structure.planarity(heads, root_arcs=root_arcs) == least
    assert structure.planarity_bounds(heads, root_arcs=root_arcs) == (least, least)


@given(trees(), st.booleans())
def test_planes_are_planar_and_use_the_second_as_little_as_possible(heads: list[int], root_arcs: bool) -> None:
    arcs = naive.arcs(heads, root_arcs)
    planes = structure.planes(heads, root_arcs=root_arcs)
    assert sorted(arc for plane in planes for arc in plane) == sorted(arcs)
    assert not any(naive.cross(one, other) for plane in planes for one in plane for other in plane)
    assert len(planes) == 1 or all(planes)
    if len(planes) == 2:
        assert len(planes[1]) == naive.least_second_plane(arcs)
    numbers, bounds = structure.plane_numbers(heads, root_arcs=root_arcs)
    assert bounds.upper == len(planes)
    assert planes == [[arc for arc in arcs if numbers[arc[1] - 1] == plane] for plane in range(len(planes))]


@given(trees())
def test_one_endpoint_crossing(heads: list[int]) -> None:
    for root_arcs in (False, True):
        expected = naive.is_one_endpoint_crossing(heads, root_arcs)
        assert structure.is_one_endpoint_crossing(heads, root_arcs=root_arcs) == expected
        for arc in naive.arcs(heads, root_arcs):
            crossing = naive.pencil(heads, arc, root_arcs)
            assert structure.pencil(heads, arc, root_arcs=root_arcs) == crossing
            points = structure.pencil_points(heads, arc, root_arcs=root_arcs)
            assert all(point in other for point in points for other in crossing)
            assert bool(points) or not crossing or not expected
    assert structure.is_one_endpoint_crossing(heads) == naive.is_one_endpoint_crossing(heads, True)


@given(trees())
def test_gaps_and_nesting(heads: list[int]) -> None:
    assert structure.gap_degree(heads) == naive.gap_degree(heads)
    assert structure.block_degree(heads) == naive.gap_degree(heads) + 1
    assert structure.is_well_nested(heads) == naive.is_well_nested(heads)
    assert structure.gap_inheritance_degree(heads) == naive.gap_inheritance_degree(heads)
    assert structure.is_gap_minding(heads) == naive.is_gap_minding(heads)
    for word in range(len(heads) + 1):
        blocks = structure.blocks(heads, word)
        members = [member for first, last in blocks for member in range(first, last + 1)]
        assert members == sorted(naive.projection(heads, word)) == projection(heads, word)
        assert len(blocks) == naive.block_count(set(members))


@given(trees())
def test_projectivity(heads: list[int]) -> None:
    assert structure.is_projective(heads) == naive.is_projective(heads)
    assert structure.is_projective(heads) == structure.is_planar(heads, root_arcs=True)
    expected = [arc for arc in naive.arcs(heads) if naive.is_nonprojective(heads, arc)]
    assert structure.nonprojective_arcs(heads) == expected
    assert structure.edge_degree(heads) == naive.edge_degree(heads)
    assert structure.covered_roots(heads) == naive.covered_roots(heads)


@given(trees())
def test_lifts(heads: list[int]) -> None:
    _, lifts = naive.projectivize(heads)
    expected = {arc: lifts[arc[1] - 1] for arc in naive.arcs(heads) if lifts[arc[1] - 1]}
    assert structure.lifts_needed(heads) == expected
    assert sum(structure.lifts_histogram(heads).values()) == len(expected)


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(trees(14), min_size=1, max_size=4), st.booleans())
def test_short_and_long_sentences_are_treated_alike(short: list[list[int]], root_arcs: bool) -> None:
    """Up to 64 words have a kernel of their own; single roots around a sentence change nothing but its length."""
    before, after = 58, 64  # so that the sentence lies across the border between the first 64 words and the next
    long = [[0] * before + [head and head + before for head in heads] + [0] * after for heads in short]
    one, other = structure.classify(short, root_arcs=root_arcs), structure.classify(long, root_arcs=root_arcs)
    own = np.concatenate([np.repeat([False, True, False], [before, len(heads), after]) for heads in short])
    for name, values in vars(one).items():
        if name not in ("root_arcs", "word_offsets"):
            found = getattr(other, name)
            assert np.array_equal(values, found[own] if name.startswith("arc_") else found), name


@settings(max_examples=10)
@pytest.mark.filterwarnings("ignore::crossarc.structure.PlanarityWarning")
@given(st.integers(60, 140), st.integers(0, 2**32))
def test_sentences_of_more_than_64_words(words: int, seed: int) -> None:
    heads = random_tree(words, seed).tolist()
    assert {frozenset(pair) for pair in structure.crossings(heads)} == naive.crossings(heads, False)
    counts = structure.classify([heads], root_arcs=True)
    assert counts.crossings[0] == len(naive.crossings(heads, True))
    assert counts.arc_crossings.tolist() == [len(naive.pencil(heads, arc, True)) for arc in naive.arcs(heads)]
    assert counts.gap_degree[0] == naive.gap_degree(heads)
    assert counts.edge_degree[0] == naive.edge_degree(heads)
    assert counts.gap_inheritance_degree[0] == naive.gap_inheritance_degree(heads)
    assert structure.nonprojective_arcs(heads) == [a for a in naive.arcs(heads) if naive.is_nonprojective(heads, a)]


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(60, 140), st.integers(1, 6), st.integers(0, 2**32))
def test_long_sentences_with_few_crossings(words: int, swaps: int, seed: int) -> None:
    """Mildly non-projective classes, which a random long tree is never in."""
    heads = _nearly_chain(words, swaps, seed)
    found = structure.classify([heads])
    assert found.well_nested[0] == naive_well_nested_by_siblings(heads)
    assert found.one_endpoint_crossing[0] == naive.is_one_endpoint_crossing(heads, True)
    assert found.one_endpoint_crossing_without_root[0] == naive.is_one_endpoint_crossing(heads, False)
    assert found.gap_degree[0] == naive.gap_degree(heads)
    assert found.gap_inheritance_degree[0] == naive.gap_inheritance_degree(heads)
    assert found.arc_lifts.tolist() == naive.projectivize(heads)[1]


def _nearly_chain(words: int, swaps: int, seed: int) -> list[int]:
    # A chain read from left to right, some of whose words hang on a word a few places off instead.
    heads = list(range(words))
    for place in random_tree(words, seed)[:swaps].tolist():
        word = max(place, 1)
        heads[word - 1] = max(0, word - 3 - seed % 3)
    return heads


def naive_well_nested_by_siblings(heads: list[int]) -> bool:
    gapped = [word for word in range(1, len(heads) + 1) if naive.block_count(naive.projection(heads, word)) > 1]
    subtrees = [naive.projection(heads, word) for word in gapped]
    return not any(
        not (one & other) and naive.interleave(one, other) for one in subtrees for other in subtrees if one is not other
    )


@given(arc_sets())
def test_planes_of_graphs(graph: tuple[int, list[tuple[int, int]]]) -> None:
    words, arcs = graph
    made = structure.Graph(words, arcs)
    assert made.planarity == naive.planarity(made.arcs)
    assert made.planar == (not made.crossings())
    planes = made.planes()
    assert not any(naive.cross(one, other) for plane in planes for one in plane for other in plane)
    assert sorted(arc for plane in planes for arc in plane) == sorted(made.arcs)
