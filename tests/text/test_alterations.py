"""Training data as people write texts: what is altered, and that gold boundaries stay those of the texts."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import pytest

import crossarc as xa
from crossarc.text import Segmenter
from crossarc.text.alterations import altered
from crossarc.text.boundaries import SENTENCE, TOKEN, classified
from crossarc.text.insertions import (
    NO_HABITS,
    Abbreviation,
    Habits,
    token,
    with_abbreviation,
    with_whole_abbreviations,
)
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


@lru_cache
def many(abbreviations: tuple[str, ...] = ()) -> list[str]:
    known = [Abbreviation.parse(each) for each in abbreviations]
    return [classified(altered(paragraph(10), np.random.default_rng(seed), known)).text for seed in range(600)]


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
        (r"Ben [A-Z]\. (?:[A-Z]\. )*Lee|man [A-Z]\. (?:[A-Z]\. )*Ben", "initials before a name"),
        (r"Ben [A-Z]\.[A-Z]\. Lee|man [A-Z]\.[A-Z]\. Ben", "initials that are written together"),
        (r"(?:^|[.] )\(?(?:\d+|[a-cAB]|iv|ii?)[.)] (?:Ann|She)", "a mark before a sentence"),
        (r"\. (?::-?[)(DP/]|;-?\)|<3|\^\^)", "an emoticon behind one"),
        (r"(?:https?://|www\.)[a-z0-9.-]+", "an address"),
        (r"\w@[a-z0-9.-]+\.\w", "an address of mail"),
        (r" @\w+| #\w+", "a name"),
        (r" \w+\.(?:txt|pdf|py|csv)", "a file"),
        (r", Go\. She", "a name at the end of a sentence"),
        (r" \[\w+(?: \w+)*\] |“\w+(?: \w+)*” | \*\w+(?: \w+)*\* ", "words between marks"),
        (r"\w—\w", "a dash without spaces"),
        (r"[a-z]-[a-z]+ ", "words joined by hyphens"),
        (r"[(\[](?:She|Ann)[^.]*\.[)\]]", "a whole sentence between marks"),
        (r"[“‘\"](?:Ann|She)[^.!]*,[”’\"] (?:she|ann)", "speech within a sentence"),
        (r"She (?:met |the )?(?:the|old|man|met)\.", "a short sentence"),
        (r"[£€¥]1990", "a currency"),
        (r" (?:\d{4}-\d\d-\d\d|v\d+\.\d+|[A-Z]&[A-Z]|\d+\.\d+\.\d+) ", "a code"),
        (r"\n[-*•–] ", "the points of a list"),
        (r"(?m)^1\. .*\n2\. ", "numbered points"),
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
    assert {number.strip("£€¥$.)]") for number in beside["Fig."]} == {"1990"}
    assert any("Lee et al. in" in text for text in texts) and any("cf. old" in text for text in texts)


def test_abbreviations_are_one_token_where_a_list_has_them_so() -> None:
    """Texts of a treebank that vary: the stop of an abbreviation stands apart, or does not."""
    tokens = [token(text, "" if text in "LR" else " ") for text in ("L", ".", "Sulla", "R", ".", "P.", "L", ".")]
    ((found,),) = with_whole_abbreviations([[tokens]], ["L. +X", "+X P. x", "napr~. x"])
    assert [(word.text, word.words, word.spaces) for word in found] == [
        *[("L.", ("L.",), " "), ("Sulla", ("Sulla",), " "), ("R", ("R",), ""), (".", (".",), " ")],
        *[("P.", ("P.",), " "), ("L", ("L",), ""), (".", (".",), " ")],
    ]


def test_names_and_numbers_are_put_in_beside_abbreviations() -> None:
    """Where a treebank has few: first in a sentence, whose own capital goes unless it is a name's, within it, last."""
    random = np.random.default_rng(1)
    texts = {
        "".join(
            word.text + word.spaces for word in with_abbreviation(tokens, [known], random, ["Ann", "Sulla"])
        ).strip()
        for known in map(Abbreviation.parse, ("L. +X", "napr~. +1", "+X et al.", "+X II. x"))
        for tokens in paragraph(100)
    }
    for text in (
        "L. Sulla Ann, go.",
        "L. Ann she met the old man Ben Lee in 1990.",
        "She met the old man Ben Lee in 1990 L. Sulla.",
        "She met L. Ann the old man Ben Lee in 1990.",
        "Sulla et al. she met the old man Ben Lee in 1990.",
    ):
        assert text in texts
    assert any(re.fullmatch(r"She met the old man napr\. \d+ Ben Lee in 1990\.", text) for text in texts)
    assert not any(".." in text or "et al. ." in text for text in texts)
    assert {text.split("II.")[1][1] for text in texts if "II." in text} == {"g", "i", "m", "o", "s", "t"}
    assert with_abbreviation(paragraph(1)[0], [Abbreviation.parse("L. +X")], random) == paragraph(1)[0]


