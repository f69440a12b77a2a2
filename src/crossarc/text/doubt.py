"""Where a network is in doubt whether a sentence ends: what stands around is read again, and others are asked.

One after the other is asked as long as there is doubt, and the mean of all log-odds decides. Networks that are wrong
are seldom so together. O(characters that are read again).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from .._arrays import Flags, Floats, Offsets, offsets_of
from .boundaries import CLASSES, SENTENCE_ENDS

#: The probabilities of a sentence's end between which another network is asked, and, of several ones, the next.
DOUBT, STILL_IN_DOUBT = (0.05, 0.95), (0.1, 0.9)
#: The least that is divided by.
_LEAST = np.float32(1e-9)


class WindowsRead(NamedTuple):
    """What a network said of the characters of windows, where the rows of each begin, and where it does in the text."""

    rows: Floats
    offsets: Offsets
    begins: Offsets

    def probabilities(self, window: int, begin: int, count: int) -> Floats:
        """Return what was said in a window of some characters from one on."""
        first = int(self.offsets[window] + begin - self.begins[window])
        return self.rows[first : first + count]


class Stretch(NamedTuple):
    """What is read again: a text, how much of it stands before what is in doubt, and the probabilities there.

    `around`: those of all of the text, as they were before anything else was asked.
    """

    text: str
    before: int
    probabilities: Floats
    around: Floats


class SentenceEnds(Protocol):
    """What is asked where a network is in doubt."""

    def sentence_ends(self, stretches: Sequence[Stretch], *, threads: int) -> Floats:
        """Return how probable it is that a sentence ends, for all characters of stretches."""


def is_between(ends: Floats, limits: tuple[float, float]) -> Flags:
    """Return which probabilities are between two."""
    between: Flags = (ends > limits[0]) & (ends < limits[1])
    return between


def sentence_ends(probabilities: Floats) -> Floats:
    """Return how probable it is that a sentence ends, by the probabilities of classes."""
    ends: Floats = probabilities[:, SENTENCE_ENDS].sum(axis=1)
    return ends


def _log_odds(probabilities: Floats) -> Floats:
    odds: Floats = np.log(np.maximum(probabilities, _LEAST)) - np.log(np.maximum(1 - probabilities, _LEAST))
    return odds


def ask(networks: Sequence[SentenceEnds], stretches: Sequence[Stretch], threads: int) -> None:
    """Put the mean of the log-odds of all networks that were asked in place of those that are in doubt."""
    if not stretches:
        return
    first = np.concatenate([stretch.probabilities for stretch in stretches])
    ends = sentence_ends(first)
    lengths = np.array([len(stretch.probabilities) for stretch in stretches])
    offsets = offsets_of(lengths)
    log_odds, asked, decided = _log_odds(ends), np.ones(len(ends), np.int32), ends
    doubtful = is_between(ends, DOUBT)
    for other in networks:
        where = np.flatnonzero(np.logical_or.reduceat(doubtful, offsets[:-1]))
        if not len(where):
            break
        rows = rows_from(offsets[:-1][where], lengths[where])
        read = other.sentence_ends([stretches[index] for index in where.tolist()], threads=threads)
        rows, read = rows[doubtful[rows]], read[doubtful[rows]]
        log_odds[rows] += _log_odds(read)
        asked[rows] += 1
        decided = np.where(asked > 1, 1 / (1 + np.exp(-log_odds / asked)), ends)
        doubtful &= is_between(decided, STILL_IN_DOUBT)
    scales = np.repeat(((1 - decided) / np.maximum(1 - ends, _LEAST))[:, None], CLASSES, axis=1)
    scales[:, SENTENCE_ENDS] = (decided / np.maximum(ends, _LEAST))[:, None]
    for stretch, changed in zip(stretches, np.split(first * scales, offsets[1:-1]), strict=True):
        stretch.probabilities[:] = changed


def rows_from(begins: Offsets, lengths: Offsets) -> Offsets:
    """Return the rows of stretches that begin at some rows and have some lengths, one behind the other."""
    return np.repeat(begins - (np.cumsum(lengths) - lengths), lengths) + np.arange(int(lengths.sum()))
