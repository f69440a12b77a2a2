"""Sentences of texts: their numbers, where paragraphs begin, and texts that have a sentence on each line.

O(characters).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from ..treebank import Treebank
from ..treebank.sentence import features
from .inputs import text_lines
from .segmentation import Segmentation
from .segmenter import Segmenter
from .surface import spaces_after

#: Lines are cut into words together until there are so many characters.
TOGETHER = 1 << 15
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n")


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


class Numbering:
    """Gives the sentences of a text, which may come in pieces, numbers and says where paragraphs begin."""

    def __init__(self) -> None:
        """Begin with the first sentence of a text."""
        self.number = 0
        self.begins = True

    def numbered(self, treebank: Treebank) -> Treebank:
        """Return the next sentences with `# newpar` and `# sent_id`."""
        comments = []
        for spaces in _spaces_after_sentences(treebank):
            self.number += 1
            comments.append([*(["# newpar"] if self.begins else []), f"# sent_id = {self.number}"])
            self.begins = _EMPTY_LINE.search(spaces) is not None
        return treebank.with_comments(comments)


def _spaces_after_sentences(treebank: Treebank) -> Iterator[str]:
    """Yield what stands behind the last token of each sentence."""
    last = treebank.pool.texts(treebank.column("misc")[treebank.word_offsets[1:] - 1])
    for index, misc in enumerate(last):
        sentence = treebank[index]
        several = sentence.multiword_tokens[-1:]
        yield spaces_after(several[0].misc if several and several[0].last == len(sentence) else features(misc))
