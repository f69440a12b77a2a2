"""Explanations agree with the machine: what they call allowed is legal, in every configuration of random walks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.transitions import TransitionSystem, systems
from crossarc.transitions.running.explanation import count_switches, explain

CATALOGUE = sorted(systems.catalogue())


def questions(system: TransitionSystem, words: int) -> list[tuple[str, int]]:
    """All transitions, with the positions of those that take one."""
    found = []
    for name, one in system.transitions.items():
        varies = any(step.repeat is not None for step in one.steps)
        found += [(name, position) for position in (range(1, words + 1) if varies else (0,))]
    return found


@given(data=st.data(), words=st.integers(0, 5), root=st.sampled_from(["none", "first", "last"]))
@pytest.mark.parametrize("name", CATALOGUE)
@pytest.mark.exhaustive
def test_what_is_called_allowed_is_legal(name: str, data: st.DataObject, words: int, root: str) -> None:
    system = systems.get(name)
    configuration, switched = system.start(words, root), 0
    for _ in range(12):
        legal = configuration.legal_actions()
        for transition, position in questions(system, words + (root != "none")):
            found = explain(configuration, transition, position, switched=switched)
            assert found.allowed == ((transition, position) in legal), (transition, position, str(configuration), found)
            assert found.why
        if not legal or configuration.is_terminal:
            return
        transition, position = data.draw(st.sampled_from(legal))
        configuration.apply(transition, position=position)
        switched = count_switches(switched, system.transitions[transition], system.stacks)


def test_reasons_name_words_and_conditions() -> None:
    forms = ["ROOT", "dogs", "bark"]
    configuration = systems.get("2-planar").start(2)
    assert explain(configuration, "reduce", name=forms.__getitem__).why == "there is no word on the stack"
    configuration.apply("shift")
    found = explain(configuration, "left_arc", name=forms.__getitem__)
    assert found.allowed
    assert found.why == "dogs has no head; dogs and bark are not connected"
    configuration.apply("left_arc")
    assert explain(configuration, "left_arc", name=forms.__getitem__) == (
        False,
        "dogs has a head; dogs and bark are connected",
    )
    configuration.apply("switch")
    assert explain(configuration, "switch", switched=1).why == "one more SWITCH would only come back"
