"""How many planes the arcs need, and which arc is on which (2010, Sections 2.4 and 3; 2013, Section 4.1).

Arcs on one plane do not cross, so planes are a colouring of the crossings graph. Whether one or two planes are enough
is decided in O(n α(n)), whatever the number of crossings. Beyond that each component of the graph is coloured exactly
by a search with a budget; where the budget ends first, the answer is an interval and a `PlanarityWarning`.

Arcs from the artificial root do not count (2010, 2013) unless `root_arcs` is true.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _kernel
from .._arrays import Ids
from ..errors import CrossarcError
from .crossings import Arc, arc_arrays, arc_list
from .heads import classify_one, tree_heads

#: Arcs that the search may look at for each component that needs more than two planes: about a tenth of a second.
BUDGET = 40_000_000


class PlanarityWarning(UserWarning):
    """The budget ended before the least number of planes was known."""


class PlanarityError(CrossarcError, ValueError):
    """Arcs that do not fit on so many planes."""


class PlanarityBounds(NamedTuple):
    """The least number of planes is at least `lower` and at most `upper`."""

    lower: int
    upper: int

    @property
    def exact(self) -> bool:
        """Whether the two agree."""
        return self.lower == self.upper

    def __str__(self) -> str:
        return str(self.lower) if self.exact else f"{self.lower} to {self.upper}"


def is_planar(heads: ArrayLike, *, root_arcs: bool = False) -> bool:
    """Return whether no two arcs cross. With root arcs this is projectivity."""
    return int(classify_one(heads, root_arcs=root_arcs)["crossings"][0]) == 0


def planarity_bounds(heads: ArrayLike, *, root_arcs: bool = False, budget: int = BUDGET) -> PlanarityBounds:
    """Return the least number of planes as an interval, without a warning."""
    tree = tree_heads(heads)
    return planes_of_arcs(*arc_arrays(tree, root_arcs), len(tree), budget)[1]


def planarity(heads: ArrayLike, *, root_arcs: bool = False, budget: int = BUDGET) -> int:
    """Return the least number of planes; if the budget ends before, warn and return the lower bound.

    >>> planarity([3, 4, 0, 3])
    2
    """
    bounds = planarity_bounds(heads, root_arcs=root_arcs, budget=budget)
    warn_unless_exact(bounds)
    return bounds.lower


def plane_numbers(heads: ArrayLike, *, root_arcs: bool = False, budget: int = BUDGET) -> tuple[Ids, PlanarityBounds]:
    """Return the plane of the arc into each word, from 0, and -1 where the arc does not count; and the bounds.

    In each component of the crossings graph, the plane with most arcs is the first, and so on; of planes with as many
    arcs, the one with the leftmost arc. So of two planes, no choice for a component puts fewer arcs on the second.
    """
    tree = tree_heads(heads)
    numbers, bounds = planes_of_arcs(*arc_arrays(tree, root_arcs), len(tree), budget)
    if root_arcs:
        return numbers, bounds
    all_numbers = np.full(len(tree), -1, np.int32)
    all_numbers[tree != 0] = numbers
    return all_numbers, bounds


def planes(heads: ArrayLike, k: int | None = None, *, root_arcs: bool = False, budget: int = BUDGET) -> list[list[Arc]]:
    """Return the arcs on each plane, by dependent: on as few planes as possible, or on k.

    A tree that does not fit on k planes is a `PlanarityError`. For the choice of planes see `plane_numbers`.

    >>> planes([3, 4, 0, 3])
    [[(3, 1), (3, 4)], [(4, 2)]]
    """
    tree = tree_heads(heads)
    return listed_planes(*arc_arrays(tree, root_arcs), len(tree), k, budget)


def planes_of_arcs(heads: Ids, dependents: Ids, words: int, budget: int) -> tuple[Ids, PlanarityBounds]:
    """Return the plane of each of any arcs among words 0 to `words`, and the bounds."""
    if budget < 0:
        raise CrossarcError(f"a budget is 0 or more, not {budget}")
    numbers, lower, upper = _kernel.find_planes(heads, dependents, words, budget)
    return numbers, PlanarityBounds(lower, upper)


def listed_planes(heads: Ids, dependents: Ids, words: int, k: int | None, budget: int) -> list[list[Arc]]:
    """Return the arcs on each plane, of any arcs among words 0 to `words`."""
    numbers, bounds = planes_of_arcs(heads, dependents, words, budget)
    if k is None:
        warn_unless_exact(bounds)
    elif bounds.upper > k:
        known = f"needs {bounds} planes" if bounds.lower > k else f"is not known to fit: it needs {bounds} planes"
        raise PlanarityError(f"{k} planes were asked for, but the structure {known}")
    listed: list[list[Arc]] = [[] for _ in range(bounds.upper if k is None else k)]
    for arc, plane in zip(arc_list(heads, dependents), numbers.tolist(), strict=True):
        listed[plane].append(arc)
    return listed


def warn_unless_exact(bounds: PlanarityBounds) -> None:
    """Warn if the budget ended before the least number of planes was known."""
    if not bounds.exact:
        message = f"at least {bounds.lower} and at most {bounds.upper} planes are needed; a larger budget may tell"
        warnings.warn(message, PlanarityWarning, stacklevel=3)
