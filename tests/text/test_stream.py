"""Texts that come in pieces: cut as if they came at once, in bounded memory, and without loss."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossarc as xa
from crossarc.text import Segmentation, Segmenter, raw_text
from crossarc.text.boundaries import LONGEST_SENTENCE, MOST_CHARACTERS
from crossarc.text.surface import SPACES_TOGETHER, escaped, unescaped
from crossarc.text.text_stream import TextError, TextStream
from crossarc.treebank.reading import from_bytes

from ..support.memory import PEAK
from .texts import TEXT, cut, put_together, tokens


def text_of(parts: list[Segmentation]) -> str:
    return "".join(unescaped(part.spaces_before) + part.text + unescaped(part.spaces_after) for part in parts)


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(["I don't know, Ann.", "Go on!", " ", "\n\n", "know", "a.b@c.example", "12:30"])),
    st.integers(1, 40),
    st.integers(60, 400),
)
def test_pieces_change_nothing(segmenter: Segmenter, parts: list[str], size: int, block: int) -> None:
    text = " ".join(parts * 8)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    at_once, in_pieces = cut(segmenter, [text], 1 << 16), cut(segmenter, pieces, block)
    assert tokens(in_pieces) == tokens(at_once)
    assert text_of(in_pieces) == (text if in_pieces else "")
    assert sum(part.too_long for part in in_pieces) == sum(part.too_long for part in at_once)


@settings(max_examples=100)
@given(
    st.lists(
        st.lists(st.sampled_from(["I don't, Ann.", "Go on!", " ", "\n", "a@c.example", "e\u0301", "1.5"]), max_size=9)
        .map("".join)
        .flatmap(lambda text: st.sampled_from([text, text * 20]))
        | st.text("aA.,!? '\n\t\0\r\u20291é\ufe0f\u200d👩@:/", max_size=40)
    )
)
def test_texts_that_are_cut_together_are_cut_as_if_alone(segmenter: Segmenter, texts: list[str]) -> None:
    together = segmenter.segment_all(texts, threads=1)
    alone = [segmenter.segment(text, threads=1) for text in texts]
    assert [tokens([one]) for one in together] == [tokens([one]) for one in alone]
    assert [(one.text, one.too_long) for one in together] == [(one.text, one.too_long) for one in alone]


def test_half_a_pair_is_refused_among_many_texts(segmenter: Segmenter) -> None:
    with pytest.raises(TextError, match="half a surrogate pair"):
        segmenter.segment_all(["Go on!", "\ud83d", "I know."])


@settings(max_examples=100)
@given(st.text(max_size=200) | st.text("aA.,!? '\n\t\0\r|\\1é\ufe0f\u200d👩@:/", max_size=200), st.integers(20, 100))
def test_nothing_of_any_text_is_lost(segmenter: Segmenter, text: str, block: int) -> None:
    parts = cut(segmenter, list(text), block)
    written = text.replace("\0", " ").strip()
    assert text_of(parts) == (text if written else "")
    treebanks = list(segmenter.stream(list(text), threads=1))
    assert "".join(map(put_together, treebanks)) == (text if written else "")
    for treebank in treebanks:  # what is written can be read
        assert from_bytes(treebank.to_bytes(), root="any").to_bytes() == treebank.to_bytes()


def test_streams_are_treebanks_of_the_whole_text(segmenter: Segmenter) -> None:
    text = raw_text(xa.from_text(TEXT)) * 1500
    parts = list(segmenter.stream(text[start : start + 999] for start in range(0, len(text), 999)))
    assert len(parts) > 1
    assert xa.Treebank.concatenate(parts).to_bytes() == segmenter.treebank(text).to_bytes()


def test_long_runs_of_spaces(segmenter: Segmenter) -> None:
    spaces = " " * (3 * SPACES_TOGETHER + 5) + "\n" * 2000 + "\0\t"
    text = f"{spaces}Go on{spaces}I know{spaces}"
    found = list(segmenter.stream(text[start : start + 5000] for start in range(0, len(text), 5000)))
    assert put_together(xa.Treebank.concatenate(found)) == text
    assert [sentence.text for part in found for sentence in part] == ["Go on", "I know"]
    assert len(xa.Treebank.concatenate(found).to_bytes()) < 1000
    assert xa.Treebank.concatenate(found).to_bytes() == segmenter.treebank(text).to_bytes()


@given(st.lists(st.tuples(st.sampled_from(" \n\t\0\\*;1"), st.integers(1, 3000)), max_size=5))
def test_counted_spaces(runs: list[tuple[str, int]]) -> None:
    spaces = "".join(character * count for character, count in runs)
    assert unescaped(escaped(spaces)) == spaces


@pytest.mark.parametrize("unit", ["a", "know ", "know, ", "1", "www.", "a@", "é", "\u0301", "\u200d", "字", ". ", " "])
def test_texts_without_any_break(segmenter: Segmenter, unit: str) -> None:
    """Memory stays the same however long they are, no token is too long, and nothing is lost."""
    length, block = 0, 1 << 13
    stream = TextStream(segmenter.boundaries, threads=1, block=block)
    piece, held = unit * (block // len(unit)), []

    def pieces() -> Iterator[str]:
        for _ in range(20):
            held.append(stream.held)
            yield piece

    for part in stream.segmentations(pieces()):
        assert (part.ends - part.starts).max() <= MOST_CHARACTERS
        assert np.diff(np.flatnonzero(np.append(True, part.final))).max() <= segmenter.boundaries.most_words
        assert part.begin == length
        length += len(part.text) + len(unescaped(part.spaces_after))
    assert length == (20 * len(piece) if unit.strip() else 0)
    assert max(held) <= LONGEST_SENTENCE + 2 * block


def test_half_a_surrogate_pair(segmenter: Segmenter) -> None:
    with pytest.raises(xa.CrossarcError, match=r"character 70001 of the text is U\+D83D, half a surrogate pair"):
        list(segmenter.stream(["a " * 35000, "b\ud83d"]))
    with pytest.raises(xa.CrossarcError, match="a text is needed, not bytes"):
        list(segmenter.stream([b"I know"]))  # type: ignore[list-item]


@pytest.mark.slow
@pytest.mark.exhaustive
def test_memory_does_not_grow_with_the_text(segmenter: Segmenter, tmp_path: Path) -> None:
    """A line of 800,000 characters, with spaces and without, in less memory than twenty megabytes more."""
    segmenter.save(tmp_path / "small.crossarc")
    program = f"""
{PEAK}
from crossarc.text import Segmenter
segmenter = Segmenter.load({str(tmp_path / "small.crossarc")!r})
def run(unit, pieces):
    return sum(part.words for part in segmenter.stream(unit * (1 << 16) for _ in range(pieces)))
