"""Side conditions of transitions: facts about the stack word i and the buffer word j, with `&`, `|` and `~`.

The restrictions of Section 3.1 of Gómez-Rodríguez & Nivre 2013. A guard is a disjunction of conjunctions, kept in a
normal form: no alternative implies another, and two that differ in the sign of one fact are one where the rest says
that its words are there. A fact about a word that is not there is false, and so is its negation (the sets H and their
complements of the article leave out configurations with an empty stack or buffer); hence `fact | ~fact` is not always
true. The normal form takes O(alternatives²), repeated while something merges.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from itertools import combinations
from operator import and_, or_

from ... import _kernel
from ...errors import TransitionError

#: One conjunction: the facts that must hold, and those that must not, as bit masks.
Alternative = tuple[int, int]


class Fact(IntEnum):
    """What a guard may ask; the value is the number of its bit, as the kernel has it."""

    stack_has_head = _kernel.Fact.stack_has_head
    buffer_has_head = _kernel.Fact.buffer_has_head
    connected = _kernel.Fact.connected
    stack_reaches_buffer = _kernel.Fact.stack_reaches_buffer
    buffer_reaches_stack = _kernel.Fact.buffer_reaches_stack
    arc_from_stack = _kernel.Fact.arc_from_stack
    arc_from_buffer = _kernel.Fact.arc_from_buffer
    switched_round = _kernel.Fact.switched_round
    stack_is_root = _kernel.Fact.stack_is_root
    buffer_is_root = _kernel.Fact.buffer_is_root

    @property
    def about_stack(self) -> bool:
        """Whether it needs a word on the stack."""
        return self not in (Fact.buffer_has_head, Fact.buffer_is_root, Fact.switched_round)

    @property
    def about_buffer(self) -> bool:
        """Whether it needs a word in the buffer."""
        return self not in (Fact.stack_has_head, Fact.stack_is_root, Fact.switched_round)


#: The facts that have no meaning for links without direction.
DIRECTED = frozenset(
    {
        *(Fact.stack_has_head, Fact.buffer_has_head, Fact.stack_reaches_buffer, Fact.buffer_reaches_stack),
        *(Fact.arc_from_stack, Fact.arc_from_buffer),
    }
)


@dataclass(frozen=True, repr=False)
class Guard:
    """A condition on a configuration; build it from the facts of this module."""

    alternatives: tuple[Alternative, ...]

    def __and__(self, other: Guard) -> Guard:
        if not isinstance(other, Guard):
            return NotImplemented
        pairs = [(a, b) for a in self.alternatives for b in other.alternatives]
        return _normal([(a[0] | b[0], a[1] | b[1]) for a, b in pairs], f"{self!r} and {other!r}")

    def __or__(self, other: Guard) -> Guard:
        if not isinstance(other, Guard):
            return NotImplemented
        return _normal([*self.alternatives, *other.alternatives], f"{self!r} or {other!r}")

    def __invert__(self) -> Guard:
        return reduce(and_, [reduce(or_, map(_opposite, literals(alternative))) for alternative in self.alternatives])

    def __bool__(self) -> bool:
        raise TransitionError(f"a guard is neither true nor false: write &, | and ~, not and, or and not ({self!r})")

    def __repr__(self) -> str:
        return " | ".join(" & ".join(map(_text, literals(alternative))) for alternative in self.alternatives)

    @property
    def facts(self) -> frozenset[Fact]:
        """The facts it asks about."""
        used = reduce(or_, [must | must_not for must, must_not in self.alternatives])
        return frozenset(fact for fact in Fact if used >> fact & 1)

    def implies(self, other: Guard) -> bool:
        """Whether each alternative contains one of the other's, so that the other holds wherever this one does."""
        return all(
            any(_contains(alternative, wider) for wider in other.alternatives) for alternative in self.alternatives
        )

    def without(self, facts: Iterable[Fact]) -> Guard | None:
        """Forget these facts; None if nothing is left to ask."""
        mask = ~sum(1 << fact for fact in facts)
        left = [(must & mask, must_not & mask) for must, must_not in self.alternatives]
        return None if (0, 0) in left else _normal(left, repr(self))


def literals(alternative: Alternative) -> list[tuple[Fact, bool]]:
    """Return the facts that an alternative asks about, each with whether it must hold."""
    must, must_not = alternative
    return [(fact, bool(must >> fact & 1)) for fact in Fact if (must | must_not) >> fact & 1]


def _text(literal: tuple[Fact, bool]) -> str:
    fact, holds = literal
    return f"{'' if holds else '~'}g.{fact.name}"


def _opposite(literal: tuple[Fact, bool]) -> Guard:
    fact, holds = literal
    return Guard(((0, 1 << fact),) if holds else ((1 << fact, 0),))


def _contains(one: Alternative, other: Alternative) -> bool:
    return one[0] & other[0] == other[0] and one[1] & other[1] == other[1]


def _normal(alternatives: Iterable[Alternative], what: str) -> Guard:
    possible = {(must, must_not) for must, must_not in alternatives if not must & must_not}
    if not possible:
        raise TransitionError(f"the guard can never hold: {what} contradict each other")
    merged = possible
    while merged:
        possible = _minimal(possible | merged)
        merged = {both for one, other in combinations(possible, 2) if (both := _merged(one, other))}
    return Guard(tuple(sorted(possible)))


def _minimal(alternatives: set[Alternative]) -> set[Alternative]:
    return {one for one in alternatives if not any(one != other and _contains(one, other) for other in alternatives)}


def _merged(one: Alternative, other: Alternative) -> Alternative | None:
    """What `fact & rest | ~fact & rest` says: the rest, if that speaks of the same words already."""
    differing = one[0] ^ other[0]
    if differing != one[1] ^ other[1] or differing.bit_count() != 1:
        return None
    fact = Fact(differing.bit_length() - 1)
    rest = (one[0] & other[0], one[1] & other[1])
    others = [other for other, _ in literals(rest)]
    stack_known = not fact.about_stack or any(other.about_stack for other in others)
    buffer_known = not fact.about_buffer or any(other.about_buffer for other in others)
    return rest if others and stack_known and buffer_known else None


def _leaf(fact: Fact) -> Guard:
    return Guard(((1 << fact, 0),))


#: i has a head.
stack_has_head = _leaf(Fact.stack_has_head)
#: j has a head.
buffer_has_head = _leaf(Fact.buffer_has_head)
#: i and j are in the same weakly connected component.
connected = _leaf(Fact.connected)
#: There is a directed path from i to j.
stack_reaches_buffer = _leaf(Fact.stack_reaches_buffer)
#: There is a directed path from j to i.
buffer_reaches_stack = _leaf(Fact.buffer_reaches_stack)
#: The arc i → j is there.
arc_from_stack = _leaf(Fact.arc_from_stack)
#: The arc j → i is there.
arc_from_buffer = _leaf(Fact.arc_from_buffer)
#: With k stacks, the last k - 1 transitions were SWITCH, so that one more would only come back.
switched_round = _leaf(Fact.switched_round)
#: i is the artificial root.
stack_is_root = _leaf(Fact.stack_is_root)
#: j is the artificial root.
buffer_is_root = _leaf(Fact.buffer_is_root)
