"""How the letters of a lemma are spelt: capitals as lemmas of its part of speech have them, and the accents of Greek.

An accent is a syllable, counted from the end, and a mark. Spellings are those that are known and those that could be;
their features say how form and lemma are written, what is known, and where the accent stands. O(length) for each.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from .lemma_rules import Lexicon, Word, bare, case_of, letters_and_accents
from .ranking import hashed

_VOWELS = frozenset("αεηιουω")
_DIPHTHONGS = frozenset(("αι", "ει", "οι", "υι", "αυ", "ευ", "ου", "ηυ", "ωυ"))


@lru_cache(maxsize=1 << 14)
def _syllables(letters: str) -> tuple[int, ...]:
    """Return where in bare Greek letters an accent can stand: behind the vowel of each syllable and its marks."""
    places: list[int] = []
    nuclei: list[str] = []
    at = 0
    while at < len(letters):
        letter = letters[at]
        if letter in _VOWELS:
            end = at + 1
            while end < len(letters) and unicodedata.combining(letters[end]):
                end += 1
            marks = letters[at + 1 : end]
            joined = places and places[-1] == at and nuclei[-1] + letter in _DIPHTHONGS and "\u0308" not in marks
            if joined:
                places[-1] = end
                nuclei[-1] += letter
            else:
                places.append(end)
                nuclei.append(letter)
            at = end
        else:
            at += 1
    return tuple(places)


def accent_of(text: str) -> str:
    """Return which syllable from the end has the last accent of a text, and which it is.

    >>> accent_of("ἄνθρωπος") == "3" + chr(0x301), accent_of("word")
    (True, '')
    """
    if text.isascii():
        return ""
    plain: list[str] = []
    at, found = -1, ""
    for letter, is_accent in letters_and_accents(text):
        if is_accent:
            at, found = len(plain), letter
        else:
            plain.append(letter)
    if not found:
        return ""
    number = sum(place >= at for place in _syllables("".join(plain).replace("ς", "σ")))
    return f"{number}{chr(0x301) if found == chr(0x300) else found}"


def with_accent(letters: str, accent: str) -> str:
    """Return bare letters with an accent, composed and with the usual sigma at the end."""
    places = _syllables(letters) if accent else ()
    if accent and int(accent[0]) <= len(places):
        at = places[-int(accent[0])]
        if letters[at - 1] == "\u0345":  # an iota below stands behind the accent
            at -= 1
        letters = letters[:at] + accent[1:] + letters[at:]
    text = unicodedata.normalize("NFC", letters)
    return text[:-1] + "ς" if len(text) > 1 and text.endswith("σ") else text


_PATTERNS = ("1\u0301", "1\u0342", "2\u0301", "2\u0342", "3\u0301")


#: Of words without syllables of Greek, as many as the features of accents.
_NO_ACCENTS = ("",) * 11


class Spelling:
    """How the letters of a lemma may be spelt, and the features of spellings."""

    def __init__(self, lexicon: Lexicon) -> None:
        """Take the known spellings."""
        self.lexicon = lexicon

    def features(
        self, word: Word, letters: str, spellings: Sequence[str], *, wanted: str = "", less: int = 0
    ) -> list[list[int]]:
        """Return a row of features for each spelling; of the wanted one, `less` words are left out."""
        return list(self._features(word, letters, spellings, wanted, less))

    def spellings(self, word: Word, letters: str) -> list[str]:
        """Return spellings of letters: known ones, accents in all ways, capitals as in the form."""
        found = [lemma for lemma, _, _ in self.lexicon.spellings(letters)]
        capital = self.lexicon.capitals.get(word.upos, {}).get(letters)
        found += [capital] if capital else []
        syllables_there = 0 if letters.isascii() else len(_syllables(letters))
        accents = [accent for accent in _PATTERNS if int(accent[0]) <= syllables_there] or [""]
        plain = [with_accent(letters, accent) for accent in accents]
        found += plain
        case = case_of(word.form)
        if case != "l":
            found += [lemma[:1].upper() + lemma[1:] for lemma in plain]
        if case in "um" and letters == bare(word.form) and not syllables_there:
            found.append(word.form)
        elif case == "u" and letters.isascii():
            found.append(letters.upper())
        elif case == "m" and not syllables_there:
            found.append(_with_capitals_of(word.form, letters))
        return list(dict.fromkeys(found))

    def _features(
        self, word: Word, letters: str, spellings: Sequence[str], wanted: str, less: int
    ) -> Iterator[list[int]]:
        case, accent = case_of(word.form), accent_of(word.form)
        same = bare(word.form) == letters
        stands = len(_syllables(bare(word.form))) - int(accent[0]) if accent else -1
        as_this: Counter[str] = Counter()
        as_any: Counter[str] = Counter()
        for lemma, upos, count in self.lexicon.spellings(letters):
            as_any[lemma] += count
            as_this[lemma] += count * (upos == word.upos)
        every = as_any.total() - less
        listed = self.lexicon.listed(letters, word.upos)
        capital = self.lexicon.capitals.get(word.upos, {}).get(letters)
        greek = not letters.isascii() and bool(_syllables(letters))
        for lemma in spellings:
            left = less if lemma == wanted else 0
            times, total = as_this[lemma] - left, as_any[lemma] - left
            known = ("2" if times > 4 else "1" if times > 0 else "0") + "o" * (total > times) + "+" * (every > total)
            as_listed = listed if capital is None else "D" if lemma == capital else "C"
            said = _said(case_of(lemma) + case, word.upos, word.tag, as_listed, known, same)
            accents = self._accents(word, letters, lemma, accent, stands) if greek else _NO_ACCENTS
            yield [*said, *map(hashed, accents)]

    @staticmethod
    def _accents(word: Word, letters: str, lemma: str, accent: str, stands: int) -> tuple[str, ...]:
        """Return what is said of the accent of a spelling; `stands`: the syllable of that of the form."""
        upos, mark = word.upos, accent_of(lemma)
        count = len(_syllables(letters))
        moved = f"{count - int(mark[0]) - stands}{mark[1:]}" if mark else ""
        return (
            f"a{mark}{upos}",
            f"a{mark}{upos}{letters[-2:]}",
            f"a{mark}{upos}{letters[-3:]}",
            f"a{mark}{upos}{letters[-4:]}",
            f"a{mark}{upos}{letters[-5:]}",
            f"a{mark}{upos}{count}{letters[-3:]}",
            f"a{mark}{upos}{accent}{letters[-2:]}",
            f"p{moved}",
            f"p{moved}{word.tag}",
            f"p{moved}{upos}{accent}",
            f"p{moved}{upos}{letters[-2:]}",
        )


def _with_capitals_of(form: str, letters: str) -> str:
    """Return letters with the capitals of a form as far as both begin alike: TV-kampe, tv-kamp, TV-kamp."""
    same = 0
    while same < min(len(form), len(letters)) and form[same].lower() == letters[same]:
        same += 1
    return form[:same] + letters[same:]


@lru_cache(maxsize=1 << 14)
def _said(written: str, upos: str, tag: str, listed: str, known: str, same: bool) -> tuple[int, ...]:
    """Return the features of a spelling beside its accent: how lemma and form are written, and what is known."""
    texts = (
        f"c{written}",
        f"c{written}{upos}",
        f"c{written}{tag}",
        f"c{written}{same}{upos}",
        f"d{written}{listed}{upos}",
        f"d{written}{listed}{tag}",
        f"k{known}",
        f"k{known}{upos}",
        f"k{known}{written}",
        f"k{known}{written}{tag}",
    )
    return tuple(map(hashed, texts))
