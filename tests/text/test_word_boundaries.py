"""Words say where sentences end: asked first where the segmenter is in doubt, kept in files, refused where damaged."""

from __future__ import annotations

import pickle
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossarc as xa
from crossarc._arrays import Floats
from crossarc.errors import ParserError
from crossarc.models import ModelFileError, read_model_file, write_model_file
from crossarc.parsers.trainable import required
from crossarc.text import Pipeline, Segmenter, load_pipeline, raw_text
from crossarc.text.doubt import DOUBT
from crossarc.text.network import NetworkBoundaries
from crossarc.text.word_boundaries import WordNetwork

from ..support.altered import altered_file
from ..support.pipelines import known_pipeline
from .texts import cut, tokens, unmarked_sentences

_ENDS = [2, 4]
_PARTS = ["lama", "nor", "sedu", "fin", "lama nor sedu fin", "\n\n", " \n \n", "a.b@c.example"]


def network_of(parser: xa.TrainableParser, seed: int = 1, size: int = 3) -> WordNetwork:
    """A network of words with random weights, which is sure of most it says."""
    assert isinstance(parser, xa.GraphParser)
    random = np.random.default_rng(seed)
    shapes = [(2 * required(parser.trained).model.network.encoder_width, size), (size,), (size,), (1,)]
    return WordNetwork(*(random.normal(0, 2, shape).astype(np.float16).astype(np.float32) for shape in shapes))


@pytest.fixture(scope="module")
def parser() -> xa.TrainableParser:
    return known_pipeline().parser


@pytest.fixture(scope="module")
def nlp(alone: Segmenter, other: Segmenter, parser: xa.TrainableParser) -> Pipeline:
    assert isinstance(alone.boundaries, NetworkBoundaries) and isinstance(other.boundaries, NetworkBoundaries)
    segmenter = Segmenter(alone.boundaries.with_others([other.boundaries]), alone.expansions)
    return Pipeline(segmenter, parser, words=network_of(parser))


def sentence_ends(segmenter: Segmenter, text: str) -> Floats:
    assert isinstance(segmenter.boundaries, NetworkBoundaries)
    ends: Floats = segmenter.boundaries.probabilities_apart([text], threads=1)[:, _ENDS].sum(axis=1)
    return ends


@given(st.integers(0, 1000), st.integers(1, 6), st.integers(1, 4))
def test_each_two_neighbours_go_through_a_hidden_layer(seed: int, words: int, size: int) -> None:
    random = np.random.default_rng(seed)
    states = random.normal(size=(words, 5)).astype(np.float32)
    network = WordNetwork(*(random.normal(size=shape).astype(np.float32) for shape in ((10, size), size, size, 1)))
    ends = network.probabilities(states)
    assert len(ends) == words and ends[-1] < 1e-5
    for first, second, probability in zip(states, states[1:], ends, strict=False):
        hidden = np.maximum(np.concatenate([first, second]) @ network.hidden + network.hidden_bias, 0)
        log_odds = hidden @ network.output + network.output_bias[0]
        assert probability == pytest.approx(1 / (1 + np.exp(-log_odds)), abs=1e-5)


@settings(max_examples=60)
@given(st.lists(st.sampled_from(["lama", "nor", "sedu", "fin"]), min_size=1, max_size=4), st.floats(-3, 3))
def test_words_are_asked_at_the_ends_of_tokens_in_doubt(
    alone: Segmenter, parser: xa.TrainableParser, words: list[str], log_odds: float
) -> None:
    """A network that always says the same shows where it was asked: the mean of log-odds decides there."""
    text = " ".join(words)[:16].strip()  # so short that all of it stands around each of its characters
    same = network_of(parser)
    same = WordNetwork(same.hidden, same.hidden_bias, 0 * same.output, np.array([log_odds], np.float32))
    ends = sentence_ends(Pipeline(alone, parser, words=same).segmenter, text)
    for index, (before, after) in enumerate(zip(sentence_ends(alone, text), ends, strict=True)):
        if not DOUBT[0] < before < DOUBT[1]:
            assert after == pytest.approx(before, abs=1e-5)
        elif index + 1 < len(text) and text[index + 1] == " ":
            mean = (np.log(before / (1 - before)) + log_odds) / 2
            assert after == pytest.approx(1 / (1 + np.exp(-mean)), abs=1e-4)
        else:  # within a token, and behind the last word
            assert after < 0.05


def test_there_is_doubt_to_be_decided(alone: Segmenter, nlp: Pipeline) -> None:
    text = raw_text(unmarked_sentences(10, seed=4))
    assert not np.allclose(sentence_ends(alone, text), sentence_ends(nlp.segmenter, text))


