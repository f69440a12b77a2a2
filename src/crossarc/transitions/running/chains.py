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
from ..algebra.guards import Fact
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
from .explanation import PlainState, fact_holds

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
    >>> right_arc = ElementaryChain.from_transition(systems.arc_standard.transitions["right_arc"])
    >>> right_arc
    RIGHT_ARC >> SHIFT >> REDUCE >> UNSHIFT
    >>> right_arc.decrease
    Decrease(arcs=1, words=1, buffer=0)
    """

    operations: tuple[Operation, ...] = ()

    def __post_init__(self) -> None:
        for operation in self.operations:
            if operation not in ELEMENTARY:
                known = ", ".join(operation.name for operation in ELEMENTARY)
                raise TransitionError(f"{operation!r} is not an elementary transition (2013, Section 3): use {known}")

    @classmethod
    def from_transition(cls, transition: Transition, position: int = 1) -> ElementaryChain:
        """Take a transition apart; one that comes in a form for each position is taken at this one.

        What is not composed of elementary transitions is refused: SWAP, Covington's lists, arcs to deeper words.
        """
        return cls(tuple(operation for step in transition.steps for operation in _operations(step, position)))

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
        for number, operation in enumerate(self.operations, start=1):
            name = operation.name.lower()
            if name not in configuration.legal():
                raise TransitionError(
                    f"{operation.name}, number {number} of the chain, cannot be done: {configuration}"
                )
            passed.append(configuration.apply(name).copy())
        return passed

    def graph(self, words: int, root: str = "none", stacks: int = 1) -> Graph:
        """Return the graph that it builds for so many words."""
        arcs = self.sequence(words, root, stacks)[-1].arcs
        return Graph(words, [(arc.head, arc.dependent) for arc in arcs], root_node=root != "none")

    def premises(self, words: int, root: str = "none", stacks: int = 1) -> Premises:
        """Return which premises of the propositions it meets for so many words."""
        states = [PlainState.from_configuration(before) for before in self.sequence(words, root, stacks)]

        def holding(fact: Fact, *operations: Operation) -> list[bool | None]:
            steps = zip(self.operations, states, strict=False)
            return [fact_holds(fact, state, 0) for operation, state in steps if operation in operations]

        return Premises(
            all(holding(Fact.stack_has_head, Operation.REDUCE)),
            not any(
                [*holding(Fact.stack_has_head, Operation.LEFT_ARC), *holding(Fact.buffer_has_head, Operation.RIGHT_ARC)]
            ),
            not any(holding(Fact.connected, Operation.LEFT_ARC, Operation.RIGHT_ARC)),
        )


@dataclass(frozen=True)
class TransitionChain:
    """Transitions of a system one after the other, each a name and a position, which is 0 for most (Definition 8).

    >>> from crossarc.transitions import systems
    >>> chain = TransitionChain.from_steps(systems.arc_eager, ["shift", "left_arc", "shift", "right_arc"])
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
    def from_steps(
        cls, system: TransitionSystem, steps: Iterable[str | tuple[str, str | None, int]]
    ) -> TransitionChain:
        """Make a chain of names of transitions, or of the steps of a derivation: names, labels and positions."""
        return cls(system, tuple((step, 0) if isinstance(step, str) else (step[0], step[2]) for step in steps))

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
        parts = (ElementaryChain.from_transition(transitions[name], position) for name, position in self.steps)
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


def _operations(step: Step, position: int) -> tuple[Operation, ...]:
    """Return the elementary transitions of a step of a transition at a position."""
    if step.operation not in ELEMENTARY or step.depth:
        raise TransitionError(f"{step!r} is not composed of elementary transitions (2013, Definition 7)")
    times = 1 if step.repeat is None else position + step.repeat.constant
    return (step.operation,) * times
