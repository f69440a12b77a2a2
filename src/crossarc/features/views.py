"""Views: what a network looks at in a configuration, a few words and a few small numbers.

A view is an address, `s0.l1`, or an attribute or relation that says nothing of the words themselves, `link(s0,b0)`. The
words were read with the whole sentence around them, so that the ones that the next transition is about are enough, with
the dependents next to where it would add arcs (Kiperwasser & Goldberg 2016). O(views).
"""

from __future__ import annotations

from collections.abc import Sequence

from ..transitions import Configuration, TransitionSystem
from .defaults import builds_before_reducing, joined
from .templates import Address, Atom, FeatureSet, parse_address, parse_template


def default_views(system: TransitionSystem) -> list[str]:
    """Return the views that suit a system, as templates write addresses, attributes and relations."""
    if system.chooses_position:
        return _views_of_neighbours()
    left, right = joined(system)
    words = ["s0", "s1", "b0", f"{left}.r1", f"{right}.l1"]
    if system.is_undirected:  # what it is linked to on the left may be its head, too
        words.append(f"{left}.l1")
    numbers = [
        *(f"{word}.deprel" for word in (left, right) if not system.is_undirected),
        *(f"{word}.{side}_valency" for word in (left, right) for side in ("left", "right")),
        f"distance({left},{right})",
    ]
    if right != "b0":  # words may come back into the buffer with dependents
        words.append("s2")
        numbers += ["b0.left_valency", "b0.right_valency"]
    if system.stacks > 1:
        words[1] = "t0"
        numbers += [*([] if system.is_undirected else ["t0.deprel"]), "distance(t0,b0)"]
    elif system.has_lists:
        words[1] = "a0"
    if builds_before_reducing(system):
        numbers += ["link(s0,b0)", *(["link(t0,b0)"] if system.stacks > 1 else [])]
    return [*words, *numbers]


def _views_of_neighbours() -> list[str]:
    """Two words without a head that may be joined, those beside them, and what both have already on either side."""
    words = ["s0", "b0", "s1", "b1", "s0.l1", "s0.r1", "b0.l1", "b0.r1"]
    numbers = [f"{word}.{side}_valency" for word in ("s0", "b0") for side in ("left", "right")]
    return [*words, *numbers, "distance(s0,b0)", "distance(s1,s0)", "distance(b0,b1)"]


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
    return FeatureSet.from_views(words, numbers)


def view_templates(views: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words and numbers of `compile_views` as templates write them, in the order of the kernel.

    >>> view_templates(["s0", "distance(s0,b0)", "s0.deprel"])
    (['s0', 'b0'], ['distance(s0,b0)', 's0.deprel'])
    """
    words = [str(address) for address in map(parse_address, views) if address is not None]
    numbers = [atom for view in views if parse_address(view) is None for atom in parse_template(view)]
    others = (str(one) for atom in numbers for one in (atom.address, atom.other) if one is not None)
    return [*words, *(one for one in dict.fromkeys(others) if one not in words)], list(map(str, numbers))


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
