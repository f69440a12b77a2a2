"""Characters of texts: spaces, composed form (NFC), and as numbers, a row for each character with its neighbours.

A segmenter reads the composed form, so that texts in NFC and NFD are cut alike, and tokens are then taken from what was
written: é is one character however it is written, and so is the end of a line, of Windows, too. Nothing is cut between
a character and what belongs to it: combining marks, variation selectors, skin tones, and what a zero-width joiner
joins. For an alphabet, characters that are written in several ways count as one: all decimal digits, apostrophes
(U+0027, U+2019, U+02BC, U+1FBD, U+1FBF), and all spaces but line breaks. O(characters), in arrays.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import Flags, Offsets, Values, different
from ..errors import CrossarcError

#: Numbers below it are those of no character, of an unknown one, and of the artificial root, which texts have not.
_FIRST = 3
_UNKNOWN = 1
#: What is written for an apostrophe, besides U+0027.
APOSTROPHES = "’ʼ᾽᾿"
#: The general categories of Unicode.
_CATEGORIES = tuple(
    group[0] + kind for group in ("Ccfnos", "Llmotu", "Mcen", "Ndlo", "Pcdefios", "Sckmo", "Zlps") for kind in group[1:]
)
_COLUMNS = 4
#: With more characters, pairs are searched for instead of looked up.
_MOST_IN_A_TABLE = 1024
_JOINER = 0x200D
#: Vowels and finals, which become a syllable with what stands before.
_JAMO = range(0x1160, 0x1200)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)
#: No sign has more characters: a text of nothing but combining marks is cut somewhere.
_LONGEST_SIGN = 64

CodePoints = NDArray[np.uint32]


class AlphabetError(CrossarcError):
    """Characters that cannot be an alphabet."""


def code_points(text: str) -> CodePoints:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


class CodeTable:
    """A number for each character, computed when it is first met."""

    def __init__(self, number: Callable[[int], int], kind: type[np.unsignedinteger[Any]]) -> None:
        """Take what gives the number of a code point, and what holds such numbers."""
        self._number = number
        self._values = np.zeros(sys.maxunicode + 1, kind)
        self._met = np.zeros(sys.maxunicode + 1, bool)

    def values(self, codes: CodePoints) -> NDArray[Any]:
        """Return the numbers of characters."""
        met = self._met[codes]
        if not met.all():
            for code in different(codes[~met]).tolist():
                self._values[code] = self._number(code)
                self._met[code] = True
        return self._values[codes]


#: All spaces have a lower code.
_SPACES = np.zeros(0x3002, bool)
_SPACES[[code for code in range(0x3001) if chr(code).isspace() or code == 0]] = True


def is_space(codes: CodePoints) -> Flags:
    """Return which characters are spaces: those of Unicode, and NUL, which no word of a treebank can hold."""
    return _SPACES[np.minimum(codes, 0x3001)]


# Composed form


def _belongs_to_the_one_before(code: int) -> bool:
    if code == _JOINER or any(code in kind for kind in (_JAMO, _SKIN_TONES, _TAGS)):
        return True
    return unicodedata.category(chr(code))[0] == "M"


_BELONGS = CodeTable(_belongs_to_the_one_before, np.uint8)
_LETTERS = CodeTable(lambda code: unicodedata.category(chr(code))[0] == "L", np.uint8)
_LETTERS_AND_DIGITS = CodeTable(lambda code: unicodedata.category(chr(code))[0] in "LN", np.uint8)


def is_letter(codes: CodePoints) -> Flags:
    """Return which characters are letters."""
    letters: Flags = _LETTERS.values(codes).astype(bool)
    return letters


def is_letter_or_digit(codes: CodePoints) -> Flags:
    """Return which characters are letters or digits."""
    flags: Flags = _LETTERS_AND_DIGITS.values(codes).astype(bool)
    return flags


def belongs(codes: CodePoints) -> Flags:
    """Return which characters belong to the one before them; nothing belongs to a space, nor a space to anything."""
    flags: Flags = _BELONGS.values(codes).astype(bool)
    flags[1:] |= codes[:-1] == _JOINER
    space = is_space(codes)
    flags &= ~space
    flags[1:] &= ~space[:-1]
    return flags


def _with_line_ends_whole(text: str, origins: Offsets) -> tuple[str, Offsets]:
    """Return a text in which the line ends of Windows are one character, which begins where they do."""
    codes = code_points(text)
    ends = np.flatnonzero((codes[:-1] == ord("\r")) & (codes[1:] == ord("\n")))
    return text.replace("\r\n", "\n"), np.delete(origins, ends + 1)


def composed(text: str) -> tuple[str, Offsets]:
    """Return a text in composed form, and for each of its characters where it begins in what was written."""
    signs, origins = _composed_signs(text)
    return _with_line_ends_whole(signs, origins) if "\r\n" in signs else (signs, origins)


@lru_cache(maxsize=1 << 16)
def _composed_sign(sign: str) -> str:
    return unicodedata.normalize("NFC", sign)


def _composed_signs(text: str) -> tuple[str, Offsets]:
    if text.isascii():
        return text, np.arange(len(text))
    starts = np.append(0, np.flatnonzero(~belongs(code_points(text))[1:]) + 1)
    long = np.flatnonzero(np.diff(starts, append=len(text)) > _LONGEST_SIGN).tolist()
    if not long and unicodedata.is_normalized("NFC", text):
        return text, np.arange(len(text))
    ends = np.append(starts[1:], len(text))
    parts_of_long = (np.arange(starts[index], ends[index], _LONGEST_SIGN) for index in long)
    starts = different(np.concatenate([starts, *parts_of_long]))
    begins = starts.tolist()
    signs = [_composed_sign(text[begin:end]) for begin, end in zip(begins, [*begins[1:], len(text)], strict=True)]
    return "".join(signs), np.repeat(starts, list(map(len, signs)))


def last_whole(text: str) -> int:
    """Return where the last sign of a text begins, to which more may belong that comes next."""
    if text.endswith(("\r", "\r\n")):
        return text.rindex("\r")
    begin = max(0, len(text) - _LONGEST_SIGN)
    later = belongs(code_points(text[begin:]))
    # What the first of these characters belongs to is not seen, unless the text begins with it: then to nothing.
    later[:1] = begin > 0
    begins = np.flatnonzero(~later)
    return begin + int(begins[-1]) if len(begins) else len(text)


# Characters as numbers


def simple_character(character: str) -> str:
    """Return the one character for a character that is written in several ways."""
    if character.isdecimal():
        return "0"
    if character in APOSTROPHES:
        return "'"
    return " " if (character.isspace() or character == "\0") and character != "\n" else character


_SIMPLE = CodeTable(lambda code: ord(simple_character(chr(code))), np.uint32)
_CATEGORY = CodeTable(lambda code: _CATEGORIES.index(unicodedata.category(chr(code))) + _FIRST, np.uint32)


class Alphabet:
    """The characters and pairs of neighbours that training data had."""

    def __init__(self, characters: str, pairs: str) -> None:
        """Take the known characters and pairs, each once, one pair behind the other."""
        self.characters, self.pairs = characters, pairs
        known = different(code_points(characters))
        # Behind the last known character the table has an entry for all others.
        self._numbers = np.full(int(known[-1]) + 2 if len(known) else 1, _UNKNOWN, np.uint32)
        self._numbers[known] = np.arange(_FIRST, _FIRST + len(known))
        self._width = _FIRST + len(known)
        first, second = self._character_numbers(code_points(pairs)).reshape(-1, 2).T.astype(np.int64)
        self._pairs = different(first * self._width + second)
        if len(known) != len(characters) or len(self._pairs) != len(first):
            raise AlphabetError("a character or pair stands twice among the known ones")
        if (first < _FIRST).any() or (second < _FIRST).any():
            raise AlphabetError("a pair has a character that is not among the known ones")
        self._pair_table = np.zeros(0, np.uint32)
        if self._width <= _MOST_IN_A_TABLE:
            self._pair_table = np.full(self._width**2, _UNKNOWN, np.uint32)
            self._pair_table[self._pairs] = np.arange(_FIRST, _FIRST + len(self._pairs))

    @classmethod
    def fit(cls, texts: Iterable[str], *, cutoff: int = 3) -> Alphabet:
        """Return the characters and pairs that occur at least so often."""
        codes = np.concatenate([np.zeros(0, np.uint32), *(_SIMPLE.values(code_points(text)) for text in texts)])
        characters, counts = np.unique(codes, return_counts=True)
        neighbours = codes[:-1].astype(np.uint64) << np.uint64(32) | codes[1:].astype(np.uint64)
        pairs, pair_counts = np.unique(neighbours, return_counts=True)
        often = pairs[pair_counts >= cutoff].tolist()
        return cls(
            "".join(map(chr, characters[counts >= cutoff].tolist())),
            "".join(chr(pair >> 32) + chr(pair & 0xFFFFFFFF) for pair in often),
        )

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """How many numbers each column has: the character, it with the one before, with the next, and its category."""
        pairs = len(self._pairs) + _FIRST
        return (self._width, pairs, pairs, len(_CATEGORIES) + _FIRST)

    def values(self, text: str) -> Values:
        """Return a row for each character of a text."""
        codes = _SIMPLE.values(code_points(text))
        table = np.zeros((len(codes), _COLUMNS), np.uint32)
        table[:, 0] = numbers = self._character_numbers(codes)
        table[1:, 1] = table[:-1, 2] = self._pair_numbers(numbers[:-1].astype(np.int64) * self._width + numbers[1:])
        table[:, 3] = _CATEGORY.values(codes)
        return table

    def _character_numbers(self, codes: CodePoints) -> Values:
        return self._numbers[np.minimum(codes, len(self._numbers) - 1)]

    def _pair_numbers(self, pairs: NDArray[np.int64]) -> Values:
        if len(self._pair_table):
            return self._pair_table[pairs]
        if not len(self._pairs):
            return np.full(len(pairs), _UNKNOWN, np.uint32)
        indices = np.minimum(np.searchsorted(self._pairs, pairs), len(self._pairs) - 1)
        return np.where(self._pairs[indices] == pairs, indices + _FIRST, _UNKNOWN).astype(np.uint32)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        return {"characters": self.characters, "pairs": self.pairs}

    @classmethod
    def from_dict(cls, data: Any) -> Alphabet:
        """Make it again from what `to_dict` gave."""
        try:
            characters, pairs = data["characters"], data["pairs"]
        except (TypeError, KeyError) as error:
            raise AlphabetError("the alphabet is damaged") from error
        if not isinstance(characters, str) or not isinstance(pairs, str) or len(pairs) % 2:
            raise AlphabetError("the alphabet is damaged")
        return cls(characters, pairs)
