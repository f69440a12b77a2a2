"""Greek in other spellings: matched to known forms, cut into tokens, and back in what a pipeline gives."""

from __future__ import annotations

import unicodedata
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc.features.vocabularies import Vocabularies, normal_form
from crossarc.models.model_file import ModelFileError
from crossarc.text import Pipeline, Segmenter, load_pipeline
from crossarc.text.greek import GreekSpelling, from_beta_code

from ..support.pipelines import tiny_parser
from .texts import forms

#: The most frequent first.
KNOWN = (
    'καὶ ὁ τὸν , . ἢ τῇ ἡ τῷ " - ( ) ; · ... τις μῆνιν ἄειδε θεὰ Ἀχιλῆος Ἀχιλλεὺς ἄνθρωπος εἶναι εἴκοσι θεός ἄνδρα '
    "ᾄδω δ' Ῥώμη ῥήτωρ και"
)


@pytest.fixture(scope="module")
def spelling() -> GreekSpelling:
    return GreekSpelling(KNOWN.split())


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("ΜΗΝΙΝ", "μῆνιν"),
        ("ΑΧΙΛΗΟΣ", "Ἀχιλῆος"),
        ("ΤΗΙ", "τῇ"),
        ("ΤΗ", "τῇ"),
        ("τῆι", "τῇ"),
        ("ἄιδω", "ᾄδω"),
        ("άνθρωπος", "ἄνθρωπος"),
        ("Άνθρωπος", "Ἄνθρωπος"),
        ("ανθρωπος", "ἄνθρωπος"),
        ("ἄνθρωπός", "ἄνθρωπος"),
        ("Είναι", "Εἶναι"),
        ("η", "ἢ"),
        ("ἡ", "ἡ"),
        ("ανθρώπος", "ανθρώπος"),  # accents contradict
        ("mh=nin", "μῆνιν"),
        ("*)axilh=os", "Ἀχιλῆος"),
        ("to\\n", "τὸν"),
        ("kai", "καὶ"),
        ("\u1fbfΑχιλῆος", "Ἀχιλῆος"),
        ("῾Ρώμη", "Ῥώμη"),
        ("΄Ανδρα", "Ἄνδρα"),
        ("[θε]ός", "θεός"),
        ("ἄνδ⟨ρα⟩", "ἄνδρα"),
        ("δ\u0313", "δ'"),
        ("ΞΕΝΟΣ", "ξενος"),
        ("ξένος", "ξένος"),
        ("English", "English"),
    ],
)
def test_words(spelling: GreekSpelling, written: str, read: str) -> None:
    """As the parser, which makes it a normal form, reads a word."""
    spelt = spelling.spelt(written)
    assert (normal_form(spelt.form), spelt.sign) == (read, False)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        *((mark, '"') for mark in "«»“”‘‹"),
        *((mark, "-") for mark in "—–―"),
        *((mark, "(") for mark in "[⟨{⸢"),
        ("⟩", ")"),
        ("…", "..."),
        ("!", "."),
        *((numeral, "εἴκοσι") for numeral in ("κε\u0374", "ιβ΄", "͵αωκ\u0374", "͵β", "ΚΕ\u0374", "25", "1.000")),
    ],
)
def test_signs(spelling: GreekSpelling, written: str, read: str) -> None:
    assert spelling.spelt(written) == (read, True)


def test_a_slip_is_not_what_is_meant() -> None:
    """και stands once in a treebank that has καὶ thousands of times; τις beside τίς is a word."""
    others = [f"λ{chr(0x3B1 + number % 24)}ό{chr(0x3B1 + number // 24)}" for number in range(60)]
    spelling = GreekSpelling(["καὶ", "τίς", "τις", *others, "και"])
    assert spelling.spelt("και").form == "καὶ"
    assert spelling.spelt("τις").form == "τις"


def test_beta_code() -> None:
    assert from_beta_code("*kai\\ su/, te/knon; *(/ellhnes, r(h/twr: a)/|dw | *MHNIN") == (
        "Καὶ σύ, τέκνον; Ἕλληνες, ῥήτωρ: ᾄδω | Μηνιν"
    )


