"""Classes of graphs straight from their definitions, for sets of arcs (head, dependent) on the words 1 … n."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from .naive_structure import cross, is_colourable
from .plain_machine import Arcs, component, reached


def single_head(arcs: Arcs) -> bool:
    return max(Counter(dependent for _, dependent in arcs).values(), default=0) <= 1


def acyclic(arcs: Arcs) -> bool:
    """No cycles, the direction of arcs ignored: each part has one arc less than words."""
    if len(arcs) >= max(2, len({end for arc in arcs for end in arc})):
        return False
    parts = {frozenset(component(arcs, end)) for arc in arcs for end in arc}
    return len(arcs) == sum(len(part) - 1 for part in parts)


def directed_acyclic(arcs: Arcs) -> bool:
    return not any(head in reached(arcs, dependent) for head, dependent in arcs)


def no_covered_roots(arcs: Arcs) -> bool:
    headed = {dependent for _, dependent in arcs}
    return all(word in headed for arc in arcs for word in range(min(arc) + 1, max(arc)))


def planar(arcs: Arcs) -> bool:
    return not any(cross(one, other) for one, other in combinations(arcs, 2))


def multiplanar(arcs: Arcs, planes: int) -> bool:
    return is_colourable(sorted(arcs), planes)
