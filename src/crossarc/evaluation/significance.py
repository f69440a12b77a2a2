"""Whether a difference between two systems may be chance: McNemar's test, shuffling, the bootstrap, Holm's correction.

- *McNemar*: of the words that exactly one of two systems has right, does each have half? Exact by the binomial
  distribution, or by chi-squared with the correction of Edwards. It takes words for independent, which those of one
  sentence are not, so that it finds differences a little too easily.
- *Shuffling* (randomised paired test, as in Bikel's comparator of parsers): for each sentence a coin decides whether
  the two systems change places; how often is the difference at least as large as it was? Where few sentences differ,
  all ways are tried and the answer is exact.
- *Bootstrap*: sentences are drawn again, as many as there are; the middle 95 % of the differences are an interval.

A measure is a ratio of sums over sentences. Random bits come from PCG64, whose numbers numpy keeps the same: the same
seed gives the same answer everywhere. O(samples · sentences).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from .._arrays import AnyArray, Doubles, Offsets

#: For each sentence the numerator and the denominator of a measure.
Counts = Doubles

_MOST_ENUMERATED = 13  # sentences: 8,192 ways
_MOST_ENTRIES = 1 << 24  # of a matrix of choices
_TOLERANCE = 1e-12


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """Return the probability of so uneven a division, both sides, if each of these words fell to either by a coin.

    >>> round(mcnemar_exact(1, 9), 9)
    0.021484375
    """
    number, fewer = only_first + only_second, min(only_first, only_second)
    # From the largest term down, until terms no longer matter.
    term = math.exp(
        math.lgamma(number + 1) - math.lgamma(fewer + 1) - math.lgamma(number - fewer + 1) - number * math.log(2)
    )
    total = 0.0
    for place in range(fewer, -1, -1):
        total += term
        if term < total * 1e-18:
            break
        term *= place / (number - place + 1)
    return min(1.0, 2 * total)


def mcnemar_corrected(only_first: int, only_second: int) -> float:
    """Return the probability of McNemar's chi-squared with one degree of freedom, corrected for continuity."""
    number = only_first + only_second
    if number == 0:
        return 1.0
    statistic = max(0, abs(only_first - only_second) - 1) ** 2 / number
    return math.erfc(math.sqrt(statistic / 2))


def shuffled(first: Sequence[Counts], second: Sequence[Counts], samples: int, seed: int) -> list[tuple[float, bool]]:
    """Return for each measure the probability of so large a difference by chance, and whether it is exact.

    `first` and `second` have the counts of two systems, an array of two columns for each measure.
    """
    answers: list[tuple[float, bool] | None] = []
    for one, other in zip(first, second, strict=True):
        few = np.flatnonzero((one != other).any(axis=1))
        if not (one[:, 1].any() and other[:, 1].any()):
            answers.append((math.nan, True))  # one of them is undefined, and so is the difference
            continue
        answers.append((_enumerated(one, other, few), True) if len(few) <= _MOST_ENUMERATED else None)
    left = [place for place, answer in enumerate(answers) if answer is None]
    if left:
        found = _sampled([first[place] for place in left], [second[place] for place in left], samples, seed)
        for place, probability in zip(left, found, strict=True):
            answers[place] = (probability, False)
    return [answer for answer in answers if answer is not None]


def _enumerated(first: Counts, second: Counts, differing: NDArray[np.intp]) -> float:
    choices = np.arange(2 ** len(differing))[:, None] >> np.arange(len(differing)) & 1
    extreme = _Exchange([first], [second], differing).extreme(choices)
    return float(extreme[0] / len(choices))


