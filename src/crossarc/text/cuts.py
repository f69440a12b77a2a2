"""Where texts are cut: the classes of characters, and what they are learnt from.

Every character has a class: a token ends with it, or a sentence, or neither; a token that ends may be of several words.
Training data are the texts of a treebank with their gold classes, altered a little in every epoch, since texts that
people paste lack final stops, spaces after commas and capitals, and have line breaks where treebanks have none.
O(characters).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from .._arrays import Ids
from .surface import SurfaceToken

INSIDE, TOKEN, SENTENCE, MULTIWORD, MULTIWORD_SENTENCE = range(5)
CLASSES = 5

#: How often each alteration is made: of sentences, tokens or paragraphs.
_NO_FINAL_STOP = 0.05
_NO_SPACE = 0.02
_LOWER_CASE = 0.05
_LINE_BREAKS = 0.1
_LINE = 72
_FINAL_STOPS = frozenset(".!?…。")


class CutText(NamedTuple):
    """A text with the class of each of its characters."""

    text: str
    classes: Ids


class Paragraph(NamedTuple):
    """The tokens of the sentences of a paragraph."""

    sentences: tuple[Sequence[SurfaceToken], ...]


def paragraphs_of(sentences: Iterable[tuple[bool, list[SurfaceToken]]], most: int = 25) -> list[Paragraph]:
    """Gather sentences into paragraphs; those of treebanks without any have at most so many sentences."""
    found: list[list[list[SurfaceToken]]] = []
    for begins, tokens in sentences:
        if not tokens:
            continue
        if begins or not found or len(found[-1]) >= most:
            found.append([])
        found[-1].append(tokens)
    return [Paragraph(tuple(one)) for one in found]


def cut_text(paragraph: Paragraph) -> CutText:
    """Return the text of a paragraph with its gold classes."""
    pieces: list[str] = []
    ends: list[tuple[int, int]] = []
    length = 0
    for number, tokens in enumerate(paragraph.sentences):
        for place, token in enumerate(tokens):
            last = place == len(tokens) - 1
            length += len(token.text)
            several = len(token.words) > 1
            kind = (MULTIWORD_SENTENCE if last else MULTIWORD) if several else (SENTENCE if last else TOKEN)
            ends.append((length - 1, kind))
            spaces = token.spaces if not last or number < len(paragraph.sentences) - 1 else ""
            pieces += (token.text, spaces)
            length += len(spaces)
    text = "".join(pieces)
    classes = np.zeros(len(text), np.int32)
    for place, kind in ends:
        classes[place] = kind
    return CutText(text, classes)


def altered(paragraph: Paragraph, random: np.random.Generator) -> Paragraph:
    """Return a paragraph as people type or paste it."""
    sentences = [
        _without_spaces(_without_stop(tokens) if random.random() < _NO_FINAL_STOP else tokens, random)
        for tokens in paragraph.sentences
    ]
    if random.random() < _LOWER_CASE:
        sentences = [[_lower(token) for token in tokens] for tokens in sentences]
    if random.random() < _LINE_BREAKS:
        sentences = _in_lines(sentences)
    return Paragraph(tuple(sentences))


def _without_stop(tokens: Sequence[SurfaceToken]) -> Sequence[SurfaceToken]:
    if len(tokens) < 3 or tokens[-1].text not in _FINAL_STOPS:
        return tokens
    return [*tokens[:-2], tokens[-2]._replace(spaces=tokens[-1].spaces or " ")]


def _without_spaces(tokens: Sequence[SurfaceToken], random: np.random.Generator) -> Sequence[SurfaceToken]:
    return [
        token._replace(spaces="") if token.text in ",;:" and random.random() < _NO_SPACE else token for token in tokens
    ]


def _lower(token: SurfaceToken) -> SurfaceToken:
    lower = token.text.lower()
    # Some letters become two: the text would have other places.
    return token._replace(text=lower) if len(lower) == len(token.text) else token


def _in_lines(sentences: Sequence[Sequence[SurfaceToken]]) -> list[Sequence[SurfaceToken]]:
    """Break lines where they become long."""
    found: list[Sequence[SurfaceToken]] = []
    column = 0
    for tokens in sentences:
        own = []
        for token in tokens:
            column += len(token.text) + len(token.spaces)
            if column > _LINE and token.spaces == " ":
                token, column = token._replace(spaces="\n"), 0
            own.append(token)
        found.append(own)
    return found
