"""Properties: what the papers prove is derived, and nothing is claimed that some transition sequence refutes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
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

from ..support import graph_classes as graphs
from ..support import plain_machine

CATALOGUE = systems.catalogue()

# What the articles say: 2013, Propositions 1 to 6 and Example 9 for the divisible ones; Section 5.1 for two stacks.
FOREST = {"single_head", "acyclic", "directed_acyclic"}
RUNS = {"robust", "bounded", "efficient"}
PLANAR = {"planar", "multiplanar", *RUNS}
HOLD = {
    **dict.fromkeys(
        ["arc-standard", "arc-standard-stack", "arc-eager", "arc-hybrid", "easy-first", "planar-projective"],
        FOREST | PLANAR | {"no_covered_roots"},
    ),
    **dict.fromkeys(
        ["dag-arc-standard", "dag-arc-eager", "planar-graph+no-covered-roots"], PLANAR | {"no_covered_roots"}
    ),
    "planar": FOREST | PLANAR,
    "planar-graph": PLANAR,
    "planar-graph+single-head": PLANAR | {"single_head"},
    "planar-graph+acyclic": PLANAR | {"acyclic", "directed_acyclic"},
    "planar-graph+directed-acyclic": PLANAR | {"directed_acyclic"},
    "planar-graph+single-head+directed-acyclic": PLANAR | FOREST,
    **dict.fromkeys(["2-planar", "3-planar"], FOREST | RUNS | {"multiplanar"}),
    "2-planar-graph": RUNS | {"multiplanar"},
    **dict.fromkeys(["covington", "covington-projective", "swap", "attardi-2", "attardi-3"], FOREST | RUNS),
    "undirected-planar": PLANAR | {"acyclic"},
    "undirected-2-planar": RUNS | {"multiplanar", "acyclic"},
    "undirected-covington": RUNS | {"acyclic"},
}

# The most transitions for n words: the constants of the articles where they give some.
BOUNDS = {
    "arc-standard": "2n - 1",
    "arc-eager": "2n",
    "easy-first": "n",
    "planar-graph": "6n - 6",  # n SHIFT, n REDUCE, 4n - 6 arcs (Lemma 4)
    "planar": "3n - 1",
    "2-planar-graph": "22n - 23",  # 2(n + 2n + 8n - 12) + 1 (Proposition 11)
    "attardi-3": "2n - 1",
    "covington": "(n² + 3n)/2",
    "swap": "n² + n - 1",
}


@pytest.mark.parametrize("name", HOLD)
def test_what_is_known_is_derived(name: str) -> None:
    properties = systems.get(name).properties()
    assert {key for key, verdict in properties.verdicts().items() if verdict} == HOLD[name]


@pytest.mark.parametrize(("name", "bound"), BOUNDS.items())
def test_bounds(name: str, bound: str) -> None:
    found = systems.get(name).properties().bound
    assert str(found) == bound
    assert found is not None
    assert found.growth == ("O(n²)" if "²" in bound else "O(n)")


@pytest.mark.parametrize(
    "name",
    [
        *("arc-standard", "arc-standard-stack", "arc-hybrid", "easy-first", "planar", "planar-graph", "2-planar"),
        *("3-planar", "swap", "attardi-3", "covington", "undirected-2-planar"),
    ],
)
def test_no_smaller_bound_would_be_true(name: str) -> None:
    system = systems.get(name)
    bound = system.properties().bound
    assert bound is not None
    for words in (1, 2, 3):
        assert plain_machine.longest_sequence(system, words) == bound.at_most(words)


def test_proposition_7_a_buffer_that_grows_without_limit() -> None:
    """Efficient, but only O(n²): each arc may put all of the stack back into the buffer."""
    system = TransitionSystem("back", shift=SHIFT, right_arc=RIGHT_ARC >> UNSHIFT**P)
    bound = system.properties().bound
    assert bound is not None
    assert (bound.growth, str(bound)) == ("O(n²)", "4n² - n - 6")
    confirm(system, 3)


def confirm(system: TransitionSystem, words: int) -> None:
    """Check every claim against all transition sequences for so many words."""
    properties = system.properties()
    outputs = plain_machine.derivable(system, words)
    for name, holds in (
        ("single_head", graphs.single_head),
        ("acyclic", graphs.acyclic),
        ("directed_acyclic", graphs.directed_acyclic),
        ("no_covered_roots", graphs.no_covered_roots),
        ("planar", graphs.planar),
    ):
        if properties.verdicts()[name]:
            assert all(map(holds, outputs)), (name, system)
    if properties.planes is not None:
        assert all(graphs.multiplanar(arcs, properties.planes) for arcs in outputs), system
    if properties.robust:
        assert not plain_machine.stuck(system, words), system
    if properties.bound is not None:
        assert plain_machine.longest_sequence(system, words) <= properties.bound.at_most(words), system


@pytest.mark.slow
@pytest.mark.parametrize("name", CATALOGUE)
@pytest.mark.exhaustive
def test_claims_are_confirmed(name: str) -> None:
    system = CATALOGUE[name]
    for words in (1, 2, 3) if system.stacks > 1 else (1, 2, 3, 4):
        confirm(system, words)


FACTS = [g.stack_has_head, g.buffer_has_head, g.connected, g.stack_reaches_buffer, g.buffer_reaches_stack]
MOVES = [SHIFT, UNSHIFT, REDUCE, SHIFT**P, UNSHIFT ** (P - 1), REDUCE.at(1)]
ARCS = [LEFT_ARC, RIGHT_ARC, LEFT_ARC.at(1), RIGHT_ARC.at(1)]


@st.composite
def transitions(draw: st.DrawFn, steps: list[Transition]) -> Transition:
    composed = None
    for step in draw(st.lists(st.sampled_from(steps), min_size=1, max_size=4)):
        restricted = step
        if step.steps[0].repeat is None and draw(st.booleans()):
            facts = draw(st.lists(st.sampled_from(FACTS), min_size=1, max_size=2, unique_by=id))
            for fact in facts:
                restricted = restricted.where(fact if draw(st.integers(0, 2)) == 0 else ~fact)
        composed = restricted if composed is None else composed >> restricted
    assert composed is not None
    return composed


@st.composite
def any_systems(draw: st.DrawFn) -> TransitionSystem:
    """Systems of every kind, mostly with few reasons to be well behaved."""
    extra, stacks = draw(st.sampled_from([([], 1), ([], 1), ([SWAP], 1), ([SKIP, JOIN, CLEAR], 1), ([SWITCH], 2)]))
    steps = [*MOVES, *ARCS, *ARCS, *extra]
    found = draw(st.lists(transitions(steps), min_size=1, max_size=3))
    named = {f"t{number}": one for number, one in enumerate(found)}
    shift = draw(st.sampled_from([SHIFT, SHIFT, JOIN >> SHIFT if SKIP in extra else SHIFT]))
    switch = {"switch": SWITCH.where(~g.switched_round)} if stacks == 2 else {}
    try:
        return TransitionSystem("mine", stacks=stacks, labels=None, shift=shift, **switch, **named)
    except TransitionError:
        assume(False)
        raise


@st.composite
def mutants(draw: st.DrawFn) -> TransitionSystem:
    """Systems of the catalogue with a step left out, put in or freed of its guard: at the edge of guarantees."""
    system = draw(st.sampled_from([one for one in CATALOGUE.values() if one.stacks <= 2]))
    transitions = dict(system.transitions)
    for _ in range(draw(st.integers(1, 2))):
        name = draw(st.sampled_from(sorted(transitions)))
        steps = list(transitions[name].steps)
        place = draw(st.integers(0, len(steps) - 1))
        match draw(st.sampled_from(["drop", "free", "insert", "insert"])):
            case "drop":
                del steps[place]
            case "free":
                steps[place] = replace(steps[place], guard=None)
            case _:
                moves = [*MOVES, *([ARC] if system.is_undirected else ARCS)]
                steps.insert(place, draw(st.sampled_from(moves)).steps[0])
        assume(steps)
        transitions[name] = Transition(tuple(steps))
    try:
        return TransitionSystem("mine", stacks=system.stacks, labels=None, **transitions)
    except TransitionError:
        assume(False)
        raise


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "examples"), [(any_systems, 100), pytest.param(mutants, 200, marks=pytest.mark.exhaustive)]
)
def test_no_system_refutes_a_claim(kind: Callable[[], st.SearchStrategy[TransitionSystem]], examples: int) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(kind())
    def check(system: TransitionSystem) -> None:
        confirm(system, 2)
        confirm(system, 3)
        plain_machine.configurations.cache_clear()

    check()


@pytest.mark.parametrize(
    ("system", "reason"),
    [
        (TransitionSystem("a", shift=SHIFT, unshift=UNSHIFT), "unshift may come again and again"),
        (TransitionSystem("a", stacks=2, shift=SHIFT, switch=SWITCH), "switch may come again and again"),
        (TransitionSystem("a", shift=SHIFT, skip=SKIP, join=JOIN), "skip may come again and again"),
        (TransitionSystem("a", shift=SHIFT, back=JOIN >> SHIFT ** (P - 1) >> SKIP), "back may come again and again"),
    ],
)
def test_systems_that_are_not_bounded_are_built_but_not_run(system: TransitionSystem, reason: str) -> None:
    assert plain_machine.longest_sequence(system, 2) == float("inf")
    assert not system.properties().bounded
    with pytest.raises(TransitionError, match=f"a is not bounded: {reason}"):
        system.require_bounded()


def test_long_compositions_take_no_longer() -> None:
    """With heads on the stack, sixty words have 2 ** 60 cases: they are put together."""
    system = TransitionSystem("a", shift=SHIFT, right_arc=RIGHT_ARC >> SHIFT, back=UNSHIFT**60 >> LEFT_ARC >> REDUCE**3)
    properties = system.properties()
    assert properties.planar
    assert not properties.single_head
    assert systems.get("attardi-8").properties().single_head


def test_reasons_name_the_transition_and_the_proposition() -> None:
    arc_eager = systems.arc_eager.properties()
    assert "LEFT-ARC is restricted to them" in arc_eager.single_head.reason
    assert "no word in the buffer ever has one" in arc_eager.single_head.reason
    assert arc_eager.no_covered_roots.reason.startswith("Proposition 1")
    planar = systems.planar.properties()
    assert planar.no_covered_roots.reason == "reduce may drop a word without a head (Proposition 1 asks for one)"
    undirected = TransitionSystem("links", shift=SHIFT, reduce=REDUCE, arc=ARC).properties()
    assert undirected.acyclic.reason.startswith("arc may join two words that are connected")
    assert str(undirected.bound) == "4n - 3"
