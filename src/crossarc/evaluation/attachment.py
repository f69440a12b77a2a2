"""What a score is: counts of what is right, precision, recall and F; and the attachment scores of words.

A ratio whose denominator is 0 is undefined (nan), as in the papers' tables ("–"), not 0.

Attachment scores: how many words have the right head, the right relation, both; and whole sentences.

UAS, LAS, label accuracy, and the exact match of the 2005 paper (Section 5), labelled and unlabelled, over all words or
without some. Where both sides have the same words, precision, recall and F are the same number; else F is what the
CoNLL 2018 shared task calls the score. O(words).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Flags
from ..errors import CrossarcError
from .pair import Pair


@dataclass(frozen=True)
class Score:
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
        """Return plain data; an undefined ratio is None."""
        counts: dict[str, Any] = {"correct": self.correct, "gold": self.gold, "system": self.system}
        if self.correct_system is not None:
            counts["correct_system"] = self.correct_system
        ratios = {name: plain(getattr(self, name)) for name in ("precision", "recall", "f1")}
        return counts | ratios


def ratio(part: float, whole: float) -> float:
    """Divide; nan if the denominator is 0."""
    return part / whole if whole else math.nan


def plain(value: float) -> float | None:
    """Return a number for a program: None instead of nan, which JSON does not have."""
    return None if math.isnan(value) else value


@dataclass(frozen=True)
class Attachment:
    """The scores of all words, or of those that are not punctuation."""

    uas: Score
    las: Score
    label: Score
    exact_unlabelled: Score
    exact_labelled: Score

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {one.name: getattr(self, one.name).to_dict() for one in fields(self)}


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
    columns = [None if one is None else np.asarray(one) for one in (gold_heads, heads, gold_labels, labels, counted)]
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
