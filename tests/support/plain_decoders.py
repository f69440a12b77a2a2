"""Eisner's program, the maximum branching and the matrix-tree theorem, plain and slow, straight from the papers."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


def eisner(scores: Scores) -> float:
    """The score of the best projective tree (Eisner 1996): spans headed at one end, complete or under an arc."""

    @lru_cache(None)
    def complete(left: int, right: int, head_left: bool) -> float:
        if left == right:
            return 0.0
        if head_left:
            return max(under_arc(left, k, T) + complete(k, right, T) for k in range(left + 1, right + 1))
        return max(complete(left, k, F) + under_arc(k, right, F) for k in range(left, right))

    @lru_cache(None)
    def under_arc(left: int, right: int, head_left: bool) -> float:
        arc = scores[left, right] if head_left else scores[right, left]
        if right == 0 or (left == 0 and not head_left):
            return -np.inf
        return float(arc + max(complete(left, k, T) + complete(k + 1, right, F) for k in range(left, right)))

    return complete(0, len(scores) - 1, T)


T, F = True, False


def maximum_branching(scores: dict[tuple[int, int], float], root: int) -> set[tuple[int, int]]:
    """The arcs of the best spanning tree (Edmonds 1967): contract a cycle of best arcs, solve the rest, expand it."""
    nodes = {node for arc in scores for node in arc} | {root}
    best = {
        node: max((arc for arc in scores if arc[1] == node and arc[0] != node), key=scores.__getitem__)
        for node in nodes - {root}
    }
    cycle = find_cycle({node: arc[0] for node, arc in best.items()})
    if not cycle:
        return set(best.values())
    contracted = max(nodes) + 1
    smaller: dict[tuple[int, int], float] = {}
    stands_for: dict[tuple[int, int], tuple[int, int]] = {}
    for (head, dependent), score in scores.items():
        if head in cycle and dependent in cycle:
            continue
        new = (contracted if head in cycle else head, contracted if dependent in cycle else dependent)
        value = score - scores[best[dependent]] if dependent in cycle else score
        if new not in smaller or value > smaller[new]:
            smaller[new], stands_for[new] = value, (head, dependent)
    chosen = {stands_for[arc] for arc in maximum_branching(smaller, root)}
    entered = {dependent for _, dependent in chosen}
    return chosen | {best[node] for node in cycle if node not in entered}


def find_cycle(heads: dict[int, int]) -> set[int]:
    for start in heads:
        seen: list[int] = []
        node = start
        while node in heads and node not in seen:
            seen.append(node)
            node = heads[node]
        if node in seen:
            return set(seen[seen.index(node) :])
    return set()


def best_spanning_tree(scores: Scores) -> set[tuple[int, int]]:
    width = len(scores)
    arcs = {(h, d): float(scores[h, d]) for h in range(width) for d in range(1, width) if h != d}
    return maximum_branching(arcs, 0)


def log_partition(scores: Scores, single_root: bool) -> float:
    """Of all spanning trees, as the determinant of the Laplacian (Koo et al. 2007)."""
    weights = np.exp(scores[1:, 1:])
    np.fill_diagonal(weights, 0)
    laplacian = np.diag(weights.sum(axis=0)) - weights
    if single_root:
        laplacian[0] = np.exp(scores[0, 1:])
    else:
        laplacian += np.diag(np.exp(scores[0, 1:]))
    return float(np.linalg.slogdet(laplacian)[1])
