"""Characters of texts as numbers: a row for each character, with itself, its neighbours and its kind.

Characters that are written in several ways count as one: all decimal digits, apostrophes (U+0027, U+2019, U+02BC,
U+1FBD), and all spaces but line breaks. O(characters), in arrays.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import Flags, Values, different
from ..errors import CrossarcError

#: Numbers below it are those of no character, of an unknown one, and of the artificial root, which texts have not.
_FIRST = 3
_UNKNOWN = 1
_APOSTROPHES = "’ʼ᾽"
#: The general categories of Unicode.
_KINDS = tuple(
    group[0] + kind for group in ("Ccfnos", "Llmotu", "Mcen", "Ndlo", "Pcdefios", "Sckmo", "Zlps") for kind in group[1:]
)
COLUMNS = 4
#: With more characters, pairs are searched for instead of looked up.
_MOST_IN_A_TABLE = 1024

Codes = NDArray[np.uint32]


class AlphabetError(CrossarcError):
    """Characters that cannot be an alphabet."""


def codes_of(text: str) -> Codes:
    """Return the code points of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


class CodeTable:
    """A number for each character, found out when it is first met."""

    def __init__(self, number: Callable[[int], int], kind: type[np.unsignedinteger[Any]]) -> None:
        """Take what gives the number of a code point, and what holds such numbers."""
        self._number = number
        self._values = np.zeros(sys.maxunicode + 1, kind)
        self._met = np.zeros(sys.maxunicode + 1, bool)

    def values(self, codes: Codes) -> NDArray[Any]:
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


def is_space(codes: Codes) -> Flags:
    """Return which characters are spaces: those of Unicode, and NUL, which no word of a treebank can hold."""
    return _SPACES[np.minimum(codes, 0x3001)]


class Alphabet:
    """The characters and pairs of neighbours that training data had."""

    def __init__(self, characters: str, pairs: Iterable[str]) -> None:
        """Take the known characters and pairs, each once."""
        self.characters = characters
        self.pairs = tuple(pairs)
        if any(len(pair) != 2 for pair in self.pairs):
            raise AlphabetError("a pair has two characters")
        known = different(codes_of(characters))
        # Behind the last known character the table has one place for all others.
        self._numbers = np.full(int(known[-1]) + 2 if len(known) else 1, _UNKNOWN, np.uint32)
        self._numbers[known] = np.arange(_FIRST, _FIRST + len(known))
        self._width = _FIRST + len(known)
        first, second = self._numbers_of(codes_of("".join(self.pairs))).reshape(-1, 2).T.astype(np.int64)
        self._pairs = different(first * self._width + second)
        if len(known) != len(characters) or len(self._pairs) != len(self.pairs):
            raise AlphabetError("a character or pair stands twice among the known ones")
        if (first < _FIRST).any() or (second < _FIRST).any():
            raise AlphabetError("a pair has a character that is not among the known ones")
        self._pair_numbers = np.zeros(0, np.uint32)
        if self._width <= _MOST_IN_A_TABLE:
            self._pair_numbers = np.full(self._width**2, _UNKNOWN, np.uint32)
            self._pair_numbers[self._pairs] = np.arange(_FIRST, _FIRST + len(self._pairs))

    @classmethod
    def fit(cls, texts: Iterable[str], *, cutoff: int = 3) -> Alphabet:
        """Return the characters and pairs that occur at least so often."""
        codes = [_SIMPLE.values(codes_of(text)) for text in texts]
        every = np.concatenate([np.zeros(0, np.uint32), *codes])
        characters, counts = np.unique(every, return_counts=True)
        both = _pair_codes(every)
        pairs, pair_counts = np.unique(both, return_counts=True)
        often = pairs[pair_counts >= cutoff].tolist()
        return cls(
            "".join(map(chr, characters[counts >= cutoff].tolist())),
            (chr(int(pair) >> 32) + chr(int(pair) & 0xFFFFFFFF) for pair in often),
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many numbers each column has: the character, it with the one before, with the next, and its kind."""
        pairs = len(self._pairs) + _FIRST
        return (self._width, pairs, pairs, len(_KINDS) + _FIRST)

    def values(self, text: str) -> Values:
        """Return a row for each character of a text."""
        codes = _SIMPLE.values(codes_of(text))
        table = np.empty((len(codes), COLUMNS), np.uint32)
        numbers = self._numbers_of(codes)
        both = self._numbers_of_pairs(numbers[:-1].astype(np.int64) * self._width + numbers[1:])
        table[:, 0] = numbers
        table[:1, 1], table[-1:, 2] = 0, 0
        table[1:, 1], table[:-1, 2] = both, both
        table[:, 3] = _KIND.values(codes)
        return table

    def _numbers_of(self, codes: Codes) -> Values:
        return self._numbers[np.minimum(codes, len(self._numbers) - 1)]

    def _numbers_of_pairs(self, pairs: NDArray[np.int64]) -> Values:
        if len(self._pair_numbers):
            return self._pair_numbers[pairs]
        if not len(self._pairs):
            return np.full(len(pairs), _UNKNOWN, np.uint32)
        places = np.minimum(np.searchsorted(self._pairs, pairs), len(self._pairs) - 1)
        return np.where(self._pairs[places] == pairs, places + _FIRST, _UNKNOWN).astype(np.uint32)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        return {"characters": self.characters, "pairs": "".join(self.pairs)}

    @classmethod
    def from_dict(cls, data: Any) -> Alphabet:
        """Make it again from what `to_dict` gave."""
        try:
            characters, pairs = data["characters"], data["pairs"]
        except (TypeError, KeyError) as error:
            raise AlphabetError("the alphabet is damaged") from error
        if not isinstance(characters, str) or not isinstance(pairs, str) or len(pairs) % 2:
            raise AlphabetError("the alphabet is damaged")
        return cls(characters, (pairs[place : place + 2] for place in range(0, len(pairs), 2)))


def simple_character(character: str) -> str:
    """Return the one character for a character that is written in several ways."""
    if character.isdecimal():
        return "0"
    if character in _APOSTROPHES:
        return "'"
    return " " if (character.isspace() or character == "\0") and character != "\n" else character


_SIMPLE = CodeTable(lambda code: ord(simple_character(chr(code))), np.uint32)
_KIND = CodeTable(lambda code: _KINDS.index(unicodedata.category(chr(code))) + _FIRST, np.uint32)


def _pair_codes(codes: Codes) -> NDArray[np.uint64]:
    return codes[:-1].astype(np.uint64) << np.uint64(32) | codes[1:].astype(np.uint64)