def _sampled(first: Sequence[Counts], second: Sequence[Counts], samples: int, seed: int) -> list[float]:
    different = [(one != other).any(axis=1) for one, other in zip(first, second, strict=True)]
    differing = np.flatnonzero(np.any(different, axis=0))
    exchange = _Exchange(first, second, differing)
    bits = np.random.PCG64(seed)
    extreme = np.zeros(len(first), np.int64)
    words = -(-len(differing) // 64)
    for rows in _chunks(samples, words * 64):
        raw = np.asarray(bits.random_raw(rows * words), np.uint64).astype("<u8").reshape(rows, words)
        extreme += exchange.extreme(np.unpackbits(raw.view(np.uint8), axis=1, count=len(differing)))
    # The division as it was counts as one of the ways, so that no probability is 0.
    return [float(number + 1) / (samples + 1) for number in extreme.tolist()]


class _Exchange:
    """What becomes of the measures of two systems that change places in some of the sentences that differ."""

    def __init__(self, first: Sequence[Counts], second: Sequence[Counts], differing: NDArray[np.intp]) -> None:
        self._sums = [np.stack([counts.sum(axis=0) for counts in own]) for own in (first, second)]
        moved = [other[differing] - one[differing] for one, other in zip(first, second, strict=True)]
        columns = np.concatenate(moved, axis=1)
        self._moved = _exact_type(columns, np.abs(columns).sum(axis=0).max(initial=0.0))
        self._observed = np.abs(_values(self._sums[0]) - _values(self._sums[1]))

    def extreme(self, choices: AnyArray) -> Offsets:
        """Count for each measure the choices whose difference is at least as large as that of the systems as they are.

        A difference that is undefined for some choice counts as large, which is the cautious side.
        """
        moved = (choices.astype(self._moved.dtype) @ self._moved).astype(float).reshape(len(choices), -1, 2)
        differences = np.abs(_values(self._sums[0] + moved) - _values(self._sums[1] - moved))
        large: Offsets = np.count_nonzero(~(differences < self._observed - _TOLERANCE), axis=0)
        return large


def _exact_type(counts: Counts, largest: float) -> AnyArray:
    """Take numbers of half the size if no sum of these whole numbers can be larger than what they hold exactly."""
    return counts.astype(np.float32) if largest < 2**24 else counts


def bootstrap(systems: Sequence[Sequence[Counts]], samples: int, seed: int) -> Doubles:
    """Return the values of each system's measures on sentences drawn anew: systems × measures × samples."""
    counts = np.concatenate([counts for measures in systems for counts in measures], axis=1)
    sentences = len(counts)
    columns = _exact_type(counts, sentences * counts.max(initial=0.0))
    bits = np.random.PCG64(seed)
    drawn = []
    for rows in _chunks(samples, sentences):
        weights = np.empty((rows, sentences), columns.dtype)
        for row in range(rows):
            raw = np.asarray(bits.random_raw(-(-sentences // 2)), np.uint64).astype("<u8").view("<u4")
            places = raw[:sentences].astype(np.int64)
            places *= sentences
            places >>= 32  # a number below the number of sentences
            weights[row] = np.bincount(places, minlength=sentences)
        drawn.append(weights @ columns)
    sums = np.concatenate(drawn).astype(float).reshape(samples, len(systems), -1, 2)
    return np.moveaxis(_values(sums), 0, -1)


def interval(values: Doubles, level: float = 0.95) -> tuple[float, float]:
    """Return the middle share of some values; those that are undefined do not count."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return math.nan, math.nan
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def holm(probabilities: Sequence[float]) -> list[float]:
    """Correct for several comparisons: the smallest counts as often as there are, the next once less, and so on.

    What is undefined (nan) is no comparison.

    >>> holm([0.01, 0.5, 0.03])
    [0.03, 0.5, 0.06]
    """
    corrected = [math.nan] * len(probabilities)
    defined = [place for place, probability in enumerate(probabilities) if not math.isnan(probability)]
    largest = 0.0
    for rank, place in enumerate(sorted(defined, key=lambda place: probabilities[place])):
        largest = max(largest, min(1.0, (len(defined) - rank) * probabilities[place]))
        corrected[place] = largest
    return corrected


def _values(sums: Doubles) -> Doubles:
    """Divide the last dimension's first by its second; 0 / 0 is nan."""
    with np.errstate(invalid="ignore", divide="ignore"):
        quotients: Doubles = sums[..., 0] / sums[..., 1]
    return quotients


def _chunks(samples: int, width: int) -> Iterator[int]:
    """Cut samples into runs of rows: many, since a product of few rows costs as much, but no more than memory holds."""
    size = max(16, min(512, _MOST_ENTRIES // max(1, width)))
    for start in range(0, samples, size):
        yield min(size, samples - start)
