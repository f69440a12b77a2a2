"""Known lemmas, and rules that give forms lemmas: what stands in place of a beginning and of an ending.

Rules are about bare letters: small ones without Greek accents, which the spelling of a lemma (`lemma_spelling`) gives
back. They are counted in training data. A lexicon has the lemmas of these, with their number, and those of a
dictionary. O(length of a form) to find the rules that fit it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from .._kernel import WordList
from .ranking import hashed

#: A beginning or an ending, and what stands in its place in the lemma.
Pair = tuple[str, str]
#: By part of speech and beginning, or ending, what may stand in its place.
Replacements = dict[str, dict[str, list[str]]]

#: Marks of Greek letters that forms of a word have at different syllables.
ACCENTS = "\u0300\u0301\u0342"
#: A mark that follows no Greek letter, nor another mark: where there is none, all accents are those of Greek letters.
_MARK_ELSEWHERE = re.compile("(?<![\u0300-\u034e\u0350-\u036f\u0370-\u03ff])[\u0300-\u036f]")
#: What becomes of marks and letters of Greek when it is written in bare letters.
_BARE = str.maketrans({**dict.fromkeys(ACCENTS, ""), "ς": "σ"})
#: Capitals and what is not ASCII; said by what it is not, since tables for so many letters take long to make.
_NO_SMALL_LETTER = re.compile(r"[^\0-@\[-\x7f]")
_LONGEST_BEGINNING, _LONGEST_ENDING = 8, 9
#: The share of the words with a beginning or an ending that a rule of it must have.
_LEAST_SHARE = 0.002
#: Of how many different words a rule must be, and how many rules one beginning or ending has at most.
_LEAST_BEGINNINGS, _LEAST_ENDINGS, _MOST = 3, 2, 12


#: A part of speech that stands for all.
ANY_PART = ""


class Dictionary(NamedTuple):
    """Lemmas by part of speech, and, by part of speech and form in small letters, lemmas that no rule gives.

    Exceptions of `ANY_PART` are abbreviations and the like, whose lemma does not depend on the part of speech.
    """

    lemmas: dict[str, list[str]]
    exceptions: dict[str, dict[str, list[str]]]
    #: Forms in small letters that texts have again and again, so that they are not misspelt.
    forms: Sequence[str] = ()


class Word(NamedTuple):
    """What is known of a word: its form, its part of speech, and its XPOS or, where treebanks have none, its FEATS."""

    form: str
    upos: str
    tag: str


def letters_and_accents(text: str) -> Iterator[tuple[str, bool]]:
    """Yield small letters and marks, and whether each is an accent of Greek; those of other scripts are spelling."""
    greek = False
    for letter in unicodedata.normalize("NFD", text).lower():
        if not unicodedata.combining(letter):
            greek = "\u0370" <= letter <= "\u03ff"
        yield letter, greek and letter in ACCENTS


@lru_cache(maxsize=1 << 16)
def bare(text: str) -> str:
    """Return a text in small letters and without Greek accents, its other marks as characters of their own.

    >>> bare("Children"), len(bare("ἄνθρωπος")), len(bare("café"))
    ('children', 9, 5)
    """
    if text.isascii():
        return text.lower()
    small = unicodedata.normalize("NFD", text).lower()
    if _MARK_ELSEWHERE.search(small) is None:
        return small.translate(_BARE)
    return "".join(letter for letter, is_accent in letters_and_accents(text) if not is_accent).replace("ς", "σ")


def _all_bare(texts: Collection[str]) -> list[str]:
    """Return the same of many texts, which are looked at once and not remembered."""
    lines = "\n".join(texts)
    if lines.isascii() and lines.count("\n") + 1 == len(texts):
        return lines.lower().split("\n")
    return [text.lower() if text.isascii() else bare(text) for text in texts]


def case_of(text: str) -> str:
    """Return how a text is written: small, large, with a large first letter, or otherwise."""
    if text == text.lower():
        return "l"
    if text == text.upper():
        return "u" if sum(map(str.isalpha, text)) > 1 else "t"
    return "t" if text[1:] == text[1:].lower() else "m"


class EveryWord:
    """All known lemmas of a part of speech, in bare letters."""

    def __init__(self, lexicon: Lexicon, upos: str) -> None:
        """Take what knows them."""
        self._counted, self._listed = lexicon.letters.get(upos, {}), lexicon.listed_words.get(upos, ())

    def __contains__(self, word: object) -> bool:
        return word in self._counted or word in self._listed


@dataclass
class Lexicon:
    """Known lemmas: those of training data with their number, and those of a dictionary."""

    #: Spellings of lemmas by part of speech, with the number of words.
    counts: dict[str, dict[str, int]]
    #: By part of speech, lemmas of a dictionary, one in a line: in bare letters or, always written so, with a capital.
    dictionary: dict[str, str] = field(default_factory=dict)
    #: By part of speech and form, in bare letters, lemmas that no rule gives.
    exceptions: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    #: Forms that look misspelt and are not.
    frequent_forms: frozenset[str] = frozenset()

    @cached_property
    def letters(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """By part of speech and bare letters, spellings of lemmas."""
        return {upos: _by_letters(own) for upos, own in self.counts.items()}

    @cached_property
    def all_letters(self) -> frozenset[str]:
        """The bare letters of all lemmas of training data."""
        return frozenset[str]().union(*self.letters.values())

    def spellings(self, letters: str) -> Iterator[tuple[str, str, int]]:
        """Yield the spellings of bare letters, each with a part of speech and its number."""
        if letters in self.all_letters:  # most that is asked for is no word at all
            for upos, known in self.letters.items():
                for lemma in known.get(letters, ()):
                    yield lemma, upos, self.counts[upos][lemma]

    @cached_property
    def listed_words(self) -> dict[str, WordList]:
        """The words of the dictionary, in bare letters."""
        return {upos: WordList(_bare_lines(words)) for upos, words in self.dictionary.items()}

    @cached_property
    def capitals(self) -> dict[str, dict[str, str]]:
        """By part of speech and bare letters, words of the dictionary that are written with capitals."""
        return {
            upos: {small: word for word in _with_capitals(words) if (small := bare(word)) != word}
            for upos, words in self.dictionary.items()
        }

    def abbreviated(self, form: str) -> str | None:
        """Return the lemma of an abbreviation."""
        lemmas = self.exceptions.get(ANY_PART, {}).get(bare(form))
        return lemmas[0] if lemmas else None

    def every_word(self, upos: str) -> EveryWord:
        """Return all known lemmas of a part of speech, in bare letters."""
        return EveryWord(self, upos)

    def known(self, letters: str, upos: str, less: int = 0) -> str:
        """Return in which way a lemma is known; `less`: how many of its words are left out."""
        own, others = -less, False
        for _, tag, count in self.spellings(letters):
            if tag == upos:
                own += count
            else:
                others = True
        known = "3" if own > 9 else "2" if own > 1 else "1" if own == 1 else "0"
        return known + "o" * others + self.listed(letters, upos)

    def listed(self, letters: str, upos: str) -> str:
        """Return whether the dictionary has a lemma as this part of speech or only as another one."""
        own = self.listed_words.get(upos)
        if own is not None and letters in own:
            return "d"
        return "e" if any(letters in other for other in self.listed_words.values()) else ""

    def has(self, letters: str, upos: str) -> bool:
        """Whether a lemma is known as a part of speech."""
        return letters in self.letters.get(upos, {}) or letters in self.listed_words.get(upos, ())


def _by_letters(lemmas: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return different lemmas by their bare letters; most are the only one of theirs."""
    letters_of_each = _all_bare(lemmas)
    by_letters: dict[str, tuple[str, ...]] = dict(zip(letters_of_each, zip(lemmas, strict=True), strict=True))
    if len(by_letters) < len(lemmas):
        others: dict[str, list[str]] = {}
        for letters, lemma in zip(letters_of_each, lemmas, strict=True):
            if by_letters[letters] != (lemma,):
                others.setdefault(letters, []).append(lemma)
        by_letters.update({letters: (*several, *by_letters[letters]) for letters, several in others.items()})
    return by_letters


