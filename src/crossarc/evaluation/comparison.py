"""Systems against each other on one gold standard: differences, intervals, tests, and what may be said about them.

Systems are compared by measures, sentence by sentence, so that sentences can be shuffled and drawn anew: each is a
ratio of sums over the sentences of the gold standard; what a system has in places that are no gold words belongs to the
sentence in which it begins. For every measure each pair of systems is tested (`crossarc.evaluation.significance`);
Holm's correction is over the pairs of a measure. In the verdict the randomised paired test decides, after the
correction, at the level 0.05. O(pairs · samples · sentences).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from .._arrays import Doubles, Flags
from .attachment import PlainData, exact_sentences, plain, ratio
from .scores import Scores
from .significance import Counts, bootstrap, holm, interval, mcnemar_corrected, mcnemar_exact, shuffled
from .strict import sentences_of_system

Interval = tuple[float, float]

#: What is less probable than this counts as no chance.
LEVEL = 0.05
_FEW_SENTENCES = 100
NOT_EQUAL = "It does not show that they are equally good either."


@dataclass(frozen=True)
class PairTest(PlainData):
    """Two systems, by their numbers from 0, on one measure; `difference` is that of the second to the first.

    `only_first` and `only_second` count what one system has right and the other wrong, for McNemar's test; they are
    None where the two are not scored on the same number of items in each sentence. `shuffled` is `exact` if all ways
    were tried. A ratio with the denominator 0 is undefined, and so are its difference and its test: nan.
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


@dataclass(frozen=True)
class MeasureComparison(PlainData):
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
        return {name: plain(getattr(self, name)) for name in ("values", "intervals", "pairs")}


def compare_scores(systems: Sequence[Scores], samples: int, seed: int) -> list[MeasureComparison]:
    """Compare the scores of several systems against the same gold standard."""
    all_measures = [Measurer(scores).measures() for scores in systems]
    keys = [key for key in TITLES if all(key in measures for measures in all_measures)]
    measures = [[by_key[key] for key in keys] for by_key in all_measures]
    drawn = bootstrap([[measure.counts for measure in of_system] for of_system in measures], samples, seed)
    couples = list(combinations(range(len(systems)), 2))
    chances = [
        shuffled(
            [measure.counts for measure in measures[a]], [measure.counts for measure in measures[b]], samples, seed
        )
        for a, b in couples
    ]
    compared = []
    for number, key in enumerate(keys):
        corrected = holm([chance[number][0] for chance in chances])
        tests = [
            _pair_test(
                couple, [of_system[number] for of_system in measures], drawn[:, number], chance[number], adjusted
            )
            for couple, chance, adjusted in zip(couples, chances, corrected, strict=True)
        ]
        values = tuple(of_system[number].value for of_system in measures)
        intervals = tuple(interval(values) for values in drawn[:, number])
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
    ours, theirs = measures[first].items, measures[second].items
    as_many = np.array_equal(measures[first].counts[:, 1], measures[second].counts[:, 1])
    if ours is not None and theirs is not None and as_many:
        only_first, only_second = int(np.count_nonzero(ours & ~theirs)), int(np.count_nonzero(theirs & ~ours))
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


# What may be said


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
        lacking = [names[system] for system in (test.first, test.second) if math.isnan(measure.values[system])]
        return f"{title}: {' and '.join(lacking)} cannot be measured by it, so that there is nothing to compare."
    better, worse = (second, first) if test.difference > 0 else (first, second)
    ends = sorted(-end if test.difference < 0 else end for end in test.interval)
    interval = f"95 % interval {100 * ends[0]:.2f} to {100 * ends[1]:.2f}"
    if test.difference == 0:
        return f"{title}: {first} and {second} have the same score ({interval}). {NOT_EQUAL}"
    size = f"{100 * abs(test.difference):.2f} points ({interval})"
    chance = f"p = {probability_text(test.corrected)}"
    if test.corrected <= LEVEL:
        said = f"{title}: {better} is better than {worse} by {size}, more than chance would explain ({chance})."
    else:
        said = f"{title}: {better} is ahead of {worse} by {size}, but that may well be chance ({chance}). {NOT_EQUAL}"
    return said + _disagreement(test)


