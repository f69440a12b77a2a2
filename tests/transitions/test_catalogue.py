"""The catalogue: every name, what can be made of names, and definitions that survive text and JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

import crossarc.transitions
from crossarc.transitions import LEFT_ARC, REDUCE, SHIFT, TransitionError, TransitionSystem, systems

CATALOGUE = systems.catalogue()


@pytest.mark.parametrize("name", CATALOGUE)
def test_definitions_survive_repr_and_json(name: str) -> None:
    system = systems.get(name)
    names = {**vars(crossarc.transitions), "g": crossarc.transitions.algebra.guards}
    assert system.name == name
    assert eval(repr(system), names) == system
    assert TransitionSystem.from_json(system.to_json()) == system
    labelled = system.labelled(["nsubj", "obj:ö"])
    assert TransitionSystem.from_dict(json.loads(json.dumps(labelled.to_dict()))) == labelled
    assert eval(repr(labelled), names) == labelled


def test_names_that_say_how_a_system_is_made() -> None:
    assert systems.get("4-planar") == systems.planar.with_stacks(4)
    assert systems.get("undirected-4-planar") == systems.planar.with_stacks(4).undirected()
    assert systems.get("1-planar").transitions == systems.planar.transitions
    assert systems.get("planar-graph+single-head+acyclic").transitions == systems.planar.transitions
    assert systems.get("2-planar-graph+single-head+acyclic").transitions == systems.k_planar(2).transitions
    assert systems.get("attardi-1").transitions == systems.arc_standard.transitions
    assert systems.get("swap-eager") == systems.swap
    assert systems.get("swap-lazy").transitions == systems.swap.transitions
    assert systems.source(systems.get("swap-lazy")) == "Nivre, Kuhlmann & Hall 2009"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("planer", "did you mean planar"),
        ("xyz", "`crossarc systems` lists them"),
        ("", "there is no transition system ''"),
        ("0-planar", "there is no transition system"),
        ("300-planar", "from 1 to 255"),
        ("undirected-arc-eager", "arc-eager has no undirected form"),
        ("undirected-" * 2000 + "planar", "there is no transition system"),
        ("planar+no-roots", "there is no transition system"),
    ],
)
def test_unknown_names(name: str, message: str) -> None:
    with pytest.raises(TransitionError, match=message):
        systems.get(name)


def changed(**parts: Any) -> dict[str, Any]:
    return {**TransitionSystem("mine", shift=SHIFT, left=LEFT_ARC >> REDUCE).to_dict(), **parts}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "not the definition of a transition system"),
        (changed(format="x"), "not the definition of a transition system"),
        (changed(version=2), "has version 2; this crossarc reads 1"),
        (changed(name=3), 'system: "name" must be a string'),
        (changed(stacks=True), 'system: "stacks" must be a whole number'),
        (changed(stacks=2), "mine: more than one stack needs a SWITCH"),
        (changed(labels="ab"), 'system: "labels" must be a list'),
        (changed(labels=[1]), "labels are one or more non-empty strings"),
        (changed(transitions={}), 'system: "transitions" must be a list'),
        (changed(transitions=[]), "mine: a system needs transitions"),
        (changed(transitions=["shift"]), 'transition 1: "name" must be a string'),
        (changed(transitions=[{"name": "labels", "steps": [{"do": "SHIFT"}]}]), "called labels"),
        (changed(transitions=[{"name": "a", "steps": [{"do": "SHIFT"}]}] * 2), "two transitions are called a"),
        (changed(transitions=[{"name": "a", "steps": []}]), "a: a transition needs 1 to 64 steps, not 0"),
        (changed(transitions=[{"name": "a", "steps": [7]}]), 'a: "do" must be a string'),
        (changed(transitions=[{"name": "a", "steps": [{"do": "JUMP"}]}]), "no elementary transition 'JUMP'"),
        (changed(transitions=[{"name": "a", "steps": [{"do": "SHIFT", "x": 1}]}]), "a step has no 'x'"),
        (changed(transitions=[{"name": "a", "steps": [{"do": "REDUCE", "depth": "1"}]}]), "must be a whole number"),
        (changed(transitions=[{"name": "a", "steps": [{"do": "SHIFT", "position": -5}]}]), "first position"),
        (changed(transitions=[{"name": "a", "steps": [{"do": "SHIFT", "where": []}]}]), "1 to 32 alternatives, not 0"),
        (changed(transitions=[{"name": "a", "steps": [{"do": "SHIFT", "where": ["x"]}]}]), "is a list of facts"),
        (changed(transitions=[{"name": "a", "steps": [{"do": "SHIFT", "where": [["x"]]}]}]), "no fact 'x'"),
        (
            changed(transitions=[{"name": "a", "steps": [{"do": "SHIFT", "where": [["connected", "~connected"]]}]}]),
            "can never hold",
        ),
    ],
)
def test_malformed_definitions_are_refused(data: Any, message: str) -> None:
    with pytest.raises(TransitionError, match=message):
        TransitionSystem.from_dict(data)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "null", '"x"'])
def test_malformed_json_is_refused(text: str) -> None:
    with pytest.raises(TransitionError):
        TransitionSystem.from_json(text)