def test_words_are_joined_by_hyphens_as_the_treebank_does() -> None:
    apart = [
        [token("A"), token("well", ""), token("-", ""), token("known"), token("Ann")],
        [token("co-op"), token("-")],
    ]
    assert Habits.of(apart) == Habits(["Ann"], whole_hyphens=False)
    assert Habits.of(paragraph(1)) == Habits(["Ben", "Lee"], whole_hyphens=False)
    whole = Habits.of([*apart, [token("in-law"), token("NATO"), token("1-2")]])
    assert whole == Habits(["Ann"], whole_hyphens=True)
    for habits in (NO_HABITS, whole):
        texts = (altered(paragraph(1), np.random.default_rng(seed), habits=habits) for seed in range(3000))
        words = [word for text in texts for tokens in text for word in tokens]
        assert any(word.text == "old-man" for word in words) == habits.whole_hyphens
        assert any(word.text == "-" and not word.spaces for word in words) != habits.whole_hyphens


def test_a_token_ends_with_an_abbreviation_and_no_sentence() -> None:
    for seed in range(100):
        text, classes = classified(altered(paragraph(4), np.random.default_rng(seed), [Abbreviation.parse("Capt. X")]))
        for found in re.finditer(r"Capt\.", text):
            assert classes[found.end() - 1] == TOKEN and not classes[found.start() : found.end() - 1].any()
        # A heading is one more, speech makes one of two.
        assert (classes == SENTENCE).sum() in (7, 8, 9)


def test_what_is_no_abbreviation_is_refused() -> None:
    assert Abbreviation.parse("Capt. X") == Abbreviation((token("Capt."),), None, "X")
    assert Abbreviation.parse("X et al. x") == Abbreviation((token("et"), token("al.")), "X", "x")
    assert Abbreviation.parse("X Inc. .") == Abbreviation((token("Inc."),), "X", ".")
    assert Abbreviation.parse("y'+all x") == Abbreviation((SurfaceToken("y'all", ("y'", "all"), " "),), None, "x")
    assert Abbreviation.parse("napr~. +1") == Abbreviation((token("napr", ""), token(".")), None, "+1")
    for wrong in ("X", "~. x", "napr~ x", "+X", "", " ", "+X Inc. .", "+1 p. ."):
        with pytest.raises(SegmenterError, match=f"'{re.escape(wrong)}' is no abbreviation"):
            SegmenterOptions(abbreviations=(wrong,))


def test_headings_are_sentences_on_lines_of_their_own() -> None:
    headings = set()
    for seed in range(1000):
        text, classes = classified(altered(paragraph(1)[1:], np.random.default_rng(seed)))
        found = re.match(r"(SHE MET|She Met)(?: \w+)*\n(?=[Ss]he met)", text)
        if found:
            headings.add(found[1])
            assert classes[found.end() - 2] == SENTENCE and (classes == SENTENCE).sum() == 2
    assert headings == {"SHE MET", "She Met"}


def test_an_abbreviation_ends_a_sentence_with_the_stop_of_both() -> None:
    known = [Abbreviation.parse("X Inc. .")]
    sentences = [
        [SurfaceToken(text, (text,), spaces) for text, spaces in tokens]
        for tokens in ((("See", " "), ("Ben", ""), (".", " ")), (("He", " "), ("is", " "), ("it", ""), (".", " ")))
    ]
    ended = 0
    for seed in range(300):
        text, classes = classified(altered(sentences, np.random.default_rng(seed), known))
        assert "it Inc." not in text
        if text.startswith("See Ben Inc. He is"):
            ended += 1
            begin, end = len("See Ben "), len("See Ben Inc.")
            assert classes[end - 1] == SENTENCE and not classes[begin : end - 1].any()
    assert ended


def test_words_of_tokens_that_are_put_in_are_learnt() -> None:
    """A token of several words among the abbreviations: the network learns that it is one, and the segmenter which."""
    options = SegmenterOptions(hidden_size=4, embedding_size=4, abbreviations=("should+n't+'ve x",))
    segmenter = Segmenter.train(xa.sample(30, seed=1), options, epochs=1)
    assert segmenter.expansions.words("Shouldn't've") == ("Should", "n't", "'ve")
    assert segmenter.expansions.words("wouldn’t’ve") == ("would", "n’t", "’ve")
