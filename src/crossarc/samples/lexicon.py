"""The words of the invented language: its categories, their stems, and the forms of a category for given features.

The stems are the same whatever the seed of a sample is, so that what is learnt from one sample holds for another.
Stems of open categories are put together from syllables by a fixed random sequence, all different; those of closed
categories are listed. Forms are made for all stems of a category at once when they are first needed: O(stems) for each
combination of features, once per process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from .inflection import Features, agreeing, feats_text, invariable, noun, pronoun, verb
from .randomness import Stream, derived

_ONSETS: tuple[str, ...] = (*"bdfghklmnprstvz", "br", "dr", "gr", "kl", "pl", "tr", "st", "sk")
_VOWELS = "aeiou"
_CODAS: tuple[str, ...] = (*"lmnrstkbg", "rt", "nd", "st")
_LEXICON_KEY = derived(0, 0x1E81C0)


@dataclass(frozen=True)
class Category:
    """Words that behave alike: how they are tagged, and how a stem becomes a lemma and a form."""

    name: str
    upos: str
    xpos: str
    stems: tuple[str, ...]
    inflect: Callable[[str, Features], str] = invariable
    lemma_ending: str = ""

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The lemma of each stem."""
        return tuple(stem + self.lemma_ending for stem in self.stems)


#: Open categories: name, UPOS, XPOS, number of words, inflection, ending of the lemma.
_OPEN: tuple[tuple[str, str, str, int, Callable[[str, Features], str], str], ...] = (
    ("noun.Masc", "NOUN", "NM", 150, noun, ""),
    ("noun.Fem", "NOUN", "NF", 150, noun, "a"),
    ("noun.Neut", "NOUN", "NN", 150, noun, "o"),
    ("name.Masc", "PROPN", "PM", 40, noun, ""),
    ("name.Fem", "PROPN", "PF", 40, noun, "a"),
    ("adjective", "ADJ", "AJ", 120, agreeing, "e"),
    ("verb.intransitive", "VERB", "VI", 70, verb, "in"),
    ("verb.transitive", "VERB", "VT", 120, verb, "in"),
    ("verb.dative", "VERB", "VD", 30, verb, "in"),
    ("verb.ditransitive", "VERB", "VG", 25, verb, "in"),
    ("verb.speech", "VERB", "VS", 25, verb, "in"),
    ("verb.seeing", "VERB", "VA", 12, verb, "in"),
    ("verb.helping", "VERB", "VH", 12, verb, "in"),
    ("adverb", "ADV", "RB", 40, invariable, ""),
)

#: Closed categories: name, UPOS, XPOS, stems, inflection, ending of the lemma.
_CLOSED: tuple[tuple[str, str, str, tuple[str, ...], Callable[[str, Features], str], str], ...] = (
    ("article", "DET", "DA", ("d",), agreeing, "e"),
    ("demonstrative", "DET", "DD", ("ist",), agreeing, "e"),
    ("which", "DET", "DQ", ("vik",), agreeing, "e"),
    ("relative", "PRON", "PR", ("k",), agreeing, "e"),
    ("question", "PRON", "PQ", ("v",), agreeing, "e"),
    ("pronoun", "PRON", "PP", ("h",), pronoun, "e"),
    ("question adverb", "ADV", "RQ", ("vum", "vols"), invariable, ""),
    ("degree adverb", "ADV", "RD", ("tri", "molu", "peni"), invariable, ""),
    ("copula", "AUX", "VC", ("s",), verb, "in"),
    ("negation", "PART", "TN", ("nu",), invariable, ""),
    ("question particle", "PART", "TQ", ("chu",), invariable, ""),
    ("complementiser", "SCONJ", "CS", ("osk",), invariable, ""),
    ("subordinator", "SCONJ", "CA", ("dum", "sef", "parke"), invariable, ""),
    ("conjunction", "CCONJ", "CC", ("et", "vo"), invariable, ""),
    ("in", "ADP", "AP", ("na",), invariable, ""),
    ("on", "ADP", "AP", ("su",), invariable, ""),
    ("under", "ADP", "AP", ("pod",), invariable, ""),
    ("with", "ADP", "AP", ("kon",), invariable, ""),
    ("without", "ADP", "AP", ("zin",), invariable, ""),
    ("comma", "PUNCT", "ZC", (",",), invariable, ""),
    ("full stop", "PUNCT", "ZF", (".",), invariable, ""),
    ("question mark", "PUNCT", "ZQ", ("?",), invariable, ""),
)

#: The case that each preposition governs.
PREPOSITIONS = {"in": "Loc", "on": "Loc", "under": "Loc", "with": "Ins", "without": "Ins"}
#: Prepositions that contract with a following article: na + del → nael.
CONTRACTING = frozenset({"in", "on"})


def _stem(stream: Stream, kind: str) -> str:
    syllables = 1 if kind.startswith("verb") and stream.chance(30) else 2
    stem = "".join(stream.pick(_ONSETS) + stream.pick(_VOWELS) for _ in range(syllables)) + stream.pick(_CODAS)
    if kind == "adverb":
        stem += "um"
    return stem.capitalize() if kind.startswith("name") else stem


def _categories() -> dict[str, Category]:
    stream = Stream(_LEXICON_KEY)
    seen = {stem for _, _, _, stems, _, _ in _CLOSED for stem in stems}
    categories = {entry[0]: Category(*entry) for entry in _CLOSED}
    for name, upos, xpos, size, inflect, lemma_ending in _OPEN:
        stems: list[str] = []
        while len(stems) < size:
            stem = _stem(stream, name)
            if stem.lower() not in seen:
                seen.add(stem.lower())
                stems.append(stem)
        categories[name] = Category(name, upos, xpos, tuple(stems), inflect, lemma_ending)
    return categories


CATEGORIES = _categories()


@cache
def forms(category: str, feats: str) -> tuple[str, ...]:
    """Return the forms of all words of a category, in the order of its stems, for features as in the FEATS column."""
    features = dict(item.split("=") for item in feats.split("|")) if feats != "_" else {}
    assert feats_text(features) == feats, feats
    chosen = CATEGORIES[category]
    return tuple(chosen.inflect(stem, features) for stem in chosen.stems)
