"""Fix and re-parse: what a correction of some words says about the others, and the best tree with what is kept.

A graph parser scores arcs one by one. What a person mended speaks of more: words that hung on the same wrong head often
follow to the right one, a word that got a dependent is another kind of head, conjuncts have like labels, mistakes come
again, and what the network saw otherwise with a word hidden often goes together. Such hints are added to the scores of
likely heads and labels, and the best tree of the parser's class is found that has all arcs that are kept. How labels go
together is counted in the treebank that is corrected (`Habits`). O(words · kept words + labels²) for a sentence, beside
the network, which reads it some forty times, once for all corrections.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Doubles, Flags, Ids, Offsets, different, offsets_of
from ..parsers import Parser
from ..parsers.candidates import Candidates
from ..structure.batch import crossed_arcs
from ..treebank import Treebank, from_bytes

#: How many heads of each word, and labels of each arc, are looked at.
_HEADS, _LABELS = 6, 6
#: So many words with the labels of all of them are added to those of a pair of labels.
_SMOOTHING = 20.0
#: What pairs of labels may add, for one pair and for all of a word.
_MOST_OF_PAIR, _MOST_OF_PAIRS = 3.0, 5.0
#: What a probability is at least.
_LEAST_SHARE = 1e-4

#: What each hint counts: learnt from corrections of the development parts of EWT and AGDT together, with all words kept
#: before the mended one (pretrained/correction_weights.py), but for "read before", which is chosen.
WEIGHTS: dict[str, float] = {
    "head": 0.84,
    "label": 0.83,
    "from old to new": 0.62,
    "new head under the old": 0.79,
    "new head stays": -0.36,
    "old head stays": -0.09,
    "new head, own label": -0.29,
    "old head, own label": -0.33,
    "under a moved word": -0.12,
    "root was wrong": 0.57,
    "to a new head, same tag": -0.70,
    "crosses a kept arc": 0.45,
    "crosses a kept arc, share": 0.72,
    "crosses a mended arc": -0.42,
    "another root": -0.56,
    "another root, share": 0.70,
    "same mistake, same tag": 0.59,
    "a new label": 0.23,
    "label of the lemma": 0.32,
    "lost label of the lemma": -0.10,
    "label of a sibling, same tag": -0.16,
    "label of a sibling, other tag": -0.25,
    "as a mended sibling": 1.35,
    "label of the head, mended": 0.31,
    "labels of dependents": 0.42,
    "labels of dependents, mended": 0.27,
    "labels of siblings": 0.27,
    "read before": 5.0,
    "hidden words": 0.51,
    "hidden words that fit": 0.41,
    "hidden words that fit loosely": 0.97,
}


@dataclass(frozen=True)
class Habits:
    """How labels go together in a treebank, as logarithms: how much likelier one is where the other is.

    `heads`: [label of the head, whether it is behind, label]; `dependents`: [label of the dependent, label];
    `siblings`: [label of the head, label of a sibling, label]. The last label of a head is that of the root.
    """

    heads: Doubles
    dependents: Doubles
    siblings: Doubles
    #: The logarithms of the shares of crossed arcs, and of sentences with several roots.
    crossed: float
    several_roots: float

    @classmethod
    def of(cls, treebank: Treebank, names: tuple[str, ...]) -> Habits:
        """Count in a treebank; words without head, and labels that are none of these names, are left out."""
        size = len(names)
        numbers = {name: number for number, name in enumerate(names)}
        labels = np.array([numbers.get(text, -1) for text in treebank.texts("deprel")] + [size], np.int64)
        lengths = np.diff(treebank.word_offsets)
        words = np.arange(treebank.words)
        root = treebank.words  # stands for the roots of all sentences where labels are looked up
        first = np.repeat(treebank.word_offsets[:-1], lengths)
        head = np.where(treebank.head > 0, first + treebank.head - 1, root)
        words = words[(treebank.head >= 0) & (labels[:-1] >= 0) & (labels[head] >= 0)]
        head, label, above = head[words], labels[words], labels[head[words]]
        under = np.zeros((size + 1, 2, size))
        np.add.at(under, (above, ((head > words) & (head < root)).astype(int), label), 1)
        # Words of one head are a family: roots of a sentence are, too.
        family = np.where(head < root, head, root + np.repeat(np.arange(len(lengths)), lengths)[words])
        siblings = _sibling_counts(family, above, label, size)
        prior: Doubles = under.sum(axis=(0, 1)) + 1
        prior /= prior.sum()
        either = _shares(under.sum(axis=1), prior)
        return cls(
            np.log(_shares(under, prior) / prior),
            np.clip(np.log(either / prior)[:size].T, -_MOST_OF_PAIR, _MOST_OF_PAIR),
            np.clip(np.log(_shares(siblings, either[:, None]) / either[:, None]), -_MOST_OF_PAIR, _MOST_OF_PAIR),
            *_log_shares(treebank),
        )


@lru_cache(maxsize=4)
def _no_habits(names: tuple[str, ...]) -> Habits:
    return Habits.of(from_bytes(b"", format="conllu"), names)


def _sibling_counts(family: Offsets, above: Offsets, label: Offsets, size: int) -> Doubles:
    """Count pairs of labels in each family, by the label of the head."""
    counts = np.zeros((size + 1, size, size))
    for head_label in range(size + 1):
        chosen = above == head_label
        if chosen.any():
            families = different(family[chosen])
            of_each = np.zeros((len(families), size))
            np.add.at(of_each, (np.searchsorted(families, family[chosen]), label[chosen]), 1)
            counts[head_label] = of_each.T @ of_each - np.diag(of_each.sum(axis=0))
    return counts


def _log_shares(treebank: Treebank) -> tuple[float, float]:
    """Return the logarithms of the shares of crossed arcs, and of sentences with several roots."""
    starts, ends = treebank.word_offsets[:-1].tolist(), treebank.word_offsets[1:].tolist()
    heads = [treebank.head[start:end] for start, end in zip(starts, ends, strict=True)]
    whole = [each for each in heads if len(each) and (each >= 0).all()]
    joined = np.concatenate([np.zeros(0, np.int32), *whole])
    crossed = np.count_nonzero(crossed_arcs(joined, offsets_of(map(len, whole))))
    several = sum(np.count_nonzero(each == 0) > 1 for each in whole)
    return float(np.log((crossed + 1) / (len(joined) + 20))), float(np.log((several + 0.5) / (len(whole) + 1)))


def _shares(counts: Doubles, prior: Doubles) -> Doubles:
    shares: Doubles = (counts + _SMOOTHING * prior) / (counts.sum(axis=-1, keepdims=True) + _SMOOTHING)
    return shares


class Reparsed(NamedTuple):
    """A tree that was found around what is kept, and of each head how likely it is to be wrong."""

    heads: Ids
    labels: list[str]
    doubts: Doubles


class Reparser:
    """Parses one sentence again and again, while it is corrected; the network reads it once.

    Parameters:
        parser: A graph parser, or a pipeline with one.
        sentence: A treebank of one sentence; its heads and labels are not looked at.
        habits: Of the treebank that is corrected; none if it is not known.
    """

    def __init__(self, parser: Parser, sentence: Treebank, habits: Habits | None = None, *, threads: int = 0) -> None:
        """Have the network read the sentence."""
        bare = sentence.replace(head=np.full(sentence.words, -1, np.int32), deprel=["_"] * sentence.words)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = parser.parse(bare, threads=threads, keep_heads=False)
        self.candidates = parser.candidates(bare, _HEADS, _LABELS, threads=threads)
        self._numbers = {name: number for number, name in enumerate(self.candidates.names)}
        #: The tree that the parser finds without corrections.
        self.heads, self.labels = parsed.head, self._label_ids(parsed.texts("deprel"))
        self.tags, self.lemmas = np.array(parsed.texts("upos")), np.array(parsed.texts("lemma"))
        self.habits = _no_habits(self.candidates.names) if habits is None else habits

    def _label_ids(self, texts: list[str]) -> Ids:
        return np.array([self._numbers.get(text, -1) for text in texts], np.int32)

    def again(self, kept: Flags, heads: Ids, labels: list[str]) -> Reparsed | None:
        """Return the best tree with the arcs that are kept; None where no tree of the parser's class has them.

        `heads` and `labels` of other words are those that they have now, -1 and "_" where they have none.
        """
        scores = Evidence(self, kept, heads, self._label_ids(labels)).scores()
        tree = self.candidates.best(scores, heads, kept)
        if tree is None:
            return None
        names = self.candidates.names
        texts = [
            text if keeps else names[label] for keeps, text, label in zip(kept, labels, tree[1].tolist(), strict=True)
        ]
        doubts = np.where(kept, 0.0, 1 - self.candidates.probabilities(scores, tree[0], kept))
        return Reparsed(tree[0], texts, doubts)


class Evidence:
    """What is kept of a sentence, as hints at the heads and labels of the words that are not: the free ones.

    Arrays of arcs have an axis of free words, and one of their candidate heads; those of labels have a third.
    """

    def __init__(self, reparser: Reparser, kept: Flags, heads: Ids, labels: Ids) -> None:
        """`heads` and `labels`: those that are kept, and elsewhere those that the words have now, if any."""
        self.candidates: Candidates = reparser.candidates
        self.first_heads, self.first_labels = reparser.heads, reparser.labels
        self.kept = kept
        self.heads = np.where(kept, heads, self.first_heads)
        self.labels = np.where(kept, labels, self.first_labels)
        self.habits = reparser.habits
        self.tags, self.lemmas = reparser.tags, reparser.lemmas
        moved, renamed = self.heads != self.first_heads, self.labels != self.first_labels
        #: Words whose head was mended, those whose label was, and all of them.
        self.moved, self.renamed = np.flatnonzero(kept & moved), np.flatnonzero(kept & renamed)
        self.mended = np.flatnonzero(kept & (moved | renamed))
        self.free = np.flatnonzero(~kept)
        self.to = self.candidates.heads[self.free].astype(np.int64)
        self.label = self.candidates.labels[self.free].astype(np.int64)
        self.words = self.free[:, None] + 1
        self.own_head = self.to == self.first_heads[self.free, None]
        self.own_label = self.label == self.first_labels[self.free, None, None]
        standing = self.to == heads[self.free, None]
        self.standing = standing[..., None] & (self.label == labels[self.free, None, None])

    def scores(self) -> Doubles:
        """Return the scores of the candidates of all free words, with all hints."""
        total = np.zeros(self.label.shape)
        for name, hint in self.hints():
            if hint.ndim == 2:
                hint = hint[..., None]
            total += WEIGHTS[name] * hint
        return total

    def hints(self) -> Iterator[tuple[str, Any]]:
        """Return all hints by name, of arcs or of labels."""
        yield "head", self.candidates.head_scores[self.free]
        yield "label", self.candidates.label_scores[self.free]
        yield from self._moves()
        yield from self._positions()
        yield from self._names()
        yield from self._pairs(self.habits)
        yield from self._readings()

    def _among(self, words: Any) -> Flags:
        """Return which words, from 0 on, are among some."""
        flags = np.zeros(len(self.heads) + 1, bool)
        flags[words] = True
        return flags

    def _moves(self) -> Iterator[tuple[str, Any]]:
        """What mended heads say: others leave the old head too, the two heads may change places."""
        old, new = self.first_heads[self.moved], self.heads[self.moved]
        is_old, is_new = self._among(old), self._among(new)
        first = self.first_heads[self.free]
        to, words, own = self.to[..., None], self.words[..., None], self.own_head
        yield "from old to new", ((first[:, None, None] == old) & (to == new)).any(axis=-1)
        yield "new head under the old", ((words == new) & (to == old)).any(axis=-1)
        yield "new head stays", is_new[self.words] & own
        yield "old head stays", is_old[self.words] & own
        yield "new head, own label", is_new[self.words][..., None] & self.own_label
        yield "old head, own label", is_old[self.words][..., None] & self.own_label
        yield "under a moved word", self._among(self.moved + 1)[self.to]
        yield "root was wrong", (self.to == 0) & is_old[0]
        alike = self.tags[self.free][:, None, None] == self.tags[self.moved]
        yield "to a new head, same tag", ((to == new) & alike).any(axis=-1)

    def _positions(self) -> Iterator[tuple[str, Any]]:
        """Where arcs lie: across those that are kept, before mended words."""
        crossed = self._crossed()
        yield "crosses a kept arc", crossed.any(axis=-1)
        yield "crosses a kept arc, share", crossed.any(axis=-1) * self.habits.crossed
        yield "crosses a mended arc", crossed[..., self.moved].any(axis=-1)
        another = (self.to == 0) & bool((self.heads[self.kept] == 0).any())
        # People mostly read from left to right, and leave what is right.
        before = self.free < self.mended.max(initial=-1)
        yield "read before", before[:, None, None] & self.standing
        yield "another root", another
        yield "another root, share", another * self.habits.several_roots

    def _crossed(self) -> Flags:
        """Return which candidate arcs cross the arc into which word, if that is kept; arcs of the root do not cross."""
        dependents = np.arange(1, len(self.heads) + 1)
        low, high = np.minimum(self.heads, dependents), np.maximum(self.heads, dependents)
        left = np.minimum(self.to, self.words)[..., None]
        right = np.maximum(self.to, self.words)[..., None]
        crossing = ((left < low) & (low < right) & (right < high)) | ((low < left) & (left < high) & (high < right))
        flags: Flags = crossing & (self.kept & (self.heads > 0)) & (self.to > 0)[..., None]
        return flags

    def _names(self) -> Iterator[tuple[str, Any]]:
        """What mended labels say: the same mistake elsewhere, the same lemma, siblings of the same kind."""
        old, new = self.first_labels[self.renamed], self.labels[self.renamed]
        label = self.label[..., None]
        wrong = self.first_labels[self.free][:, None] == old
        alike = self.tags[self.free][:, None] == self.tags[self.renamed]
        is_new = label == new
        yield "same mistake, same tag", (is_new & (wrong & alike)[:, None, None]).any(axis=-1)
        yield "a new label", is_new.any(axis=-1)
        kept = np.flatnonzero(self.kept)
        lemma = (self.lemmas[self.free][:, None] == self.lemmas[kept])[:, None, None]
        yield "label of the lemma", (lemma & (label == self.labels[kept])).any(axis=-1)
        lost = kept[self.labels[kept] != self.first_labels[kept]]
        lemma = (self.lemmas[self.free][:, None] == self.lemmas[lost])[:, None, None]
        yield "lost label of the lemma", (lemma & (label == self.first_labels[lost])).any(axis=-1)
        same = (self.to[..., None] == self.heads[kept])[:, :, None] & (label == self.labels[kept])
        alike = (self.tags[self.free][:, None] == self.tags[kept])[:, None, None]
        yield "label of a sibling, same tag", (same & alike).any(axis=-1)
        yield "label of a sibling, other tag", (same & ~alike).any(axis=-1)
        mended = np.isin(kept, self.mended)
        yield "as a mended sibling", (same & alike)[..., mended].any(axis=-1)

    def _pairs(self, habits: Habits) -> Iterator[tuple[str, Any]]:
        """How labels go together: with that of the head, of dependents and of siblings."""
        root = habits.heads.shape[-1]
        above, first_above = (np.append(labels, root)[self.to - 1] for labels in (self.labels, self.first_labels))
        behind = (self.to > self.words).astype(int)[..., None]
        now, first = (
            np.where(labels[..., None] >= 0, habits.heads[labels[..., None], behind, self.label], 0.0)
            for labels in (above, first_above)
        )
        yield "label of the head, mended", now - first
        now, first = (
            self._dependents(habits, heads, labels)
            for heads, labels in ((self.heads, self.labels), (self.first_heads, self.first_labels))
        )
        yield "labels of dependents", now
        yield "labels of dependents, mended", now - first
        yield "labels of siblings", self._siblings(habits, above)

    def _readings(self) -> Iterator[tuple[str, Any]]:
        """How heads change with hidden words, on average, and where that makes likelier what is kept."""
        readings = self.candidates.readings
        kept = np.flatnonzero(self.kept)
        fits = np.maximum(readings[:, self.heads[kept], kept + 1], -8.0).sum(axis=1, dtype=np.float64)
        likely = np.exp(readings[:, self.to, self.words], dtype=np.float64)
        average = np.log(likely.mean(axis=0) + _LEAST_SHARE)
        yield "hidden words", average - self.candidates.head_scores[self.free]
        for name, weight in (("hidden words that fit", 1.0), ("hidden words that fit loosely", 0.25)):
            shares = np.exp(weight * (fits - fits.max()))
            fitting = np.tensordot(shares / shares.sum(), likely, axes=1)
            yield name, np.log(fitting + _LEAST_SHARE) - average

    def _dependents(self, habits: Habits, heads: Ids, labels: Ids) -> Doubles:
        sums = np.zeros((len(self.heads) + 1, habits.dependents.shape[1]))
        words = np.flatnonzero(self.kept & (labels >= 0))
        np.add.at(sums, heads[words], habits.dependents[labels[words]])
        return np.clip(sums, -_MOST_OF_PAIRS, _MOST_OF_PAIRS)[self.words[..., None], self.label]

    def _siblings(self, habits: Habits, above: Ids) -> Doubles:
        counts = np.zeros((len(self.heads) + 1, habits.siblings.shape[1]))
        words = np.flatnonzero(self.kept & (self.labels >= 0))
        np.add.at(counts, (self.heads[words], self.labels[words]), 1.0)
        sums = np.zeros_like(counts)
        for head in set(self.heads[words].tolist()):
            label = counts.shape[1] if head == 0 else self.labels[head - 1]
            if label >= 0:
                sums[head] = counts[head] @ habits.siblings[label]
        return np.clip(sums, -_MOST_OF_PAIRS, _MOST_OF_PAIRS)[self.to[..., None], self.label]
