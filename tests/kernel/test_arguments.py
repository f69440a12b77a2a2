"""What the kernel's functions refuse: arguments are checked where they come in, and never crash what is inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from crossarc import _kernel
from crossarc.errors import BOUNDS
from crossarc.features.characters import NO_FORMS
from crossarc.transitions.algebra import compiled, systems

pytestmark = pytest.mark.kernel

ARC_EAGER = compiled(systems.get("arc-eager"))
EASY_FIRST = compiled(systems.get("easy-first"))
FEATURES = ([(0, 0, 0, 0)], [(0, int(_kernel.FeatureAttribute.column), 0)], [[0]])
VIEWS: tuple[list[Any], list[Any], list[Any]] = ([(0, 0, 0, 0)], [], [])
ORACLE = _kernel.TrainingOracle(rule=0, roles=[-1] * 7, reach=0, guarantees=[False] * 4)
LARGE = 2**31 - 1


def definition(features: Any = FEATURES, labels: int = 2) -> _kernel.ParserDefinition:
    return _kernel.ParserDefinition(
        ARC_EAGER, artificial_root="none", transition_features=features, label_features=features, labels=labels
    )


def sizes(**other: Any) -> _kernel.NetworkSizes:
    usual: dict[str, Any] = {
        "groups": [([4], 2), ([4], 2)],
        "characters": 0,
        "character_dimension": 2,
        "filters": 2,
        "character_outputs": 0,
        "layers": 1,
        "cells": 2,
        "hidden": 2,
        "label_hidden": 2,
    }
    return _kernel.NetworkSizes(**{**usual, **other})


def dropout(**other: float) -> _kernel.EncoderDropout:
    return _kernel.EncoderDropout(**{"inputs": 0.0, "layers": 0.0, "words": 0.0, "groups": 0.0, **other})


def network_learner(**other: Any) -> _kernel.NetworkLearner:
    usual: dict[str, Any] = {
        "dropout": dropout(),
        "hidden_dropout": 0.0,
        "columns": _kernel.ColumnDropout(families=[], empty=[], share=0.0),
        "counts": [[1, 1, 1, 1]],
        "sentences": 2,
        "words": 0,
        "seed": 1,
    }
    return _kernel.NetworkLearner(definition(VIEWS), ORACLE, sizes(), **{**usual, **other})


def data(columns: int = 1) -> list[Any]:
    """Two words, of which the second is the head of the first."""
    offsets = np.array([0, 2], np.int64)
    return [
        np.zeros((2, columns), np.uint32),
        offsets,
        np.array([0, 2], np.int64),
        np.array([2, 0], np.int32),
        np.array([1, 2], np.int32),
        np.array([0, 1], np.int32),
    ]


def learn(**other: Any) -> int:
    usual = {"explore": 0, "rate": 0.1, "threads": 1}
    values, offsets, *arcs = data(2)
    return network_learner().learn(np.array([0], np.int32), values, offsets, NO_FORMS, *arcs, **{**usual, **other})


def derive(**other: Any) -> Any:
    usual: dict[str, Any] = {
        "program": ARC_EAGER,
        "root": "none",
        "words": np.array([2], np.int32),
        "arc_offsets": np.array([0, 0], np.int64),
        "heads": np.zeros(0, np.int32),
        "dependents": np.zeros(0, np.int32),
        "labels": np.zeros(0, np.int32),
        "planes": np.zeros(0, np.int32),
        "rule": 0,
        "roles": [-1] * 7,
        "guarantees": [False] * 4,
        "width": 4,
        "budget": 100,
        "threads": 1,
    }
    return _kernel.derive(**{**usual, **other})


def graph_shape(labels: int) -> _kernel.GraphShape:
    return _kernel.GraphShape(
        groups=[([3], 4)],
        characters=0,
        character_dimension=1,
        filters=1,
        character_outputs=0,
        layers=1,
        cells=2,
        arc=2,
        label=2,
        labels=labels,
    )


def matrices() -> _kernel.ScoreMatrices:
    return _kernel.ScoreMatrices([np.zeros((3, 3))])


def reconstruct(word_offsets: list[int], threads: int = 1) -> Any:
    none, bytes_ = np.zeros(0, np.int32), np.zeros(0, np.uint8)
    offsets = np.array([0, 0], np.int64)
    words = np.array(word_offsets, np.int64)
    return _kernel.reconstruct(none, none, bytes_, offsets, words, _kernel.Reconstruction.label, threads)


def memory(feature: int = (0 << 32) | 5, weight: int = 1, updates: int = 1, step: int = 2, more: int = 0) -> Any:
    return (
        step,
        np.array([feature], np.uint64),
        np.array([updates], np.int32),
        np.array([1], np.uint16),
        np.zeros(1 + more, np.uint16),
        np.full(1 + more, weight, np.int32),
        np.zeros(1 + more, np.int64),
    )


def restore(**other: Any) -> None:
    _kernel.PerceptronLearner(definition(), ORACLE, seed=1).restore(memory(**other), memory(), 1)


REFUSED: list[tuple[str, Callable[[], Any]]] = [
    ("a guard beyond the facts", lambda: _kernel.make_program(1, [[(0, 0, 1, 0, [(1 << 16, 0)])]], 0)),
    ("a negative guard", lambda: _kernel.make_program(1, [[(0, 0, 1, 0, [(-1, 0)])]], 0)),
    ("too many transitions", lambda: _kernel.make_program(1, [[(0, 0, 1, 0, [])]] * 1001, 0)),
    ("too many repeats", lambda: _kernel.make_program(1, [[(0, 0, 10**9, 0, [])]], 0)),
    ("no such action", lambda: ARC_EAGER.transition_of(4)),
    ("a negative action", lambda: ARC_EAGER.transition_of(-1)),
    ("no such transition", lambda: ARC_EAGER.action_of(9, 0)),
    ("no position", lambda: EASY_FIRST.action_of(1, 0)),
    ("a negative number of nodes", lambda: EASY_FIRST.action_count(-1)),
    ("too many nodes", lambda: EASY_FIRST.action_count(LARGE)),
    ("a machine of too many words", lambda: _kernel.make_machine(EASY_FIRST, np.array([LARGE], np.int32), "first")),
    ("a negative number of words", lambda: derive(words=np.array([-5], np.int32))),
    ("a beam that is too wide", lambda: derive(width=LARGE)),
    ("threads below 0", lambda: derive(threads=-1)),
    ("too many threads", lambda: derive(threads=10**6)),
    ("an address that is too deep", lambda: definition(([(0, LARGE, 0, 0)], [], []))),
    ("an atom of no address", lambda: definition(([], [(0, 0, 0)], []))),
    ("no labels", lambda: definition(labels=0)),
    ("too many labels", lambda: _kernel.PerceptronLearner(definition(labels=1 << 16), ORACLE, seed=1)),
    ("cells below 1", lambda: sizes(cells=0)),
    ("too many cells", lambda: sizes(cells=1 << 20)),
    ("no layers", lambda: sizes(layers=0)),
    ("a column without values", lambda: sizes(groups=[([-1], 2)])),
    ("dropout of everything", lambda: dropout(inputs=1.0)),
    ("dropout that is no number", lambda: network_learner(hidden_dropout=float("nan"))),
    ("word dropout that is no number", lambda: dropout(words=float("nan"))),
    ("word dropout without end", lambda: dropout(words=float("inf"))),
    ("a batch that is too large", lambda: network_learner(sentences=2**63)),
    ("a count below 0", lambda: network_learner(counts=[[1, 1, 1, -1]])),
    ("a rate that is no number", lambda: learn(rate=float("nan"))),
    ("a rate of 0", lambda: learn(rate=0.0)),
    ("more than all choices", lambda: learn(explore=101)),
    ("threads of a learner", lambda: learn(threads=-1)),
    ("a network that is too large", lambda: _kernel.NetworkModel(definition(VIEWS), sizes(cells=4096), weights=[])),
    ("labels of a graph parser, one too many", lambda: graph_shape(BOUNDS["different_labels"].most + 1)),
    ("trees without end", lambda: matrices().sample(_kernel.TreeClass.projective, False, True, 2**62, 1, 1)),
    ("best trees without end", lambda: matrices().k_best(_kernel.TreeClass.projective, False, True, 2**62, 1)),
    ("threads of a decoder", lambda: matrices().sum(_kernel.TreeClass.projective, False, True, False, -1)),
    ("a sentence that is too long", lambda: reconstruct([0, 2**40])),
    ("offsets that go back", lambda: reconstruct([0, -1])),
    ("threads of an encoding", lambda: reconstruct([0, 2], -1)),
    ("a feature of no template", lambda: restore(feature=1 << 32 | 5)),
    ("a feature without a hash", lambda: restore(feature=0)),
    ("a weight without updates", lambda: restore(weight=2)),
    ("updates below 0", lambda: restore(updates=-1)),
    ("no steps", lambda: restore(step=0)),
    ("steps without end", lambda: restore(step=2**62)),
    ("weights of no feature", lambda: restore(more=1)),
]


@pytest.mark.parametrize("call", [call for _, call in REFUSED], ids=[name for name, _ in REFUSED])
def test_arguments_that_are_refused(call: Callable[[], Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        call()


def test_the_same_calls_with_good_arguments() -> None:
    assert ARC_EAGER.transition_of(3) == (3, 0)
    assert EASY_FIRST.transition_of(EASY_FIRST.action_of(1, 2)) == (1, 2)
    assert len(derive()["offsets"]) == 2
    assert learn() >= 0
    graph_shape(BOUNDS["different_labels"].most)
    assert reconstruct([0, 2])[0].tolist() == [0, 0]
    restore()
