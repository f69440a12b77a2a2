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
from crossarc.models.neural.biaffine import BiaffineDefinition, TreesToLearn
from crossarc.parsers.graph.trees import TREE_CLASSES, nearest_trees, tree_class
from crossarc.structure.batch import crossed_arcs

from ..support.brute_force import trees_of
from ..support.networks import Weights, assert_same, assert_same_moments, changed

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'crossarc[torch]'")

SMALL = xa.Biaffine(
    embedding_sizes=(9, 8, 7),
    character_size=6,
    character_embedding_size=5,
    filters=4,
    hidden_size=11,
    arc_hidden_size=13,
    label_hidden_size=10,
    batch_words=150,
    learning_rate=0.01,
    column_dropout=0.0,
    word_dropout=0.0,
)
#: The same, of words alone.
WORDS = replace(SMALL, groups=(("lower",), ("suffix2", "suffix3")), embedding_sizes=(9, 8))
TWO_CLASSES: tuple[TreeClass, TreeClass] = ("one_endpoint_crossing", "spanning_tree")


def random_model(
    treebank: xa.Treebank, options: xa.Biaffine, seed: int, tags: Tags = NO_TAGS
) -> tuple[BiaffineDefinition, Weights, Any]:
    """A definition with random weights, none of them zero."""
    definition = options.definition(len(treebank.inventory("deprel")), treebank, 1, tags)
    weights = changed(definition.new_network(1).parameters(), seed, 0.2)
    return definition, weights, definition.model_with(definition.network_with(weights))


def torch_learner(definition: BiaffineDefinition, data: TreesToLearn, start: Weights, *trees: Any) -> Any:
    from crossarc.models.neural.torch.biaffine import TorchGraphLearner

    return TorchGraphLearner(definition, data, start, definition.schedule(data, 2), 1, "cpu", *trees)


def data_of(definition: BiaffineDefinition, treebank: xa.Treebank) -> TreesToLearn:
    labels = np.zeros(treebank.words, np.int32)
    return TreesToLearn(definition.inputs(treebank), treebank.head, labels, definition.tags.classes(treebank))


@pytest.mark.parametrize(
    "options", [SMALL, replace(SMALL, layers=1, character_size=0), replace(SMALL, layers=3, crossed_hidden_size=7)]
)
@pytest.mark.parametrize("seed", range(3))
def test_the_same_weights_give_the_same_scores(options: xa.Biaffine, seed: int) -> None:
    treebank = xa.sample(30, seed=10 + seed)
    definition, weights, model = random_model(treebank, options, seed)
    learner = torch_learner(definition, data_of(definition, treebank), weights)
    assert_same(learner.network.arrays(), weights)
    learner.network.eval()
    batch, rows = learner.sentences.gather(np.arange(len(treebank), dtype=np.int32))
    with torch.no_grad():
        head = learner.network.biaffine
        encoded = learner.network.encoder(batch)
        roles = head.project(encoded)
        both = head.score_arcs(roles, batch)
        if definition.scores_crossed:
            crossing = learner.network.crossed
            both = torch.cat([both, both + crossing.score_crossing(crossing.project(encoded))], dim=2)
        scores = torch.log_softmax(both, dim=2).unflatten(2, (-1, both.shape[1])).numpy()
        places = torch.nonzero(batch.present[:, 1:]) + torch.tensor([0, 1])
        heads = torch.from_numpy(treebank.head.astype(np.int64))[rows]
        labels = head.score_labels(roles, places[:, 0], places[:, 1], heads).numpy()
    inputs = definition.inputs(treebank)
    matrices = [flat for flat in model.joint_scores(inputs) if flat is not None]
    assert len(matrices) == 1 + definition.scores_crossed
    for number, flat in enumerate(matrices):
        first = 0
        for sentence, words in enumerate(np.diff(treebank.word_offsets).tolist()):
            own = flat[first : first + (words + 1) ** 2].reshape(words + 1, words + 1).T[1:]
            first += (words + 1) ** 2
            found = scores[sentence, 1 : words + 1, number, : words + 1]
            assert own[np.isfinite(own)] == pytest.approx(found[np.isfinite(own)], abs=1e-4)
    assert model.label_scores(inputs, treebank.head) == pytest.approx(labels, abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_weights_give_the_same_scores_of_tags(seed: int) -> None:
    treebank = xa.sample(30, seed=10 + seed)
    tags = Tags.fit(treebank, PREDICTED)
    definition, weights, model = random_model(treebank, WORDS, seed, tags)
    learner = torch_learner(definition, data_of(definition, treebank), weights)
    assert_same(learner.network.arrays(), weights)
    learner.network.eval()
    batch, rows = learner.sentences.gather(np.arange(len(treebank), dtype=np.int32))
    with torch.no_grad():
        words = learner.network.encoder(batch)[:, 1:][batch.present[:, 1:]]
        found = torch.cat(list(learner.network.tags(words)), dim=1).numpy()
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
    network = replace(
        SMALL, hidden_size=24, arc_hidden_size=24, group_dropout=0.1, layer_dropout=0.1, hidden_dropout=0.1
    )
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
    from crossarc.models.neural.torch.learner import TorchLearner

    step, steps = TorchLearner._step, 0

    def interrupted(self: TorchLearner[Any], sentences: Any, epoch: int) -> Any:
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
    [("weights", np.nan), ("first", np.inf), ("second", -1.0), ("second", None)],
)
def test_numbers_of_a_checkpoint_that_no_training_comes_to(name: str, value: float | None, tmp_path: Path) -> None:
    path = tmp_path / "c"
    options: dict[str, Any] = {"device": "cpu", "threads": 1, "checkpoint": path}
    xa.GraphParser("projective", network=SMALL).train(xa.sample(10, seed=1), epochs=1, **options)
    file = read_model_file(path)
    array_name = f"learner_{name}.encoder.lstm.0.forward.input"
    array = file.arrays[array_name].copy()
    array.reshape(-1)[-1] = 0 if value is None else value
    array = array[:-1] if value is None else array
    write_model_file(path, ModelFile(file.description, {**file.arrays, array_name: array}))
    with pytest.raises(xa.FileError, match="the checkpoint cannot be restored"):
        xa.GraphParser("projective", network=SMALL).train(xa.sample(10, seed=1), epochs=1, resume=True, **options)


