"""Texts that have a sentence on each line, and many texts that are cut together. O(characters)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from .inputs import text_lines
from .segmentation import Segmentation
from .segmenter import Segmenter

#: Lines are cut into words together until there are so many characters.
TOGETHER = 1 << 15


def segmented_lines(segmenter: Segmenter, blocks: Iterable[str], threads: int) -> Iterator[Segmentation]:
    """Yield the segmentations of a text that has one on each line; a line of more words than sentences have is cut."""
    begin, length = 0, 0
    lines: list[str] = []
    for line in text_lines(blocks):
        # Empty lines stay with the line before, which keeps them as its spaces.
        if length >= TOGETHER and line.strip():
            yield replace(segmented_texts(segmenter, ["".join(lines)], [True], threads)[0], begin=begin)
            begin, length, lines = begin + length, 0, []
        lines.append(line)
        length += len(line)
    if any(line.strip() for line in lines):
        yield replace(segmented_texts(segmenter, ["".join(lines)], [True], threads)[0], begin=begin)


def segmented_texts(
    segmenter: Segmenter, texts: Sequence[str], in_lines: Sequence[bool], threads: int
) -> list[Segmentation]:
    """Return the segmentations of many texts, which are cut together; those `in_lines` have a sentence on each line."""
    pieces = [list(text_lines([text])) if own else [text] for text, own in zip(texts, in_lines, strict=True)]
    every = iter(segmenter.segment_all([piece for own in pieces for piece in own], threads=threads))
    return [
        _of_lines(segmenter, own, list(islice(every, len(own)))) if lines else next(every)
        for own, lines in zip(pieces, in_lines, strict=True)
    ]


def _of_lines(segmenter: Segmenter, lines: Sequence[str], found: Sequence[Segmentation]) -> Segmentation:
    """Return the segmentation of a text from those of its lines, each of which is a sentence."""
    parts = []
    place = 0
    for line, own in zip(lines, found, strict=True):
        if len(own.final) <= segmenter.cutter.most_words:
            final = np.zeros(len(own.final), bool)
            final[-1:] = True
            own = replace(own, final=final)
        parts.append(replace(own, begin=place))
        place += len(line)
    return Segmentation.joined("".join(lines), parts)
