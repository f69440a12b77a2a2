"""Transition chains as values: what was done, transition by transition and in elementary transitions.

Definitions 8 to 10 of Gómez-Rodríguez & Nivre 2013. A `TransitionChain` names the transitions of a system one after the
other (Definition 8). Each is a composition of elementary transitions; one behind the other, without their restrictions,
they are the `ElementaryChain` of the chain (Definition 9), and the configurations that it passes through are the
elementary transition sequence (Definition 10). Chains compose by `>>`. The premises of Propositions 1 to 3 can be asked
of a chain: if they hold, its graph has no covered roots, single heads, no cycle; by Proposition 4 it is planar in any
case, on k stacks k-planar (Section 5.1). A chain of m elementary transitions is run in O(m · n).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, reduce
from operator import rshift
from typing import NamedTuple

from ...errors import TransitionError
from ...structure.graph import Graph
from ..algebra.system import TransitionSystem
from ..algebra.transition import (
    DIVISIBLE,
    LEFT_ARC,
    REDUCE,
    RIGHT_ARC,
    SHIFT,
    SWITCH,
    UNSHIFT,
    Operation,
    Step,
    Transition,
)
from .configuration import Configuration

#: What chains are made of: the five elementary transitions and, on k stacks, SWITCH.
ELEMENTARY = (*sorted(DIVISIBLE), Operation.SWITCH)


class Decrease(NamedTuple):
    """How a chain changes a configuration, as Section 3.2.2 counts it."""

    #: How many arcs are added.
    arcs: int
    #: How many words leave the stacks and the buffer.
    words: int
    #: By how many words the buffer gets shorter; negative if it gets longer.
    buffer: int


@dataclass(frozen=True)
class Premises:
    """Where the elementary transitions of a chain were applied (Propositions 1 to 3)."""

    #: Every REDUCE was of a word with a head: no root is covered (Proposition 1).
    reduced_with_head: bool
    #: Every arc was to a word without a head: no word has two (Proposition 2).
    attached_once: bool
    #: Every arc was between words that were not connected: there is no cycle, directed or not (Proposition 3).
    joined_components: bool


@dataclass(frozen=True)
class ElementaryChain:
    """Elementary transitions one after the other, without restrictions; the empty chain changes nothing.

    >>> from crossarc.transitions import systems
    >>> right_arc = ElementaryChain.of(systems.arc_standard.transitions["right_arc"])
    >>> right_arc
    RIGHT_ARC >> SHIFT >> REDUCE >> UNSHIFT
    >>> right_arc.decrease
    Decrease(arcs=1, words=1, buffer=0)
    """

    operations: tuple[Operation, ...] = ()

    def __post_init__(self) -> None:
        for operation in self.operations:
            if operation not in ELEMENTARY:
                known = ", ".join(one.name for one in ELEMENTARY)
                raise TransitionError(f"{operation!r} is not an elementary transition (2013, Section 3): use {known}")

    @classmethod
    def of(cls, transition: Transition, position: int = 1) -> ElementaryChain:
        """Take a transition apart; one that comes in a form for each position is taken at this one.

        What is not composed of elementary transitions is refused: SWAP, Covington's lists, arcs to deeper words.
        """
        return cls(tuple(one for step in transition.steps for one in _operations(step, position)))

    def __rshift__(self, other: ElementaryChain) -> ElementaryChain:
        if not isinstance(other, ElementaryChain):
            return NotImplemented
        return ElementaryChain(self.operations + other.operations)

    def __len__(self) -> int:
        return len(self.operations)

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.operations)

    def __repr__(self) -> str:
        return " >> ".join(operation.name for operation in self.operations) or "ElementaryChain()"

    @property
    def transition(self) -> Transition:
        """The transition that does all of it at once."""
        if not self.operations:
            raise TransitionError("the empty chain is no transition: there is nothing to compose")
        return reduce(rshift, (Transition((Step(operation),)) for operation in self.operations))

    @property
    def decrease(self) -> Decrease:
        """How it changes a configuration on one stack; on several, REDUCE takes a word from one of them only."""
        count = self.operations.count
        arcs = count(Operation.LEFT_ARC) + count(Operation.RIGHT_ARC)
        return Decrease(arcs, count(Operation.REDUCE), count(Operation.SHIFT) - count(Operation.UNSHIFT))

    def sequence(self, words: int, root: str = "none", stacks: int = 1) -> list[Configuration]:
        """Return the configurations that it passes through, from the initial one on (Definition 10)."""
        configuration = Configuration(elementary_system(stacks), words, root)
        passed = [configuration.copy()]
        for place, operation in enumerate(self.operations, start=1):
            name = operation.name.lower()
            if name not in configuration.legal():
                raise TransitionError(f"{operation.name}, number {place} of the chain, cannot be done: {configuration}")
            passed.append(configuration.apply(name).copy())
        return passed

    def graph(self, words: int, root: str = "none", stacks: int = 1) -> Graph:
        """Return the graph that it builds for so many words."""
        arcs = self.sequence(words, root, stacks)[-1].arcs
        return Graph(words, [(arc.head, arc.dependent) for arc in arcs], root_node=root != "none")

    def premises(self, words: int, root: str = "none", stacks: int = 1) -> Premises:
        """Return which premises of the propositions it meets for so many words."""
        passed = self.sequence(words, root, stacks)
        places = [(operation, _Place(before)) for operation, before in zip(self.operations, passed, strict=False)]
        arcs = [(operation, place) for operation, place in places if operation.adds_arc]
        return Premises(
            all(place.has_head(place.top) for operation, place in places if operation is Operation.REDUCE),
            not any(place.has_head(place.top if op is Operation.LEFT_ARC else place.first) for op, place in arcs),
            not any(place.connected() for _, place in arcs),
        )


@dataclass(frozen=True)
class TransitionChain:
    """Transitions of a system one after the other, each a name and a position, which is 0 for most (Definition 8).

    >>> from crossarc.transitions import systems
    >>> chain = TransitionChain.of(systems.arc_eager, ["shift", "left_arc", "shift", "right_arc"])
    >>> chain.elementary
    SHIFT >> LEFT_ARC >> REDUCE >> SHIFT >> RIGHT_ARC >> SHIFT
    >>> chain.elementary.graph(3).arcs
    [(2, 1), (2, 3)]
    """

    system: TransitionSystem
    steps: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        for name, _ in self.steps:
            if name not in self.system.transitions:
                known = ", ".join(self.system.transitions)
                raise TransitionError(f"{self.system.name} has no transition {name!r}; it has {known}")

    @classmethod
    def of(cls, system: TransitionSystem, steps: Iterable[str | tuple[str, str | None, int]]) -> TransitionChain:
        """Make a chain of names of transitions, or of the steps of a derivation: names, labels and positions."""
        return cls(system, tuple((one, 0) if isinstance(one, str) else (one[0], one[2]) for one in steps))

    def __rshift__(self, other: TransitionChain) -> TransitionChain:
        if not isinstance(other, TransitionChain):
            return NotImplemented
        if other.system != self.system:
            raise TransitionError(f"a chain of {self.system.name} does not go on with one of {other.system.name}")
        return TransitionChain(self.system, self.steps + other.steps)

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def elementary(self) -> ElementaryChain:
        """The elementary transitions of all, one behind the other (Definition 9)."""
        transitions = self.system.transitions
        parts = (ElementaryChain.of(transitions[name], position) for name, position in self.steps)
        return ElementaryChain(tuple(operation for part in parts for operation in part))

    def sequence(self, words: int, root: str = "none") -> list[Configuration]:
        """Return the configurations of the system that it passes through; what is not legal is refused."""
        configuration = Configuration(self.system, words, root)
        passed = [configuration.copy()]
        for name, position in self.steps:
            passed.append(configuration.apply(name, position=position).copy())
        return passed


@cache
def elementary_system(stacks: int = 1) -> TransitionSystem:
    """Return the system whose transitions are the elementary ones, which elementary chains run on.

    It is the most general divisible system, and it is not bounded: SHIFT and UNSHIFT may follow each other for ever.
    """
    system = TransitionSystem(
        "elementary", shift=SHIFT, unshift=UNSHIFT, reduce=REDUCE, left_arc=LEFT_ARC, right_arc=RIGHT_ARC
    )
    return system if stacks == 1 else system.with_stacks(stacks).extended("elementary", switch=SWITCH)


class _Place:
    """The two words that an elementary transition is about, and the arcs that are there."""

    def __init__(self, configuration: Configuration) -> None:
        stack, buffer = configuration.stack, configuration.buffer
        self.top = stack[-1] if stack else -1
        self.first = buffer[0] if buffer else -1
        self.arcs = [(arc.head, arc.dependent) for arc in configuration.arcs]

    def has_head(self, word: int) -> bool:
        return any(dependent == word for _, dependent in self.arcs)

    def connected(self) -> bool:
        reached = {self.top}
        while True:
            ends = {end for arc in self.arcs if reached.intersection(arc) for end in arc}
            if ends <= reached:
                return self.first in reached
            reached |= ends


def _operations(step: Step, position: int) -> tuple[Operation, ...]:
    """Return the elementary transitions of a step of a transition at a position."""
    if step.operation not in ELEMENTARY or step.depth:
        raise TransitionError(f"{step!r} is not composed of elementary transitions (2013, Definition 7)")
    times = 1 if step.repeat is None else position + step.repeat.constant
    return (step.operation,) * times
