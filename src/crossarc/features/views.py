"""What stands at addresses of a configuration, and what is known of the arcs there: views, as networks have them.

A view is an address, `s0.l1`, or an attribute or relation that says nothing of the words themselves, `link(s0,b0)`.
O(views).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..transitions import Configuration
from .templates import Address, Atom, FeatureSet, parse_address, parse_template


def compile_views(views: Sequence[str]) -> FeatureSet:
    """Return what the kernel takes: the words first, in order, then the numbers."""
    words: list[Address] = []
    numbers: list[Atom] = []
    for view in views:
        address = parse_address(view)
        if address is not None:
            words.append(address)
        else:
            numbers += parse_template(view)
    return FeatureSet.of_views(words, numbers)


def look(configuration: Configuration, views: Sequence[str]) -> list[int | None]:
    """Return what parsers see through views in a configuration.

    Of an address the number of the word, None if there is none; of everything else a number that tells values apart:
    0 if a word is missing. `plane` is 1 without an arc, 2 if it was made on the active stack, 3 on the next one;
    `link` is 1 without one; valencies are one more than the number of arcs, distances up to five two more.

    >>> from crossarc.transitions.algebra import systems
    >>> configuration = Configuration(systems.get("arc-eager"), 3).apply("shift").apply("left_arc").apply("shift")
    >>> look(configuration, ["s0", "s0.l1", "s0.h", "s0.left_valency", "distance(s0,b0)"])
    [2, 1, None, 2, 3]
    """
    features = compile_views(views)
    words, numbers = (iter(found) for found in configuration.machine.look(0, features.addresses, features.atoms))
    seen = [next(words if parse_address(view) is not None else numbers) for view in views]
    return [None if value < 0 else value for value in seen]