@settings(max_examples=60)
@given(st.lists(st.sampled_from(_PARTS)), st.integers(1, 40), st.integers(60, 400))
def test_pieces_change_nothing(nlp: Pipeline, parts: list[str], size: int, block: int) -> None:
    text = " ".join(parts * 8)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    assert tokens(cut(nlp.segmenter, pieces, block)) == tokens(cut(nlp.segmenter, [text], 1 << 16))


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from(_PARTS), max_size=30).map(" ".join), min_size=2, max_size=5))
def test_texts_that_are_cut_together_are_cut_as_if_alone(nlp: Pipeline, texts: list[str]) -> None:
    together = [tokens([each]) for each in nlp.segmenter.segment_all(texts, threads=1)]
    assert together == [tokens([nlp.segmenter.segment(text, threads=1)]) for text in texts]


def test_paragraphs_of_nothing_but_spaces_are_not_asked_for() -> None:
    """NUL is one of them, though Python does not take it for one."""
    texts = ["He said the end.\n\n\n\0\n\n:) No", ":) :) \n\n\0"]
    segmenter = load_pipeline("en").segmenter
    cut = [segmenter.treebank(text) for text in texts]
    assert [len(treebank) for treebank in cut] == [2, 1] and [treebank.words for treebank in cut] == [7, 2]
    together = segmenter.treebanks(texts, in_lines=[False, False])
    assert [one.texts("form") for one in together] == [one.texts("form") for one in cut]


def test_texts_that_are_read_together_say_nothing_of_each_other(nlp: Pipeline) -> None:
    texts = [raw_text(unmarked_sentences(2, seed=seed)).strip() for seed in range(4, 9)]
    assert isinstance(nlp.segmenter.boundaries, NetworkBoundaries)
    together = nlp.segmenter.boundaries.probabilities_apart(texts, threads=1)[:, _ENDS].sum(axis=1)
    assert together == pytest.approx(np.concatenate([sentence_ends(nlp.segmenter, text) for text in texts]), abs=1e-5)


def test_files_and_pickles_keep_it(nlp: Pipeline, tmp_path: Path) -> None:
    nlp.save(tmp_path / "words.crossarc")
    text = raw_text(unmarked_sentences(10, seed=4))
    for again in (xa.load(tmp_path / "words.crossarc"), pickle.loads(pickle.dumps(nlp))):
        assert isinstance(again, Pipeline) and again.words is not None
        assert sentence_ends(again.segmenter, text) == pytest.approx(sentence_ends(nlp.segmenter, text), abs=1e-5)
    assert "words" not in read_model_file(saved_without(nlp, tmp_path)).description


def saved_without(nlp: Pipeline, folder: Path) -> Path:
    path = folder / "without.crossarc"
    Pipeline(nlp.segmenter, nlp.parser).save(path)
    return path


def test_damaged_ones_are_refused(nlp: Pipeline, tmp_path: Path) -> None:
    path = tmp_path / "damaged.crossarc"
    nlp.save(path)
    whole = read_model_file(path)
    name = "words/output.weights"
    for damaged in (whole.arrays[name][:-1], whole.arrays[name][None], None):
        arrays = {key: array for key, array in whole.arrays.items() if key != name}
        if damaged is not None:
            arrays[name] = damaged
        write_model_file(path, replace(whole, arrays=arrays))
        with pytest.raises(ModelFileError, match="network of words"):
            xa.load(path)


def test_altered_files_are_refused_or_parse(nlp: Pipeline, tmp_path: Path) -> None:
    path = tmp_path / "altered.crossarc"
    nlp.save(path)
    whole = read_model_file(path)
    of_words = replace(
        whole, arrays={key: array for key, array in whole.arrays.items() if key.startswith("words/")}, description={}
    )
    loaded = 0
    for number in range(60):
        changed = altered_file(random.Random(number), of_words)
        write_model_file(path, replace(whole, arrays={**without_words(whole.arrays), **changed.arrays}))
        try:
            again = xa.load(path)
        except ModelFileError:
            continue
        loaded += 1
        assert isinstance(again, Pipeline) and again("lama nor fin lama fin nor").words == 6
    assert loaded


def without_words(arrays: xa.models.model_file.Arrays) -> xa.models.model_file.Arrays:
    return {key: array for key, array in arrays.items() if not key.startswith("words/")}


def test_they_need_the_parser_that_they_were_learnt_with(nlp: Pipeline) -> None:
    wider = network_of(nlp.parser)
    wider = WordNetwork(np.tile(wider.hidden, (2, 1)), wider.hidden_bias, wider.output, wider.output_bias)
    with pytest.raises(ParserError, match="another parser"):
        Pipeline(nlp.segmenter, nlp.parser, words=wider)
    rules = Segmenter.generic()
    with pytest.raises(ParserError, match="graph parser and a segmenter that is a network"):
        Pipeline(rules, nlp.parser, words=network_of(nlp.parser))
