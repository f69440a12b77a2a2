"""Makes CoNLL-U of Latin treebanks in the XML of the AGDT: the LDT, and the trees of Harrington and his students.

What is no word of the text is left out, and what hangs on it gets its head and the relation ExD. Enclitics (-que, -ve,
-cum) follow the word that they are written with, and both are parts of a multiword token: four of the older files of
the LDT have -que before its word. Relations of Harrington's tagset become those of the LDT by the table below, which
agrees with the file that has both (Res Gestae) in 98 % of its words. Sentences with a relation that nobody chose, or
whose heads are no tree, are left out. Spaces are guessed from punctuation. O(words).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

import crossarc as xa
from crossarc.errors import TreeError

#: Files of the LDT in which an enclitic stands before its word: Sallust, Ovid, Petronius, the Vulgate.
ENCLITICS_FIRST = ("phi0631.phi001.", "phi0959.phi006.perseus-lat1.tb", "phi0972.phi001.", "tlg0031.tlg027.")
_MOVED = ("que", "c", "ve")
_BEFORE_NO_SPACE = frozenset(",.;:?!)]”’»")
_AFTER_NO_SPACE = frozenset("([“‘«")
_LDT = re.compile(
    "(PRED|SBJ|OBJ|ATR|ADV|ATV|AtvV|PNOM|OCOMP|COORD|APOS|AuxP|AuxC|AuxR|AuxV|AuxX|AuxG|AuxK|AuxY|AuxZ|ExD)(_CO|_AP)?"
)
#: Harrington's relations by how they begin, the longest first; clauses say in their second part what they are.
_HARRINGTON = (
    ("N-SUBJ", "SBJ"),
    ("A-SUBJ", "SBJ"),
    ("N-PRED", "PNOM"),
    ("A-PRED", "PNOM"),
    ("A-DO", "OBJ"),
    ("A-INTOBJ", "OBJ"),
    ("A-ORIENT", "OBJ"),
    ("D-IO", "OBJ"),
    ("D-AGENT", "OBJ"),
    ("D-POSS", "OBJ"),
    ("AB-AGENT", "OBJ"),
    ("AB-SEPAR", "OBJ"),
    ("AB-DECRIP", "ATR"),
    ("PRED-", "PRED"),
    ("G-", "ATR"),
    ("ADJ-", "ATR"),
    ("NOM-", "OBJ"),
    ("INF-HIST", "PRED"),
    ("INF-", "OBJ"),
    ("A-", "ADV"),
    ("D-", "ADV"),
    ("AB-", "ADV"),
    ("L-", "ADV"),
    ("ADV-", "ADV"),
    ("V-VOC", "ExD"),
    ("INTRJ", "ExD"),
    ("PARENTH", "ExD"),
)
_OF_CLAUSES = {"SBJ": "SBJ", "SUBJ": "SBJ", "OBJ": "OBJ", "PRED": "PNOM"}


@dataclass
class Word:
    """A word as it is read; its number and its head are those of the file."""

    number: str
    head: str
    form: str
    lemma: str
    tag: str
    relation: str
    added: bool
    clitic: bool = False


def ldt_relation(relation: str) -> str | None:
    """Return a relation as the LDT writes it; None where nobody chose it.

    >>> ldt_relation("A-DO_CO"), ldt_relation("NOM-INDSTAT_SUBJ-CO"), ldt_relation("ADV_ExD_PRED_CO")
    ('OBJ_CO', 'SBJ_CO', 'ExD_CO')
    """
    if _LDT.fullmatch(relation):
        return relation
    ending = next((f"_{mark}" for mark in ("CO", "AP") if relation.endswith((f"_{mark}", f"-{mark}"))), "")
    stem = relation[: len(relation) - len(ending)]
    if "ExD" in relation:
        return f"ExD{ending}"
    known = next((function for beginning, function in _HARRINGTON if stem.startswith(beginning)), None)
    if known and stem.startswith(("NOM-", "ADJ-", "INF-")):
        known = _OF_CLAUSES.get(stem.partition("_")[2], known)
    return known and f"{known}{ending}"


def conllu(name: str, document: bytes) -> str:
    """Return the sentences of a file as CoNLL-U."""
    written = []
    for sentence in ElementTree.fromstring(document).iter("sentence"):
        words = [_word(element) for element in sentence.iter("word")]
        if any(start in name for start in ENCLITICS_FIRST):
            words = _in_order(words)
        rows = _rows(words)
        if rows:
            written.append("\n".join([f"# sent_id = {name}:{sentence.get('id')}", *rows]) + "\n\n")
    return "".join(written)


def _word(element: ElementTree.Element) -> Word:
    form, lemma, tag, relation = ((element.get(key) or "_").strip() or "_" for key in _KEYS)
    clitic = len(form) > 1 and form[0] == "-" and form[1].isalpha()
    return Word(
        element.get("id", ""),
        element.get("head", ""),
        form[1:] if clitic else form,
        lemma.removeprefix("-"),
        tag,
        relation,
        bool(element.get("artificial") or element.get("insertion_id")),
        clitic,
    )


_KEYS = ("form", "lemma", "postag", "relation")


def _in_order(words: list[Word]) -> list[Word]:
    """Put enclitics behind the words that they are written with."""
    ordered: list[Word] = []
    waiting: list[Word] = []
    for word in words:
        if word.form in _MOVED and not word.added:
            word.clitic = True
            waiting.append(word)
            continue
        ordered.append(word)
        if waiting and any(map(str.isalpha, word.form)):
            ordered += waiting
            waiting = []
    return ordered + waiting


def _rows(words: list[Word]) -> list[str]:
    """Return the lines of a sentence; none if it has no words, a relation is missing or it is no tree."""
    by_number = {word.number: word for word in words}
    kept = [word for word in words if not word.added]
    numbers = {word.number: number for number, word in enumerate(kept, 1)}
    heads: list[int] = []
    relations: list[str] = []
    for word in kept:
        relation, head, steps = ldt_relation(word.relation), word.head, 0
        while head in by_number and by_number[head].added and steps < len(words):
            ending = "_CO" if (ldt_relation(by_number[head].relation) or "").endswith("_CO") else ""
            relation, head, steps = f"ExD{ending}", by_number[head].head, steps + 1
        if relation is None or (head != "0" and head not in numbers) or not _is_plain(word):
            return []
        heads.append(numbers.get(head, 0))
        relations.append(relation)
    try:
        xa.Tree(heads)
    except TreeError:
        return []
    return list(_lines(kept, heads, relations)) if kept else []


def _is_plain(word: Word) -> bool:
    return word.form != "_" and not any(map(str.isspace, word.form + word.lemma + word.tag))


def _lines(words: list[Word], heads: list[int], relations: list[str]) -> Iterator[str]:
    """Yield the text and the lines of words and multiword tokens."""
    glued = [index > 0 and word.clitic and words[index - 1].form.isalpha() for index, word in enumerate(words)]
    spaces = _spaces([word.form for word in words], glued)
    text = "".join(word.form + " " * space for word, space in zip(words, spaces, strict=True))
    yield f"# text = {text.rstrip()}"
    for index, word in enumerate(words):
        last = index
        while last + 1 < len(words) and glued[last + 1] and not glued[index]:
            last += 1
        misc = "_" if spaces[last] or last + 1 == len(words) else "SpaceAfter=No"
        if last > index:
            form = "".join(part.form for part in words[index : last + 1])
            yield "\t".join([f"{index + 1}-{last + 1}", form, *"_" * 7, misc])
        of_word = "_" if last > index or glued[index] else misc
        fields = [word.form, word.lemma, "_", word.tag, "_", str(heads[index]), relations[index], "_", of_word]
        yield "\t".join([str(index + 1), *fields])


def _spaces(forms: list[str], glued: list[bool]) -> list[bool]:
    """Return whether a space follows each form; straight quotation marks open and close in turn."""
    spaces = [True] * len(forms)
    open_marks: set[str] = set()
    for index, form in enumerate(forms):
        closes = form in open_marks
        if form in ("'", '"'):
            open_marks ^= {form}
        if index and (glued[index] or form in _BEFORE_NO_SPACE or closes):
            spaces[index - 1] = False
        if form in _AFTER_NO_SPACE or (form in ("'", '"') and not closes):
            spaces[index] = False
    return spaces
