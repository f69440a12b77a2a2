"""The lemmatiser finds lemmas of forms that were never seen, spells them, is deterministic, and survives a file."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossarc as xa
from crossarc.features.lemma_rules import ANY_PART, Dictionary, Lexicon, Word, bare, learnt_rules, letters_and_accents
from crossarc.features.lemma_spelling import accent_of, with_accent
from crossarc.features.lemmas import LemmaScripts
from crossarc.features.lemmatiser import Lemmatiser, LemmatiserError
from crossarc.features.misspellings import corrections
from crossarc.features.ranking import Ranker, hashes, minimised

_VERBS = "walk talk jump call look turn help open play stay add ask burn clean cook bake use move like hope judge"
_NOUNS = "dog cat tree book boat bird hand song week word car house city lady baby party story"
_NAMES = "Berlin Paris Anna Peter Rome Oslo"


def plural(noun: str) -> str:
    return noun[:-1] + "ies" if noun.endswith("y") else noun + "s"


@lru_cache
def treebank() -> xa.Treebank:
    rows = [(form, "VERB", "VBD", lemma) for lemma in _VERBS.split() for form in (lemma.removesuffix("e") + "ed",)]
    rows += [(lemma, "VERB", "VB", lemma) for lemma in _VERBS.split()]
    rows += [(plural(lemma), "NOUN", "NNS", lemma) for lemma in _NOUNS.split()]
    rows += [(plural(lemma).capitalize(), "NOUN", "NNS", lemma) for lemma in _NOUNS.split()[:9]]
    rows += [(lemma, "NOUN", "NN", lemma) for lemma in _NOUNS.split()]
    rows += [(name, "PROPN", "NNP", name) for name in _NAMES.split()]
    rows += [("saw", "VERB", "VBD", "see")] * 3 + [("saw", "VERB", "VBD", "saw")] * 2 + [("saw", "NOUN", "NN", "saw")]
    forms, upos, xpos, lemmas = (list(column) for column in zip(*rows, strict=True))
    return xa.Treebank.from_columns(forms, upos=upos, xpos=xpos, lemma=lemmas, lengths=[len(forms)])


@lru_cache
def scripts() -> LemmaScripts:
    known = Dictionary({"NOUN": ["foot", "tooth", "fox"], "VERB": ["trudge"]}, {"NOUN": {"feet": ["foot"]}})
    return LemmaScripts.fit(treebank()).with_lemmatiser(treebank(), known)


def lemma(form: str, upos: str, xpos: str) -> str:
    (found,) = scripts().lemmas([form], [upos], [0], [xpos])
    return found


@pytest.mark.parametrize(
    ("form", "upos", "xpos", "expected"),
    [
        ("parked", "VERB", "VBD", "park"),
        ("stories", "NOUN", "NNS", "story"),
        ("Ponies", "NOUN", "NNS", "pony"),
        ("Words", "NOUN", "NNS", "word"),
        ("feet", "NOUN", "NNS", "foot"),
        ("Madrid", "PROPN", "NNP", "Madrid"),
        ("trudged", "VERB", "VBD", "trudge"),
        ("1984", "NUM", "CD", "1984"),
    ],
)
def test_lemmas_of_unseen_forms(form: str, upos: str, xpos: str, expected: str) -> None:
    assert lemma(form, upos, xpos) == expected


def test_capitals_are_those_that_tags_say_whatever_the_form_was_seen_as() -> None:
    rows = [(f"Name{number}", "PROPN", "NNP", f"Name{number}") for number in range(30)]
    rows += [(f"Thing{number}", "NOUN", "NN", f"thing{number}") for number in range(30)]
    rows += [(f"Part{number}", "ADJ", "NNP", f"Part{number}") for number in range(30)]
    rows += [("superior", "ADJ", "JJ", "superior")] * 5
    forms, upos, xpos, lemmas = (list(column) for column in zip(*rows, strict=True))
    words = xa.Treebank.from_columns(forms, upos=upos, xpos=xpos, lemma=lemmas, lengths=[len(forms)])
    known = LemmaScripts.fit(words).with_lemmatiser(words)
    assert known.lemmas(["Superior"] * 2, ["ADJ"] * 2, [0, 0], ["NNP", "JJ"]) == ["Superior", "superior"]
    assert known.lemmas(["Thing3", "Thing3"], ["NOUN"] * 2, [0, 0], ["NN", "NNP"]) == ["thing3", "Thing3"]


def test_a_capital_that_a_word_had_by_its_tag_is_not_remembered() -> None:
    """Raw in the name of a show, and raw data; words that are known from names alone keep what they had there."""
    rows = [(f"Name{number}", "ADJ", "NNP", f"Name{number}") for number in range(30)]
    rows += [(f"Plain{number}", "ADJ", "JJ", f"plain{number}") for number in range(30)]
    rows += [("American", "ADJ", "JJ", "American")] * 3 + [("American", "ADJ", "NNP", "American")] * 9
    rows += [("Raw", "ADJ", "NNP", "Raw")] * 9 + [("raw", "ADJ", "JJ", "raw"), ("Dark", "ADJ", "JJ", "dark")]
    forms, upos, xpos, lemmas = (list(column) for column in zip(*rows, strict=True))
    words = xa.Treebank.from_columns(forms, upos=upos, xpos=xpos, lemma=lemmas, lengths=[len(forms)])
    known = LemmaScripts.fit(words).with_lemmatiser(words)
    seen = ["Raw", "Raw", "American", "Name3", "Dark"]
    expected = ["raw", "Raw", "American", "Name3", "Dark"]
    assert known.lemmas(seen, ["ADJ"] * 5, [0] * 5, ["JJ", "NNP", "JJ", "JJ", "NNP"]) == expected


def test_numbers_lose_the_marks_that_lemmas_leave_out() -> None:
    forms = [f"{number},{number + 100}" for number in range(1, 31)] + [f"{number}.5" for number in range(1, 31)]
    lemmas = [form.replace(",", "") for form in forms]
    words = xa.Treebank.from_columns(forms, upos=["NUM"] * 60, xpos=["CD"] * 60, lemma=lemmas, lengths=[60])
    known = LemmaScripts.fit(words).with_lemmatiser(words)
    assert known.lemmas(["12,000", "1,000.5"], ["NUM"] * 2, [0, 0], ["CD"] * 2) == ["12000", "1000.5"]
    # A comma with other than three digits behind it is no mark of thousands.
    numbers = {"1,234,567": "1234567", "1,234.5": "1234.5", "$1,000": "$1000"}
    numbers |= {same: same for same in ("3,40", "1,00,000", "1,234,56", "1,2345")}
    count = len(numbers)
    assert known.lemmas(list(numbers), ["NUM"] * count, [0] * count, ["CD"] * count) == list(numbers.values())


def test_misspelt_words_have_the_lemmas_of_those_that_are_meant_if_a_dictionary_knows_the_others() -> None:
    rows = [(noun[:2] + noun[1:], "NOUN", "NN", noun) for noun in _NOUNS.split() if len(noun) > 3]
    forms, upos, xpos, lemmas = (list(column) for column in zip(*rows, strict=True))
    slips = xa.Treebank.from_columns(forms, upos=upos, xpos=xpos, lemma=lemmas, lengths=[len(forms)])
    words = treebank() + slips
    dictionary = Dictionary({"NOUN": [*_NOUNS.split(), "castle", "cattle"]}, {})
    known = LemmaScripts.fit(words).with_lemmatiser(words, dictionary)
    # A letter too many is what the training data have; cattle, a known word, stays.
    assert known.lemmas(["caastle", "cattle"], ["NOUN"] * 2, [0, 0], ["NN"] * 2) == ["castle", "cattle"]
    without = LemmaScripts.fit(words).with_lemmatiser(words)
    assert without.lemmas(["caastle"], ["NOUN"], [0], ["NN"]) == ["caastle"]


def test_abbreviations_have_the_lemma_of_their_word_whatever_their_tag() -> None:
    words = treebank()
    known = LemmaScripts.fit(words).with_lemmatiser(
        words, Dictionary({"NOUN": ["castle"]}, {ANY_PART: {"b/c": ["because"], "hrs": ["hour"]}})
    )
    forms = ["b/c", "hrs", "Hrs", "HRS"]
    lemmas = known.lemmas(forms, ["NOUN", "NOUN", "NOUN", "PROPN"], [0] * 4, ["NN", "NNS", "NNS", "NNP"])
    assert lemmas[:3] == ["because", "hour", "hour"] and lemmas[3] != "hour"  # perhaps a name


def test_a_dictionary_may_have_capitals() -> None:
    rows = [(form, "ADJ", "JJ", form) for form in ("Danish", "Greek", "Roman", "Swiss", "Dutch", "Irish")] * 2
    rows += [(form, "ADJ", "JJ", form.lower()) for form in ("Small", "Green", "Open", "New", "Old", "Good")] * 2
    forms, upos, xpos, lemmas = (list(column) for column in zip(*rows, strict=True))
    words = treebank() + xa.Treebank.from_columns(forms, upos=upos, xpos=xpos, lemma=lemmas, lengths=[len(forms)])
    adjectives = ["Danish", "Greek", "Roman", "Swiss", "Dutch", "Irish", "Scottish", "small", "green", "open", "tall"]
    known = LemmaScripts.fit(words).with_lemmatiser(words, Dictionary({"ADJ": adjectives}, {}))
    assert known.lemmas(["Scottish", "Tall"], ["ADJ"] * 2, [0, 0], ["JJ"] * 2) == ["Scottish", "tall"]


@given(st.lists(st.text("aBÉé1-", min_size=1, max_size=4), max_size=6))
def test_words_of_a_dictionary_with_capitals_are_known_by_small_letters(words: list[str]) -> None:
    lexicon = Lexicon({}, {"NOUN": "\n".join(words)})
    assert lexicon.capitals["NOUN"] == {bare(word): word for word in words if bare(word) != word}


def test_capitals_within_a_form_stay_where_lemmas_keep_them() -> None:
    firsts, nouns = ("TV", "EF", "DM", "FN"), ("kamp", "serie", "land", "finale", "soldat", "hold")
    rows = [(f"{first}-{noun}er", "NOUN", "NN", f"{first}-{noun}") for first in firsts for noun in nouns]
    forms, upos, xpos, lemmas = (list(column) for column in zip(*rows, strict=True))
    words = xa.Treebank.from_columns(forms, upos=upos, xpos=xpos, lemma=lemmas, lengths=[len(forms)])
    known = LemmaScripts.fit(words).with_lemmatiser(words)
    assert known.lemmas(["GfK-kasser"], ["NOUN"], [0], ["NN"]) == ["GfK-kass"]


@pytest.mark.parametrize(("followed", "lemma"), [(True, "crisium"), (False, "crisia")])
def test_exceptions_hold_where_tags_have_followed_them(followed: bool, lemma: str) -> None:
    irregular = {"feet": "foot", "geese": "goose", "mice": "mouse", "men": "man", "teeth": "tooth"}
    rows = [(form, "NNS", noun if followed else form) for form, noun in irregular.items()]
    rows += [(plural(noun), "NNS", noun) for noun in _NOUNS.split()] + [(noun, "NN", noun) for noun in _NOUNS.split()]
    forms, xpos, lemmas = (list(column) for column in zip(*rows, strict=True))
    words = xa.Treebank.from_columns(forms, upos=["NOUN"] * len(forms), xpos=xpos, lemma=lemmas, lengths=[len(forms)])
    exceptions = {form: [noun] for form, noun in irregular.items()} | {"crisia": ["crisium"]}
    dictionary = Dictionary({"NOUN": ["foot"]}, {"NOUN": exceptions})
    known = LemmaScripts.fit(words).with_lemmatiser(words, dictionary)
    assert known.lemmatiser is not None
    assert known.lemmatiser.habits.excepted == ({"NNS"} if followed else set())
    again = Lemmatiser.from_dict(json.loads(json.dumps(known.lemmatiser.to_dict())))
    for one in (known.lemmatiser, again):
        assert one.lemmas([(Word("Crisia", "NOUN", "NNS"), ())]) == [lemma]
        # The dictionary has no such lemma, whatever the tag.
        assert one.lemmas([(Word("Crisia", "NOUN", "NN"), ())]) == [lemma]


def test_corrections_are_one_slip_away() -> None:
    known = {"length", "so", "soon", "form", "from", "first"}
    assert corrections("lenght", known) == {"length": "exchanged"}
    assert corrections("soooon", known) == {"soon": "run"}
    assert corrections("frm", known) == {} and corrections("fisrst", known) == {"first": "added"}
    assert corrections("örst", known) == {}


def test_lemmatisers_of_older_files_have_no_habits_and_correct_nothing() -> None:
    known = scripts().lemmatiser
    assert known is not None
    data = {key: value for key, value in known.to_dict().items() if key not in ("habits", "forms")}
    old = Lemmatiser.from_dict(data)
    assert not old.habits.capitals and not old.habits.corrected
    with pytest.raises(LemmatiserError, match="habits"):
        Lemmatiser.from_dict({**data, "habits": {"capitals": {"NOUN": 1}}})
    with pytest.raises(LemmatiserError, match="habits"):
        Lemmatiser.from_dict({**data, "habits": {**known.habits.to_dict(), "excepted": [1]}})
    with pytest.raises(LemmatiserError, match="forms"):
        Lemmatiser.from_dict({**data, "forms": [1]})


def test_a_form_with_several_lemmas_has_that_of_the_network_if_it_was_one_of_them() -> None:
    known = scripts()
    assert known.lemmatiser is not None
    assert known.lemmatiser.choices["VERB"]["saw"] == ["see", "saw"]
    assert known.lemmatiser.chosen("saw", "VERB", "saw") == "saw"
    assert known.lemmatiser.chosen("saw", "VERB", "sa") == "see"


def test_a_form_whose_lemmas_are_all_rare_is_left_to_the_network() -> None:
    lemmas = ["a", "a", "b", "b", "c", "c", "d", "d"]
    words = xa.Treebank.from_columns(["x"] * 8, upos=["X"] * 8, lemma=lemmas, lengths=[8])
    known = LemmaScripts.fit(words).with_lemmatiser(words)
    assert known.memory == {"X": {"x": -1}}
    assert known.lemmatiser is not None and known.lemmatiser.choices == {"X": {"x": ["a", "b", "c", "d"]}}


def test_slips_are_not_remembered() -> None:
    lemmas = ["foot"] * 16 + ["feet"] * 2
    words = xa.Treebank.from_columns(["feet"] * 18, upos=["NOUN"] * 18, lemma=lemmas, lengths=[18])
    assert LemmaScripts.fit(words).with_lemmatiser(words).lemmas(["feet"], ["NOUN"], [0]) == ["foot"]


def test_the_same_words_give_the_same_file_and_a_file_the_same_lemmas() -> None:
    again = LemmaScripts.fit(treebank()).with_lemmatiser(
        treebank(), Dictionary({"NOUN": ["foot", "tooth", "fox"], "VERB": ["trudge"]}, {"NOUN": {"feet": ["foot"]}})
    )
    data = json.dumps(scripts().to_dict())
    assert json.dumps(again.to_dict()) == data
    restored = LemmaScripts.from_dict(json.loads(data))
    words = (
        ["parked", "foxes", "Ponies", "Madrid"],
        ["VERB", "NOUN", "NOUN", "PROPN"],
        [0] * 4,
        ["VBD", "NNS", "NNS", "NNP"],
    )
    assert restored.lemmas(*words) == scripts().lemmas(*words)


@pytest.mark.parametrize(
    "change",
    [{"weights": ["", ""]}, {"scales": [1, 2]}, {"counts": {"NOUN": {"a": "b"}}}, {"endings": [1]}, {"choices": None}],
)
def test_what_is_no_lemmatiser_is_refused(change: dict[str, Any]) -> None:
    known = scripts().lemmatiser
    assert known is not None
    with pytest.raises(LemmatiserError):
        Lemmatiser.from_dict({**known.to_dict(), **change})
    with pytest.raises(LemmatiserError):
        Lemmatiser.from_dict([])


def test_rules_replace_a_beginning_and_an_ending() -> None:
    words = [("ε" + stem + "σε", "VERB", stem + "ζω") for stem in ("θαυμα", "νομι", "παι", "αρπα")]
    rules = learnt_rules(words)
    assert rules.beginnings["VERB"]["ε"] == [""] and rules.endings["VERB"]["σε"] == ["ζω"]


@pytest.mark.parametrize(
    "word", ["ἄνθρωπος", "λόγος", "σοφός", "γίγνομαι", "κεῖμαι", "ὁδοῦ", "ᾠδή", "προΐστημι", "τιμῶν"]
)
def test_accents_are_taken_off_and_put_on_again(word: str) -> None:
    letters = bare(word)
    assert not set(unicodedata.normalize("NFD", letters)) & set("\u0300\u0301\u0342")
    assert with_accent(letters, accent_of(word)) == word


@pytest.mark.parametrize("word", ["psíquico", "zénite", "śakti", "bád", "mûr", "pĺznuť"])
def test_accents_of_other_scripts_are_spelling(word: str) -> None:
    assert accent_of(word) == "" and with_accent(bare(word), "") == word


def test_an_accent_on_a_word_too_short_for_it_is_left_out() -> None:
    assert with_accent("τισ", "3\u0301") == "τις"


def test_the_least_of_a_convex_function_is_found() -> None:
    centre, steepness = np.array([1.0, -2.0, 30.0]), np.array([1.0, 10.0, 0.1])

    def cost(at: Any) -> tuple[float, Any]:
        return float((steepness * (at - centre) ** 2).sum()), 2 * steepness * (at - centre)

    assert np.allclose(minimised(cost, np.zeros(3), 100), centre, atol=0.05)


def test_a_ranker_learns_which_candidate_is_right() -> None:
    features = np.stack(
        [hashes(pair) for pair in [("good", "long"), ("bad", "long"), ("good", "short"), ("bad", "short")]]
    )
    of_word, right = np.array([0, 0, 1, 1], np.int32), np.array([True, False, True, False])
    ranker = Ranker.learn(features, of_word, right, bits=10, decay=0.01)
    scores = ranker.scores(features)
    assert scores[0] > scores[1] and scores[2] > scores[3]


#: Letters of both scripts, accents, and other marks, also such as are no accents or join nothing.
_MARKED = "aéñσςΣάᾷἌ·\u0300\u0301\u0342\u0345\u0313\u034f\u0483\u1dc0\u0591"


@given(st.text(st.sampled_from(_MARKED) | st.characters(), max_size=8))
def test_bare_letters_lack_the_accents_of_greek_alone(text: str) -> None:
    letters = "".join(letter for letter, is_accent in letters_and_accents(text) if not is_accent)
    assert bare(text) == letters.replace("ς", "σ")


#: Verbs, of which two have the past of another as their own form.
_LISTED = Dictionary({"VERB": ["fell", "found", "wan", *_VERBS.split()], "NOUN": _NOUNS.split()}, {})


def taught(
    rows: list[tuple[str, str, str, str]],
    feats: Sequence[str] = (),
    head: Sequence[int] = (),
    deprel: Sequence[str] = (),
) -> LemmaScripts:
    """Return what words with UPOS, XPOS and lemma teach, beside verbs and nouns that teach what is usual."""
    usual = [(lemma, "VERB", "VB", lemma) for lemma in _VERBS.split()] * 6
    usual += [(f"{lemma}s", "VERB", "VBZ", lemma) for lemma in _VERBS.split()[10:]]
    usual += [(lemma.removesuffix("e") + "ed", "VERB", "VBD", lemma) for lemma in _VERBS.split()]
    usual += [(plural(noun), "NOUN", "NNS", noun) for noun in _NOUNS.split()]
    usual += [(noun, "NOUN", "NN", noun) for noun in _NOUNS.split()] * 2
    usual += [(f"{name}{letter}s", "PROPN", "NNP", f"{name}{letter}s") for name in _NAMES.split() for letter in "abcd"]
    forms, upos, xpos, lemmas = (list(column) for column in zip(*rows, *usual, strict=True))
    words = xa.Treebank.from_columns(
        forms,
        upos=upos,
        xpos=xpos,
        lemma=lemmas,
        feats=[*(feats or ["_"] * len(rows)), *["_"] * len(usual)],
        head=[*(head or [0] * len(rows)), *[0] * len(usual)],
        deprel=[*(deprel or ["root"] * len(rows)), *["root"] * len(usual)],
        lengths=[len(rows), *[1] * len(usual)],
    )
    return LemmaScripts.fit(words).with_lemmatiser(words, _LISTED)


def test_what_tags_say_is_not_inflected_is_its_own_lemma() -> None:
    """To fell is no past of fall, Frances and CMS are no plurals; want is the lemma of wan whatever its tag."""
    rows = [("fell", "VERB", "VBD", "fall")] * 9 + [("wan", "VERB", "VB", "want")]
    known = taught(rows)
    words = [("fell", "VERB", "VBD", "fall"), ("fell", "VERB", "VB", "fell"), ("found", "VERB", "VB", "found")]
    words += [("wan", "VERB", "VB", "want"), ("Parises", "PROPN", "NNP", "Parises"), ("RATS", "NOUN", "NN", "rats")]
    words += [("RATS", "NOUN", "NNS", "rat")]
    again = LemmaScripts.from_dict(json.loads(json.dumps(known.to_dict())))
    forms, upos, xpos, lemmas = (list(column) for column in zip(*words, strict=True))
    for one in (known, again):
        assert one.lemmas(forms, upos, [0] * len(forms), xpos) == lemmas


def test_parts_of_words_that_were_written_apart_teach_no_lemma() -> None:
    rows = [
        ("Romo", "PROPN", "NNP", "Romo@example.org"),
        ("@example.org", "X", "ADD", "_"),
        ("Romo", "PROPN", "NNP", "Romo"),
    ]
    known = taught(rows, head=[0, 1, 1], deprel=["root", "goeswith", "flat"])
    assert known.lemmas(["Romo"], ["PROPN"], [0], ["NNP"]) == ["Romo"]
    alone = taught(rows[:2], head=[0, 1], deprel=["root", "goeswith"])
    assert "Romo" not in alone.memory["PROPN"]


@pytest.mark.parametrize(
    ("form", "meant", "lemma"),
    [("walks", "talk", "walk"), ("baked", "back", "bake"), ("tlak", "talk", "talk"), ("birds", "beard", "bird")],
)
def test_a_misspelt_word_teaches_its_lemma_unless_it_is_another_word(form: str, meant: str, lemma: str) -> None:
    upos, xpos = ("NOUN", "NNS") if form == "birds" else ("VERB", "VBZ")
    known = taught([(form, upos, xpos, meant)], feats=["Typo=Yes"])
    assert known.lemmas([form], [upos], [0], [xpos]) == [lemma]
