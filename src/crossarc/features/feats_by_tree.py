"""FEATS that the tree decides: a verb agrees with its subject, and a conjunct has the mood and the form of its head.

*You were* is another person than *they were*, and in *mix it and stir* both are imperatives; a network that finds tags
beside trees often takes such words for the usual form. Of verbs it is counted which FEATS they have by their tag and
their subject, if that is a pronoun, and as conjuncts by the tag and the FEATS of their head and by what they have of
their own (*to*, an auxiliary, a subject). What was nearly always so is kept, and holds where FEATS that were predicted
are such that are decided so. EWT dev, gold words, `en`: 25 words gain by it, three lose. O(words).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from .._arrays import Flags, Offsets, items_of
from ..treebank import Treebank
from .vocabularies import normal_form

#: By UPOS and XPOS, and by context, FEATS.
FeatsByTree = Mapping[str, Mapping[str, str]]

#: How many words a context must have, and which share of them the same FEATS.
_FEWEST, _SURE = 5, 0.97
_VERB, _PRONOUN = "VerbForm=", "PRON"
#: What FEATS say of single words and not of a form.
_OF_WORDS = ("Abbr=", "Typo=", "Style=")
_CONJUNCT, _SUBJECTS, _AUXILIARIES = "conj", ("nsubj", "expl"), ("aux", "cop")
#: Dependents that a conjunct may have of its own.
_OWN = ("aux", "cop", "mark", "nsubj", "csubj", "expl")


def learnt_feats_by_tree(treebank: Treebank, known: Collection[str]) -> dict[str, dict[str, str]]:
    """Return the FEATS of verbs that the trees of a treebank tell apart, of those that are known."""
    relations, feats = _Relations(treebank), treebank.texts("feats")
    learnt = {each for each in known if _VERB in each and not any(mark in each for mark in _OF_WORDS)}
    verbs = [each in learnt for each in feats]
    tags = _tags(treebank)
    counts: defaultdict[str, defaultdict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for row in np.flatnonzero(np.array(verbs, bool) & relations.decide).tolist():
        for context in relations.contexts(row, feats):
            counts[tags[row]][context][feats[row]] += 1
    table: dict[str, dict[str, str]] = {}
    for tag, by_context in counts.items():
        decided = {context: sure for context, of_feats in by_context.items() if (sure := _sure(of_feats)) is not None}
        # What holds beside a subject needs not be said of each verb.
        kept = {context: sure for context, sure in decided.items() if decided.get(context.rpartition(" ")[0]) != sure}
        if len(set(kept.values())) > 1:
            table[tag] = kept
    return table


def with_feats_by_tree(treebank: Treebank, table: FeatsByTree, wanted: Flags) -> Treebank:
    """Return a treebank with the FEATS that its trees decide, of the words that want them."""
    xpos, of_word = treebank.distinct_texts("xpos")
    decided = {tag.partition(" ")[2] for tag in table}
    some = wanted & np.array([tag in decided for tag in xpos], bool)[of_word]
    if not some.any():
        return treebank
    relations, feats, tags = _Relations(treebank), treebank.texts("feats"), _tags(treebank)
    usual = {tag: set(by_context.values()) for tag, by_context in table.items()}
    changed: dict[int, str] = {}
    for row in np.flatnonzero(some & relations.decide).tolist():
        by_context = table.get(tags[row], {})
        if feats[row] not in usual.get(tags[row], ()):
            continue
        sure = next((by_context[each] for each in relations.contexts(row, feats) if each in by_context), feats[row])
        if sure != feats[row]:
            changed[row] = feats[row] = sure
    if not changed:
        return treebank
    ids = treebank.column("feats").copy()
    ids[list(changed)] = treebank.pool.intern(list(changed.values()))
    return treebank.replace(feats=ids)


class _Relations:
    """What verbs of a treebank are conjuncts of, and their subjects."""

    def __init__(self, treebank: Treebank) -> None:
        heads, rows = np.asarray(treebank.head), np.arange(treebank.words)
        starts = treebank.word_offsets[items_of(treebank.word_offsets)]
        self._heads: Offsets = np.where(heads > 0, starts + heads - 1, -1)
        names, of_word = treebank.distinct_texts("deprel")
        self._names = [name.partition(":")[0] for name in names]
        self._of_word, has_head = of_word, self._heads >= 0
        self._conjuncts = self._is_one_of((_CONJUNCT,)) & has_head
        subjects = np.flatnonzero(self._is_one_of(_SUBJECTS) & has_head & self._is_pronoun(treebank))
        self._subjects = np.full(treebank.words, -1)
        self._subjects[self._heads[subjects]] = subjects
        several = np.bincount(self._heads[self._is_one_of(_SUBJECTS) & has_head], minlength=treebank.words) > 1
        self._subjects[several] = -1
        clauses = np.where(self._is_one_of(_AUXILIARIES) & has_head, self._heads, rows)
        self._subjects = self._subjects[clauses]
        own = np.flatnonzero(self._is_one_of(_OWN) & has_head)
        self._own: defaultdict[int, set[str]] = defaultdict(set)
        for row in own[self._conjuncts[self._heads[own]]].tolist():
            self._own[int(self._heads[row])].add(self._names[of_word[row]])
        self._forms, self._tags = treebank.texts("form"), treebank.texts("xpos")
        #: Of which words there is any context.
        self.decide: Flags = self._conjuncts | (self._subjects >= 0)

    def _is_one_of(self, relations: Sequence[str]) -> Flags:
        flags: Flags = np.array([name in relations for name in self._names], bool)[self._of_word]
        return flags

    @staticmethod
    def _is_pronoun(treebank: Treebank) -> Flags:
        tags, of_word = treebank.distinct_texts("upos")
        flags: Flags = np.array([tag == _PRONOUN for tag in tags], bool)[of_word]
        return flags

    def contexts(self, row: int, feats: Sequence[str]) -> list[str]:
        """Return what may decide the FEATS of a word, the most telling first."""
        contexts = []
        subject, head = int(self._subjects[row]), int(self._heads[row])
        if subject >= 0:
            agreeing = f"{_SUBJECTS[0]} {_small(self._forms[subject])} {self._tags[subject]}"
            contexts += [f"{agreeing} {_small(self._forms[row])}", agreeing]
        if self._conjuncts[row]:
            contexts.append(f"{_CONJUNCT} {self._tags[head]} {feats[head]} {'+'.join(sorted(self._own[row]))}")
        return contexts


def _sure(counts: Counter[str]) -> str | None:
    feats, count = counts.most_common(1)[0]
    total = counts.total()
    return feats if total >= _FEWEST and count >= _SURE * total else None


def _tags(treebank: Treebank) -> list[str]:
    """Return UPOS and XPOS of each word."""
    return [f"{upos} {xpos}" for upos, xpos in zip(treebank.texts("upos"), treebank.texts("xpos"), strict=True)]


def _small(form: str) -> str:
    return normal_form(form).lower()
