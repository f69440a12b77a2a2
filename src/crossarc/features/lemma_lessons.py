"""Which words of a treebank teach no lemmas, because what they say of their form holds only where they stand.

Parts of a word that was written apart have its lemma (*Daniel* that of an e-mail address, *mega* that of *mega pixel*):
words with the relation `goeswith`, and their heads. Misspelt words have the lemma of the word that is meant
(*wandering* for *wondering*); they teach it unless their form is another word of the same part of speech, which the
treebank has without a slip, or the dictionary. O(words).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from .._arrays import Flags, items_of
from ..treebank import Treebank
from .lemma_rules import Dictionary, Lexicon, Word, bare, learnt_rules
from .tag_evidence import DictionaryKinds

_WRITTEN_APART = "goeswith"
_MISSPELT = "Typo=Yes"


def is_part_of_word(treebank: Treebank) -> Flags:
    """Return which words are parts of one that was written apart."""
    relations, of_word = treebank.distinct_texts("deprel")
    parts: Flags = np.array([relation == _WRITTEN_APART for relation in relations], bool)[of_word]
    heads = np.asarray(treebank.head)
    rows = np.flatnonzero(parts & (heads > 0))
    starts = treebank.word_offsets[items_of(treebank.word_offsets)]
    parts[starts[rows] + heads[rows] - 1] = True
    return parts


def is_marked_misspelt(feats: str) -> bool:
    """Whether features say that a word is misspelt."""
    return _MISSPELT in feats.split("|")


def no_other_words(
    misspelt: Mapping[tuple[Word, str], int], words: Mapping[tuple[Word, str], int], dictionary: Dictionary | None
) -> Counter[tuple[Word, str]]:
    """Return the misspelt words whose form is no other word of their part of speech."""
    seen = {(bare(word.form), word.upos) for word, _ in words}
    kept = Counter({key: count for key, count in misspelt.items() if (bare(key[0].form), key[0].upos) not in seen})
    if dictionary is None or not kept:
        return kept
    learnt = {(bare(word.form), word.upos, bare(lemma)) for word, lemma in words}
    rules = learnt_rules(sorted(each for each in learnt if any(map(str.isalpha, each[0]))))
    listed = {upos: "\n".join(map(bare, lemmas)) for upos, lemmas in dictionary.lemmas.items()}
    kinds = DictionaryKinds(Lexicon({}, listed, dictionary.exceptions), rules)
    return Counter({key: count for key, count in kept.items() if not kinds.is_word(key[0].form, key[0].upos)})
