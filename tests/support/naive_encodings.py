"""The encodings taken literally from the papers, slow and plain: what the kernel is compared with."""

from __future__ import annotations

from collections.abc import Iterable

from . import naive_structure as structure
from .trees import all_trees

LIFTED, ON_PATH, COVERED_ROOT = 1, 2, 4

Arc = tuple[int, int]
#: A head, a dependent and a cost.
Weighted = tuple[int, int, int]


def depth(heads: list[int], word: int) -> int:
    return 0 if word == 0 else 1 + depth(heads, heads[word - 1])


def lift(gold: list[int], order: str = "shortest", covered_roots: str = "none") -> tuple[list[int], list[int]]:
    """PROJECTIVIZE of the 2005 paper, with MaltParser's treatment of covered roots: heads and marks."""
    heads, marks = list(gold), [0] * len(gold)
    while candidates := [arc for arc in structure.arcs(heads) if structure.is_nonprojective(heads, arc)]:
        if order == "shortest":
            head, word = min(candidates, key=lambda arc: (abs(arc[0] - arc[1]), min(arc)))
        else:
            head, word = min(candidates, key=lambda arc: (-depth(heads, arc[1]), arc[1]))
        if covered_roots != "none" and attach(heads, marks, (head, word), covered_roots):
            continue
        if not marks[word - 1] & COVERED_ROOT:
            marks[word - 1] |= LIFTED
            marks[head - 1] |= ON_PATH
        heads[word - 1] = heads[head - 1]
    return heads, marks


def attach(heads: list[int], marks: list[int], arc: tuple[int, int], covered_roots: str) -> bool:
    left, right = sorted(arc)
    inside = set(range(left + 1, right))
    roots = [
        root
        for root in sorted(inside)
        if heads[root - 1] == 0
        and not marks[root - 1] & (LIFTED | COVERED_ROOT)
        and structure.projection(heads, root) <= inside
    ]
    for root in roots:
        heads[root - 1] = {"left": left, "right": right, "head": arc[0]}[covered_roots]
        marks[root - 1] |= COVERED_ROOT
    return bool(roots)


def search(heads: list[int], start: int, without: int) -> list[int]:
    """All words below the start, top-down, from left to right, without one word and what is below it."""
    found = [start]
    for word in found:
        found += [child for child, head in enumerate(heads, 1) if head == word and child != without]
    return found[1:]


def lower(
    encoded: list[int], labels: list[str], head_labels: list[str | None], marks: list[int], scheme: str, careful: bool
) -> tuple[list[int], list[bool]]:
    """The inverse transformation, as the 2005 paper words it or with care: heads, and which words found no target."""
    heads = [0 if mark & COVERED_ROOT else head for head, mark in zip(encoded, marks, strict=True)]
    missed = [False] * len(heads)
    explained: set[int] = set()
    for word in search(encoded, 0, 0):
        if marks[word - 1] & (LIFTED | COVERED_ROOT) != LIFTED:
            continue
        start = heads[word - 1]
        everything = search(heads, start, word)
        followed = [start]
        for place in everything:  # heads come before dependents
            if marks[place - 1] & ON_PATH and heads[place - 1] in followed:
                followed.append(place)
        with_label = [place for place in everything if labels[place - 1] == head_labels[word - 1]]
        on_path = [place for place in followed[1:] if scheme == "path" or place in with_label]
        if scheme == "path":
            inner = {heads[place - 1] for place in followed[1:]}
            on_path = [place for place in on_path if place not in inner]
        targets = with_label if scheme == "head" or (scheme == "head+path" and not on_path) else on_path
        missed[word - 1] = not targets
        if not targets:
            continue
        if careful:
            targets = [place for place in targets if crosses(heads, place, word)] or targets
            if scheme == "path":
                fresh = [place for place in targets if place not in explained]
                targets = fresh or (followed[1:2] if start == 0 else targets)
            if targets and targets[0] in on_path and scheme != "head":
                targets = [max(targets, key=lambda place: depth(heads, place))]
        target = targets[0]
        heads[word - 1] = target
        while target != start:
            explained.add(target)
            target = heads[target - 1]
    return heads, missed


