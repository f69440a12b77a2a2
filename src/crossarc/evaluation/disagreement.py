"""Why two files cannot be compared: the first place where their words differ, as one line.

Looked for only after the files are known to differ; O(words).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import CrossarcError

if TYPE_CHECKING:
    from ..treebank import Treebank
    from .alignment import PlacedText


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


_REMEDY = "compare two analyses of the same text"


def _truncated(gold: Treebank, system: Treebank) -> str:
    shorter = "system output" if system.words <= gold.words else "gold standard"
    return f"is the {shorter} cut short?"


def _name(treebank: Treebank) -> str:
    return ", ".join(treebank.sources[:3])


def _quoted(text: str) -> str:
    return f'"{text if len(text) <= 40 else text[:40] + "…"}"'
