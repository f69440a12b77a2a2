"""A transition system run plainly over all configurations, straight from the definitions and sharing nothing with the
kernel: what the papers say of each elementary transition, one line each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from crossarc.transitions import Operation, Transition, TransitionSystem
from crossarc.transitions.algebra.guards import Alternative, Fact
from crossarc.transitions.algebra.transition import Step

Arcs = frozenset[tuple[int, int]]


class Configuration(NamedTuple):
    stacks: tuple[tuple[int, ...], ...]  # the active one first, tops last
    second: tuple[int, ...]  # Covington's second list
    buffer: tuple[int, ...]
    arcs: Arcs
    switched: int  # how many SWITCH in a row came last


def initial(system: TransitionSystem, words: int, root: str = "none") -> Configuration:
    sentence = tuple(range(1, words + 1))
    buffer = {"none": sentence, "first": (0, *sentence), "last": (*sentence, 0)}[root]
    return Configuration(((),) * system.stacks, (), buffer, frozenset(), 0)


def component(arcs: Arcs, word: int) -> set[int]:
    found = {word}
    while more := {end for arc in arcs if found & set(arc) for end in arc} - found:
        found |= more
    return found


def reached(arcs: Arcs, word: int) -> set[int]:
    found = {dependent for head, dependent in arcs if head == word}
    while more := {dependent for head, dependent in arcs if head in found} - found:
        found |= more
    return found


def fact(which: Fact, c: Configuration, depth: int) -> bool | None:
    """Whether it holds; None if a word that it is about is not there."""
    if which is Fact.switched_round:
        return c.switched >= len(c.stacks) - 1
    stack = c.stacks[0]
    i = stack[-1 - depth] if len(stack) > depth else None
    j = c.buffer[0] if c.buffer else None
    if (which.about_stack and i is None) or (which.about_buffer and j is None):
        return None
    heads = {dependent for _, dependent in c.arcs}
    match which:
        case Fact.stack_has_head:
            return i in heads
        case Fact.buffer_has_head:
            return j in heads
        case Fact.stack_is_root:
            return i == 0
        case Fact.buffer_is_root:
            return j == 0
    assert i is not None and j is not None
    match which:
        case Fact.connected:
            return j in component(c.arcs, i)
        case Fact.stack_reaches_buffer:
            return j in reached(c.arcs, i)
        case Fact.buffer_reaches_stack:
            return i in reached(c.arcs, j)
        case Fact.arc_from_stack:
            return (i, j) in c.arcs
        case _:
            return (j, i) in c.arcs


def agrees(alternative: Alternative, c: Configuration, depth: int) -> bool:
    must, must_not = alternative
    asked = [(which, bool(must >> which & 1)) for which in Fact if (must | must_not) >> which & 1]
    return all(fact(which, c, depth) is wanted for which, wanted in asked)


def with_arc(c: Configuration, head: int, dependent: int, directed: bool = True) -> Configuration | None:
    if (head, dependent) in c.arcs or (directed and dependent == 0):
        return None
    return c._replace(arcs=c.arcs | {(head, dependent)})


def do(step: Step, c: Configuration) -> Configuration | None:
    active, others = c.stacks[0], c.stacks[1:]
    if step.guard is not None and not any(agrees(one, c, step.depth) for one in step.guard.alternatives):
        return None
    match step.operation:
        case Operation.JOIN:
            return c._replace(stacks=(active + c.second,), second=())
        case Operation.CLEAR:
            return c._replace(second=())
        case Operation.SWITCH:
            return c._replace(stacks=(*others, active))
        case Operation.SHIFT:
            if not c.buffer:
                return None
            return c._replace(stacks=tuple((*stack, c.buffer[0]) for stack in c.stacks), buffer=c.buffer[1:])
    if len(active) <= step.depth:
        return None
    i = active[-1 - step.depth]
    match step.operation:
        case Operation.UNSHIFT:
            if any(not stack or stack[-1] != i for stack in c.stacks):
                return None
            return c._replace(stacks=tuple(stack[:-1] for stack in c.stacks), buffer=(i, *c.buffer))
        case Operation.REDUCE:
            place = len(active) - 1 - step.depth
            return c._replace(stacks=(active[:place] + active[place + 1 :], *others))
        case Operation.SKIP:
            return c._replace(stacks=(active[:-1],), second=(i, *c.second))
    if not c.buffer:
        return None
    j = c.buffer[0]
    match step.operation:
        case Operation.LEFT_ARC:
            return with_arc(c, j, i)
        case Operation.RIGHT_ARC:
            return with_arc(c, i, j)
        case Operation.ARC:
            return with_arc(c, i, j, directed=False)
        case _:
            assert step.operation is Operation.SWAP
            in_order = 0 < i < j
            return c._replace(stacks=((*active[:-1], j),), buffer=(i, *c.buffer[1:])) if in_order else None


def apply(transition: Transition, c: Configuration, position: int) -> Configuration | None:
    after = c
    for step in transition.steps:
        for _ in range(1 if step.repeat is None else position + step.repeat.constant):
            done = do(step, after)
            if done is None:
                return None
            after = done
    switch = [step.operation for step in transition.steps] == [Operation.SWITCH]
    return after._replace(switched=min(c.switched + 1, len(c.stacks) - 1) if switch else 0)


def successors(system: TransitionSystem, c: Configuration) -> Iterator[Configuration]:
    words = len(c.buffer) + len(c.stacks[0])
    for transition in system.transitions.values():
        varies = any(step.repeat is not None for step in transition.steps)
        for position in range(1, words + 1) if varies else (0,):
            after = apply(transition, c, position)
            if after is not None:
                yield after


@cache
def configurations(system: TransitionSystem, words: int, root: str = "none") -> dict[Configuration, set[Configuration]]:
    """All that can be reached, with the next ones of each."""
    start = initial(system, words, root)
    found: dict[Configuration, set[Configuration]] = {}
    waiting = [start]
    while waiting:
        configuration = waiting.pop()
        if configuration not in found:
            found[configuration] = set(successors(system, configuration))
            waiting += found[configuration]
    return found


def derivable(system: TransitionSystem, words: int, root: str = "none") -> set[Arcs]:
    """The arcs of all configurations with an empty buffer."""
    return {c.arcs for c in configurations(system, words, root) if not c.buffer}


def longest_sequence(system: TransitionSystem, words: int) -> float:
    """The most transitions in a row; infinite if the system goes round in a circle."""
    following = configurations(system, words)
    entering = dict.fromkeys(following, 0)
    for after in following.values():
        for next_one in after:
            entering[next_one] += 1
    longest = dict.fromkeys(following, 0)
    ready = [configuration for configuration, count in entering.items() if not count]
    done = 0
    while ready:
        configuration = ready.pop()
        done += 1
        for next_one in following[configuration]:
            longest[next_one] = max(longest[next_one], longest[configuration] + 1)
            entering[next_one] -= 1
            if not entering[next_one]:
                ready.append(next_one)
    return max(longest.values()) if done == len(following) else float("inf")


def stuck(system: TransitionSystem, words: int) -> bool:
    """Whether some configuration with words in the buffer has no next one."""
    return any(c.buffer and not after for c, after in configurations(system, words).items())
