"""Composed and decomposed texts: the same tokens, as they were written."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc.text import Segmenter
from crossarc.text.unicode import composed, last_whole

from .texts import forms, put_together, tokens

LETTERS = "aeé\u0301\u0323\u0327ά᾽가각\u1100\u1161\u11a8क\u093fΩ\u0387\u2001 .,\u200d👩🏽"


@settings(max_examples=200)
@given(st.text(LETTERS, max_size=40))
def test_places_are_those_of_what_was_written(text: str) -> None:
    found, places = composed(text)
    assert found == unicodedata.normalize("NFC", text)
    assert len(places) == len(found) and (np.diff(places) >= 0).all()
    ends = [*places.tolist(), len(text)][1:]
    for start, end in set(zip(places.tolist(), ends, strict=True)):
        if start < end:
            own = "".join(found[place] for place in np.flatnonzero(places == start))
            assert own == unicodedata.normalize("NFC", text[start:end])


@settings(max_examples=100)
@given(st.lists(st.sampled_from(["I", "don't", "knów", "Ańn", ",", ".", " ", "ế", "각", "\n\n", "कि"]), max_size=60))
def test_both_forms_are_cut_alike(segmenter: Segmenter, parts: list[str]) -> None:
    texts = [unicodedata.normalize(form, "".join(parts)) for form in ("NFC", "NFD")]
    one, two = (segmenter.treebank(text, threads=1) for text in texts)
    assert [[unicodedata.normalize("NFC", form) for form in own] for own in forms(two)] == forms(one)
    for text, found in zip(texts, (one, two), strict=True):
        assert put_together(found) == (text if text.strip() else "")


def test_places_in_decomposed_texts(segmenter: Segmenter) -> None:
    text = unicodedata.normalize("NFD", "é é know, Ann.")
    found = segmenter.treebank(text)
    assert [token.misc["TokenRange"] for token in found[0]][:3] == ["0:2", "3:5", "6:10"]


@given(st.text(LETTERS, min_size=1, max_size=30))
def test_signs_are_not_cut_at_ends_of_blocks(text: str) -> None:
    place = last_whole(text)
    parts = composed(text[:place])[0] + composed(text[place:] + "\u0301")[0]
    assert parts == composed(text + "\u0301")[0]


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from(["I", "don't", "knów", ",", ".", " ", "\n", "\n\n", "  \n"]), max_size=60),
    st.integers(1, 9),
)
def test_line_ends_of_windows_are_those_of_others(segmenter: Segmenter, parts: list[str], size: int) -> None:
    text = "".join(parts)
    windows = text.replace("\n", "\r\n")
    found = segmenter.treebank(windows, threads=1)
    assert forms(found) == forms(segmenter.treebank(text, threads=1))
    assert put_together(found) == (windows if windows.strip() else "")
    pieces = [windows[start : start + size] for start in range(0, len(windows), size)]
    streamed = list(segmenter.stream(pieces, threads=1))
    assert [form for part in streamed for form in forms(part)] == forms(found)


def test_lines_of_windows_are_cut_together(segmenter: Segmenter) -> None:
    texts = ["I don't know, Ann.\r\n", "Go on!\r\n\r\n", "Go on!\r\nI know."]
    together = [tokens([each]) for each in segmenter.segment_all(texts, threads=1)]
    assert together == [tokens([segmenter.segment(text, threads=1)]) for text in texts]
    assert [each.text for each in segmenter.segment_all(texts, threads=1)] == texts


@pytest.mark.parametrize("marks", ["\u0301", "\u0301\u0323", "\u200d"])
def test_texts_of_nothing_but_marks(segmenter: Segmenter, marks: str) -> None:
    text = "a" + marks * 20000
    assert put_together(segmenter.treebank(text)) == text
