"""Where the errors are: scores by relation, arc length, sentence length, distance to the root and part of speech.

As in McDonald & Nivre (2007): recall is over the gold arcs of a group, precision over the system's arcs of that group,
lengths and distances being those of each side's own tree. Part of speech and sentence length are properties of the
word, so that there both are the gold standard's where words are aligned. Relations taken for others are counted, and
sentences worth looking at are found: the worst ones, and for each common kind of error the plainest sentence that has
it. O(words).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import AnyArray, Flags, Offsets
from .attachment import PlainData, Score
from .pair import Pair

Keys = NDArray[np.int64]

_ARC_LENGTHS = (1, 2, 3, 4, 5, 6, 7, 10, 15, 20, 30)
_SENTENCE_LENGTHS = (1, 11, 21, 31, 41, 51)
_DISTANCES = (1, 2, 3, 4, 5, 6, 7, 8)
_SHORTEST, _LONGEST = 6, 30  # words of a sentence that is shown
_WORST, _INSTRUCTIVE = 3, 6


@dataclass(frozen=True)
class Group(PlainData):
    """The scores of one group of words: heads alone, and heads with relations."""

    unlabelled: Score
    labelled: Score


Breakdown = dict[str, Group]


def by_relation(pair: Pair) -> Breakdown:
    """Group by relation, the most frequent first."""
    return _by_text(pair, pair.gold.deprel, pair.system.deprel)


def by_part_of_speech(pair: Pair) -> Breakdown:
    """Group by the dependent's tag in the gold standard, the universal (CoNLL-X: coarse) one if there are any."""
    column = "upos" if (pair.gold.treebank.column("upos") != 0).any() else "xpos"
    ours = pair.gold.column(column)
    return _by_text(pair, ours, _of_gold(pair, ours, pair.system.column(column)))


def by_arc_length(pair: Pair) -> Breakdown:
    """Group by the distance of head and dependent; arcs from the root have none."""
    sides = []
    for side in (pair.gold, pair.system):
        lengths = np.abs(np.arange(1, side.words + 1) - side.start - side.heads)
        sides.append(np.where(side.heads <= 0, 0, _binned(lengths, _ARC_LENGTHS) + 1))
    return _grouped(pair, sides[0], sides[1], ["root", *_labels(_ARC_LENGTHS)])


def by_sentence_length(pair: Pair) -> Breakdown:
    """Group by the number of words in the sentence."""
    ours, theirs = (_binned(side.lengths, _SENTENCE_LENGTHS)[side.sentence] for side in (pair.gold, pair.system))
    return _grouped(pair, ours, _of_gold(pair, ours, theirs), _labels(_SENTENCE_LENGTHS))


def by_distance_to_root(pair: Pair) -> Breakdown:
    """Group by the number of arcs from the artificial root to the word; words that it does not reach are left out."""
    ours, theirs = (_binned(side.depth, _DISTANCES) for side in (pair.gold, pair.system))
    return _grouped(pair, ours, theirs, _labels(_DISTANCES))


def by_projectivity(pair: Pair, nonprojective: Flags) -> Breakdown:
    """Group by whether the gold tree of the sentence has non-projective arcs."""
    sentences = np.bincount(pair.gold.sentence[nonprojective], minlength=len(pair.gold.lengths)) > 0
    ours = sentences[pair.gold.sentence].astype(np.int64)
    theirs = _of_gold(pair, ours, np.full(pair.system.words, -1))
    return _grouped(pair, ours, theirs, ["projective", "non-projective"])


def _of_gold(pair: Pair, ours: AnyArray, theirs: AnyArray) -> AnyArray:
    """Return what holds of the system's words if the gold standard decides where words are aligned."""
    if pair.same_words:
        return ours
    decided = theirs.copy()
    decided[pair.system_rows] = ours[pair.gold_rows]
    return decided


