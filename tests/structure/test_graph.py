"""Graphs that need not be trees: the constraints of the 2013 article."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given

from crossarc.structure import Graph, GraphError, is_planar, is_projective

from ..support import naive_structure as naive
from ..support.trees import all_trees, arc_sets, trees


@given(trees())
def test_a_tree_as_a_graph(heads: list[int]) -> None:
    graph = Graph.from_heads(heads)
    with_root = Graph.from_heads(heads, root_arcs=True)
    assert graph.forest and with_root.tree
    assert graph.tree == graph.connected == (heads.count(0) == 1)
    assert graph.roots == [word for word, head in enumerate(heads, 1) if head == 0]
    assert with_root.roots == [0]
    assert graph.planar == is_planar(heads)
    assert graph.covered_roots == naive.covered_roots(heads)
    assert graph.projective == with_root.projective == is_projective(heads)


def _paths(graph: Graph) -> set[tuple[int, int]]:
    reach = set(graph.arcs)
    while more := {(a, d) for (a, b), (c, d) in product(reach, reach) if b == c} - reach:
        reach |= more
    return reach


@given(arc_sets(6, 7))
def test_constraints(drawn: tuple[int, list[tuple[int, int]]]) -> None:
    graph = Graph(*drawn)
    dependents = [dependent for _, dependent in graph.arcs]
    assert graph.single_head == (len(set(dependents)) == len(dependents))
    assert graph.acyclic == all(head != dependent for head, dependent in _paths(graph))
    both_ways = Graph(graph.words, [*graph.arcs, *((dependent, head) for head, dependent in graph.arcs)])
    linked = _paths(both_ways)
    assert graph.connected == all(pair in linked for pair in combinations(graph.nodes, 2))
    assert graph.tree == (graph.single_head and graph.acyclic and graph.connected)
    assert graph.planar == (not any(naive.cross(*pair) for pair in combinations(graph.arcs, 2)))
    covered = [root for root in graph.roots if any(root in naive.between(arc) for arc in graph.arcs)]
    assert graph.covered_roots == covered
    assert graph.no_covered_roots == (not covered)


def test_a_tree_has_at_most_one_covered_root() -> None:
    """As the article remarks: the one root that it has."""
    for portion in all_trees(5):
        for heads in portion[(portion == 0).sum(axis=1) == 1]:
            assert len(Graph.from_heads(heads).covered_roots) <= 1


def test_a_graph_is_a_value() -> None:
    graph = Graph(3, [(1, 3), (1, 2), (1, 3)])
    assert graph == Graph(3, [(1, 2), (1, 3)]) != Graph(4, [(1, 2), (1, 3)])
    assert hash(graph) == hash(Graph(3, [(1, 2), (1, 3)]))
    assert eval(repr(graph)) == graph
    assert repr(Graph(1, [(0, 1)], root_node=True)) == "Graph(1, [(0, 1)], root_node=True)"
    assert Graph(0, []).tree and Graph(1, []).tree and not Graph(2, []).connected


@pytest.mark.parametrize(
    ("words", "arcs", "message"),
    [
        (2, [(1, 1)], "word 1 is its own head"),
        (2, [(1, 3)], "from 1 to 3: nodes are 1 to 2"),
        (2, [(0, 1)], "from 0 to 1: nodes are 1 to 2"),
        (-1, [], "0 words or more"),
    ],
)
def test_what_is_no_graph_is_refused(words: int, arcs: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Graph(words, arcs)
