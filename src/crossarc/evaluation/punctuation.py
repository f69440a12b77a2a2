"""Which words are punctuation, and left out of the second set of scores.

Three definitions: by the tag PUNCT (`upos`, usual for Universal Dependencies); by the characters of the word, all of
Unicode category P (`unicode`, the convention of the CoNLL-X shared task of 2006, which the papers follow); or by a
regular expression that matches the whole word. Texts are looked at once each: O(different words).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from .._arrays import Flags
from ..errors import CrossarcError
from ..treebank import Treebank

#: "upos", "unicode", or a regular expression.
Punctuation: TypeAlias = "str | re.Pattern[str]"

_NAMES = ("upos", "unicode")


def checked_punctuation(punctuation: Punctuation | None, gold: Treebank) -> Punctuation:
    """Return the definition that is meant: by default `upos` for CoNLL-U that has tags, else `unicode`."""
    if punctuation is None:
        tagged = gold.format == "conllu" and bool((gold.column("upos") != 0).any())
        return "upos" if tagged else "unicode"
    if isinstance(punctuation, str) and punctuation not in _NAMES:
        raise CrossarcError(
            f'unknown definition of punctuation "{punctuation}": use one of {", ".join(_NAMES)}, '
            "or a compiled regular expression (--punctuation-pattern)"
        )
    return punctuation


def described(punctuation: Punctuation) -> str:
    """Put the definition into words."""
    if punctuation == "upos":
        return "words tagged PUNCT"
    if punctuation == "unicode":
        return "words of Unicode punctuation only"
    return f"words that match {punctuation.pattern if isinstance(punctuation, re.Pattern) else punctuation}"


def is_punctuation(form: str) -> bool:
    """Whether all characters of a word have Unicode category P.

    >>> is_punctuation("»..."), is_punctuation("$"), is_punctuation("...a")
    (True, False, False)
    """
    return bool(form) and all(unicodedata.category(character).startswith("P") for character in form)


def punctuation_flags(treebank: Treebank, punctuation: Punctuation) -> Flags:
    """Return which words of a treebank are punctuation."""
    if punctuation == "upos":
        tag = treebank.pool.find("PUNCT")
        return np.equal(treebank.column("upos"), tag)
    if isinstance(punctuation, re.Pattern):
        pattern = punctuation
        return by_text(treebank, "form", lambda form: pattern.fullmatch(form) is not None)
    return by_text(treebank, "form", is_punctuation)


def by_text(treebank: Treebank, column: str, holds: Callable[[str], bool]) -> Flags:
    """Return for which words something holds of the text of a column, which is asked once for each text."""
    ids = treebank.column(column)
    used = np.flatnonzero(np.bincount(ids, minlength=1)).astype(np.int32)
    answers = np.zeros(int(used[-1]) + 1 if len(used) else 1, bool)
    answers[used] = [holds(text) for text in treebank.pool.texts(used)]
    return answers[ids]
