"""The cheapest tree in a weighted directed graph (Chu-Liu/Edmonds in Tarjan's way), O(m log n).

The 2012 paper, Section 4, names it as the general way to reconstruct a tree from undirected links. Choosing the root of
each component is quicker and gives the same cost; this is what that is checked against.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .. import _kernel
from .._arrays import Ids
from .base import EncodingError
from .checks import checked_choice, kernel_refusals
from .undirected import RECONSTRUCTIONS

Link = tuple[int, int, str]


def minimum_branching(words: int, arcs: Iterable[tuple[int, int, int]]) -> Ids:
    """Return the heads of the cheapest tree rooted at 0, for arcs (head, dependent, cost) over words 1 to `words`.

    >>> minimum_branching(3, [(0, 1, 5), (1, 2, 1), (2, 1, 1), (0, 2, 6), (2, 3, 4), (0, 3, 9)]).tolist()
    [0, 1, 2]
    """
    rows = np.array(list(arcs), np.int64).reshape(-1, 3)
    if rows.size and np.abs(rows[:, :2]).max() > max(words, 0):
        raise EncodingError("an arc leaves the sentence")
    with kernel_refusals():
        heads = _kernel.minimum_branching(
            words, rows[:, 0].astype(np.int32), rows[:, 1].astype(np.int32), np.ascontiguousarray(rows[:, 2])
        )
    if heads is None:
        raise EncodingError("some word cannot be reached from 0: no tree has these arcs")
    return heads


def reconstruction_arcs(words: int, links: Iterable[Link], reconstruction: str) -> list[tuple[int, int, int]]:
    """Return the weighted graph D(U) of an undirected graph U: arcs (head, dependent, cost), 2012, Section 4.

    A link is (left, right, direction), where the direction is "l", "r" or "" if its label says nothing.
    """
    checked_choice("reconstruction", reconstruction, RECONSTRUCTIONS)
    costs = {(0, word): 2 if reconstruction == "naive" else 2 * words for word in range(1, words + 1)}
    for left, right, direction in links:
        for head, dependent, way in ((left, right, "r"), (right, left, "l")):
            if dependent == 0 or (head == 0 and reconstruction == "label"):
                continue
            agrees = reconstruction == "naive" or direction in ("", way)
            costs[head, dependent] = 1 if agrees else 2
    return [(head, dependent, cost) for (head, dependent), cost in costs.items()]
