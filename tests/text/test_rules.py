"""Rules of treebanks that do not know their texts: marks, elision, abbreviations, crasis and sentence ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossarc as xa
from crossarc.text import Segmenter, raw_text
from crossarc.text.rules import RuleBoundaries, written_together
from crossarc.text.surface import guessed_tokens, knows_texts
from crossarc.text.words import unbroken

from .texts import forms, put_together

SENTENCES = [
    "ἄλγε᾽ ἔθηκε , μῆνιν .",
    "οὐ τ- ἆλλα λέγω · ",
    "τί δ᾽ ἔστιν ;",
    'ἔφη " λέγω " .',
    "ὁ δὲ κ- ἂν λέγοι , οὔ -τε ἐγὼ ;",
    "ca. 12 ἔτη ( λέγω ) .",
    "ca. 20 ἔτη ... καὶ λέγω .",
    "ἔφη . \"",
]  # fmt: skip


def treebank(sentences: list[str]) -> xa.Treebank:
    lines = [
        [f"{word}\t{form}" + "\t_" * 4 + "\t0\tx\t_\t_" for word, form in enumerate(sentence.split(), start=1)]
        for sentence in sentences
    ]
    return xa.from_text("".join("\n".join(own) + "\n\n" for own in lines), format="conllx")


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    return Segmenter.train(treebank(SENTENCES * 3))


def test_treebanks_without_texts() -> None:
    words = treebank(SENTENCES)
    assert not knows_texts(words)
    assert not knows_texts(xa.from_text("1\ta\t_\tX\t_\t_\t0\troot\t_\tGloss=1\n\n"))
    assert knows_texts(xa.from_text("# text = a\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n\n"))
    assert knows_texts(xa.from_text("1\ta\t_\tX\t_\t_\t0\troot\t_\tSpaceAfter=No\n\n"))
    assert raw_text(words[:4]) == 'ἄλγε᾽ ἔθηκε, μῆνιν. οὐ τ- ἆλλα λέγω· τί δ᾽ ἔστιν; ἔφη "λέγω".\n'
    joined = written_together([guessed_tokens(["οὔ", "-τε", "-", "κ-", "ἂν", "syd-", "og"])])
    assert [(token.text, token.words) for token in joined] == [("οὔτε", ("οὔ", "-τε")), ("κἂν", ("κ-", "ἂν"))]


def test_what_the_tokens_show(segmenter: Segmenter) -> None:
    assert isinstance(segmenter.boundaries, RuleBoundaries)
    found = segmenter.treebank("τί δ᾽ ἔστιν,λέγω· τἆλλα (ca. 12) ἔφη;\nκἂν; «οὐ!»")
    assert forms(found) == [
        ["τί", "δ᾽", "ἔστιν", ",", "λέγω", "·"],
        ["τἆλλα", "(", "ca.", "12", ")", "ἔφη", ";"],
        ["κἂν", ";"],
        ["«", "οὐ", "!", "»"],
    ]
    assert found[1].forms[:2] == ["τ-", "ἆλλα"]
    assert found[2].forms == ["κ-", "ἂν", ";"]


@pytest.mark.parametrize("apostrophe", "'’ʼ᾽")
def test_elision_keeps_its_apostrophe(segmenter: Segmenter, apostrophe: str) -> None:
    assert forms(segmenter.treebank(f"τί δ{apostrophe} ἔστι;")) == [["τί", f"δ{apostrophe}", "ἔστι", ";"]]


def test_marks_of_one_kind(segmenter: Segmenter) -> None:
    """A Greek question mark is a semicolon, and what closes a quotation ends its sentence."""
    found = segmenter.treebank('τί\u037e λέγω\u0387 ἔφη." καὶ... λέγω')
    assert forms(found) == [["τί", "\u037e"], ["λέγω", "\u0387"], ["ἔφη", ".", '"'], ["καὶ", "...", "λέγω"]]


def test_its_own_text_is_cut_as_it_is(segmenter: Segmenter) -> None:
    words = treebank(SENTENCES)
    assert [sentence.forms for sentence in segmenter.treebank(raw_text(words))] == [own.forms for own in words]


@settings(max_examples=100)
@given(st.text("aδ᾽'.,;·\"() \n-1", max_size=60))
def test_nothing_is_lost(segmenter: Segmenter, text: str) -> None:
    """But hyphens with which Greek words go on in the next line; where such a word was written stays known."""
    found = segmenter.treebank(text)
    assert put_together(found) == (unbroken(text) if text.strip() else "")
    for word in (word for sentence in found for word in sentence if word.start is not None and word.end is not None):
        assert unbroken(text[word.start : word.end]) == word.form


def test_saved_and_loaded(segmenter: Segmenter, tmp_path: Path) -> None:
    segmenter.save(tmp_path / "rules.crossarc")
    again = Segmenter.load(tmp_path / "rules.crossarc")
    assert again.boundaries == segmenter.boundaries and again.expansions == segmenter.expansions
    description, arrays = segmenter.to_parts()
    description["boundaries"]["final"] = [1]
    with pytest.raises(xa.CrossarcError, match="damaged"):
        Segmenter.from_parts(description, arrays)


@pytest.mark.treebanks
@pytest.mark.slow
@pytest.mark.exhaustive
def test_ancient_greek(treebanks: Path) -> None:
    """Tokens and sentences of the development part of the AGDT, joined by rules."""
    folder = treebanks / "grc_agdt"
    train, dev = xa.read(folder / "train.conll.gz"), xa.read(folder / "dev.conll.gz")
    found = Segmenter.train(train).treebank(raw_text(dev))
    gold, own = ({tuple(sentence.forms) for sentence in words} for words in (dev, found))
    assert len(gold & own) > 0.95 * len(gold)
