"""Systems against each other on one gold standard: differences, intervals, tests, and what may be said about them.

For every measure each pair of systems is tested (`crossarc.evaluation.significance`); Holm's correction is over the
pairs of a measure. O(pairs · samples · sentences).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..errors import CrossarcError
from .measures import TITLES, Measure, Measurer
from .score import plain
from .scores import Scores
from .significance import bootstrap, holm, interval, mcnemar_corrected, mcnemar_exact, shuffled

Interval = tuple[float, float]


@dataclass(frozen=True)
class PairTest:
    """Two systems, by their numbers from 0, on one measure; `difference` is that of the second to the first.

    `only_first` and `only_second` count what one system has right and the other wrong, for McNemar's test; they are
    None where the two do not have as many things to be right about. `shuffled` is `exact` if all ways were tried. What
    is undefined, because a system has nothing to be precise about, is nan.
    """

    first: int
    second: int
    difference: float
    interval: Interval
    only_first: int | None
    only_second: int | None
    mcnemar_exact: float | None
    mcnemar_corrected: float | None
    shuffled: float
    exact: bool
    corrected: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self) | {
            "difference": plain(self.difference),
            "interval": [plain(end) for end in self.interval],
            "shuffled": plain(self.shuffled),
            "corrected": plain(self.corrected),
        }


@dataclass(frozen=True)
class MeasureComparison:
    """All systems on one measure: their values, intervals, and tests of all pairs."""

    key: str
    values: tuple[float, ...]
    intervals: tuple[Interval, ...]
    pairs: tuple[PairTest, ...]

    @property
    def title(self) -> str:
        """The name of the measure."""
        return TITLES[self.key]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "values": [plain(value) for value in self.values],
            "intervals": [[plain(end) for end in ends] for ends in self.intervals],
            "pairs": [pair.to_dict() for pair in self.pairs],
        }


def compare_scores(systems: Sequence[Scores], samples: int, seed: int) -> list[MeasureComparison]:
    """Compare the scores of several systems against the same gold standard."""
    if samples < 1:
        raise CrossarcError(f"{samples} samples tell nothing: ask for 1 or more, 10,000 are usual")
    all_measures = [Measurer(scores).measures() for scores in systems]
    keys = [key for key in TITLES if all(key in measures for measures in all_measures)]
    measures = [[own[key] for key in keys] for own in all_measures]
    drawn = bootstrap([[one.counts for one in own] for own in measures], samples, seed)
    couples = list(combinations(range(len(systems)), 2))
    chances = [
        shuffled([one.counts for one in measures[a]], [one.counts for one in measures[b]], samples, seed)
        for a, b in couples
    ]
    compared = []
    for place, key in enumerate(keys):
        corrected = holm([chance[place][0] for chance in chances])
        tests = [
            _pair_test(couple, [own[place] for own in measures], drawn[:, place], chance[place], adjusted)
            for couple, chance, adjusted in zip(couples, chances, corrected, strict=True)
        ]
        values = tuple(own[place].value for own in measures)
        intervals = tuple(interval(own) for own in drawn[:, place])
        compared.append(MeasureComparison(key, values, intervals, tuple(tests)))
    return compared


def _pair_test(
    couple: tuple[int, int],
    measures: Sequence[Measure],
    drawn: np.ndarray[Any, np.dtype[np.float64]],
    chance: tuple[float, bool],
    corrected: float,
) -> PairTest:
    first, second = couple
    only_first = only_second = exact = chi_squared = None
    one, other = measures[first].items, measures[second].items
    as_many = np.array_equal(measures[first].counts[:, 1], measures[second].counts[:, 1])
    if one is not None and other is not None and as_many:
        only_first, only_second = int(np.count_nonzero(one & ~other)), int(np.count_nonzero(other & ~one))
        exact, chi_squared = mcnemar_exact(only_first, only_second), mcnemar_corrected(only_first, only_second)
    return PairTest(
        first,
        second,
        measures[second].value - measures[first].value,
        interval(drawn[second] - drawn[first]),
        only_first,
        only_second,
        exact,
        chi_squared,
        *chance,
        corrected,
    )
