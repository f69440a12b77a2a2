"""Beam search: with a beam of one it is the greedy parser, without limit it finds the best sequence; it learns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc import _kernel
from crossarc.encodings import Encoding
from crossarc.models.perceptron.weights import PerceptronModel
from crossarc.parsers import Analyses, Perceptron, TransitionParser
from crossarc.transitions import Configuration

from ..support.parsers import ENCODINGS, baseline, las
from ..support.warned import bare_words, with_a_planar_root

#: A projective system, one on several stacks, one over lists, one that reorders words, and one of links; of all others
#: (easy-first has no beam) tests of beams are in make exhaustive, those of greedy search are not.
OF_EACH_KIND = {"arc-eager", "2-planar", "covington", "swap", "undirected-2-planar"}
WITH_BEAM = [
    pytest.param(name, encoding, marks=[] if name in OF_EACH_KIND else pytest.mark.exhaustive)
    for name, encoding in ENCODINGS
    if name != "easy-first"
]
_MASK = (1 << 64) - 1


@pytest.fixture(scope="module")
def train() -> xa.Treebank:
    return xa.sample(80, seed=1)


@pytest.fixture(scope="module")
def dev() -> xa.Treebank:
    return xa.sample(40, seed=2)


@pytest.fixture(scope="module")
def parser(train: xa.Treebank) -> TransitionParser:
    trained = TransitionParser("2-planar", beam=8, scorer="perceptron")
    trained.train(train, epochs=3)
    return trained


@pytest.mark.slow
@pytest.mark.parametrize(("name", "encoding"), WITH_BEAM, ids=lambda value: value if isinstance(value, str) else "")
@with_a_planar_root
def test_every_system_learns_and_parses_with_a_beam(
    name: str, encoding: Encoding | None, train: xa.Treebank, dev: xa.Treebank, tmp_path: Path
) -> None:
    parser = TransitionParser(name, encoding=encoding, beam=4, scorer="perceptron")
    report = parser.train(train, dev=dev, epochs=1)
    parsed = parser.parse(dev)
    score = las(dev, parsed)
    assert report.las == pytest.approx(score)
    assert score > 0.5 > baseline(dev)
    assert (np.add.reduceat(parsed.head == 0, parsed.word_offsets[:-1]) == 1).all()
    parser.save(tmp_path / "m.crossarc")
    again = xa.load(tmp_path / "m.crossarc")
    assert again.parse(dev).to_bytes() == parsed.to_bytes()
    assert parser.parse_scored(dev).treebank.to_bytes() == parsed.to_bytes()
    greedy = again.parse(dev, beam=1)
    assert greedy.to_bytes() == again.parse_scored(dev, beam=1).treebank.to_bytes()


@pytest.mark.kernel
@pytest.mark.parametrize("name", ["3-planar", "swap", "attardi-2", "undirected-covington"])
@pytest.mark.parametrize("update", ["max-violation", "early"])
def test_few_sentences_with_each_kind_of_teacher(name: str, update: str, train: xa.Treebank, dev: xa.Treebank) -> None:
    parser = TransitionParser(name, beam=3, scorer=Perceptron(update=update))
    parser.train(train[:10], epochs=2)
    found = parser.parse_nbest(dev[:10], 4)
    assert all(1 <= len(trees) <= 4 for trees in found)


def sequences(configuration: Configuration) -> list[list[tuple[list[int], list[int], str]]]:
    """All ways to the end, as (stack, buffer, transition) from step to step."""
    legal = [] if configuration.is_terminal else configuration.legal()
    if not legal:
        return [[]]
    here = (configuration.stack, configuration.buffer)
    return [
        [(*here, transition), *rest]
        for transition in legal
        for rest in sequences(configuration.copy().apply(transition))
    ]


def feature(stack_value: int, buffer_value: int) -> int:
    """The feature of the first template, s0.upos+b0.upos, as kernel/features/features.cpp has it."""
    mixed = 0x9E3779B97F4A7C15
    for value in (stack_value, buffer_value):
        mixed = (mixed ^ value) * 0xD6E8FEB86659FD93 & _MASK
        mixed ^= mixed >> 32
    return mixed & 0xFFFFFFFF or 1


def weights_by_feature(parser: TransitionParser) -> dict[int, list[int]]:
    """What the features of a perceptron give each transition."""
    assert parser.trained is not None
    model = parser.trained.model
    assert isinstance(model, PerceptronModel)
    packed, counts, classes, known = model.native.transition_rows()
    features = _kernel.unpack_ascending(packed)
    table = np.zeros((len(features), len(parser.system.transitions)), np.int64)
    table[np.repeat(np.arange(len(features)), counts), classes] = known
    return dict(zip(features.tolist(), table.tolist(), strict=True))


@pytest.mark.kernel
@pytest.mark.parametrize(("name", "width"), [("arc-eager", 2), ("arc-eager", 7), ("2-planar", 5)])
def test_a_beam_over_a_long_sentence(name: str, width: int, train: xa.Treebank) -> None:
    """Beside a plain beam that copies its configurations: in long sentences the kernel leads dropped states instead."""
    parser = TransitionParser(name, scorer=Perceptron(("s0.upos+b0.upos",), ("s0.upos",)), beam=2)
    parser.train(train, epochs=1)
    assert parser.trained is not None
    weights, names = weights_by_feature(parser), list(parser.system.transitions)
    words = [{"form": token.form, "upos": token.upos} for sentence in train for token in sentence][:300]
    treebank = xa.Treebank.from_dicts([words])
    inputs = parser.trained.definition.inputs(treebank)
    own = [0, *inputs.values[:, 0].tolist()]

    def scored(configuration: Configuration) -> list[int]:
        ends = [words[place] if words else 0 for words, place in ((configuration.stack, -1), (configuration.buffer, 0))]
        return weights.get(feature(own[ends[0]], own[ends[1]]), [0] * len(names))

    beam = [(0, Configuration(parser.system, len(words)))]
    while True:
        candidates = []
        for parent, (total, configuration) in enumerate(beam):
            legal = [] if configuration.is_terminal else configuration.legal()
            scores = scored(configuration)
            numbers = [names.index(transition) for transition in legal]
            candidates += [(-total - scores[number], parent, number) for number in numbers] or [(-total, parent, -1)]
        if all(number < 0 for _, _, number in candidates):
            break
        kept = sorted(candidates)[:width]
        beam = [
            (-total, beam[parent][1].copy() if number < 0 else beam[parent][1].copy().apply(names[number]))
            for total, parent, number in kept
        ]
    found = parser.trained.model.search(inputs, width, width, 1)
    assert found.totals.tolist() == [total for total, _ in beam]
    for number, (_, configuration) in enumerate(beam):
        own_arcs = slice(found.arcs.offsets[number], found.arcs.offsets[number + 1])
        heads, dependents = (ends[own_arcs].tolist() for ends in (found.arcs.heads, found.arcs.dependents))
        assert list(zip(heads, dependents, strict=True)) == [(arc.head, arc.dependent) for arc in configuration.arcs]


@pytest.mark.parametrize(("name", "words"), [("arc-eager", 5), ("arc-standard", 5), ("planar", 4), ("covington", 4)])
def test_a_beam_that_leaves_nothing_out_finds_the_best_of_all_sequences(
    name: str, words: int, train: xa.Treebank
) -> None:
    """Beside a plain enumeration that scores every sequence by itself."""
    parser = TransitionParser(name, scorer=Perceptron(("s0.upos+b0.upos",), ("s0.upos",)), beam=2)
    parser.train(train, epochs=1)
    assert parser.trained is not None
    model = parser.trained.model
    weights = weights_by_feature(parser)
    names = list(parser.system.transitions)
    short = train[np.flatnonzero(np.diff(train.word_offsets) >= words)[:3]]
    cut = xa.Treebank.from_dicts([[{"form": t.form, "upos": t.upos} for t in s][:words] for s in short])
    inputs = parser.trained.definition.inputs(cut)
    found = model.search(inputs, 100_000, 100_000, 1)
    ways = sequences(Configuration(parser.system, words))
    assert len(ways) > 20
    for sentence, offset in enumerate(cut.word_offsets[:-1]):
        own = [0, *inputs.values[offset : offset + words, 0].tolist()]

        def total(way: list[tuple[list[int], list[int], str]], own: list[int] = own) -> int:
            none = [0] * len(names)
            return sum(
                weights.get(feature(own[stack[-1] if stack else 0], own[buffer[0] if buffer else 0]), none)[
                    names.index(transition)
                ]
                for stack, buffer, transition in way
            )

        expected = sorted((total(way) for way in ways), reverse=True)
        totals = found.totals[found.offsets[sentence] : found.offsets[sentence + 1]]
        assert totals.tolist() == expected


def test_a_wider_beam_finds_better_sequences(parser: TransitionParser, dev: xa.Treebank) -> None:
    narrow, middle, wide = (parser.parse_scored(dev, beam=beam).totals for beam in (1, 8, 200))
    assert (wide >= narrow).all()
    assert (middle >= narrow).mean() > 0.95
    assert (middle > narrow).any()


def test_n_best_trees_are_different_and_sorted(parser: TransitionParser, dev: xa.Treebank) -> None:
    found = parser.parse_nbest(dev, 5)
    best = parser.parse(dev)
    assert len(found) == len(dev)
    assert sum(len(trees) for trees in found) > 3 * len(dev)
    for sentence, trees in zip(best, found, strict=True):
        assert 1 <= len(trees) <= 5
        scores = [score for _, score in trees]
        assert scores == sorted(scores, reverse=True)
        assert len({(tuple(tree.heads), tuple(tree.labels or ())) for tree, _ in trees}) == len(trees)
        assert list(trees[0].tree.heads) == sentence.heads.tolist()
    assert found[-1] == found[len(dev) - 1]
    with pytest.raises(IndexError, match="no sentence at 40"):
        found[40]


@bare_words
def test_n_best_trees_of_words_in_a_list(parser: TransitionParser, dev: xa.Treebank) -> None:
    forms = dev[0].forms
    trees = parser.parse_nbest(forms, 3)
    assert list(trees[0].tree.heads) == parser.parse(forms).heads.tolist()
    assert len(parser.parse_nbest(forms, 20)) > 8  # wider than the beam of training


def test_a_beam_of_one_has_one_tree(train: xa.Treebank, dev: xa.Treebank) -> None:
    greedy = TransitionParser("2-planar", scorer="perceptron")
    greedy.train(train, epochs=1)
    assert [len(trees) for trees in greedy.parse_nbest(dev, 1)] == [1] * len(dev)
    assert max(len(trees) for trees in greedy.parse_nbest(dev, 3)) == 3


def was_built(parser: TransitionParser, parsed: xa.Treebank) -> list[bool]:
    """Whether each word got a head from a transition: any with direction, else the one that it ended up with."""
    assert parser.trained is not None
    inputs = parser.trained.definition.inputs(parsed)
    found = parser.trained.model.search(inputs, 1, 1, 1).arcs
    answers: list[bool] = []
    for number, sentence in enumerate(parsed):
        own = slice(found.offsets[number], found.offsets[number + 1])
        arcs = set(zip(found.heads[own].tolist(), found.dependents[own].tolist(), strict=True))
        dependents = {dependent for _, dependent in arcs}
        for word, head in enumerate(sentence.heads.tolist(), start=1):
            linked = (min(word, head), max(word, head)) in arcs
            answers.append(linked if parser.system.is_undirected else word in dependents)
    return answers


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("arc-eager", xa.PseudoProjective("head")), ("undirected-2-planar", xa.Undirected("label"))],
    ids=["arc-eager", "undirected-2-planar"],
)
def test_arcs_have_scores_and_margins(name: str, encoding: Encoding, train: xa.Treebank, dev: xa.Treebank) -> None:
    parser = TransitionParser(name, encoding=encoding, root="any", scorer="perceptron")
    parser.train(train, epochs=1)
    greedy = parser.parse_scored(dev)
    built = ~np.isnan(greedy.scores)
    assert (built == ~np.isnan(greedy.margins)).all()
    assert (built == was_built(parser, greedy.treebank)).all()
    assert 0.8 < built.mean() < 1
    assert (greedy.margins[built] >= 0).all()  # it always takes the best
    assert np.unique(greedy.scores[built]).size > 10
    searched = parser.parse_scored(dev, beam=8)
    assert (searched.margins[~np.isnan(searched.margins)] < 0).any()  # and a beam does not


def test_scores_in_misc_take_the_place_of_earlier_ones() -> None:
    text = "1\ta\t_\tX\t_\t_\t0\troot\t_\tA=1|Score=7\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n\n"
    treebank = xa.from_text(text)
    scores, margins = np.array([np.nan, 1.5], np.float32), np.array([np.nan, np.inf], np.float32)
    found = Analyses(treebank, np.array([0, 1]), np.array([1.5]), scores, margins)
    assert found.with_scores().treebank.texts("misc") == ["A=1", "Score=1.5"]
    assert found.with_ranks().treebank.to_text() == "# crossarc_rank = 1\n# crossarc_score = 1.5\n" + text
    other = replace(found, treebank=treebank.in_format("conllx"))
    with pytest.raises(xa.ParserError, match="no comments"):
        other.with_ranks()
    with pytest.raises(xa.ParserError, match="no MISC"):
        other.with_scores()


def test_threads_change_nothing(parser: TransitionParser, dev: xa.Treebank) -> None:
    one, two = (parser.parse_nbest(dev, 4, threads=threads) for threads in (1, 2))
    assert one.treebank.to_bytes() == two.treebank.to_bytes()
    assert one.totals.tolist() == two.totals.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("update", "learners"), [("max-violation", 2), ("early", 1)])
def test_the_same_training_gives_the_same_file_also_from_a_checkpoint(
    update: str, learners: int, train: xa.Treebank, dev: xa.Treebank, tmp_path: Path
) -> None:
    files = []
    for threads in (1, 2):
        parser = TransitionParser("2-planar", beam=4, scorer=Perceptron(update=update, learners=learners))
        report = parser.train(train, dev=dev, epochs=2, threads=threads)
        assert report.las is not None
        assert report.las > 0.6
        parser.save(tmp_path / "whole")
        files.append((tmp_path / "whole").read_bytes())
    saved = tmp_path / "checkpoint"
    for epochs in (1, 2):
        parser = TransitionParser("2-planar", beam=4, scorer=Perceptron(update=update, learners=learners))
        parser.train(train, dev=dev, epochs=epochs, checkpoint=saved, resume=True)
    parser.save(tmp_path / "resumed")
    assert files[0] == files[1] == (tmp_path / "resumed").read_bytes()
    with pytest.raises(xa.ParserError, match=r"another training \(beam differ\)"):
        TransitionParser("2-planar", beam=2, scorer=Perceptron(update=update, learners=learners)).train(
            train, dev=dev, epochs=3, checkpoint=saved, resume=True
        )


def test_one_sentence_is_learnt_by_heart(train: xa.Treebank) -> None:
    for update in ("max-violation", "early"):
        parser = TransitionParser("2-planar", beam=8, scorer=Perceptron(update=update))
        assert parser.train(train[:1], dev=train[:1], epochs=10).las == 1


def test_a_long_sentence_and_none_parse(parser: TransitionParser, train: xa.Treebank) -> None:
    long = parser.parse_batch([["a"] * 2_000])
    assert (long.words, (long.head == 0).sum()) == (2_000, 1)
    nothing = parser.parse_nbest(train[:0], 3)
    assert (len(nothing), len(nothing.totals)) == (0, 0)


def test_options_that_make_no_sense_are_refused(parser: TransitionParser, dev: xa.Treebank) -> None:
    with pytest.raises(xa.ParserError, match="beam is a whole number from 1 to 256, not "):
        TransitionParser("planar", beam=0, scorer="perceptron")
    with pytest.raises(xa.ParserError, match="one of max-violation, early"):
        Perceptron(update="late")
    with pytest.raises(xa.ParserError, match="beam is a whole number from 1 to 10,000, not "):
        parser.parse(dev, beam=0)
    with pytest.raises(xa.ParserError, match="nbest is a whole number from 1 to 10,000, not 0"):
        parser.parse_nbest(dev, 0)
    with pytest.raises(xa.ParserError, match="not trained"):
        TransitionParser("planar", scorer="perceptron").parse_nbest(dev, 2)
