"""Agreement of two annotators on the same sentences: heads, labels, and how much of the labels is more than chance.

UAS and LAS are symmetric where both have the same words. Cohen's kappa (1960) of labels is the agreement beyond what
two annotators would reach who give each label as often as these do, but to any words. O(words).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..errors import CrossarcError, shown
from ..treebank import Treebank, opened
from ..treebank.reading import Source

_MOST_PAIRS = 10


@dataclass(frozen=True)
class Agreement:
    """How far two annotators agree; shares are from 0 to 1."""

    sentences: int
    words: int
    #: Sentences with the same tree and the same labels.
    same_sentences: int
    uas: float
    las: float
    label_accuracy: float
    kappa: float
    #: The pairs of labels that differ, with their numbers, most frequent first: the first annotator's, the second's.
    confusions: tuple[tuple[str, str, int], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self) | {"confusions": [list(pair) for pair in self.confusions]}


def agreement(one: Treebank | Source, other: Treebank | Source) -> Agreement:
    """Compare two annotations of the same words, as treebanks or files.

    >>> from crossarc import sample
    >>> found = agreement(sample(3), sample(3))
    >>> found.uas, found.las, found.kappa, found.confusions
    (1.0, 1.0, 1.0, ())
    """
    first, second = opened(one), opened(other)
    check_same_words(first, second)
    heads = first.head == second.head
    (names, positions), (other_names, other_positions) = (bank.distinct_texts("deprel") for bank in (first, second))
    inventory = sorted({*names, *other_names})
    number = {name: index for index, name in enumerate(inventory)}
    mine = np.array([number[name] for name in names], np.int64)[positions]
    theirs = np.array([number[name] for name in other_names], np.int64)[other_positions]
    labels = mine == theirs
    counts = [np.bincount(side, minlength=len(inventory)) / max(1, len(side)) for side in (mine, theirs)]
    observed, chance = float(labels.mean()), float((counts[0] * counts[1]).sum())
    pairs = Counter(zip(mine[~labels].tolist(), theirs[~labels].tolist(), strict=True))
    different = np.add.reduceat((~(heads & labels)).astype(np.int64), first.word_offsets[:-1])
    return Agreement(
        len(first),
        first.words,
        int((different == 0).sum()),
        float(heads.mean()),
        float((heads & labels).mean()),
        observed,
        (observed - chance) / (1 - chance) if chance < 1 else 1.0,
        tuple((inventory[a], inventory[b], count) for (a, b), count in pairs.most_common(_MOST_PAIRS)),
    )


def check_same_words(first: Treebank, second: Treebank) -> None:
    """Refuse treebanks that have other words or sentences, with the first sentence where they differ."""
    if not first.words:
        raise CrossarcError("there are no words to compare")
    for number, (mine, theirs) in enumerate(zip(first, second, strict=False), start=1):
        if mine.forms != theirs.forms:
            raise CrossarcError(
                f"sentence {number} ({shown(mine.id)}) has other words in the two files: annotators are compared on "
                "the same words; crossarc evaluate compares other ones, too"
            )
    if len(first) != len(second):
        raise CrossarcError(f"the files have {len(first):,} and {len(second):,} sentences: give the same ones")
