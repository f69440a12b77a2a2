"""Forms as models know them: one spelling for what Unicode writes in several ways.

Composed characters (NFC), one apostrophe (U+0027 for U+2019, U+02BC and the koronis U+1FBD) and the sigma that belongs
at its place, so that the same word is the same value and the same characters however a text writes it. Treebanks keep
what was written: only what is looked up is changed. O(different forms).
"""

from __future__ import annotations

import re
import unicodedata

import numpy as np

from ..treebank import Treebank
from .vocabularies import different_texts

_ALIKE = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u1fbd": "'", "\u03c2": "\u03c3", "\u03f2": "\u03c3"})
#: A sigma behind a letter and before none: where small letters have another one.
_FINAL_SIGMA = re.compile(r"(?<=\w)\u03c3(?!\w)")


def normal_form(text: str) -> str:
    """Return the spelling under which a form is known.

    >>> normal_form("don’t"), normal_form("λόγοσ") == normal_form("λόγος") == "λόγος"
    ("don't", True)
    """
    if text.isascii():
        return text
    return _FINAL_SIGMA.sub("\u03c2", unicodedata.normalize("NFC", text).translate(_ALIKE))


def with_normal_forms(treebank: Treebank) -> Treebank:
    """Return a treebank whose forms are spelt as models know them; the very one if they all are already."""
    written, of_word = different_texts(treebank, "form")
    known = [normal_form(text) for text in written]
    if known == written:
        return treebank
    ids = treebank.pool.intern(known)
    return treebank.replace(form=np.asarray(ids[of_word]))
