"""Undirected graphs over the words of many sentences: what undirected parsers build (2012, Section 3).

A link joins two words, or the artificial root 0 and a word. The links of a sentence must be a forest; it need not be
connected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..structure.heads import Offsets
from .base import EncodingError, Labels


@dataclass(frozen=True, eq=False)
class Links:
    """Links as arrays: sentence i has links `link_offsets[i]` to `link_offsets[i + 1]`; left < right; 0 is the root.

    `labels` are numbers of the encoding's `encoded_labels`.
    """

    left: Labels
    right: Labels
    labels: Labels
    link_offsets: Offsets
    word_offsets: Offsets

    @classmethod
    def from_lists(cls, links: Iterable[Iterable[tuple[int, int, int]]], words: Sequence[int]) -> Links:
        """Make links from a list of (word, other word, label) and a number of words for each sentence."""
        sentences = [list(sentence) for sentence in links]
        if len(sentences) != len(words):
            raise EncodingError(f"{len(sentences)} lists of links for {len(words)} sentences")
        rows = np.array([link for sentence in sentences for link in sentence], np.int32).reshape(-1, 3)
        return cls(
            np.minimum(rows[:, 0], rows[:, 1]),
            np.maximum(rows[:, 0], rows[:, 1]),
            np.ascontiguousarray(rows[:, 2]),
            _offsets([len(sentence) for sentence in sentences]),
            _offsets(words),
        )

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.word_offsets) - 1

    def sentence(self, index: int) -> list[tuple[int, int, int]]:
        """Return the links (left, right, label) of a sentence."""
        own = slice(int(self.link_offsets[index]), int(self.link_offsets[index + 1]))
        return list(zip(self.left[own].tolist(), self.right[own].tolist(), self.labels[own].tolist(), strict=True))


def _offsets(lengths: Sequence[int]) -> Offsets:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