@pytest.mark.parametrize("objective", ["heads", "likelihood", "margin"])
def test_training_that_diverges_is_refused(objective: str) -> None:
    too_fast = replace(SMALL, objective=objective, crossed_hidden_size=8)
    object.__setattr__(too_fast, "learning_rate", 1e30)  # beyond what `Biaffine` allows
    parser = xa.GraphParser(network=too_fast)
    with pytest.raises(xa.ParserError, match=r"training diverged.*take a"):
        parser.train(xa.sample(20, seed=1), epochs=3, device="cpu", threads=1)
    assert parser.trained is None


@pytest.mark.parametrize("objective", ["likelihood", "margin"])
@pytest.mark.parametrize("trees", TREE_CLASSES)
@pytest.mark.parametrize("root", ["single", "any"])
@pytest.mark.parametrize("matrices", [1, 2])
def test_gradients_of_objectives_over_trees_are_those_of_the_loss(
    objective: str, trees: str, root: str, matrices: int
) -> None:
    """By differences of the loss, which is that over all trees."""
    from crossarc.models.neural.torch.losses import TreeObjective

    generator = np.random.default_rng(1)
    lengths = torch.tensor([5, 1, 4])
    heads = torch.tensor([3, 3, 0, 3, 4, 0, 2, 0, 2, 3])
    crossed = torch.tensor([False] * 10)
    scores = torch.from_numpy(generator.normal(0, 2, (matrices, 3, 6, 6))).requires_grad_()
    one = TreeObjective(objective, TREE_CLASSES[trees], root, 2)  # type: ignore[arg-type]
    assert torch.autograd.gradcheck(lambda own: one.loss(own, heads, crossed, lengths), scores, atol=1e-7)
    loss = one.loss(scores, heads, crossed, lengths).item()
    assert loss > 0
    sure = torch.full((matrices, 3, 6, 6), -50.0)
    sentences = torch.tensor([0] * 5 + [1] + [2] * 4)
    sure[0, sentences, torch.tensor([1, 2, 3, 4, 5, 1, 1, 2, 3, 4]), heads] = 50.0
    assert one.loss(sure, heads, crossed, lengths).item() == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("objective", ["likelihood", "margin"])
def test_crossed_arcs_are_learnt_from_their_own_scores(objective: str) -> None:
    """The loss of a tree with crossings is that over all trees, by enumeration, and its gradient that of the loss."""
    from crossarc.models.neural.torch.losses import TreeObjective

    heads = np.array([3, 4, 0, 3], np.int32)
    crossed = crossed_arcs(heads, np.array([0, 4]))
    assert crossed.tolist() == [True, True, True, False]  # the arc from the root crosses 4 -> 2
    scores = np.random.default_rng(1).normal(0, 2, (2, 1, 5, 5))
    trees = trees_of(4, "one_endpoint_crossing", "single", True)
    marks = np.stack([crossed_arcs(tree, np.array([0, 4])) for tree in trees])
    totals = scores[marks.astype(int), 0, np.arange(1, 5), trees].sum(axis=1)
    gold = scores[crossed.astype(int), 0, np.arange(1, 5), heads].sum()
    if objective == "likelihood":
        expected = np.log(np.exp(totals).sum()) - gold
    else:
        expected = (totals + (trees != heads).sum(axis=1)).max() - gold
    one = TreeObjective(objective, "one_endpoint_crossing", "single", 1)
    lengths, marked = torch.tensor([4]), torch.from_numpy(crossed)
    given = torch.from_numpy(scores).requires_grad_()
    assert 4 * one.loss(given, torch.from_numpy(heads), marked, lengths).item() == pytest.approx(expected)
    assert torch.autograd.gradcheck(
        lambda own: one.loss(own, torch.from_numpy(heads), marked, lengths), given, atol=1e-7
    )


