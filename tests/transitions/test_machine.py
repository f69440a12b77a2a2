"""The machine step by step: what it does, what it refuses, and how it says so."""

from __future__ import annotations

import random

import numpy as np
import pytest

from crossarc.transitions import Configuration, LabelledArc, Machine, TransitionError, systems
from crossarc.transitions.running import NO_ACTION

NAMES = list(systems.catalogue())


@pytest.mark.kernel
@pytest.mark.parametrize("name", NAMES)
def test_lockstep_is_the_same_as_one_by_one(name: str) -> None:
    """Random actions in a batch of sentences of different lengths, each beside its own configuration."""
    system = systems.get(name)
    generator = random.Random(name)
    lengths = [0, 1, 3, 7, 7, 12]
    machine = Machine(system, lengths, "first")
    singles = [Configuration(system, length, "first") for length in lengths]
    for _ in range(60):
        legal = machine.legal()
        actions = []
        for sentence, single in enumerate(singles):
            options = np.flatnonzero(legal[sentence]).tolist()
            assert [machine.name_of(action) for action in options] == single.legal_actions()
            assert machine.is_terminal(sentence) == single.is_terminal == (not single.buffer)
            actions.append(generator.choice(options) if options else NO_ACTION)
            if options:
                transition, position = machine.name_of(actions[-1])
                single.apply(transition, position=position)
        machine.apply(actions)
        for sentence, single in enumerate(singles):
            assert machine.describe(sentence) == single.describe()


def test_nothing_is_done_if_one_action_is_not_legal() -> None:
    machine = Machine(systems.get("arc-eager"), [2, 2])
    shift, reduce = machine.action_of("shift"), machine.action_of("reduce")
    with pytest.raises(TransitionError) as error:
        machine.apply([shift, reduce])
    assert str(error.value) == "reduce is not legal in ([ ], [1, 2], ∅); arc-eager allows shift there"
    assert machine.describe(0)["buffer"] == [1, 2]
    machine.apply([shift, NO_ACTION])
    assert machine.describe(0)["buffer"] == [2]
    assert machine.describe(1)["buffer"] == [1, 2]


def test_a_configuration_shows_its_parts() -> None:
    configuration = systems.get("2-planar").start(4)
    for transition in ("shift", "right_arc", "shift", "reduce", "switch"):
        configuration.apply(transition)
    assert configuration.stacks == [[1, 2], [1]]
    assert configuration.stack == [1, 2]
    assert configuration.active == 1
    assert configuration.buffer == [3, 4]
    assert configuration.arcs == [LabelledArc(1, 2)]
    assert str(configuration) == "([1, 2], [1], [3, 4], {(1, 2)})"
    assert configuration.legal() == ["shift", "reduce", "right_arc"]  # no second switch in a row, no second head
    copied = configuration.copy().apply("shift")
    assert configuration.buffer == [3, 4]
    assert copied.buffer == [4]


def test_three_stacks_are_switched_twice_in_a_row_but_not_three_times() -> None:
    configuration = systems.get("3-planar").start(2).apply("shift")
    configuration.apply("switch").apply("switch")
    assert configuration.active == 2
    assert "switch" not in configuration.legal()


def test_covingtons_lists() -> None:
    configuration = systems.get("covington").start(4)
    for transition in ("shift", "shift", "shift", "no_arc", "no_arc"):
        configuration.apply(transition)
    assert (configuration.stack, configuration.aside, configuration.buffer) == ([1], [2, 3], [4])
    configuration.apply("left_arc").apply("shift")
    assert (configuration.stack, configuration.aside, configuration.buffer) == ([1, 2, 3, 4], [], [])


def test_swap_moves_the_second_word_back() -> None:
    configuration = systems.get("swap").start(3).apply("shift").apply("shift").apply("swap")
    assert (configuration.stack, configuration.buffer) == ([2], [1, 3])
    assert "swap" not in configuration.apply("shift").legal()  # 2 and 1 are out of order already


def test_the_root_is_never_a_dependent() -> None:
    first = systems.get("planar-graph").start(2, "first").apply("shift")
    assert first.stack == [0]
    assert "left_arc" not in first.legal()
    last = systems.get("planar-graph").start(1, "last").apply("shift")
    assert last.buffer == [0]
    assert last.legal() == ["shift", "reduce", "left_arc"]


def test_easy_first_takes_a_position() -> None:
    configuration = systems.get("easy-first").start(4)
    assert ("attach_left", 3) in configuration.legal_actions()
    assert ("attach_left", 4) not in configuration.legal_actions()
    configuration.apply("attach_left", position=2)
    assert (configuration.stack, configuration.buffer, configuration.arcs) == ([], [1, 3, 4], [LabelledArc(3, 2)])
    with pytest.raises(TransitionError, match="attach_left of easy-first takes a position, 1 or more"):
        configuration.apply("attach_left")
    with pytest.raises(TransitionError, match="shift of easy-first takes no position"):
        configuration.apply("shift", position=1)


def test_arcs_with_labels() -> None:
    configuration = systems.get("planar-graph").labelled(["a", "b"]).start(2).apply("shift").apply("left_arc", "a")
    configuration.apply("left_arc", "b")  # another label, another arc (2013, Section 3)
    assert configuration.arcs == [LabelledArc(2, 1, "a"), LabelledArc(2, 1, "b")]
    assert "left_arc" not in configuration.legal()
    with pytest.raises(
        TransitionError, match=r"left_arc is not legal in \(\[1\], \[2\], \{\(2, a, 1\), \(2, b, 1\)\}\)"
    ):
        configuration.apply("left_arc", "a")


@pytest.mark.parametrize(
    ("transition", "label", "message"),
    [
        ("left_arc", "c", "planar has no label 'c' for left_arc; it has a, b"),
        ("left_arc", None, "planar has no label None for left_arc; it has a, b"),
        ("shift", "a", "shift of planar takes no label"),
        ("jump", None, "planar has no transition 'jump'; it has shift, reduce, left_arc, right_arc"),
        ("reduce", None, r"reduce is not legal in \(\[ \], \[1, 2\], ∅\); planar allows shift there"),
    ],
)
def test_what_cannot_be_done_is_said(transition: str, label: str | None, message: str) -> None:
    configuration = systems.get("planar").labelled(["a", "b"]).start(2)
    with pytest.raises(TransitionError, match=message):
        configuration.apply(transition, label)
    assert configuration.buffer == [1, 2]


def test_an_exhausted_configuration_allows_nothing() -> None:
    configuration = systems.get("arc-standard").start(1).apply("shift")
    assert configuration.is_terminal
    assert configuration.legal() == []
    with pytest.raises(
        TransitionError, match=r"shift is not legal in \(\[1\], \[ \], ∅\); arc-standard allows nothing"
    ):
        configuration.apply("shift")


def test_wrong_batches() -> None:
    with pytest.raises(TransitionError, match="the lengths of sentences are a list of numbers, 0 or more"):
        Machine(systems.get("planar"), [-1])
    machine = Machine(systems.get("planar"), [2])
    with pytest.raises(TransitionError, match="there are 1 sentences"):
        machine.apply([0, 0])
    with pytest.raises(TransitionError, match="planar has actions 0 to 3"):
        machine.apply([4])
    with pytest.raises(TransitionError, match="planar has 0 labels"):
        machine.apply([0], [1])
    with pytest.raises(TransitionError, match="all graphs are enumerated for at most 8 nodes, not 9"):
        systems.get("planar").derivable(8, "first")
