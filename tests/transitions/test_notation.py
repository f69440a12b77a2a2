"""The papers' notation: that of the figures, and what it says is what the machine does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.transitions import (
    JOIN,
    LEFT_ARC,
    REDUCE,
    RIGHT_ARC,
    SHIFT,
    SKIP,
    SWAP,
    SWITCH,
    UNSHIFT,
    P,
    Transition,
    TransitionError,
    TransitionSystem,
    systems,
)
from crossarc.transitions import guards as g
from crossarc.transitions.algebra.symbolic import BLOCK, Condition, Effect, carry_out

from ..support.plain_machine import Configuration, apply, configurations, fact

# Figure 2 of the 2012 paper, with h for the head that its conditions speak of.
FIGURE_2 = {
    "planar": """\
initial ⟨[], [1 … n], ∅⟩, terminal ⟨Σ, [], A⟩
SHIFT      ⟨Σ, i|B, A⟩ ⇒ ⟨Σ|i, B, A⟩
REDUCE     ⟨Σ|i, B, A⟩ ⇒ ⟨Σ, B, A⟩
LEFT-ARC   ⟨Σ|i, j|B, A⟩ ⇒ ⟨Σ|i, j|B, A ∪ {(j, i)}⟩
           only if ∄h (h, i) ∈ A and i ↔* j ∉ A
RIGHT-ARC  ⟨Σ|i, j|B, A⟩ ⇒ ⟨Σ|i, j|B, A ∪ {(i, j)}⟩
           only if ∄h (h, j) ∈ A and i ↔* j ∉ A""",
    "undirected-2-planar": """\
initial ⟨[], [], [1 … n], ∅⟩, terminal ⟨Σ0, Σ1, [], A⟩
SHIFT   ⟨Σ0, Σ1, i|B, A⟩ ⇒ ⟨Σ0|i, Σ1|i, B, A⟩
REDUCE  ⟨Σ0|i, Σ1, B, A⟩ ⇒ ⟨Σ0, Σ1, B, A⟩
ARC     ⟨Σ0|i, Σ1, j|B, A⟩ ⇒ ⟨Σ0|i, Σ1, j|B, A ∪ {{i, j}}⟩
        only if i ↔* j ∉ A
SWITCH  ⟨Σ0, Σ1, B, A⟩ ⇒ ⟨Σ1, Σ0, B, A⟩
        only if SWITCH did not come just before""",
    "covington": """\
initial ⟨[], [], [1 … n], ∅⟩, terminal ⟨λ1, λ2, [], A⟩
SHIFT      ⟨λ1, λ2, i|B, A⟩ ⇒ ⟨λ1·λ2|i, [], B, A⟩
NO-ARC     ⟨λ1|i, λ2, B, A⟩ ⇒ ⟨λ1, i|λ2, B, A⟩
LEFT-ARC   ⟨λ1|i, λ2, j|B, A⟩ ⇒ ⟨λ1, i|λ2, j|B, A ∪ {(j, i)}⟩
           only if ∄h (h, i) ∈ A and i ↔* j ∉ A
