"""Vocabularies: the known values of attributes of words, and words as rows of numbers for the kernel; their characters.

An attribute (`form`, `lemma`, `suffix3`, `feats:Case` …) has a vocabulary: its values in the training data, numbered.
0 is no word or, of a single morphological feature, no value; 1 a value that training did not see often enough, 2 the
artificial root, 3 and more the known ones. Values are looked up once for each different text of a treebank, so that
numbering its words is O(words) in arrays and O(different texts) in Python.

Models that begin with raw text know forms in one spelling: composed characters (NFC), one apostrophe (U+0027 for
U+2019, U+02BC, the koronis U+1FBD, the psili U+1FBF, and a combining comma U+0313 at the end, as files made from beta
code write elision) and the sigma that belongs at its place. Treebanks keep what was written.

Characters have a vocabulary, too: 0 is no character, 1 one that training did not see often enough, 2 is not used, 3 the
beginning and 4 the end of a form, 5 and more the known ones. Each different form is numbered once.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from .. import _kernel
from .._arrays import Ids, Offsets, Values, offsets_of
from ..errors import CrossarcError, is_broken
from ..treebank import Treebank

NOTHING: int = _kernel.NO_VALUE
UNKNOWN: int = _kernel.UNKNOWN_VALUE
FIRST_KNOWN: int = _kernel.ROOT_VALUE + 1

#: Attributes of words, beside `feats:Name` and `xpos:Number`.
WORD_ATTRIBUTES = (
    *("form", "lower", "lemma", "upos", "xpos", "feats", "shape"),
    *(f"{end}{length}" for end in ("prefix", "suffix") for length in (1, 2, 3, 4)),
)
#: One morphological feature, and each of them in turn.
ONE_FEATURE = "feats:"
EVERY_FEATURE = "feats:*"
#: One piece of an XPOS tag, by its number, and each of them.
ONE_PIECE = "xpos:"
EVERY_PIECE = "xpos:*"

#: Pieces of a tag that are read, and how long tags are that consist of one letter for each category.
_MOST_PIECES = 12
_POSITIONAL = 6

#: Attributes whose values are words.
_WHOLE_FORMS = ("form", "lower")
_ALIKE = str.maketrans({**dict.fromkeys("\u2019\u02bc\u1fbd\u1fbf", "'"), "\u03c2": "\u03c3", "\u03f2": "\u03c3"})
#: An elision whose mark was taken for a breathing: at the end of a form, alone or above a rho.
_ELISIONS = {"\u0313": "'", "\u1fe4": "\u03c1'"}
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

    @cached_property
    def writes_elisions_alike(self) -> bool:
        """Whether no known form ends with an elision that is written as a breathing: older models know such."""
        lines = "\n".join([*self.known.get("lower", ()), ""])
        return not any(f"{elision}\n" in lines for elision in _ELISIONS)

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

    def with_words(self, treebank: Treebank, most: int) -> Vocabularies:
        """Return vocabularies that know so many more words, those of a treebank that are the most frequent in it."""
        known = dict(self.known)
        for name in self.known.keys() & set(_WHOLE_FORMS):
            there = set(known[name])
            new = (value for value in _frequent_values(treebank, name, 1) if value not in there)
            known[name] += tuple(islice(new, most))
        return Vocabularies(known)

    def empty_values(self) -> list[int]:
        """Return, for each attribute, the number that words have whose column is empty."""
        return [self._numbers[name].get(_source(name)[1]("_"), UNKNOWN) for name in self.names]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        return {name: list(values) for name, values in self.known.items()}

    @classmethod
    def from_dict(cls, data: Any) -> Vocabularies:
        """Make vocabularies again from what `to_dict` gave."""
        if not isinstance(data, Mapping) or not all(is_list_of(str, values) for values in data.values()):
            raise VocabularyError("the values of a vocabulary are a list of texts")
        broken = next((name for name, values in data.items() if is_broken("".join(values))), None)
        if broken is not None:
            raise VocabularyError(f"a value of {broken} is half a surrogate pair, which no treebank can hold")
        return cls(data)

    def values(self, treebank: Treebank) -> Values:
        """Return a row for each word of a treebank, a column for each attribute."""
        table = np.empty((treebank.words, len(self.names)), np.uint32)
        texts: dict[str, tuple[list[str], Offsets]] = {}
        small: list[str] = []  # forms in small letters
        for place, name in enumerate(self.names):
            source, of = _source(name)
            if source not in texts:
                texts[source] = treebank.distinct_texts(source)
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


def _frequent_values(treebank: Treebank, name: str, cutoff: int) -> list[str]:
    """Return the values of an attribute that occur often enough, the most frequent first."""
    source, of = _source(name)
    counts: Counter[str] = Counter()
    for text, count in treebank.inventory(source).items():
        counts[of(text)] += count
    return frequent(counts, cutoff)


def _frequent_features(treebank: Treebank, most: int) -> list[str]:
    counts: Counter[str] = Counter()
    for text, count in treebank.inventory("feats").items():
        for name in morphological_features(text):
            counts[name] += count
    return [ONE_FEATURE + name for name in frequent(counts)[:most]]


def is_list_of(kind: type, values: Any) -> bool:
    """Whether something of a file is a list of values of one type."""
    return isinstance(values, list) and set(map(type, values)) <= {kind}


def frequent(counts: Counter[str], least: int = 1) -> list[str]:
    """Return what was counted at least so often, the most frequent first."""
    return sorted((value for value in counts if counts[value] >= least), key=lambda value: (-counts[value], value))


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


def normal_form(text: str, *, elisions: bool = True) -> str:
    """Return the spelling under which a form is known; `elisions`: those that are written as breathings, too.

    >>> normal_form("don’t"), normal_form("λόγοσ") == normal_form("λόγος") == "λόγος"
    ("don't", True)
    """
    return text if text.isascii() else _normal_form(text, elisions)


@lru_cache(maxsize=1 << 16)
def _normal_form(text: str, elisions: bool) -> str:
    known = unicodedata.normalize("NFC", text).translate(_ALIKE)
    if elisions and known[-1] in _ELISIONS:
        known = known[:-1] + _ELISIONS[known[-1]]
    return _FINAL_SIGMA.sub("\u03c2", known)


def with_normal_forms(treebank: Treebank, *, elisions: bool = True) -> Treebank:
    """Return a treebank whose forms are spelt as models know them; the very one if they all are already."""
    return with_other_forms(treebank, partial(normal_form, elisions=elisions))


def with_other_forms(treebank: Treebank, spelt: Callable[[str], str]) -> Treebank:
    """Return a treebank with the spelling of each form that a function gives; the very one if none is another."""
    written, of_word = treebank.distinct_texts("form")
    read = [spelt(form) for form in written]
    return treebank if read == written else treebank.replace(form=treebank.pool.intern(read)[of_word])


#: Before and behind the characters of a form.
_BEGIN, _END, _FIRST_CHARACTER = range(FIRST_KNOWN, FIRST_KNOWN + 3)
#: Of a longer form as many characters of its beginning and as many of its end are read.
_HALF = 16


class CharactersError(CrossarcError):
    """Characters that cannot be a vocabulary."""


class Forms(NamedTuple):
    """The forms of the words of a treebank: of each word its form, and the characters and pieces of each form.

    Characters, or pieces, that are not read have no offsets but the first.
    """

    of_word: Ids
    offsets: Offsets
    characters: Values
    piece_offsets: Offsets = np.zeros(1, np.int64)
    pieces: Values = np.zeros(0, np.uint32)


#: For models that do not read characters.
NO_FORMS = Forms(np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.uint32))


class Characters:
    """The characters that training data had."""

    def __init__(self, known: str) -> None:
        """Take the known characters, each once; the first gets number 5."""
        if not isinstance(known, str):
            raise CharactersError("the known characters are a text")
        if len(set(known)) != len(known):
            raise CharactersError("a character stands twice among the known ones")
        self.known = known
        self._numbers = {character: number for number, character in enumerate(known, start=_FIRST_CHARACTER)}

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.known) + _FIRST_CHARACTER

    @classmethod
    def fit(cls, treebank: Treebank, *, cutoff: int = 2) -> Characters:
        """Return the characters that occur at least `cutoff` times in the forms of a treebank, most frequent first."""
        counts: Counter[str] = Counter()
        for form, count in treebank.inventory("form").items():
            for character in form:
                counts[character] += count
        return cls("".join(frequent(counts, cutoff)))

    def forms(self, treebank: Treebank) -> Forms:
        """Return the forms of a treebank with their characters."""
        texts, of_word = treebank.distinct_texts("form")
        short = [text if len(text) <= 2 * _HALF else text[:_HALF] + text[-_HALF:] for text in texts]
        number = self._numbers.get
        characters: list[int] = []
        for text in short:
            characters.append(_BEGIN)
            characters += [number(character, UNKNOWN) for character in text]
            characters.append(_END)
        offsets = offsets_of(len(text) + 2 for text in short)
        return Forms(of_word.astype(np.int32), offsets, np.array(characters, np.uint32))
