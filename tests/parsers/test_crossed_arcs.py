"""Graph parsers that score crossed arcs: penalties, punctuation, files and threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.models import ModelFile
from crossarc.parsers.graph.crossing import OF_CROSSED_SCORES, PENALTIES, Crossing
from crossarc.parsers.graph.trained import GraphTrained
from crossarc.parsers.punctuation import punctuation_words
from crossarc.structure.batch import crossed_arcs

from ..support.parsers import SMALL_GRAPH

SMALL = replace(SMALL_GRAPH, crossed_hidden_size=64)


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return xa.sample(150, seed=1)


@pytest.fixture(scope="module")
def dev() -> xa.Treebank:
    return xa.sample(60, seed=2)


@pytest.fixture(scope="module")
def parser(train: xa.Treebank, dev: xa.Treebank) -> xa.GraphParser:
    parser = xa.GraphParser(network=SMALL)
    parser.train(train, dev=dev, epochs=6, threads=1)
    return parser


@pytest.fixture(scope="module")
def plain(train: xa.Treebank, dev: xa.Treebank) -> xa.GraphParser:
    """The same without scores of crossed arcs."""
    parser = xa.GraphParser(
        network=replace(SMALL, crossed_hidden_size=0), crossing_penalty=0.0, crossing_punctuation=True
    )
    parser.train(train, dev=dev, epochs=4, threads=1)
    return parser


def trained_of(parser: xa.GraphParser) -> GraphTrained:
    assert parser.trained is not None
    return parser.trained


def with_options(parser: xa.GraphParser, **options: Any) -> xa.GraphParser:
    """The same model with other options of parsing."""
    other = xa.GraphParser(options.get("trees", parser.trees), network=parser.scorer)
    crossing = {name: options.pop(f"crossing_{name}") for name in Crossing._fields if f"crossing_{name}" in options}
    trained = replace(trained_of(parser), **{"crossing_punctuation": True, **options})
    other.trained = replace(trained, crossing=trained.crossing._replace(**crossing))
    return other


def strict_f(gold: xa.Treebank, parsed: xa.Treebank) -> float:
    """By the definition: non-projective in both trees, with the right head."""
    ours, theirs = (xa.classify(each).arc_nonprojective for each in (parsed, gold))
    return float(2 * (ours & theirs & (parsed.head == gold.head)).sum() / (ours.sum() + theirs.sum()))


def las(gold: xa.Treebank, parsed: xa.Treebank) -> float:
    return float(np.mean((gold.head == parsed.head) & (np.array(gold.texts("deprel")) == parsed.texts("deprel"))))


def test_crossed_arcs_have_scores_of_their_own(parser: xa.GraphParser, plain: xa.GraphParser, dev: xa.Treebank) -> None:
    trained = trained_of(parser)
    assert trained.model.scores_crossed and not trained_of(plain).model.scores_crossed
    assert "crossed.bias" in trained.model.arrays() and "crossed.bias" not in trained_of(plain).model.arrays()
    uncrossed, crossed = trained.model.joint_scores(trained.definition.inputs(dev))
    assert crossed is not None
    start = 0
    probabilities: dict[bool, list[float]] = {True: [], False: []}
    marks = crossed_arcs(dev.head, dev.word_offsets)
    for number, words in enumerate(np.diff(dev.word_offsets).tolist()):
        matrix = slice(start, start + (words + 1) ** 2)
        start = matrix.stop
        one, other = (np.exp(each[matrix].reshape(words + 1, words + 1)) for each in (uncrossed, crossed))
        assert (one + other)[:, 1:].sum(axis=0) == pytest.approx(1, abs=1e-4)
        for word in range(1, words + 1):
            index = int(dev.word_offsets[number]) + word - 1
            probabilities[bool(marks[index])].append(float(other[dev.head[index], word]))
    # Gold arcs that are crossed are thought to be, more than others.
    assert np.mean(probabilities[True]) > 1.5 * np.mean(probabilities[False])


@pytest.mark.parametrize("has_scores", [True, False])
@pytest.mark.parametrize("trees", ["1-endpoint-crossing", "unrestricted"])
def test_penalties(
    parser: xa.GraphParser, plain: xa.GraphParser, dev: xa.Treebank, has_scores: bool, trees: str
) -> None:
    chosen = with_options(parser if has_scores else plain, trees=trees)
    counts = []
    for penalty in (-1000.0, -2.0, 0.0, 2.0, 1000.0):
        chosen.crossing_penalty = penalty
        parsed = chosen.parse(dev)
        found = xa.classify(parsed, root_arcs=True)
        counts.append(int((found.arc_crossings > 0).sum()))
        assert trees == "unrestricted" or found.one_endpoint_crossing.all()
        assert (np.add.reduceat(parsed.head == 0, parsed.word_offsets[:-1]) == 1).all()
    assert counts[0] > 0.5 * dev.words and counts[-1] == 0
    assert counts == sorted(counts, reverse=True) or trees == "unrestricted"
    with pytest.raises(xa.CrossarcError, match=r"crossing_penalty is a number from .*, not 1000000000\.0"):
        chosen.crossing_penalty = 1e9


def test_a_search_is_at_least_as_good_as_the_trees_it_begins_with(parser: xa.GraphParser, dev: xa.Treebank) -> None:
    """Of unrestricted trees: the scores that are compared are those of the best 1-endpoint-crossing trees or better."""
    better = 0
    for penalty in (-20.0, 0.0, 1.0):
        free, restricted = (
            with_options(parser, trees=trees, crossing_penalty=penalty).parse_scored(dev)
            for trees in ("unrestricted", "1-endpoint-crossing")
        )
        assert (free.totals >= restricted.totals - 1e-4).all()
        better += int((free.totals > restricted.totals + 1e-4).sum())
        several = with_options(parser, trees="unrestricted", crossing_penalty=penalty).parse_nbest(dev[:10], 4)
        for number in range(10):
            ranked = several.totals[several.offsets[number] : several.offsets[number + 1]]
            assert ranked[0] == pytest.approx(free.totals[number], abs=1e-4)
            assert (np.diff(ranked) <= 1e-6).all()
    assert better > 0


@pytest.mark.parametrize("has_scores", [True, False])
def test_weight_and_penalty_are_the_best_on_development_data(
    parser: xa.GraphParser, plain: xa.GraphParser, dev: xa.Treebank, has_scores: bool
) -> None:
    """As a plain loop over all of them finds it."""
    other = with_options(parser if has_scores else plain, crossing_punctuation=parser.crossing_punctuation)
    chosen = other.choose_crossing_penalty(dev, threads=1)
    crossing = trained_of(other).crossing
    scores = {}
    for weight, penalty in OF_CROSSED_SCORES if has_scores else PENALTIES:
        parsed = with_options(
            other,
            crossing_weight=weight,
            crossing_penalty=penalty,
            crossing_punctuation=parser.crossing_punctuation,
        ).parse(dev)
        scores[weight, penalty] = strict_f(dev, parsed), las(dev, parsed)
    without = scores[0.0 if has_scores else 1.0, 0.0]
    allowed = [each for each in scores.values() if each[1] >= without[1] - 0.0005]
    assert scores[crossing] == max(allowed) and len(set(scores.values())) > 1
    assert chosen == crossing.penalty
    if has_scores and parser.crossing_punctuation:  # they were chosen in training
        assert crossing == trained_of(parser).crossing
        assert parser.info()["dev_strict_f"] == pytest.approx(scores[crossing][0])
        assert trained_of(parser).record["las"] == pytest.approx(scores[crossing][1])


@pytest.mark.parametrize("weight", [0.0, 0.25])
def test_the_weight_of_crossings(parser: xa.GraphParser, dev: xa.Treebank, weight: float) -> None:
    """Beside the probability of the head, that of being crossed or not counts so much."""
    chosen = with_options(parser, temperature=1.0, crossing_weight=weight, crossing_penalty=0.25)
    short = dev[np.flatnonzero(np.diff(dev.word_offsets) <= 12)]
    scored = chosen.parse_scored(short)
    for number, (scores, crossed) in enumerate(matrices_of(trained_of(chosen), short)):
        scores, crossed = (np.maximum(each, -1e6) for each in (scores, crossed))
        heads = np.logaddexp(scores, crossed)
        uncrossed, crossed = (heads + weight * (each - heads) for each in (scores, crossed))
        best = xa.decoders.one_endpoint_crossing(uncrossed, crossed=crossed - 0.25, root="single")
        assert scored.totals[number] == pytest.approx(best.score, abs=1e-3)
    if weight == 0:
        assert xa.classify(with_options(chosen, crossing_penalty=1e3).parse(dev)).arc_crossings.max() == 0


def test_without_enough_crossing_arcs_there_is_no_penalty(train: xa.Treebank, dev: xa.Treebank) -> None:
    projective = dev[~xa.classify(dev).nonprojective]
    parser = xa.GraphParser(network=SMALL)
    parser.train(train[:30], dev=projective, epochs=1, threads=1)
    assert parser.crossing_penalty == 0.0
    parser.train(train[:30], epochs=1, threads=1)
    assert parser.crossing_penalty == 0.0


def test_punctuation_is_never_crossed(parser: xa.GraphParser, plain: xa.GraphParser, dev: xa.Treebank) -> None:
    punctuation = punctuation_words(dev, tags=True)
    for model in (parser, plain):
        counts = []
        for uncrossed in (False, True):
            chosen = with_options(model, uncrossed_punctuation=uncrossed, crossing_penalty=-1000.0)
            for treebank in (chosen.parse(dev), chosen.parse_nbest(dev, 1).treebank):
                counts.append(int((crossed_arcs(treebank.head, dev.word_offsets) & punctuation).sum()))
        assert min(counts[:2]) > 0 and counts[2:] == [0, 0]


def test_punctuation_that_is_never_crossed_is_learnt(train: xa.Treebank, dev: xa.Treebank) -> None:
    punctuation = punctuation_words(train, tags=True)
    crossed = crossed_arcs(train.head, train.word_offsets) & punctuation
    of_sentence = np.add.reduceat(crossed, train.word_offsets[:-1])
    assert crossed.sum() > 0.002 * punctuation.sum()
    for treebank, expected in ((train, False), (train[of_sentence == 0], True)):
        parser = xa.GraphParser(network=SMALL)
        parser.train(treebank, epochs=1, threads=1)
        assert trained_of(parser).uncrossed_punctuation == expected
        assert not expected or not parser.crossing_punctuation
    parser.crossing_punctuation = True
    assert not trained_of(parser).uncrossed_punctuation and parser.crossing_punctuation
    given = xa.GraphParser(network=SMALL, crossing_punctuation=False)
    given.train(train[:30], epochs=1, threads=1)
    assert not given.crossing_punctuation
    with pytest.raises(xa.ParserError, match='crossing_punctuation is True, False or "auto", not'):
        xa.GraphParser(crossing_punctuation="never")


@pytest.mark.parametrize("trees", ["1-endpoint-crossing", "unrestricted"])
def test_punctuation_makes_no_arc_nonprojective(parser: xa.GraphParser, dev: xa.Treebank, trees: str) -> None:
    """It is attached anew where it does; nothing else is, and what is has no score."""
    before, after = (
        with_options(parser, trees=trees, crossing_penalty=-1000.0, crossing_punctuation=crossing)
        for crossing in (True, False)
    )
    punctuation = punctuation_words(dev, tags=True)
    found, scored = before.parse(dev), after.parse_scored(dev)
    moved = found.head != scored.treebank.head
    assert moved.any() and (moved <= punctuation).all()
    assert scored.treebank.to_bytes() == after.parse(dev).to_bytes()
    assert (np.isnan(scored.scores) == moved).all()
    assert not (xa.classify(scored.treebank).arc_nonprojective & moved).any()


def test_files(parser: xa.GraphParser, dev: xa.Treebank, tmp_path: Path) -> None:
    crossing = {"crossing_weight": 0.5, "crossing_penalty": 1.25}
    chosen = with_options(parser, **crossing, crossing_punctuation=False, uncrossed_punctuation=True)
    for bits in (16, 8):
        chosen.save(tmp_path / "model", bits=bits)
        loaded = xa.load(tmp_path / "model")
        assert isinstance(loaded, xa.GraphParser)
        assert loaded.crossing_penalty == 1.25 and not loaded.crossing_punctuation
        assert trained_of(loaded).uncrossed_punctuation
        assert loaded.info()["scores_crossed"] and crossing.items() <= loaded.info().items()
        parsed = loaded.parse(dev)
        assert np.mean(parsed.head == chosen.parse(dev).head) > (0.97 if bits == 8 else 0.9999)
        loaded.save(tmp_path / "again", bits=bits)
        assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_files_of_earlier_versions(plain: xa.GraphParser, dev: xa.Treebank) -> None:
    file = plain.model_file()
    description = dict(file.description)
    for name in ("crossing_weight", "crossing_penalty", "crossing_punctuation", "uncrossed_punctuation"):
        del description[name]
    description["network"] = dict(description["network"])
    del description["network"]["crossed_hidden_size"]
    old = xa.GraphParser.from_model_file(ModelFile(description, file.arrays))
    assert isinstance(old, xa.GraphParser) and old.crossing_penalty == 0.0
    assert old.parse(dev).to_bytes() == plain.parse(dev).to_bytes()


@pytest.mark.parametrize("objective", ["heads", "likelihood", "margin"])
def test_training_does_not_depend_on_threads(objective: str, train: xa.Treebank) -> None:
    short = train[np.flatnonzero(np.diff(train.word_offsets) <= 12)[:30]]
    files = []
    for threads in (1, 3):
        parser = xa.GraphParser(network=replace(SMALL, objective=objective), cutoff=1)
        report = parser.train(short, epochs=2, threads=threads)
        files.append(parser.model_file())
    assert report.epochs[1].mistakes < report.epochs[0].mistakes
    assert "crossed.arc" in files[0].arrays and files[0].arrays["crossed.arc"].any()
    assert all(np.array_equal(files[1].arrays[name], array) for name, array in files[0].arrays.items())


def test_crossed_arcs_are_learnt_in_their_class() -> None:
    network = replace(SMALL, objective="likelihood", crossed_hidden_size=8)
    with pytest.raises(xa.ParserError, match="crossed arcs of unrestricted trees are learnt head by head"):
        xa.GraphParser("unrestricted", network=network)


@pytest.mark.parametrize(("projective", "taken"), [(True, 64), (False, 0)])
def test_the_training_data_decide_whether_crossed_arcs_have_scores(
    projective: bool, taken: int, train: xa.Treebank, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By default; `info` says what was decided, and crossed arcs are marked once."""
    marked = []

    def mark(*arguments: Any) -> Any:
        marked.append(arguments)
        return crossed_arcs(*arguments)

    few = train[np.flatnonzero(xa.classify(train).nonprojective != projective)[:40]]
    monkeypatch.setattr("crossarc.structure.batch.crossed_arcs", mark)
    parser = xa.GraphParser("1-endpoint-crossing", network=SMALL_GRAPH)
    parser.train(few, epochs=1)
    assert parser.info()["options"]["crossed_hidden_size"] == taken
    assert parser.info()["scores_crossed"] is bool(taken)
    assert len(marked) == 1


