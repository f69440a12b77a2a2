"""Torch and the kernel held against each other: the same weights give the same scores, and both learn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc import _kernel
from crossarc.models.biaffine.learner import TreesToLearn, native_learner
from crossarc.models.biaffine.options import BiaffineDefinition
from crossarc.models.biaffine.torch_learner import TorchLearner

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'crossarc[torch]'")

SMALL = xa.Biaffine(
    dimensions=(9, 8, 7),
    characters=6,
    character_dimension=5,
    filters=4,
    cells=11,
    arc=13,
    label=10,
    batch=150,
    rate=0.01,
    column_dropout=0.0,
    word_dropout=0.0,
)


def random_model(treebank: xa.Treebank, options: xa.Biaffine, seed: int) -> tuple[BiaffineDefinition, list[Any], Any]:
    """A definition with random weights, none of them zero."""
    definition = options.definition(len(treebank.inventory("deprel")), treebank, 1)
    generator = np.random.default_rng(seed)
    start = native_weights(definition, data_of(definition, treebank))
    weights = [one + generator.normal(0, 0.2, one.shape).astype(np.float32) for one in start]
    for place, size in enumerate(definition.dimensions):
        weights[place][:size] = 0  # what a word has not
    if options.characters:
        characters = len(definition.dimensions) + 6 * options.layers
        weights[characters][: options.character_dimension] = 0
    return definition, weights, definition.model_of_weights(weights)


def native_weights(definition: BiaffineDefinition, data: TreesToLearn) -> list[Any]:
    tree_class = _kernel.TreeClass.projective
    return native_learner(definition, data, tree_class=tree_class, single_root=True, seed=1).weights()


def data_of(definition: BiaffineDefinition, treebank: xa.Treebank) -> TreesToLearn:
    return TreesToLearn(definition.inputs(treebank), treebank.head, np.zeros(treebank.words, np.int32))


@pytest.mark.parametrize("options", [SMALL, replace(SMALL, layers=1, characters=0), replace(SMALL, layers=3)])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_weights_give_the_same_scores(options: xa.Biaffine, seed: int) -> None:
    treebank = xa.sample(30, seed=10 + seed)
    definition, weights, model = random_model(treebank, options, seed)
    learner = TorchLearner(definition, data_of(definition, treebank), weights, 2, 1, "cpu")
    assert all(np.array_equal(one, other) for one, other in zip(learner.network.weights(), weights, strict=True))
    learner.network.eval()
    batch, rows = learner._gather(np.arange(len(treebank), dtype=np.int32))
    with torch.no_grad():
        roles = learner.network.encode(batch)
        scores = torch.log_softmax(learner.network.score_arcs(roles, batch), dim=2).numpy()
        places = torch.nonzero(batch.present[:, 1:]) + torch.tensor([0, 1])
        heads = torch.from_numpy(treebank.head.astype(np.int64))[rows]
        labels = learner.network.score_labels(roles, places[:, 0], places[:, 1], heads).numpy()
    inputs = definition.inputs(treebank)
    flat, first = model.arc_scores(inputs), 0
    for sentence, words in enumerate(np.diff(treebank.word_offsets).tolist()):
        own = flat[first : first + (words + 1) ** 2].reshape(words + 1, words + 1).T[1:]
        first += (words + 1) ** 2
        found = scores[sentence, 1 : words + 1, : words + 1]
        assert own[np.isfinite(own)] == pytest.approx(found[np.isfinite(own)], abs=1e-4)
    assert model.label_scores(inputs, treebank.head) == pytest.approx(labels, abs=1e-4)


def test_torch_learns_and_the_kernel_parses(tmp_path: Path) -> None:
    train, dev = xa.sample(200, seed=1), xa.sample(40, seed=2)
    network = replace(SMALL, cells=24, arc=24, group_dropout=0.1, layer_dropout=0.1, hidden_dropout=0.1)
    parser = xa.GraphParser("unrestricted", network=network)
    report = parser.train(train, dev=dev, epochs=12, device="cpu")
    assert report.epochs[-1].mistakes < 0.5 * report.epochs[0].mistakes
    parser.save(tmp_path / "m.crossarc")
    assert xa.load(tmp_path / "m.crossarc").parse(dev).to_bytes() == parser.parse(dev).to_bytes()


def test_torch_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    train = xa.sample(60, seed=1)
    whole = xa.GraphParser("projective", network=SMALL)
    whole.train(train, epochs=3, device="cpu")
    begun = xa.GraphParser("projective", network=SMALL)

    def stop_after_two(epoch: Any) -> None:
        if epoch.number == 2:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        begun.train(train, epochs=3, device="cpu", checkpoint=tmp_path / "c", on_epoch=stop_after_two)
    begun.train(train, epochs=3, device="cpu", checkpoint=tmp_path / "c", resume=True)
    one, other = whole.model_file(), begun.model_file()
    assert all(np.allclose(other.arrays[name], array, atol=1e-2) for name, array in one.arrays.items())


def test_a_device_that_is_not_there() -> None:
    with pytest.raises(xa.ParserError, match="torch has no device 'nowhere' here"):
        xa.GraphParser(network=SMALL).train(xa.sample(5, seed=1), epochs=1, device="nowhere")
    with pytest.raises(xa.ParserError, match="torch learns the objective heads, not margin"):
        xa.GraphParser(network=replace(SMALL, objective="margin")).train(xa.sample(5, seed=1), epochs=1, device="cpu")
