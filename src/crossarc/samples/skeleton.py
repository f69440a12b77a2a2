"""A sentence without its words: for each place all that is fixed before a word is chosen.

Here the words that the grammar put in order get their numbers, their heads and their punctuation, and prepositions
contract with articles. The mark at the end depends on the root, or if an arc covers that, on the highest word behind
it that no arc covers, so that the mark's own arc crosses nothing. Costs O(words²) at most.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from .inflection import feats_text
from .lexicon import CATEGORIES, CONTRACTING, forms
from .phrases import Word

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
    number = {id(word): place for place, word in enumerate(words, start=1)}
    slots: list[Slot] = []
    for place, word in enumerate(words, start=1):
        close = place < len(words) and words[place].is_punctuation
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
        for place, word in enumerate(words)
        if word.category != "comma" or (place + 1 < len(words) and words[place + 1].category != "comma")
    ]
    asks = any(word.features.get("PronType") == "Int" or word.category == "question particle" for word in kept)
    return [*kept, Word("question mark" if asks else "full stop", {}, "punct", _head_of_mark(kept))]


def _head_of_mark(words: list[Word]) -> Word:
    """Return the root, or the word behind it that is nearest to it in the tree among those that no arc covers."""
    number = {id(word): place for place, word in enumerate(words)}
    arcs = [(number[id(word)], number[id(word.head)]) for word in words if word.head is not None]
    spans = [(min(arc), max(arc)) for arc in arcs]
    root = next(place for place, word in enumerate(words) if word.head is None)
    for word in sorted(words[root:], key=_depth):
        if not any(left < number[id(word)] < right for left, right in spans):
            return word
    raise AssertionError("the last word is not covered")


def _depth(word: Word) -> int:
    depth = 0
    while word.head is not None:
        word = word.head
        depth += 1
    return depth


def _contractions(slots: list[Slot]) -> list[Contraction]:
    """Contract prepositions with articles: na + del → nael."""
    found = []
    for place, (first, second) in enumerate(pairwise(slots), start=1):
        if first.category in CONTRACTING and second.category == "article":
            form = CATEGORIES[first.category].stems[0] + forms("article", second.feats)[0][1:]
            found.append(Contraction(place, form))
    return found
