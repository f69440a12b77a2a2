"""Arcs over the words of many sentences, as parsers build them and encodings restore trees from them. O(words)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Ids, Offsets, offsets_of, positions_of


@dataclass(frozen=True, eq=False)
class Arcs:
    """Arcs, or links without direction, over the words of many sentences, as parsers build them.

    Sentence i has arcs `offsets[i]` to `offsets[i + 1]` and words `word_offsets[i]` to `word_offsets[i + 1]`; heads and
    dependents are word numbers in the sentence, 0 is the root. Of a link, `heads` has the left word. `labels` are
    numbers of the labels that the parser predicts.
    """

    heads: Ids
    dependents: Ids
    labels: Ids
    offsets: Offsets
    word_offsets: Offsets

    @classmethod
    def from_heads(cls, heads: ArrayLike, labels: ArrayLike, word_offsets: ArrayLike) -> Arcs:
        """Return the arcs of heads and labels by word; a word with head -1 has no arc."""
        head_of, label_of = np.asarray(heads, np.int32), np.asarray(labels, np.int32)
        offsets = np.ascontiguousarray(word_offsets, np.int64)
        attached = head_of >= 0
        dependents = positions_of(offsets)[attached]
        return cls(head_of[attached], dependents, label_of[attached], offsets_of(attached)[offsets], offsets)

    def by_word(self) -> tuple[Ids, Ids]:
        """Return the head and the label of each word, -1 where no arc gives it one; of several arcs the last counts."""
        head_of = np.full(int(self.word_offsets[-1]), -1, np.int32)
        label_of = head_of.copy()
        rows = np.repeat(self.word_offsets[:-1], np.diff(self.offsets)) + self.dependents - 1
        head_of[rows] = self.heads
        label_of[rows] = self.labels
        return head_of, label_of

    def __len__(self) -> int:
        return len(self.word_offsets) - 1

    def sentence(self, index: int) -> list[tuple[int, int, int]]:
        """Return the arcs (head, dependent, label) of a sentence."""
        within = slice(int(self.offsets[index]), int(self.offsets[index + 1]))
        columns = (self.heads[within].tolist(), self.dependents[within].tolist(), self.labels[within].tolist())
        return list(zip(*columns, strict=True))