for unit in ("a", "a b ", " "):
    run(unit, 1)
before = peak()
for unit in ("a", "a b ", " "):
    run(unit, 12 // len(unit))
print(peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 20_000


@pytest.mark.treebanks
@pytest.mark.slow
@pytest.mark.exhaustive
def test_real_text_of_every_language(segmenter: Segmenter, treebanks: Path) -> None:
    """The beginnings of texts of many languages and scripts come back from their tokens, byte for byte."""
    count = 0
    for path in sorted({*treebanks.glob("ud_tests/*.conllu.gz"), *treebanks.glob("*/test.conllu.gz")}):
        text = raw_text(xa.read(path, root="any")[:50])
        assert comes_back(segmenter, text), path
        count += len(text.encode())
    assert count > 300_000


@pytest.mark.treebanks
@pytest.mark.exhaustive
def test_ten_megabytes_of_real_text(segmenter: Segmenter, treebanks: Path) -> None:
    count = 0
    for path in sorted(treebanks.glob("*/*.conllu.gz"), reverse=True):
        text = raw_text(xa.read(path, root="any"))
        assert comes_back(segmenter, text), path
        count += len(text.encode())
        if count > 10_000_000:
            break
    assert count > 10_000_000


def comes_back(segmenter: Segmenter, text: str) -> bool:
    """Whether the tokens of a text that comes in pieces are all of it."""
    found = segmenter.stream(text[start : start + 30_000] for start in range(0, len(text), 30_000))
    return "".join(map(put_together, found)) == text
