"""The program of Pitler, Kannan & Marcus (2013), Appendix A, plain and slow: one rule after the other.

`rules(item, corrected)` lists the ways to make an item: arcs, and smaller items. Mirror images are had by reflecting
the line. With `corrected=False` the split of LR is as printed, which lets cycles through. An item is a tuple of its
type, its interval, its exterior point, and the booleans of Appendix A (is the arc into i, j, x inside the item?).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Item = tuple[Any, ...]
Rule = tuple[list[tuple[int, int]], list[Item]]

F, T = False, True
MIRROR = {
    **{name: name for name in ("Int", "LR", "N")},
    "L": "R",
    "NXFromI": "NXFromJ",
    "NIFromX": "NJFromX",
    "LXFromI": "RXFromJ",
    "LIFromX": "RJFromX",
    "LJFromX": "RIFromX",
    "LJFromI": "RIFromJ",
}
MIRROR.update({mirrored: name for name, mirrored in MIRROR.items()})


def mirror(item: Item) -> Item:
    name, i, j, *rest = item
    if name == "Int":
        return ("Int", -j, -i, rest[1], rest[0])
    x, *booleans = rest
    if name in ("N", "L", "R"):
        booleans = [booleans[1], booleans[0], booleans[2]]
    return (MIRROR[name], -j, -i, -x, *booleans)


def rules(item: Item, corrected: bool = True) -> Iterator[Rule]:
    name = item[0]
    reflected = name in ("R", "RXFromJ", "RJFromX", "RIFromX", "RIFromJ", "NXFromJ", "NJFromX")
    reflected |= name == "Int" and item[3:] == (T, F)
    reflected |= name == "N" and item[4:] == (T, F, T)
    if reflected:
        for arcs, parts in rules(mirror(item), corrected):
            yield [(-head, -dependent) for head, dependent in arcs], [mirror(part) for part in parts]
    elif name == "Int":
        yield from int_rules(*item[1:])
    elif name == "LR":
        yield from lr_rules(*item[1:], corrected=corrected)
    elif name in ("N", "L"):
        yield from (n_rules if name == "N" else l_rules)(*item[1:])
    else:
        yield from SUFFIXED[name](*item[1:])


def one_of(count: int, wanted: bool) -> list[tuple[bool, ...]]:
    """Exactly one of so many is true; or none."""
    if not wanted:
        return [(F,) * count]
    return [tuple(place == true for place in range(count)) for true in range(count)]


def int_rules(i: int, j: int, bi: bool, bj: bool) -> Iterator[Rule]:
    if i == j:
        if not bj:
            yield [], []
        return
    if bi:
        return  # both arcs inside would be a cycle
    if j == i + 1 and not bj:
        yield [], []
    if bj:
        yield [(i, j)], [("Int", i, j, F, F)]
    elif j > i + 1:
        yield [], [("Int", i + 1, j, T, F)]
    for k in range(i + 1, j):
        arc = [(i, k)]
        yield arc, [("Int", i, k, F, F), ("Int", k, j, F, bj)]
        for left, right in one_of(2, bj):
            yield arc, [("LR", i, k, j, left), ("Int", k, j, F, right)]
        for first, middle, last in one_of(3, T):
            for l in range(k + 1, j):  # noqa: E741 (the letter of the paper)
                between = ("Int", k, l, F, middle)
                yield arc, [("R", i, k, l, F, F, first), between, ("L", l, j, k, last, bj, F)]
                yield arc, [("LR", i, k, l, first), between, ("Int", l, j, last, bj)]
            for l in range(i + 1, k):  # noqa: E741
                yield arc, [("Int", i, l, F, first), ("L", l, k, i, middle, F, F), ("N", k, j, l, F, bj, last)]
                yield arc, [("R", i, l, k, F, first, F), ("Int", l, k, middle, F), ("L", k, j, l, F, bj, last)]


def lr_rules(i: int, j: int, x: int, bx: bool, *, corrected: bool) -> Iterator[Rule]:
    yield [], [("L", i, j, x, F, F, bx)]
    yield [], [("R", i, j, x, F, F, bx)]
    for k in range(i + 1, j):
        for x_left, x_right in one_of(2, bx):
            for k_left, k_right in one_of(2, T):
                left: Item = ("L", i, k, x, F, k_left, x_left)
                right: Item = ("R", k, j, x, k_right, F, x_right)
                if corrected and x_left and k_right:  # x may descend from k, or k from x, but not both
                    yield [], [("LXFromI", i, k, x), right]
                    yield [], [left, ("RIFromJ", k, j, x)]
                elif corrected and x_right and k_left:
                    yield [], [("LJFromI", i, k, x), right]
                    yield [], [left, ("RXFromJ", k, j, x)]
                else:
                    yield [], [left, right]


def n_rules(i: int, j: int, x: int, bi: bool, bj: bool, bx: bool) -> Iterator[Rule]:
    if not bx:
        yield [], [("Int", i, j, bi, bj)]
        if bi:
            yield [(x, i)], [("N", i, j, x, F, bj, F)]
        if bj:
            yield [(x, j)], [("N", i, j, x, bi, F, F)]
        for k in range(i + 1, j):
            yield [(x, k)], [("N", i, k, x, bi, F, F), ("Int", k, j, F, bj)]
        return
    if bi:
        return
    yield [(i, x)], [("N", i, j, x, F, bj, F)]
    if bj:
        yield [(x, j)], [("NXFromI", i, j, x)]
        yield [(j, x)], [("Int", i, j, F, T)]
    else:
        yield [(j, x)], [("N", i, j, x, F, F, F)]
    for k in range(i + 1, j):
        yield [(x, k)], [("NXFromI", i, k, x), ("Int", k, j, F, bj)]
        yield [(k, x)], [("Int", i, k, F, T), ("Int", k, j, F, bj)]
        yield [(k, x)], [("N", i, k, x, F, F, F), ("Int", k, j, T, bj)]


def l_rules(i: int, j: int, x: int, bi: bool, bj: bool, bx: bool) -> Iterator[Rule]:
    if not bx:
        yield [], [("Int", i, j, bi, bj)]
        if bi:
            yield [(x, i)], [("L", i, j, x, F, bj, F)]
        if bj:
            yield [(x, j)], [("L", i, j, x, bi, F, F)]
        for k in range(i + 1, j):
            for left, right in one_of(2, bi):
                yield [(x, k)], [("L", i, k, x, left, F, F), ("N", k, j, i, F, bj, right)]
                yield [(x, k)], [("Int", i, k, left, F), ("L", k, j, i, F, bj, right)]
        return
    if bi:
        return
    yield [(i, x)], [("L", i, j, x, F, bj, F)]
    if bj:
        yield [(x, j)], [("LXFromI", i, j, x)]
        yield [(j, x)], [("LJFromI", i, j, x)]
    else:
        yield [(j, x)], [("L", i, j, x, F, F, F)]
    for k in range(i + 1, j):
        yield [(x, k)], [("LXFromI", i, k, x), ("N", k, j, i, F, bj, F)]
        yield [(k, x)], [("LJFromI", i, k, x), ("N", k, j, i, F, bj, F)]
        yield [(k, x)], [("L", i, k, x, F, F, F), ("N", k, j, i, T, bj, F)]
        for left, right in one_of(2, T):
            yield [(k, x)], [("Int", i, k, F, left), ("L", k, j, i, right, bj, F)]


def n_x_from_i(i: int, j: int, x: int) -> Iterator[Rule]:
    yield [(i, x)], [("N", i, j, x, F, F, F)]
    for k in range(i + 1, j):
        yield [(x, k)], [("NXFromI", i, k, x), ("Int", k, j, F, F)]
        yield [(k, x)], [("Int", i, k, F, T), ("Int", k, j, F, F)]


def n_i_from_x(i: int, j: int, x: int) -> Iterator[Rule]:
    yield [(x, i)], [("N", i, j, x, F, F, F)]
    for k in range(i + 1, j):
        yield [(x, k)], [("N", i, k, x, T, F, F), ("Int", k, j, F, F)]


def l_x_from_i(i: int, j: int, x: int) -> Iterator[Rule]:
    yield [(i, x)], [("L", i, j, x, F, F, F)]
    for k in range(i + 1, j):
        yield [(x, k)], [("LXFromI", i, k, x), ("N", k, j, i, F, F, F)]
        yield [(k, x)], [("LJFromI", i, k, x), ("N", k, j, i, F, F, F)]
        yield [(k, x)], [("L", i, k, x, F, F, F), ("NIFromX", k, j, i)]
        yield [(k, x)], [("Int", i, k, F, T), ("L", k, j, i, F, F, F)]
        yield [(k, x)], [("Int", i, k, F, F), ("LIFromX", k, j, i)]


def l_i_from_x(i: int, j: int, x: int) -> Iterator[Rule]:
    yield [(x, i)], [("L", i, j, x, F, F, F)]
    for k in range(i + 1, j):
        yield [(x, k)], [("L", i, k, x, T, F, F), ("N", k, j, i, F, F, F)]
        yield [(x, k)], [("L", i, k, x, F, F, F), ("NXFromI", k, j, i)]
        yield [(x, k)], [("Int", i, k, T, F), ("L", k, j, i, F, F, F)]
        yield [(x, k)], [("Int", i, k, F, F), ("LXFromI", k, j, i)]


def l_j_from_x(i: int, j: int, x: int) -> Iterator[Rule]:
    yield [(x, j)], [("L", i, j, x, F, F, F)]
    for k in range(i + 1, j):
        yield [(x, k)], [("L", i, k, x, F, F, F), ("Int", k, j, F, T)]
        yield [(x, k)], [("Int", i, k, F, F), ("LJFromI", k, j, i)]


def l_j_from_i(i: int, j: int, x: int) -> Iterator[Rule]:
    yield [], [("Int", i, j, F, T)]
    for k in range(i + 1, j):
        yield [(x, k)], [("L", i, k, x, F, F, F), ("NJFromX", k, j, i)]
        yield [(x, k)], [("Int", i, k, F, F), ("LJFromX", k, j, i)]


SUFFIXED = {
    "NXFromI": n_x_from_i,
    "NIFromX": n_i_from_x,
    "LXFromI": l_x_from_i,
    "LIFromX": l_i_from_x,
    "LJFromX": l_j_from_x,
    "LJFromI": l_j_from_i,
}


def best_arcs(scores: NDArray[np.float64], corrected: bool = True) -> tuple[float, list[tuple[int, int]]]:
    """The score of the best derivation, and its arcs."""
    found: dict[Item, tuple[float, Rule]] = {}

    def value(item: Item) -> float:
        if item not in found:
            best: tuple[float, Rule] = (-np.inf, ([], []))
            for arcs, parts in rules(item, corrected):
                total = sum(scores[arc] for arc in arcs)
                for part in parts:
                    if total == -np.inf:
                        break
                    total += value(part)
                if total > best[0]:
                    best = (float(total), (arcs, parts))
            found[item] = best
        return found[item][0]

    top = ("Int", 0, len(scores) - 1, F, T)
    score, arcs, pending = value(top), [], [top]
    while pending and score > -np.inf:
        of_rule, parts = found[pending.pop()][1]
        arcs += of_rule
        pending += parts
    return score, arcs


def derivable(words: int, corrected: bool = True) -> set[frozenset[tuple[int, int]]]:
    """The sets of arcs of all derivations."""
    found: dict[Item, set[frozenset[tuple[int, int]]]] = {}

    def sets(item: Item) -> set[frozenset[tuple[int, int]]]:
        if item not in found:
            own = set()
            for arcs, parts in rules(item, corrected):
                if any(dependent == 0 for _, dependent in arcs):
                    continue
                combined = {frozenset(arcs)}
                for part in parts:
                    combined = {one | other for one in combined for other in sets(part)}
                own |= combined
            found[item] = own
        return found[item]

    return sets(("Int", 0, words, F, T))
