"""What tags say of lemmas wherever they stand: capitals, marks within numbers that lemmas leave out, exceptions.

In many treebanks words that are written with a capital have one in their lemma, or none, by their tags alone: names do,
other nouns do not. Such a habit is learnt where nearly all words of a tag, and enough of them, follow it, and holds for
words that were seen under another tag, too. Where UPOS and XPOS contradict each other, so that training data never had
both, one that says there is a capital is right: a word that is written with one. The exceptions of a dictionary hold
where tags say that a form is inflected (*antennae* as a plural): where nearly all words that have one have that lemma.
O(different words) to learn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .lemma_rules import Dictionary, Word, bare, case_of

#: The share of words that must follow a habit, and how many there must be; of those that exceptions have.
_SHARE, _LEAST = 0.98, 20
_SHARE_OF_EXCEPTIONS, _LEAST_EXCEPTIONS = 0.9, 5
#: Any UPOS, or any tag.
_ANY = ""


@dataclass(frozen=True)
class Habits:
    """What tags say of lemmas."""

    #: By UPOS and, behind how the form is written, tag: "t" for a capital, "l" for small letters, "" for no habit.
    capitals: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    #: Marks that lemmas of words without letters leave out, by UPOS.
    left_out: Mapping[str, str] = field(default_factory=dict)
    #: Parts of speech whose misspelt words have the lemmas of the words that are meant: all but names.
    corrected: frozenset[str] = frozenset()
    #: Tags whose words have the lemmas of a dictionary's exceptions.
    excepted: frozenset[str] = frozenset()

    @classmethod
    def learn(cls, words: Mapping[tuple[Word, str], int], dictionary: Dictionary | None = None) -> Habits:
        """Learn from words and lemmas, with their number.

        Misspelt words are corrected where there is a dictionary. Without one, a word that is rare looks like one.
        """
        small, large, written = Counter[tuple[str, str]](), Counter[tuple[str, str]](), Counter[tuple[str, bool]]()
        for (word, lemma), count in words.items():
            case = case_of(word.form)
            written[word.upos, lemma[:1].isupper()] += 1
            if case in "tu" and any(map(str.isalpha, lemma)):
                for upos, tag in ((word.upos, word.tag), (word.upos, _ANY), (_ANY, word.tag)):
                    (large if lemma[:1].isupper() else small)[upos, f"{case} {tag}"] += count
        capitals: dict[str, dict[str, str]] = {}
        for upos, tag in sorted(small.keys() | large.keys()):
            many, few = large[upos, tag], small[upos, tag]
            sure = many + few >= _LEAST and max(many, few) >= _SHARE * (many + few)
            capitals.setdefault(upos, {})[tag] = ("t" if many > few else "l") if sure else ""
        for word, _ in words:  # a pair of tags that training data have, however it is written, contradicts nothing
            for case in "tu":
                capitals.setdefault(word.upos, {}).setdefault(f"{case} {word.tag}", "")
        others = {upos for upos, _ in written if written[upos, False] > written[upos, True]}
        if dictionary is None:
            return cls(capitals, _marks_left_out(words))
        return cls(capitals, _marks_left_out(words), frozenset(others), _tags_of_exceptions(words, dictionary))

    def spelt(self, word: Word, lemma: str) -> str:
        """Return a lemma with a capital, or without one, as its word's tags say."""
        if not word.form[:1].isupper():
            return lemma
        case = case_of(word.form)
        habit = self._habit(word.upos, f"{case} {word.tag}")
        if habit is None:
            either = (self._habit(word.upos, f"{case} {_ANY}"), self._habit(_ANY, f"{case} {word.tag}"))
            habit = "t" if "t" in either else ""
        if habit == "t" and not lemma[:1].isupper():
            return lemma[:1].upper() + lemma[1:]
        return lemma.lower() if habit == "l" and case_of(lemma) == "t" else lemma

    def gives_capital(self, word: Word) -> bool:
        """Whether the tag of a word says that its lemma has a capital, where its part of speech says nothing."""
        case = case_of(word.form)
        return self._habit(word.upos, f"{case} {word.tag}") == "t" and self._habit(word.upos, f"{case} {_ANY}") != "t"

    def _habit(self, upos: str, tag: str) -> str | None:
        """Return the habit of a part of speech and a tag; None if training data never had both."""
        return self.capitals.get(upos, {}).get(tag)

    def without_marks(self, word: Word) -> str:
        """Return a form of no letters without the marks that lemmas leave out."""
        marks = self.left_out.get(word.upos, "")
        return word.form.translate(dict.fromkeys(map(ord, marks))) if marks else word.form

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        return {
            "capitals": self.capitals,
            "left_out": self.left_out,
            "corrected": sorted(self.corrected),
            "excepted": sorted(self.excepted),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Habits:
        """Make them again from what `to_dict` gave."""
        # Those of older versions know of no exceptions.
        excepted = frozenset(data.get("excepted", ()))
        return cls(data["capitals"], data["left_out"], frozenset(data["corrected"]), excepted)


def _marks_left_out(words: Mapping[tuple[Word, str], int]) -> dict[str, str]:
    """Return the marks within numbers that lemmas leave out, by UPOS."""
    kept, gone = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for (word, lemma), count in words.items():
        inner = word.form[1:-1]
        if word.form[:1].isdecimal() and word.form[-1].isdecimal() and not any(map(str.isalpha, word.form)):
            for mark in {mark for mark in inner if not mark.isalnum()}:
                (gone if mark not in lemma else kept)[word.upos, mark] += count
    found: dict[str, str] = {}
    for (upos, mark), count in sorted(gone.items()):
        if count >= _LEAST and count >= _SHARE * (count + kept[upos, mark]):
            found[upos] = found.get(upos, "") + mark
    return found


def _tags_of_exceptions(words: Mapping[tuple[Word, str], int], dictionary: Dictionary) -> frozenset[str]:
    """Return the tags of which nearly all words that have one exception have it as their lemma."""
    right, every = Counter[str](), Counter[str]()
    for word, lemma in words:
        exceptions = dictionary.exceptions.get(word.upos, {}).get(bare(word.form), ())
        if len(exceptions) == 1:
            every[word.tag] += 1
            right[word.tag] += bare(lemma) in exceptions
    return frozenset(
        tag for tag, count in every.items() if count >= _LEAST_EXCEPTIONS and right[tag] >= _SHARE_OF_EXCEPTIONS * count
    )
