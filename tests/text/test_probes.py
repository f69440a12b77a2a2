"""Texts that models have to cut as people would, and lemmas that the embedded one of English has to find."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.text import Pipeline, Segmenter, load_pipeline

PROBES = Path(__file__).parent / "probes"
MODELS = Path(__file__).parents[2] / "models"
#: The shares that may be wrong: of the first probes, of whole texts, of which every token counts, and of lemmas.
MOST_WRONG, MOST_TEXTS_WRONG, MOST_LEMMAS_WRONG = 0.05, 0.08, 0.05
#: Of the probes of languages whose models are distributions of their own.
MOST_OF_OTHERS_WRONG = 0.125
#: A stop behind a word at the end of a sentence.
STOP = re.compile(r"(?<=\w) \.(?= \|\|\||$)")


@pytest.fixture(scope="module")
def english() -> Pipeline:
    return load_pipeline("en")


def probes(name: str) -> Iterator[list[str]]:
    for line in (PROBES / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


def wrongly_cut(segmenter: Segmenter, every: list[list[str]]) -> list[str]:
    wrong = []
    for sentences, tokens, text in every:
        found: xa.Treebank = segmenter.treebank(text)
        forms = [form for sentence in found for form in sentence.forms]
        if len(found) != int(sentences) or not set(tokens.split()) <= set(forms):
            wrong.append(" | ".join(" ".join(sentence.forms) for sentence in found))
    return wrong


def test_two_hundred_texts_are_cut(english: Pipeline) -> None:
    every = list(probes("en.tsv"))
    assert len(every) == 200
    wrong = wrongly_cut(english.segmenter, every)
    assert len(wrong) <= MOST_WRONG * len(every), wrong


@pytest.mark.parametrize("name", ["da", "ga", "la", "nl", "pt", "sk"])
def test_abbreviations_of_other_languages_end_no_sentence(name: str) -> None:
    (path,) = MODELS.glob(f"{name}/*/*.crossarc")
    every = list(probes(f"{name}.tsv"))
    wrong = wrongly_cut(load_pipeline(path).segmenter, every)
    assert len(every) >= 40 and len(wrong) <= MOST_OF_OTHERS_WRONG * len(every), wrong


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