def test_treebanks() -> None:
    greek = xa.Treebank.from_words([["καὶ", "τὸν", "καὶ", "ανθρωπος", "."]])
    spelling = GreekSpelling.fit(greek)
    assert spelling is not None and spelling.forms == ("καὶ", ".", "τὸν")  # the fourth lacks its breathing
    assert GreekSpelling.fit(xa.Treebank.from_words([["and", "καὶ"]])) is None
    written = xa.Treebank.from_words([["ΚΑΙ", "«", "τὸν"]])
    read = spelling.read(written)
    assert list(read.form) == ["καὶ", "«", "τὸν"]  # no mark is known that could stand for it
    assert spelling.read(greek[:0]).words == 0
    parsed = read.replace(lemma=["καί", ".", "ὁ"])
    assert list(spelling.written(parsed, written).form) == ["ΚΑΙ", "«", "τὸν"]
    assert list(spelling.written(parsed, written).lemma) == ["καί", "«", "ὁ"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Ἄνδρα ἄειδε", "ἄνδρα ἄειδε"),
        ("ἄειδε Ἄνδρα", "ἄειδε Ἄνδρα"),  # within a sentence it may be a name
        ("τις · Ἄνθρωπος", "τις · ἄνθρωπος"),
        ("τις · « Άνθρωπος", 'τις · " ἄνθρωπος'),
        ("τις , Ἄνθρωπος", "τις , Ἄνθρωπος"),
        ("Ἀχιλῆος μῆνιν", "Ἀχιλῆος μῆνιν"),  # known with its capital
        ("Ξένος ἄειδε", "Ξένος ἄειδε"),  # not known without it
        ("ΜΗΝΙΝ Ἄειδε", "μῆνιν Ἄειδε"),
    ],
)
def test_capitals_of_first_words(spelling: GreekSpelling, written: str, read: str) -> None:
    words = xa.Treebank.from_words([written.split(), ["θεὰ"]])
    assert " ".join(spelling.read(words)[0].forms) == read
    assert spelling.read(words)[1].forms == ["θεὰ"] and words[0].forms == written.split()


def test_a_capital_counts_anew_in_each_sentence(spelling: GreekSpelling) -> None:
    words = xa.Treebank.from_words([["τις"], ["Ἄνδρα"]])
    assert [sentence.forms for sentence in spelling.read(words)] == [["τις"], ["ἄνδρα"]]
    nothing = xa.Treebank.from_words([])
    assert spelling.read(nothing) is nothing


def test_files(spelling: GreekSpelling) -> None:
    description, arrays = spelling.to_parts()
    assert GreekSpelling.from_parts(description, arrays).forms == spelling.forms
    for damaged in (arrays["forms"][:-3], arrays["forms"][3:], np.zeros(4, np.float32), np.zeros(0, np.uint8)):
        with pytest.raises(ModelFileError, match="forms of Greek words"):
            GreekSpelling.from_parts(description, {"forms": damaged})
    with pytest.raises(ModelFileError, match="no forms of Greek words"):
        GreekSpelling.from_parts({"kind": "latin"}, arrays)


SENTENCES = [
    ["ὁ", "ἄνθρωπος", "λέγει", ",", "μυρί᾽", "ἄλγεα", "."],
    ['"', "τίς", "[ἐστι]ν", "εἴκοσι", "ἄνθρωπος", "-", ";", '"'],
    ["ἐποίησε[ν", "(", "ὁ", "θεὸς", ")", "[θε]ός", "ἀ]νήρ", "."],
]


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    words = list(chain.from_iterable(SENTENCES * 4))
    treebank = xa.Treebank.from_columns(
        words,
        upos=["PUNCT" if not any(map(str.isalpha, word)) else "NOUN" for word in words],
        lemma=[word.lower() for word in words],
        head=[index for own in SENTENCES * 4 for index in range(len(own))],
        deprel=["x"] * len(words),
        lengths=[len(own) for own in SENTENCES * 4],
    )
    return Pipeline.train(treebank, parser=tiny_parser("upos", "lemma"), epochs=12, threads=1)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("«ὁ θεὸς» — ⟨λέγει⟩ [ἄνθρωπος]", "« ὁ θεὸς » — ⟨ λέγει ⟩ [ ἄνθρωπος ]"),
        ("ὁ θεὸς—ἄνθρωπος--λέγει – —τίς", "ὁ θεὸς — ἄνθρωπος -- λέγει – — τίς"),
        ("ἐποίησε[ν] θε⟨ό⟩ς, [θε]ός.", "ἐποίησε[ν] θε⟨ό⟩ς , [θε]ός ."),
        ("“μυρί’”, ‘μυρί᾽’", "“ μυρί’ ” , ‘ μυρί᾽ ’"),
        ("ἔτη ͵αωκ\u02b9, ιβ΄.", "ἔτη ͵αωκ\u02b9 , ιβ΄ ."),
        ("\u1fbfΑχιλλεύς, ΄Ανδρα ῾Ρώμη", "\u1fbfΑχιλλεύς , ΄Ανδρα ῾Ρώμη"),
        ("mh=nin a)/eide qea/, *)axilh=os:", "mh=nin a)/eide qea/ , *)axilh=os :"),
        ("ὁ ἄν-\n  θρωπος λέγει", "ὁ ἄνθρωπος λέγει"),
        ("†θεὸς† {λέγει} ⟦ὁ⟧", "† θεὸς † { λέγει } ⟦ ὁ ⟧"),
    ],
)
def test_tokens(nlp: Pipeline, text: str, tokens: str) -> None:
    assert [form for sentence in nlp(text) for form in sentence.forms] == tokens.split()


