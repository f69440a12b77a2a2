"""What all encodings have in common: a pair of functions around any parser.

`encode` turns a gold tree into what the parser learns to build, `restore` turns what it built into a tree. Both take
and give treebanks. An encoding that was fitted to training data knows its labels, so that parsers can work with
numbers: a label is its place in `labels`, what the parser predicts is a place in `encoded_labels`. A parser gives the
arcs or links that it built to `restore_arcs` and need not know which encoding it is. O(words) beside the encoding.

Two encodings, one after the other, are an encoding too: `Undirected("label").after(PseudoProjective("head"))` makes the
tree projective, then drops the directions of its arcs, so that an undirected planar parser can be trained on any
treebank.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Flags, Ids, Offsets
from .._kernel import TreeFault
from ..errors import CrossarcError, OptionError
from ..options import Options, refusal
from ..structure.arcs import Arcs
from ..structure.heads import raise_fault
from ..treebank import Treebank

Self = TypeVar("Self", bound="Encoding")


class EncodingError(CrossarcError):
    """An encoding that does not exist, does not fit, or was not fitted."""


@dataclass
class RestoreReport:
    """What was not clear when trees were restored."""

    marked: int = 0  # arcs that the labels ask to move
    unresolved: int = 0  # of these, arcs that stay where they were, since the marks have no target
    unknown: dict[str, int] = field(default_factory=dict)  # labels that the fitted encoding does not know

    def __add__(self, other: RestoreReport) -> RestoreReport:
        unknown = dict(self.unknown)
        for label, count in other.unknown.items():
            unknown[label] = unknown.get(label, 0) + count
        return RestoreReport(self.marked + other.marked, self.unresolved + other.unresolved, unknown)


class Restored(NamedTuple):
    """Of each word the head, the number of its label, and whether what the parser built gave it a head."""

    heads: Ids
    labels: Ids
    attached: Flags


class EncodingOptions(Options):
    """Options of encodings, which are plain data with the type of the encoding."""

    type: ClassVar[str]

    def __post_init__(self) -> None:
        try:
            super().__post_init__()
        except OptionError as error:
            raise EncodingError(str(error)) from error

    @classmethod
    def described(cls) -> str:
        return f"the {cls.type} encoding"

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.type, **super().to_dict()}


class Encoding(ABC):
    """A tree, what a parser builds instead, and the way back."""

    #: Its name in model files.
    type: ClassVar[str]
    #: Whether the parser builds arcs with a direction; else it builds links.
    directed: ClassVar[bool]

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The labels of the training data, the most frequent first; none if the encoding was not fitted."""

    @property
    @abstractmethod
    def encoded_labels(self) -> tuple[str, ...]:
        """The labels that the parser predicts, once the encoding was fitted."""

    @property
    def lifted_labels(self) -> Flags:
        """Which of `encoded_labels` say that restoring moves their arc, so that it may cross others."""
        return np.zeros(len(self.encoded_labels), np.bool_)

    @abstractmethod
    def fit(self: Self, treebank: Treebank, *, labels: tuple[str, ...] | None = None, threads: int = 0) -> Self:
        """Return the encoding with the labels of this training data, or with `labels`, which have all of them."""

    @abstractmethod
    def encode(self, treebank: Treebank, *, threads: int = 0) -> Treebank:
        """Return what a parser should learn to build. DEPS stays as it is."""

    @abstractmethod
    def restore_with_report(self, treebank: Treebank, *, threads: int = 0) -> tuple[Treebank, RestoreReport]:
        """Return the trees that are meant, and what was not clear."""

    def restore(self, treebank: Treebank, *, threads: int = 0) -> Treebank:
        """Return the trees that are meant. No mark is left, whatever the labels were."""
        return self.restore_with_report(treebank, threads=threads)[0]

    @abstractmethod
    def encode_arcs(self, heads: ArrayLike, labels: ArrayLike, word_offsets: ArrayLike, *, threads: int = 0) -> Arcs:
        """Return what a parser should learn to build, for heads and numbers of `labels` by word."""

    @abstractmethod
    def restore_arcs(self, arcs: Arcs, *, root_label: int, threads: int = 0) -> Restored:
        """Return the trees that are meant by what a parser built, with numbers of `labels`.

        A word that has no head is attached to 0. Where arcs have a direction, its encoded label is then number
        `root_label`; links have the root label that the encoding was fitted with.
        """

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file; `from_dict` makes the encoding again."""

    def after(self, first: Encoding) -> Encoding:
        """Return the composition: `first` encodes the tree, this one what came out; restoring goes the other way."""
        return Composition(self, first)

    def require_fitted(self) -> None:
        """Refuse to number labels that are not known yet."""
        if not self.labels:
            raise EncodingError("the encoding knows no labels: fit it to training data first")


@dataclass(frozen=True)
class Composition(Encoding):
    """`first` encodes the tree, `second` what came out. Made with `second.after(first)`."""

    type: ClassVar[str] = "composition"
    directed: ClassVar[bool] = False

    second: Encoding
    first: Encoding

    def __post_init__(self) -> None:
        if isinstance(self.first, Composition) or isinstance(self.second, Composition):
            raise EncodingError("a composition has two encodings: a third one cannot be added")
        if not self.first.directed:
            what = "another undirected encoding finds no directions to drop"
            if self.second.directed:
                what = "arcs can only be lifted where they have a direction; put it first: undirected.after(it)"
            raise EncodingError(f"nothing can be encoded after an undirected encoding: {what}")
        if self.second.directed:
            raise EncodingError("after a pseudo-projective encoding trees are projective: a second one lifts nothing")
        if self.second.labels and self.second.labels != self.first.encoded_labels:
            raise EncodingError("the labels of the second encoding are not those that the first one writes")

    @property
    def labels(self) -> tuple[str, ...]:
        return self.first.labels

    @property
    def encoded_labels(self) -> tuple[str, ...]:
        return self.second.encoded_labels

    @property
    def lifted_labels(self) -> Flags:
        # A label of the first encoding is followed by as many of the second as there are directions.
        first = self.first.lifted_labels
        return np.repeat(first, len(self.encoded_labels) // max(1, len(first)))

    def fit(self, treebank: Treebank, *, labels: tuple[str, ...] | None = None, threads: int = 0) -> Composition:
        first = self.first.fit(treebank, labels=labels, threads=threads)
        encoded = first.encode(treebank, threads=threads)
        return Composition(self.second.fit(encoded, labels=first.encoded_labels, threads=threads), first)

    def encode(self, treebank: Treebank, *, threads: int = 0) -> Treebank:
        return self.second.encode(self.first.encode(treebank, threads=threads), threads=threads)

    def restore_with_report(self, treebank: Treebank, *, threads: int = 0) -> tuple[Treebank, RestoreReport]:
        directed, report = self.second.restore_with_report(treebank, threads=threads)
        restored, more = self.first.restore_with_report(directed, threads=threads)
        return restored, report + more

    def encode_arcs(self, heads: ArrayLike, labels: ArrayLike, word_offsets: ArrayLike, *, threads: int = 0) -> Arcs:
        between = self.first.encode_arcs(heads, labels, word_offsets, threads=threads)
        return self.second.encode_arcs(*between.by_word(), between.word_offsets, threads=threads)

    def restore_arcs(self, arcs: Arcs, *, root_label: int = 0, threads: int = 0) -> Restored:
        heads, labels, attached = self.second.restore_arcs(arcs, root_label=root_label, threads=threads)
        between = Arcs.from_heads(heads, labels, arcs.word_offsets)
        restored = self.first.restore_arcs(between, root_label=root_label, threads=threads)
        return Restored(restored.heads, restored.labels, attached)

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.type, "second": self.second.to_dict(), "first": self.first.to_dict()}


# What encodings check and look up

#: The sentence, what is wrong with its heads, and the words it concerns.
Fault = tuple[int, TreeFault, Sequence[int]]
Option = TypeVar("Option", bound=Enum)


def named(options: type[Option], joint: str = "-") -> dict[str, Option]:
    """Return the options of the kernel by the names that users write, in order; words are joined by `joint`."""
    return {option.name.replace("_", joint): option for option in options}


def distinct_labels(name: str, value: Any) -> tuple[str, ...]:
    """Check that a value is a list of different texts; the labels of training data may be any."""
    if not isinstance(value, list | tuple) or not all(isinstance(label, str) for label in value):
        raise refusal(name, "a list of texts", value)
    if len(set(value)) != len(value):
        raise OptionError(f"a label occurs twice in {name}")
    return tuple(value)


def treebank_place(treebank: Treebank) -> Callable[[int], str]:
    """Return how to name a sentence of a treebank."""
    return lambda index: treebank[index].place


def numbered_place(index: int) -> str:
    """Name a sentence of which only the number is known."""
    return f"sentence {index + 1}"


def check_fault(fault: Fault | None, heads: Ids, word_offsets: Offsets, place: Callable[[int], str]) -> None:
    """Raise what the kernel found wrong with the heads."""
    if fault is not None:
        sentence, kind, words = fault
        own_heads = heads[word_offsets[sentence] : word_offsets[sentence + 1]]
        raise_fault(kind, words, own_heads, lambda: place(sentence))


@contextmanager
def kernel_refusals() -> Iterator[None]:
    """Raise what the kernel refuses (offsets that do not fit the words, say) as an error of encodings."""
    try:
        yield
    except ValueError as error:
        raise EncodingError(str(error)) from error


def check_numbers(what: str, numbers: Ids, count: int, words: int) -> None:
    """Refuse numbers of labels that do not exist, or too few or too many of them."""
    if len(numbers) != words:
        raise EncodingError(f"{len(numbers)} {what} for {words} arcs")
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        raise EncodingError(f"{what} are numbers from 0 to {count - 1}")


def unknown_labels(treebank: Treebank, texts: list[str]) -> dict[str, int]:
    """Return how often each of some labels occurs in a treebank."""
    counts = treebank.inventory("deprel") if texts else {}
    return {text: counts[text] for text in texts}
