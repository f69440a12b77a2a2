"""Texts that the embedded model of English has to cut as people would, and lemmas that it has to find."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.text import Pipeline, load_pipeline

PROBES = Path(__file__).parent / "probes"
#: The shares that may be wrong: of the first probes, of whole texts, of which every token counts, and of lemmas.
MOST_WRONG, MOST_TEXTS_WRONG, MOST_LEMMAS_WRONG = 0.05, 0.08, 0.05
#: A stop behind a word at the end of a sentence.
STOP = re.compile(r"(?<=\w) \.(?= \|\|\||$)")


@pytest.fixture(scope="module")
def english() -> Pipeline:
    return load_pipeline("en")


def probes(name: str) -> Iterator[list[str]]:
    for line in (PROBES / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


def test_two_hundred_texts_are_cut(english: Pipeline) -> None:
    every = list(probes("en.tsv"))
    assert len(every) == 200
    wrong = []
    for sentences, tokens, text in every:
        found: xa.Treebank = english.segmenter.treebank(text)
        forms = [form for sentence in found for form in sentence.forms]
        if len(found) != int(sentences) or not set(tokens.split()) <= set(forms):
            wrong.append(" | ".join(" ".join(sentence.forms) for sentence in found))
    assert len(wrong) <= MOST_WRONG * len(every), wrong


def test_all_words_of_texts_of_many_kinds(english: Pipeline) -> None:
    every = list(probes("en-texts.tsv"))
    assert len(every) == 240
    wrong = []
    for kind, text, expected in every:
        found = english.segmenter.treebank(text.replace("\\n", "\n"))
        words = " ||| ".join(" ".join(sentence.forms) for sentence in found)
        if kind == "abbreviations at the end":
            words, expected = STOP.sub(".", words), STOP.sub(".", expected)
        if words != expected:
            wrong.append((kind, words))
    assert len(wrong) <= MOST_TEXTS_WRONG * len(every), wrong


def test_lemmas_of_words_that_are_seldom(english: Pipeline) -> None:
    wrong, count = [], 0
    for text, pairs in probes("en-lemmas.tsv"):
        words = [word for sentence in english(text) for word in sentence]
        for form, lemma in (pair.rsplit("=", 1) for pair in pairs.split()):
            count += 1
            if not any((word.form, word.lemma) == (form, lemma) for word in words):
                wrong.append((form, lemma))
    assert count > 400 and len(wrong) <= MOST_LEMMAS_WRONG * count, wrong
