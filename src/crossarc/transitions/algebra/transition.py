"""Elementary transitions, what is composed of them, and the definition of a system: named transitions on stacks.

Definitions 6 and 7 of Gómez-Rodríguez & Nivre 2013. `a >> b` does a and then b; `t.where(guard)` restricts the first
step, whose guard is asked just before it is done; `t ** 3` is three times, and `SHIFT ** P` as many times as the
position P of the transition says (easy-first); `t.at(1)` is about the word below the top of the stack (Attardi 2006).
Values are immutable and compare by their parts.

The elementary transitions are the five of Section 3 of the 2013 article, and what the systems beyond them need. A
configuration has k stacks (one of them active), a buffer and arcs; for Covington's algorithm (Nivre 2008) the stack is
the list λ1, and a second list λ2 lies beside it. i is the top of the active stack, j the first word of the buffer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from types import MappingProxyType
from typing import Any

from ... import _kernel
from ...errors import TransitionError
from .guards import Guard


class Operation(IntEnum):
    """What elementary transitions do; the value is the kernel's."""

    SHIFT = _kernel.Operation.SHIFT
    UNSHIFT = _kernel.Operation.UNSHIFT
    REDUCE = _kernel.Operation.REDUCE
    LEFT_ARC = _kernel.Operation.LEFT_ARC
    RIGHT_ARC = _kernel.Operation.RIGHT_ARC
    ARC = _kernel.Operation.ARC
    SWITCH = _kernel.Operation.SWITCH
    SWAP = _kernel.Operation.SWAP
    SKIP = _kernel.Operation.SKIP
    JOIN = _kernel.Operation.JOIN
    CLEAR = _kernel.Operation.CLEAR

    @property
    def adds_arc(self) -> bool:
        """Whether it adds an arc between a stack word and the first buffer word."""
        return self in (Operation.LEFT_ARC, Operation.RIGHT_ARC, Operation.ARC)


#: The elementary transitions of the 2013 article, of which divisible systems are made.
DIVISIBLE = frozenset({Operation.SHIFT, Operation.UNSHIFT, Operation.REDUCE, Operation.LEFT_ARC, Operation.RIGHT_ARC})
#: Those about Covington's second list.
LISTS = frozenset({Operation.SKIP, Operation.JOIN, Operation.CLEAR})
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
        if len(self.steps) + len(other.steps) > _kernel.MOST_STEPS:
            raise TransitionError(f"a transition has at most {_kernel.MOST_STEPS} elementary transitions")
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
        if not isinstance(depth, int) or not 0 <= depth <= _kernel.MOST_DEPTH:
            raise TransitionError(f"the depth must be a number from 0 to {_kernel.MOST_DEPTH}, not {depth!r}")
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
            if times.constant > _kernel.MOST_REPEATS:
                raise TransitionError(f"{step!r} ** {times!r}: at most {_kernel.MOST_REPEATS} may be added to P")
            return Transition((replace(step, repeat=times),))
        if not isinstance(times, int) or not 1 <= times * len(self.steps) <= _kernel.MOST_STEPS:
            raise TransitionError(f"** takes P, P - 1, … or a number from 1 to {_kernel.MOST_STEPS}, not {times!r}")
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

    @property
    def takes_position(self) -> bool:
        """Whether it comes in a form for each position."""
        return any(step.repeat for step in self.steps)


@dataclass(frozen=True, eq=False, repr=False)
class Definition:
    """What a system is made of; equal by all of its parts. Whether they fit together `TransitionSystem` checks."""

    name: str
    stacks: int
    #: What every transition with an arc chooses a label from; None if arcs have none.
    labels: tuple[str, ...] | None
    #: By name, in the order of definition.
    transitions: Mapping[str, Transition]

    def __post_init__(self) -> None:
        object.__setattr__(self, "transitions", MappingProxyType(dict(self.transitions)))

    @property
    def steps(self) -> list[Step]:
        """The steps of all transitions."""
        return [step for transition in self.transitions.values() for step in transition.steps]

    @property
    def operations(self) -> frozenset[Operation]:
        """The elementary transitions that occur."""
        return frozenset(step.operation for step in self.steps)

    @property
    def is_undirected(self) -> bool:
        """Whether it builds links without direction."""
        return Operation.ARC in self.operations

    @property
    def has_lists(self) -> bool:
        """Whether its configurations have Covington's second list."""
        return bool(self.operations & LISTS)

    @property
    def chooses_position(self) -> bool:
        """Whether a transition takes a position, as those of easy-first do."""
        return any(step.repeat for step in self.steps)

    @property
    def is_divisible(self) -> bool:
        """Whether it is made of the five elementary transitions of the 2013 article alone (Definition 7)."""
        return self.operations <= DIVISIBLE and not any(step.depth for step in self.steps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Definition) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[Any, ...]:
        return self.name, self.stacks, self.labels, tuple(self.transitions.items())


def _elementary(operation: Operation) -> Transition:
    return Transition((Step(operation),))


#: j goes on all stacks.
SHIFT = _elementary(Operation.SHIFT)
#: The top word, if it is that of all stacks, goes back to the front of the buffer.
UNSHIFT = _elementary(Operation.UNSHIFT)
#: i leaves the active stack; `REDUCE.at(d)`: the word at depth d does.
REDUCE = _elementary(Operation.REDUCE)
#: j → i, unless that arc is there or i is the artificial root; `.at(d)`: to the word at depth d.
LEFT_ARC = _elementary(Operation.LEFT_ARC)
#: i → j, unless that arc is there or j is the artificial root; `.at(d)`: from the word at depth d.
RIGHT_ARC = _elementary(Operation.RIGHT_ARC)
#: A link between i and j without direction (Gómez-Rodríguez & Fernández-González 2012), unless it is there.
ARC = _elementary(Operation.ARC)
#: The next stack becomes the active one.
SWITCH = _elementary(Operation.SWITCH)
#: i and j change places, if i comes before j in the sentence and neither is the artificial root (Nivre 2009).
SWAP = _elementary(Operation.SWAP)
#: i goes from the end of λ1 to the front of λ2.
SKIP = _elementary(Operation.SKIP)
#: λ1 becomes λ1·λ2, and λ2 empty.
JOIN = _elementary(Operation.JOIN)
#: λ2 becomes empty; its words are dropped.
CLEAR = _elementary(Operation.CLEAR)
#: The position of a transition that comes in one form for each position 1, 2, … of the sentence.
P = Position()
