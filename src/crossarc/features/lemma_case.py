"""What tags say of lemmas wherever they stand: capitals, marks within numbers that lemmas leave out, exceptions, and
which words are their own lemma.

In many treebanks words that are written with a capital have one in their lemma, or none, by their tags alone: names do,
other nouns do not. Such a habit is learnt where nearly all words of a tag, and enough of them, follow it, and holds for
words that were seen under another tag, too. Where UPOS and XPOS contradict each other, so that training data never had
both, one that says there is a capital is right: a word that is written with one. The exceptions of a dictionary hold
where tags say that a form is inflected (*antennae* as a plural): where nearly all words that have one have that lemma.
Where tags say that it is not (*to fell* is no form of *fall*, *Frances* no plural), a name, an abbreviation in capitals
or a word of the dictionary is its own lemma: where nearly all such words are.
O(different words) to learn.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .lemma_rules import Dictionary, Word, bare, case_of

#: The share of words that must follow a habit, and how many there must be; of those that exceptions have.
_SHARE, _LEAST = 0.98, 20
_SHARE_OF_EXCEPTIONS, _LEAST_EXCEPTIONS = 0.9, 5
#: Of the words of a tag that a dictionary has as lemmas, the share that must be their own.
_SHARE_OF_LISTED = 0.99
#: Any UPOS, or any tag.
_ANY = ""
#: The names of lists that files of older versions lack.
LATER_HABITS = ("excepted", "unchanged", "unchanged_if_listed", "changed")


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
    #: UPOS and tags whose words are their own lemma, and whose words are if the dictionary has them as lemmas.
    unchanged: frozenset[str] = frozenset()
    unchanged_if_listed: frozenset[str] = frozenset()
    #: UPOS, tags and forms that are listed and have another lemma all the same.
    changed: frozenset[str] = frozenset()

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
        return cls(
            capitals,
            _marks_left_out(words),
            frozenset(others),
            _tags_of_exceptions(words, dictionary),
            *_tags_of_unchanged(words, dictionary),
        )

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
        """Return a form of no letters without the marks that lemmas leave out, if they are between groups of three.

        3,400 becomes 3400, and 3,40 and 1,00,000 stay.
        """
        marks = re.escape(self.left_out.get(word.upos, ""))
        if not marks:
            return word.form
        grouped = rf"(?<![\d{marks}])\d{{1,3}}(?:[{marks}]\d{{3}})+(?![{marks}]?\d)"
        return re.sub(grouped, lambda number: re.sub(rf"[{marks}]", "", number[0]), word.form)

    def keeps(self, word: Word, *, listed: bool) -> bool:
        """Whether a word is its own lemma by its tags; `listed`: the dictionary has it as one of its part of speech."""
        tag = _pair(word)
        if listed and tag in self.unchanged_if_listed:
            return _triple(word) not in self.changed
        return tag in self.unchanged and (word.upos not in self.corrected or case_of(word.form) == "u")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        return {
            "capitals": self.capitals,
            "left_out": self.left_out,
            "corrected": sorted(self.corrected),
            "excepted": sorted(self.excepted),
            "unchanged": sorted(self.unchanged),
            "unchanged_if_listed": sorted(self.unchanged_if_listed),
            "changed": sorted(self.changed),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Habits:
        """Make them again from what `to_dict` gave."""
        # Those of older versions know of no exceptions, and of no words that are their own lemma.
        later = (frozenset(data.get(name, ())) for name in LATER_HABITS)
        return cls(data["capitals"], data["left_out"], frozenset(data["corrected"]), *later)


def _pair(word: Word) -> str:
    return f"{word.upos} {word.tag}"


def _triple(word: Word) -> str:
    return f"{_pair(word)} {bare(word.form)}"


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


def _tags_of_unchanged(
    words: Mapping[tuple[Word, str], int], dictionary: Dictionary
) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the tags whose words are nearly always their own lemma, those whose words are that are listed, and which
    of the latter are not.
    """
    listed = {upos: {bare(lemma) for lemma in lemmas} for upos, lemmas in dictionary.lemmas.items()}
    of_listed = {key: count for key, count in words.items() if bare(key[0].form) in listed.get(key[0].upos, ())}
    if_listed = _mostly_unchanged(of_listed, _SHARE_OF_LISTED)
    by_word = defaultdict[str, Counter[bool]](Counter)
    for (word, lemma), count in of_listed.items():
        if _pair(word) in if_listed:
            by_word[_triple(word)][bare(lemma) == bare(word.form)] += count
    changed = frozenset(word for word, counts in by_word.items() if counts[False] > counts[True])
    return _mostly_unchanged(words, _SHARE), if_listed, changed


def _mostly_unchanged(words: Mapping[tuple[Word, str], int], share: float) -> frozenset[str]:
    """Return the tags of which such a share of words are their own lemma."""
    same, every = Counter[str](), Counter[str]()
    for (word, lemma), count in words.items():
        every[_pair(word)] += count
        same[_pair(word)] += count * (bare(lemma) == bare(word.form))
    return frozenset(tag for tag, count in every.items() if count >= _LEAST and same[tag] >= share * count)
