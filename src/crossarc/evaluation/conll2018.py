"""The measures of the CoNLL 2018 shared task (Zeman et al. 2018, Section 5) for CoNLL-U files.

Relations without their subtypes, of the features only the universal ones. CLAS, MLAS and BLEX are over words with a
content relation; MLAS also wants tag, features and function words right, BLEX the lemma. The lists of relations and
features are those of the task. Texts are looked at once each; O(words).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from .._arrays import Flags, Ids, Offsets
from .attachment import Score
from .pair import Pair, Side

CONTENT_RELATIONS = frozenset(
    {
        *("acl", "advcl", "advmod", "amod", "appos", "ccomp", "compound", "conj", "csubj", "dep", "discourse"),
        *("dislocated", "expl", "fixed", "flat", "goeswith", "iobj", "list", "nmod", "nsubj", "nummod", "obj", "obl"),
        *("orphan", "parataxis", "reparandum", "root", "vocative", "xcomp"),
    }
)
FUNCTION_RELATIONS = frozenset({"aux", "case", "cc", "clf", "cop", "det", "mark"})
UNIVERSAL_FEATURES = frozenset(
    {
        *("Abbr", "Animacy", "Aspect", "Case", "Definite", "Degree", "Evident", "Foreign", "Gender", "Mood", "NumType"),
        *("Number", "Person", "Polarity", "Polite", "Poss", "PronType", "Reflex", "Tense", "VerbForm", "Voice"),
    }
)

#: The measures over words with a content relation.
OF_CONTENT = ("CLAS", "MLAS", "BLEX")


def universal_relation(relation: str) -> str:
    """Leave out the subtype.

    >>> universal_relation("nsubj:pass")
    'nsubj'
    """
    return relation.partition(":")[0]


def universal_features(features: str) -> str:
    """Keep the universal features, sorted.

    >>> universal_features("Number=Sing|Case=Nom|NumForm=Word")
    'Case=Nom|Number=Sing'
    """
    return "|".join(sorted(item for item in features.split("|") if item.partition("=")[0] in UNIVERSAL_FEATURES))


class Conll2018:
    """What the measures need to know of the words of a pair."""

    def __init__(self, pair: Pair) -> None:
        """Reduce relations and features to what is universal."""
        self._pair = pair
        numbers: dict[str, int] = {}
        self._relations = [_reduced(side, "deprel", universal_relation, numbers) for side in self._sides]
        content, function = (
            np.array([text in members for text in numbers] or [False])
            for members in (CONTENT_RELATIONS, FUNCTION_RELATIONS)
        )
        #: Which words of either side have a content relation.
        self.content: tuple[Flags, Flags] = (content[self._relations[0]], content[self._relations[1]])
        self._function = [function[ids] for ids in self._relations]
        self._features = [_reduced(side, "feats", universal_features, numbers) for side in self._sides]

    @property
    def _sides(self) -> tuple[Side, Side]:
        return self._pair.gold, self._pair.system

    def _same(self, columns: list[Ids]) -> Flags:
        return np.equal(columns[0][self._pair.gold_rows], columns[1][self._pair.system_rows])

    def _column(self, name: str) -> list[Ids]:
        return [side.column(name) for side in self._sides]

    @cached_property
    def correct(self) -> dict[str, Flags]:
        """Which of the aligned words are right, by measure; CLAS, MLAS and BLEX look at content relations only."""
        pair = self._pair
        lemmas = self._column("lemma")
        tags = self._same(self._column("upos"))
        features = self._same(self._features)
        specific = self._same(self._column("xpos"))
        lemma = self._same(lemmas) | (lemmas[0][pair.gold_rows] == 0)  # "_" in the gold standard: nothing to find
        labelled = pair.head_correct & self._same(self._relations)
        counted = labelled & self.content[0][pair.gold_rows]
        return {
            "Words": np.ones(pair.aligned, bool),
            "UPOS": tags,
            "XPOS": specific,
            "UFeats": features,
            "AllTags": tags & specific & features,
            "Lemmas": lemma,
            "UAS": pair.head_correct,
            "LAS": labelled,
            "CLAS": counted,
            "MLAS": counted & tags & features & self._same_function_words(tags & features),
            "BLEX": counted & lemma,
        }

    def scores(self) -> dict[str, Score]:
        """Return all measures by name; without Tokens and Sentences if the two texts differ in multiword tokens."""
        pair = self._pair
        totals = pair.gold.words, pair.system.words
        content_totals = [int(np.count_nonzero(flags)) for flags in self.content]
        return self._segmentation() | {
            name: Score(int(np.count_nonzero(flags)), *(content_totals if name in OF_CONTENT else totals))
            for name, flags in self.correct.items()
        }

    def _same_function_words(self, tagged: Flags) -> Flags:
        """Return which aligned words have the same function words below them, with the same relation and tags.

        There are as many on both sides, and as many that are right in everything.
        """
        pair = self._pair
        right = tagged & pair.head_correct & self._same(self._relations) & self._function[0][pair.gold_rows]
        ours, theirs = (_children(side, flags) for side, flags in zip(self._sides, self._function, strict=True))
        found = _children(pair.gold, pair.spread(right, gold=True))
        ours, found = ours[pair.gold_rows], found[pair.gold_rows]
        same: Flags = (ours == theirs[pair.system_rows]) & (ours == found)
        return same

    def _segmentation(self) -> dict[str, Score]:
        """Score tokens and sentences as stretches of the text."""
        pair = self._pair
        ours, theirs = self._sides
        if pair.same_words and ours.ranges.same(theirs.ranges):
            tokens = ours.words - int((ours.ranges.last - ours.ranges.first).sum())
            sentences = len(ours.lengths)
            return {"Tokens": Score(tokens, tokens, tokens), "Sentences": Score(sentences, sentences, sentences)}
        if ours.text.characters != theirs.text.characters:
            return {}
        spans = {
            "Tokens": (ours.text.token_spans, theirs.text.token_spans),
            "Sentences": (ours.text.sentence_spans, theirs.text.sentence_spans),
        }
        return {name: Score(len(one & other), len(one), len(other)) for name, (one, other) in spans.items()}


def _children(side: Side, flags: Flags) -> Offsets:
    """Count the flagged words below each word."""
    heads = side.head_rows[flags]
    return np.bincount(heads[heads >= 0], minlength=side.words)


def _reduced(side: Side, column: str, reduce: Callable[[str], str], numbers: dict[str, int]) -> Ids:
    """Replace the texts of a column by numbers of what they are reduced to."""
    texts, text_of = side.treebank.distinct_texts(column)
    reduced: Ids = np.array([numbers.setdefault(reduce(text), len(numbers)) for text in texts], np.int32)[text_of]
    return reduced
