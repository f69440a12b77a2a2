"""What Pitler, Kannan & Marcus 2013 prove of 1-Endpoint-Crossing trees: Lemmas 1 to 3, Theorem 1, the certificate."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise

import pytest

from crossarc import structure

from ..support import naive_structure as naive
from ..support.trees import all_trees, offsets

Arc = tuple[int, int]
WORDS = 5


def pencils(arcs: list[Arc]) -> dict[Arc, list[Arc]]:
    return {arc: [other for other in arcs if naive.cross(arc, other)] for arc in arcs}


def is_one_endpoint_crossing(graph: dict[Arc, list[Arc]]) -> bool:
    return all(set(crossing[0]).intersection(*crossing[1:]) for crossing in graph.values() if crossing)


def trees(words: int, step: int = 1) -> Iterator[tuple[dict[Arc, list[Arc]], bool]]:
    """The arcs of every so many trees with those that cross them, and whether the tree is of the class."""
    for block in all_trees(words, step=step):
        flags = structure.classify(block.reshape(-1), offsets(block)).one_endpoint_crossing
        for heads, flag in zip(block.tolist(), flags.tolist(), strict=True):
            yield pencils(naive.arcs(heads)), flag


def test_three_arcs_show_that_a_tree_is_not_of_the_class() -> None:
    """Section 6: two arcs without a common end that both cross a third; no tree of the class has such three."""
    seen = set()
    for words in range(1, WORDS + 1):
        for graph, is_of_the_class in trees(words):
            shown = any(
                not set(one) & set(other) for crossing in graph.values() for one, other in combinations(crossing, 2)
            )
            assert shown is not is_of_the_class
            seen.add(shown)
    assert seen == {True, False}


def is_isolated(arcs: list[Arc], left: int, right: int, outside: int) -> bool:
    """Whether [left, right] and one vertex outside of it are an isolated crossing region (Definition 9)."""
    allowed = {*range(left, right + 1), outside}
    inside = range(left + 1, right)
    if any((a in inside and b not in allowed) or (b in inside and a not in allowed) for a, b in arcs):
        return False
    leaving = [arc for arc in arcs if outside in arc and (arc[0] in inside or arc[1] in inside)]
    interior = [arc for arc in arcs if arc[0] in inside and arc[1] in inside]
    return not any(naive.cross(one, other) for one in leaving for other in interior)


def test_lemma_1_an_arc_and_its_crossing_point_make_two_isolated_regions() -> None:
    regions = 0
    for graph, is_of_the_class in (*trees(WORDS), *trees(7, step=101)):
        for arc, crossing in graph.items():
            if is_of_the_class and crossing:
                for point in set(crossing[0]).intersection(*crossing[1:]):
                    left, middle, right = sorted((*arc, point))
                    assert is_isolated([*graph], left, middle, right)
                    assert is_isolated([*graph], middle, right, left)
                    regions += 2
    assert regions


def test_lemma_2_no_three_arcs_cross_each_other() -> None:
    for graph, is_of_the_class in (*trees(WORDS), *trees(7, step=101)):
        if is_of_the_class:
            assert not any(two in graph[one] for crossing in graph.values() for one, two in combinations(crossing, 2))


def odd_cycles(graph: dict[Arc, list[Arc]], longest: int) -> Iterator[list[Arc]]:
    """Simple cycles of odd length, each from its first arc on."""
    waiting = [[arc] for arc in graph]
    while waiting:
        path = waiting.pop()
        if len(path) % 2 and len(path) > 2 and path[0] in graph[path[-1]]:
            yield path
        if len(path) < longest:
            waiting += [[*path, arc] for arc in graph[path[-1]] if arc > path[0] and arc not in path]


@pytest.mark.slow
def test_lemma_3_odd_cycles_of_crossings_use_no_more_vertices_than_arcs() -> None:
    """In trees there are none (Theorem 1); of the proof's counting only crossings matter, so that graphs show it."""
    number = 0
    for vertices in (5, 6):
        possible = [(a, b) for a, b in combinations(range(1, vertices + 1), 2) if b - a > 1 and (a, b) != (1, vertices)]
        for chosen in range(1 << len(possible)):
            graph = pencils([arc for bit, arc in enumerate(possible) if chosen >> bit & 1])
            if is_one_endpoint_crossing(graph):
                for cycle in odd_cycles(graph, len(possible)):
                    assert len(cycle) >= 5  # Lemma 2
                    assert len({end for arc in cycle for end in arc}) <= len(cycle)
                    assert all(two in graph[one] for one, two in pairwise(cycle))
                    number += 1
    assert number  # the five chords of a pentagon to begin with


@pytest.mark.parametrize("words", [1, 2, 3, 4, 5, 6, pytest.param(7, marks=pytest.mark.slow)])
def test_theorem_1_trees_of_the_class_are_2_planar(words: int) -> None:
    """All trees, with arcs from the root and without; from five words on not all 2-planar trees are of the class."""
    more = 0
    for block in all_trees(words):
        for root_arcs in (False, True):
            found = structure.classify(block.reshape(-1), offsets(block), root_arcs=root_arcs)
            flags = found.one_endpoint_crossing if root_arcs else found.one_endpoint_crossing_without_root
            assert not (flags & found.not_k_planar(2)).any()
            more += int((~flags & found.k_planar(2)).sum()) if root_arcs else 0
    assert (more > 0) is (words >= 5)
