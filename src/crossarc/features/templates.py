"""Feature templates as text: which words of a configuration, what of them, and which of these together.

A template is a conjunction of atoms, `s0.form+b0.upos`. An atom is an address and an attribute, or a relation between
two addresses, `distance(s0,b0)`. An address begins on the active stack (`s0` is its top), on the next stack (`t0`), in
the buffer (`b0`) or in Covington's second list (`a0`), and may take two steps along arcs that were built: `h` the head,
`l1` to `l3`, `r1` to `r3` the three leftmost and rightmost dependents, `ls` and `rs` the nearest siblings; in systems
without direction the nearest linked words, and as siblings the nearest words that are linked to a common word on the
other side (Gómez-Rodríguez & Fernández-González 2012, Section 3.1). In easy-first, whose transitions choose a
position, the words without a head before the position are the stack and those behind it the buffer. `feats:*` stands
for every single morphological feature in turn, the same one in all atoms of a template; such a template, and one with
`feats:Name`, says nothing where none of its words has the feature. Reading a template is O(its length).

Feature models of the papers are shipped as files of templates: Table 2 of Nivre & Nilsson 2005; the base model of Nivre
et al. 2006, which the experiments of 2010, 2012 and 2013 start from, with what Gómez-Rodríguez & Nivre 2010 (Section 6)
and Gómez-Rodríguez & Fernández-González 2012 (Section 3.1) add or replace; and what MaltParser itself takes, for LIBSVM
and, with conjunctions, for LIBLINEAR. A file begins with comments: what it is, and `# system: NAME`. Parts of speech
are XPOS, which CoNLL-X calls POSTAG.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

from .._kernel import FeatureAttribute, FeatureBase, FeatureStep
from ..errors import CrossarcError
from ..files import read_whole
from ..options import MOST_TEMPLATES
from .vocabularies import EVERY_FEATURE, ONE_FEATURE, WORD_ATTRIBUTES

_BASES = {"s": FeatureBase.stack, "t": FeatureBase.other_stack, "b": FeatureBase.buffer, "a": FeatureBase.aside}
_STEPS = {
    "h": FeatureStep.head,
    "l1": FeatureStep.left1,
    "l2": FeatureStep.left2,
    "l3": FeatureStep.left3,
    "r1": FeatureStep.right1,
    "r2": FeatureStep.right2,
    "r3": FeatureStep.right3,
    "ls": FeatureStep.left_sibling,
    "rs": FeatureStep.right_sibling,
}
_BUILT = {
    "deprel": FeatureAttribute.label,
    "left_valency": FeatureAttribute.left_valency,
    "right_valency": FeatureAttribute.right_valency,
    "left_labels": FeatureAttribute.left_labels,
    "right_labels": FeatureAttribute.right_labels,
    "plane": FeatureAttribute.plane,
}
_RELATIONS = {"distance": FeatureAttribute.distance, "link": FeatureAttribute.linked}
_MOST_STEPS = 2
_LARGEST_FILE = 1 << 24  # bytes

#: With `feats:*` extended.
_MOST_EXTENDED = 1 << 16

AddressTuple = tuple[int, int, int, int]
AtomTuple = tuple[int, int, int]


class TemplateError(CrossarcError):
    """A feature template that cannot be read; the message shows the place."""


@dataclass(frozen=True)
class Address:
    """A word of a configuration."""

    base: str
    index: int
    steps: tuple[str, ...] = ()

    def as_tuple(self) -> AddressTuple:
        """Return it as the kernel takes it."""
        first, second = (*(_STEPS[step] for step in self.steps), FeatureStep.none, FeatureStep.none)[:_MOST_STEPS]
        return _BASES[self.base], self.index, first, second

    def __str__(self) -> str:
        return ".".join((f"{self.base}{self.index}", *self.steps))


@dataclass(frozen=True)
class Atom:
    """An attribute of a word, or the relation of two."""

    attribute: str
    address: Address
    other: Address | None = None

    def __str__(self) -> str:
        if self.other is not None:
            return f"{self.attribute}({self.address},{self.other})"
        return f"{self.address}.{self.attribute}"


class FeatureSet(NamedTuple):
    """Templates as the kernel takes them: addresses, atoms over these, and templates over atoms."""

    addresses: list[AddressTuple]
    atoms: list[AtomTuple]
    templates: list[list[int]]

    @classmethod
    def from_views(cls, words: Sequence[Address], numbers: Sequence[Atom]) -> FeatureSet:
        """Return a set without templates: words in this order, whatever else is addressed after them, and atoms."""
        addresses = [word.as_tuple() for word in words]

        def number(address: Address) -> int:
            found = address.as_tuple()
            if found not in addresses:
                addresses.append(found)
            return addresses.index(found)

        atoms: list[AtomTuple] = []
        for atom in numbers:
            if atom.other is not None:
                atoms.append((number(atom.address), _RELATIONS[atom.attribute], number(atom.other)))
            elif atom.attribute in _BUILT:
                atoms.append((number(atom.address), _BUILT[atom.attribute], 0))
            else:
                raise TemplateError(f"{atom.attribute}: no view of a network, which reads attributes of words itself")
        return cls(addresses, atoms, [])


class _Reader:
    """Reads one template from left to right and knows where it is."""

    _PIECE = re.compile(r"[A-Za-z_]+[0-9]*")
    _FEATURE = re.compile(r"\*|[^\s.,+()]+")

    def __init__(self, text: str, place: str) -> None:
        self.text = text
        self.place = place
        self.position = 0

    def read(self) -> list[Atom]:
        atoms = [self._atom()]
        while self.position < len(self.text):
            self._expect("+")
            atoms.append(self._atom())
        return atoms

    def fail(self, message: str, position: int | None = None) -> NoReturn:
        where = self.position if position is None else position
        raise TemplateError(f"{self.place}{message}\n  {self.text}\n  {' ' * where}^")

    def _atom(self) -> Atom:
        start = self.position
        word = self._word("an address such as s0 or a relation such as distance(s0,b0)")
        if word in _RELATIONS:
            self._expect("(")
            first = self.address()
            self._expect(",")
            second = self.address()
            self._expect(")")
            return Atom(word, first, second)
        self.position = start
        address = self.address((*_BUILT, *WORD_ATTRIBUTES))
        self._expect(".")
        return Atom(self._attribute(), address)

    def address(self, attributes: Sequence[str] = ()) -> Address:
        """Read an address up to what is the name of an attribute."""
        start = self.position
        word = self._word("an address such as s0")
        if not re.fullmatch(r"[stba][0-9]+", word):
            self.fail("an address begins with s, t, b or a and a number, as s0 does", start)
        if int(word[1:]) > 99:
            self.fail("no more than 100 words deep", start + 1)
        steps: list[str] = []
        while self.text[self.position : self.position + 1] == ".":
            match = self._PIECE.match(self.text, self.position + 1)
            if match is None or match[0] in attributes or match[0] not in _STEPS:
                break
            if len(steps) == _MOST_STEPS:
                self.fail("an address takes at most two steps along arcs", self.position + 1)
            steps.append(match[0])
            self.position = match.end()
        return Address(word[0], int(word[1:]), tuple(steps))

    def _attribute(self) -> str:
        start = self.position
        word = self._word("an attribute such as form")
        if word == "feats" and self.text[self.position : self.position + 1] == ":":
            match = self._FEATURE.match(self.text, self.position + 1)
            if match is None:
                self.position += 1
                self.fail("the name of a morphological feature is missing, as in feats:Case")
            self.position = match.end()
            return ONE_FEATURE + match[0]
        if word not in _BUILT and word not in WORD_ATTRIBUTES:
            known = ", ".join((*WORD_ATTRIBUTES, "feats:Name", *_BUILT))
            self.fail(f"no step and no attribute {word!r}: the steps are {', '.join(_STEPS)}, the rest {known}", start)
        return word

    def _word(self, wanted: str) -> str:
        match = self._PIECE.match(self.text, self.position)
        if match is None:
            self.fail(f"{wanted} is missing")
        self.position = match.end()
        return match[0]

    def _expect(self, sign: str) -> None:
        if self.text[self.position : self.position + 1] != sign:
            self.fail(f"{sign!r} is missing")
        self.position += 1


def parse_template(text: str, place: str = "") -> list[Atom]:
    """Read one template; `place` stands before the message if it cannot be read.

    >>> parse_template("s0.l1.deprel")
    [Atom(attribute='deprel', address=Address(base='s', index=0, steps=('l1',)), other=None)]
    """
    return _Reader(text, place).read()


def parse_address(text: str) -> Address | None:
    """Read what is an address alone, as `b0.l1` is; None for anything else.

    >>> parse_address("b0.l1")
    Address(base='b', index=0, steps=('l1',))
    """
    reader = _Reader(text, "")
    try:
        address = reader.address()
    except TemplateError:
        return None
    return address if reader.position == len(text) else None


def word_attributes(templates: Iterable[str]) -> list[str]:
    """Return the attributes of words that templates name, in order; `feats:*` may be one of them."""
    atoms = (atom for text in templates for atom in parse_template(text))
    found = dict.fromkeys(atom.attribute for atom in atoms)
    return [name for name in found if name not in _BUILT and name not in _RELATIONS]


def compile_templates(templates: Sequence[str], attributes: Sequence[str]) -> FeatureSet:
    """Return what the kernel takes, for words with these attributes, to each of which `feats:*` is extended.

    A template with a morphological feature that is no attribute is left out: the training data do not have it.
    """
    addresses: dict[AddressTuple, int] = {}
    atoms: dict[AtomTuple, int] = {}
    places = {name: place for place, name in enumerate(attributes)}
    features = [name for name in attributes if name.startswith(ONE_FEATURE)]

    def number(address: Address) -> int:
        return addresses.setdefault(address.as_tuple(), len(addresses))

    def atom_number(atom: Atom, feature: str) -> int:
        attribute = feature if atom.attribute == EVERY_FEATURE else atom.attribute
        first = number(atom.address)
        if atom.other is not None:
            found = (first, _RELATIONS[attribute], number(atom.other))
        elif attribute in _BUILT:
            found = (first, _BUILT[attribute], 0)
        else:
            optional = attribute.startswith(ONE_FEATURE)
            kind = FeatureAttribute.optional_column if optional else FeatureAttribute.column
            found = (first, kind, places[attribute])
        return atoms.setdefault(found, len(atoms))

    if len(templates) > MOST_TEMPLATES:
        raise TemplateError(f"{len(templates):,} templates, and at most {MOST_TEMPLATES:,} are possible")
    compiled: list[list[int]] = []
    for text in templates:
        members = parse_template(text)
        every = any(atom.attribute == EVERY_FEATURE for atom in members)
        named = [atom.attribute for atom in members if atom.attribute.startswith(ONE_FEATURE)]
        if any(name not in places and name != EVERY_FEATURE for name in named):
            continue
        for feature in features if every else [""]:
            compiled.append([atom_number(atom, feature) for atom in members])
        if len(compiled) > _MOST_EXTENDED:
            raise TemplateError(f"more than {_MOST_EXTENDED:,} templates, with feats:* for every feature in turn")
    return FeatureSet(list(addresses), list(atoms), compiled)


def read_templates(path: str | os.PathLike[str], *, labels: bool = True) -> tuple[list[str], list[str]]:
    """Read a file of templates, one on a line: those of transitions and, after a line `[labels]`, those of labels.

    Empty lines and lines that begin with # mean nothing. The name of a shipped model stands for its file. Without
    `labels`, templates of labels may be missing.
    """
    name = templates_path(path)
    try:
        lines = read_whole(name, _LARGEST_FILE).decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise TemplateError(f"{name}: not a file of templates, which is text in UTF-8") from error
    sections: dict[str, list[str]] = {"[transitions]": [], "[labels]": []}
    current = sections["[transitions]"]
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text.startswith("["):
            if text not in sections:
                raise TemplateError(f"{name}:{number}: no section {text}: there are {' and '.join(sections)}")
            current = sections[text]
        elif text and not text.startswith("#"):
            parse_template(text, f"{name}:{number}: ")
            current.append(text)
    for section, found in sections.items():
        if not found and (labels or section != "[labels]"):
            raise TemplateError(f"{name}: no templates under {section}: `crossarc features` prints a whole file")
    return sections["[transitions]"], sections["[labels]"]


_FOLDER = Path(__file__).with_name("models")
_SUFFIX = ".txt"
_SYSTEM = "system: "


@dataclass(frozen=True)
class FeatureModel:
    """A shipped file of templates."""

    name: str
    #: The transition system whose configurations it was made for.
    system: str
    #: Which paper or program it is from.
    about: str
    path: Path

    @property
    def text(self) -> str:
        """The file, as `crossarc features` prints it and `--features` takes it."""
        return self.path.read_text(encoding="utf-8")


def feature_models() -> dict[str, FeatureModel]:
    """Return the shipped models by name."""
    return {path.stem: _described(path) for path in sorted(_FOLDER.glob(f"*{_SUFFIX}"))}


def templates_path(name: str | os.PathLike[str]) -> str:
    """Return the file that is meant by a path or by the name of a shipped model; a file of that name goes first."""
    given = Path(name)
    shipped = _FOLDER / f"{given.name}{_SUFFIX}"
    is_name = given.name == str(given) and not given.exists()
    return str(shipped) if is_name and shipped.is_file() else os.fspath(name)


def _described(path: Path) -> FeatureModel:
    comments = [line[1:].strip() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    about = " ".join(line for line in comments if not line.startswith(_SYSTEM))
    system = next(line.removeprefix(_SYSTEM) for line in comments if line.startswith(_SYSTEM))
    return FeatureModel(path.stem, system, about, path)
