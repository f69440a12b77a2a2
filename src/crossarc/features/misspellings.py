"""Misspelt words: the known ones that they may stand for, and reading them as these.

A slip of the pen is a letter that is left out, added, exchanged for another or with its neighbour (Damerau 1964). Of a
word in which letters stand three times or more (sooooo), only the words with fewer of them are looked for. Lemmatisers
ask for the words that a lemma which is no word may stand for; a ranker says which is meant, and whether one is.

Misspelt words are read as the words that are meant, so that tags and trees are those of these; forms stay. A word that
training data do not have, and no form of a dictionary's word, is taken for a frequent one of training data if that is
one slip away and begins alike. Names, which begin with a capital, short words, and words that texts have again and
again are left alone. For models whose lemmatiser has a dictionary: without one, a word that is rare looks like a
misspelt one. O(length · letters) for each different word that is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from functools import cached_property

from ..treebank import Treebank
from .lemma_rules import Lexicon, Rules, bare
from .vocabularies import with_other_forms

#: Letters that slips add.
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_FEWEST_LETTERS = 4
_DRAWN_OUT = re.compile(r"(.)\1{2,}")
#: Parts of speech that new words belong to.
_OPEN = ("NOUN", "VERB", "ADJ", "ADV")
#: How often the lemma of a word is there that others are taken for.
_OFTEN = 10
#: The fewest letters of a word with a slip of each kind.
_SHORTEST = {"left out": 4, "added": 4, "exchanged": 4, "other": 6, "run": 4}
#: How much likelier slips of a kind are than those in which another letter stands.
_LIKELIER = {"left out": 4, "added": 3, "exchanged": 10, "run": 10}
#: What is said of slips in the first letter.
_FIRST = " first"
_MOST_REMEMBERED = 1 << 16


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
    if len(word) < _FEWEST_LETTERS:
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
                meant[text] = kind if text[0] == word[0] else kind + _FIRST
    return dict(sorted(meant.items()))


class Misspellings:
    """What is known of words, by which misspelt ones are recognised."""

    def __init__(
        self,
        memory: Mapping[str, Mapping[str, int]],
        lemma: Callable[[str, int], str],
        lexicon: Lexicon,
        rules: Rules,
        parts: frozenset[str],
    ) -> None:
        """Take the forms of training data by part of speech, each with its script, -1 for several, and what these give.

        `lexicon` and `rules` are those of a lemmatiser, `parts` the parts of speech whose words may be meant.
        """
        self._memory, self._lemma, self._lexicon, self._rules, self._parts = memory, lemma, lexicon, rules, parts
        self._meant: dict[str, str] = {}

    def read(self, treebank: Treebank) -> Treebank:
        """Return the treebank as a parser reads it; the very one if no word is misspelt."""
        return with_other_forms(treebank, self.meant)

    def written(self, parsed: Treebank, before: Treebank) -> Treebank:
        """Return what was parsed with the forms that were written."""
        if parsed.words == 0 or parsed.column("form") is before.column("form"):
            return parsed
        forms, of_word = before.distinct_texts("form")
        return parsed.replace(form=parsed.pool.intern(forms)[of_word])

    def meant(self, form: str) -> str:
        """Return the word that is meant by a form: itself, if it is known or nothing is one slip away."""
        word = self._meant.get(form)
        if word is None:
            if len(self._meant) >= _MOST_REMEMBERED:
                self._meant.clear()
            word = self._meant[form] = self._recognised(form)
        return word

    def forget(self) -> None:
        """Forget which words were meant: others are known now."""
        self._meant.clear()

    def _recognised(self, form: str) -> str:
        small = form.lower()
        if not (form.isascii() and form.isalpha()) or (form != small and form != form.upper()) or self._knows(small):
            return form
        candidates = {
            word: slip
            for word, slip in corrections(small, self._forms).items()
            if len(small) >= _SHORTEST.get(slip, len(small) + 1) and (slip == "run" or form == small)
            if may_be_meant(small, word, slip)
        }
        likely = {word: self._number(word) * _LIKELIER.get(slip, 1) for word, slip in candidates.items()}
        return max(
            (word for word, number in likely.items() if number), key=lambda word: (likely[word], word), default=form
        )

    def _knows(self, form: str) -> bool:
        """Whether data, texts or a dictionary have a form, or rules make a known word of it."""
        lexicon = self._lexicon
        if any(form in forms or form.title() in forms for forms in self._memory.values()):
            return True
        if form in lexicon.frequent_forms or lexicon.abbreviated(form):
            return True
        letters = bare(form)
        if letters in lexicon.all_letters or any(letters in words for words in lexicon.listed_words.values()):
            return True
        for upos in _OPEN:
            if letters in lexicon.exceptions.get(upos, {}):
                return True
            _, lasts = self._rules.fitting(letters, upos)
            for last in lasts:
                stem = letters[: len(letters) - last.length] + last.new
                if len(stem) > 2 and lexicon.has(stem, upos):
                    return True
        return False

    @cached_property
    def _forms(self) -> frozenset[str]:
        """All forms of the parts of speech whose words may be meant."""
        return frozenset[str]().union(*(own for upos, own in self._memory.items() if upos in self._parts))

    def _number(self, form: str) -> int:
        """How often the lemmas of a form are there, of those that are frequent."""
        number = 0
        for upos in self._parts & self._memory.keys():
            script = self._memory[upos].get(form)
            if script is not None:
                lemma = self._lemma(form, script) if script >= 0 else form
                count = self._lexicon.counts.get(upos, {}).get(lemma, 0)
                number += count if count >= _OFTEN else 0
        return number


def may_be_meant(form: str, word: str, slip: str) -> bool:
    """Whether a slip makes a form of a word: new words are made by another first letter (vlogger) or an ending.

    An ending is a last letter (influencer), unless it is doubled.
    """
    is_ending = slip in ("added", "other") and form[:-1] in (word, word[:-1]) and form[-1] != form[-2]
    return not is_ending and not slip.endswith(_FIRST)
