"""Classes of graphs straight from their definitions, for sets of arcs (head, dependent) on the words 1 … n."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from ..structure.naive import cross, is_colourable
from .plain_machine import Arcs, reached


def single_head(arcs: Arcs) -> bool:
    return max(Counter(dependent for _, dependent in arcs).values(), default=0) <= 1


def acyclic(arcs: Arcs) -> bool:
    """No cycles, the direction of arcs ignored: taking away words with at most one arc leaves nothing."""
    left = list(arcs)
    while left:
        ends = Counter(end for arc in left for end in arc)
        kept = [arc for arc in left if min(ends[end] for end in arc) > 1]
        if len(kept) == len(left):
            return False
        left = kept
    return True


def directed_acyclic(arcs: Arcs) -> bool:
    return not any(head in reached(arcs, dependent) for head, dependent in arcs)


def no_covered_roots(arcs: Arcs) -> bool:
    headed = {dependent for _, dependent in arcs}
    return all(word in headed for arc in arcs for word in range(min(arc) + 1, max(arc)))


def planar(arcs: Arcs) -> bool:
    return not any(cross(one, other) for one, other in combinations(arcs, 2))


def multiplanar(arcs: Arcs, planes: int) -> bool:
    return is_colourable(sorted(arcs), planes)