def _disagreement(test: PairTest) -> str:
    """Say so where McNemar's test sees it differently."""
    if test.mcnemar_exact is None or (test.mcnemar_exact <= LEVEL) == (test.shuffled <= LEVEL):
        return ""
    sees = "a difference" if test.mcnemar_exact <= LEVEL else "none"
    return (
        f" (McNemar's test, p = {probability_text(test.mcnemar_exact)}, sees {sees}; it takes the words of a sentence "
        "for independent, which they are not.)"
    )


def probability_text(value: float) -> str:
    """Write a probability; that of shuffles is never 0."""
    return f"{value:.4f}" if value >= 0.0001 else "0.0001 or less"


#: Keys and titles of the measures, in order.
TITLES = {
    "uas": "UAS",
    "las": "LAS",
    "label": "label accuracy",
    "uas_without_punctuation": "UAS no punctuation",
    "las_without_punctuation": "LAS no punctuation",
    "exact_unlabelled": "exact unlabelled",
    "exact_labelled": "exact labelled",
    "strict_f": "non-proj. strict F",
    "strict_labelled_f": "strict labelled F",
    "strict_precision": "non-proj. strict P",
    "strict_recall": "non-proj. strict R",
    "clas": "CLAS",
    "mlas": "MLAS",
    "blex": "BLEX",
}


@dataclass(frozen=True, eq=False)
class Measure:
    """For each sentence the numerator and the denominator; and which of the counted items are right.

    `items` are words, arcs or sentences of the gold standard; None where those of the system are counted.
    """

    counts: Counts
    items: Flags | None

    @property
    def value(self) -> float:
        """The measure over all sentences."""
        return ratio(*self.counts.sum(axis=0).tolist())


class Measurer:
    """The measures of one system."""

    def __init__(self, scores: Scores) -> None:
        """Find out to which sentence of the gold standard each word of the system belongs."""
        self._scores = scores
        self._pair = scores.pair
        self._system_sentence = sentences_of_system(scores.pair)

    def measures(self) -> dict[str, Measure]:
        """Return all measures that the files have columns for."""
        pair, scores = self._pair, self._scores
        every, some = scores.every_word, scores.no_punctuation
        measures = {
            "uas": self._words(pair.head_correct, every),
            "las": self._words(pair.both_correct, every),
            "label": self._words(pair.label_correct, every),
            "uas_without_punctuation": self._words(pair.head_correct, some),
            "las_without_punctuation": self._words(pair.both_correct, some),
            "exact_unlabelled": self._exact(pair.head_correct),
            "exact_labelled": self._exact(pair.both_correct),
        }
        measures |= self._nonprojective()
        if scores.official is not None:
            correct, content = scores.official.correct, scores.official.content
            measures |= {key: self._words(correct[key.upper()], content) for key in ("clas", "mlas", "blex")}
        return measures

    def _nonprojective(self) -> dict[str, Measure]:
        """The strict scores of non-projective arcs: what is right is non-projective in both trees."""
        pair = self._pair
        ours, theirs = (classes.nonprojective for classes in self._scores.arc_classes)
        heads, relations = (
            right & ours[pair.gold_rows] & theirs[pair.system_rows] for right in (pair.head_correct, pair.both_correct)
        )
        right = pair.spread(heads, gold=True)
        correct = self._of_gold(right)
        return {
            "strict_f": self._words(heads, (ours, theirs)),
            "strict_labelled_f": self._words(relations, (ours, theirs)),
            "strict_precision": Measure(np.stack([correct, self._of_system(theirs)], axis=1), None),
            "strict_recall": Measure(np.stack([correct, self._of_gold(ours)], axis=1), right[ours]),
        }

    def _words(self, correct: Flags, counted: tuple[Flags, Flags]) -> Measure:
        """An F score over words: twice what is right of the words of both sides."""
        right = self._pair.spread(correct, gold=True) & counted[0]
        wholes = self._of_gold(counted[0]) + self._of_system(counted[1])
        return Measure(np.stack([2 * self._of_gold(right), wholes], axis=1), right[counted[0]])

    def _exact(self, correct: Flags) -> Measure:
        exact = exact_sentences(self._pair, correct, *self._scores.every_word)
        return Measure(np.stack([exact, np.ones(len(exact))], axis=1).astype(float), exact)

    def _of_gold(self, flags: Flags) -> Doubles:
        return np.bincount(self._pair.gold.sentence[flags], minlength=self._scores.sentences).astype(float)

    def _of_system(self, flags: Flags) -> Doubles:
        return np.bincount(self._system_sentence[flags], minlength=self._scores.sentences).astype(float)
