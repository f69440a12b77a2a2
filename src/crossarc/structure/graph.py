"""Dependency graphs that need not be trees, and constraints on them (Gómez-Rodríguez & Nivre 2013, Definitions 1, 2).

A graph has nodes 1…n, or 0…n where the first token is the artificial root, and arcs without loops. A root is a node
without an incoming arc; an arc covers the nodes strictly between its ends. Every constraint costs O(n + arcs), more
than two planes what `crossarc.structure.planes` says.
"""

from __future__ import annotations

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Ids
from ..errors import CrossarcError
from .crossings import Arc, arc_arrays, arc_list, crossing_pairs, neighbours
from .heads import tree_heads
from .planes import BUDGET, PlanarityBounds, listed_planes, planes_of_arcs, warn_unless_exact


class GraphError(CrossarcError, ValueError):
    """Arcs that make no dependency graph."""


class Graph:
    """A dependency graph: a set of arcs (head, dependent). It does not change.

    >>> graph = Graph(3, [(1, 2), (3, 2)])
    >>> graph.single_head, graph.acyclic, graph.connected, graph.roots
    (False, True, True, [1, 3])
    """

    __slots__ = ("_dependents", "_heads", "first_node", "words")

    def __init__(self, words: int, arcs: Iterable[Arc], *, root_node: bool = False) -> None:
        """Make a graph over nodes 1…`words`, or 0…`words` with `root_node`. An arc given twice counts once."""
        if words < 0:
            raise GraphError(f"a graph has 0 words or more, not {words}")
        self.words = words
        self.first_node = 0 if root_node else 1
        unique = sorted({(int(head), int(dependent)) for head, dependent in arcs}, key=lambda arc: arc[::-1])
        for head, dependent in unique:
            if head == dependent:
                raise GraphError(f"word {head} is its own head")
            for node in (head, dependent):
                if not self.first_node <= node <= words:
                    raise GraphError(f"the arc from {head} to {dependent}: nodes are {self.first_node} to {words}")
        self._heads: Ids = np.array([head for head, _ in unique], np.int32)
        self._dependents: Ids = np.array([dependent for _, dependent in unique], np.int32)

    @classmethod
    def from_heads(cls, heads: ArrayLike, *, root_arcs: bool = False) -> Graph:
        """Make the graph of a tree: without the artificial root as in the article, or with it and its arcs."""
        tree = tree_heads(heads)
        return cls(len(tree), arc_list(*arc_arrays(tree, root_arcs)), root_node=root_arcs)

    @property
    def nodes(self) -> range:
        """All nodes from left to right."""
        return range(self.first_node, self.words + 1)

    @property
    def arcs(self) -> list[Arc]:
        """All arcs (head, dependent), by dependent, then by head."""
        return arc_list(self._heads, self._dependents)

    @property
    def roots(self) -> list[int]:
        """The nodes without an incoming arc."""
        return sorted({*self.nodes} - {*self._dependents.tolist()})

    # The constraints of Definition 2

    @property
    def single_head(self) -> bool:
        """Whether every node has at most one incoming arc."""
        return len(np.unique(self._dependents)) == len(self._dependents)

    @property
    def acyclic(self) -> bool:
        """Whether there is no directed cycle."""
        order: TopologicalSorter[int] = TopologicalSorter()
        for head, dependent in self.arcs:
            order.add(dependent, head)
        try:
            order.prepare()
        except CycleError:
            return False
        return True

    @property
    def connected(self) -> bool:
        """Whether every node can be reached from every other if directions are ignored."""
        linked: list[list[int]] = [[] for _ in range(self.words + 1)]
        for head, dependent in self.arcs:
            linked[head].append(dependent)
            linked[dependent].append(head)
        reached = set(self.nodes[:1])
        waiting = list(reached)
        while waiting:
            new = [node for node in linked[waiting.pop()] if node not in reached]
            reached.update(new)
            waiting += new
        return len(reached) == len(self.nodes)

    @property
    def forest(self) -> bool:
        """Whether it has single heads and no cycle (2010, Definition 2)."""
        return self.single_head and self.acyclic

    @property
    def tree(self) -> bool:
        """Whether all nodes are reached from one root by exactly one directed path each."""
        return self.forest and self.connected

    @property
    def planar(self) -> bool:
        """Whether no two arcs cross."""
        return self.planarity_bounds(budget=0).upper == 1

    @property
    def no_covered_roots(self) -> bool:
        """Whether no arc covers a root."""
        return not self.covered_roots

    @property
    def projective(self) -> bool:
        """Whether it is planar without covered roots: for trees, that every projection is an interval."""
        return self.planar and self.no_covered_roots

    # Crossings

    @property
    def covered_roots(self) -> list[int]:
        """The roots that lie strictly between the ends of some arc."""
        covering = np.zeros(self.words + 2, np.int64)
        np.add.at(covering, np.minimum(self._heads, self._dependents) + 1, 1)
        np.add.at(covering, np.maximum(self._heads, self._dependents), -1)
        covering = np.cumsum(covering)
        return [node for node in self.roots if covering[node] > 0]

    def crossings(self) -> list[tuple[Arc, Arc]]:
        """Return all pairs of arcs that cross."""
        return crossing_pairs(self._heads, self._dependents, self.words)

    def crossings_graph(self) -> dict[Arc, list[Arc]]:
        """Return for every arc the arcs that cross it."""
        return neighbours(self.arcs, self.crossings())

    def planarity_bounds(self, *, budget: int = BUDGET) -> PlanarityBounds:
        """Return the least number of planes as an interval."""
        return planes_of_arcs(self._heads, self._dependents, self.words, budget)[1]

    @property
    def planarity(self) -> int:
        """The least number of planes; where the budget ends before it is known, a warning and the lower bound."""
        bounds = self.planarity_bounds()
        warn_unless_exact(bounds)
        return bounds.lower

    def planes(self, k: int | None = None, *, budget: int = BUDGET) -> list[list[Arc]]:
        """Return the arcs on each plane; see `crossarc.structure.planes`."""
        return listed_planes(self._heads, self._dependents, self.words, k, budget)

    # A value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return (self.words, self.first_node, self.arcs) == (other.words, other.first_node, other.arcs)

    def __hash__(self) -> int:
        return hash((self.words, self.first_node, self._heads.tobytes(), self._dependents.tobytes()))

    def __repr__(self) -> str:
        root_node = ", root_node=True" if self.first_node == 0 else ""
        return f"Graph({self.words}, {self.arcs!r}{root_node})"
