"""The strict scores of non-projective arcs: an arc is right if it is non-projective in both trees and its head is.

With labels, its relation has to be right, too. An arc that only one tree has as a non-projective one does not count,
although the other tree may have it as a projective one (`crossarc.evaluation.arc_classes` has the looser way to count).

There are few such arcs, so that every figure has a 95 % interval: Wilson's (1927), which stays honest for shares of a
few arcs and of none, where a bootstrap has no width at all. Arcs of one sentence stand or fall together, so that their
number is divided by the design effect of sentences as clusters (Kish 1965): how many times as much the share varies
between sentences as it would if arcs were independent, at least once. F is no share of arcs, but F / (2 - F) is: of the
arcs that either tree has, those that both have; its interval is carried over.

Groups are those of the gold tree for recall, those of the system's for precision, as in McDonald & Nivre (2007).
O(words) to find the arcs, then O(arcs).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import AnyArray, Doubles, Offsets
from .arc_classes import ArcClasses
from .attachment import PlainData, Score, plain
from .constructions import base_relation, construction, shows_constructions
from .error_analysis import Breakdown, Group
from .pair import Pair, Side

Interval = tuple[float, float]

_NORMAL = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations


@dataclass(frozen=True)
class StrictScore(Score):
    """Precision, recall and F on non-projective arcs, with 95 % intervals; undefined ones are nan."""

    precision_interval: Interval = (math.nan, math.nan)
    recall_interval: Interval = (math.nan, math.nan)
    f1_interval: Interval = (math.nan, math.nan)

    def to_dict(self) -> dict[str, Any]:
        names = ("precision", "recall", "f1")
        return super().to_dict() | {f"{name}_interval": plain(getattr(self, f"{name}_interval")) for name in names}


@dataclass(frozen=True)
class StrictScores(PlainData):
    """The strict scores of non-projective arcs: heads alone, heads with relations, and of groups of arcs.

    `groups` has breakdowns by construction (where relations are those of UD), relation without subtype, and part of
    speech of dependent and head, each with the largest group first.
    """

    unlabelled: StrictScore
    labelled: StrictScore
    groups: dict[str, Breakdown]


@dataclass(frozen=True, eq=False)
class NonprojectiveArcs:
    """The non-projective arcs of both sides by the rows of their dependents, and which of them are right.

    A state is 0 for an arc that is not right, 1 for one whose head is, 2 for one whose relation is right, too.
    """

    gold: Offsets
    system: Offsets
    gold_states: NDArray[np.int64]
    system_states: NDArray[np.int64]

    @classmethod
    def of(cls, pair: Pair, classes: tuple[ArcClasses, ArcClasses]) -> NonprojectiveArcs:
        """Find the non-projective arcs of a pair."""
        ours, theirs = (each.nonprojective for each in classes)
        right = ours[pair.gold_rows] & theirs[pair.system_rows] & pair.head_correct
        states = [
            pair.spread(right, gold=gold).astype(np.int64) + pair.spread(right & pair.label_correct, gold=gold)
            for gold in (True, False)
        ]
        gold, system = np.flatnonzero(ours), np.flatnonzero(theirs)
        return cls(gold, system, states[0][gold], states[1][system])


def strict_scores(pair: Pair, arcs: NonprojectiveArcs, system_sentence: AnyArray) -> StrictScores:
    """Score non-projective arcs; `system_sentence` is the gold sentence that each word of the system belongs to."""
    scores = [_score(pair, arcs, system_sentence, least) for least in (1, 2)]
    return StrictScores(scores[0], scores[1], _breakdowns(pair, arcs))


def _score(pair: Pair, arcs: NonprojectiveArcs, system_sentence: AnyArray, least: int) -> StrictScore:
    gold_sentence, theirs = pair.gold.sentence[arcs.gold], system_sentence[arcs.system]
    names = np.unique(np.concatenate([gold_sentence, theirs]))

    def counted(sentences: AnyArray) -> Doubles:
        return np.bincount(np.searchsorted(names, sentences), minlength=len(names)).astype(float)

    right = counted(gold_sentence[arcs.gold_states >= least])
    gold, system = counted(gold_sentence), counted(theirs)
    low, high = clustered_interval(right, gold + system - right)
    return StrictScore(
        int(right.sum()),
        len(arcs.gold),
        len(arcs.system),
        precision_interval=clustered_interval(right, system),
        recall_interval=clustered_interval(right, gold),
        f1_interval=(2 * low / (1 + low), 2 * high / (1 + high)),
    )


def clustered_interval(right: Doubles, number: Doubles) -> Interval:
    """Return a 95 % interval of a share, from what is right of how many in each sentence.

    >>> ones = np.ones(10)
    >>> [round(end, 3) for end in clustered_interval(np.zeros(10), ones)]
    [0.0, 0.278]
    """
    of_all = float(number.sum())
    if not of_all:
        return math.nan, math.nan
    share = float(right.sum()) / of_all
    independent = share * (1 - share) / of_all
    effect = 1.0
    if independent > 0:
        effect = max(1.0, float(((right - share * number) ** 2).sum()) / of_all**2 / independent)
    return wilson_interval(share, of_all / effect)


def wilson_interval(share: float, number: float) -> Interval:
    """Return Wilson's 95 % interval of a share of so many.

    >>> [round(end, 3) for end in wilson_interval(0.5, 10)]
    [0.237, 0.763]
    """
    square = _NORMAL**2
    middle = (share + square / (2 * number)) / (1 + square / number)
    half = _NORMAL / (1 + square / number) * math.sqrt(share * (1 - share) / number + square / (4 * number**2))
    return max(0.0, middle - half), min(1.0, middle + half)


# Groups


def _breakdowns(pair: Pair, arcs: NonprojectiveArcs) -> dict[str, Breakdown]:
    sides = (pair.gold, arcs.gold), (pair.system, arcs.system)
    groups = {}
    if _has_constructions(pair):
        groups["construction"] = _grouped(arcs, *(_named(pair, side, rows, construction) for side, rows in sides))
    relations = (_named(pair, side, rows, lambda relation, _: base_relation(relation)) for side, rows in sides)
    groups["relation"] = _grouped(arcs, *relations)
    column = "upos" if (pair.gold.treebank.column("upos") != 0).any() else "xpos"
    tags = _tags(pair, column)
    for name, head in (("part of speech", False), ("tag of the head", True)):
        names = (
            pair.pool.texts(texts[side.head_rows[rows] if head else rows])
            for texts, (side, rows) in zip(tags, sides, strict=True)
        )
        groups[name] = _grouped(arcs, *names)
    return groups


def _has_constructions(pair: Pair) -> bool:
    used = np.bincount(pair.gold.deprel, minlength=len(pair.pool))
    ids = np.flatnonzero(used).astype(np.int32)
    return bool(len(ids)) and shows_constructions(pair.pool.texts(ids))


def _named(pair: Pair, side: Side, rows: Offsets, name: Callable[[str, bool], str]) -> list[str]:
    """Name arcs by their relation and whether the dependent is to the right; each combination is asked for once."""
    codes = 2 * side.deprel[rows].astype(np.int64) + (side.head_rows[rows] < rows)
    different, numbers = np.unique(codes, return_inverse=True)
    texts = pair.pool.texts((different // 2).astype(np.int32))
    names = [name(text, bool(code % 2)) for text, code in zip(texts, different.tolist(), strict=True)]
    return [names[number] for number in numbers.tolist()]


def _tags(pair: Pair, column: str) -> tuple[AnyArray, AnyArray]:
    """The tags of the words of both sides; of aligned words the gold standard's."""
    ours = pair.gold.column(column)
    if pair.same_words:
        return ours, ours
    theirs = pair.system.column(column).copy()
    theirs[pair.system_rows] = ours[pair.gold_rows]
    return ours, theirs


