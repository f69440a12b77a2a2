"""Parsers on transformers: trained in torch with every head, saved, loaded, and parsed by the kernel alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.features.tags import PREDICTED
from crossarc.models import ModelFile, read_model_file, write_model_file

from ..support.transformers import random_encoder, saved_encoder

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'crossarc[torch]'")

SMALL: dict[str, Any] = {"batch_words": 150, "learning_rate": 0.01, "encoder_learning_rate": 0.003, "warm_up": 5}
GRAPH: dict[str, Any] = {**SMALL, "arc_hidden_size": 24, "label_hidden_size": 12}

# Sentences are longer than the window of the small encoder.
pytestmark = pytest.mark.filterwarnings("ignore::crossarc.errors.CountedWarning")


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return xa.sample(60, seed=3)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return saved_encoder(tmp_path_factory.mktemp("encoder"))


def trained(parser: Any, train: xa.Treebank, **options: Any) -> Any:
    parser.train(train, dev=train[:20], **{"epochs": 3, "device": "cpu", "threads": 1, **options})
    return parser


def test_arcs_labels_and_tags_are_learnt_on_it(encoder: str, train: xa.Treebank, tmp_path: Path) -> None:
    parser = xa.GraphParser("unrestricted", network=xa.Biaffine(encoder=encoder, **GRAPH), predict=PREDICTED)
    trained(parser, train, epochs=40)
    found = parser.parse(train)
    scores = xa.evaluate(train, found)
    assert scores.uas > 0.4 and scores.las > 0.3
    assert (found.upos.ids == train.upos.ids).mean() > 0.5
    for bits, least in ((16, 1.0), (8, 0.97)):
        parser.save(tmp_path / "m.crossarc", bits=bits)
        loaded: Any = xa.load(tmp_path / "m.crossarc")
        assert (loaded.parse(train).head == found.head).mean() >= least
    options = loaded.trained.definition.scorer
    assert (options.encoder, options.groups, options.character_size) == ("transformer", (), 0)


def test_transitions_are_learnt_on_it(encoder: str, train: xa.Treebank, tmp_path: Path) -> None:
    options = {**SMALL, "transition_hidden_size": 24, "label_hidden_size": 12}
    parser = xa.TransitionParser("2-planar", scorer=xa.Network(encoder=encoder, **options))
    trained(parser, train, epochs=4)
    found = parser.parse(train)
    assert xa.evaluate(train, found).uas > 0.3
    parser.save(tmp_path / "m.crossarc")
    assert np.array_equal(xa.load(tmp_path / "m.crossarc").parse(train).head, found.head)


def test_tags_and_characters_are_read_beside_it(encoder: str, train: xa.Treebank) -> None:
    network = xa.Biaffine(encoder=encoder, groups=(("upos",),), embedding_sizes=(8,), character_size=6, **GRAPH)
    parser = trained(xa.GraphParser(network=network), train, epochs=1)
    names = parser.trained.model.network.parameters()
    assert names["encoder.embeddings.0"].shape[1] == 8 and "encoder.characters.output" in names
    assert names["biaffine.projection"].shape[0] == 24 + 8 + 6


def test_lstm_layers_read_what_it_says_and_tags(encoder: str, train: xa.Treebank, tmp_path: Path) -> None:
    beside: dict[str, Any] = {"groups": (("upos",), ("xpos",)), "embedding_sizes": (8, 6)}
    network = xa.Biaffine(encoder=encoder, lstm_layers=2, hidden_size=20, character_size=0, **beside, **GRAPH)
    parser = trained(xa.GraphParser("unrestricted", network=network), train, epochs=20)
    names = parser.trained.model.network.parameters()
    assert names["encoder.lstm.0.forward.input"].shape == (24 + 8 + 6, 80)
    assert names["encoder.lstm.1.backward.input"].shape == (40, 80)
    assert names["biaffine.projection"].shape[0] == 40
    found = parser.parse(train)
    assert xa.evaluate(train, found).uas > 0.4
    parser.save(tmp_path / "m.crossarc", bits=16)
    assert np.array_equal(xa.load(tmp_path / "m.crossarc").parse(train).head, found.head)


def test_a_rate_of_zero_leaves_it_as_it_is(encoder: str, train: xa.Treebank, tmp_path: Path) -> None:
    network = xa.Biaffine(encoder=encoder, **{**GRAPH, "encoder_learning_rate": 0.0})
    start = random_encoder().weights
    parser = trained(xa.GraphParser(network=network), train, epochs=2, checkpoint=tmp_path / "m.checkpoint")
    weights = parser.trained.model.network.parameters()
    for name, values in start.items():
        same = np.array_equal(weights[name], values.astype(np.float16).astype(np.float32))
        assert same == (name != "encoder.mixture"), name
    learnt = trained(xa.GraphParser(network=xa.Biaffine(encoder=encoder, **GRAPH)), train, epochs=1)
    changed = learnt.trained.model.network.parameters()["encoder.transformer.0.attention.query"]
    assert not np.array_equal(changed, weights["encoder.transformer.0.attention.query"])


def test_gradients_of_several_batches_are_those_of_a_large_one(encoder: str, train: xa.Treebank) -> None:
    quiet = {"encoder_dropout": 0.0, "hidden_dropout": 0.0, "input_dropout": 0.0}
    counts = {}
    for batches in (1, 4):
        network = xa.Biaffine(encoder=encoder, **{**GRAPH, **quiet, "accumulated_batches": batches, "batch_words": 40})
        parser = xa.GraphParser(network=network)
        labels = len(train.inventory("deprel"))
        definition = parser.scorer.definition(labels, train, 1)
        from crossarc.models.neural.biaffine import TreesToLearn
        from crossarc.models.neural.torch.biaffine import TorchGraphLearner

        data = TreesToLearn(definition.inputs(train), train.head, np.zeros(train.words, np.int32))
        start = definition.new_network(1).parameters()
        learner = TorchGraphLearner(definition, data, start, definition.schedule(data, 2), 1, "cpu")
        learner.learn(np.arange(len(train), dtype=np.int32), 1)
        counts[batches] = (learner.steps, learner.changes)
        if batches == 4:
            arrays = learner.state_dict()
            again = TorchGraphLearner(definition, data, start, definition.schedule(data, 2), 1, "cpu")
            again.load_state_dict(arrays)
            assert (again.steps, again.changes) == counts[4]
    assert counts[1][0] == counts[1][1] == counts[4][0]
    assert counts[4][1] == -(-counts[4][0] // 4)


# Processors without such products say that they take others.
@pytest.mark.filterwarnings("ignore:mkldnn_matmul failed:UserWarning")
def test_products_of_mixed_precision_learn_too(encoder: str, train: xa.Treebank) -> None:
    network = xa.Biaffine(encoder=encoder, **{**GRAPH, "precision": "bfloat16"})
    parser = trained(xa.GraphParser(network=network), train, epochs=2)
    assert all(np.isfinite(values).all() for values in parser.trained.model.network.parameters().values())


def test_the_kernel_does_not_train_it(encoder: str, train: xa.Treebank) -> None:
    with pytest.raises(xa.ParserError, match=r"goes on learning with torch alone: give a device"):
        xa.GraphParser(network=xa.Biaffine(encoder=encoder, **GRAPH)).train(train, epochs=1)
    with pytest.raises(xa.ParserError, match=r"encoder is lstm, or the folder of an encoder that has read, not 'bert'"):
        xa.Biaffine(encoder="bert")


def test_a_model_file_names_no_other_file(encoder: str, train: xa.Treebank, tmp_path: Path) -> None:
    parser = trained(xa.GraphParser(network=xa.Biaffine(encoder=encoder, **GRAPH)), train, epochs=1)
    parser.save(tmp_path / "m.crossarc")
    file = read_model_file(tmp_path / "m.crossarc")
    description = {**file.description, "network": {**file.description["network"], "encoder": encoder}}
    write_model_file(tmp_path / "m.crossarc", ModelFile(description, file.arrays))
    with pytest.raises(xa.FileError, match="encoder is one of lstm, transformer"):
        xa.load(tmp_path / "m.crossarc")
    assert replace(network := parser.scorer, precision="float32") != network
