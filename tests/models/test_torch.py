"""Torch and the kernel held against each other: the same weights give the same scores, and both learn."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc import _kernel
from crossarc.decoders import TreeClass
from crossarc.features.tags import NO_TAGS, PREDICTED, Tags
from crossarc.models import ModelFile, read_model_file, write_model_file
from crossarc.models.biaffine.learner import TreesToLearn, native_learner
from crossarc.models.biaffine.options import BiaffineDefinition
from crossarc.models.biaffine.torch_learner import TorchLearner
from crossarc.parsers.graph.trees import TREE_CLASSES, nearest_trees, tree_class

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
#: The same, of words alone.
WORDS = replace(SMALL, groups=(("lower",), ("suffix2", "suffix3")), dimensions=(9, 8))
TWO_CLASSES: tuple[TreeClass, TreeClass] = ("one_endpoint_crossing", "spanning_tree")


def random_model(
    treebank: xa.Treebank, options: xa.Biaffine, seed: int, tags: Tags = NO_TAGS
) -> tuple[BiaffineDefinition, list[Any], Any]:
    """A definition with random weights, none of them zero."""
    definition = options.definition(len(treebank.inventory("deprel")), treebank, 1, tags)
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
    projective = _kernel.TreeClass.projective
    return native_learner(definition, data, tree_class=projective, single_root=True, seed=1).weights()


def data_of(definition: BiaffineDefinition, treebank: xa.Treebank) -> TreesToLearn:
    labels = np.zeros(treebank.words, np.int32)
    return TreesToLearn(definition.inputs(treebank), treebank.head, labels, definition.tags.classes(treebank))


@pytest.mark.parametrize("options", [SMALL, replace(SMALL, layers=1, characters=0), replace(SMALL, layers=3)])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_weights_give_the_same_scores(options: xa.Biaffine, seed: int) -> None:
    treebank = xa.sample(30, seed=10 + seed)
    definition, weights, model = random_model(treebank, options, seed)
    learner = TorchLearner(definition, data_of(definition, treebank), weights, 2, 1, "cpu")
    assert all(np.array_equal(one, other) for one, other in zip(learner.network.weights(), weights, strict=True))
    learner.network.eval()
    batch, rows = learner.sentences.gather(np.arange(len(treebank), dtype=np.int32))
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


@pytest.mark.parametrize("seed", range(3))
def test_the_same_weights_give_the_same_scores_of_tags(seed: int) -> None:
    treebank = xa.sample(30, seed=10 + seed)
    tags = Tags.fit(treebank, PREDICTED)
    definition, weights, model = random_model(treebank, WORDS, seed, tags)
    learner = TorchLearner(definition, data_of(definition, treebank), weights, 2, 1, "cpu")
    assert all(np.array_equal(one, other) for one, other in zip(learner.network.weights(), weights, strict=True))
    learner.network.eval()
    batch, rows = learner.sentences.gather(np.arange(len(treebank), dtype=np.int32))
    with torch.no_grad():
        said = learner.network.read(batch)[:, 1:][batch.present[:, 1:]]
        found = torch.cat(list(learner.network.score_tags(said)), dim=1).numpy()
    inputs = definition.inputs(treebank)
    expected = model.tag_scores(inputs)
    assert expected.shape == (treebank.words, sum(tags.sizes))
    assert expected[rows.numpy()] == pytest.approx(found, abs=1e-4)
    first = np.cumsum([0, *tags.sizes])
    trees = model.parse(inputs, tree_class=_kernel.TreeClass.projective, single_root=True, root_label=-1)
    for place, (start, end) in enumerate(itertools.pairwise(first.tolist())):
        assert (trees.tags[:, place] == expected[:, start:end].argmax(axis=1)).all()


def test_torch_learns_and_the_kernel_parses(tmp_path: Path) -> None:
    train, dev = xa.sample(200, seed=1), xa.sample(40, seed=2)
    network = replace(SMALL, cells=24, arc=24, group_dropout=0.1, layer_dropout=0.1, hidden_dropout=0.1)
    parser = xa.GraphParser("unrestricted", network=network)
    report = parser.train(train, dev=dev, epochs=12, device="cpu")
    assert report.epochs[-1].mistakes < 0.5 * report.epochs[0].mistakes
    parser.save(tmp_path / "m.crossarc")
    assert xa.load(tmp_path / "m.crossarc").parse(dev).to_bytes() == parser.parse(dev).to_bytes()


@pytest.mark.parametrize("objective", ["heads", "likelihood"])
def test_interrupted_within_an_epoch_it_goes_on_to_the_very_same_file(
    objective: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, dev = xa.sample(60, seed=1), xa.sample(10, seed=2)
    network = replace(SMALL, objective=objective, column_dropout=0.2, word_dropout=0.25)
    whole, begun, other = (xa.GraphParser("projective", network=network) for _ in range(3))
    whole.train(train, dev=dev, epochs=3, device="cpu", threads=1)
    whole.save(tmp_path / "whole")
    checkpoint = tmp_path / "c"
    step, steps = TorchLearner._step, 0

    def interrupted(self: TorchLearner, sentences: Any, epoch: int) -> Any:
        nonlocal steps
        steps += epoch == 3
        if steps == 2:
            raise KeyboardInterrupt
        return step(self, sentences, epoch)

    with monkeypatch.context() as patch:
        patch.setattr(TorchLearner, "_step", interrupted)
        report = begun.train(train, dev=dev, epochs=3, device="cpu", threads=1, checkpoint=checkpoint)
    assert report.interrupted and len(report.epochs) == 2
    assert begun.parse(dev).words == dev.words
    with pytest.raises(xa.ParserError, match=r"of another training \(trainer differ\)"):
        other.train(train, dev=dev, epochs=3, threads=1, checkpoint=checkpoint, resume=True)
    other.train(train, dev=dev, epochs=3, device="cpu", threads=1, checkpoint=checkpoint, resume=True)
    other.save(tmp_path / "other")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "other").read_bytes()


@pytest.mark.parametrize(
    ("name", "value"),
    [("weights_3", np.nan), ("first_3", np.inf), ("second_3", -1.0), ("second_3", None)],
)
def test_numbers_of_a_checkpoint_that_no_training_comes_to(name: str, value: float | None, tmp_path: Path) -> None:
    path = tmp_path / "c"
    options: dict[str, Any] = {"device": "cpu", "threads": 1, "checkpoint": path}
    xa.GraphParser("projective", network=SMALL).train(xa.sample(10, seed=1), epochs=1, **options)
    file = read_model_file(path)
    array = file.arrays[f"learner_{name}"].copy()
    array.reshape(-1)[-1] = 0 if value is None else value
    array = array[:-1] if value is None else array
    write_model_file(path, ModelFile(file.description, {**file.arrays, f"learner_{name}": array}))
    with pytest.raises(xa.FileError, match="the checkpoint cannot be restored"):
        xa.GraphParser("projective", network=SMALL).train(xa.sample(10, seed=1), epochs=1, resume=True, **options)


@pytest.mark.parametrize("objective", ["heads", "likelihood", "margin"])
def test_training_that_diverges_is_refused(objective: str) -> None:
    too_fast = replace(SMALL, objective=objective)
    object.__setattr__(too_fast, "rate", 1e30)  # beyond what `Biaffine` allows
    parser = xa.GraphParser(network=too_fast)
    with pytest.raises(xa.ParserError, match=r"training diverged.*take a"):
        parser.train(xa.sample(20, seed=1), epochs=3, device="cpu", threads=1)
    assert parser.trained is None


@pytest.mark.parametrize("objective", ["likelihood", "margin"])
@pytest.mark.parametrize("trees", TREE_CLASSES)
@pytest.mark.parametrize("root", ["single", "any"])
def test_gradients_of_objectives_over_trees_are_those_of_the_loss(objective: str, trees: str, root: str) -> None:
    """By differences of the loss, which is that over all trees."""
    from crossarc.models.biaffine.torch_objectives import TreeObjective

    generator = np.random.default_rng(1)
    lengths = torch.tensor([5, 1, 4])
    heads = torch.tensor([3, 3, 0, 3, 4, 0, 2, 0, 2, 3])
    scores = torch.from_numpy(generator.normal(0, 2, (3, 6, 6))).requires_grad_()
    one = TreeObjective(objective, TREE_CLASSES[trees], root, 2)  # type: ignore[arg-type]
    assert torch.autograd.gradcheck(lambda own: one.loss(own, heads, lengths), scores, atol=1e-7)
    loss = one.loss(scores, heads, lengths).item()
    assert loss > 0
    sure = torch.full((3, 6, 6), -50.0)
    sentences = torch.tensor([0] * 5 + [1] + [2] * 4)
    sure[sentences, torch.tensor([1, 2, 3, 4, 5, 1, 1, 2, 3, 4]), heads] = 50.0
    assert one.loss(sure, heads, lengths).item() == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(("objective", "words"), [("likelihood", 70), ("margin", 200)])
def test_sentences_too_long_for_the_chart_are_compared_with_all_trees(objective: str, words: int) -> None:
    from crossarc.models.biaffine.torch_objectives import TreeObjective

    generator = np.random.default_rng(1)
    lengths = np.array([5, words])
    heads = np.array([0, 1, 2, 3, 4, *range(words)], np.int32)
    scores = generator.normal(0, 2, (2, words + 1, words + 1)).astype(np.float32)
    restricted, free = (TreeObjective(objective, trees, "single", 1) for trees in TWO_CLASSES)
    loss, gradient = restricted.compared(scores, heads, lengths)
    short, of_short = restricted.compared(scores[:1, :6, :6], heads[:5], lengths[:1])
    long, of_long = free.compared(scores[1:], heads[5:], lengths[1:])
    assert loss == pytest.approx(short + long, rel=1e-6)
    assert np.allclose(gradient[0, :6, :6], of_short[0], atol=1e-6)
    assert np.allclose(gradient[1], of_long[0], atol=1e-6)


def moments(network: Any, optimiser: Any) -> list[Any]:
    """The first moments of the gradients, as the kernel has them."""
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(optimiser.state[parameter]["exp_avg"])
        for layer in network.layers:  # the kernel has one bias of two
            layer.bias_hh_l0.zero_()
            layer.bias_hh_l0_reverse.zero_()
    found: list[Any] = network.weights()
    return found


def without_dropout(objective: str) -> xa.Biaffine:
    return replace(SMALL, objective=objective, batch=10_000, group_dropout=0.0, layer_dropout=0.0, hidden_dropout=0.0)


@pytest.mark.parametrize("objective", ["heads", "likelihood", "margin"])
@pytest.mark.parametrize("trees", TREE_CLASSES)
@pytest.mark.parametrize("predict", [(), PREDICTED])
def test_gradients_are_those_of_the_native_learner(objective: str, trees: str, predict: tuple[str, ...]) -> None:
    treebank = xa.sample(20, seed=5)
    tags = Tags.fit(treebank, predict)
    options = without_dropout(objective)
    if predict:
        options = replace(options, groups=WORDS.groups, dimensions=WORDS.dimensions, tag_weight=0.5)
    definition = options.definition(1, treebank, 1, tags)
    nearest = nearest_trees(treebank, trees, "single", 1).heads
    data = data_of(definition, treebank)._replace(heads=nearest)
    native = native_learner(definition, data, tree_class=tree_class(trees), single_root=True, seed=1)
    start = native.weights()
    learner = TorchLearner(definition, data, start, 2, 1, "cpu", TREE_CLASSES[trees], "single", 1)
    order = np.arange(len(treebank), dtype=np.int32)
    gold = data.heads, data.labels, data.tags.reshape(-1)
    assert learner.learn(order, 1) == native.learn(order, *data.inputs, *gold, rate=1e-3, threads=1)
    expected = native.remember()[2]
    found = moments(learner.network, learner.steps.optimiser)
    assert len(expected) == len(found)
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other, abs=2e-6, rel=2e-3)
    assert max(np.abs(one).max() for one in expected) > 1e-3


def test_torch_learns_tags() -> None:
    train = xa.sample(60, seed=1)
    network = replace(
        without_dropout("heads"), groups=WORDS.groups, dimensions=WORDS.dimensions, cells=24, batch=50, rate=0.02
    )
    parser = xa.GraphParser(network=network, predict=PREDICTED, cutoff=1)
    report = parser.train(train, dev=train, epochs=12, device="cpu", threads=1)
    assert report.tags["upos"] > 0.9 and report.tags["lemma"] > 0.9
    assert report.epochs[0].tags["xpos"] + 0.2 < report.tags["xpos"]


@pytest.mark.parametrize("objective", ["likelihood", "margin"])
def test_torch_learns_trees(objective: str) -> None:
    train = xa.sample(60, seed=1)
    network = replace(without_dropout(objective), cells=24, batch=50, rate=0.02)
    report = xa.GraphParser(network=network).train(train, epochs=10, device="cpu", threads=1)
    assert report.epochs[-1].mistakes < 0.5 * report.epochs[0].mistakes


def test_a_device_that_is_not_there() -> None:
    with pytest.raises(xa.ParserError, match="torch has no device 'nowhere' here"):
        xa.GraphParser(network=SMALL).train(xa.sample(5, seed=1), epochs=1, device="nowhere")