def crosses(heads: list[int], head: int, word: int) -> bool:
    """Whether the word would hang on the head by a non-projective arc."""
    own = structure.projection(heads, word)
    return not set(structure.between((head, word))) <= structure.projection(heads, head) | own


def cheapest(words: int, arcs: list[tuple[int, int, int]]) -> int | None:
    """The cost of the cheapest tree, by trying all of them."""
    costs: dict[tuple[int, int], int] = {}
    for head, dependent, cost in arcs:
        costs[head, dependent] = min(cost, costs.get((head, dependent), cost))
    sums = [
        sum(costs[head, word] for word, head in enumerate(heads, 1))
        for trees in all_trees(words)
        for heads in trees.tolist()
        if all((head, word) in costs for word, head in enumerate(heads, 1))
    ]
    return min(sums, default=None)


def reconstruction_arcs(words: int, links: Iterable[tuple[int, int, str]], reconstruction: str) -> list[Weighted]:
    """The weighted graph D(U) of an undirected graph U: arcs (head, dependent, cost), 2012, Section 4.

    A link is (left, right, direction), where the direction is "l", "r" or "" if its label says nothing.
    """
    costs = {(0, word): 2 if reconstruction == "naive" else 2 * words for word in range(1, words + 1)}
    for left, right, direction in links:
        for head, dependent, way in ((left, right, "r"), (right, left, "l")):
            if dependent == 0 or (head == 0 and reconstruction == "label"):
                continue
            agrees = reconstruction == "naive" or direction in ("", way)
            costs[head, dependent] = 1 if agrees else 2
    return [(head, dependent, cost) for (head, dependent), cost in costs.items()]


def minimum_branching(words: int, arcs: Iterable[Weighted]) -> list[int] | None:
    """The heads of the cheapest tree rooted at 0, None if there is none: Chu & Liu 1965, Edmonds 1967; O(n m).

    Every node takes its cheapest arc; a cycle of such arcs becomes one node, into which arcs cost what they cost more
    than the arc that they replace.
    """
    # An arc between nodes as they are contracted, and the arc of the graph that it stands for.
    current = [(head, dependent, cost, (head, dependent)) for head, dependent, cost in arcs]
    nodes, fresh = set(range(1, words + 1)), words + 1
    contractions: list[tuple[int, dict[int, Arc], dict[Arc, int]]] = []
    while True:
        best: dict[int, tuple[int, int, Arc]] = {}
        for head, dependent, cost, arc in current:
            if head != dependent and dependent in nodes and (dependent not in best or cost < best[dependent][1]):
                best[dependent] = (head, cost, arc)
        if best.keys() != nodes:
            return None
        cycle = _cycle({node: head for node, (head, _, _) in best.items()})
        if not cycle:
            break
        entered = {arc: dependent for _, dependent, _, arc in current if dependent in cycle}
        contractions.append((fresh, {node: best[node][2] for node in cycle}, entered))
        current = [
            (
                fresh if head in cycle else head,
                fresh if dependent in cycle else dependent,
                cost - best[dependent][1] if dependent in cycle else cost,
                arc,
            )
            for head, dependent, cost, arc in current
            if not (head in cycle and dependent in cycle)
        ]
        nodes = nodes - cycle | {fresh}
        fresh += 1
    chosen = {node: arc for node, (_, _, arc) in best.items()}
    for contracted, inside, entered in reversed(contractions):
        arc = chosen.pop(contracted)
        chosen.update({**inside, entered[arc]: arc})
    return [chosen[word][0] for word in range(1, words + 1)]


def _cycle(heads: dict[int, int]) -> set[int]:
    """The nodes of some cycle, none if there is no cycle."""
    done: set[int] = set()
    for start in heads:
        path: list[int] = []
        node = start
        while node in heads and node not in done:
            done.add(node)
            path.append(node)
            node = heads[node]
        if node in path:
            return set(path[path.index(node) :])
    return set()
