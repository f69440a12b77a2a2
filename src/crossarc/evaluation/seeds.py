"""Parsers that were trained several times: is one better than another, whatever the seed and the sentences?

Each parser has several outputs, of one seed each, for the same sentences. Both seeds and sentences are drawn by chance,
crossed with each other, so that the variance of a mean is that of the two-way random-effects model: the variance
between seeds plus the variance between sentences, less what is in both, that of single sentences with single seeds
(Owen 2007, The pigeonhole bootstrap); never less than either. The variance between sentences of a ratio is that of its
linear approximation. A difference is tested by t with the degrees of freedom of Welch and Satterthwaite; Holm's
correction is over the pairs of a measure for the verdict, and over all measures beside. O(outputs · sentences).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from .._arrays import Doubles
from .attachment import PlainData
from .comparison import LEVEL, NOT_EQUAL, TITLES, Measurer, probability_text
from .scores import Scores
from .significance import Counts, holm

Interval = tuple[float, float]
_STEPS, _HALVINGS = 200, 50


@dataclass(frozen=True)
class SeedTest(PlainData):
    """Two parsers, by their numbers from 0, on one measure; `difference` is that of the second to the first.

    `seed_error` and `sentence_error` are the standard errors of the difference that seeds and sentences alone would
    give, `error` that of both together. `corrected` is by Holm over the pairs, `corrected_all` over all measures, too.
    """

    first: int
    second: int
    difference: float
    interval: Interval
    seed_error: float
    sentence_error: float
    error: float
    freedom: float
    probability: float
    corrected: float = math.nan
    corrected_all: float = math.nan


@dataclass(frozen=True)
class SeedMeasure(PlainData):
    """All parsers on one measure: their means over seeds, the standard deviations between seeds, tests of all pairs."""

    key: str
    values: tuple[float, ...]
    deviations: tuple[float, ...]
    pairs: tuple[SeedTest, ...]

    @property
    def title(self) -> str:
        """The name of the measure."""
        return TITLES[self.key]


def compare_seeds(groups: Sequence[Sequence[Scores]]) -> list[SeedMeasure]:
    """Compare parsers by the scores of their outputs, one for each seed and at least two."""
    measured = [[Measurer(scores).measures() for scores in group] for group in groups]
    keys = [key for key in TITLES if all(key in measures for group in measured for measures in group)]
    couples = list(combinations(range(len(groups)), 2))
    values = {key: [[measures[key].value for measures in group] for group in measured] for key in keys}
    tests: dict[str, list[SeedTest]] = {}
    for key in keys:
        counts = [np.stack([measures[key].counts for measures in group]) for group in measured]
        tests[key] = [seed_test(counts[a], counts[b], (a, b)) for a, b in couples]
    every = holm([test.probability for key in keys for test in tests[key]])
    compared = []
    for number, key in enumerate(keys):
        pairs = holm([test.probability for test in tests[key]])
        overall = every[number * len(couples) : (number + 1) * len(couples)]
        corrected = [
            SeedTest(**{**vars(test), "corrected": among_pairs, "corrected_all": among})
            for test, among_pairs, among in zip(tests[key], pairs, overall, strict=True)
        ]
        means = tuple(float(np.mean(of_seeds)) for of_seeds in values[key])
        deviations = tuple(float(np.std(of_seeds, ddof=1)) for of_seeds in values[key])
        compared.append(SeedMeasure(key, means, deviations, tuple(corrected)))
    return compared


def seed_test(first: Counts, second: Counts, couple: tuple[int, int] = (0, 1)) -> SeedTest:
    """Test two parsers by their counts: seeds × sentences × numerator and denominator of a measure."""
    values = [_values(counts) for counts in (first, second)]
    difference = float(values[1].mean() - values[0].mean())
    if math.isnan(difference):
        return SeedTest(*couple, difference, (math.nan, math.nan), *[math.nan] * 5)
    shares = [_influences(counts, of_seeds) for counts, of_seeds in zip((first, second), values, strict=True)]
    sentences = first.shape[1]
    seeds = [float(of_seeds.var(ddof=1)) / len(of_seeds) for of_seeds in values]
    # The sum of squares about 0: the influences of all sentences on a ratio add up to 0.
    whole = shares[1].mean(axis=0) - shares[0].mean(axis=0)
    scale = sentences / max(1, sentences - 1)
    between_sentences = scale * float((whole**2).sum())
    in_both = sum(scale * float(share.var(axis=0, ddof=1).sum()) / len(share) for share in shares)
    variance = max(sum(seeds) + between_sentences - in_both, sum(seeds), between_sentences)
    parts = [(seeds[0], len(first) - 1), (seeds[1], len(second) - 1), (between_sentences, max(1, sentences - 1))]
    squares = sum(part**2 / degrees for part, degrees in parts)
    freedom = variance**2 / squares if squares else math.inf
    error = math.sqrt(variance)
    probability = t_probability(abs(difference) / error, freedom) if error else float(difference == 0)
    reach = t_quantile(LEVEL, freedom) * error if error else 0.0
    bounds = (difference - reach, difference + reach)
    errors = (math.sqrt(sum(seeds)), math.sqrt(between_sentences), error)
    return SeedTest(*couple, difference, bounds, *errors, freedom, probability)


def _values(counts: Counts) -> Doubles:
    """Return the measure of each seed; 0 / 0 is nan."""
    sums = counts.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        values: Doubles = sums[:, 0] / sums[:, 1]
    return values


def _influences(counts: Counts, values: Doubles) -> Doubles:
    """Return how much each sentence moves the measure of each seed, to first order."""
    wholes = counts[:, :, 1].sum(axis=1)
    moved: Doubles = (counts[:, :, 0] - values[:, None] * counts[:, :, 1]) / wholes[:, None]
    return moved


def t_probability(value: float, freedom: float) -> float:
    """Return the probability that t is as far from 0 as this, on both sides.

    >>> round(t_probability(2.776445, 4), 6)
    0.05
    """
    if math.isinf(freedom):
        return math.erfc(value / math.sqrt(2))
    return _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + value * value))


def t_quantile(probability: float, freedom: float) -> float:
    """Return how far from 0, on both sides, t is with this probability; by halving an interval."""
    low, high = 0.0, 1.0
    while t_probability(high, freedom) > probability:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if t_probability(middle, freedom) > probability else (low, middle)
    return high


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction (Lentz)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    least = 1e-300
    c, d = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or least)
    total = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for factor in (even, odd):
            d = 1 / ((1 + factor * d) or least)
            c = (1 + factor / c) or least
            total *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return math.exp(log_front) * total / a


def seed_verdict(measure: SeedMeasure, names: Sequence[str], seeds: Sequence[int], sentences: int) -> list[str]:
    """Return a sentence or two for each pair of parsers, and the caveats that hold for all."""
    points = [_about(test, measure.title, names) for test in measure.pairs]
    outputs = ", ".join(f"{name} {count}" for name, count in zip(names, seeds, strict=True))
    caveat = (
        f"Seeds ({outputs}) and sentences ({sentences:,}) are both taken for drawn by chance: this is about training "
        "again, and about text like this."
    )
    if min(seeds) < 5:
        caveat += " So few seeds show large differences only: five or more of each are better."
    if len(measure.pairs) > 1:
        caveat += f" Probabilities are corrected for {len(measure.pairs)} comparisons (Holm)."
    return [*points, caveat]


def _about(test: SeedTest, title: str, names: Sequence[str]) -> str:
    if math.isnan(test.difference):
        return f"{title}: it cannot be measured of {names[test.first]} and {names[test.second]}."
    better, worse = (
        (names[test.second], names[test.first]) if test.difference > 0 else (names[test.first], names[test.second])
    )
    low, high = sorted(100 * end if test.difference > 0 else -100 * end for end in test.interval)
    size = f"{100 * abs(test.difference):.2f} points on average (95 % interval {low:.2f} to {high:.2f})"
    chance = f"p = {probability_text(test.corrected)}"
    if test.corrected <= LEVEL:
        return f"{title}: {better} is better than {worse} by {size}, more than seeds and sentences explain ({chance})."
    return f"{title}: {better} is ahead of {worse} by {size}, but that may well be chance ({chance}). {NOT_EQUAL}"
