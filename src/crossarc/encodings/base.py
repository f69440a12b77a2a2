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
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Flags, Ids, Offsets
from ..errors import CrossarcError
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


@dataclass(frozen=True, eq=False)
class Arcs:
    """Arcs, or links without direction, over the words of many sentences, as parsers build them.

    Sentence i has arcs `offsets[i]` to `offsets[i + 1]` and words `word_offsets[i]` to `word_offsets[i + 1]`; heads and
    dependents are word numbers in the sentence, 0 is the root. Of a link, `heads` has the left word. `labels` are
    numbers of the encoding's `encoded_labels`.
    """

    heads: Ids
    dependents: Ids
    labels: Ids
    offsets: Offsets
    word_offsets: Offsets

    @classmethod
    def from_heads(cls, heads: ArrayLike, labels: ArrayLike, word_offsets: ArrayLike) -> Arcs:
        """Return the arcs of heads and labels by word; a word with head -1 has no arc."""
        head_of, label_of = np.asarray(heads, np.int32), np.asarray(labels, np.int32)
        offsets = np.ascontiguousarray(word_offsets, np.int64)
        attached = head_of >= 0
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(attached, dtype=np.int64)])
        dependents = positions(offsets)[attached]
        return cls(head_of[attached], dependents, label_of[attached], before[offsets], offsets)

    def by_word(self) -> tuple[Ids, Ids]:
        """Return the head and the label of each word, -1 where no arc gives it one; of several arcs the last counts."""
        head_of = np.full(int(self.word_offsets[-1]), -1, np.int32)
        label_of = head_of.copy()
        places = np.repeat(self.word_offsets[:-1], np.diff(self.offsets)) + self.dependents - 1
        head_of[places] = self.heads
        label_of[places] = self.labels
        return head_of, label_of

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self.word_offsets) - 1

    def sentence(self, index: int) -> list[tuple[int, int, int]]:
        """Return the arcs (head, dependent, label) of a sentence."""
        own = slice(int(self.offsets[index]), int(self.offsets[index + 1]))
        columns = (self.heads[own].tolist(), self.dependents[own].tolist(), self.labels[own].tolist())
        return list(zip(*columns, strict=True))


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

    def decode(self, treebank: Treebank, *, threads: int = 0) -> Treebank:
        """Do what `restore` does: its old name."""
        return self.restore(treebank, threads=threads)

    def decode_with_report(self, treebank: Treebank, *, threads: int = 0) -> tuple[Treebank, RestoreReport]:
        """Do what `restore_with_report` does: its old name."""
        return self.restore_with_report(treebank, threads=threads)


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
        """The labels of the training data."""
        return self.first.labels

    @property
    def encoded_labels(self) -> tuple[str, ...]:
        """The labels that the parser predicts."""
        return self.second.encoded_labels

    def fit(self, treebank: Treebank, *, labels: tuple[str, ...] | None = None, threads: int = 0) -> Composition:
        """Return the composition with the labels of this training data."""
        first = self.first.fit(treebank, labels=labels, threads=threads)
        encoded = first.encode(treebank, threads=threads)
        return Composition(self.second.fit(encoded, labels=first.encoded_labels, threads=threads), first)

    def encode(self, treebank: Treebank, *, threads: int = 0) -> Treebank:
        """Return what a parser should learn to build."""
        return self.second.encode(self.first.encode(treebank, threads=threads), threads=threads)

    def restore_with_report(self, treebank: Treebank, *, threads: int = 0) -> tuple[Treebank, RestoreReport]:
        """Return the trees that are meant, and what was not clear."""
        directed, report = self.second.restore_with_report(treebank, threads=threads)
        restored, more = self.first.restore_with_report(directed, threads=threads)
        return restored, report + more

    def encode_arcs(self, heads: ArrayLike, labels: ArrayLike, word_offsets: ArrayLike, *, threads: int = 0) -> Arcs:
        """Return the links of the projective trees, for heads and numbers of `labels`."""
        between = self.first.encode_arcs(heads, labels, word_offsets, threads=threads)
        return self.second.encode_arcs(*between.by_word(), between.word_offsets, threads=threads)

    def restore_arcs(self, arcs: Arcs, *, root_label: int = 0, threads: int = 0) -> Restored:
        """Return the trees that are meant by a forest of links, with numbers of `labels`."""
        heads, labels, attached = self.second.restore_arcs(arcs, root_label=root_label, threads=threads)
        between = Arcs.from_heads(heads, labels, arcs.word_offsets)
        restored = self.first.restore_arcs(between, root_label=root_label, threads=threads)
        return Restored(restored.heads, restored.labels, attached)

    def encode_links(self, heads: ArrayLike, labels: ArrayLike, word_offsets: ArrayLike, *, threads: int = 0) -> Arcs:
        """Do what `encode_arcs` does, which for this encoding gives links."""
        return self.encode_arcs(heads, labels, word_offsets, threads=threads)

    def decode_links(self, links: Arcs, *, threads: int = 0) -> tuple[Ids, Ids]:
        """Return the heads and labels of `restore_arcs`: its old name."""
        heads, labels, _ = self.restore_arcs(links, threads=threads)
        return heads, labels

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        return {"type": self.type, "second": self.second.to_dict(), "first": self.first.to_dict()}


def positions(word_offsets: Offsets) -> Ids:
    """Return the number of each word in its sentence."""
    starts = np.repeat(word_offsets[:-1], np.diff(word_offsets))
    numbers: Ids = (np.arange(1, int(word_offsets[-1]) + 1) - starts).astype(np.int32)
    return numbers
