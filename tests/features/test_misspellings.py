"""Misspelt words: which are taken for other words, which are left alone, and what the treebank has in the end."""

from __future__ import annotations

import pytest

import crossarc as xa
from crossarc.features.lemma_rules import ANY_PART, Dictionary
from crossarc.features.lemmas import LemmaScripts
from crossarc.features.misspellings import Misspellings

#: Forms, lemmas and parts of speech of training data; each occurs twelve times.
WORDS = [
    ("because", "because", "SCONJ"),
    ("people", "people", "NOUN"),
    ("friends", "friend", "NOUN"),
    ("friend", "friend", "NOUN"),
    ("walked", "walk", "VERB"),
    ("walks", "walk", "VERB"),
    ("going", "go", "VERB"),
    ("very", "very", "ADV"),
    ("costs", "cost", "NOUN"),
    ("explained", "explain", "VERB"),
    ("they", "they", "PRON"),
    ("London", "London", "PROPN"),
    ("1", "1", "NUM"),
]


def treebank(words: list[tuple[str, str, str]]) -> xa.Treebank:
    form, lemma, upos = (list(column) for column in zip(*words, strict=True))
    return xa.Treebank.from_columns(form=form, lemma=lemma, upos=upos, lengths=[len(words)])


def learnt(forms: tuple[str, ...] = ()) -> LemmaScripts:
    dictionary = Dictionary({"NOUN": ["crowd", "beach"]}, {ANY_PART: {"govt": ["government"]}}, forms)
    train = treebank(WORDS * 12)
    return LemmaScripts.fit(train).with_lemmatiser(train, dictionary)


def recogniser(lemmas: LemmaScripts) -> Misspellings:
    assert lemmas.misspellings is not None
    return lemmas.misspellings


@pytest.fixture(scope="module")
def misspellings() -> Misspellings:
    return recogniser(learnt())


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("beacuse", "because"),
        ("peopel", "people"),
        ("freinds", "friends"),
        ("walkd", "walked"),
        ("goin", "going"),
        ("theyy", "they"),
        ("veryyyyy", "very"),
        ("VERYYYY", "very"),
    ],
)
def test_a_slip_of_the_pen_is_read_as_the_word_that_is_meant(
    misspellings: Misspellings, written: str, meant: str
) -> None:
    assert misspellings.meant(written) == meant


@pytest.mark.parametrize(
    "form",
    [
        "because",  # known
        "crowd",  # of the dictionary
        "crowds",  # by a rule
        "govt",  # an abbreviation
        "Peopel",  # perhaps a name
        "PEOPEL",
        "londn",  # nothing is taken for a name
        "explainer",  # an ending
        "walkers",
        "eople",  # begins otherwise
        "vry",  # short
        "co-sts",
        "péople",
        "12",
        "zzzz",
    ],
)
def test_other_words_are_left_alone(misspellings: Misspellings, form: str) -> None:
    assert misspellings.meant(form) == form


def test_words_that_texts_have_often_are_not_misspelt() -> None:
    assert recogniser(learnt()).meant("coosts") == "costs"
    lemmas = learnt(forms=("coosts", "walks", "crowds"))
    assert lemmas.lemmatiser is not None
    assert lemmas.lemmatiser.lexicon.frequent_forms == {"coosts"}  # the others look like what they are
    again = LemmaScripts.from_dict(lemmas.to_dict())
    assert recogniser(again).meant("coosts") == "coosts"


def test_a_treebank_keeps_its_forms(misspellings: Misspellings) -> None:
    before = xa.Treebank.from_words([["peopel", "walked", "beacuse"], ["they", "peopel"]])
    read = misspellings.read(before)
    assert read.texts("form") == ["people", "walked", "because", "they", "people"]
    after = misspellings.written(read.replace(upos=["X"] * 5), before)
    assert after.texts("form") == before.texts("form") and after.texts("upos") == ["X"] * 5
    right = xa.Treebank.from_words([["they", "walked"]])
    assert misspellings.read(right) is right and misspellings.written(right, right) is right
    empty = xa.Treebank.from_words([])
    assert misspellings.written(misspellings.read(empty), empty).words == 0


def test_without_a_dictionary_nothing_is_recognised() -> None:
    train = treebank(WORDS * 12)
    assert LemmaScripts.fit(train).misspellings is None
    assert LemmaScripts.fit(train).with_lemmatiser(train).misspellings is None


def test_the_embedded_model_reads_misspelt_words() -> None:
    nlp = xa.load("en")
    assert isinstance(nlp, xa.Pipeline)
    right, wrong = (nlp(f"I stayed home {word} I was ill .") for word in ("because", "beacuse"))
    assert wrong.texts("form")[3] == "beacuse"
    for column in ("upos", "xpos", "lemma", "deprel"):
        assert wrong.texts(column) == right.texts(column)
    assert wrong.head.tolist() == right.head.tolist()
