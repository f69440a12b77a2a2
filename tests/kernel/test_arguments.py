"""What the kernel's functions refuse: arguments are checked where they come in, and never crash what is inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from crossarc import _kernel
from crossarc.features.vocabularies import NO_FORMS
from crossarc.options import MOST_LABELS
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


def network(head: tuple[str, dict[str, list[int]]] | None = None, weights: Any = None, **other: int) -> _kernel.Network:
    encoder = {
        "columns": [4, 4],
        "group_sizes": [1, 1],
        "embedding_sizes": [2, 2],
        **{name: [0] for name in ("unit_embeddings", "characters", "character_size")},
        **{name: [2] for name in ("character_embedding_size", "filters", "hidden_size")},
        "layers": [1],
        **{name: [size] for name, size in other.items()},
    }
    named = {"slots": 1, "atoms": 0, "hidden_size": 2, "transitions": 4, "label_hidden_size": 2, "labels": 2}
    transitions = "transitions", {name: [size] for name, size in named.items()}
    return _kernel.Network(("lstm", encoder), [head or transitions], seed=1, weights=weights)


def dropout(**other: float) -> _kernel.EncoderDropout:
    return _kernel.EncoderDropout(**{"inputs": 0.0, "layers": 0.0, "groups": 0.0, **other})


def network_learner(**other: Any) -> _kernel.TransitionLearner:
    usual: dict[str, Any] = {
        "dropout": dropout(),
        "word_dropout": 0.0,
        "hidden_dropout": 0.0,
        "rare_words": True,
        "columns": _kernel.ColumnDropout(families=[], empty=[], share=0.0),
        "counts": [[1, 1, 1, 1]],
        "sentences": 2,
        "words": 0,
        "seed": 1,
    }
    return _kernel.TransitionLearner(definition(VIEWS), ORACLE, network(), **{**usual, **other})


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
        "oracle": ORACLE,
        "width": 4,
        "budget": 100,
        "threads": 1,
    }
    return _kernel.derive(**{**usual, **other})


def graph_network(labels: int) -> _kernel.Network:
    sizes = {"arc_hidden_size": [2], "label_hidden_size": [2], "labels": [labels]}
    return network(("biaffine", sizes))


PROJECTIVE = _kernel.DecodeOptions(_kernel.TreeClass.projective)


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
    _kernel.PerceptronLearner(definition(), ORACLE, seed=1).load_state_dict(memory(**other), memory(), 1)


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
    (
        "a role without a transition",
        lambda: derive(oracle=_kernel.TrainingOracle(rule=0, roles=[9] * 7, reach=0, guarantees=[False] * 4)),
    ),
    ("threads below 0", lambda: derive(threads=-1)),
    ("too many threads", lambda: derive(threads=10**6)),
    ("an address that is too deep", lambda: definition(([(0, LARGE, 0, 0)], [], []))),
    ("an atom of no address", lambda: definition(([], [(0, 0, 0)], []))),
    ("no labels", lambda: definition(labels=0)),
    ("too many labels", lambda: _kernel.PerceptronLearner(definition(labels=1 << 16), ORACLE, seed=1)),
    ("a hidden size below 1", lambda: network(hidden_size=0)),
    ("a hidden size that is too large", lambda: network(hidden_size=1 << 20)),
    ("no layers", lambda: network(layers=0)),
    ("a column without values", lambda: network(columns=-1)),
    ("dropout of everything", lambda: dropout(inputs=1.0)),
    ("dropout that is no number", lambda: network_learner(hidden_dropout=float("nan"))),
    ("word dropout that is no number", lambda: network_learner(word_dropout=float("nan"))),
    ("word dropout without end", lambda: network_learner(word_dropout=float("inf"))),
    ("a batch that is too large", lambda: network_learner(sentences=2**63)),
    ("a count below 0", lambda: network_learner(counts=[[1, 1, 1, -1]])),
    ("a rate that is no number", lambda: learn(rate=float("nan"))),
    ("a rate of 0", lambda: learn(rate=0.0)),
    ("more than all choices", lambda: learn(explore=101)),
    ("threads of a learner", lambda: learn(threads=-1)),
    ("a network that is too large", lambda: network(weights={}, hidden_size=4096)),
    ("labels of a graph parser, one too many", lambda: graph_network(MOST_LABELS + 1)),
    ("trees without end", lambda: matrices().sample(PROJECTIVE, 2**62, 1, 1)),
    ("best trees without end", lambda: matrices().k_best(PROJECTIVE, 2**62, 1)),
    ("threads of a decoder", lambda: matrices().sum(PROJECTIVE, False, -1)),
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
    graph_network(MOST_LABELS)
    assert reconstruct([0, 2])[0].tolist() == [0, 0]
    restore()


def misaligned(values: Any) -> Any:
    """The same values, from an odd address on."""
    array = np.ascontiguousarray(values)
    view = np.frombuffer(bytearray(b"\0" + array.tobytes()), np.uint8)[1:].view(array.dtype).reshape(array.shape)
    assert not (view.size and view.flags.aligned)
    return view


def test_misaligned_arrays_are_copied() -> None:
    scores = np.random.default_rng(1).normal(size=49)
    options = _kernel.DecodeOptions(_kernel.TreeClass.one_endpoint_crossing)
    for kind in (np.float64, np.float32):
        aligned = _kernel.ScoreMatrices(scores.astype(kind), np.array([6]))
        flat, square = misaligned(scores.astype(kind)), misaligned(scores.astype(kind).reshape(7, 7))
        for found, read in (
            (_kernel.ScoreMatrices(flat, misaligned(np.array([6]))), flat),
            (_kernel.ScoreMatrices([square]), square),
        ):
            read[...] = 0  # an array that is read where it lies would show it
            assert [array.tolist() for array in found.k_best(options, 3, 1)[:2]] == [
                array.tolist() for array in aligned.k_best(options, 3, 1)[:2]
            ]
    heads, offsets = np.array([2, 0], np.int32), np.array([0, 2])
    flags = (False, True, True, 100, 1)
    expected, _ = _kernel.classify(heads, offsets, *flags)
    classes, _ = _kernel.classify(misaligned(heads), misaligned(offsets), *flags)
    assert {name: np.asarray(values).tolist() for name, values in classes.items()} == {
        name: np.asarray(values).tolist() for name, values in expected.items()
    }
    weights = network().parameters()
    again = network(weights={name: misaligned(values) for name, values in weights.items()})
    assert all((again.parameters()[name] == values).all() for name, values in weights.items())


def test_a_reader_that_gave_its_result_refuses_more() -> None:
    reader = _kernel.TreebankReader(_kernel.Format.conllu, _kernel.RootPolicy.any, 1, 1, 1, 0)
    reader.feed(b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert reader.finish()["sentences"] == 1
    for again in (lambda: reader.feed(b"1\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n"), reader.finish):
        with pytest.raises(ValueError, match="the reader is used up"):
            again()


def test_none_is_no_array_within_a_list() -> None:
    steps = _kernel.Lockstep(ARC_EAGER, ORACLE, artificial_root="none", features=FEATURES, threads=1)
    values, offsets, *gold = data()
    chosen = np.array([0], np.int32)
    steps.start(offsets, values, chosen, None)
    steps.start(offsets, values, chosen, tuple(gold))
    for absent in range(4):
        given: Any = [None if one == absent else gold[one] for one in range(4)]
        with pytest.raises(TypeError, match="incompatible function arguments"):
            steps.start(offsets, values, chosen, given)
