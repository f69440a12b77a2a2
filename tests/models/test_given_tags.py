"""Tags that are predicted and may be given: what is given steers the tree, what is not is predicted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import crossarc as xa

from ..support.parsers import SMALL_WORDS

pytest.importorskip("torch", reason="torch is not installed: pip install 'crossarc[torch]'")

OPTIONS = {**SMALL_WORDS.to_dict(), "given_tags": 0.7}


def sentences(count: int, seed: int) -> xa.Treebank:
    """Of words that look the same: that which is tagged as a verb is the root, and nothing else tells."""
    random = np.random.default_rng(seed)
    lengths = random.integers(2, 6, count)
    verbs = [int(random.integers(length)) for length in lengths]
    words = [(word, verb) for length, verb in zip(lengths, verbs, strict=True) for word in range(length)]
    return xa.Treebank.from_words([["fish"] * length for length in lengths]).replace(
        upos=["VERB" if word == verb else "NOUN" for word, verb in words],
        head=np.array([0 if word == verb else verb + 1 for word, verb in words], np.int32),
        deprel=["root" if word == verb else "nsubj" for word, verb in words],
    )


@pytest.fixture(scope="module")
def trained() -> tuple[xa.GraphParser, xa.TrainingReport]:
    parser = xa.GraphParser(network=xa.Biaffine.from_dict(OPTIONS), predict=("upos",))
    return parser, parser.train(sentences(300, 1), dev=sentences(50, 2), epochs=12, seed=1, device="cpu")


@pytest.fixture(scope="module")
def parser(trained: tuple[xa.GraphParser, xa.TrainingReport]) -> xa.GraphParser:
    return trained[0]


def with_tags(dev: xa.Treebank, *, of: str) -> xa.Treebank:
    """The words of the development data, tags only where they are of this kind."""
    return dev.replace(upos=[tag if tag in of else "_" for tag in dev.texts("upos")])


def test_tags_that_are_given_steer_the_tree(parser: xa.GraphParser) -> None:
    dev = sentences(100, 3)
    by_tags = {of: xa.evaluate(dev, parser.parse(with_tags(dev, of=of))).uas for of in ("VERB NOUN", "VERB", "")}
    assert by_tags["VERB NOUN"] > 0.95
    assert by_tags["VERB"] > 0.9  # a single tag that a person set
    assert by_tags[""] < 0.7


def test_scores_of_training_are_those_without_tags(trained: tuple[xa.GraphParser, xa.TrainingReport]) -> None:
    assert all(epoch.uas is not None and epoch.uas < 0.75 for epoch in trained[1].epochs)


def test_saved_and_loaded_it_follows_tags_as_before(parser: xa.GraphParser, tmp_path: Path) -> None:
    dev = sentences(30, 4)
    parser.save(tmp_path / "given.crossarc")
    loaded = xa.load(tmp_path / "given.crossarc")
    for of in ("VERB NOUN", ""):
        bare = with_tags(dev, of=of)
        assert (loaded.parse(bare).head == parser.parse(bare).head).all()
        assert loaded.parse(bare).texts("upos") == parser.parse(bare).texts("upos")


def test_no_tags_are_missed(parser: xa.GraphParser, recwarn: pytest.WarningsRecorder) -> None:
    parser.parse(with_tags(sentences(30, 5), of=""))
    assert not recwarn.list


def test_natively_it_is_refused() -> None:
    parser = xa.GraphParser(network=xa.Biaffine.from_dict(OPTIONS), predict=("upos",))
    with pytest.raises(xa.CrossarcError, match="give a device"):
        parser.train(sentences(10, 1), epochs=1)