def _bare_lines(words: str) -> bytes:
    """Return the words of a list in bare letters, one in a line."""
    lines = words.lower() if words.isascii() else "\n".join(map(bare, words.split("\n")))
    return lines.encode(errors="surrogatepass")  # a model file may hold anything


def _with_capitals(words: str) -> Iterator[str]:
    """Yield the words of a list that have capitals, which are few, or letters that are not ASCII."""
    end = 0
    for letter in _capitals(words) if words.isascii() else _not_small(words):
        if letter >= end:
            begin, end = words.rfind("\n", 0, letter) + 1, words.find("\n", letter)
            end = len(words) if end < 0 else end
            yield words[begin:end]


def _capitals(words: str) -> Iterator[int]:
    """Return where capitals of ASCII stand; in arrays, since lists are long."""
    codes = np.frombuffer(words.encode(), np.uint8)
    return iter(np.flatnonzero((codes >= ord("A")) & (codes <= ord("Z"))).tolist())


def _not_small(words: str) -> Iterator[int]:
    """Return where letters stand that are no small ones of ASCII."""
    return (letter.start() for letter in _NO_SMALL_LETTER.finditer(words))


class Rule(NamedTuple):
    """What stands in place of a beginning or an ending of so many characters, and the hash of both."""

    new: str
    length: int
    hash: int


