"""What a network looks at in a configuration, derived from the system: a few words, and a few small numbers.

The words were read with the whole sentence around them, so that the ones that the next transition is about are enough,
with the dependents next to where it would add arcs (Kiperwasser & Goldberg 2016). O(views).
"""

from __future__ import annotations

from ..transitions import TransitionSystem
from .default_templates import builds_before_reducing, joined


def default_views(system: TransitionSystem) -> list[str]:
    """Return addresses of words and attributes or relations of them, as templates write them."""
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
