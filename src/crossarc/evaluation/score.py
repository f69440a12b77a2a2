"""Counts of what is right, and the precision, recall and F that follow from them.

A ratio whose denominator is 0 is undefined (nan), as in the papers' tables ("–"), not 0. O(1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


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
