"""What a comparison of systems allows to say, in words, and what it does not.

The randomised paired test decides, after Holm's correction, at the level 0.05. O(pairs).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .comparison import MeasureComparison, PairTest

LEVEL = 0.05
_FEW_SENTENCES = 100
_NOT_EQUAL = "It does not show that they are equally good either."


def verdict(measure: MeasureComparison, names: Sequence[str], sentences: int) -> list[str]:
    """Return a sentence or two for each pair of systems, and the caveats that hold for all."""
    points = [_about(test, measure, names) for test in measure.pairs]
    caveat = (
        f"This is about text like this ({sentences:,} sentence{'' if sentences == 1 else 's'}) and about these "
        "outputs: a parser trained again with another seed, or other text, may turn out differently."
    )
    if sentences < _FEW_SENTENCES:
        caveat = f"So few sentences can show large differences only. {caveat}"
    if len(measure.pairs) > 1:
        caveat += f" Probabilities are corrected for {len(measure.pairs)} comparisons (Holm)."
    return [*points, caveat]


def _about(test: PairTest, measure: MeasureComparison, names: Sequence[str]) -> str:
    title = measure.title
    first, second = names[test.first], names[test.second]
    if math.isnan(test.difference):
        lacking = [name for name, place in ((first, test.first), (second, test.second)) if _undefined(measure, place)]
        return f"{title}: {' and '.join(lacking)} cannot be measured by it, so that there is nothing to compare."
    better, worse = (second, first) if test.difference > 0 else (first, second)
    ends = sorted(-end if test.difference < 0 else end for end in test.interval)
    interval = f"95 % interval {100 * ends[0]:.2f} to {100 * ends[1]:.2f}"
    if test.difference == 0:
        return f"{title}: {first} and {second} have the same score ({interval}). {_NOT_EQUAL}"
    size = f"{100 * abs(test.difference):.2f} points ({interval})"
    chance = f"p = {_probability(test.corrected)}"
    if test.corrected <= LEVEL:
        said = f"{title}: {better} is better than {worse} by {size}, more than chance would explain ({chance})."
    else:
        said = f"{title}: {better} is ahead of {worse} by {size}, but that may well be chance ({chance}). {_NOT_EQUAL}"
    return said + _disagreement(test)


def _undefined(measure: MeasureComparison, system: int) -> bool:
    return math.isnan(measure.values[system])


def _disagreement(test: PairTest) -> str:
    """Say so where McNemar's test sees it differently."""
    if test.mcnemar_exact is None or (test.mcnemar_exact <= LEVEL) == (test.shuffled <= LEVEL):
        return ""
    sees = "a difference" if test.mcnemar_exact <= LEVEL else "none"
    return (
        f" (McNemar's test, p = {_probability(test.mcnemar_exact)}, sees {sees}; it takes the words of a sentence for "
        "independent, which they are not.)"
    )


def _probability(value: float) -> str:
    return f"{value:.4f}" if value >= 0.0001 else "0.0001 or less"
