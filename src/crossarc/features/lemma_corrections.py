"""Known words that a misspelt one may stand for: one slip of the pen away, or without letters that were drawn out.

A slip is a letter that is left out, added, exchanged for another or with its neighbour (Damerau 1964). Of a word in
which letters stand three times or more (sooooo), only the words with fewer of them are looked for. Which of these words
is meant, and whether one is, a ranker says (`lemmatiser`). O(length · letters) for a word.
"""

from __future__ import annotations

import re
from collections.abc import Container

#: Letters that slips add.
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SHORTEST = 4
_DRAWN_OUT = re.compile(r"(.)\1{2,}")


def corrections(word: str, known: Container[str]) -> dict[str, str]:
    """Return the known words that a word in small letters may stand for, each with the kind of slip.

    >>> corrections("soooo", {"so", "sooner"}), corrections("freind", {"friend", "fiend"})
    ({'so': 'run'}, {'friend': 'exchanged'})
    """
    if not (word.isascii() and word.isalpha()):
        return {}
    if _DRAWN_OUT.search(word):
        shorter = (_DRAWN_OUT.sub(r"\1\1", word), _DRAWN_OUT.sub(r"\1", word))
        return {text: "run" for text in shorter if text in known}
    if len(word) < _SHORTEST:
        return {}
    parts = [(word[:index], word[index:]) for index in range(len(word) + 1)]
    slips = {
        "left out": [before + letter + behind for before, behind in parts for letter in _LETTERS],
        "other": [before + letter + behind[1:] for before, behind in parts[:-1] for letter in _LETTERS],
        "exchanged": [before + behind[1] + behind[0] + behind[2:] for before, behind in parts[:-2]],
        "added": [before + behind[1:] for before, behind in parts[:-1]],
    }
    meant: dict[str, str] = {}
    for kind, texts in slips.items():
        for text in texts:
            if text in known and text != word:
                meant[text] = kind if text[0] == word[0] else f"{kind} first"
    return dict(sorted(meant.items()))
