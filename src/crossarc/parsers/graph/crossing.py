"""Crossed arcs of graph parsers: what gold arcs say of them, and the penalty that suits development data.

An arc is crossed if another arc of the tree crosses it; arcs from the artificial root count. A network learns what a
crossed arc gains or loses (`models.neural.biaffine`); a penalty lowers that for all of them. It is chosen by the strict
F of non-projective arcs on development data: an arc is found if it is non-projective in both trees and has the right
head. O(words) for marks; a decoding of the development data for each penalty that is tried.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..._arrays import Flags
from ...training.report import DevScores

#: The largest share of arcs into punctuation that may be crossed in training data where none is to be in parsing.
MOST_CROSSED = 0.002
#: The largest share of crossed arcs in training data with which they get scores of their own by default. Measured, in
#: docs/guide/graph-parsing.md: where crossings are rare, far fewer are wrong; where they are not, other heads suffer.
RARE = 0.02
#: How much LAS a penalty may cost, from 0 to 1.
MOST_LOST = 0.0005
#: The penalties that are tried, and those of networks that score crossed arcs, which may also cross too rarely.
PENALTIES = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0)
OF_CROSSED_SCORES = (-2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def leaves_punctuation_uncrossed(crossed: Flags, punctuation: Flags) -> bool:
    """Whether at most 0.2 % of the arcs into punctuation are crossed; not, if there is none."""
    return bool(punctuation.any()) and int((crossed & punctuation).sum()) <= MOST_CROSSED * int(punctuation.sum())


def crossings_are_rare(crossed: Flags) -> bool:
    """Whether at most 2 % of the arcs are crossed."""
    return int(crossed.sum()) <= RARE * len(crossed)


def best_penalty(penalties: Sequence[float], scores: Sequence[DevScores]) -> tuple[float, DevScores]:
    """Return the penalty with the best strict F of non-projective arcs, and its scores; 0 is among the penalties.

    Of equal ones that with the best LAS, then the smallest. Those that lose more than 0.05 points of LAS are left out.

    >>> best_penalty([0, 1, 2, 3], [DevScores(0.9 - x / 1e4, strict_f=x) for x in (0.0, 0.2, 0.2, 9.0)])[0]
    1
    """
    tried = dict(zip(penalties, scores, strict=True))
    least = (tried[0].las or 0.0) - MOST_LOST

    def rank(penalty: float) -> tuple[float, float, float]:
        return tried[penalty].strict_f or 0.0, tried[penalty].las or 0.0, -abs(penalty)

    best = max((penalty for penalty in penalties if (tried[penalty].las or 0.0) >= least), key=rank)
    return best, tried[best]
