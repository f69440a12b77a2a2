"""Why a transition is allowed in a configuration or not, in words: for people who step through a parse.

A transition is gone through step by step, as Section 3.1 of Gómez-Rodríguez & Nivre 2013 defines its elementary
transitions and their restrictions, on plain lists; the kernel's machine decides the same, faster, and says nothing. A
question costs O(steps · (words + arcs)).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from ..algebra.guards import Fact, Guard, literals
from ..algebra.transition import Operation, Step, Transition
from .configuration import Configuration
from .machine import active_first

#: Words for a fact that holds, and for one that does not; i is the stack word, j the first word of the buffer.
_FACTS: dict[Fact, tuple[str, str]] = {
    Fact.stack_has_head: ("{i} has a head", "{i} has no head"),
    Fact.buffer_has_head: ("{j} has a head", "{j} has no head"),
    Fact.connected: ("{i} and {j} are connected", "{i} and {j} are not connected"),
    Fact.stack_reaches_buffer: ("a path of arcs leads from {i} to {j}", "no path of arcs leads from {i} to {j}"),
    Fact.buffer_reaches_stack: ("a path of arcs leads from {j} to {i}", "no path of arcs leads from {j} to {i}"),
    Fact.arc_from_stack: ("the arc {i} → {j} is there", "there is no arc {i} → {j}"),
    Fact.arc_from_buffer: ("the arc {j} → {i} is there", "there is no arc {j} → {i}"),
    Fact.switched_round: ("one more SWITCH would only come back", "it does not just undo a SWITCH"),
    Fact.stack_is_root: ("{i} is the artificial root", "{i} is not the artificial root"),
    Fact.buffer_is_root: ("{j} is the artificial root", "{j} is not the artificial root"),
}
_NO_STACK_WORD = "there is no word on the stack"
_NO_BUFFER_WORD = "the buffer is empty"


class Explanation(NamedTuple):
    """Whether a transition is allowed, and why: the condition that fails, or all conditions that hold."""

    allowed: bool
    why: str


@dataclass(frozen=True)
class PlainState:
    """A configuration on plain lists; tops are last, the active stack first."""

    stacks: tuple[tuple[int, ...], ...]
    aside: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: frozenset[tuple[int, int]]
    switched: int

    def word(self, depth: int) -> int | None:
        """The stack word at a depth, if there is one."""
        return self.stacks[0][-1 - depth] if len(self.stacks[0]) > depth else None

    @property
    def first(self) -> int | None:
        """The first word of the buffer, if there is one."""
        return self.buffer[0] if self.buffer else None

    @classmethod
    def from_configuration(cls, configuration: Configuration, switched: int = 0) -> PlainState:
        """Take a configuration, before which came so many SWITCH in a row."""
        plain = configuration.describe()
        arcs = frozenset((head, dependent) for head, dependent, _ in plain["arcs"])
        stacks = tuple(map(tuple, active_first(plain)))
        return cls(stacks, tuple(plain["aside"]), tuple(plain["buffer"]), arcs, switched)

    @cached_property
    def components(self) -> dict[int | None, int]:
        """The component of each word that has an arc, by the number of one of its words."""
        parent: dict[int, int] = {}

        def top(word: int) -> int:
            while parent.setdefault(word, word) != word:
                parent[word] = parent[parent[word]]
                word = parent[word]
            return word

        for head, dependent in self.arcs:
            parent[top(head)] = top(dependent)
        return {word: top(word) for word in list(parent)}


class _NotAllowedError(Exception):
    """A step that cannot be done; its text says why."""


def explain(
    configuration: Configuration,
    transition: str,
    position: int = 0,
    *,
    switched: int = 0,
    name: Callable[[int], str] = str,
) -> Explanation:
    """Say why a transition is allowed in a configuration or not.

    `switched`: how many SWITCH in a row came just before. `name` gives the name of a word by its number.

    >>> from crossarc.transitions import systems
    >>> configuration = systems.get("arc-eager").start(2)
    >>> explain(configuration, "left_arc").why
    'there is no word on the stack'
    >>> explain(configuration.apply("shift"), "left_arc").why
    '1 has no head'
    """
    state = PlainState.from_configuration(configuration, switched)
    return _explained(state, configuration.system.transitions[transition], position, name)


def explain_all(
    configuration: Configuration, *, switched: int = 0, name: Callable[[int], str] = str
) -> dict[str, Explanation]:
    """Say it of all transitions of the system, of those with a position at the first one."""
    state = PlainState.from_configuration(configuration, switched)
    return {
        key: _explained(state, transition, int(transition.takes_position), name)
        for key, transition in configuration.system.transitions.items()
    }


def _explained(state: PlainState, transition: Transition, position: int, name: Callable[[int], str]) -> Explanation:
    holding: list[str] = []
    try:
        for step in _repeated(transition, position):
            if step.guard is not None:
                holding += _check_guard(step.guard, state, step.depth, name)
            state = _done(step, state, name)
    except _NotAllowedError as refused:
        return Explanation(False, str(refused))
    return Explanation(True, "; ".join(dict.fromkeys(holding)) or "it has no restriction")


def count_switches(before: int, transition: Transition, stacks: int) -> int:
    """Return how many SWITCH in a row came last, after a transition."""
    if [step.operation for step in transition.steps] != [Operation.SWITCH]:
        return 0
    return min(before + 1, stacks - 1)


def _repeated(transition: Transition, position: int) -> Iterable[Step]:
    for step in transition.steps:
        for _ in range(1 if step.repeat is None else position + step.repeat.constant):
            yield step


# Guards


def _check_guard(guard: Guard, state: PlainState, depth: int, name: Callable[[int], str]) -> list[str]:
    """Return the facts of the alternative that holds, in words; where none does, refuse with what is wrong."""
    wrong: list[str] = []
    for alternative in guard.alternatives:
        facts = [(fact, required, fact_holds(fact, state, depth)) for fact, required in literals(alternative)]
        failing = [_said(fact, holds, state, depth, name) for fact, required, holds in facts if holds is not required]
        if not failing:
            return [_said(fact, holds, state, depth, name) for fact, _, holds in facts]
        wrong += failing
    raise _NotAllowedError("; ".join(dict.fromkeys(wrong)))


def _said(fact: Fact, holds: bool | None, state: PlainState, depth: int, name: Callable[[int], str]) -> str:
    i, j = state.word(depth), state.first
    if holds is None:
        return _NO_STACK_WORD if fact.about_stack and i is None else _NO_BUFFER_WORD
    return _FACTS[fact][0 if holds else 1].format(i="" if i is None else name(i), j="" if j is None else name(j))


def fact_holds(fact: Fact, state: PlainState, depth: int) -> bool | None:
    """Whether a fact holds; None if a word that it is about is not there."""
    if fact is Fact.switched_round:
        return state.switched >= len(state.stacks) - 1
    i, j = state.word(depth), state.first
    if (fact.about_stack and i is None) or (fact.about_buffer and j is None):
        return None
    dependents, components = {dependent for _, dependent in state.arcs}, state.components
    answers: dict[Fact, Callable[[], bool]] = {
        Fact.stack_has_head: lambda: i in dependents,
        Fact.buffer_has_head: lambda: j in dependents,
        Fact.stack_is_root: lambda: i == 0,
        Fact.buffer_is_root: lambda: j == 0,
        Fact.connected: lambda: i == j or (i in components and components[i] == components.get(j)),
        Fact.stack_reaches_buffer: lambda: j in _reached(state.arcs, i),
        Fact.buffer_reaches_stack: lambda: i in _reached(state.arcs, j),
        Fact.arc_from_stack: lambda: (i, j) in state.arcs,
        Fact.arc_from_buffer: lambda: (j, i) in state.arcs,
    }
    return answers[fact]()


def _reached(arcs: frozenset[tuple[int, int]], start: int | None) -> set[int | None]:
    """Return the words that a path of arcs leads to."""
    reached: set[int | None] = {start}
    while more := {dependent for head, dependent in arcs if head in reached} - reached:
        reached |= more
    return reached


# Elementary transitions


def _done(step: Step, state: PlainState, name: Callable[[int], str]) -> PlainState:
    """Return the state after a step; one that cannot be done is refused with the reason."""
    active, others = state.stacks[0], state.stacks[1:]
    match step.operation:
        case Operation.JOIN:
            return replace(state, stacks=(active + state.aside,), aside=())
        case Operation.CLEAR:
            return replace(state, aside=())
        case Operation.SWITCH:
            return replace(state, stacks=(*others, active))
        case Operation.SHIFT:
            if not state.buffer:
                raise _NotAllowedError(_NO_BUFFER_WORD)
            pushed = tuple((*stack, state.buffer[0]) for stack in state.stacks)
            return replace(state, stacks=pushed, buffer=state.buffer[1:])
    word = state.word(step.depth)
    if word is None:
        below = f"the stack has no word {step.depth + 1} from its top"
        raise _NotAllowedError(below if step.depth else _NO_STACK_WORD)
    match step.operation:
        case Operation.UNSHIFT:
            if any(not stack or stack[-1] != word for stack in state.stacks):
                raise _NotAllowedError(f"{name(word)} is not the top of all stacks")
            return replace(state, stacks=tuple(stack[:-1] for stack in state.stacks), buffer=(word, *state.buffer))
        case Operation.REDUCE:
            index = len(active) - 1 - step.depth
            return replace(state, stacks=(active[:index] + active[index + 1 :], *others))
        case Operation.SKIP:
            return replace(state, stacks=(active[:-1],), aside=(word, *state.aside))
    return _between(step.operation, state, word, name)


def _between(operation: Operation, state: PlainState, word: int, name: Callable[[int], str]) -> PlainState:
    """Do what is between a stack word and the first word of the buffer."""
    first = state.first
    if first is None:
        raise _NotAllowedError(_NO_BUFFER_WORD)
    if operation is Operation.SWAP:
        if not 0 < word < first:
            root = 0 in (word, first)
            order = f"{name(word)} does not stand before {name(first)} in the sentence"
            raise _NotAllowedError("the artificial root stays in its place" if root else order)
        active = (*state.stacks[0][:-1], first)
        return replace(state, stacks=(active,), buffer=(word, *state.buffer[1:]))
    head, dependent = (first, word) if operation is Operation.LEFT_ARC else (word, first)
    if (head, dependent) in state.arcs or (operation is Operation.ARC and (dependent, head) in state.arcs):
        raise _NotAllowedError(f"the arc {name(head)} → {name(dependent)} is there already")
    if dependent == 0 and operation is not Operation.ARC:
        raise _NotAllowedError("the artificial root takes no head")
    return replace(state, arcs=state.arcs | {(head, dependent)})
