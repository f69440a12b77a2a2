"""What a network looks at in a configuration, derived from the system: a few words, and a few small numbers.

The words were read with the whole sentence around them, so that the ones that the next transition is about are enough,
with the dependents next to where it would add arcs (Kiperwasser & Goldberg 2016). O(views).
"""

from __future__ import annotations

from ..transitions import TransitionSystem
from .default_templates import builds_before_reducing, joined
from .templates import Address, Atom, FeatureSet, parse_address, parse_template


def default_views(system: TransitionSystem) -> list[str]:
    """Return addresses of words and attributes or relations of them, as templates write them."""
    if system.chooses_position:
        return _views_of_neighbours()
    left, right = joined(system)
    words = ["s0", "s1", "b0", f"{left}.r1", f"{right}.l1"]
    numbers = [
        *(f"{word}.deprel" for word in (left, right)),
        *(f"{word}.{side}_valency" for word in (left, right) for side in ("left", "right")),
        f"distance({left},{right})",
    ]
    if right != "b0":  # words may come back into the buffer with dependents
        words.append("s2")
        numbers += ["b0.left_valency", "b0.right_valency"]
    if system.stacks > 1:
        words[1] = "t0"
        numbers += ["t0.deprel", "distance(t0,b0)"]
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


def compile_views(views: list[str] | tuple[str, ...]) -> FeatureSet:
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
