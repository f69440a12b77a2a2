"""A transition is a composition of restricted elementary transitions.

Definitions 6 and 7 of Gómez-Rodríguez & Nivre 2013. `a >> b` does a and then b; `t.where(guard)` restricts the first
step, whose guard is asked just before it is done; `t ** 3` is three times, and `SHIFT ** P` as many times as the
position P of the transition says (easy-first); `t.at(1)` is about the word below the top of the stack (Attardi 2006).
Values are immutable and compare by their steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from ...errors import TransitionError
from .guards import Guard

#: More than any system needs, and little enough to find out all that a composition may do.
_MOST_STEPS = 64
_DEEPEST = 7


class Operation(IntEnum):
    """The elementary transitions; the value is the code of the machine."""

    SHIFT = 0
    UNSHIFT = 1
    REDUCE = 2
    LEFT_ARC = 3
    RIGHT_ARC = 4
    ARC = 5
    SWITCH = 6
    SWAP = 7
    SKIP = 8
    JOIN = 9
    CLEAR = 10

    @property
    def adds_arc(self) -> bool:
        """Whether it adds an arc between a stack word and the first buffer word."""
        return self in (Operation.LEFT_ARC, Operation.RIGHT_ARC, Operation.ARC)


#: The elementary transitions of the 2013 article, of which divisible systems are made.
DIVISIBLE = frozenset({Operation.SHIFT, Operation.UNSHIFT, Operation.REDUCE, Operation.LEFT_ARC, Operation.RIGHT_ARC})
#: What may be done a varying number of times.
_REPEATABLE = {Operation.SHIFT, Operation.UNSHIFT, Operation.REDUCE, Operation.SKIP}


@dataclass(frozen=True)
class Position:
    """The position p = 1, 2, … of a transition that comes in one form for each, plus a constant: `P`, `P - 1`."""

    constant: int = 0

    def __add__(self, number: int) -> Position:
        return Position(self.constant + number)

    __radd__ = __add__

    def __sub__(self, number: int) -> Position:
        return Position(self.constant - number)

    def __repr__(self) -> str:
        return "P" if not self.constant else f"(P {'+' if self.constant > 0 else '-'} {abs(self.constant)})"


@dataclass(frozen=True)
class Step:
    """One elementary transition: at which depth of the stack, how often (once, or by position), under which guard."""

    operation: Operation
    depth: int = 0
    repeat: Position | None = None
    guard: Guard | None = None

    def __repr__(self) -> str:
        depth = f".at({self.depth})" if self.depth else ""
        repeat = f"**{self.repeat}" if self.repeat else ""
        guard = f".where({self.guard!r})" if self.guard is not None else ""
        return f"{self.operation.name}{depth}{guard}{repeat}"

    def where(self, guard: Guard) -> Step:
        """Restrict it further."""
        if self.repeat:
            raise TransitionError(f"{self!r} cannot be guarded, since it is done a varying number of times")
        return replace(self, guard=guard if self.guard is None else self.guard & guard)


@dataclass(frozen=True, repr=False)
class Transition:
    """Steps that are done one after the other, or not at all."""

    steps: tuple[Step, ...]

    def __rshift__(self, other: Transition) -> Transition:
        if not isinstance(other, Transition):
            return NotImplemented
        if len(self.steps) + len(other.steps) > _MOST_STEPS:
            raise TransitionError(f"a transition has at most {_MOST_STEPS} elementary transitions")
        return Transition(self.steps + other.steps)

    def where(self, guard: Guard) -> Transition:
        """Allow it only where the guard holds just before its first step."""
        if not isinstance(guard, Guard):
            raise TransitionError(f"where() takes a guard such as ~g.stack_has_head, not {guard!r}")
        return Transition((self.steps[0].where(guard), *self.steps[1:]))

    def at(self, depth: int) -> Transition:
        """Take the stack word so many places below the top."""
        step = self._only("at() is for one elementary transition")
        if not (step.operation.adds_arc or step.operation is Operation.REDUCE):
            raise TransitionError(f"{step.operation.name} has no depth; REDUCE and the arc transitions have one")
        if not isinstance(depth, int) or not 0 <= depth <= _DEEPEST:
            raise TransitionError(f"the depth must be a number from 0 to {_DEEPEST}, not {depth!r}")
        return Transition((replace(step, depth=depth),))

    def __pow__(self, times: int | Position) -> Transition:
        if isinstance(times, Position):
            step = self._only("** P is for one elementary transition")
            if step.guard is not None or step.repeat:
                raise TransitionError(f"{step!r} cannot be repeated by position: it has a guard or is repeated already")
            if step.operation not in _REPEATABLE:
                raise TransitionError(f"{step!r} cannot be repeated by position; SHIFT, UNSHIFT, REDUCE and SKIP can")
            if times.constant < -1:
                raise TransitionError(f"{step!r} ** {times!r} is not possible for the first position, which is 1")
            return Transition((replace(step, repeat=times),))
        if not isinstance(times, int) or not 1 <= times * len(self.steps) <= _MOST_STEPS:
            raise TransitionError(f"** takes P, P - 1, … or a number from 1 to {_MOST_STEPS}, not {times!r}")
        return Transition(self.steps * times)

    def _only(self, what: str) -> Step:
        if len(self.steps) != 1:
            raise TransitionError(f"{what}, not for the composition {self!r}")
        return self.steps[0]

    def __repr__(self) -> str:
        return " >> ".join(map(repr, self.steps))

    @property
    def arcs(self) -> int:
        """How many arcs it adds."""
        return sum(step.operation.adds_arc for step in self.steps)