def _binned(values: AnyArray, starts: Sequence[int]) -> Keys:
    """Return the number of the range of each value, -1 for one before the first."""
    table = np.searchsorted(np.array(starts), np.arange(starts[-1] + 1), side="right") - 1
    bins: Keys = table[np.minimum(values, starts[-1])]
    return bins


def _labels(starts: Sequence[int]) -> list[str]:
    """Name ranges of values, the last of which is open.

    >>> _labels((1, 2, 5))
    ['1', '2–4', '5+']
    """
    ends = [*starts[1:], None]
    return [
        f"{start}+" if end is None else str(start) if end == start + 1 else f"{start}–{end - 1}"
        for start, end in zip(starts, ends, strict=True)
    ]


def _by_text(pair: Pair, ours: AnyArray, theirs: AnyArray) -> Breakdown:
    """Group by text ids, renumbered so that groups are few."""
    counts = np.bincount(ours, minlength=len(pair.pool))
    counts = counts if theirs is ours else counts + np.bincount(theirs, minlength=len(pair.pool))
    used = np.flatnonzero(counts).astype(np.int32)
    numbers = np.zeros(len(pair.pool), np.int64)
    numbers[used] = np.arange(len(used))
    first = numbers[ours]
    groups = _grouped(pair, first, first if theirs is ours else numbers[theirs], pair.pool.texts(used))
    return dict(sorted(groups.items(), key=lambda item: (-item[1].labelled.gold, item[0])))


def _grouped(pair: Pair, ours: Keys, theirs: Keys, names: Sequence[str]) -> Breakdown:
    """Score the words of each group; those of group -1 are left out, and so are empty groups."""
    # 0: the head is wrong, 1: right with a wrong relation, 2: both are right.
    state = pair.head_correct.astype(np.int64) + pair.both_correct
    of_gold = _counts(ours, state, pair.gold_rows, len(names))
    of_system = of_gold if theirs is ours else _counts(theirs, state, pair.system_rows, len(names))
    return {
        name: Group(*(Score(one, gold, system, other) for one, other in zip(right, right_system, strict=True)))
        for name, (gold, *right), (system, *right_system) in zip(names, of_gold, of_system, strict=True)
        if gold or system
    }


def _counts(keys: Keys, state: Keys, rows: Any, groups: int) -> list[list[int]]:
    """For each group its words, those with the right head, and those with the right relation too."""
    states = state
    if not isinstance(rows, slice):
        states = np.zeros(len(keys), np.int64)
        states[rows] = state
    table = np.bincount(3 * (keys + 1) + states, minlength=3 * (groups + 1)).reshape(-1, 3)[1:]
    return [[wrong + head + both, head + both, both] for wrong, head, both in table.tolist()]


# Relations taken for others


@dataclass(frozen=True)
class Confusion(PlainData):
    """A relation taken for another: how often, and how often with the right head."""

    gold: str
    system: str
    words: int
    right_head: int


def confusions(pair: Pair) -> list[Confusion]:
    """Return all pairs of relations of which one was taken for the other, the most frequent first."""
    wrong = ~pair.label_correct
    ours = pair.gold.deprel[pair.gold_rows][wrong].astype(np.int64)
    theirs = pair.system.deprel[pair.system_rows][wrong].astype(np.int64)
    codes, inverse, counts = np.unique(ours * len(pair.pool) + theirs, return_inverse=True, return_counts=True)
    right_heads = np.bincount(inverse, pair.head_correct[wrong], minlength=len(codes)).astype(np.int64)
    golds, systems = (pair.pool.texts(ids.astype(np.int32)) for ids in np.divmod(codes, max(1, len(pair.pool))))
    found = [Confusion(*values) for values in zip(golds, systems, counts.tolist(), right_heads.tolist(), strict=True)]
    return sorted(found, key=lambda one: (-one.words, one.gold, one.system))


# Sentences worth looking at


@dataclass(frozen=True)
class Example:
    """A sentence by its number from 0, and why it is shown."""

    index: int
    reason: str


