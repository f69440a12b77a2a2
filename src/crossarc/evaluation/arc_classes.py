"""How well arcs of a structural class are found: non-projective ones, those that cross, and projective ones.

The class of an arc is decided in its own tree, so that "found" can mean two things, and the papers differ:

- *strict* (the measure "on non-projective dependencies only" of Nivre & Nilsson 2005, Section 5, taken literally): an
  arc is found only if it is of the class in both trees. What reports show first (`crossarc.evaluation.strict`).
- *found anywhere* (Gómez-Rodríguez & Nivre 2010, Section 6; 2013, Section 5): precision is the share of the system's
  arcs of the class that the gold tree has at all, recall the share of the gold arcs of the class that the system has at
  all. An arc that is non-projective in the gold tree may be found by an arc that is projective in the system's.

O(words) for sentences of up to 64 words, see `crossarc.structure.classify`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _kernel
from .._arrays import Flags
from ..options import checked_threads
from .attachment import PlainData, Score
from .pair import Pair, Side


@dataclass(frozen=True)
class ArcClassScores(PlainData):
    """Precision, recall and F on arcs of one class; strict ones count an arc only if it is of the class in both trees.

    Those found anywhere count an arc of the class in one tree as right if the other tree has it, of whatever class.
    """

    strict_unlabelled: Score
    strict_labelled: Score
    anywhere_unlabelled: Score
    anywhere_labelled: Score


@dataclass(frozen=True, eq=False)
class ArcClasses:
    """Of the arc into every word: whether it is non-projective, and whether it crosses another, root arcs aside."""

    nonprojective: Flags
    crossing: Flags

    @property
    def projective(self) -> Flags:
        """The other arcs."""
        return ~self.nonprojective


def arc_classes(side: Side, *, threads: int = 0) -> ArcClasses:
    """Classify the arcs of a treebank, whose heads need not all be trees."""
    heads = np.ascontiguousarray(side.heads)
    if len(side.broken):
        heads = heads.copy()
        heads[np.isin(side.sentence, side.broken)] = 0
    arrays, fault = _kernel.classify(heads, side.offsets, False, False, False, 0, checked_threads(threads))
    assert fault is None, fault
    nonprojective = arrays["arc_nonprojective"].view(np.bool_)
    crossing = arrays["arc_crossings"] > 0
    for index in side.broken.tolist():
        words = slice(int(side.offsets[index]), int(side.offsets[index + 1]))
        nonprojective[words], crossing[words] = _literal_classes(side.heads[words].tolist())
    return ArcClasses(nonprojective, crossing)


def _literal_classes(heads: list[int]) -> tuple[list[bool], list[bool]]:
    """Apply the definitions to heads with cycles or gaps: O(n²) and more, for the few sentences that are no trees."""
    ancestors: list[set[int]] = []
    for word in range(1, len(heads) + 1):
        above: set[int] = set()
        while word > 0 and word not in above:
            above.add(word)
            word = heads[word - 1]
        ancestors.append(above)
    spans = [(min(head, word), max(head, word)) for word, head in enumerate(heads, start=1)]
    nonprojective, crossing = [], []
    for head, (left, right) in zip(heads, spans, strict=True):
        below = (head in ancestors[word - 1] for word in range(left + 1, right))
        nonprojective.append(head > 0 and not all(below))
        crossing.append(
            head > 0
            and any(
                other_left > 0 and (left < other_left < right < other_right or other_left < left < other_right < right)
                for other_left, other_right in spans
            )
        )
    return nonprojective, crossing


def class_scores(
    pair: Pair, gold_class: Flags, system_class: Flags, gold_counted: Flags, system_counted: Flags
) -> ArcClassScores:
    """Score the arcs of a class into words that count."""
    ours, theirs = gold_class & gold_counted, system_class & system_counted
    totals = int(np.count_nonzero(ours)), int(np.count_nonzero(theirs))
    ours_aligned, theirs_aligned = ours[pair.gold_rows], theirs[pair.system_rows]

    def anywhere(correct: Flags) -> Score:
        in_gold, in_system = (int(np.count_nonzero(correct & flags)) for flags in (ours_aligned, theirs_aligned))
        return Score(in_gold, *totals, in_system)

    def strict(correct: Flags) -> Score:
        return Score(int(np.count_nonzero(correct & ours_aligned & theirs_aligned)), *totals)

    return ArcClassScores(
        strict(pair.head_correct), strict(pair.both_correct), anywhere(pair.head_correct), anywhere(pair.both_correct)
    )
