"""Reads the lemmas and the exceptions of WordNet (Fellbaum 1998) as a dictionary for the lemmatiser of English.

WordNet comes with many systems, on Debian as `wordnet-base` in /usr/share/wordnet. Of its index of each part of speech
the single words are taken, and of its lists of exceptions what forms have as lemmas (feet foot). Its licence, which is
the head of each index, must lie beside whatever is made of it. O(size of the files).
"""

from __future__ import annotations

from pathlib import Path

from crossarc.features.lemma_rules import Dictionary

NAME = "WordNet 3.0, © 2006 Princeton University"
FOLDER = Path("/usr/share/wordnet")
PARTS = {"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv"}


def dictionary(folder: Path = FOLDER) -> Dictionary:
    """The single words of WordNet by part of speech, and forms with unusual lemmas."""
    lemmas: dict[str, list[str]] = {}
    exceptions: dict[str, dict[str, list[str]]] = {}
    for upos, name in PARTS.items():
        lines = (folder / f"index.{name}").read_text("ascii").splitlines()
        words = (line.partition(" ")[0] for line in lines if not line.startswith(" "))
        lemmas[upos] = [word for word in words if "_" not in word]
        rows = (line.split() for line in (folder / f"{name}.exc").read_text("ascii").splitlines())
        exceptions[upos] = {form: found for form, *found in rows if "_" not in form + "".join(found)}
    return Dictionary(lemmas, exceptions)


def licence(folder: Path = FOLDER) -> str:
    """The licence of WordNet, without the numbers of its lines."""
    lines = (folder / "index.adv").read_text("ascii").splitlines()
    return "\n".join(line.strip().partition(" ")[2].strip() for line in lines if line.startswith(" ")) + "\n"
