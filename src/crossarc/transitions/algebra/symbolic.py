"""A transition carried out on names instead of words: what it needs, what it leaves, and on which conditions.

Composition as in Definition 6 of Gómez-Rodríguez & Nivre 2013, done once for all configurations: words are brought in
from the unknown rest of a stack or the buffer when a step asks for them. Shows what a composition does in the papers'
notation (`notation`), that some can never be done, which are refused, and that two do the same. O(steps).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import NoReturn

from ...errors import TransitionError
from .guards import Alternative, Fact, literals
from .transition import Definition, Operation, Step, Transition

#: Stands among words for the p - 1 words that come before the last of SHIFT ** P.
BLOCK = 0


class NoClosedForm(Exception):  # noqa: N818
    """What the transition does depends on more than a fixed number of words."""


@dataclass
class Stack:
    """An unknown rest and, above it, known words: now, and before the transition."""

    rest: str
    rest_before: str
    words: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Condition:
    """A fact about words (i, j) that must hold or not, when so many arcs of the transition are there already."""

    fact: Fact | None  # None: i comes before j in the sentence
    words: tuple[int, int]
    holds: bool
    arcs: int


@dataclass
class Effect:
    """The configuration after a transition, and what it asked for."""

    stacks: list[Stack]
    stacks_before: list[Stack]
    buffer: list[int] = field(default_factory=list)
    buffer_before: list[int] = field(default_factory=list)
    #: Covington's second list: known words in front, then "λ2" or, once that was joined or cleared, nothing.
    second: list[int] = field(default_factory=list)
    second_rest: str = "λ2"
    arcs: list[tuple[int, int]] = field(default_factory=list)
    #: All must hold; each is a disjunction of conjunctions.
    conditions: list[list[list[Condition]]] = field(default_factory=list)
    known: int = 0

    @property
    def active(self) -> Stack:
        """The stack that the next step is about."""
        return self.stacks[0]


def unknown_stacks(system: Definition) -> list[Stack]:
    """Return the stacks of a configuration of which nothing is known."""
    several = [f"Σ{number}" for number in range(system.stacks)]
    names = ["λ1"] if system.has_lists else several if system.stacks > 1 else ["Σ"]
    return [Stack(name, name) for name in names]


def carry_out(transition: Transition, system: Definition) -> Effect:
    """Do a transition; TransitionError if it can never be done, NoClosedForm if it has no such form."""
    stacks = unknown_stacks(system)
    effect = Effect(stacks, list(stacks))
    for step in transition.steps:
        _Doing(effect, step).do()
    return effect


def effect_signature(transition: Transition, system: Definition) -> Hashable:
    """Return a value that is the same for two transitions, of the same system or not, only if they do the same.

    It holds the words that are needed and left, the arcs and the conditions, whatever the order of the steps; of a
    transition without such a form, its steps.
    """
    try:
        effect = carry_out(transition, system)
    except NoClosedForm:
        return transition.steps
    words = [word for stack in effect.stacks_before for word in stack.before] + effect.buffer_before
    ranks = {word: rank for rank, word in enumerate(dict.fromkeys(words))} | {BLOCK: "π"}

    def ranked(some: Iterable[int]) -> tuple[int | str, ...]:
        return tuple(ranks.get(word, "") for word in some)

    def arcs(count: int) -> Hashable:
        ends = [ranked(arc) for arc in effect.arcs[:count]]
        return frozenset(map(frozenset, ends) if system.is_undirected else ends)

    def key(condition: Condition) -> Hashable:
        # Arcs of the transition itself matter where a path may lead over them; else they have decided the fact already.
        before = arcs(condition.arcs) if condition.fact in _PATHS else None
        return condition.fact, ranked(condition.words), condition.holds, before

    return (
        tuple((stack.rest_before, ranked(stack.before)) for stack in effect.stacks_before),
        ranked(effect.buffer_before),
        tuple((stack.rest, ranked(stack.words)) for stack in effect.stacks),
        (ranked(effect.second), effect.second_rest),
        ranked(effect.buffer),
        arcs(len(effect.arcs)),
        frozenset(frozenset(frozenset(map(key, some)) for some in condition) for condition in effect.conditions),
    )


_PATHS = {Fact.connected, Fact.stack_reaches_buffer, Fact.buffer_reaches_stack}


class _Doing:
    """One step."""

    def __init__(self, effect: Effect, step: Step) -> None:
        self.effect = effect
        self.step = step

    def do(self) -> None:
        if self.step.guard is not None:
            self._ask(list(self.step.guard.alternatives))
        if self.step.repeat is not None:
            self._repeat(self.step.repeat.constant)
        else:
            getattr(self, f"_{self.step.operation.name.lower()}")()

    def _new(self) -> int:
        self.effect.known += 1
        return self.effect.known

    def _stack_word(self, depth: int = 0) -> int:
        stack = self.effect.active
        while len(stack.words) <= depth:
            if any(other.before for other in self.effect.stacks[1:]):
                raise NoClosedForm  # it may or may not be a word that is known from another stack
            self._bring(stack, self._new())
        return _word(stack.words[-1 - depth])

    def _bring(self, stack: Stack, word: int) -> None:
        if "·" in stack.rest:
            raise NoClosedForm
        stack.words.insert(0, word)
        stack.before.insert(0, word)

    def _buffer_word(self) -> int:
        if not self.effect.buffer:
            word = self._new()
            self.effect.buffer.append(word)
            self.effect.buffer_before.append(word)
        return _word(self.effect.buffer[0])

    def _shift(self) -> None:
        word = self._buffer_word()
        self.effect.buffer.pop(0)
        for stack in self.effect.stacks:
            stack.words.append(word)

    def _unshift(self) -> None:
        word = self._stack_word()
        for stack in self.effect.stacks:
            if not stack.words:
                self._bring(stack, word)
            if _word(stack.words.pop()) != word:
                self._never("the top of all stacks cannot be the same word there")
        self.effect.buffer.insert(0, word)

    def _reduce(self) -> None:
        self._stack_word(self.step.depth)
        self.effect.active.words.pop(-1 - self.step.depth)

    def _left_arc(self) -> None:
        self._add(self._buffer_word(), self._stack_word(self.step.depth))

    def _right_arc(self) -> None:
        self._add(self._stack_word(self.step.depth), self._buffer_word())

    def _arc(self) -> None:
        self._add(*sorted((self._stack_word(self.step.depth), self._buffer_word())))

    def _add(self, head: int, dependent: int) -> None:
        if (head, dependent) in self.effect.arcs:
            self._never("the same arc was added before")
        self.effect.arcs.append((head, dependent))

    def _swap(self) -> None:
        top, first = self._stack_word(), self._buffer_word()
        if [[Condition(None, (first, top), True, 0)]] in self.effect.conditions:
            self._never("the two were swapped before")
        self.effect.conditions.append([[Condition(None, (top, first), True, 0)]])
        self.effect.active.words[-1], self.effect.buffer[0] = first, top

    def _switch(self) -> None:
        self.effect.stacks.append(self.effect.stacks.pop(0))

    def _skip(self) -> None:
        self.effect.second.insert(0, self._stack_word())
        self.effect.active.words.pop()

    def _join(self) -> None:
        stack, effect = self.effect.active, self.effect
        if effect.second_rest:
            if stack.words or effect.second:
                raise NoClosedForm
            stack.rest = f"{stack.rest}·{effect.second_rest}"
        stack.words += effect.second
        self._clear()

    def _clear(self) -> None:
        self.effect.second, self.effect.second_rest = [], ""

    def _repeat(self, constant: int) -> None:
        """Shift the block and constant + 1 words, or put them back; anything else has no closed form."""
        effect = self.effect
        if self.step.operation is Operation.SHIFT and not effect.buffer and BLOCK not in effect.active.words:
            effect.buffer_before.append(BLOCK)
            for stack in effect.stacks:
                stack.words.append(BLOCK)
            for _ in range(constant + 1):
                self._shift()
        elif self.step.operation is Operation.UNSHIFT:
            for _ in range(constant + 1):
                self._unshift()
            if any(stack.words[-1:] != [BLOCK] for stack in effect.stacks):
                raise NoClosedForm
            for stack in effect.stacks:
                stack.words.pop()
            effect.buffer.insert(0, BLOCK)
        else:
            raise NoClosedForm

    def _ask(self, alternatives: list[Alternative]) -> None:
        possible = [some for alternative in alternatives if (some := self._conjunction(alternative)) is not None]
        if not possible:
            self._never(f"{self.step.guard!r} cannot hold there")
        if [] not in possible:
            self.effect.conditions.append(possible)

    def _conjunction(self, alternative: Alternative) -> list[Condition] | None:
        """What of an alternative is left to ask; None if it cannot hold."""
        left = []
        for fact, holds in literals(alternative):
            words = (
                self._stack_word(self.step.depth) if fact.about_stack else -1,
                self._buffer_word() if fact.about_buffer else -1,
            )
            if not self._comes_about(fact, *words):
                left.append(Condition(fact, words, holds, len(self.effect.arcs)))
            elif not holds:
                return None
        return left

    def _comes_about(self, fact: Fact, i: int, j: int) -> bool:
        """Whether the arcs of the transition make a fact true; they can make none false."""
        arcs = self.effect.arcs
        dependents = {dependent for _, dependent in arcs}
        true = {
            Fact.stack_has_head: i in dependents,
            Fact.buffer_has_head: j in dependents,
            Fact.connected: (i, j) in arcs or (j, i) in arcs,
            Fact.stack_reaches_buffer: (i, j) in arcs,
            Fact.buffer_reaches_stack: (j, i) in arcs,
            Fact.arc_from_stack: (i, j) in arcs,
            Fact.arc_from_buffer: (j, i) in arcs,
        }
        return true.get(fact, False)

    def _never(self, reason: str) -> NoReturn:
        raise TransitionError(f"{self.step!r} can never be done in this place: {reason}")


def _word(word: int) -> int:
    if word == BLOCK:
        raise NoClosedForm
    return word
