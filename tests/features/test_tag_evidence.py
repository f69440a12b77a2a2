"""What a dictionary says of the tags of words that training data lack."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.features.lemma_rules import Dictionary, Lexicon, Rules
from crossarc.features.tag_evidence import DictionaryKinds, TagEvidence, TagEvidenceError

#: Combinations, by their numbers.
SINGULAR, PLURAL, PAST, NAME = range(4)
LISTED = {"NOUN": "cat\ndog\ngoose\nmouse\nwalk\nfan", "VERB": "walk\nweep\ntalk\nfan"}
EXCEPTIONS = {"NOUN": {"geese": ["goose"], "mice": ["mouse"]}, "VERB": {"wept": ["weep"], "fan": ["fan"]}}
ENDINGS = {"NOUN": {"s": [""], "": [""]}, "VERB": {"ed": [""], "s": [""]}}


@pytest.fixture(scope="module")
def dictionary() -> DictionaryKinds:
    return DictionaryKinds(Lexicon({}, LISTED, EXCEPTIONS), Rules({}, ENDINGS))


@pytest.fixture(scope="module")
def evidence(dictionary: DictionaryKinds) -> TagEvidence:
    forms = {
        **{form: {SINGULAR: 1} for form in ("cat", "dog", "goose", "mouse", "brill", "tove")},
        **{form: {PLURAL: 3} for form in ("cats", "dogs", "geese", "mice")},
        **{form: {PAST: 2} for form in ("walked", "talked", "wept")},
        "walks": {PLURAL: 1, PAST: 1},
        **{form: {NAME: 5} for form in ("Ann", "Ben", "Zoe", "12")},
    }
    return TagEvidence.learn(forms, 4, dictionary)


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ("dog", "NOUN:l"),
        ("Dogs", "NOUN:i"),
        ("geese", "NOUN:x"),
        ("wept", "VERB:x"),
        ("walks", "NOUN:i VERB:i"),
        ("fan", "NOUN:l VERB:l"),  # an exception that is the form itself is none
        ("tove", ""),
    ],
)
def test_what_a_dictionary_says_of_forms(dictionary: DictionaryKinds, form: str, says: str) -> None:
    assert dictionary.of_form(form) == dictionary.of_form(form) == says


def test_endings_that_inflected_forms_have(evidence: TagEvidence) -> None:
    assert evidence.endings == ("ed", "s")


def test_kinds_are_likelier_to_have_the_tags_of_their_forms(dictionary: DictionaryKinds, evidence: TagEvidence) -> None:
    def best(form: str) -> int:
        return int(evidence.scores[evidence.kind(form, dictionary)].argmax())

    assert best("geese") == PLURAL and best("dog") == SINGULAR
    assert evidence.kind("wept", dictionary) == -1  # one form alone makes no kind
    assert evidence.kind("...", dictionary) == evidence.kind("12", dictionary) == -1
    assert best("Sue") == NAME


def test_every_form_counts_once_and_evidence_is_a_ratio(dictionary: DictionaryKinds, evidence: TagEvidence) -> None:
    """Against the definition, for nouns: of nine forms in small letters without endings six are singular."""
    case = np.array([6, 4.5, 3.5, 0]) + 0.02
    usual = (np.array([6, 2, 1, 0]) + 2 * case / case.sum()) / 11
    expected = 1.25 * np.log((np.array([4, 0, 0, 0]) + 2 * usual) / 6 / usual)
    scores = evidence.scores[evidence.kind("dog", dictionary)]
    assert np.allclose(scores, expected, atol=0.006)


def test_known_forms_have_no_kind(dictionary: DictionaryKinds, evidence: TagEvidence) -> None:
    kinds = evidence.kinds_of(["geese", "Geese", "mice", "dog", "cat"], {"geese", "Dog"}, dictionary)
    assert (kinds[[0, 1, 3]] == -1).all() and (kinds[[2, 4]] >= 0).all()


def test_it_stays_the_same_in_files(evidence: TagEvidence) -> None:
    again = TagEvidence.from_dict(evidence.to_dict(), 4)
    assert again.kinds == evidence.kinds and again.endings == evidence.endings
    assert np.allclose(again.scores, evidence.scores, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kinds", 5),
        ("endings", [1]),
        ("usual", ["a"]),
        ("usual", [0.5]),
        ("indices", [[9]]),
        ("others", [[1]]),
        ("usual", [float("nan")]),
    ],
)
def test_damaged_evidence_is_refused(evidence: TagEvidence, name: str, value: Any) -> None:
    data = copy.deepcopy(evidence.to_dict())
    whole = isinstance(value, list) and name != "endings" and value != [0.5]
    data[name] = value * len(evidence.kinds) if whole else value
    with pytest.raises(TagEvidenceError, match="evidence for tags"):
        TagEvidence.from_dict(data, 4)


def test_models_with_a_dictionary_tag_unseen_words_by_it() -> None:
    english = xa.load("en")
    parser = english.parser
    assert isinstance(parser, xa.GraphParser) and parser.trained is not None
    assert parser.trained.tags.evidence is not None
    parsed = english.parse(xa.Treebank.from_words([["The", "geese", "flew", "over", "the", "lake", "."]]))
    assert (parsed[0][1].xpos, parsed[0][1].lemma) == ("NNS", "goose")
    given = xa.Treebank.from_words([["The", "geese", "flew", "."]]).replace(xpos=["_", "NN", "_", "_"])
    assert english.parse(given)[0][1].xpos == "NN"


def test_without_a_dictionary_there_is_none() -> None:
    treebank = xa.sample(60, seed=1)
    parser = xa.GraphParser(network=xa.Biaffine(hidden_size=8, layers=1), predict=("upos", "xpos", "lemma"))
    parser.train(treebank, epochs=1)
    parser.learn_lemmas(treebank)
    assert parser.trained is not None and parser.trained.tags.evidence is None
    words = {"NOUN": list(treebank.inventory("lemma"))}
    parser.learn_lemmas(treebank, Dictionary(words, {}))
    assert parser.trained.tags.evidence is not None
