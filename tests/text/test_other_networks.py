"""Other networks are asked where the first one is in doubt, and nowhere else, whatever pieces a text comes in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossarc._arrays import Floats
from crossarc.models.model_file import ModelFileError
from crossarc.text import Segmenter, raw_text
from crossarc.text.doubt import DOUBT, STILL_IN_DOUBT
from crossarc.text.network import NetworkBoundaries, SegmenterError

from .texts import SMALL, cut, tokens, unmarked_sentences

_ENDS = [2, 4]
_WORDS = sorted({form for sentence in unmarked_sentences(20, seed=3) for form in sentence.forms})
_PARTS = [*_WORDS, "\n\n", "a.b@c.example"]


def boundaries(segmenter: Segmenter) -> NetworkBoundaries:
    assert isinstance(segmenter.boundaries, NetworkBoundaries)
    return segmenter.boundaries


def joined(first: Segmenter, *others: Segmenter) -> Segmenter:
    return Segmenter(boundaries(first).with_others(map(boundaries, others)), first.expansions)


@pytest.fixture(scope="module")
def third() -> Segmenter:
    return Segmenter.train(unmarked_sentences(150, seed=5), SMALL, epochs=6, seed=3, threads=1)


@pytest.fixture(scope="module")
def both(alone: Segmenter, other: Segmenter) -> Segmenter:
    return joined(alone, other)


@pytest.fixture(scope="module")
def all_three(alone: Segmenter, other: Segmenter, third: Segmenter) -> Segmenter:
    return joined(alone, other, third)


def sentence_ends(segmenter: Segmenter, texts: list[str]) -> Floats:
    ends: Floats = boundaries(segmenter).probabilities_apart(texts, threads=1)[:, _ENDS].sum(axis=1)
    return ends


@settings(max_examples=60)
@given(st.lists(st.sampled_from(_PARTS), min_size=1, max_size=3))
def test_the_mean_of_log_odds_decides_where_there_is_doubt(
    alone: Segmenter, other: Segmenter, third: Segmenter, both: Segmenter, all_three: Segmenter, parts: list[str]
) -> None:
    # So short that all of it stands around each of its characters.
    text = " ".join(parts)[:16]
    for segmenter, apart in ((both, (alone, other)), (all_three, (alone, other, third))):
        assert_mean_of_log_odds(segmenter, apart, text)


def assert_mean_of_log_odds(segmenter: Segmenter, apart: Sequence[Segmenter], text: str) -> None:
    networks = [sentence_ends(each, [text]).tolist() for each in apart]
    ends = sentence_ends(segmenter, [text])
    for index, probabilities in enumerate(zip(*networks, strict=True)):
        if not text.startswith("\n", index + 1):
            assert ends[index] == pytest.approx(decided(probabilities), abs=1e-4)
    every = boundaries(segmenter).probabilities_apart([text], threads=1)
    assert every.sum(axis=1) == pytest.approx(np.ones(len(text)), abs=1e-4)


def decided(probabilities: Sequence[float]) -> float:
    """Return what networks that are asked one after the other find together."""
    mean, (low, high) = probabilities[0], DOUBT
    for asked in range(2, len(probabilities) + 1):
        if not low < mean < high:
            break
        odds = math.prod(each / (1 - each) for each in probabilities[:asked]) ** (1 / asked)
        mean, (low, high) = odds / (1 + odds), STILL_IN_DOUBT
    return mean


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
@given(st.lists(st.lists(st.sampled_from(_PARTS), max_size=30).map(" ".join), min_size=2, max_size=5))
def test_texts_that_are_cut_together_are_cut_as_if_alone(both: Segmenter, texts: list[str]) -> None:
    together = [tokens([each]) for each in both.segment_all(texts, threads=1)]
    assert together == [tokens([both.segment(text, threads=1)]) for text in texts]


def test_saved_and_loaded(all_three: Segmenter, tmp_path: Path) -> None:
    all_three.save(tmp_path / "three.crossarc")
    again = Segmenter.load(tmp_path / "three.crossarc")
    text = raw_text(unmarked_sentences(10, seed=4))
    assert np.array_equal(sentence_ends(again, [text]), sentence_ends(all_three, [text]))
    assert len(boundaries(again).with_threshold(0.2).others) == 2


def test_eight_bits_are_smaller_and_nearly_the_same(all_three: Segmenter) -> None:
    (_, arrays), (description, small) = all_three.to_parts(), all_three.to_parts(8)
    assert sum(each.nbytes for each in small.values()) < 0.75 * sum(each.nbytes for each in arrays.values())
    again = Segmenter.from_parts(description, small)
    text = raw_text(unmarked_sentences(10, seed=4))
    assert sentence_ends(again, [text]) == pytest.approx(sentence_ends(all_three, [text]), abs=0.1)
    kept = again.to_parts(8)[1]
    assert all(np.array_equal(kept[name], array) for name, array in small.items())


def test_networks_that_are_asked_ask_none_themselves(both: Segmenter, alone: Segmenter) -> None:
    with pytest.raises(SegmenterError, match="none to ask"):
        joined(alone, both)
    description, arrays = both.to_parts()
    of_other = description["boundaries"]["others"][0]
    nested = {name.replace("others/0/", "others/0/others/0/"): array for name, array in arrays.items()}
    with pytest.raises(ModelFileError, match="none to ask"):
        Segmenter.from_parts(
            {
                **description,
                "boundaries": {**description["boundaries"], "others": [{**of_other, "others": [of_other]}]},
            },
            {**arrays, **nested},
        )


def test_ends_of_short_lines_are_not_asked_about(alone: Segmenter, both: Segmenter) -> None:
    """Of headings and points of lists other networks know little; a long line may have been broken anywhere."""
    short = [f"{one}\n{other}" for one in _WORDS for other in _WORDS[:20]]
    long = [f"{' '.join([one] * 12)}\n{other}" for one in _WORDS for other in _WORDS[:20]]
    asked = []
    for texts in (short, long):
        apart, together = (
            np.array([sentence_ends(each, [text])[text.index("\n") - 1] for text in texts]) for each in (alone, both)
        )
        assert ((apart > DOUBT[0]) & (apart < DOUBT[1])).any()
        asked.append(bool((apart != together).any()))
    assert asked == [False, True]
