"""Sentences of texts: their numbers, where paragraphs begin, and texts that have a sentence on each line.

O(characters).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

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
            yield _lines_together(segmenter, lines, begin, threads)
            begin, length, lines = begin + length, 0, []
        lines.append(line)
        length += len(line)
    if any(line.strip() for line in lines):
        yield _lines_together(segmenter, lines, begin, threads)


def _lines_together(segmenter: Segmenter, lines: Sequence[str], begin: int, threads: int) -> Segmentation:
    parts = []
    place = 0
    for line, found in zip(lines, segmenter.segment_all(lines, threads=threads), strict=True):
        if len(found.final) <= segmenter.cutter.most_words:
            final = np.zeros(len(found.final), bool)
            final[-1:] = True
            found = replace(found, final=final)
        parts.append(replace(found, begin=place))
        place += len(line)
    return replace(Segmentation.joined("".join(lines), parts), begin=begin)


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