def test_a_pipeline_keeps_what_was_written(nlp: Pipeline, tmp_path: Path) -> None:
    nlp.save(tmp_path / "greek.crossarc")
    for model in (nlp, load_pipeline(tmp_path / "greek.crossarc")):
        found = model("Ο ΑΝΘΡΩΠΟΣ «ΛΕΓΕΙ» a)/nqrwpos")
        assert list(found.form) == ["Ο", "ΑΝΘΡΩΠΟΣ", "«", "ΛΕΓΕΙ", "»", "a)/nqrwpos"]
        assert list(found.lemma) == ["ὁ", "ἄνθρωπος", "«", "λέγει", "»", "ἄνθρωπος"]
        assert list(found.upos) == ["NOUN", "NOUN", "PUNCT", "NOUN", "PUNCT", "NOUN"]
        (tree,) = model.parse_nbest(found, 1).treebank
        assert tree.forms == found[0].forms


def test_a_word_that_goes_on_in_the_next_line(nlp: Pipeline) -> None:
    text = "ὁ ἄν-\nθρωπος λέγει. ὁ θεὸς-\n\nὁ"
    found = nlp(text)
    assert found[0].forms == ["ὁ", "ἄνθρωπος", "λέγει", "."]
    assert found[0].text == "ὁ ἄνθρωπος λέγει."
    word = found[0][1]
    assert text[word.start : word.end] == "ἄν-\nθρωπος"
    assert forms(found)[1:] == [["ὁ", "θεὸς", "-"], ["ὁ"]]
    assert xa.from_text(found.to_text()).to_text() == found.to_text()


def test_decomposed_letters_before_a_line_end(nlp: Pipeline) -> None:
    text = "ἔφη καὶ-\nτος."
    composed, decomposed = nlp(text)[0].forms, nlp(unicodedata.normalize("NFD", text))[0].forms
    assert composed == ["ἔφη", "καὶτος", "."]
    assert decomposed == [unicodedata.normalize("NFD", form) for form in composed]


def test_other_languages_have_no_such_spelling() -> None:
    assert Segmenter.train(xa.Treebank.from_words([["well", "-", "known", "."]])).treebank("exam-\nple").words == 3


def test_models_that_know_elisions_as_breathings_read_them_so() -> None:
    """Older ones learnt both spellings; newer ones one."""
    written = "δ\u0313"
    assert not Vocabularies({"lower": (written, "λόγος")}).writes_elisions_alike
    assert Vocabularies({"lower": ("δ'", "λόγος")}).writes_elisions_alike
    assert normal_form(written, elisions=False) == written and normal_form(written) == "δ'"


def test_letters_of_the_agdt_become_universal_tags() -> None:
    """Of the embedded model; words whose tags are given keep them."""
    nlp = load_pipeline("grc")
    found = nlp("ὅτι ὁ ποιητής λέγει.")
    assert found.texts("upos") == ["SCONJ", "DET", "NOUN", "VERB", "PUNCT"]
    assert found[0][3].feats["Mood"] == "Ind" and found.texts("xpos")[3].startswith("v3s")
    given = found.replace(upos=["X", *["_"] * 4], xpos=["_"] * 5, feats=["_"] * 5)
    assert nlp.parse(given, keep_heads=True).texts("upos")[0] == "X"
