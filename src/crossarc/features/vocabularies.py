"""Vocabularies: the known values of attributes of words, and words as rows of numbers for the kernel.

An attribute (`form`, `lemma`, `suffix3`, `feats:Case` …) has a vocabulary: its values in the training data, numbered.
0 is no word or, of a single morphological feature, no value; 1 a value that training did not see often enough, 2 the
artificial root, 3 and more the known ones. Values are looked up once for each different text of a treebank, so that
numbering its words is O(words) in arrays and O(different texts) in Python.

Models that begin with raw text know forms in one spelling: composed characters (NFC), one apostrophe (U+0027 for
U+2019, U+02BC and the koronis U+1FBD) and the sigma that belongs at its place. Treebanks keep what was written.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _kernel
from .._arrays import Values
from ..errors import CrossarcError
from ..treebank import Treebank
from .templates import EVERY_FEATURE, EVERY_PIECE, ONE_FEATURE, ONE_PIECE, WORD_ATTRIBUTES

NOTHING: int = _kernel.NO_VALUE
UNKNOWN: int = _kernel.UNKNOWN_VALUE
FIRST_KNOWN: int = _kernel.ROOT_VALUE + 1

#: Pieces of a tag that are read, and how long tags are that consist of one letter for each category.
_MOST_PIECES = 12
_POSITIONAL = 6

_ALIKE = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u1fbd": "'", "\u03c2": "\u03c3", "\u03f2": "\u03c3"})
#: A sigma behind a letter and before none: where small letters have another one.
_FINAL_SIGMA = re.compile(r"(?<=\w)\u03c3(?!\w)")


class VocabularyError(CrossarcError):
    """An attribute of words that does not exist, or vocabularies that cannot be read."""


class Vocabularies:
    """The attributes of words that a model reads, each with the values that the training data had."""

    def __init__(self, vocabularies: Mapping[str, Sequence[str]]) -> None:
        """Take, for each attribute, its known values; the first gets number 3."""
        for name in vocabularies:
            if name not in WORD_ATTRIBUTES and not _is_part(name):
                raise VocabularyError(
                    f"no attribute {name!r}: there are {', '.join(WORD_ATTRIBUTES)}, feats:Name and xpos:Number"
                )
        self.known = {name: tuple(values) for name, values in vocabularies.items()}
        self._numbers = {
            name: dict(zip(values, range(FIRST_KNOWN, FIRST_KNOWN + len(values)), strict=True))
            | ({"_": NOTHING} if _is_part(name) else {})
            for name, values in self.known.items()
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes, in order."""
        return tuple(self.known)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many numbers each attribute has, with those of no word, unknown values and the root."""
        return tuple(len(values) + FIRST_KNOWN for values in self.known.values())

    @classmethod
    def fit(cls, treebank: Treebank, attributes: Sequence[str], *, cutoff: int = 1, features: int = 12) -> Vocabularies:
        """Return vocabularies of some attributes with the values that occur at least `cutoff` times.

        `feats:*` among them becomes the most frequent morphological features, at most so many, and `xpos:*` the pieces
        that XPOS tags consist of, where no word has features: where it has, the pieces would say the same again.
        """
        if cutoff < 1 or features < 0:
            raise VocabularyError("the cut-off is 1 or more, the number of features 0 or more")
        names = dict.fromkeys(name for name in attributes if name not in (EVERY_FEATURE, EVERY_PIECE))
        if EVERY_FEATURE in attributes:
            names |= dict.fromkeys(_frequent_features(treebank, features))
        if EVERY_PIECE in attributes and not _frequent_features(treebank, 1):
            most = max((len(tag_pieces(tag)) for tag in treebank.inventory("xpos")), default=0)
            names |= dict.fromkeys(f"{ONE_PIECE}{number}" for number in range(most))
        return cls({name: _frequent_values(treebank, name, cutoff) for name in names})

    def empty_values(self) -> list[int]:
        """Return, for each attribute, the number that words have whose column is empty."""
        return [self._numbers[name].get(_source(name)[1]("_"), UNKNOWN) for name in self.names]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        return {name: list(values) for name, values in self.known.items()}

    @classmethod
    def from_dict(cls, data: Any) -> Vocabularies:
        """Make vocabularies again from what `to_dict` gave."""
        if not isinstance(data, Mapping) or not all(
            isinstance(values, list) and set(map(type, values)) <= {str} for values in data.values()
        ):
            raise VocabularyError("the values of a vocabulary are a list of texts")
        return cls(data)

    def values(self, treebank: Treebank) -> Values:
        """Return a row for each word of a treebank, a column for each attribute."""
        table = np.empty((treebank.words, len(self.names)), np.uint32)
        texts: dict[str, tuple[list[str], NDArray[np.intp]]] = {}
        small: list[str] = []  # forms in small letters
        for place, name in enumerate(self.names):
            source, of = _source(name)
            if source not in texts:
                texts[source] = different_texts(treebank, source)
            different, which = texts[source]
            number = self._numbers[name].get
            part = _part_of_small(name)
            if part is None:
                known = [number(of(text), UNKNOWN) for text in different]
            else:
                small = small or [text.lower() for text in different]
                known = [number(text[part], UNKNOWN) for text in small]
            table[:, place] = np.array(known, np.uint32)[which]
        return table


def different_texts(treebank: Treebank, source: str) -> tuple[list[str], NDArray[np.intp]]:
    """Return the different texts of a column, and which of them each word has."""
    column = treebank.column(source)
    occurs = np.bincount(column, minlength=1) > 0
    return treebank.pool.texts(np.flatnonzero(occurs).astype(np.int32)), (np.cumsum(occurs) - 1)[column]


def _frequent_values(treebank: Treebank, name: str, cutoff: int) -> list[str]:
    """Return the values of an attribute that occur often enough, the most frequent first."""
    source, of = _source(name)
    counts: Counter[str] = Counter()
    for text, count in treebank.inventory(source).items():
        counts[of(text)] += count
    kept = [(value, count) for value, count in counts.items() if count >= cutoff]
    return [value for value, _ in sorted(kept, key=lambda item: (-item[1], item[0]))]


def _frequent_features(treebank: Treebank, most: int) -> list[str]:
    counts: Counter[str] = Counter()
    for text, count in treebank.inventory("feats").items():
        for name in morphological_features(text):
            counts[name] += count
    return [ONE_FEATURE + name for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]]


def morphological_features(text: str) -> dict[str, str]:
    """Return the morphological features of a FEATS value; one without a value, as CoNLL-X has them, is its own.

    >>> morphological_features("Case=Nom|pl")
    {'Case': 'Nom', 'pl': 'pl'}
    """
    if text == "_":
        return {}
    pairs = (part.partition("=") for part in text.split("|"))
    return {name: value if sign else name for name, sign, value in pairs if name}


#: There are few different values and many features to be asked for.
_known_features = lru_cache(maxsize=1 << 14)(morphological_features)


#: The columns of a treebank that attributes come from.
COLUMNS_READ = ("form", "lemma", "upos", "xpos", "feats")


def column_of(name: str) -> str:
    """Return the column of the treebank that an attribute comes from.

    >>> column_of("suffix3"), column_of("feats:Case"), column_of("upos")
    ('form', 'feats', 'upos')
    """
    if name == EVERY_PIECE:
        return "xpos"
    return _source(name)[0]


def column_families(names: Sequence[str]) -> list[list[int]]:
    """Return, for each column that input may lack, which of these attributes come from it.

    >>> column_families(["lower", "lemma", "upos", "feats", "feats:Case"])
    [[1], [2], [3, 4]]
    """
    found = ([at for at, name in enumerate(names) if column_of(name) == column] for column in COLUMNS_READ[1:])
    return [family for family in found if family]


def tag_pieces(tag: str) -> list[str]:
    """Return the pieces of a tag that consists of several: between colons, or the letters of a positional tag.

    >>> tag_pieces("subst:sg:nom:f"), tag_pieces("n-s---fa-"), tag_pieces("NNP")
    (['subst', 'sg', 'nom', 'f'], ['n', '-', 's', '-', '-', '-', 'f', 'a', '-'], [])
    """
    if ":" in tag.strip(":"):
        return tag.split(":")[:_MOST_PIECES]
    return list(tag[:_MOST_PIECES]) if len(tag) >= _POSITIONAL and "-" in tag.strip("-") + tag[-1] else []


def _piece(number: int, tag: str) -> str:
    pieces = tag_pieces(tag)
    return pieces[number] if number < len(pieces) and pieces[number] not in ("-", "") else "_"


def _is_part(name: str) -> bool:
    """Whether an attribute is one morphological feature or one piece of a tag: those that many words do not have."""
    return (name.startswith(ONE_FEATURE) and name != EVERY_FEATURE) or name.removeprefix(ONE_PIECE).isdecimal()


def _source(name: str) -> tuple[str, Callable[[str], str]]:
    """Return the column of the treebank that an attribute comes from, and how."""
    if name.startswith(ONE_PIECE):
        return "xpos", partial(_piece, int(name.removeprefix(ONE_PIECE)))
    if name.startswith(ONE_FEATURE):
        feature = name.removeprefix(ONE_FEATURE)
        return "feats", lambda text: _known_features(text).get(feature, "_")
    part = _part_of_small(name)
    if part is not None:
        return "form", lambda text: text.lower()[part]
    if name == "shape":
        return "form", shape
    return name, str


def _part_of_small(name: str) -> slice | None:
    """Return the part of a form in small letters that an attribute is; None if it is something else."""
    if name == "lower":
        return slice(None)
    if name.startswith("prefix"):
        return slice(int(name[6:]))
    return slice(-int(name[6:]), None) if name.startswith("suffix") else None


def shape(text: str) -> str:
    """Return what kind of letters a form has, in order, each kind once where it repeats.

    >>> shape("McDonald's"), shape("1,200"), shape("ÅBEN")
    ("XxXx'x", '0,0', 'X')
    """
    kinds: list[str] = []
    for letter in text[:40]:
        kind = "X" if letter.isupper() else "x" if letter.isalpha() else "0" if letter.isdigit() else letter
        if kinds[-1:] != [kind]:
            kinds.append(kind)
    return "".join(kinds[:8])


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
