"""Training data as people write texts: what is altered, and that gold boundaries stay those of the texts."""

from __future__ import annotations

import re

import numpy as np
import pytest

from crossarc.text.alterations import Abbreviation, altered
from crossarc.text.boundaries import SENTENCE, TOKEN, classified
from crossarc.text.network import SegmenterError, SegmenterOptions
from crossarc.text.surface import SurfaceToken

SENTENCES = ["Ann , go . ", "She met the old man Ben Lee in 1990 ."]


def paragraph(times: int) -> list[list[SurfaceToken]]:
    """A text whose tokens have a space behind them, but before marks."""
    sentences = []
    for sentence in SENTENCES * times:
        words = sentence.split()
        marks = [*words[1:], "go"]
        sentences.append(
            [
                SurfaceToken(word, (word,), "" if after in ",." else " ")
                for word, after in zip(words, marks, strict=True)
            ]
        )
    return sentences


def many(abbreviations: tuple[str, ...] = ()) -> list[str]:
    known = [Abbreviation.parse(each) for each in abbreviations]
    return [classified(altered(paragraph(10), np.random.default_rng(seed), known)).text for seed in range(150)]


def test_stops_spaces_capitals_and_line_ends_change() -> None:
    whole = classified(paragraph(10)).text
    assert whole.startswith("Ann, go. She met the old man Ben Lee in 1990. Ann")
    texts = many()
    assert any(text.count(".") < 20 and "go She" in text for text in texts)
    assert any(",go" in text for text in texts)
    assert any("Ann" not in text for text in texts)
    assert any("\n" in text for text in texts)


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        (r"Ben [A-Z]\. (?:[A-Z]\. )?Lee|man [A-Z]\. (?:[A-Z]\. )?Ben", "initials before a name"),
        (r"(?:^|[.] )\(?(?:\d+|[a-cAB]|iv|ii?)[.)] (?:Ann|She)", "a mark before a sentence"),
        (r"\. (?::-?[)(DP/]|;-?\)|<3|\^\^)", "an emoticon behind one"),
        (r"(?:https?://|www\.)[a-z0-9.-]+", "an address"),
        (r"\w@[a-z0-9.-]+\.\w", "an address of mail"),
        (r" @\w+| #\w+", "a name"),
        (r" \w+\.(?:txt|pdf|py|csv)", "a file"),
        (r", Go\. She", "a name at the end of a sentence"),
        (r" \[\w+(?: \w+)*\] |“\w+(?: \w+)*” | \*\w+(?: \w+)*\* ", "words between marks"),
        (r"\w—\w", "a dash without spaces"),
    ],
)
def test_what_treebanks_have_seldom_is_put_in(pattern: str, what: str) -> None:
    assert any(re.search(pattern, text) for text in many()), what


def test_abbreviations_stand_beside_what_they_are_given_with() -> None:
    texts = many(("Capt. X", "Fig. 1", "X et al. x", "cf. x"))
    beside = {
        name: {found for text in texts for found in re.findall(rf"{name} (\S+)", text)} for name in ("Capt.", "Fig.")
    }
    assert beside["Capt."] and all(word[0].isupper() for word in beside["Capt."])
    assert beside["Fig."] and beside["Fig."] <= {"1990.", "1990"}
    assert any("Lee et al. in" in text for text in texts) and any("cf. old" in text for text in texts)


def test_a_token_ends_with_an_abbreviation_and_no_sentence() -> None:
    for seed in range(100):
        text, classes = classified(altered(paragraph(4), np.random.default_rng(seed), [Abbreviation.parse("Capt. X")]))
        for found in re.finditer(r"Capt\.", text):
            assert classes[found.end() - 1] == TOKEN and not classes[found.start() : found.end() - 1].any()
        assert (classes == SENTENCE).sum() == 8


def test_what_is_no_abbreviation_is_refused() -> None:
    assert Abbreviation.parse("Capt. X") == (("Capt.",), None, "X")
    assert Abbreviation.parse("X et al. x") == (("et", "al."), "X", "x")
    with pytest.raises(SegmenterError, match="'X' is no abbreviation"):
        SegmenterOptions(abbreviations=("X",))
