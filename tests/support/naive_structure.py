"""Every class straight from its definition, slow and plain, sharing nothing with the package; trees are head lists."""

from __future__ import annotations

from itertools import combinations, permutations, product

Arc = tuple[int, int]


def arcs(heads: list[int], root_arcs: bool = True) -> list[Arc]:
    return [(head, word) for word, head in enumerate(heads, 1) if root_arcs or head != 0]


def cross(one: Arc, other: Arc) -> bool:
    if set(one) & set(other):
        return False
    return sum(min(one) < end < max(one) for end in other) == 1


def crossings(heads: list[int], root_arcs: bool) -> set[frozenset[Arc]]:
    return {frozenset(pair) for pair in combinations(arcs(heads, root_arcs), 2) if cross(*pair)}


def projection(heads: list[int], word: int) -> set[int]:
    children: dict[int, list[int]] = {}
    for child, head in enumerate(heads, 1):
        children.setdefault(head, []).append(child)
    below, waiting = {word}, [word]
    while waiting:
        more = [child for child in children.get(waiting.pop(), ()) if child not in below]
        below.update(more)
        waiting += more
    return below


def block_count(words: set[int]) -> int:
    return sum(word - 1 not in words for word in words)


def gap_degree(heads: list[int]) -> int:
    return max((block_count(projection(heads, word)) - 1 for word in range(1, len(heads) + 1)), default=0)


def between(arc: Arc) -> range:
    return range(min(arc) + 1, max(arc))


def is_nonprojective(heads: list[int], arc: Arc) -> bool:
    return not set(between(arc)) <= projection(heads, arc[0])


def is_projective(heads: list[int]) -> bool:
    return not any(is_nonprojective(heads, arc) for arc in arcs(heads))


def edge_degree(heads: list[int]) -> int:
    return max((_components_not_dominated(heads, arc) for arc in arcs(heads)), default=0)


def _components_not_dominated(heads: list[int], arc: Arc) -> int:
    component = {word: {word} for word in between(arc)}
    for head, word in arcs(heads):
        if head in component and word in component:
            merged = component[head] | component[word]
            for member in merged:
                component[member] = merged
    found = {frozenset(members) for members in component.values()}
    dominated = projection(heads, arc[0])
    roots = [next(word for word in members if heads[word - 1] not in members) for members in found]
    return sum(root not in dominated for root in roots)


def interleave(one: set[int], other: set[int]) -> bool:
    return any(a < b < c < d for a, c in permutations(one, 2) for b, d in permutations(other, 2))


def is_well_nested(heads: list[int]) -> bool:
    subtrees = [projection(heads, word) for word in range(1, len(heads) + 1)]
    return not any(not (a & b) and (interleave(a, b) or interleave(b, a)) for a, b in combinations(subtrees, 2))


def gap_inheritance_degree(heads: list[int]) -> int:
    return max(
        sum(_inherits(heads, head, child) for head, child in arcs(heads) if head == word) for word in (0, *heads)
    )


def _inherits(heads: list[int], head: int, child: int) -> bool:
    block = 0
    touched = set()
    parent, own = projection(heads, head), projection(heads, child)
    for word in range(len(heads) + 1):
        block += word not in parent
        if word in own:
            touched.add(block)
    return len(touched) > 1


def is_gap_minding(heads: list[int]) -> bool:
    return is_well_nested(heads) and gap_degree(heads) <= 1 and gap_inheritance_degree(heads) == 0


def pencil(heads: list[int], arc: Arc, root_arcs: bool) -> list[Arc]:
    return [other for other in arcs(heads, root_arcs) if cross(arc, other)]


def is_one_endpoint_crossing(heads: list[int], root_arcs: bool) -> bool:
    pencils = [pencil(heads, arc, root_arcs) for arc in arcs(heads, root_arcs)]
    return all(set(crossing[0]).intersection(*crossing[1:]) for crossing in pencils if crossing)


def is_colourable(nodes: list[Arc], colours: int) -> bool:
    if colours >= len(nodes):
        return True

    def extend(done: dict[Arc, int]) -> bool:
        if len(done) == len(nodes):
            return True
        node = nodes[len(done)]
        taken = {colour for other, colour in done.items() if cross(node, other)}
        return any(extend({**done, node: colour}) for colour in range(colours) if colour not in taken)

    return extend({})


def planarity(nodes: list[Arc]) -> int:
    return next(k for k in range(1, len(nodes) + 2) if is_colourable(nodes, k))


def covered_roots(heads: list[int]) -> list[int]:
    drawn = arcs(heads, False)
    return [word for word, head in enumerate(heads, 1) if head == 0 and any(word in between(arc) for arc in drawn)]


def projectivize(heads: list[int]) -> tuple[list[int], list[int]]:
    """The algorithm of the 2005 paper: the projective tree, and the lifts of each word."""
    lifted, lifts = list(heads), [0] * len(heads)
    while candidates := [arc for arc in arcs(lifted) if is_nonprojective(lifted, arc)]:
        head, word = min(candidates, key=lambda arc: (max(arc) - min(arc), min(arc)))
        lifted[word - 1] = lifted[head - 1]
        lifts[word - 1] += 1
    return lifted, lifts


def least_second_plane(nodes: list[Arc]) -> int:
    """Over all ways to draw the arcs on two planes, the fewest arcs on the second."""
    return min(
        sum(colours)
        for colours in product((0, 1), repeat=len(nodes))
        if not any(
            colours[a] == colours[b] and cross(nodes[a], nodes[b]) for a, b in combinations(range(len(nodes)), 2)
        )
    )
