"""Graph parsers: what they learn, that their trees are the best of their class, and their files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.evaluation import calibrated
from crossarc.models.neural.biaffine import OBJECTIVES
from crossarc.parsers.graph.trained import MOST_SUMMED
from crossarc.parsers.graph.trees import TREE_CLASSES, nearest_trees
from crossarc.structure import classify

from ..support.parsers import SMALL_GRAPH, baseline
from ..support.warned import bare_words

#: Crossed arcs have the scores of others; `test_crossed_arcs` is about those that have not.
SMALL = replace(SMALL_GRAPH, crossed_hidden_size=0)


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return xa.sample(250, seed=1)


@pytest.fixture(scope="module")
def dev() -> xa.Treebank:
    return xa.sample(60, seed=2)


@pytest.fixture(scope="module")
def parser(train: xa.Treebank, dev: xa.Treebank) -> xa.GraphParser:
    parser = xa.GraphParser(network=SMALL, crossing_penalty=0.0, crossing_punctuation=True)
    parser.train(train, dev=dev, epochs=12, seed=2)
    return parser


def of_class(parser: xa.GraphParser, trees: str, **options: Any) -> xa.GraphParser:
    """The same model, with trees of another class."""
    assert parser.trained is not None
    other = xa.GraphParser(trees, network=parser.scorer)
    other.trained = replace(parser.trained, trees=trees, **options)
    return other


def one_sentence(train: xa.Treebank, words: int) -> xa.Treebank:
    """So many words of several sentences as one, without heads."""
    tokens = [token for sentence in train for token in sentence][:words]
    rows = [[token.form, token.lemma, token.upos, token.xpos] for token in tokens]
    forms, lemmas, upos, xpos = (list(column) for column in zip(*rows, strict=True))
    return xa.Treebank.from_columns(forms, lemma=lemmas, upos=upos, xpos=xpos, lengths=[len(forms)])


def test_it_learns(parser: xa.GraphParser, dev: xa.Treebank) -> None:
    evaluation = xa.evaluate(dev, parser.parse(dev))
    assert evaluation.las > 0.6
    assert evaluation.las > baseline(dev) + 0.5


def test_saved_and_loaded_it_is_the_same(parser: xa.GraphParser, dev: xa.Treebank, tmp_path: Path) -> None:
    parser.save(tmp_path / "m.crossarc")
    again = xa.load(tmp_path / "m.crossarc")
    assert isinstance(again, xa.GraphParser)
    assert again.parse(dev).to_bytes() == parser.parse(dev).to_bytes()
    again.save(tmp_path / "n.crossarc")
    assert (tmp_path / "m.crossarc").read_bytes() == (tmp_path / "n.crossarc").read_bytes()
    assert again.info() == parser.info()
    assert again.info()["trees"] == "1-endpoint-crossing"


def test_threads_and_checkpoints_do_not_change_the_model(train: xa.Treebank, dev: xa.Treebank, tmp_path: Path) -> None:
    models = []
    for threads in (1, 2):
        one = xa.GraphParser("projective", network=SMALL)
        one.train(train[:80], dev=dev[:20], epochs=3, threads=threads)
        models.append(one.model_file())
    begun = xa.GraphParser("projective", network=SMALL)

    def stop_after_two(epoch: Any) -> None:
        if epoch.number == 2:
            raise RuntimeError

    with pytest.raises(RuntimeError):
        begun.train(train[:80], dev=dev[:20], epochs=3, checkpoint=tmp_path / "c", on_epoch=stop_after_two)
    begun.train(train[:80], dev=dev[:20], epochs=3, checkpoint=tmp_path / "c", resume=True)
    models.append(begun.model_file())
    for other in models[1:]:
        assert other.description == models[0].description
        assert all(np.array_equal(other.arrays[name], array) for name, array in models[0].arrays.items())


@pytest.mark.parametrize("trees", TREE_CLASSES)
@pytest.mark.parametrize("minimum_risk", [False, True])
def test_trees_are_the_best_of_their_class(
    parser: xa.GraphParser, dev: xa.Treebank, trees: str, minimum_risk: bool
) -> None:
    """As the decoders find them from the scores of arcs, and with one root."""
    trained = parser.trained
    assert trained is not None
    parsed = of_class(parser, trees, minimum_risk=minimum_risk, temperature=1.0).parse(dev)
    inputs = trained.definition.inputs(dev)
    scores = trained.model.arc_scores(inputs).astype(np.float64)
    lengths = np.diff(dev.word_offsets)
    wanted: dict[str, Any] = {"tree_class": TREE_CLASSES[trees], "root": "single"}
    if minimum_risk:
        scores = xa.decoders.marginals_batch(scores, lengths, **wanted).probabilities
    best = xa.decoders.best_batch(scores, lengths, **wanted)
    ends = np.cumsum((lengths + 1) ** 2)
    for number, tree in enumerate(parsed):
        width = int(lengths[number]) + 1
        own = scores[ends[number] - width * width : ends[number]].reshape(width, width)
        assert own[tree.tree.heads, np.arange(1, width)].sum() == pytest.approx(best.totals[number], abs=1e-4)
    found = classify(parsed)
    assert (np.add.reduceat(parsed.head == 0, parsed.word_offsets[:-1]) == 1).all()
    roots = np.array(parsed.texts("deprel")) == "root"
    assert (roots == (parsed.head == 0)).all()
    assert trees != "projective" or not found.nonprojective.any()
    assert trees != "1-endpoint-crossing" or found.one_endpoint_crossing.all()


def test_scores_are_logarithms_of_probabilities(parser: xa.GraphParser, dev: xa.Treebank) -> None:
    parser = of_class(parser, "1-endpoint-crossing", temperature=1.0)
    trained = parser.trained
    assert trained is not None
    words = len(dev[0])
    scores = trained.model.arc_scores(trained.definition.inputs(dev[:1])).reshape(words + 1, words + 1)
    assert np.exp(scores[:, 1:]).sum(axis=0) == pytest.approx(1, abs=1e-4)
    scored = parser.parse_scored(dev[:1])
    heads = scored.treebank.head
    assert scored.scores == pytest.approx(scores[heads, np.arange(1, words + 1)], abs=1e-4)
    others = scores[:, 1:].copy()
    others[heads, np.arange(words)] = -np.inf
    assert scored.margins == pytest.approx(scored.scores - others.max(axis=0), abs=1e-4)
    assert scored.totals[0] == pytest.approx(scored.scores.sum(), abs=1e-4)


def test_the_temperature_is_the_best_on_development_data(parser: xa.GraphParser, dev: xa.Treebank) -> None:
    """Probabilities hold better than without it and than with any other, and trees stay the same."""
    trained = parser.trained
    assert trained is not None and 0.25 < trained.temperature < 4

    def loss(temperature: float) -> float:
        scores = trained.model.arc_scores(trained.definition.inputs(dev)).astype(np.float64)
        total, start = 0.0, 0
        for sentence in dev:
            width = len(sentence) + 1
            own = scores[start : start + width * width].reshape(width, width)[:, 1:] / temperature
            start += width * width
            total -= float((own - np.log(np.exp(own).sum(axis=0)))[sentence.heads, np.arange(width - 1)].sum())
        return total

    best = loss(trained.temperature)
    assert all(best <= loss(other) + 1e-6 for other in (0.5, 1.0, 2.0, 0.98 * trained.temperature, 3.0))
    assert of_class(parser, parser.trees, temperature=1.0).parse(dev).to_bytes() == parser.parse(dev).to_bytes()
    scored = parser.parse_scored(dev)
    probabilities = np.exp(scored.scores.astype(np.float64))
    assert calibrated(probabilities, scored.treebank.head == dev.head).error < 0.15


def test_the_best_trees_of_a_sentence(parser: xa.GraphParser, dev: xa.Treebank) -> None:
    found = parser.parse_nbest(dev, 5)
    parsed = parser.parse(dev)
    for sentence, trees in zip(parsed, found, strict=True):
        assert trees[0].tree == sentence.tree
        assert [one.score for one in trees] == sorted((one.score for one in trees), reverse=True)
        assert len({tuple(one.tree.heads.tolist()) for one in trees}) == len(trees) == min(5, len(trees))
    with pytest.raises(xa.ParserError, match="at most 64 trees"):
        parser.parse_nbest(dev, 65)
    with pytest.raises(xa.ParserError, match="no beam"):
        parser.parse(dev, beam=2)


@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("trees", TREE_CLASSES)
def test_every_objective_learns_every_class(train: xa.Treebank, dev: xa.Treebank, objective: str, trees: str) -> None:
    short = np.flatnonzero(np.diff(train.word_offsets) <= 10)[:80]  # the likelihood of a tree takes O(n⁴)
    parser = xa.GraphParser(trees, network=replace(SMALL, objective=objective, character_size=0))
    report = parser.train(train[short], dev=dev[:10], epochs=18)
    assert report.epochs[-1].mistakes < 0.7 * report.epochs[0].mistakes
    assert parser.info()["objective"] == objective


def test_trees_outside_the_class_have_a_nearest_one(train: xa.Treebank) -> None:
    for trees in ("projective", "1-endpoint-crossing"):
        nearest = nearest_trees(train, trees, "single", 0)
        found = classify(train.replace(head=nearest.heads))
        inside = ~found.nonprojective if trees == "projective" else found.one_endpoint_crossing
        assert inside.all()
        words = np.repeat(nearest.outside, np.diff(train.word_offsets))
        assert (nearest.heads[~words] == train.head[~words]).all()
        assert (nearest.heads[words] != train.head[words]).any() or not words.any()
    report = xa.GraphParser("projective", network=SMALL).train(train[:60], epochs=1)
    assert report.lost_arcs == (nearest_trees(train[:60], "projective", "single", 0).heads != train[:60].head).sum() > 0


@pytest.mark.slow
@bare_words
def test_sentences_without_tags_are_parsed(train: xa.Treebank, dev: xa.Treebank) -> None:
    """A parser that lost columns in training does better without them than one that never did."""
    bare = xa.Treebank.from_words([[token.form for token in sentence] for sentence in dev])
    right = []
    for share in (0.0, 0.5):
        parser = xa.GraphParser(network=replace(SMALL, column_dropout=share))
        parser.train(train, epochs=10)
        right.append(float((parser.parse(bare).head == dev.head).mean()))
    assert right[1] > right[0] + 0.05


@bare_words
def test_sentences_too_long_for_the_chart_get_a_projective_tree_and_a_warning(
    parser: xa.GraphParser, train: xa.Treebank
) -> None:
    """If their best tree is not of the class."""
    long = one_sentence(train, 220)
    unrestricted = of_class(parser, "unrestricted").parse(long)
    assert not classify(unrestricted).one_endpoint_crossing.any()
    with pytest.warns(UserWarning, match="^1 sentence was too long for an exact search: it got"):
        parsed = parser.parse(long)
    assert not classify(parsed).nonprojective.any()
    with pytest.raises(xa.ParserError, match=r"sentence 2 has 5000 words: a graph parser takes at most 4096"):
        parser.parse_batch([["a"], ["a"] * 5000])


@pytest.mark.parametrize("name", ["training", "development"])
def test_sentences_of_too_many_words_are_refused_before_training(train: xa.Treebank, name: str) -> None:
    words = 4097
    columns: dict[str, Any] = {"head": [0, *[1] * (words - 1)], "deprel": ["root", *["dep"] * (words - 1)]}
    long = xa.Treebank.from_columns(["a"] * words, **columns, lengths=[words])
    data, dev = (long, train[:2]) if name == "training" else (train[:2], long)
    message = f"^sentence 1 of the {name} data has 4097 words: a graph parser takes at most 4096$"
    parser = xa.GraphParser(network=SMALL)
    with pytest.raises(xa.ParserError, match=message):
        parser.train(data, dev=dev, epochs=1, on_progress=lambda *_: pytest.fail("it learns"))


@bare_words
def test_several_trees_and_the_least_risk_have_smaller_charts(parser: xa.GraphParser, train: xa.Treebank) -> None:
    """Their memory grows with the third power of the length, too, and faster."""
    hard = one_sentence(train, 100)
    with pytest.warns(UserWarning, match="^1 sentence was too long for an exact search: it got fewer trees, the best"):
        several = parser.parse_nbest(hard, 2)
    assert several.treebank.head.tolist() == parser.parse(hard).head.tolist()
    careful = of_class(parser, "1-endpoint-crossing", minimum_risk=True)
    long = one_sentence(train, 80)
    with pytest.warns(UserWarning, match="it got its most probable tree instead of that of the least risk"):
        parsed = careful.parse(long)
    assert parsed.to_bytes() == parser.parse(long).to_bytes()
    two = xa.from_text(long.to_text() * 2)
    with pytest.warns(UserWarning, match="^2 sentences were .*: they got their most probable trees instead of those"):
        careful.parse(two)


@pytest.mark.parametrize(("objective", "words"), [("likelihood", 150), ("margin", 800)])
def test_objectives_compare_long_sentences_with_all_trees(train: xa.Treebank, objective: str, words: int) -> None:
    """The charts of 1-endpoint-crossing trees would take 13 and 40 GB."""
    long = one_sentence(train, words).replace(head=np.arange(words), deprel=["root", *["dep"] * (words - 1)])
    models = []
    for trees in ("1-endpoint-crossing", "unrestricted"):
        parser = xa.GraphParser(trees, network=replace(SMALL, objective=objective))
        parser.train(long, epochs=2)
        models.append(parser.model_file().arrays)
    assert all(np.array_equal(models[0][name], models[1][name]) for name in models[0])


def test_the_class_of_trees_that_fits_the_training_data(train: xa.Treebank, dev: xa.Treebank, tmp_path: Path) -> None:
    found = classify(train)
    outside = train[np.flatnonzero(~found.one_endpoint_crossing)]
    assert len(outside)
    inside = train[np.flatnonzero(found.one_endpoint_crossing)][:40]
    projective = train[np.flatnonzero(~found.nonprojective)][:20]
    for data, trees in ((projective, "projective"), (inside, "1-endpoint-crossing"), (outside, "unrestricted")):
        auto, named = (xa.GraphParser(one, network=SMALL) for one in ("auto", trees))
        auto.train(data, epochs=1)
        named.train(data, epochs=1)
        assert auto.info()["trees"] == trees and auto.name == f"graph, {trees}"
        for name, one in (("auto", auto), ("named", named)):
            one.save(tmp_path / name)
        assert (tmp_path / "auto").read_bytes() == (tmp_path / "named").read_bytes()
        assert xa.load(tmp_path / "auto").parse(dev[:5]).to_bytes() == auto.parse(dev[:5]).to_bytes()


@pytest.mark.filterwarnings("ignore:.*empty in the sentences")
def test_an_empty_treebank_and_one_word(parser: xa.GraphParser, dev: xa.Treebank) -> None:
    assert len(parser.parse(dev[:0])) == 0
    assert parser.parse(["Go"]).tree.heads.tolist() == [0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hidden_size": 0}, "hidden_size is a whole number from 1 to 4,096, not 0"),
        ({"layers": 9}, "layers is a whole number from 1 to 8, not 9"),
        ({"groups": ("lower",), "embedding_sizes": (8,)}, r"groups\[0\] is a list of"),
        ({"groups": (("lower",),)}, "1 groups of attributes need as many embedding_sizes, not 3"),
        ({"learning_rate": float("nan")}, "learning_rate is"),
        ({"column_dropout": 1.0}, "column_dropout is .*, not 1.0"),
        ({"objective": "luck"}, "objective is one of heads, likelihood, margin"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(xa.ParserError, match=message):
        xa.Biaffine(**options)


def test_choices_that_do_not_go_together_are_refused(train: xa.Treebank) -> None:
    with pytest.raises(xa.ParserError, match="trees are one of 1-endpoint-crossing, projective, unrestricted"):
        xa.GraphParser("planar")
    with pytest.raises(xa.ParserError, match='outside="nearest"'):
        xa.GraphParser("projective", network=xa.Biaffine(objective="likelihood"), outside="gold")
    doubled = xa.Biaffine(groups=(("lower",), ("lower",)), embedding_sizes=(8, 8))
    with pytest.raises(xa.ParserError, match="in one group, not in several: lower"):
        xa.GraphParser(network=doubled).train(train, epochs=1)


#: The given arcs cross three ways, so that no projective and no 1-endpoint-crossing tree has them.
TANGLED = "".join(
    f"{word}\tw{word}\t_\tNOUN\t_\t_\t{head}\t_\t_\t_\n"
    for word, head in enumerate(["4", "5", "6", "_", "_", "_", "_"], start=1)
)


@bare_words
@pytest.mark.parametrize("minimum_risk", [False, True])
@pytest.mark.parametrize("trees", ["projective", "1-endpoint-crossing"])
def test_heads_that_no_tree_of_the_class_has_are_refused(
    parser: xa.GraphParser, trees: str, minimum_risk: bool
) -> None:
    tangled = xa.from_text(TANGLED + "\n", root="partial")
    other = of_class(parser, trees, minimum_risk=minimum_risk)
    with pytest.raises(xa.ParserError, match="sentence 1: no tree of the class has the heads"):
        other.parse(tangled, keep_heads=True)
    kept = of_class(parser, "unrestricted", minimum_risk=minimum_risk).parse(tangled, keep_heads=True)
    assert kept.head[:3].tolist() == [4, 5, 6]


@bare_words
@pytest.mark.parametrize("trees", ["projective", "1-endpoint-crossing", "unrestricted"])
def test_probabilities_of_likelihood_are_those_of_arcs_among_trees(
    parser: xa.GraphParser, dev: xa.Treebank, trees: str
) -> None:
    learnt = of_class(parser, trees)
    learnt.scorer = replace(learnt.scorer, objective="likelihood")
    sentences = dev[np.flatnonzero(np.diff(dev.word_offsets) <= 9)[:6]]
    scored = learnt.parse_scored(sentences).with_scores().treebank
    trained = learnt.trained
    assert trained is not None
    flat = trained.model.arc_scores(trained.definition.inputs(sentences)) / trained.temperature
    start = 0
    for sentence in scored:
        assert "# crossarc_probability = tree" in sentence.comments
        width = len(sentence) + 1
        matrix = flat[start : start + width * width].reshape(width, width)
        start += width * width
        expected = xa.decoders.marginals(matrix, TREE_CLASSES[trees], root="single")
        for word, token in enumerate(sentence, start=1):
            assert float(token.misc["Probability"]) == pytest.approx(expected[token.head, word], abs=1e-5)
    heads = of_class(parser, trees).parse_scored(sentences).with_scores().treebank
    assert all("# crossarc_probability = head" in sentence.comments for sentence in heads)
    long = one_sentence(dev, MOST_SUMMED[trees] + 1)
    assert "# crossarc_probability = head" in learnt.parse_scored(long).with_scores().treebank[0].comments