def matrices_of(trained: GraphTrained, treebank: xa.Treebank) -> Iterator[tuple[Any, Any]]:
    """The scores of the arcs of each sentence, and of crossed ones."""
    found, start = trained.tree_scores(trained.definition.inputs(treebank), 1), 0
    for words in np.diff(treebank.word_offsets).tolist():
        end = start + (words + 1) ** 2
        scores, crossed = (None if each is None else each[start:end].reshape(words + 1, -1) for each in found)
        start = end
        yield scores, crossed


def test_trees_are_the_best_under_both_scores(parser: xa.GraphParser, dev: xa.Treebank) -> None:
    """As the decoders find them, and so are their probabilities."""
    parser = with_options(parser, temperature=1.0)
    parser = with_options(parser, crossing_weight=1.0)
    chosen = with_options(parser, crossing_penalty=-0.5)
    chosen.scorer = replace(chosen.scorer, objective="likelihood")
    short = dev[np.flatnonzero(np.diff(dev.word_offsets) <= 9)]
    scored = chosen.parse_scored(short)
    several = chosen.parse_nbest(short, 3)
    probabilities = scored.marginals() if scored.marginals is not None else np.zeros(0)
    differ = 0
    for number, (scores, crossed) in enumerate(matrices_of(trained_of(chosen), short)):
        own = slice(*short.word_offsets[number : number + 2].tolist())
        heads, words = scored.treebank.head[own], np.arange(1, len(scores))
        options: Any = {"tree_class": "one_endpoint_crossing", "root": "single"}
        best = xa.decoders.k_best(scores, k=3, crossed=crossed + np.float32(0.5), **options)
        ranked = several.totals[several.offsets[number] : several.offsets[number + 1]]
        assert ranked == pytest.approx([tree.score for tree in best], abs=1e-3)
        assert scored.totals[number] == pytest.approx(best[0].score, abs=1e-3)
        both = xa.decoders.marginals(scores, crossed=crossed, **options).sum(axis=0)
        assert probabilities[own] == pytest.approx(both[heads, words], abs=1e-4)
        differ += int((heads != xa.decoders.best(scores, **options).heads).any())
        risk = xa.decoders.minimum_bayes_risk(scores, crossed=crossed, **options)
        (found,) = with_options(parser, crossing_penalty=0.0, minimum_risk=True).parse(short[number : number + 1])
        assert both[found.heads, words].sum() == pytest.approx(risk.score, abs=1e-4)
    assert differ > 0
