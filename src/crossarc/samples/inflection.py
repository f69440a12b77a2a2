"""How the words of the invented language are inflected: a stem, its features, and the form they make.

Nouns have a declension for each gender, with the syncretisms of a natural language (a neuter's nominative is its
accusative, a masculine's plural dative its instrumental), so that a form alone does not always tell the case.
Everything that agrees with a noun shares one regular ending, the *concord*: a vowel for the gender, a consonant for
the case, -i for the plural. Costs O(length of the form).
"""

from __future__ import annotations

from collections.abc import Mapping

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
