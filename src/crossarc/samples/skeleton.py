"""Sentences without their words: for each place all that is fixed before a word is chosen, one by one and as columns.

The words that the grammar put in order get their numbers, their heads and their punctuation, and prepositions contract
with articles. The mark at the end depends on the root, or if an arc covers that, on the highest word behind it that no
arc covers, so that the mark's own arc crosses nothing. Costs O(words²) at most.

The slots of all skeletons lie one behind the other in columns, as a treebank keeps its words, with ids into a string
pool. The forms that fit a slot are a stretch of one long list of forms, its lemmas a stretch of another. O(slots).
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .. import _kernel
from .._arrays import Ids, offsets_of
from .grammar import Word
from .lexicon import CATEGORIES, CONTRACTING, feats_text, forms

#: What a slot contributes to the text of its sentence, instead of the id of a form: the form itself, or nothing.
NOTHING: int = _kernel.NOT_WRITTEN
OWN_FORM = NOTHING - 1
_RANGE_COLUMNS = "\t_" * 8


class Slot(NamedTuple):
    """A place in a sentence: category and features say which forms fit, the rest is as in the file."""

    category: str
    feats: str
    head: int
    relation: str
    misc: str
    space_after: bool


class Contraction(NamedTuple):
    """Two words, `first` and the next, that are written as one."""

    first: int
    form: str

    @property
    def line(self) -> str:
        """The line of the multiword token."""
        return f"{self.first}-{self.first + 1}\t{self.form}{_RANGE_COLUMNS}"


class Skeleton(NamedTuple):
    """The places of a sentence in their order, and its contractions."""

    slots: list[Slot]
    contractions: list[Contraction]


def skeleton(words: list[Word]) -> Skeleton:
    """Number the words of a sentence and give it its punctuation."""
    words = _punctuated(words)
    number = {id(word): index for index, word in enumerate(words, start=1)}
    slots: list[Slot] = []
    for word, following in zip(words, [*words[1:], None], strict=True):
        close = following is not None and following.is_punctuation
        head = 0 if word.head is None else number[id(word.head)]
        feats = feats_text(word.features)
        slots.append(Slot(word.category, feats, head, word.relation, _misc(word, close), not close))
    return Skeleton(slots, _contractions(slots))


def _misc(word: Word, close: bool) -> str:
    items = ["Construction=" + ",".join(sorted(word.constructions))] if word.constructions else []
    if close:
        items.append("SpaceAfter=No")
    return "|".join(items) or "_"


def _punctuated(words: list[Word]) -> list[Word]:
    """Drop commas that meet other punctuation or the end, and add the mark at the end."""
    kept = [
        word
        for word, following in zip(words, [*words[1:], None], strict=True)
        if word.category != "comma" or (following is not None and following.category != "comma")
    ]
    asks = any(word.features.get("PronType") == "Int" or word.category == "question particle" for word in kept)
    return [*kept, Word("question mark" if asks else "full stop", {}, "punct", _head_of_mark(kept))]


def _head_of_mark(words: list[Word]) -> Word:
    """Return the root, or the word behind it that is nearest to it in the tree among those that no arc covers."""
    number = {id(word): index for index, word in enumerate(words)}
    spans = [sorted((number[id(word)], number[id(word.head)])) for word in words if word.head is not None]
    root = next(index for index, word in enumerate(words) if word.head is None)
    for word in sorted(words[root:], key=_depth):
        if not any(left < number[id(word)] < right for left, right in spans):
            return word
    raise AssertionError("the last word is not covered")


def _depth(word: Word) -> int:
    return 0 if word.head is None else 1 + _depth(word.head)


def _contractions(slots: list[Slot]) -> list[Contraction]:
    """Contract prepositions with articles: na + del → nael."""
    return [
        Contraction(index, CATEGORIES[first.category].stems[0] + forms("article", second.feats)[0][1:])
        for index, (first, second) in enumerate(pairwise(slots), start=1)
        if first.category in CONTRACTING and second.category == "article"
    ]


class SlotTable:
    """Columns of slots. `offsets` says where each skeleton begins, `range_offsets` where its multiword tokens do."""

    def __init__(self, pool: _kernel.StringPool, skeletons: list[Skeleton]) -> None:
        """Put the slots of skeletons into columns and their texts into the pool."""
        slots = [slot for skeleton in skeletons for slot in skeleton.slots]
        self.offsets = offsets_of(len(skeleton.slots) for skeleton in skeletons)
        self.head = np.array([slot.head for slot in slots], np.int32)
        self.space_after = np.array([slot.space_after for slot in slots], np.uint8)
        self.fixed: dict[str, Ids] = {
            "upos": pool.intern([CATEGORIES[slot.category].upos for slot in slots]),
            "xpos": pool.intern([CATEGORIES[slot.category].xpos for slot in slots]),
            "feats": pool.intern([slot.feats for slot in slots]),
            "deprel": pool.intern([slot.relation for slot in slots]),
            "misc": pool.intern([slot.misc for slot in slots]),
        }
        self._choices(pool, [(slot.category, slot.feats) for slot in slots])
        self._contractions(pool, skeletons)

    def _choices(self, pool: _kernel.StringPool, paradigms: list[tuple[str, str]]) -> None:
        """Lay out the forms and lemmas that each slot chooses from."""
        distinct = list(dict.fromkeys(paradigms))
        categories = list(dict.fromkeys(category for category, _ in distinct))
        texts = [forms(*paradigm) for paradigm in distinct]
        lemmas = [CATEGORIES[category].lemmas for category in categories]
        self.forms: Ids = pool.intern([form for group in texts for form in group])
        self.lemmas: Ids = pool.intern([lemma for group in lemmas for lemma in group])
        form_start = dict(zip(distinct, offsets_of(map(len, texts)).tolist(), strict=False))
        lemma_start = dict(zip(categories, offsets_of(map(len, lemmas)).tolist(), strict=False))
        self.form_start = np.array([form_start[paradigm] for paradigm in paradigms], np.int64)
        self.lemma_start = np.array([lemma_start[category] for category, _ in paradigms], np.int64)
        self.size = np.array([len(CATEGORIES[category].stems) for category, _ in paradigms], np.uint64)

    def _contractions(self, pool: _kernel.StringPool, skeletons: list[Skeleton]) -> None:
        """Note the multiword tokens: their lines, and that the text has their forms instead of those of their words."""
        self.range_offsets = offsets_of(len(skeleton.contractions) for skeleton in skeletons)
        contractions = [contraction for skeleton in skeletons for contraction in skeleton.contractions]
        self.range_before = np.array([contraction.first for contraction in contractions], np.int32)
        self.range_text: Ids = pool.intern([contraction.line for contraction in contractions], False)
        self.surface = np.full(len(self.head), OWN_FORM, np.int32)
        starts = np.repeat(self.offsets[:-1], np.diff(self.range_offsets)) + self.range_before - 1
        self.surface[starts] = pool.intern([contraction.form for contraction in contractions])
        self.surface[starts + 1] = NOTHING
        self.space_after[starts] = 0
