"""Networks of transition parsers in torch and in the kernel held against each other: scores, gradients, learning."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.models.base import TrainingData
from crossarc.models.neural.transitions import NetworkDefinition
from crossarc.parsers.transition.targets import make_target

from ..support.networks import Weights, assert_same, assert_same_moments, changed
from ..support.parsers import SMALL_DEEP, WITHOUT_DROPOUT

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'crossarc[torch]'")

SURE = replace(
    SMALL_DEEP,
    group_dropout=0.0,
    layer_dropout=0.0,
    hidden_dropout=0.0,
    word_dropout=0.0,
    column_dropout=0.0,
    batch_words=10_000,
    warm_up=0,
)


def prepared(
    name: str, options: xa.Network, treebank: xa.Treebank, root: str = "first"
) -> tuple[NetworkDefinition, TrainingData]:
    system = xa.load_system(name)
    encoding = xa.Undirected("label") if system.is_undirected else None
    target = make_target(system, encoding, treebank, root="single", artificial_root=root, threads=1)
    definition = options.definition(system, root, target.encoded_labels, treebank, 1)
    return definition, target.data(definition, treebank)


def torch_learner(definition: NetworkDefinition, data: TrainingData, start: Weights) -> Any:
    from crossarc.models.neural.torch.transitions import TorchTransitionLearner

    return TorchTransitionLearner(definition, data, start, definition.schedule(data, 2), 1, "cpu", 1)


@pytest.mark.parametrize("options", [SURE, replace(WITHOUT_DROPOUT, layers=2)])
@pytest.mark.parametrize("name", ["arc-hybrid", "2-planar", "covington", "swap"])
def test_the_same_weights_give_the_same_scores(name: str, options: xa.Network) -> None:
    """The logarithms of the probabilities of the transitions that are taken, added up."""
    treebank = xa.sample(30, seed=10)
    definition, data = prepared(name, options, treebank)
    weights = changed(definition.new_network(1).parameters(), 1, 0.1)
    learner = torch_learner(definition, data, weights)
    assert_same(learner.network.arrays(), weights)
    found = definition.model_with(definition.network_with(weights)).search(data.inputs, 1, 1, 1)
    assert greedy_totals(learner, data) == pytest.approx(found.totals, abs=1e-4)


def greedy_totals(learner: Any, data: TrainingData) -> Any:
    """The score of the greedy sequence of transitions of each sentence."""
    network, head, steps = learner.network.eval(), learner.head, learner.lockstep
    sentences = np.arange(len(data.inputs.word_offsets) - 1, dtype=np.int32)
    batch, _ = learner.sentences.gather(sentences)
    totals = np.zeros(len(sentences))
    words = len(data.inputs.values)
    steps.start(data.inputs.word_offsets, np.arange(3, words + 3, dtype=np.uint32)[:, None])
    with torch.no_grad():
        tables = head.slot_tables(head.project(network.encoder(batch), batch))
        while not steps.finished():
            seen = torch.from_numpy(steps.features()[:, learner._columns].astype(np.int64))
            scores = head.score_transitions(tables, seen[:, : head.slots], seen[:, head.slots :]).numpy()
            likely = np.where(steps.legal(), scores, -np.inf)
            actions = likely.argmax(axis=1).astype(np.int32)
            largest = likely.max(axis=1)
            totals[steps.unfinished()] -= np.log(np.exp(likely - largest[:, None]).sum(axis=1))
            steps.apply(actions, np.where(learner._adds_arc[actions], 0, -1))
    return totals


@pytest.mark.filterwarnings("ignore:undirected-planar with an artificial root builds projective trees only")
@pytest.mark.parametrize("options", [SURE, WITHOUT_DROPOUT])
@pytest.mark.parametrize(
    ("name", "root"),
    [
        *(("arc-hybrid", "none"), ("2-planar", "first"), ("covington", "last")),
        *(("swap", "first"), ("undirected-planar", "first")),
    ],
)
def test_gradients_are_those_of_the_native_learner(name: str, root: str, options: xa.Network) -> None:
    treebank = xa.sample(20, seed=5)
    definition, data = prepared(name, replace(options, batch_sentences=10_000), treebank, root)
    native = definition.native_learner(data, 1)
    learner = torch_learner(definition, data, native.network.parameters())
    order = np.arange(len(treebank), dtype=np.int32)
    arcs: Any = (data.arc_offsets, data.heads, data.dependents, data.labels)
    mistakes = native.learn(order, *data.inputs, *arcs, explore=0, rate=1e-3, threads=1)
    assert learner.learn(order, 1) == mistakes > 0
    assert_same_moments(learner, native, abs=3e-6, rel=3e-3)


@pytest.mark.parametrize("name", ["arc-eager", "covington"])
def test_torch_learns_and_the_kernel_parses(name: str, tmp_path: Path) -> None:
    train, dev = xa.sample(120, seed=1), xa.sample(40, seed=2)
    parser = xa.TransitionParser(name, scorer=SMALL_DEEP)
    report = parser.train(train, dev=dev, epochs=8, device="cpu", threads=1)
    assert report.epochs[-1].mistakes < 0.5 * report.epochs[0].mistakes
    assert report.las is not None and report.las > 0.5
    parser.save(tmp_path / "m.crossarc")
    assert xa.load(tmp_path / "m.crossarc").parse(dev).to_bytes() == parser.parse(dev).to_bytes()


def test_broken_off_training_goes_on_to_the_same_file(tmp_path: Path) -> None:
    class StoppedError(Exception):
        pass

    def stop_in_second(epoch: int, done: int, of: int) -> None:
        if epoch == 2:
            raise StoppedError

    train, checkpoint = xa.sample(60, seed=1), tmp_path / "c"
    options: dict[str, Any] = {"epochs": 3, "device": "cpu", "threads": 1}
    whole, broken, resumed = (xa.TransitionParser("arc-eager", scorer=SMALL_DEEP) for _ in range(3))
    whole.train(train, **options)
    with pytest.raises(StoppedError):
        broken.train(train, checkpoint=checkpoint, on_progress=stop_in_second, **options)
    with pytest.raises(xa.ParserError, match=r"of another training \(trainer differ\)"):
        resumed.train(train, epochs=3, threads=1, checkpoint=checkpoint, resume=True)
    resumed.train(train, checkpoint=checkpoint, resume=True, **options)
    for parser, name in ((whole, "whole"), (resumed, "resumed")):
        parser.save(tmp_path / name)
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "resumed").read_bytes()


def test_what_torch_does_not_train() -> None:
    few = xa.sample(5, seed=1)
    with pytest.raises(xa.ParserError, match="torch trains networks that choose transitions, not perceptron"):
        xa.TransitionParser("arc-eager", scorer="perceptron").train(few, epochs=1, device="cpu")
    with pytest.raises(xa.ParserError, match="torch trains networks that choose transitions, not easy-first"):
        xa.TransitionParser("easy-first", scorer=SMALL_DEEP).train(few, epochs=1, device="cpu")
    with pytest.raises(xa.ParserError, match="torch has no device 'nowhere' here"):
        xa.TransitionParser("arc-eager", scorer=SMALL_DEEP).train(few, epochs=1, device="nowhere")
