"""Two ways of cutting one text into tokens and words, put side by side as in the CoNLL 2018 shared task.

White space (Unicode category Zs) does not count. If the characters of both sides are the same, tokens and sentences are
stretches of them and can be compared; the words are aligned by `kernel/evaluation/alignment.hpp`. If they are not, the
first place where they differ is named. O(words).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import _kernel
from .._arrays import Ids, Offsets
from ..errors import CrossarcError
from ..treebank import Treebank
from ..treebank.sentence import RANGE

_REMEDY = "compare two analyses of the same text"


@dataclass(frozen=True)
class Ranges:
    """The multiword tokens of a treebank: the rows of their first and last words, and their forms."""

    first: Offsets
    last: Offsets
    forms: list[str]

    def same(self, other: Ranges) -> bool:
        """Whether two treebanks have the same ones."""
        rows = np.array_equal(self.first, other.first) and np.array_equal(self.last, other.last)
        return rows and self.forms == other.forms


def multiword_tokens(treebank: Treebank) -> Ranges:
    """Find the multiword tokens."""
    places = np.flatnonzero(treebank.aside_kind == RANGE)
    ids, inverse = np.unique(treebank.aside_text[places], return_inverse=True)
    fields = [text.split("\t", 2) for text in treebank.pool.texts(ids)]
    bounds = np.array([[int(number) for number in name.split("-")] for name, *_ in fields], np.int64).reshape(-1, 2)
    sentences = np.searchsorted(treebank.aside_offsets, places, side="right") - 1
    rows = treebank.word_offsets[sentences][:, None] + bounds[inverse] - 1
    return Ranges(rows[:, 0], rows[:, 1], [fields[place][1] for place in inverse.tolist()])


def without_spaces(text: str) -> str:
    """Leave out white space.

    >>> without_spaces("10\\u00a0000 km")
    '10000km'
    """
    if text.isascii():
        return text.replace(" ", "")
    return "".join(character for character in text if unicodedata.category(character) != "Zs")


class PlacedText:
    """The characters of a treebank, and where its tokens, words and sentences are among them."""

    def __init__(self, treebank: Treebank, ranges: Ranges) -> None:
        """Lay the tokens end to end."""
        self.treebank = treebank
        self._ranges = ranges
        words = treebank.words
        inside = np.zeros(words + 1, np.int64)
        np.add.at(inside, ranges.first, 1)
        np.add.at(inside, ranges.last + 1, -1)
        self.multiword = np.cumsum(inside)[:-1].astype(bool)
        opens = ~self.multiword
        opens[ranges.first] = True
        token_of_word = np.cumsum(opens) - 1
        #: The row of the first word of each token.
        self.first_rows = np.flatnonzero(opens)
        self.tokens = self._token_texts()
        lengths = np.fromiter(map(len, self.tokens), np.int64, len(self.tokens))
        empty = np.flatnonzero(lengths == 0)
        if len(empty):
            sentence = int(np.searchsorted(treebank.word_offsets, self.first_rows[empty[0]], side="right")) - 1
            raise CrossarcError(f"{treebank[sentence].place}: a word of nothing but white space cannot be aligned")
        self.token_ends = np.cumsum(lengths)
        self.token_begins = self.token_ends - lengths
        self.word_begins, self.word_ends = self.token_begins[token_of_word], self.token_ends[token_of_word]

    def _token_texts(self) -> list[str]:
        texts, text_of = self.treebank.distinct_texts("form")
        bare = [without_spaces(text) for text in texts]
        forms = [bare[index] for index in text_of[self.first_rows].tolist()]
        for token, form in zip(np.searchsorted(self.first_rows, self._ranges.first), self._ranges.forms, strict=True):
            forms[token] = without_spaces(form)
        return forms

    @cached_property
    def characters(self) -> str:
        """The whole text without white space."""
        return "".join(self.tokens)

    @property
    def token_spans(self) -> set[tuple[int, int]]:
        """Where the tokens begin and end."""
        return set(zip(self.token_begins.tolist(), self.token_ends.tolist(), strict=True))

    @property
    def sentence_spans(self) -> set[tuple[int, int]]:
        """Where the sentences begin and end."""
        offsets = self.treebank.word_offsets
        begins, ends = self.word_begins[offsets[:-1]], self.word_ends[offsets[1:] - 1]
        return set(zip(begins.tolist(), ends.tolist(), strict=True))

    def lowered(self, numbers: dict[str, int]) -> Ids:
        """Return a number for the form of each word, letter case aside; `numbers` has those given so far.

        White space counts inside multiword tokens, and not outside, as in the official tool.
        """
        texts, text_of = self.treebank.distinct_texts("form")
        spellings = [text.lower() for text in texts], [without_spaces(text).lower() for text in texts]
        spaced, bare = (
            np.array([numbers.setdefault(text, len(numbers)) for text in spelling], np.int32)[text_of]
            for spelling in spellings
        )
        return np.where(self.multiword, spaced, bare)


def aligned_rows(gold: PlacedText, system: PlacedText) -> Offsets:
    """Return the row of the gold word that each system word stands for, or -1."""
    numbers: dict[str, int] = {}
    sides = [
        (text.word_begins, text.word_ends, text.multiword.view(np.uint8), text.lowered(numbers))
        for text in (gold, system)
    ]
    try:
        return _kernel.align_words(*sides[0], *sides[1])
    except (ValueError, RuntimeError) as error:
        raise CrossarcError(f"the words cannot be aligned: {error}") from error


# Where two texts differ


class PairError(CrossarcError, ValueError):
    """Two treebanks that are not the same text."""


def word_place(treebank: Treebank, row: int) -> str:
    """Say where a word is: file, line, sentence and word."""
    sentence = int(np.searchsorted(treebank.word_offsets, row, side="right")) - 1
    source, line = treebank.origin(sentence)
    word = row - int(treebank.word_offsets[sentence]) + 1
    if line:
        asides = slice(int(treebank.aside_offsets[sentence]), int(treebank.aside_offsets[sentence + 1]))
        line += word - 1 + int((treebank.aside_before[asides] <= word).sum())
    return f"{source}{f':{line}' if line else ''}: sentence {treebank[sentence].id}, word {word}"


def different_sentences(gold: Treebank, system: Treebank) -> PairError:
    """Say where the sentences of two treebanks with different words first differ."""
    shorter = min(len(gold), len(system))
    for index in range(shorter):
        ours, theirs = gold[index], system[index]
        same = (a == b for a, b in zip(ours.forms, theirs.forms, strict=False))
        different = next((place for place, equal in enumerate(same) if not equal), None)
        if different is not None:
            return PairError(
                f"{word_place(system, theirs.first_row + different)} is {_quoted(theirs.forms[different])}, but "
                f"{word_place(gold, ours.first_row + different)} is {_quoted(ours.forms[different])}: {_REMEDY}"
            )
        if len(ours) != len(theirs):
            return PairError(
                f"{theirs.place} has {len(theirs)} words, but {ours.place} has {len(ours)}: "
                + (_truncated(gold, system) if index == shorter - 1 else _REMEDY)
            )
    longer, ending = (gold, system) if len(gold) > len(system) else (system, gold)
    return PairError(
        f"{_name(ending)} ends after {len(ending):,} sentences, but {_name(longer)} has {len(longer):,} and goes on "
        f"with {longer[shorter].place}: " + _truncated(gold, system)
    )


def different_characters(gold: PlacedText, system: PlacedText) -> PairError:
    """Say where the characters of two texts first differ."""
    ours, theirs = gold.characters, system.characters
    pairs = enumerate(zip(ours, theirs, strict=False))
    common = next((place for place, (one, other) in pairs if one != other), min(len(ours), len(theirs)))
    if common == min(len(ours), len(theirs)):
        return _ended(gold, system, common)
    # Where the words begin that hold the first difference: "Bob" against "Bo" differs only behind "Bo".
    begin = min(int(text.token_begins[_token_at(text, common)]) for text in (system, gold))
    places = []
    for text in (system, gold):
        token = _token_at(text, begin)
        places.append(f"{word_place(text.treebank, int(text.first_rows[token]))} is {_quoted(text.tokens[token])}")
    return PairError(f"{places[0]}, but {places[1]}: {_REMEDY}")


def _ended(gold: PlacedText, system: PlacedText, common: int) -> PairError:
    longer, ending = (gold, system) if len(gold.characters) > len(system.characters) else (system, gold)
    token = _token_at(longer, common)
    return PairError(
        f"{_name(ending.treebank)} ends after {len(ending.treebank):,} sentences, but {_name(longer.treebank)} goes on "
        f"with {word_place(longer.treebank, int(longer.first_rows[token]))}, {_quoted(longer.tokens[token])}: "
        + _truncated(gold.treebank, system.treebank)
    )


def _token_at(text: PlacedText, character: int) -> int:
    return int(np.searchsorted(text.token_ends, character, side="right"))


def _truncated(gold: Treebank, system: Treebank) -> str:
    shorter = "system output" if system.words <= gold.words else "gold standard"
    return f"is the {shorter} cut short?"


def _name(treebank: Treebank) -> str:
    return ", ".join(treebank.sources[:3])


def _quoted(text: str) -> str:
    return f'"{text if len(text) <= 40 else text[:40] + "…"}"'