def errors_by_sentence(pair: Pair) -> Offsets:
    """Return how many arcs of each gold sentence are wrong or have the wrong relation."""
    wrong = ~pair.spread(pair.both_correct, gold=True)
    return np.bincount(pair.gold.sentence[wrong], minlength=len(pair.gold.lengths))


def kinds_of_error(pair: Pair) -> dict[str, list[int]]:
    """Return all kinds of error, the most common first, each with the sentence of every word that has it."""
    wrong, codes, inverse, counts = _kinds(pair)
    sentences = pair.gold.sentence[wrong]
    order = np.argsort(inverse, kind="stable")
    groups = np.split(sentences[order], np.cumsum(counts)[:-1])
    return {
        _kind(pair, int(codes[kind])): groups[kind].tolist() for kind in np.argsort(-counts, kind="stable").tolist()
    }


def worst_sentences(pair: Pair) -> list[Example]:
    """Return the sentences with the smallest share of right arcs, of several the longest; only of readable length.

    Of several sentences with the same words, one is shown.
    """
    if not pair.same_words:
        return []
    lengths = pair.gold.lengths
    right = np.bincount(pair.gold.sentence[pair.both_correct], minlength=len(lengths))
    chosen = np.flatnonzero((lengths >= _SHORTEST) & (lengths <= _LONGEST) & (right < lengths))
    order = np.lexsort((chosen, -lengths[chosen], right[chosen] / lengths[chosen]))
    shown: dict[bytes, int] = {}
    for index in chosen[order].tolist():
        if len(shown) == _WORST:
            break
        shown.setdefault(_words(pair, index), index)
    return [Example(index, f"{right[index]} of {lengths[index]} arcs are right") for index in shown.values()]


def instructive_sentences(pair: Pair, besides: Iterable[Example] = ()) -> list[Example]:
    """Return a plain sentence for each of the most common kinds of error, other than those `besides`.

    A kind of error is a gold relation, the relation in its place, and whether the head is right. Of the sentences with
    it, the one with the fewest other errors is shown, of several the shortest.
    """
    if not pair.same_words:
        return []
    wrong, codes, inverse, counts = _kinds(pair)
    sentences = pair.gold.sentence[wrong]
    errors = np.bincount(sentences, minlength=len(pair.gold.lengths))
    order = np.lexsort((sentences, pair.gold.lengths[sentences], errors[sentences]))
    shown = {_words(pair, example.index) for example in besides}
    examples: list[Example] = []
    for kind in np.argsort(-counts, kind="stable").tolist():
        own = (int(sentences[place]) for place in order[inverse[order] == kind].tolist())
        long_enough = (one for one in own if pair.gold.lengths[one] >= _SHORTEST)
        index = next((one for one in long_enough if _words(pair, one) not in shown), None)
        if index is not None:
            examples.append(Example(index, f"{_kind(pair, int(codes[kind]))}: {counts[kind]:,} words"))
            shown.add(_words(pair, index))
        if len(examples) == _INSTRUCTIVE:
            break
    return examples


def _kinds(pair: Pair) -> tuple[Offsets, Keys, Offsets, Offsets]:
    """The words with an error, the kinds of error by code, the kind of each word, and how many words each kind has."""
    wrong = np.flatnonzero(~pair.both_correct)
    ours, theirs = pair.gold.deprel[wrong].astype(np.int64), pair.system.deprel[wrong]
    codes = (ours * len(pair.pool) + theirs) * 2 + pair.head_correct[wrong]
    return wrong, *np.unique(codes, return_inverse=True, return_counts=True)


def _words(pair: Pair, index: int) -> bytes:
    """What two sentences have in common that have the same words."""
    first, last = pair.gold.offsets[index : index + 2]
    return pair.gold.column("form")[first:last].tobytes()


def _kind(pair: Pair, code: int) -> str:
    labels, right_head = divmod(code, 2)
    gold, system = (pair.pool.text(id) for id in divmod(labels, len(pair.pool)))
    if gold == system:
        return f"{gold} at the wrong head"
    return f"{gold} taken for {system}" + ("" if right_head else ", at the wrong head")
