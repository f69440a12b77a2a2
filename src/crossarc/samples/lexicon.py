"""The words of the invented language: how they are inflected, their categories and stems, and all forms of a category.

Nouns have a declension for each gender, with the syncretisms of a natural language (a neuter's nominative is its
accusative, a masculine's plural dative its instrumental), so that a form alone does not always tell the case.
Everything that agrees with a noun shares one regular ending, the *concord*: a vowel for the gender, a consonant for
the case, -i for the plural.

The stems are the same whatever the seed of a sample is, so that what is learnt from one sample holds for another.
Stems of open categories are put together from syllables by a fixed random sequence, all different; those of closed
categories are listed, both in `lexicon.json`. Forms are made for all stems of a category at once when they are first
needed: O(stems) for each combination of features, once per process.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .randomness import Stream, derived

Features = Mapping[str, str]

GENDERS = ("Masc", "Fem", "Neut")
NUMBERS = ("Sing", "Plur")
CASES = ("Nom", "Acc", "Dat", "Gen", "Ins", "Loc")

#: Endings by gender and number, in the order of CASES.
_DECLENSIONS = {
    ("Masc", "Sing"): ("", "em", "ur", "is", "ot", "al"),
    ("Masc", "Plur"): ("i", "emi", "ori", "isi", "ori", "ali"),
    ("Fem", "Sing"): ("a", "an", "ai", "es", "at", "ela"),
    ("Fem", "Plur"): ("ia", "ian", "iar", "esi", "iat", "ela"),
    ("Neut", "Sing"): ("o", "o", "u", "os", "od", "olo"),
    ("Neut", "Plur"): ("e", "e", "eru", "osi", "edi", "olo"),
}
_NOUN_ENDINGS = {
    (gender, number, case): ending
    for (gender, number), endings in _DECLENSIONS.items()
    for case, ending in zip(CASES, endings, strict=True)
}
_GENDER_VOWELS = {"Masc": "e", "Fem": "a", "Neut": "o"}
_CASE_CONSONANTS = {"Nom": "", "Acc": "n", "Dat": "r", "Gen": "s", "Ins": "t", "Loc": "l"}
_NUMBER_VOWELS = {"Sing": "", "Plur": "i"}
_TENSES = {"Past": "ad", "Pres": "", "Fut": "iv"}
_PERSONS = {("1", "Sing"): "um", ("2", "Sing"): "es", ("1", "Plur"): "umi", ("2", "Plur"): "esti"}
_PRONOUN_STEMS = {("1", "Sing"): "ami", ("2", "Sing"): "ipo", ("1", "Plur"): "amiru", ("2", "Plur"): "iporu"}


def feats_text(features: Features) -> str:
    """Write features as the FEATS column has them: sorted by name, capitals or not; "_" for none."""
    return "|".join(f"{name}={features[name]}" for name in sorted(features, key=str.lower)) or "_"


def concord(features: Features) -> str:
    """Return the ending of whatever agrees with a noun: adjectives, articles, pronouns."""
    return _GENDER_VOWELS[features["Gender"]] + _CASE_CONSONANTS[features["Case"]] + _NUMBER_VOWELS[features["Number"]]


def invariable(stem: str, features: Features) -> str:
    """Inflect a word that has one form."""
    return stem


def agreeing(stem: str, features: Features) -> str:
    """Inflect an adjective, an article, a relative pronoun or a question word."""
    return stem + concord(features)


def noun(stem: str, features: Features) -> str:
    """Inflect a noun; a genitive also shows the gender and number of what is possessed."""
    form = stem + _NOUN_ENDINGS[features["Gender"], features["Number"], features["Case"]]
    if features["Case"] != "Gen":
        return form
    return form + "d" + _GENDER_VOWELS[features["Gender[psed]"]] + _NUMBER_VOWELS[features["Number[psed]"]]


def pronoun(stem: str, features: Features) -> str:
    """Inflect a personal pronoun: the first two persons for number and case, the third by concord."""
    if features["Person"] == "3":
        return stem + concord(features)
    return _PRONOUN_STEMS[features["Person"], features["Number"]] + _CASE_CONSONANTS[features["Case"]]


def verb(stem: str, features: Features) -> str:
    """Inflect a verb: finite for tense and its subject, infinitive for the gender and number of its own subject."""
    if features["VerbForm"] == "Inf":
        return stem + "in" + _GENDER_VOWELS[features["Gender"]] + _NUMBER_VOWELS[features["Number"]]
    stem += _TENSES[features["Tense"]]
    if features["Person"] != "3":
        return stem + _PERSONS[features["Person"], features["Number"]]
    return stem + _GENDER_VOWELS[features["Gender"]] + "k" + _NUMBER_VOWELS[features["Number"]]


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
    inflect: Callable[[str, Features], str]
    lemma_ending: str

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The lemma of each stem."""
        return tuple(stem + self.lemma_ending for stem in self.stems)


_INFLECTIONS = {inflect.__name__: inflect for inflect in (invariable, agreeing, noun, pronoun, verb)}

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
    """Read `lexicon.json`: name, UPOS, XPOS, stems (or how many there are), inflection, ending of the lemma."""
    table = json.loads(Path(__file__).with_name("lexicon.json").read_text(encoding="utf-8"))
    stream = Stream(_LEXICON_KEY)
    seen = {stem for _, _, _, stems, _, _ in table["closed"] for stem in stems}
    categories: dict[str, Category] = {}
    for name, upos, xpos, given, inflection, ending in [*table["closed"], *table["open"]]:
        stems: list[str] = given if isinstance(given, list) else []
        while isinstance(given, int) and len(stems) < given:
            stem = _stem(stream, name)
            if stem.lower() not in seen:
                seen.add(stem.lower())
                stems.append(stem)
        categories[name] = Category(name, upos, xpos, tuple(stems), _INFLECTIONS[inflection], ending)
    return categories


CATEGORIES = _categories()


@cache
def forms(category: str, feats: str) -> tuple[str, ...]:
    """Return the forms of all words of a category, in the order of its stems, for features as in the FEATS column."""
    features = dict(item.split("=") for item in feats.split("|")) if feats != "_" else {}
    assert feats_text(features) == feats, feats
    chosen = CATEGORIES[category]
    return tuple(chosen.inflect(stem, features) for stem in chosen.stems)
