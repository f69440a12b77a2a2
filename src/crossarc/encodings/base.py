"""What all encodings have in common: a pair of functions around any parser.

`encode` turns a gold tree into what the parser learns to build, `decode` turns what it built into a tree. Both take and
give treebanks. An encoding that was fitted to training data knows its labels, so that parsers can work with numbers: a
label is its place in `labels`, what the parser predicts is a place in `encoded_labels`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._kernel import TreeFault
from ..errors import CrossarcError
from ..structure.heads import Heads, Offsets, raise_fault
from ..treebank import Treebank

Labels = NDArray[np.int32]
Flags = NDArray[np.uint8]
Fault = tuple[int, TreeFault, Sequence[int]]
Self = TypeVar("Self", bound="Encoding")


class EncodingError(CrossarcError):
    """An encoding that does not exist, does not fit, or was not fitted."""


@dataclass
class DecodeReport:
    """What a decoder could not be sure of."""

    marked: int = 0  # arcs that the labels ask to move
    unresolved: int = 0  # of these, arcs that stay where they were, since the marks lead nowhere
    unknown: dict[str, int] = field(default_factory=dict)  # labels that the fitted encoding does not know

    def __add__(self, other: DecodeReport) -> DecodeReport:
        unknown = dict(self.unknown)
        for label, count in other.unknown.items():
            unknown[label] = unknown.get(label, 0) + count
        return DecodeReport(self.marked + other.marked, self.unresolved + other.unresolved, unknown)


class Encoding(ABC):
    """A tree, what a parser builds instead, and the way back."""

    #: Its name in model files.
    type: ClassVar[str]
    #: Whether the parser builds a tree; else it builds undirected links.
    directed: ClassVar[bool] = True

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """The labels of the training data, the most frequent first; none if the encoding was not fitted."""

    @property
    @abstractmethod
    def encoded_labels(self) -> tuple[str, ...]:
        """The labels that the parser predicts, once the encoding was fitted."""

    @abstractmethod
    def fit(self: Self, treebank: Treebank, *, threads: int = 0) -> Self:
        """Return the encoding with the labels of this training data."""

    @abstractmethod
    def encode(self, treebank: Treebank, *, threads: int = 0) -> Treebank:
        """Return what a parser should learn to build. DEPS stays as it is."""

    @abstractmethod
    def decode_with_report(self, treebank: Treebank, *, threads: int = 0) -> tuple[Treebank, DecodeReport]:
        """Return the trees that are meant, and what was not clear."""

    def decode(self, treebank: Treebank, *, threads: int = 0) -> Treebank:
        """Return the trees that are meant. No mark is left, whatever the labels were."""
        return self.decode_with_report(treebank, threads=threads)[0]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file; `from_dict` makes the encoding again."""

    def after(self, first: Encoding) -> Encoding:
        """Return the composition: `first` encodes the tree, this one what came out; decoding goes the other way."""
        from .composition import Composition

        return Composition(self, first)

    def require_fitted(self) -> None:
        """Refuse to number labels that are not known yet."""
        if not self.labels:
            raise EncodingError("the encoding knows no labels: fit it to training data first")


def checked_choice(what: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse an option that does not exist."""
    if value not in choices:
        raise EncodingError(f"unknown {what} {value!r}: use one of {', '.join(choices)}")


def checked_labels(value: Any) -> tuple[str, ...]:
    """Return the labels of a model file, if they are a list of different texts."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(label, str) for label in value):
        raise EncodingError("the labels of an encoding are a list of texts")
    if len(set(value)) != len(value):
        raise EncodingError("a label occurs twice in the labels of an encoding")
    return tuple(value)


def checked_keys(data: Mapping[str, Any], keys: set[str]) -> None:
    """Refuse a description of an encoding with unknown parts, which a later version may have written."""
    unknown = sorted(set(data) - keys - {"type"})
    if unknown:
        raise EncodingError(f"unknown part {unknown[0]!r} in the description of a {data.get('type')} encoding")


def treebank_place(treebank: Treebank) -> Callable[[int], str]:
    """Return how to name a sentence of a treebank."""
    return lambda index: treebank[index].place


def numbered_place(index: int) -> str:
    """Name a sentence of which only the number is known."""
    return f"sentence {index + 1}"


def check_fault(fault: Fault | None, heads: Heads, word_offsets: Offsets, place: Callable[[int], str]) -> None:
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


def check_numbers(what: str, numbers: Labels, count: int, words: int) -> None:
    """Refuse numbers of labels that do not exist, or too few or too many of them."""
    if len(numbers) != words:
        raise EncodingError(f"{len(numbers)} {what} for {words} arcs")
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        raise EncodingError(f"{what} are numbers from 0 to {count - 1}")


def used_ids(ids: Labels) -> Labels:
    """Return the different ids of a column, in order. O(words + ids), without sorting."""
    return np.flatnonzero(np.bincount(ids)).astype(np.int32)


def unknown_labels(treebank: Treebank, texts: list[str]) -> dict[str, int]:
    """Return how often each of some labels occurs in a treebank."""
    counts = treebank.inventory("deprel") if texts else {}
    return {text: counts[text] for text in texts}


def lookup(ids: Labels, values: NDArray[Any]) -> NDArray[Any]:
    """Return a table that has, at each of some ids, the value that belongs to it."""
    table = np.zeros(int(ids.max(initial=-1)) + 1, values.dtype)
    table[ids] = values
    return table
