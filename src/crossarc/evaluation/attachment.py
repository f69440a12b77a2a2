"""What a score is: counts of what is right, precision, recall and F; and the attachment scores of words.

A ratio whose denominator is 0 is undefined (nan), as in the papers' tables ("–"), not 0.

Attachment scores: how many words have the right head, the right relation, both; and whole sentences.

UAS, LAS, label accuracy, and the exact match of the 2005 paper (Section 5), labelled and unlabelled, over all words or
without some. Where both sides have the same words, precision, recall and F are the same number; else F is what the
CoNLL 2018 shared task calls the score. O(words).

Undirected attachment scores: arcs are right whichever end is called the head (2012, Section 6). Scored before
directions are restored, links say what a parser without directions got right by itself; the difference to the scores of
the trees is what reconstruction costs. The links of all sentences are sorted once and looked up: O(words log words).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Flags, Offsets, items_of
from ..errors import CrossarcError
from ..structure.arcs import Arcs
from .pair import Pair


def plain(value: Any) -> Any:
    """Return a value for a program: what has parts as lists and dictionaries, None instead of nan, which JSON lacks."""
    if isinstance(value, PlainData):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


@dataclass(frozen=True)
class PlainData:
    """What can be written as JSON."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; what is undefined is None."""
        return {field.name: plain(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True)
class Score(PlainData):
    """What is right of so many in the gold standard and so many in the system's output.

    `correct` is counted among those of the gold standard; `correct_system` among those of the system, where the two
    differ (`crossarc.evaluation.arc_classes`).

    >>> score = Score(correct=3, gold=4, system=6)
    >>> score.precision, score.recall, score.f1
    (0.5, 0.75, 0.6)
    """

    correct: int
    gold: int
    system: int
    correct_system: int | None = None

    @property
    def precision(self) -> float:
        """The share of what the system has that is right."""
        return ratio(self.correct if self.correct_system is None else self.correct_system, self.system)

    @property
    def recall(self) -> float:
        """The share of what the gold standard has that the system found."""
        return ratio(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; of equal numbers of words it is both."""
        if self.correct_system in (None, self.correct):
            return ratio(2 * self.correct, self.gold + self.system)
        return ratio(2 * self.precision * self.recall, self.precision + self.recall)

    def to_dict(self) -> dict[str, Any]:
        counts = {name: count for name, count in super().to_dict().items() if count is not None}
        return counts | {name: plain(getattr(self, name)) for name in ("precision", "recall", "f1")}


def ratio(part: float, whole: float) -> float:
    """Divide; nan if the denominator is 0."""
    return part / whole if whole else math.nan


@dataclass(frozen=True)
class Attachment(PlainData):
    """The scores of all words, or of those that are not punctuation."""

    uas: Score
    las: Score
    label: Score
    exact_unlabelled: Score
    exact_labelled: Score


def attachment(pair: Pair, gold_counted: Flags, system_counted: Flags) -> Attachment:
    """Score the words that are counted."""
    counted = gold_counted[pair.gold_rows]
    totals = int(np.count_nonzero(gold_counted)), int(np.count_nonzero(system_counted))

    def score(correct: Flags) -> Score:
        return Score(int(np.count_nonzero(correct & counted)), *totals)

    sentences = len(pair.gold.lengths), len(pair.system.lengths)
    return Attachment(
        score(pair.head_correct),
        score(pair.both_correct),
        score(pair.label_correct),
        *(
            Score(int(np.count_nonzero(exact_sentences(pair, correct, gold_counted, system_counted))), *sentences)
            for correct in (pair.head_correct, pair.both_correct)
        ),
    )


def exact_sentences(pair: Pair, correct: Flags, gold_counted: Flags, system_counted: Flags) -> Flags:
    """Return which gold sentences are right as a whole: all words that count, and no others in the system's."""
    right = pair.spread(correct, gold=True) | ~gold_counted
    exact: Flags = np.logical_and.reduceat(right, pair.gold.offsets[:-1]) if len(right) else np.zeros(0, bool)
    if not pair.same_words:
        # All words may be right and the system's sentence still hold more of them.
        counts = np.bincount(pair.gold.sentence[gold_counted], minlength=len(exact))
        theirs = np.bincount(pair.system.sentence[system_counted], minlength=len(pair.system.lengths))
        most = np.zeros(len(exact), np.int64)
        gold_sentences, system_sentences = pair.gold.sentence[pair.gold_rows], pair.system.sentence[pair.system_rows]
        np.maximum.at(most, gold_sentences, theirs[system_sentences])
        exact &= most == counts
    return exact


@dataclass(frozen=True)
class AttachmentScores:
    """Unlabelled and labelled attachment score of so many words."""

    uas: float
    las: float
    words: int


def attachment_scores(
    gold_heads: ArrayLike,
    heads: ArrayLike,
    gold_labels: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    counted: ArrayLike | None = None,
) -> AttachmentScores:
    """Score heads and labels of the same words, without any check of texts or trees: cheap enough for every epoch.

    Labels are ids of one pool, as in `treebank.deprel.ids` of treebanks that share it; without them LAS is nan.
    `counted` says which words count, by default all.

    >>> attachment_scores([2, 0, 2, 2], [2, 0, 1, 2], [1, 2, 3, 3], [1, 2, 3, 1])
    AttachmentScores(uas=0.75, las=0.5, words=4)
    """
    columns = [
        None if column is None else np.asarray(column) for column in (gold_heads, heads, gold_labels, labels, counted)
    ]
    size = np.size(np.asarray(gold_heads))
    for column in columns:
        if column is not None and column.shape != (size,):
            raise CrossarcError(f"{np.size(column)} values for {size} words")
    right = columns[0] == columns[1]
    mask = np.ones(size, bool) if columns[4] is None else columns[4].astype(bool)
    words = int(np.count_nonzero(mask))
    uas = ratio(int(np.count_nonzero(right & mask)), words)
    if columns[2] is None or columns[3] is None:
        return AttachmentScores(uas, math.nan, words)
    return AttachmentScores(uas, ratio(int(np.count_nonzero(right & (columns[2] == columns[3]) & mask)), words), words)


@dataclass(frozen=True)
class UndirectedAttachment(PlainData):
    """Undirected attachment scores: over gold arcs into words that count, and all links of the system into them."""

    uas: Score
    las: Score


def undirected_attachment(
    gold: Arcs, system: Arcs, counted: ArrayLike | None = None, *, labels: ArrayLike | None = None
) -> UndirectedAttachment:
    """Score links, or arcs taken as links, against the arcs of gold trees over the same words.

    Labels of both are numbers of one list; `labels` gives for each label of the system the gold one that it stands for,
    as for labels with directions. `counted` says which words count, by default all: of a gold arc its dependent, of a
    link without direction its right word.

    >>> gold = Arcs.from_heads([2, 0, 2], [1, 0, 1], [0, 3])
    >>> found = undirected_attachment(gold, Arcs.from_heads([0, 1, 2], [0, 1, 2], [0, 3]))
    >>> found.uas.correct, found.las.correct
    (2, 1)
    """
    if not np.array_equal(gold.word_offsets, system.word_offsets):
        raise CrossarcError("undirected scores need the same sentences of the same numbers of words on both sides")
    words = np.ones(int(gold.word_offsets[-1]), bool) if counted is None else np.asarray(counted, bool)
    names = system.labels if labels is None else np.asarray(labels)[system.labels]
    keys = _keys(system)
    order = np.argsort(keys, kind="stable")
    gold_keys = _keys(gold)
    counts = words[_rows(gold)]
    linked = labelled = np.zeros(len(gold_keys), bool)
    if len(keys):
        nearest = order[np.minimum(np.searchsorted(keys, gold_keys, sorter=order), len(keys) - 1)]
        linked = (keys[nearest] == gold_keys) & counts
        labelled = linked & (names[nearest] == gold.labels)
    totals = int(np.count_nonzero(counts)), int(np.count_nonzero(words[_rows(system)]))
    return UndirectedAttachment(*(Score(int(np.count_nonzero(right)), *totals) for right in (linked, labelled)))


def _rows(arcs: Arcs) -> Offsets:
    """Return the row of the word that each arc leads to; of a link that is its right word."""
    return np.repeat(arcs.word_offsets[:-1], np.diff(arcs.offsets)) + arcs.dependents - 1


def _keys(arcs: Arcs) -> Offsets:
    """Return a number for each arc that is the same for the same two words, whichever is the head."""
    sentence = items_of(arcs.offsets)
    nodes = int(np.diff(arcs.word_offsets).max(initial=0)) + 1
    left, right = np.minimum(arcs.heads, arcs.dependents), np.maximum(arcs.heads, arcs.dependents)
    keys: Offsets = (sentence * nodes + left) * nodes + right
    return keys
