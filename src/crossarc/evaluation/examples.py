"""Sentences worth looking at: the worst ones, and for each common kind of error the plainest sentence that has it.

A kind of error is a gold relation, the relation in its place, and whether the head is right. Of the sentences with the
most common kinds, the one with the fewest other errors is shown, of several the shortest. O(words).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .pair import Pair

_SHORTEST, _LONGEST = 6, 30  # words of a sentence that is shown
_WORST, _INSTRUCTIVE = 3, 6


@dataclass(frozen=True)
class Example:
    """A sentence by its number from 0, and why it is shown."""

    index: int
    reason: str


def worst_sentences(pair: Pair) -> list[Example]:
    """Return the sentences with the smallest share of right arcs, of several the longest; only of readable length."""
    if not pair.same_words:
        return []
    lengths = pair.gold.lengths
    right = np.bincount(pair.gold.sentence[pair.both_correct], minlength=len(lengths))
    chosen = np.flatnonzero((lengths >= _SHORTEST) & (lengths <= _LONGEST) & (right < lengths))
    order = np.lexsort((chosen, -lengths[chosen], right[chosen] / lengths[chosen]))[:_WORST]
    return [Example(index, f"{right[index]} of {lengths[index]} arcs are right") for index in chosen[order].tolist()]


def instructive_sentences(pair: Pair) -> list[Example]:
    """Return a plain sentence for each of the most common kinds of error."""
    if not pair.same_words:
        return []
    wrong = np.flatnonzero(~pair.both_correct)
    sentences = pair.gold.sentence[wrong]
    errors = np.bincount(sentences, minlength=len(pair.gold.lengths))
    ours, theirs = pair.gold.deprel[wrong].astype(np.int64), pair.system.deprel[wrong]
    kinds = (ours * len(pair.pool) + theirs) * 2 + pair.head_correct[wrong]
    codes, inverse, counts = np.unique(kinds, return_inverse=True, return_counts=True)
    order = np.lexsort((sentences, pair.gold.lengths[sentences], errors[sentences]))
    examples: list[Example] = []
    for kind in np.argsort(-counts, kind="stable").tolist():
        own = (int(sentences[place]) for place in order[inverse[order] == kind].tolist())
        shown = {example.index for example in examples}
        index = next((one for one in own if pair.gold.lengths[one] >= _SHORTEST and one not in shown), None)
        if index is not None:
            examples.append(Example(index, f"{_kind(pair, int(codes[kind]))}: {counts[kind]:,} words"))
        if len(examples) == _INSTRUCTIVE:
            break
    return examples


def _kind(pair: Pair, code: int) -> str:
    labels, right_head = divmod(code, 2)
    gold, system = (pair.pool.text(id) for id in divmod(labels, len(pair.pool)))
    if gold == system:
        return f"{gold} at the wrong head"
    return f"{gold} taken for {system}" + ("" if right_head else ", at the wrong head")
