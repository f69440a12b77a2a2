"""The measures that systems are compared by, sentence by sentence, so that sentences can be shuffled and drawn anew.

Each is a ratio of sums over the sentences of the gold standard; what a system has in places that are no gold words
belongs to the sentence in which it begins. O(words).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._arrays import Doubles, Flags, Ids, Offsets
from .attachment import exact_sentences
from .pair import Pair
from .scores import Scores
from .significance import Counts

#: Keys and titles of the measures, in order.
TITLES = {
    "uas": "UAS",
    "las": "LAS",
    "label": "label accuracy",
    "uas_without_punctuation": "UAS no punctuation",
    "las_without_punctuation": "LAS no punctuation",
    "exact_unlabelled": "exact unlabelled",
    "exact_labelled": "exact labelled",
    "nonprojective_precision": "non-projective P",
    "nonprojective_recall": "non-projective R",
    "nonprojective_both": "non-proj. F in both",
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
        part, whole = self.counts.sum(axis=0)
        return float(part / whole) if whole else float("nan")


class Measurer:
    """The measures of one system."""

    def __init__(self, scores: Scores) -> None:
        """Find out to which sentence of the gold standard each word of the system belongs."""
        self._scores = scores
        self._pair = scores.pair
        self._system_sentence = _sentences_of_system(scores.pair)

    def measures(self) -> dict[str, Measure]:
        """Return all measures that the files have columns for."""
        pair, scores = self._pair, self._scores
        every, some = scores.every_word, scores.no_punctuation
        found = {
            "uas": self._words(pair.head_correct, every),
            "las": self._words(pair.both_correct, every),
            "label": self._words(pair.label_correct, every),
            "uas_without_punctuation": self._words(pair.head_correct, some),
            "las_without_punctuation": self._words(pair.both_correct, some),
            "exact_unlabelled": self._exact(pair.head_correct),
            "exact_labelled": self._exact(pair.both_correct),
        }
        ours, theirs = (classes.nonprojective for classes in scores.arc_classes)
        right = pair.both_correct
        found |= {
            "nonprojective_precision": Measure(
                np.stack([self._of_system(pair.spread(right, gold=False) & theirs), self._of_system(theirs)], axis=1),
                None,
            ),
            "nonprojective_recall": Measure(
                np.stack([self._of_gold(pair.spread(right, gold=True) & ours), self._of_gold(ours)], axis=1),
                pair.spread(right, gold=True)[ours],
            ),
            "nonprojective_both": self._words(right & theirs[pair.system_rows], (ours, theirs)),
        }
        if scores.official is not None:
            correct, content = scores.official.correct, scores.official.content
            found |= {key: self._words(correct[key.upper()], content) for key in ("clas", "mlas", "blex")}
        return found

    def _words(self, correct: Flags, counted: tuple[Flags, Flags]) -> Measure:
        """An F score over words: twice what is right of the words of both sides."""
        right = self._pair.spread(correct, gold=True) & counted[0]
        wholes = self._of_gold(counted[0]) + self._of_system(counted[1])
        return Measure(np.stack([2 * self._of_gold(right), wholes], axis=1), right[counted[0]])

    def _exact(self, correct: Flags) -> Measure:
        exact = exact_sentences(self._pair, correct, *self._scores.every_word)
        return Measure(np.stack([exact, np.ones(len(exact))], axis=1).astype(float), exact)

    def _of_gold(self, flags: Flags) -> Doubles:
        return _count(self._pair.gold.sentence[flags], len(self._pair.gold.lengths))

    def _of_system(self, flags: Flags) -> Doubles:
        return _count(self._system_sentence[flags], len(self._pair.gold.lengths))


def _count(sentences: Ids, number: int) -> Doubles:
    return np.bincount(sentences, minlength=number).astype(float)


def _sentences_of_system(pair: Pair) -> Ids:
    if pair.same_words:
        return pair.gold.sentence
    begins = pair.gold.text.word_begins[pair.gold.offsets[:-1]]
    sentences: Offsets = np.searchsorted(begins, pair.system.text.word_begins, side="right") - 1
    return sentences.astype(np.int32)
