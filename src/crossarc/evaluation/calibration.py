"""Calibration: do the heads that a parser gives the probability p turn out right in a share p of all cases?

`crossarc parse --scores` writes probabilities of heads into MISC, as `Probability=`, where the scores of a parser are
their logarithms: with graph parsers. Words are put into bins by their probability; the expected calibration error is
the difference between the mean probability of a bin and its share of right heads, averaged over words (Guo et al. 2017,
Section 2). O(words), and a look at each different text in MISC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Doubles, Flags
from .attachment import PlainData, plain, ratio
from .pair import Pair

KEY = "Probability"
_BINS = 10


@dataclass(frozen=True)
class Bin(PlainData):
    """The words whose heads have a probability from `low` to `high`, the sum of these, and how many are right."""

    low: float
    high: float
    words: int
    sum: float
    right: int

    @property
    def probability(self) -> float:
        """The mean probability; nan without words."""
        return ratio(self.sum, self.words)

    @property
    def share(self) -> float:
        """The share of right heads; nan without words."""
        return ratio(self.right, self.words)

    def to_dict(self) -> dict[str, Any]:
        return {name: plain(getattr(self, name)) for name in ("low", "high", "words", "right", "probability", "share")}


@dataclass(frozen=True)
class Calibration(PlainData):
    """Words by the probability of their heads, in bins of the same width."""

    bins: tuple[Bin, ...]

    @property
    def words(self) -> int:
        """The number of words with a probability."""
        return sum(one.words for one in self.bins)

    @property
    def probability(self) -> float:
        """The mean probability of all heads."""
        return ratio(sum(one.sum for one in self.bins), self.words)

    @property
    def share(self) -> float:
        """The share of right heads."""
        return ratio(sum(one.right for one in self.bins), self.words)

    @property
    def error(self) -> float:
        """The expected calibration error, from 0 to 1."""
        return ratio(sum(abs(one.sum - one.right) for one in self.bins), self.words)

    def to_dict(self) -> dict[str, Any]:
        return {name: plain(getattr(self, name)) for name in ("words", "error", "probability", "share", "bins")}


def calibrated(probabilities: Doubles, right: Flags, bins: int = _BINS) -> Calibration:
    """Put probabilities from 0 to 1 into bins, with which of them came true.

    >>> found = calibrated(np.array([0.9, 0.9, 0.9, 0.9]), np.array([True, True, True, False]))
    >>> found.bins[9].share, round(found.error, 6)
    (0.75, 0.15)
    """
    # A little more, so that a probability that is written as 0.3 is in the bin that begins at 0.3.
    indices = np.clip((probabilities * bins + 1e-9).astype(np.int64), 0, bins - 1)
    counts = np.bincount(indices, minlength=bins).tolist()
    sums = np.bincount(indices, probabilities, minlength=bins).tolist()
    rights = np.bincount(indices[right], minlength=bins).tolist()
    columns = zip(range(bins), counts, sums, rights, strict=True)
    return Calibration(tuple(Bin(index / bins, (index + 1) / bins, *column) for index, *column in columns))


def calibration(pair: Pair) -> Calibration | None:
    """Compare the probabilities in a system's output with its right heads; None if it has no probabilities."""
    treebank = pair.system.treebank
    texts, text_of = treebank.distinct_texts("misc")
    found = np.array([_probability(text) for text in texts], np.float64)[text_of[pair.system_rows]]
    given = ~np.isnan(found)
    return calibrated(found[given], pair.head_correct[given]) if given.any() else None


def _probability(misc: str) -> float:
    """Return the probability that MISC has; nan without one.

    >>> _probability("SpaceAfter=No|Probability=0.75"), _probability("Probability=high"), _probability("_")
    (0.75, nan, nan)
    """
    for piece in misc.split("|") if KEY in misc else ():
        name, _, value = piece.partition("=")
        try:
            number = float(value) if name == KEY else -1.0
        except ValueError:
            continue
        if 0 <= number <= 1:
            return number
    return float("nan")
