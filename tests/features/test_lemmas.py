"""Edit scripts of lemmas: they give back what they were made of, are the same for words alike, and are remembered."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossarc as xa
from crossarc.features.lemmas import LemmaScripts, LemmasError, apply_script, edit_script

_TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)


def treebank_of(rows: list[tuple[str, str, str]]) -> xa.Treebank:
    forms, upos, lemmas = (list(column) for column in zip(*rows, strict=True))
    return xa.Treebank.from_columns(forms, upos=upos, lemma=lemmas, lengths=[len(forms)])


@given(_TEXT, _TEXT)
def test_a_script_gives_the_lemma_that_it_was_made_of(form: str, lemma: str) -> None:
    assert apply_script(form, edit_script(form, lemma)) == lemma


@given(_TEXT, _TEXT, _TEXT)
def test_a_script_gives_every_form_a_lemma(form: str, lemma: str, other: str) -> None:
    assert apply_script(other, edit_script(form, lemma))


@pytest.mark.parametrize(
    ("form", "lemma", "other", "expected"),
    [
        ("Walked", "walk", "talked", "talk"),
        ("studies", "study", "Cities", "city"),
        ("Google", "Google", "iPhone", "iPhone"),
        ("GOOGLE", "Google", "NASDAQ", "Nasdaq"),
        ("was", "be", "Was", "be"),
        ("gesehen", "sehen", "gelaufen", "laufen"),
        ("ἀνθρώπου", "ἄνθρωπος", "ἀνθρώπου", "ἄνθρωπος"),
        ("λόγον", "λόγος", "νόμον", "νόμος"),
    ],
)
def test_words_that_are_inflected_alike_have_one_script(form: str, lemma: str, other: str, expected: str) -> None:
    assert apply_script(other, edit_script(form, lemma)) == expected


def test_an_accent_that_changes_is_one_script() -> None:
    """Marks are characters of their own: the same script for all letters."""
    assert edit_script("τὸν", "τόν") == edit_script("καὶν", "καίν")
    lemma = apply_script(unicodedata.normalize("NFD", "καὶ"), edit_script("δὲ", "δέ"))
    assert lemma == "καί" and unicodedata.is_normalized("NFC", lemma)


@pytest.mark.parametrize("form", ["λόγος", "λόγοσ", "λόγο\u03f2", unicodedata.normalize("NFD", "λόγο\u03f2")])
def test_lemmas_have_the_usual_sigmas_however_forms_are_written(form: str) -> None:
    scripts = LemmaScripts.fit(treebank_of([("λόγος", "NOUN", "λόγος"), ("σοφός", "ADJ", "σοφός")]))
    assert scripts.lemmas([form], ["NOUN"], [0]) == ["λόγος"]
    assert scripts.lemmas(["\u03f2οφό\u03f2", "\u03f9οφό\u03f2", "σ"], ["X"] * 3, [0] * 3) == ["σοφός", "σοφός", "σ"]


def test_a_script_that_does_not_fit_leaves_the_form() -> None:
    assert apply_script("a", edit_script("walking", "walk")) == "a"


def test_classes_are_the_scripts_that_occur_often_enough() -> None:
    rows = [("dogs", "NOUN", "dog"), ("cats", "NOUN", "cat"), ("went", "VERB", "go"), ("x", "X", "_"), ("a", "X", "a")]
    treebank = treebank_of(rows)
    scripts = LemmaScripts.fit(treebank)
    assert scripts.count == 1
    classes = scripts.classes(treebank)
    assert classes.tolist() == [0, 0, -1, -1, -1]
    assert scripts.lemma("trees", 0) == "tree"
    assert LemmaScripts.fit(treebank, least=1).count == 3
    assert LemmaScripts.fit(treebank, least=1, most=2).count == 2


def test_the_memory_knows_forms_by_their_part_of_speech() -> None:
    rows = [("saw", "NOUN", "saw"), ("saw", "VERB", "see"), ("’s", "AUX", "be"), ("'s", "AUX", "have")]
    rows += [("don’t", "X", "do not")] * 2 + [("dogs", "NOUN", "dog")] * 2
    scripts = LemmaScripts.fit(treebank_of(rows))
    plural = scripts.classes(treebank_of(rows))[-1]
    found = scripts.lemmas(["saw", "saw", "don't"], ["NOUN", "VERB", "X"], [plural] * 3)
    assert found == ["saw", "see", "do not"]
    assert scripts.lemmas(["don't", "saw"], ["VERB", "ADJ"], [plural] * 2) == ["do not", "sa"]
    # What is not known, or had several lemmas, gets what the class says.
    assert scripts.lemmas(["trees", "'s"], ["NOUN", "AUX"], [plural] * 2) == ["tree", "'"]


def test_one_odd_word_does_not_speak_for_a_form_that_has_several_lemmas() -> None:
    rows = [("left", "ADJ", "left"), ("left", "ADJ", "leave"), ("left", "VERB", "leave")]
    rows += [("dogs", "NOUN", "dog")] * 2
    scripts = LemmaScripts.fit(treebank_of(rows))
    plural = scripts.classes(treebank_of(rows))[-1]
    assert scripts.lemmas(["left"] * 3, ["VERB", "ADJ", "NOUN"], [plural] * 3) == ["leave", "lef", "lef"]


def test_they_are_the_same_again_from_plain_data() -> None:
    scripts = LemmaScripts.fit(xa.sample(100, seed=1))
    again = LemmaScripts.from_dict(scripts.to_dict())
    assert (again.scripts, again.count, again.memory) == (scripts.scripts, scripts.count, scripts.memory)


@pytest.mark.parametrize(
    "change",
    [
        {"scripts": ["l\t"]},
        {"scripts": ["z\t\t"]},
        {"scripts": ["="]},
        {"scripts": ["=a\nb"]},
        {"scripts": ["= ", "l\t\t"]},
        {"scripts": ["=a ", "l\t\t"]},
        {"scripts": ["k\t a\t", "l\t\t"]},
        {"scripts": ["k\t\ta ", "l\t\t"]},
        {"scripts": ["=a", "=a"]},
        {"scripts": [1]},
        {"scripts": "l"},
        {"classes": 0},
        {"classes": 3},
        {"classes": None},
        {"memory": {"NOUN": {"a": 2}}},
        {"memory": {"NOUN": {"a": -2}}},
        {"memory": {"NOUN": ["a"]}},
        {"memory": None},
    ],
)
def test_what_is_no_script_is_refused(change: dict[str, object]) -> None:
    data = {"scripts": ["=a", "l\t\t"], "classes": 1, "memory": {"NOUN": {"a": 1}}}
    LemmaScripts.from_dict(data)
    with pytest.raises(LemmasError):
        LemmaScripts.from_dict(data | change)


def test_a_final_sigma_stands_at_the_end() -> None:
    script = edit_script("\u03c5\u03c8\u03bf\u03c3", "\u03c5\u03c8\u03bf\u03c3\u03b5")
    assert apply_script("\u03c5\u03c8\u03bf\u03c2", script) == "\u03c5\u03c8\u03bf\u03c3\u03b5"