class Rules:
    """Replacements of beginnings and endings, the most frequent first."""

    def __init__(self, beginnings: Replacements, endings: Replacements) -> None:
        """Take them by part of speech."""
        self.beginnings, self.endings = beginnings, endings
        self._indexed: dict[str, tuple[dict[str, list[Rule]], dict[str, list[Rule]]]] = {}

    def fitting(self, form: str, upos: str) -> tuple[list[Rule], list[Rule]]:
        """Return the beginnings and the endings that fit a form."""
        if upos not in self._indexed:
            self._indexed[upos] = (
                _index(self.beginnings.get(upos, {}), "<"),
                _index(self.endings.get(upos, {}), ">"),
            )
        beginnings, endings = self._indexed[upos]
        length = len(form)
        before = [form[:end] for end in range(min(length, _LONGEST_BEGINNING + 1))]
        behind = [form[start:] for start in range(length, max(0, length - _LONGEST_ENDING - 1), -1)]
        return (
            [rule for old in before if old in beginnings for rule in beginnings[old]],
            [rule for old in behind if old in endings for rule in endings[old]],
        )


def _index(replacements: Mapping[str, list[str]], sign: str) -> dict[str, list[Rule]]:
    return {
        old: [Rule(new, len(old), hashed(f"{old}{sign}{new}")) for new in news] for old, news in replacements.items()
    }


def learnt_rules(words: Sequence[tuple[str, str, str]]) -> Rules:
    """Return the rules of forms, parts of speech and lemmas, all different and in bare letters.

    What is replaced in a word is decided by which beginnings and endings other words have: first the longest common
    part stays, then, twice, that whose beginning and ending are the most frequent.
    """
    beginnings: Counter[tuple[str, Pair]] = Counter()
    endings: Counter[tuple[str, Pair]] = Counter()
    for _ in range(3):
        before, behind = Counter[tuple[str, Pair]](), Counter[tuple[str, Pair]]()
        for form, upos, lemma in words:
            found = _best_alignment(form, lemma, upos, beginnings, endings)
            if found is not None:
                before[upos, found[0]] += 1
                behind[upos, found[1]] += 1
        beginnings, endings = before, behind
    fitting_beginnings = Counter((upos, form[:end]) for form, upos, _ in words for end in range(_LONGEST_BEGINNING + 1))
    fitting_endings = Counter(
        (upos, form[max(0, len(form) - length) :]) for form, upos, _ in words for length in range(_LONGEST_ENDING + 1)
    )
    return Rules(
        _replacements(beginnings, _LEAST_BEGINNINGS, fitting_beginnings),
        _replacements(endings, _LEAST_ENDINGS, fitting_endings),
    )


def _alignments(form: str, lemma: str) -> Iterator[tuple[Pair, Pair]]:
    """Return the beginnings and endings around each common part that cannot be made longer."""
    for start in range(min(len(form), _LONGEST_BEGINNING + 1)):
        for there in range(min(len(lemma), _LONGEST_BEGINNING + 1)):
            if form[start] != lemma[there] or (start and there and form[start - 1] == lemma[there - 1]):
                continue
            end = 1
            while start + end < len(form) and there + end < len(lemma) and form[start + end] == lemma[there + end]:
                end += 1
            if len(form) - start - end <= _LONGEST_ENDING:
                yield (form[:start], lemma[:there]), (form[start + end :], lemma[there + end :])


def _best_alignment(
    form: str,
    lemma: str,
    upos: str,
    beginnings: Mapping[tuple[str, Pair], int],
    endings: Mapping[tuple[str, Pair], int],
) -> tuple[Pair, Pair] | None:
    """Return the alignment whose parts are the most frequent, of equal ones that with the longest common part."""
    best: tuple[float, int] | None = None
    found = None
    for beginning, ending in _alignments(form, lemma):
        likely = (0.1 + beginnings.get((upos, beginning), 0)) * (0.1 + endings.get((upos, ending), 0))
        key = (likely, -sum(map(len, (*beginning, *ending))))
        if best is None or key > best:
            best, found = key, (beginning, ending)
    return found


def _replacements(
    counts: Counter[tuple[str, Pair]], least: int, fitting: Mapping[tuple[str, str], int]
) -> Replacements:
    """Return replacements that are frequent enough, also among the words that they fit, the most frequent first."""
    found: Replacements = {}
    for (upos, (old, new)), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if count >= least and count >= _LEAST_SHARE * fitting[upos, old]:
            own = found.setdefault(upos, {}).setdefault(old, [])
            if len(own) < _MOST:
                own.append(new)
    return found
