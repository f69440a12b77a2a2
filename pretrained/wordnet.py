"""Reads the lemmas and the exceptions of WordNet (Fellbaum 1998) as a dictionary for the lemmatiser of English.

WordNet comes with many systems, on Debian as `wordnet-base` in /usr/share/wordnet. The single words of each part of
speech are taken as its data spell them, with a capital where they always have one (Scottish); nouns are names then, of
which those of genera and the like are left out. Of its lists of exceptions it is taken what forms have as lemmas (feet
foot); forms of verbs are added that look like those of another one (staring stare, not star), and those of
exceptions/en.txt, which go before. Its licence, which is the head of each index, must lie beside whatever is made of
it. O(size of the files).
"""

from __future__ import annotations

import re
from pathlib import Path

from crossarc.features.lemma_rules import Dictionary

NAME = "WordNet 3.0, © 2006 Princeton University"
FOLDER = Path("/usr/share/wordnet")
#: The numbers of the fields of animals and plants.
_TAXONOMY = ("05", "20")
#: Verbs of one syllable that double their last consonant before an ending.
_DOUBLING = re.compile("(?:qu|[^aeiou])+[aeiou][^aeiouwxy]")
PARTS = {"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv"}


def dictionary(folder: Path = FOLDER) -> Dictionary:
    """The single words of WordNet by part of speech, and forms with unusual lemmas."""
    lemmas: dict[str, list[str]] = {}
    exceptions: dict[str, dict[str, list[str]]] = {}
    for upos, name in PARTS.items():
        lemmas[upos] = _spellings(folder / f"data.{name}")
        rows = (line.split() for line in (folder / f"{name}.exc").read_text("ascii").splitlines())
        exceptions[upos] = {form: found for form, *found in rows if "_" not in form + "".join(found)}
    exceptions["VERB"] = {**_forms_of_verbs(lemmas["VERB"]), **exceptions["VERB"]}
    for upos, form, lemma in _more_exceptions():
        exceptions[upos][form] = [lemma]
    lemmas["PROPN"] = [word.lower() for word in lemmas["NOUN"] if not word.islower()]
    lemmas["NOUN"] = [word for word in lemmas["NOUN"] if word.islower()]
    return Dictionary(lemmas, exceptions)


def _forms_of_verbs(verbs: list[str]) -> dict[str, list[str]]:
    """Return the forms of verbs in -e whose rest is a verb, too, that doubles its consonant: stare and star."""
    known, forms = set(verbs), {}
    for verb in verbs:
        rest = verb[:-1]
        if verb.endswith("e") and rest in known and _DOUBLING.fullmatch(rest):
            for ending in ("ing", "ed"):
                forms[rest + ending] = [verb]
                forms[rest + rest[-1] + ending] = [rest]
    return forms


def _more_exceptions() -> list[list[str]]:
    """Return parts of speech, forms and lemmas that WordNet lacks or has beside others: a line for each, # remarks."""
    lines = (Path(__file__).parent / "exceptions" / "en.txt").read_text("utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def _spellings(file: Path) -> list[str]:
    """Return the single words of a file of synsets, each in one spelling: small letters, if any synset has them."""
    spellings: dict[str, str] = {}
    for line in file.read_text("ascii").splitlines():
        if line.startswith(" "):
            continue
        _, field, _, count, *rest = line.split(" ")
        for written in rest[: 2 * int(count, 16) : 2]:
            word = written.partition("(")[0]  # behind it: where an adjective stands
            if "_" in word or (field in _TAXONOMY and not word.islower()):
                continue
            if word.islower() or word.lower() not in spellings:
                spellings[word.lower()] = word
    return sorted(spellings.values())


def licence(folder: Path = FOLDER) -> str:
    """The licence of WordNet, without the numbers of its lines."""
    lines = (folder / "index.adv").read_text("ascii").splitlines()
    return "\n".join(line.strip().partition(" ")[2].strip() for line in lines if line.startswith(" ")) + "\n"
