"""The algebra: guards have a normal form, compositions are values, invalid ones are refused with the reason."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.transitions import (
    ARC,
    CLEAR,
    JOIN,
    LEFT_ARC,
    REDUCE,
    RIGHT_ARC,
    SHIFT,
    SKIP,
    SWITCH,
    UNSHIFT,
    Guard,
    P,
    TransitionError,
    TransitionSystem,
    systems,
)
from crossarc.transitions import guards as g
from crossarc.transitions.algebra.guards import Fact
from crossarc.transitions.algebra.serialisation import program

LEAVES = [getattr(g, fact.name) for fact in Fact]


def holds(guard: Guard, facts: dict[Fact, bool | None]) -> bool:
    """As the article says of restrictions: a fact about a word that is not there is false, and so is its negation."""
    return any(
        all(facts[fact] is True for fact in Fact if must >> fact & 1)
        and all(facts[fact] is False for fact in Fact if must_not >> fact & 1)
        for must, must_not in guard.alternatives
    )


@st.composite
def situations(draw: st.DrawFn) -> dict[Fact, bool | None]:
    stack, buffer = draw(st.booleans()), draw(st.booleans())
    return {
        fact: draw(st.booleans()) if (stack or not fact.about_stack) and (buffer or not fact.about_buffer) else None
        for fact in Fact
    }


@given(
    st.lists(st.lists(st.tuples(st.sampled_from(LEAVES), st.booleans()), min_size=1, max_size=3), max_size=4),
    situations(),
)
def test_normal_form_keeps_the_meaning(terms: list[list[tuple[Guard, bool]]], facts: dict[Fact, bool | None]) -> None:
    expected, built = False, None
    for term in terms:
        values = [facts[next(iter(leaf.facts))] for leaf, _ in term]
        expected |= all(value is wanted for value, (_, wanted) in zip(values, term, strict=True))
        try:
            conjunction = None
            for leaf, wanted in term:
                literal = leaf if wanted else ~leaf
                conjunction = literal if conjunction is None else conjunction & literal
        except TransitionError:
            assert len({leaf for leaf, _ in term}) < len(term)
            continue
        assert conjunction is not None
        built = conjunction if built is None else built | conjunction
    if built is not None:
        assert holds(built, facts) == expected


@given(st.sampled_from(LEAVES), st.sampled_from(LEAVES), st.sampled_from(LEAVES))
def test_equal_in_meaning_is_equal(a: Guard, b: Guard, c: Guard) -> None:
    assert a & b == b & a
    assert a | b == b | a
    assert a | a & b == a
    assert ~~a == a
    if len({a, b, c}) == 3:
        assert a & (b | c) == a & b | a & c
        assert ~(a | b) == ~a & ~b
        assert ~(a & b) == ~a | ~b


def test_a_fact_or_its_opposite_needs_the_word() -> None:
    """With an empty stack neither holds, so the two together still ask for a word; with one that is known they go."""
    assert len((g.stack_has_head | ~g.stack_has_head).alternatives) == 2
    assert (g.stack_has_head & g.connected) | (~g.stack_has_head & g.connected) == g.connected


def test_composition_is_associative_and_a_guard_is_the_first_step_s() -> None:
    assert (LEFT_ARC >> REDUCE) >> SHIFT == LEFT_ARC >> (REDUCE >> SHIFT)
    assert (LEFT_ARC >> REDUCE).where(g.connected) == LEFT_ARC.where(g.connected) >> REDUCE
    assert SHIFT.where(g.buffer_has_head).where(~g.buffer_is_root) == SHIFT.where(g.buffer_has_head & ~g.buffer_is_root)
    assert SHIFT**3 == SHIFT >> SHIFT >> SHIFT
    assert REDUCE.at(0) == REDUCE != REDUCE.at(1)


def test_repr_is_the_definition() -> None:
    assert repr(systems.arc_eager) == (
        'TransitionSystem("arc-eager",\n'
        "    shift=SHIFT,\n"
        "    reduce=REDUCE.where(g.stack_has_head),\n"
        "    left_arc=LEFT_ARC.where(~g.stack_has_head) >> REDUCE,\n"
        "    right_arc=RIGHT_ARC >> SHIFT)"
    )


def test_order_of_transitions_counts_and_names_and_labels_too() -> None:
    one = TransitionSystem("a", shift=SHIFT, reduce=REDUCE)
    assert one == TransitionSystem("a", shift=SHIFT, reduce=REDUCE)
    assert len({one, one.renamed("b"), TransitionSystem("a", reduce=REDUCE, shift=SHIFT), one.labelled(["x"])}) == 4


def test_programs_are_what_the_machine_takes() -> None:
    assert program(systems.get("arc-eager")) == (
        1,
        [
            [(0, 0, 1, 0, [])],
            [(2, 0, 1, 0, [(1, 0)])],
            [(3, 0, 1, 0, [(0, 1)]), (2, 0, 1, 0, [])],
            [(4, 0, 1, 0, []), (0, 0, 1, 0, [])],
        ],
    )
    assert program(systems.get("easy-first"))[1][1] == [
        (0, 0, 0, 1, []),
        (3, 0, 1, 0, []),
        (2, 0, 1, 0, []),
        (1, 0, -1, 1, []),
    ]
    assert program(systems.get("attardi-3"))[1][5] == [(3, 2, 1, 0, []), (2, 2, 1, 0, [])]
    assert program(systems.get("3-planar"))[0] == 3


def test_constraints_guard_the_elementary_steps() -> None:
    assert systems.planar.transitions["left_arc"] == LEFT_ARC.where(~g.stack_has_head & ~g.connected)
    constrained = systems.arc_standard_stack.constrained(directed_acyclic=True, no_covered_roots=True)
    assert constrained.transitions["left_arc"] == (
        UNSHIFT >> LEFT_ARC.where(~g.stack_reaches_buffer) >> REDUCE.where(g.stack_has_head) >> SHIFT
    )
    assert constrained.name == "arc-standard-stack+directed-acyclic+no-covered-roots"


def test_undirected_forms() -> None:
    assert systems.planar.undirected().transitions["arc"] == ARC.where(~g.connected)
    assert systems.covington.undirected().transitions["arc"] == ARC.where(~g.connected) >> SKIP
    free = TransitionSystem("free", shift=SHIFT, left=LEFT_ARC.where(~g.arc_from_stack), right=RIGHT_ARC)
    assert free.undirected().transitions == {"shift": SHIFT, "arc": ARC}


def make(**transitions: object) -> TransitionSystem:
    return TransitionSystem("mine", **transitions)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (lambda: g.connected & ~g.connected, "can never hold"),
        (lambda: g.connected and g.stack_has_head, "write &, | and ~"),
        (lambda: SHIFT.where(True), "takes a guard"),  # type: ignore[arg-type]
        (lambda: (LEFT_ARC >> REDUCE).at(1), "one elementary transition"),
        (lambda: SHIFT.at(1), "SHIFT has no depth"),
        (lambda: REDUCE.at(-1), "from 0 to 7"),
        (lambda: SHIFT**0, "from 1 to 64"),
        (lambda: (SHIFT >> REDUCE) ** P, "one elementary transition"),
        (lambda: UNSHIFT ** (P - 2), "not possible for the first position"),
        (lambda: (SHIFT**P).where(g.connected), "varying number of times"),
        (lambda: SHIFT**40 >> SHIFT**40, "at most 64"),
        (lambda: make(), "mine: a system needs transitions"),
        (lambda: make(shift="SHIFT"), "shift is 'SHIFT', not a composition"),
        (lambda: make(**{"left arc": SHIFT}), "cannot be called 'left arc'"),
        (lambda: TransitionSystem("my system", shift=SHIFT), "a system's name"),
        (lambda: make(shift=SHIFT, switch=SWITCH), "SWITCH needs more than one stack"),
        (lambda: TransitionSystem("x", stacks=2, shift=SHIFT), "needs a SWITCH"),
        (lambda: TransitionSystem("x", stacks=0, shift=SHIFT), "must be from 1 to 255"),
        (lambda: make(shift=JOIN >> SHIFT), "JOIN does nothing without SKIP"),
        (lambda: make(shift=SHIFT, skip=SKIP), "SKIP needs JOIN or CLEAR"),
        (lambda: make(shift=CLEAR >> SHIFT, skip=SKIP).with_stacks(2), "on one stack"),
        (lambda: make(shift=SHIFT, arc=ARC, left=LEFT_ARC), "cannot go with it"),
        (lambda: make(shift=SHIFT, arc=ARC.where(~g.stack_has_head)), "links of ARC have no direction"),
        (lambda: make(shift=SHIFT, both=LEFT_ARC >> RIGHT_ARC).labelled(["a"]), "both adds 2 arcs at once"),
        (lambda: make(shift=SHIFT).labelled(["a", "a"]), "'a' occurs 2 times"),
        (lambda: make(shift=SHIFT).labelled("ab"), "labels are a list of strings, not 'ab'"),
        (lambda: TransitionSystem("x", shift=SHIFT, labels=SHIFT), "labels are a list of strings"),  # type: ignore[arg-type]
        (lambda: make(shift=SHIFT).extended("x", stacks=SHIFT), "a transition cannot be called stacks"),
        (lambda: systems.planar.with_stacks(-1), "from 1 to 255, not -1"),
        (lambda: make(shift=SHIFT).labelled([""]), "non-empty strings"),
        (lambda: systems.get("2-planar").with_stacks(3), "2-planar has 2 stacks already"),
        (lambda: systems.arc_eager.undirected(), r"left_arc .* and right_arc .* differ in more than the direction"),
        (lambda: systems.arc_hybrid.undirected(), "footnote 2"),
        (lambda: systems.dag_arc_standard.undirected(), "it has 4"),
        (lambda: systems.planar.undirected().undirected(), "is undirected already"),
        (lambda: systems.get("planar-graph+directed-acyclic").undirected(), "asks stack_reaches_buffer"),
        (lambda: systems.planar_projective.undirected(), "no undirected form: reduce asks stack_has_head"),
        (lambda: systems.dag_arc_eager.undirected(), "no undirected form: reduce asks stack_has_head"),
        (lambda: make(a=LEFT_ARC.where(~g.buffer_has_head), b=RIGHT_ARC).undirected(), "a asks buffer_has_head"),
        (lambda: make(a=LEFT_ARC.where(g.stack_has_head), b=RIGHT_ARC).undirected(), "a asks stack_has_head"),
        (lambda: systems.get("2-planar").constrained(no_covered_roots=True), "Section 5.1.2"),
        (lambda: systems.swap.constrained(no_covered_roots=True), "Proposition 1"),
        (lambda: systems.get("undirected-planar").constrained(single_head=True), "have no heads"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(build: Callable[[], object], reason: str) -> None:
    with pytest.raises(TransitionError, match=reason):
        build()


def test_every_combination_of_constraints_builds() -> None:
    for single_head, acyclic, directed, roots in product((False, True), repeat=4):
        system = systems.planar_graph.constrained(
            single_head=single_head, acyclic=acyclic, directed_acyclic=directed, no_covered_roots=roots
        )
        assert system.name.count("+") == single_head + acyclic + directed + roots
