"""Crossed arcs of graph parsers: what gold arcs say of them, and how crossings should count by development data.

An arc is crossed if another arc of the tree crosses it; arcs from the artificial root count. A network learns how
probable it is that an arc is crossed if it is in the tree (`models.neural.biaffine`). The weight says how much that
counts beside the probability of the head, the penalty is what crossed arcs lose. Both are chosen by the strict F of
non-projective arcs on development data: an arc is found if it is non-projective in both trees and has the right head.
O(words) for marks; a decoding of the development data for each weight and penalty that are tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..._arrays import Flags
from ...training.report import DevScores

#: The largest share of arcs into punctuation that may be crossed in training data where none is to be in parsing.
MOST_CROSSED = 0.002
#: The largest share of crossed arcs in training data with which they get scores of their own by default. Measured, in
#: docs/guide/graph-parsing.md: where crossings are rare, far fewer are wrong; where they are not, other heads suffer.
RARE = 0.02
#: How much LAS crossings may cost, from 0 to 1.
MOST_LOST = 0.0005
#: How near a strict F is as good as the best, from 0 to 1.
AS_GOOD = 0.02


class Crossing(NamedTuple):
    """How crossings count where trees are compared."""

    #: How much the probability that an arc is crossed, or is not, counts beside that of its head; from 0 to 1.
    weight: float = 1.0
    #: What crossed arcs lose.
    penalty: float = 0.0


#: As probabilities say.
PLAIN = Crossing()

#: What is tried, and with networks that score crossed arcs, which may also cross too rarely.
PENALTIES = tuple(Crossing(1.0, each) for each in (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0))
OF_CROSSED_SCORES = (
    Crossing(0.0),
    *(
        Crossing(weight, penalty)
        for weight in (0.25, 0.5, 1.0)
        for penalty in (-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
    ),
)


def leaves_punctuation_uncrossed(crossed: Flags, punctuation: Flags) -> bool:
    """Whether at most 0.2 % of the arcs into punctuation are crossed; not, if there is none."""
    return bool(punctuation.any()) and int((crossed & punctuation).sum()) <= MOST_CROSSED * int(punctuation.sum())


def crossings_are_rare(crossed: Flags) -> bool:
    """Whether at most 2 % of the arcs are crossed."""
    return int(crossed.sum()) <= RARE * len(crossed)


def best_crossing(tried: Mapping[Crossing, DevScores]) -> Crossing:
    """Return how crossings count with the best strict F of non-projective arcs, or almost the best.

    What loses more than 0.05 points of LAS to the first, which knows nothing of crossings, is left out. Where dev has
    few non-projective arcs, a point of F says little: of what is within two points of the best and has no lower LAS,
    that is taken which finds the most non-projective arcs, but no more than there are, as arcs that are not there are
    worse than missed ones, and a parser that hardly ever finds one is of no use; then the best F and the best LAS.

    >>> found = [(0.0, 0.0), (0.2, 0.5), (0.21, 0.9), (0.21, 0.7), (0.21, 1.1), (9.0, 1.0)]
    >>> scores = [DevScores(0.9 - f / 1e3, strict_f=f, nonprojective=share) for f, share in found]
    >>> best_crossing({Crossing(1.0, penalty): score for penalty, score in enumerate(scores)})
    Crossing(weight=1.0, penalty=2)
    """
    least = _las(next(iter(tried.values()))) - MOST_LOST
    scores = {each: (of.strict_f or 0.0, _las(of)) for each, of in tried.items() if _las(of) >= least}
    best_f, las = max(scores.values())
    as_good = [each for each, (f, its_las) in scores.items() if f >= best_f - AS_GOOD and its_las >= las]
    return max(as_good, key=lambda each: (_found(tried[each]), *scores[each]))


def _found(scores: DevScores) -> float:
    """Return how many non-projective arcs were found for each gold one; less than nothing if they are too many."""
    share = scores.nonprojective or 0.0
    return share if share <= 1 else -share


def _las(scores: DevScores) -> float:
    return scores.las or 0.0
