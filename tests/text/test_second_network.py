"""A second network is asked where the first one is in doubt, and nowhere else, whatever pieces a text comes in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc._arrays import Floats
from crossarc.models.model_file import ModelFileError
from crossarc.text import Segmenter, raw_text
from crossarc.text.network import DOUBT, NetworkBoundaries

from .texts import SMALL, cut, tokens, unmarked_sentences

_ENDS = [2, 4]
_WORDS = sorted({form for sentence in unmarked_sentences(20, seed=3) for form in sentence.forms})
_PARTS = [*_WORDS, "\n\n", "a.b@c.example"]


def boundaries(segmenter: Segmenter) -> NetworkBoundaries:
    assert isinstance(segmenter.boundaries, NetworkBoundaries)
    return segmenter.boundaries


@pytest.fixture(scope="module")
def alone() -> Segmenter:
    """A segmenter of texts without final marks, which is in doubt."""
    return Segmenter.train(unmarked_sentences(150, seed=1), SMALL, epochs=8, seed=1, threads=1)


@pytest.fixture(scope="module")
def other() -> Segmenter:
    return Segmenter.train(unmarked_sentences(150, seed=2), SMALL, epochs=8, seed=2, threads=1)


@pytest.fixture(scope="module")
def both(alone: Segmenter, other: Segmenter) -> Segmenter:
    return Segmenter(boundaries(alone).with_second(boundaries(other)), alone.expansions)


def sentence_ends(segmenter: Segmenter, texts: list[str]) -> Floats:
    found: Floats = boundaries(segmenter).probabilities_apart(texts, threads=1)[:, _ENDS].sum(axis=1)
    return found


@settings(max_examples=60)
@given(st.lists(st.sampled_from(_PARTS), min_size=1, max_size=3))
def test_the_mean_of_log_odds_decides_where_there_is_doubt(
    alone: Segmenter, other: Segmenter, both: Segmenter, parts: list[str]
) -> None:
    # So short that all of it stands around each of its characters.
    text = " ".join(parts)[:16]
    first, second, mean = (sentence_ends(each, [text]) for each in (alone, other, both))
    odds = np.sqrt(first / (1 - first) * second / (1 - second))
    doubtful = (first > DOUBT[0]) & (first < DOUBT[1])
    for place in range(len(text)):
        is_end_of_paragraph = text.startswith("\n\n", place + 1)
        expected = odds[place] / (1 + odds[place]) if doubtful[place] and not is_end_of_paragraph else first[place]
        if not is_end_of_paragraph:
            assert mean[place] == pytest.approx(expected, abs=1e-4)
    every = boundaries(both).probabilities_apart([text], threads=1)
    assert every.sum(axis=1) == pytest.approx(np.ones(len(text)), abs=1e-4)


def test_there_is_doubt_to_be_decided(alone: Segmenter, both: Segmenter) -> None:
    text = raw_text(unmarked_sentences(10, seed=4))
    assert not np.allclose(sentence_ends(alone, [text]), sentence_ends(both, [text]))


@settings(max_examples=60)
@given(st.lists(st.sampled_from(_PARTS)), st.integers(1, 40), st.integers(60, 400))
def test_pieces_change_nothing(both: Segmenter, parts: list[str], size: int, block: int) -> None:
    text = " ".join(parts * 8)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    assert tokens(cut(both, pieces, block)) == tokens(cut(both, [text], 1 << 16))


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from(_PARTS), max_size=3).map(" ".join), min_size=2, max_size=5))
def test_texts_that_are_cut_together_are_cut_as_if_alone(both: Segmenter, texts: list[str]) -> None:
    together = [tokens([each]) for each in both.segment_all(texts, threads=1)]
    assert together == [tokens([both.segment(text, threads=1)]) for text in texts]


def test_saved_and_loaded(both: Segmenter, tmp_path: Path) -> None:
    both.save(tmp_path / "both.crossarc")
    again = Segmenter.load(tmp_path / "both.crossarc")
    text = raw_text(unmarked_sentences(10, seed=4))
    assert np.array_equal(sentence_ends(again, [text]), sentence_ends(both, [text]))
    assert boundaries(again).with_threshold(0.2).second is not None


def test_a_second_network_has_no_second_one(both: Segmenter, alone: Segmenter) -> None:
    three = Segmenter(boundaries(alone).with_second(boundaries(both)), alone.expansions)
    description, arrays = three.to_parts()
    with pytest.raises(ModelFileError, match="second"):
        Segmenter.from_parts(description, arrays)