RIGHT-ARC  ⟨λ1|i, λ2, j|B, A⟩ ⇒ ⟨λ1, i|λ2, j|B, A ∪ {(i, j)}⟩
           only if ∄h (h, j) ∈ A and i ↔* j ∉ A""",
}

# Nivre 2008 and 2009, Kuhlmann et al. 2011, Attardi 2006: the transitions as those papers print them.
MOVES = {
    ("arc-standard", "right_arc"): "⟨Σ|i, j|B, A⟩ ⇒ ⟨Σ, i|B, A ∪ {(i, j)}⟩",
    ("arc-standard-stack", "left_arc"): "⟨Σ|i|j, B, A⟩ ⇒ ⟨Σ|j, B, A ∪ {(j, i)}⟩",
    ("arc-eager", "right_arc"): "⟨Σ|i, j|B, A⟩ ⇒ ⟨Σ|i|j, B, A ∪ {(i, j)}⟩",
    ("arc-hybrid", "right_arc"): "⟨Σ|i|j, B, A⟩ ⇒ ⟨Σ|i, B, A ∪ {(i, j)}⟩",
    ("swap", "swap"): "⟨Σ|i|j, B, A⟩ ⇒ ⟨Σ|j, i|B, A⟩",
    ("attardi-2", "left_arc_2"): "⟨Σ|i|j, k|B, A⟩ ⇒ ⟨Σ|j, k|B, A ∪ {(k, i)}⟩",
    ("attardi-2", "right_arc_2"): "⟨Σ|i|j, k|B, A⟩ ⇒ ⟨Σ|i, j|B, A ∪ {(i, k)}⟩",
    ("easy-first", "attach_right"): "⟨Σ, π|i|j|B, A⟩ ⇒ ⟨Σ, π|i|B, A ∪ {(i, j)}⟩",
    ("covington-projective", "right_arc"): "⟨λ1|i, λ2, j|B, A⟩ ⇒ ⟨λ1|i|j, [], B, A ∪ {(i, j)}⟩",
}


@pytest.mark.parametrize("name", FIGURE_2)
def test_figure_2(name: str) -> None:
    assert systems.get(name).notation() == FIGURE_2[name]


@pytest.mark.parametrize(("name", "transition"), MOVES)
def test_transitions_of_the_papers(name: str, transition: str) -> None:
    title = transition.upper().replace("_", "-") + ("(p)" if name == "easy-first" else "")
    lines = systems.get(name).notation().splitlines()
    assert next(line for line in lines if line.startswith(f"{title} ")).endswith(MOVES[name, transition])


def bound(effect: Effect, c: Configuration, position: int) -> dict[int, tuple[int, ...]] | None:
    """Which words stand for the names, if the configuration has the shape that is asked for."""
    words: dict[int, tuple[int, ...]] = {}
    for stack, names in zip(c.stacks, effect.stacks_before, strict=True):
        if len(stack) < len(names.before):
            return None
        for name, word in zip(names.before, stack[len(stack) - len(names.before) :], strict=True):
            if words.setdefault(name, (word,)) != (word,):
                return None
    left = c.buffer
    for name in effect.buffer_before:
        size = position - 1 if name == BLOCK else 1
        if len(left) < size:
            return None
        words[name], left = left[:size], left[size:]
    return words


def holds(
    condition: Condition, words: dict[int, tuple[int, ...]], c: Configuration, arcs: list[tuple[int, int]]
) -> bool:
    i, j = (words[name][0] if name in words else -1 for name in condition.words)
    if condition.fact is None:
        return 0 < i < j
    known = c._replace(stacks=((i,), *c.stacks[1:]), buffer=(j,), arcs=c.arcs | frozenset(arcs[: condition.arcs]))
    return fact(condition.fact, known, 0) is condition.holds


def predicted(effect: Effect, c: Configuration, position: int) -> Configuration | None:
    """The configuration that the notation promises."""
    words = bound(effect, c, position)
    if words is None:
        return None
    arcs = [(words[head][0], words[dependent][0]) for head, dependent in effect.arcs]
    for disjunction in effect.conditions:
        if not any(all(holds(one, words, c, arcs) for one in conjunction) for conjunction in disjunction):
            return None
    if any(arc in c.arcs for arc in arcs) or len(set(arcs)) < len(arcs):
        return None

    def text(names: list[int]) -> tuple[int, ...]:
        return tuple(word for name in names for word in words[name])

    rests = {
        id(names): stack[: len(stack) - len(names.before)]
        for stack, names in zip(c.stacks, effect.stacks_before, strict=True)
    }
    joined = {id(names): c.second if "·" in names.rest else () for names in effect.stacks}
    used = sum(len(words[name]) for name in effect.buffer_before)
    return Configuration(
        tuple(rests[id(names)] + joined[id(names)] + text(names.words) for names in effect.stacks),
        text(effect.second) + (c.second if effect.second_rest else ()),
        text(effect.buffer) + c.buffer[used:],
        c.arcs | frozenset(arcs),
        0,
    )


@pytest.mark.parametrize("name", systems.catalogue())
def test_the_notation_says_what_the_machine_does(name: str) -> None:
    """Every transition in every configuration of three words: the same side conditions, the same outcome."""
    system = systems.get(name)
    effects = {key: carry_out(one, system) for key, one in system.transitions.items()}
    for c in configurations(system, 2 if system.stacks == 3 else 3):
        for key, transition in system.transitions.items():
            for position in (1, 2) if any(step.repeat is not None for step in transition.steps) else (1,):
                done = apply(transition, c, position)
                expected = predicted(effects[key], c, position)
                assert (done and done._replace(switched=0)) == expected, (key, c)


def test_compositions_without_such_a_form_are_shown_as_they_are() -> None:
    system = TransitionSystem("mine", shift=SHIFT**P >> REDUCE >> SHIFT**P, back=SKIP >> JOIN >> SKIP)
    assert "SHIFT**P · REDUCE · SHIFT**P" in system.notation()
    assert "SKIP · JOIN · SKIP" in system.notation()


def test_conditions_that_the_arcs_before_decide_are_left_out() -> None:
    system = systems.arc_standard.constrained(no_covered_roots=True)
    assert "only if" not in system.notation()
    later = TransitionSystem("mine", both=LEFT_ARC >> RIGHT_ARC.where(~g.connected | g.stack_is_root), shift=SHIFT)
    assert "only if i = 0" in later.notation()
    apart = TransitionSystem("mine", shift=SHIFT, chain=RIGHT_ARC >> SHIFT >> RIGHT_ARC.where(~g.connected))
    assert "only if j ↔* k ∉ A ∪ {(i, j)}" in apart.notation()


@pytest.mark.parametrize(
    ("transition", "reason"),
    [
        (LEFT_ARC >> LEFT_ARC, "the same arc was added before"),
        (LEFT_ARC >> REDUCE.where(~g.stack_has_head), "~g.stack_has_head cannot hold there"),
        (RIGHT_ARC >> LEFT_ARC.where(~g.connected & ~g.stack_has_head), "cannot hold there"),
        (SWAP >> SWAP, "the two were swapped before"),
    ],
)
def test_what_can_never_be_done_is_refused(transition: Transition, reason: str) -> None:
    with pytest.raises(TransitionError, match=f"mine: never: .* can never be done in this place: .*{reason}"):
        TransitionSystem("mine", shift=SHIFT, never=transition)


STEPS = [SHIFT, UNSHIFT, REDUCE, LEFT_ARC, RIGHT_ARC, SWAP, LEFT_ARC.at(1), RIGHT_ARC.where(~g.connected)]
STEPS += [LEFT_ARC.where(~g.stack_has_head), REDUCE.where(~g.stack_has_head & ~g.connected)]


@given(st.lists(st.sampled_from(STEPS), min_size=2, max_size=5), st.booleans())
def test_what_is_refused_can_indeed_never_be_done(steps: list[Transition], two_stacks: bool) -> None:
    other = {"switch": SWITCH} if two_stacks else {"swap": SWAP}
    steps = [SWITCH if two_stacks and step is SWAP else step for step in steps]
    transition = Transition(tuple(step.steps[0] for step in steps))
    try:
        TransitionSystem("mine", stacks=1 + two_stacks, labels=None, shift=SHIFT, one=transition, **other)
    except TransitionError as error:
        assert "can never be done" in str(error)
        for c in configurations(systems.get("2-planar" if two_stacks else "planar-graph"), 3):
            assert apply(transition, c, 1) is None


def test_words_of_two_stacks_may_be_the_same() -> None:
    transition = LEFT_ARC >> SWITCH >> RIGHT_ARC >> UNSHIFT
    system = TransitionSystem("mine", stacks=2, shift=SHIFT, switch=SWITCH, back=transition)
    assert "LEFT_ARC · SWITCH · RIGHT_ARC · UNSHIFT" in system.notation()


def test_arc_standard_does_not_work_on_two_stacks() -> None:
    """After SHIFT and REDUCE the tops differ: UNSHIFT finds no common one."""
    with pytest.raises(TransitionError, match="right_arc: UNSHIFT can never be done"):
        systems.arc_standard.with_stacks(2)
    assert (
        TransitionSystem("mine", stacks=2, shift=SHIFT, back=UNSHIFT, switch=SWITCH)
        .notation()
        .endswith("SWITCH  ⟨Σ0, Σ1, B, A⟩ ⇒ ⟨Σ1, Σ0, B, A⟩")
    )