def _grouped(arcs: NonprojectiveArcs, ours: Sequence[str], theirs: Sequence[str]) -> Breakdown:
    """Score the arcs of each group, those with most arcs first."""
    names = sorted({*ours, *theirs})
    of_gold, of_system = _counts(names, ours, arcs.gold_states), _counts(names, theirs, arcs.system_states)
    groups = {
        name: Group(*(Score(ours, gold, system, theirs) for ours, theirs in zip(right, right_system, strict=True)))
        for name, (gold, *right), (system, *right_system) in zip(names, of_gold, of_system, strict=True)
    }
    return dict(sorted(groups.items(), key=lambda item: (-item[1].labelled.gold - item[1].labelled.system, item[0])))


def _counts(names: Sequence[str], groups: Sequence[str], states: NDArray[np.int64]) -> list[list[int]]:
    """For each group its arcs, those that are right, and those whose relation is right, too."""
    number = {name: index for index, name in enumerate(names)}
    keys = np.fromiter((number[group] for group in groups), np.int64, len(groups))
    table = np.bincount(3 * keys + states, minlength=3 * len(names)).reshape(-1, 3)
    return [[wrong + head + both, head + both, both] for wrong, head, both in table.tolist()]


# Sentences


def sentences_of_system(pair: Pair) -> AnyArray:
    """Return the sentence of the gold standard that each word of the system belongs to: that in which it begins."""
    if pair.same_words:
        return pair.gold.sentence
    begins = pair.gold.text.word_begins[pair.gold.offsets[:-1]]
    sentences: Offsets = np.searchsorted(begins, pair.system.text.word_begins, side="right") - 1
    return sentences.astype(np.int32)