@pytest.mark.parametrize(("objective", "words"), [("likelihood", 70), ("margin", 200)])
@pytest.mark.parametrize("matrices", [1, 2])
def test_sentences_too_long_for_the_chart_are_compared_with_all_trees(
    objective: str, words: int, matrices: int
) -> None:
    from crossarc.models.neural.torch.losses import TreeObjective

    generator = np.random.default_rng(1)
    lengths = np.array([5, words])
    heads = np.array([0, 1, 2, 3, 4, *range(words)], np.int32)
    scores = generator.normal(0, 2, (matrices, 2, words + 1, words + 1)).astype(np.float32)
    crossed = np.zeros(len(heads), bool)
    restricted, free = (TreeObjective(objective, trees, "single", 1) for trees in TWO_CLASSES)
    loss, gradient = restricted.compared(scores, heads, crossed, lengths)
    short, of_short = restricted.compared(scores[:, :1, :6, :6], heads[:5], crossed[:5], lengths[:1])
    long, of_long = free.compared(scores[:1, 1:], heads[5:], crossed[5:], lengths[1:])
    assert loss == pytest.approx(short + long, rel=1e-6)
    assert np.allclose(gradient[:, 0, :6, :6], of_short[:, 0], atol=1e-6)
    assert np.allclose(gradient[0, 1], of_long[0, 0], atol=1e-6)
    assert matrices == 1 or not gradient[1, 1].any()


def without_dropout(objective: str) -> xa.Biaffine:
    return replace(
        SMALL, objective=objective, batch_words=10_000, group_dropout=0.0, layer_dropout=0.0, hidden_dropout=0.0
    )


@pytest.mark.parametrize("objective", ["heads", "likelihood", "margin"])
@pytest.mark.parametrize("trees", TREE_CLASSES)
@pytest.mark.parametrize(("predict", "crossed_hidden_size"), [((), 0), (PREDICTED, 0), ((), 7)])
def test_gradients_are_those_of_the_native_learner(
    objective: str, trees: str, predict: tuple[str, ...], crossed_hidden_size: int
) -> None:
    treebank = xa.sample(20, seed=5)
    tags = Tags.fit(treebank, predict)
    options = replace(without_dropout(objective), crossed_hidden_size=crossed_hidden_size)
    if predict:
        options = replace(options, groups=WORDS.groups, embedding_sizes=WORDS.embedding_sizes, tag_weight=0.5)
    definition = options.definition(1, treebank, 1, tags)
    nearest = nearest_trees(treebank, trees, "single", 1).heads
    crossed = crossed_arcs(nearest, treebank.word_offsets).astype(np.int32)
    assert crossed.any() or trees == "projective"
    crossed[::7] = -1  # some may never be
    data = data_of(definition, treebank)._replace(heads=nearest, crossed=crossed)
    native = definition.native_learner(tree_class(trees), single_root=True, seed=1)
    learner = torch_learner(definition, data, native.network.parameters(), tree_class(trees), True, 1)
    order = np.arange(len(treebank), dtype=np.int32)
    gold = data.heads, data.labels, data.tags.reshape(-1), data.crossed
    assert learner.learn(order, 1) == native.learn(order, *data.inputs, *gold, rate=1e-3, threads=1)
    assert_same_moments(learner, native, abs=2e-6, rel=2e-3)


def test_torch_learns_tags() -> None:
    train = xa.sample(60, seed=1)
    network = replace(
        without_dropout("heads"),
        groups=WORDS.groups,
        embedding_sizes=WORDS.embedding_sizes,
        hidden_size=24,
        batch_words=50,
        learning_rate=0.02,
    )
    parser = xa.GraphParser(network=network, predict=PREDICTED, cutoff=1)
    report = parser.train(train, dev=train, epochs=12, device="cpu", threads=1)
    assert report.tags["upos"] > 0.9 and report.tags["lemma"] > 0.9
    assert report.epochs[0].tags["xpos"] + 0.2 < report.tags["xpos"]


@pytest.mark.parametrize("objective", ["likelihood", "margin"])
def test_torch_learns_trees(objective: str) -> None:
    train = xa.sample(60, seed=1)
    network = replace(without_dropout(objective), hidden_size=24, batch_words=50, learning_rate=0.02)
    report = xa.GraphParser(network=network).train(train, epochs=10, device="cpu", threads=1)
    assert report.epochs[-1].mistakes < 0.5 * report.epochs[0].mistakes


def test_a_device_that_is_not_there() -> None:
    with pytest.raises(xa.ParserError, match="torch has no device 'nowhere' here"):
        xa.GraphParser(network=SMALL).train(xa.sample(5, seed=1), epochs=1, device="nowhere")
