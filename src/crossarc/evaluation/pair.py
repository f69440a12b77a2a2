"""A gold standard and a system's output on common ground: texts with the same ids, heads as rows, words aligned.

Same sentences with the same words need no alignment; CoNLL-U of one text that was cut into words or sentences in
another way is aligned as in the CoNLL 2018 shared task. Anything else is an error that names the first difference.
O(words).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import _kernel
from .._arrays import AnyArray, Flags, Ids, Offsets
from ..treebank import NO_HEAD, Treebank
from .alignment import PlacedText, Ranges, aligned_rows, different_characters, different_sentences, multiword_tokens

#: Heads that are no row.
ROOT_ROW, NO_ROW, UNALIGNED_ROW = -1, -2, -3


class Side:
    """One of the two treebanks: its columns as ids of a pool that both share, and its heads as rows."""

    def __init__(self, treebank: Treebank, new_ids: Ids | None, heads: Ids) -> None:
        """Translate ids by `new_ids`, unless it is None; `heads` stand for those of the treebank."""
        self.treebank = treebank
        self.heads = heads
        self.words = treebank.words
        #: The first row of each sentence, and the number of words.
        self.offsets = treebank.word_offsets
        #: The number of words of each sentence.
        self.lengths = np.diff(self.offsets)
        self._new_ids = new_ids

    def column(self, name: str) -> Ids:
        """Return a column of texts as ids of the common pool."""
        ids = self.treebank.column(name)
        return ids if self._new_ids is None else self._new_ids[ids]

    @cached_property
    def deprel(self) -> Ids:
        """The relations."""
        return self.column("deprel")

    @cached_property
    def sentence(self) -> Ids:
        """The sentence of each word."""
        return np.repeat(np.arange(len(self.lengths), dtype=np.int32), self.lengths)

    @cached_property
    def start(self) -> Offsets:
        """The first row of the sentence of each word."""
        return np.repeat(self.offsets[:-1], self.lengths)

    @cached_property
    def head_rows(self) -> Offsets:
        """The row of each word's head, ROOT_ROW or NO_ROW."""
        rows = self.start + self.heads - 1
        rows[self.heads == 0] = ROOT_ROW
        rows[self.heads == NO_HEAD] = NO_ROW
        return rows

    @cached_property
    def depth(self) -> Ids:
        """The number of arcs from the artificial root to each word, 0 where there is no way: only trees have none.

        Every word looks twice as far up in each round, so that rounds are few however deep a tree is.
        """
        nowhere, root = self.words, self.words + 1
        up: AnyArray = np.concatenate([self.head_rows, [nowhere, root]])
        if root < 2**31:
            up = up.astype(np.int32)  # half the memory to go through
        up[up == ROOT_ROW] = root
        up[up < 0] = nowhere
        steps = np.ones(self.words + 2, np.int32)
        steps[[nowhere, root]] = 0
        for _ in range(int(self.lengths.max(initial=1)).bit_length()):
            steps += steps[up]
            up = up[up]
            if up.min() >= nowhere:
                break
        steps[up != root] = 0
        return steps[: self.words]

    @cached_property
    def broken(self) -> Ids:
        """The sentences whose heads are no tree."""
        return np.unique(self.sentence[self.depth == 0])

    @cached_property
    def ranges(self) -> Ranges:
        """The multiword tokens."""
        return multiword_tokens(self.treebank)

    @cached_property
    def text(self) -> PlacedText:
        """The characters, and where the words are."""
        return PlacedText(self.treebank, self.ranges)


@dataclass(frozen=True, eq=False)
class Pair:
    """Both sides and which of their words stand for each other.

    `gold_rows` and `system_rows` select the aligned words of columns of either side, one behind the other; they are
    slices of everything where both have the same words.
    """

    gold: Side
    system: Side
    pool: _kernel.StringPool
    gold_rows: Offsets | slice
    system_rows: Offsets | slice

    @property
    def same_words(self) -> bool:
        """Whether both sides have the same words in the same sentences."""
        return isinstance(self.gold_rows, slice)

    @cached_property
    def aligned(self) -> int:
        """The number of aligned words."""
        return self.gold.words if isinstance(self.gold_rows, slice) else len(self.gold_rows)

    def gold_row_of(self, rows: Offsets) -> Offsets:
        """Return the gold rows that rows of the system stand for; ROOT_ROW stays, others become UNALIGNED_ROW."""
        if isinstance(self.gold_rows, slice) or isinstance(self.system_rows, slice):
            return rows
        table = np.full(self.system.words + 3, UNALIGNED_ROW, np.int64)  # the last three for negative rows
        table[self.system_rows] = self.gold_rows
        table[ROOT_ROW] = ROOT_ROW
        return table[rows]

    def spread(self, flags: Flags, *, gold: bool) -> Flags:
        """Turn something known of aligned words into something of all words of one side; False for the others."""
        rows = self.gold_rows if gold else self.system_rows
        if isinstance(rows, slice):
            return flags
        result = np.zeros(self.gold.words if gold else self.system.words, bool)
        result[rows] = flags
        return result

    # Of the aligned words

    @cached_property
    def head_correct(self) -> Flags:
        """Which have the right head."""
        found = self.gold_row_of(self.system.head_rows)[self.system_rows]
        return np.equal(found, self.gold.head_rows[self.gold_rows])

    @cached_property
    def label_correct(self) -> Flags:
        """Which have the right relation."""
        return np.equal(self.gold.deprel[self.gold_rows], self.system.deprel[self.system_rows])

    @cached_property
    def both_correct(self) -> Flags:
        """Which have the right head and relation."""
        return self.head_correct & self.label_correct


def make_pair(gold: Treebank, system: Treebank, system_heads: Ids | None = None) -> Pair:
    """Put two treebanks side by side; `system_heads` stand for heads that make no trees."""
    pool, new_ids = gold.pool, None
    if gold.pool is not system.pool:
        pool = _kernel.StringPool()
        pool.merge(gold.pool)  # gives every string the id that it has
        new_ids = pool.merge(system.pool)
    first = Side(gold, None, gold.head)
    second = Side(system, new_ids, system.head if system_heads is None else system_heads)
    if np.array_equal(gold.word_offsets, system.word_offsets) and np.array_equal(
        first.column("form"), second.column("form")
    ):
        return Pair(first, second, pool, slice(None), slice(None))
    if gold.format != "conllu" or system.format != "conllu":
        raise different_sentences(gold, system)
    if first.text.characters != second.text.characters:
        raise different_characters(first.text, second.text)
    gold_of = aligned_rows(first.text, second.text)
    aligned = np.flatnonzero(gold_of >= 0)
    return Pair(first, second, pool, gold_of[aligned], aligned)
