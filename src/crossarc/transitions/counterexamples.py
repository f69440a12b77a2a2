"""Graphs that show that a system lacks a property, found among all that it derives for a few words.

What `properties` cannot derive may hold all the same; a counterexample settles that it does not. The properties are
those of Definition 2 of Gómez-Rodríguez & Nivre 2013. Costs what enumeration costs: exponential in the number of words.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .errors import TransitionError

if TYPE_CHECKING:
    from .enumeration import Arcs
    from .system import TransitionSystem


def counterexample(system: TransitionSystem, name: str, words: int = 4) -> Arcs | None:
    """Return a graph of at most so many words that a system derives and that lacks a property, if there is one."""
    if name not in _HOLDS:
        raise TransitionError(f"there are no counterexamples to {name!r}; ask for one of {', '.join(_HOLDS)}")
    if system.is_undirected and name not in ("acyclic", "planar"):
        raise TransitionError(f"{system.name}: {name} means nothing for links without direction")
    for number in range(1, words + 1):
        for arcs in system.derivable(number):
            if not _HOLDS[name](arcs):
                return arcs
    return None


def _single_head(arcs: Arcs) -> bool:
    return len({dependent for _, dependent in arcs}) == len(arcs)


def _acyclic(arcs: Arcs) -> bool:
    """Whether nothing is left when arcs are taken away that end in a word without other arcs."""
    left = list(arcs)
    while left:
        ends = Counter(end for arc in left for end in arc)
        within = [arc for arc in left if min(ends[end] for end in arc) > 1]
        if len(within) == len(left):
            return False
        left = within
    return True


def _directed_acyclic(arcs: Arcs) -> bool:
    """Whether nothing is left when arcs are taken away whose dependent has none of its own."""
    left = set(arcs)
    while left:
        heads = {head for head, _ in left}
        within = {(head, dependent) for head, dependent in left if dependent in heads}
        if within == left:
            return False
        left = within
    return True


def _no_covered_roots(arcs: Arcs) -> bool:
    headed = {dependent for _, dependent in arcs}
    return all(word in headed for arc in arcs for word in range(min(arc) + 1, max(arc)))


def _planar(arcs: Arcs) -> bool:
    spans = [(min(arc), max(arc)) for arc in arcs]
    return not any(a < c < b < d for a, b in spans for c, d in spans)


_HOLDS = {
    "single_head": _single_head,
    "acyclic": _acyclic,
    "directed_acyclic": _directed_acyclic,
    "no_covered_roots": _no_covered_roots,
    "planar": _planar,
}
