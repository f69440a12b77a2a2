"""Characters of words as numbers for networks: a vocabulary of characters, and the different forms of a treebank.

0 is no character, 1 one that training did not see often enough, 2 is not used, 3 the beginning and 4 the end of a form,
5 and more the known ones. Each different form is numbered once: O(words) in arrays, and O(their characters) for forms.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from .._arrays import Ids, Offsets, Values, offsets_of
from ..errors import CrossarcError
from ..treebank import Treebank
from .vocabularies import FIRST_KNOWN, UNKNOWN, different_texts

#: Before and behind the characters of a form.
_BEGIN, _END, _FIRST_KNOWN = range(FIRST_KNOWN, FIRST_KNOWN + 3)
#: Of a longer form as many characters of its beginning and as many of its end are read.
_HALF = 16


class CharactersError(CrossarcError):
    """Characters that cannot be a vocabulary."""


class Forms(NamedTuple):
    """The forms of the words of a treebank: of each word its form, and the characters of each form."""

    of_word: Ids
    offsets: Offsets
    characters: Values


#: For models that do not read characters.
NO_FORMS = Forms(np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.uint32))


class Characters:
    """The characters that training data had."""

    def __init__(self, known: str) -> None:
        """Take the known characters, each once; the first gets number 5."""
        if not isinstance(known, str):
            raise CharactersError("the known characters are a text")
        if len(set(known)) != len(known):
            raise CharactersError("a character stands twice among the known ones")
        self.known = known
        self._numbers = {character: number for number, character in enumerate(known, start=_FIRST_KNOWN)}

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.known) + _FIRST_KNOWN

    @classmethod
    def fit(cls, treebank: Treebank, *, cutoff: int = 2) -> Characters:
        """Return the characters that occur at least `cutoff` times in the forms of a treebank, most frequent first."""
        counts: Counter[str] = Counter()
        for form, count in treebank.inventory("form").items():
            for character in form:
                counts[character] += count
        kept = [(character, count) for character, count in counts.items() if count >= cutoff]
        return cls("".join(character for character, _ in sorted(kept, key=lambda item: (-item[1], item[0]))))

    def forms(self, treebank: Treebank) -> Forms:
        """Return the forms of a treebank with their characters."""
        texts, of_word = different_texts(treebank, "form")
        short = [text if len(text) <= 2 * _HALF else text[:_HALF] + text[-_HALF:] for text in texts]
        number = self._numbers.get
        characters: list[int] = []
        for text in short:
            characters.append(_BEGIN)
            characters += [number(character, UNKNOWN) for character in text]
            characters.append(_END)
        offsets = offsets_of(len(text) + 2 for text in short)
        return Forms(of_word.astype(np.int32), offsets, np.array(characters, np.uint32))
