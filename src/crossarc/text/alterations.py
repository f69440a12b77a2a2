"""Training data of segmenters as people write and paste texts: altered a little in every epoch.

Texts lack final stops, spaces after commas and capitals, and have line breaks where treebanks have none: within
sentences, where lines become long, and behind sentences, headings and the points of lists. They also have what a
treebank has seldom or never (`insertions`). O(tokens).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .boundaries import Paragraph
from .insertions import (
    NO_HABITS,
    Abbreviation,
    Habits,
    Tokens,
    drawn,
    token,
    with_abbreviation,
    with_insertion,
    with_speech,
)
from .surface import SurfaceToken

#: How often each alteration is made: of sentences, tokens or paragraphs.
_NO_FINAL_STOP = 0.05
_NO_SPACE = 0.02
_LOWER_CASE = 0.05
_LINE_BREAKS = 0.1
_ABBREVIATION = 0.13
_SELDOM = 0.22
_ENOUGH_SENTENCES = 2000
#: Of paragraphs: a sentence on each line, with marks of a list or none; a heading on a line of its own; speech.
_SENTENCE_LINES, _HEADING, _SPEECH = 0.1, 0.04, 0.04
_LINE = 72
_FINAL_STOPS = frozenset(".!?…。")
#: Before the points of a list; the last one is the number of each.
_BULLETS = ("", "", "-", "*", "•", "–", "1")
#: Words of a heading, and of a fragment.
_MOST_OF_HEADING = 6
#: How the words of a heading are written, more often with one capital.
_HEADING_CASES = (str.upper, str.title, str.title)
#: How the lines of a text are written, mostly as they are.
_CASES = (None, None, None, None, str.lower, str.upper)


def altered(
    paragraph: Paragraph,
    random: np.random.Generator,
    abbreviations: Sequence[Abbreviation] = (),
    sentences: int = _ENOUGH_SENTENCES,
    habits: Habits = NO_HABITS,
) -> Paragraph:
    """Return a paragraph as people type or paste it.

    `sentences`: how many the training data have; where they are few, what they lack would drown what they have.
    `habits`: what is put in goes by those of the training data.
    """
    share = min(1.0, sentences / _ENOUGH_SENTENCES)
    changed: list[Tokens] = []
    for tokens in paragraph:
        if random.random() < _NO_FINAL_STOP:
            tokens = _without_stop(tokens)
        tokens = _without_spaces(tokens, random)
        if abbreviations and random.random() < share * _ABBREVIATION:
            tokens = with_abbreviation(tokens, abbreviations, random, habits.names)
        if random.random() < share * _SELDOM:
            tokens = with_insertion(tokens, random, whole_hyphens=habits.whole_hyphens)
        changed.append(tokens)
    if len(changed) > 1 and random.random() < share * _SPEECH:
        index = int(random.integers(len(changed) - 1))
        changed[index : index + 2] = [with_speech(changed[index], changed[index + 1], random)]
    if random.random() < share * _HEADING:
        changed = [*_heading(changed[0], random), *changed]
    if random.random() < _LOWER_CASE:
        changed = [_in_case(tokens, str.lower) for tokens in changed]
    if random.random() < share * _SENTENCE_LINES:
        return _sentence_lines(changed, random)
    return _in_lines(changed) if random.random() < _LINE_BREAKS else changed


def _without_stop(tokens: Tokens) -> Tokens:
    if len(tokens) < 3 or tokens[-1].text not in _FINAL_STOPS:
        return tokens
    return [*tokens[:-2], tokens[-2]._replace(spaces=tokens[-1].spaces or " ")]


def _without_spaces(tokens: Tokens, random: np.random.Generator) -> Tokens:
    return [word._replace(spaces="") if word.text in ",;:" and random.random() < _NO_SPACE else word for word in tokens]


def _in_case(tokens: Tokens, case: Callable[[str], str]) -> Tokens:
    return [word._replace(text=case(word.text)) for word in tokens]


def _in_lines(sentences: Paragraph) -> Paragraph:
    """Break lines where they become long."""
    column = 0

    def broken(word: SurfaceToken) -> SurfaceToken:
        nonlocal column
        column += len(word.text) + len(word.spaces)
        if column <= _LINE or word.spaces != " ":
            return word
        column = 0
        return word._replace(spaces="\n")

    return [[broken(word) for word in tokens] for tokens in sentences]


def _sentence_lines(sentences: Paragraph, random: np.random.Generator) -> Paragraph:
    """Put each sentence on a line of its own, as the points of a list or without marks, with or without final stops."""
    bullet, case = drawn(_BULLETS, random), drawn(_CASES, random)
    change = drawn((None, _without_stop, _fragment), random)
    changed = []
    for number, tokens in enumerate(sentences, 1):
        tokens = tokens if change is None else change(tokens)
        tokens = tokens if case is None else _in_case(tokens, case)
        begin = [token(str(number), ""), token(".")] if bullet == "1" else [token(bullet)] if bullet else []
        changed.append([*begin, *tokens[:-1], tokens[-1]._replace(spaces="\n")])
    return changed


def _fragment(tokens: Tokens) -> Tokens:
    """Return the first words of a sentence, up to a mark."""
    ends = [index for index, word in enumerate(tokens[:_MOST_OF_HEADING], 1) if word.spaces and word.text[-1].isalnum()]
    return tokens[: ends[-1]] if ends else tokens


def _heading(tokens: Tokens, random: np.random.Generator) -> Sequence[Tokens]:
    """Return the first words of a sentence as a heading on a line of its own, if these are words alone."""
    words = tokens[: int(random.integers(1, _MOST_OF_HEADING))]
    if not all(word.spaces and len(word.words) == 1 and word.text.isalpha() for word in words):
        return ()
    case = drawn(_HEADING_CASES, random)
    heading = [token(case(word.text)) for word in words]
    return ([*heading[:-1], heading[-1]._replace(spaces="\n")],)
