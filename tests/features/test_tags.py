"""Predicted columns: their classes, what is filled and what is kept, and one spelling of forms."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.features.tags import ANY_TAGS, PREDICTED, Tags, TagsError, checked_columns
from crossarc.features.vocabularies import normal_form, with_normal_forms


@pytest.fixture(scope="module")
def treebank() -> xa.Treebank:
    return xa.sample(40, seed=1)


@pytest.fixture(scope="module")
def tags(treebank: xa.Treebank) -> Tags:
    return Tags.fit(treebank, PREDICTED, least=1)


COMBINATIONS = np.array([[0, 0], [1, 1], [2, 1]], np.int32)


def without(treebank: xa.Treebank, *columns: str) -> xa.Treebank:
    return treebank.replace(**{column: np.zeros(treebank.words, np.int32) for column in columns})


def test_classes_give_back_the_columns(treebank: xa.Treebank, tags: Tags) -> None:
    assert tags.columns == PREDICTED
    classes = tags.classes(treebank)
    assert classes.shape == (treebank.words, 4)
    assert (classes >= 0).all() and (classes.max(axis=0) < tags.sizes).all()
    assert tags.filled(without(treebank, *PREDICTED), classes).to_bytes() == treebank.to_bytes()
    assert tags.accuracies(treebank, classes) == dict.fromkeys(PREDICTED, 1.0)


def test_what_is_given_is_kept(treebank: xa.Treebank, tags: Tags) -> None:
    wrong = np.zeros((treebank.words, 4), np.int32)
    for column in PREDICTED:
        found = tags.filled(without(treebank, *(set(PREDICTED) - {column})), wrong)
        kept = treebank.column(column) != 0
        assert kept.any() and (found.column(column) == treebank.column(column))[kept].all()
    assert tags.filled(treebank, wrong).to_bytes() == treebank.to_bytes()


def test_words_with_tags_may_have_no_features() -> None:
    """Beside a word that has some; of words without any tags nothing is known."""
    treebank = xa.Treebank.from_columns(
        ["the", "dogs", "bark", "cats", "dogs", "dogs"],
        upos=["DET", "_", "VERB", "_", "_", "NOUN"],
        feats=["_", "Number=Plur", "_", "_", "_", "_"],
        lengths=[4, 1, 1],
    )
    tags = Tags({"upos": ["NOUN", "DET", "VERB"], "feats": ["Number=Plur", "_"]}, combinations=COMBINATIONS)
    found = tags.filled(treebank, np.zeros((6, 2), np.int32))
    assert found.texts("upos") == ["DET", "NOUN", "VERB", "NOUN", "NOUN", "NOUN"]
    assert found.texts("feats") == ["_", "Number=Plur", "_", "Number=Plur", "Number=Plur", "Number=Plur"]
    assert tags.filled(treebank[:0], np.zeros((0, 2), np.int32)).words == 0
    # None of them says what other tags a word has.
    given = tags.search(treebank).given.tolist()
    assert given == [[1, -1], [-1, 0], [2, -1], [-1, -1], [-1, -1], [0, -1]]


def test_columns_that_are_empty_and_values_that_are_unknown(treebank: xa.Treebank) -> None:
    tags = Tags.fit(without(treebank, "xpos"), ("upos", "xpos"))
    assert tags.columns == ("upos",)
    assert not Tags.fit(without(treebank, "xpos"), ("xpos",))
    other = treebank.replace(upos=["ZZZ"] * treebank.words)
    assert (tags.classes(other) == -1).all()


def test_they_are_the_same_again_from_bytes(tags: Tags) -> None:
    assert Tags.from_bytes(tags.to_bytes()).to_dict() == tags.to_dict()


@pytest.mark.parametrize("data", [b"", b"no", Tags({"upos": ["X"]}).to_bytes()[:-3]])
def test_bytes_that_hold_none_are_refused(data: bytes) -> None:
    with pytest.raises(TagsError):
        Tags.from_bytes(data)


@pytest.mark.parametrize(
    "data",
    [
        None,
        {"values": ["upos"]},
        {"values": {"form": ["a"]}},
        {"values": {"lemma": ["a"]}},
        {"values": {"upos": []}},
        {"values": {"upos": ["A", "A"]}},
        {"values": {"upos": ["A\tB"]}},
        {"values": {"upos": ["A", " "]}},
        {"values": {"upos": [""]}},
        {"values": {"upos": [1]}},
    ],
)
def test_values_of_no_column_are_refused(data: Any) -> None:
    with pytest.raises(TagsError):
        Tags.from_dict(data)


def test_combinations_are_those_of_the_training_data(treebank: xa.Treebank, tags: Tags) -> None:
    seen = set(zip(*(treebank.texts(column) for column in ("upos", "xpos", "feats")), strict=True))
    known = {
        tuple(tags.values[column][number] for column, number in zip(tags.values, row, strict=True))
        for row in tags.combinations
    }
    assert known == seen and len(tags.combinations) == len(seen)
    assert len(Tags.fit(treebank, ("upos", "lemma")).combinations) == 0  # a column alone contradicts nothing
    old = {key: value for key, value in tags.to_dict().items() if key != "combinations"}
    assert len(Tags.from_dict(old).combinations) == 0
    again = Tags.from_dict(old).with_combinations(treebank)
    assert (again.combinations == tags.combinations).all()


def test_what_is_given_of_combinations(treebank: xa.Treebank, tags: Tags) -> None:
    assert not len(tags.search(without(treebank, *PREDICTED)).given)
    assert Tags(tags.values).search(treebank) is ANY_TAGS and tags.search(treebank[:0]) is ANY_TAGS
    given = tags.search(without(treebank, "xpos", "feats", "lemma")).given
    assert len(given) and (given[:, 1:] == -1).all()
    assert (given[:, 0] == tags.classes(treebank)[:, 0]).all()


@pytest.mark.parametrize("rows", [5, [[0]], [[0], [1, 1]], [[0], [-1]], [[0], [9]], [[0], ["a"]], [[0], [1 << 40]]])
def test_combinations_of_other_classes_are_refused(rows: Any) -> None:
    values = {"upos": ["A"], "xpos": ["B", "C"]}
    with pytest.raises(TagsError, match="combinations"):
        Tags.from_dict({"values": values, "combinations": rows})


def test_only_some_columns_can_be_predicted() -> None:
    assert checked_columns(["lemma", "upos"]) == ("upos", "lemma")
    with pytest.raises(xa.ParserError, match="predict names columns among upos, xpos, feats, lemma, not 'head'"):
        checked_columns(["head"])
    with pytest.raises(xa.ParserError, match="predict is a list of columns"):
        checked_columns("upos")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("don't", "don’t"),
        ("donʼt", "don’t"),
        ("δ᾽", "δ’"),
        ("δ\u1fbf", "δ’"),
        ("δ\u0313", "δ’"),
        ("παρ\u0313", "παρ’"),
        ("λόγος", "λόγοσ"),
        ("λόγος", unicodedata.normalize("NFD", "λόγος")),
        ("σοφός", "ϲοφόϲ"),
        ("\u03ac", "\u1f71"),  # with tonos and with oxia
    ],
)
def test_one_spelling_of_a_form(one: str, other: str) -> None:
    assert one != other
    assert normal_form(one) == normal_form(other)


def test_the_treebank_keeps_what_was_written() -> None:
    written = xa.Treebank.from_words([["don’t", "go"], ["a"]])
    known = with_normal_forms(written)
    assert known.texts("form") == ["don't", "go", "a"]
    assert written.texts("form") == ["don’t", "go", "a"]
    assert with_normal_forms(known) is known
