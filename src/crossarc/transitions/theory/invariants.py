"""What can hold of the words on the stack and in the buffer, from the composition of the transitions alone.

An abstract interpretation. Of each word it keeps whether it has a head, of each two words whether they may be
connected; the words that a transition touches are followed one by one, all others are three groups: stack words without
a head, stack words with one, buffer words. A transition starts from what may hold of the groups and ends with its words
back in them; what may hold grows until no transition adds to it. It errs on one side: what it calls impossible is
impossible (as in arc-standard, where words that are still at hand are never connected, since dependents are dropped at
once). O(steps) times the cases that are told apart in one transition, of which there is a limit.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from operator import or_

from ..algebra.guards import Alternative, Fact
from ..algebra.transition import Definition, Operation, Step, Transition

#: The groups; words that are followed have positive numbers.
HEADLESS, HEADED, BUFFER = 0, -1, -2

#: Where there are more cases than this, they are put together, which loses some precision.
_MOST_CASES = 64

#: Two that may be connected. A group alone: two of its words; for stack words, one of that kind with one below it.
Pair = frozenset[int]


@dataclass(frozen=True)
class Invariant:
    """What may hold in some configuration; what is not here never does."""

    connected: frozenset[Pair] = frozenset()
    stack_heads: bool = False
    buffer_heads: bool = False

    def __or__(self, other: Invariant) -> Invariant:
        return Invariant(
            self.connected | other.connected,
            self.stack_heads or other.stack_heads,
            self.buffer_heads or other.buffer_heads,
        )


@dataclass
class Findings:
    """The transitions that may do what a proposition forbids: name of the transition → step."""

    second_head: dict[str, Step] = field(default_factory=dict)
    undirected_cycle: dict[str, Step] = field(default_factory=dict)
    directed_cycle: dict[str, Step] = field(default_factory=dict)
    root_reduced: dict[str, Step] = field(default_factory=dict)
    invariant: Invariant = field(default_factory=Invariant)


def analyse(system: Definition) -> Findings:
    """Return what may happen under a system."""
    invariant = Invariant()
    while True:
        run = _Run(system, invariant)
        reached = invariant
        for name, transition in system.transitions.items():
            for after in run.transition(name, transition):
                reached |= after
        if reached == invariant:
            run.findings.invariant = invariant
            return run.findings
        invariant = reached


@dataclass
class _Words:
    """The words that a transition has touched, and the groups of all others."""

    connected: set[Pair]
    stack_heads: bool
    buffer_heads: bool
    has_head: dict[int, bool] = field(default_factory=dict)
    stack: list[int] = field(default_factory=list)  # top last
    buffer: list[int] = field(default_factory=list)  # first first

    def copy(self) -> _Words:
        words = dict(self.has_head), list(self.stack), list(self.buffer)
        return _Words(set(self.connected), self.stack_heads, self.buffer_heads, *words)

    def key(self) -> Hashable:
        heads = frozenset(self.has_head.items())
        words = tuple(self.stack), tuple(self.buffer)
        return frozenset(self.connected), self.stack_heads, self.buffer_heads, heads, words

    def near(self, word: int) -> set[int]:
        return {other for pair in self.connected if word in pair for other in pair} | {word}

    def link(self, one: int, other: int) -> None:
        """Connect two words, and with them all that may be connected to either."""
        for a, b in product(self.near(one), self.near(other)):
            if {a, b} <= {HEADLESS, HEADED}:  # which of the two lies above is not known
                self.connected |= {frozenset((HEADLESS,)), frozenset((HEADED,))}
            elif a != b or a == BUFFER:
                self.connected.add(frozenset((a, b)))

    def forget(self, word: int) -> None:
        self.connected = {pair for pair in self.connected if word not in pair}
        del self.has_head[word]


class _Run:
    """One pass over the transitions from one invariant."""

    def __init__(self, system: Definition, invariant: Invariant) -> None:
        self.system = system
        self.invariant = invariant
        self.findings = Findings()
        # On several stacks, and with a second list, words outside the active stack may lie above its top.
        self.ordered = system.stacks == 1 and not system.has_lists
        self.name = ""

    def transition(self, name: str, transition: Transition) -> Iterator[Invariant]:
        self.name = name
        states = [_start(self.invariant)]
        for step in transition.steps:
            different = {after.key(): after for state in states for after in self._repeated(step, state)}
            states = list(different.values())
            if len(states) > _MOST_CASES:
                states = [_start(reduce(or_, map(self._folded, states)))]
        for state in states:
            yield self._folded(state)

    def _repeated(self, step: Step, state: _Words) -> Iterator[_Words]:
        if step.repeat is None:
            yield from self._step(step, state)
            return
        invariant = self._folded(state)
        while True:
            reached = invariant
            for after in self._step(step, _start(invariant)):
                reached |= self._folded(after)
            if reached == invariant:
                yield _start(invariant)
                return
            invariant = reached

    def _step(self, step: Step, state: _Words) -> Iterator[_Words]:
        asks_stack = step.operation not in (Operation.SHIFT, Operation.JOIN, Operation.CLEAR, Operation.SWITCH)
        asks_buffer = step.operation.adds_arc or step.operation in (Operation.SHIFT, Operation.SWAP)
        facts = step.guard.facts if step.guard is not None else frozenset()
        depth = step.depth + 1 if asks_stack or any(fact.about_stack for fact in facts) else 0
        ahead = 1 if asks_buffer or any(fact.about_buffer for fact in facts) else 0
        alternatives = [(0, 0)] if step.guard is None else step.guard.alternatives
        for known in self._with_words(state, depth, ahead):
            for alternative in alternatives:
                after = known.copy()
                if self._holds(alternative, step, after):
                    self._do(step, alternative, after)
                    yield after

    def _with_words(self, state: _Words, depth: int, ahead: int) -> Iterator[_Words]:
        """Bring in words from the groups until the stack and the buffer have so many that are followed."""
        if len(state.stack) < depth:
            for headed in (False, True) if state.stack_heads else (False,):
                yield from self._with_words(self._with_stack_word(state, headed), depth, ahead)
        elif len(state.buffer) < ahead:
            for headed in (False, True) if state.buffer_heads else (False,):
                after = state.copy()
                word = _new_word(after, BUFFER, headed)
                after.buffer.append(word)
                yield from self._with_words(after, depth, ahead)
        else:
            yield state

    def _with_stack_word(self, state: _Words, headed: bool) -> _Words:
        after = state.copy()
        group = HEADED if headed else HEADLESS
        word = _new_word(after, group, headed)
        kinds = (group,) if self.ordered else (HEADLESS, HEADED)
        if any(frozenset((kind,)) in after.connected for kind in kinds):
            after.connected |= {frozenset((word, HEADLESS)), frozenset((word, HEADED))}
        after.stack.insert(0, word)
        return after

    def _holds(self, alternative: Alternative, step: Step, state: _Words) -> bool:
        """Whether the guard may hold; if so, the state is made to agree with it."""
        must, must_not = alternative
        word = state.stack[-1 - step.depth] if len(state.stack) > step.depth else None
        first = state.buffer[0] if state.buffer else None
        for fact, node in ((Fact.stack_has_head, word), (Fact.buffer_has_head, first)):
            if node is not None and (must if not state.has_head[node] else must_not) >> fact & 1:
                return False
        if word is not None and first is not None:
            pair = frozenset((word, first))
            if must >> Fact.connected & 1 and pair not in state.connected:
                return False
            if must_not >> Fact.connected & 1:
                state.connected.discard(pair)
        return True

    def _do(self, step: Step, alternative: Alternative, state: _Words) -> None:
        operation = step.operation
        if operation.adds_arc:
            self._arc(step, alternative, state)
        elif operation is Operation.SHIFT:
            state.stack.append(state.buffer.pop(0))
        elif operation is Operation.UNSHIFT:
            state.buffer.insert(0, state.stack.pop())
        elif operation is Operation.SWAP:
            state.stack[-1], state.buffer[0] = state.buffer[0], state.stack[-1]
        elif operation is Operation.REDUCE:
            word = state.stack.pop(-1 - step.depth)
            if not state.has_head[word]:
                self.findings.root_reduced[self.name] = step
            if self.system.stacks == 1:
                state.forget(word)
            else:  # it may be on another stack still
                self._to_stack_group(state, word)
        elif operation is Operation.SKIP:
            self._to_stack_group(state, state.stack.pop())
        elif operation in (Operation.SWITCH, Operation.JOIN):
            while state.stack:
                self._to_stack_group(state, state.stack.pop(0))

    def _arc(self, step: Step, alternative: Alternative, state: _Words) -> None:
        word, first = state.stack[-1 - step.depth], state.buffer[0]
        if frozenset((word, first)) in state.connected:
            self.findings.undirected_cycle[self.name] = step
        if step.operation is not Operation.ARC:
            leftward = step.operation is Operation.LEFT_ARC
            head, dependent = (first, word) if leftward else (word, first)
            path = Fact.stack_reaches_buffer if leftward else Fact.buffer_reaches_stack
            # A cycle needs a path from the dependent to the head, which then has a head itself.
            if frozenset((word, first)) in state.connected and state.has_head[head] and not alternative[1] >> path & 1:
                self.findings.directed_cycle[self.name] = step
            if state.has_head[dependent]:
                self.findings.second_head[self.name] = step
            state.has_head[dependent] = True
        state.link(word, first)

    def _to_stack_group(self, state: _Words, word: int) -> None:
        headed = state.has_head[word]
        group = HEADED if headed else HEADLESS
        state.stack_heads |= headed
        for other in state.near(word) - {word}:
            if other in (HEADLESS, HEADED):
                kinds = (group,) if self.ordered else (HEADLESS, HEADED)
                state.connected |= {frozenset((kind,)) for kind in kinds}
            else:
                state.connected.add(frozenset((group, other)))
        state.forget(word)

    def _folded(self, state: _Words) -> Invariant:
        """Put all words back into the groups."""
        after = state.copy()
        while after.stack:  # from below, so that each lies above those in the groups
            self._to_stack_group(after, after.stack.pop(0))
        for word in after.buffer:
            after.buffer_heads |= after.has_head[word]
            after.connected |= {frozenset((BUFFER, other)) for other in after.near(word) - {word}}
            after.forget(word)
        return Invariant(frozenset(after.connected), after.stack_heads, after.buffer_heads)


def _start(invariant: Invariant) -> _Words:
    return _Words(set(invariant.connected), invariant.stack_heads, invariant.buffer_heads)


def _new_word(state: _Words, group: int, headed: bool) -> int:
    """Follow a word of a group; it may be connected to whatever the group may."""
    word = 1 + max(state.has_head, default=0)
    for pair in list(state.connected):
        if group in pair and (group == BUFFER or len(pair) == 2):
            (other,) = pair - {group} or {group}
            state.connected.add(frozenset((word, other)))
    state.has_head[word] = headed
    return word
