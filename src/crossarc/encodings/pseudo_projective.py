"""Pseudo-projective encoding (Nivre & Nilsson 2005, Section 2): lift arcs until the tree is projective, mark labels.

What comes out is projective, so that any projective parser can learn it; the marks lead the arcs back. The schemes are
those of the paper's Table 1: `d↑h`, `p↓`, `d↑h↓`, and a sign for covered roots. A label of the treebank that contains a
sign is escaped with a backslash, so that reading marks is the inverse of writing them for any labels; the text behind a
misplaced sign is ignored. How the marks are followed is in `kernel/encodings/encodings.hpp` and, with what each reading
of the paper gives, in `docs/theory/encodings.md`. O(n) for each lifted arc; O(n) memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import _kernel
from .._arrays import Codes, Flags, Ids, Offsets
from ..options import checked_threads, one_of, option
from ..structure.arcs import Arcs
from ..tree import head_array
from ..treebank import Treebank
from .base import (
    Encoding,
    EncodingError,
    EncodingOptions,
    Restored,
    RestoreReport,
    check_fault,
    check_numbers,
    distinct_labels,
    kernel_refusals,
    named,
    numbered_place,
    treebank_place,
    unknown_labels,
)

LIFTED, ON_PATH, COVERED_ROOT = (int(mark) for mark in _kernel.Mark)

_ESCAPE = "\\"


@dataclass(frozen=True)
class MarkedLabel:
    """A label and what its marks say; `head_label` is the label of the syntactic head, "" if it is not known."""

    label: str
    head_label: str = ""
    marks: int = 0


@dataclass(frozen=True)
class Signs:
    """The signs for lifted arcs, arcs on a lifting path, and covered roots; one character each."""

    lifted: str
    on_path: str
    covered_root: str

    def write(self, marked: MarkedLabel) -> str:
        """Return the label with its marks.

        >>> SIGNS["arrows"].write(MarkedLabel("AuxP", "Sb", LIFTED))
        'AuxP↑Sb'
        """
        text = self._escaped(marked.label)
        if marked.marks & LIFTED:
            text += self.lifted + self._escaped(marked.head_label)
        if marked.marks & ON_PATH:
            text += self.on_path
        if marked.marks & COVERED_ROOT:
            text += self.covered_root
        return text

    def read(self, text: str) -> MarkedLabel:
        """Return what a label says. Text after a sign is the label of the head after `lifted`, else it is ignored.

        >>> SIGNS["arrows"].read("vobj↑nobj↓")
        MarkedLabel(label='vobj', head_label='nobj', marks=3)
        """
        bits = {self.lifted: LIFTED, self.on_path: ON_PATH, self.covered_root: COVERED_ROOT}
        parts = {0: "", LIFTED: ""}
        part, marks = 0, 0
        characters = iter(text)
        for character in characters:
            if character in bits:
                part = bits[character]
                marks |= part
            elif part in parts:
                parts[part] += next(characters, _ESCAPE) if character == _ESCAPE else character
        return MarkedLabel(parts[0], parts[LIFTED], marks)

    def _escaped(self, label: str) -> str:
        special = (self.lifted, self.on_path, self.covered_root, _ESCAPE)
        return "".join(_ESCAPE + character if character in special else character for character in label)


#: The arrows of the paper, or signs of ASCII for parsers that want those.
SIGNS = {"arrows": Signs("↑", "↓", "↥"), "ascii": Signs("^", "!", "@")}


_SCHEMES = named(_kernel.Scheme, "+")
_LIFT_ORDERS = named(_kernel.LiftOrder)
_COVERED_ROOTS = named(_kernel.CoveredRoots)
_SEARCHES = named(_kernel.Search)
SCHEMES = ("baseline", *_SCHEMES)
LIFT_ORDERS = tuple(_LIFT_ORDERS)
COVERED_ROOTS = tuple(_COVERED_ROOTS)
SEARCHES = tuple(_SEARCHES)

_NOT_KNOWN = -1
_MARKS = 1 << len(_kernel.Mark)  # how many combinations of marks there are

#: A label, the label of the syntactic head (-1: not known) and the marks.
Combination = tuple[int, int, int]


@dataclass(frozen=True)
class PseudoProjective(EncodingOptions, Encoding):
    """Projective trees with marked labels.

    `scheme`: what the labels tell: "head" (`d↑h` on lifted arcs, h the label of the syntactic head), "path" (`d↑`, and
    `p↓` on every arc over which one was lifted), "head+path" (both), or "baseline" (nothing is marked or restored).
    `lift_order`: "shortest" non-projective arc first, as in the paper, or "deepest" dependent first.
    `covered_roots`: children of the root below a non-projective arc stay there ("none") or are attached to its "left"
    or "right" end or to its "head", and marked. `search`: how marks are followed; "first" takes the first target that
    the paper's search finds. `signs`: "arrows" or "ascii".
    """

    type: ClassVar[str] = "pseudo-projective"
    directed: ClassVar[bool] = True

    scheme: str = option("head", one_of(*SCHEMES))
    lift_order: str = option("shortest", one_of(*LIFT_ORDERS))
    covered_roots: str = option("none", one_of(*COVERED_ROOTS))
    search: str = option("careful", one_of(*SEARCHES))
    signs: str = option("arrows", one_of(*SIGNS))
    labels: tuple[str, ...] = option((), distinct_labels)
    #: Those of the encoded training data, then plain ones that it did not have.
    encoded_labels: tuple[str, ...] = option((), distinct_labels)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scheme == "baseline" and self.covered_roots != "none":
            raise EncodingError("covered roots have to be marked, which the baseline does not do")
        self._check_labels()

    @property
    def lifted_labels(self) -> Flags:
        return (self._meanings[2] & ~np.uint8(ON_PATH)) > 0

    def _check_labels(self) -> None:
        """Make sure that every label can be encoded and every encoded label be read."""
        known, encoded = set(self.labels), set(self.encoded_labels)
        for label in self.labels:
            if self._write(MarkedLabel(label)) not in encoded:
                raise EncodingError(f"the label {label!r} is not among the encoded labels")
        for label in self.encoded_labels:
            marked = self._read(label)
            if marked.label not in known or (marked.head_label and marked.head_label not in known):
                raise EncodingError(f"the encoded label {label!r} is not made of the labels")

    def fit(self, treebank: Treebank, *, labels: tuple[str, ...] | None = None, threads: int = 0) -> PseudoProjective:
        known = tuple(treebank.inventory("deprel")) if labels is None else labels
        encoded = self.encode(treebank, threads=threads).inventory("deprel")
        plain = (self._write(MarkedLabel(label)) for label in known)
        return replace(self, labels=known, encoded_labels=tuple(dict.fromkeys((*encoded, *plain))))

    def encode(self, treebank: Treebank, *, threads: int = 0) -> Treebank:
        """Return projective trees with marked labels. Projective trees stay as they are, and so does DEPS."""
        pool, texts = treebank.pool, treebank.distinct_texts("deprel")
        columns = treebank.head, treebank.deprel.ids, treebank.word_offsets
        heads, marks, head_labels = self._lift(*columns, threads, treebank_place(treebank))
        deprel = pool.intern([self._write(MarkedLabel(text)) for text in texts[0]])[texts[1]]
        words, kinds, kind_of = _combinations(treebank.deprel.ids, head_labels, marks)
        if len(words):
            marked = [
                self._write(MarkedLabel(pool.text(label), pool.text(head_label) if head_label >= 0 else "", mark))
                for label, head_label, mark in kinds
            ]
            deprel[words] = pool.intern(marked)[kind_of]
        return treebank.replace(head=heads, deprel=deprel, deps=treebank.column("deps"))

    def restore_with_report(self, treebank: Treebank, *, threads: int = 0) -> tuple[Treebank, RestoreReport]:
        """Return the trees that the marks describe, and what was not clear. Arcs in DEPS follow theirs."""
        texts, text_of = treebank.distinct_texts("deprel")
        read = [self._read(text) for text in texts]
        fallback = self.labels[0] if self.labels else "_"
        labels = treebank.pool.intern([marked.label or fallback for marked in read])
        head_labels = treebank.pool.intern([marked.head_label or "_" for marked in read])
        head_labels[[not marked.head_label for marked in read]] = _NOT_KNOWN
        marks = np.array([marked.marks for marked in read], np.uint8)
        columns = labels[text_of], head_labels[text_of], marks[text_of]
        place = treebank_place(treebank)
        heads, missed = self._lower(treebank.head, *columns, treebank.word_offsets, threads, place)
        moving = columns[2] & ~np.uint8(ON_PATH)
        unknown = [text for text, marked in zip(texts, read, strict=True) if marked.label not in self.labels]
        report = RestoreReport(
            marked=int(np.count_nonzero(moving)),
            unresolved=int(np.count_nonzero(missed)),
            unknown=unknown_labels(treebank, unknown) if self.labels else {},
        )
        return treebank.replace(head=heads, deprel=columns[0]), report

    # Numbers instead of texts, once the encoding was fitted

    def encode_arrays(
        self, heads: ArrayLike, labels: ArrayLike, word_offsets: ArrayLike, *, threads: int = 0
    ) -> tuple[Ids, Ids]:
        """Return heads and numbers of `encoded_labels` for heads and numbers of `labels`.

        A marked label that the training data did not have becomes the plain one, since no parser could have learnt it.
        """
        self.require_fitted()
        tree, numbers, offsets = head_array(heads), head_array(labels), np.ascontiguousarray(word_offsets, np.int64)
        check_numbers("labels", numbers, len(self.labels), len(tree))
        new_heads, marks, head_labels = self._lift(tree, numbers, offsets, threads, numbered_place)
        plain = np.array([self._number[self._write(MarkedLabel(label))] for label in self.labels], np.int32)
        encoded = plain[numbers]
        words, kinds, kind_of = _combinations(numbers, head_labels, marks)
        if len(words):
            written = [
                self._write(MarkedLabel(self.labels[label], self.labels[head] if head >= 0 else "", mark))
                for label, head, mark in kinds
            ]
            known = [self._number.get(text, plain[kind[0]]) for text, kind in zip(written, kinds, strict=True)]
            encoded[words] = np.array(known, np.int32)[kind_of]
        return new_heads, encoded

    def restore_arrays(
        self, heads: ArrayLike, encoded_labels: ArrayLike, word_offsets: ArrayLike, *, threads: int = 0
    ) -> tuple[Ids, Ids]:
        """Return heads and numbers of `labels` for heads and numbers of `encoded_labels`."""
        self.require_fitted()
        tree, numbers = head_array(heads), head_array(encoded_labels)
        check_numbers("encoded labels", numbers, len(self.encoded_labels), len(tree))
        labels, head_labels, marks = self._meanings
        offsets = np.ascontiguousarray(word_offsets, np.int64)
        lowered, _ = self._lower(
            tree, labels[numbers], head_labels[numbers], marks[numbers], offsets, threads, numbered_place
        )
        return lowered, labels[numbers]

    def encode_arcs(self, heads: ArrayLike, labels: ArrayLike, word_offsets: ArrayLike, *, threads: int = 0) -> Arcs:
        """Return the arcs of projective trees, one for each word, for heads and numbers of `labels`."""
        return Arcs.from_heads(*self.encode_arrays(heads, labels, word_offsets, threads=threads), word_offsets)

    def restore_arcs(self, arcs: Arcs, *, root_label: int, threads: int = 0) -> Restored:
        """Return heads and numbers of `labels`; words without a head are attached to 0, encoded as `root_label`."""
        heads, labels = arcs.by_word()
        attached = heads >= 0
        heads, labels = self.restore_arrays(
            np.where(attached, heads, np.int32(0)),
            np.where(attached, labels, np.int32(root_label)),
            arcs.word_offsets,
            threads=threads,
        )
        return Restored(heads, labels, attached)

    @cached_property
    def _number(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self.encoded_labels)}

    @cached_property
    def _meanings(self) -> tuple[Ids, Ids, Codes]:
        """Label, label of the syntactic head, and marks of each encoded label."""
        number = {label: place for place, label in enumerate(self.labels)}
        read = [self._read(label) for label in self.encoded_labels]
        return (
            np.array([number[marked.label] for marked in read], np.int32),
            np.array([number.get(marked.head_label, _NOT_KNOWN) for marked in read], np.int32),
            np.array([marked.marks for marked in read], np.uint8),
        )

    # Codes

    @property
    def _signs(self) -> Signs:
        return SIGNS[self.signs]

    def _write(self, marked: MarkedLabel) -> str:
        return marked.label if self.scheme == "baseline" else self._signs.write(marked)

    def _read(self, text: str) -> MarkedLabel:
        return MarkedLabel(text) if self.scheme == "baseline" else self._signs.read(text)

    def _lift(
        self, heads: Ids, labels: Ids, word_offsets: Offsets, threads: int, place: Callable[[int], str]
    ) -> tuple[Ids, Codes, Ids]:
        """Return projective heads, and the marks and the label of the syntactic head that the scheme writes."""
        heads, threads = np.ascontiguousarray(heads), checked_threads(threads)
        with kernel_refusals():
            lifted_heads, marks, fault = _kernel.lift(
                heads, word_offsets, _LIFT_ORDERS[self.lift_order], _COVERED_ROOTS[self.covered_roots], threads
            )
        check_fault(fault, heads, word_offsets, place)
        head_labels = np.full(len(heads), _NOT_KNOWN, np.int32)
        if self.scheme == "baseline":
            marks = np.zeros_like(marks)
        elif self.scheme == "head":
            marks &= ~np.uint8(ON_PATH)
        if self.scheme in ("head", "head+path"):
            lifted = np.flatnonzero(marks & LIFTED)
            sentence = np.searchsorted(word_offsets, lifted, side="right") - 1
            head_labels[lifted] = labels[word_offsets[sentence] + heads[lifted] - 1]
        return lifted_heads, marks, head_labels

    def _lower(
        self,
        heads: Ids,
        labels: Ids,
        head_labels: Ids,
        marks: Codes,
        word_offsets: Offsets,
        threads: int,
        place: Callable[[int], str],
    ) -> tuple[Ids, Codes]:
        scheme = _SCHEMES.get(self.scheme, _kernel.Scheme.head)  # the baseline has no marks to follow
        heads, threads = np.ascontiguousarray(heads), checked_threads(threads)
        with kernel_refusals():
            lowered, missed, fault = _kernel.lower(
                heads, labels, head_labels, marks, word_offsets, scheme, _SEARCHES[self.search], threads
            )
        check_fault(fault, heads, word_offsets, place)
        return lowered, missed


def _combinations(labels: Ids, head_labels: Ids, marks: Codes) -> tuple[Ids, list[Combination], Ids]:
    """Return the marked words, the different combinations of labels and marks, and which of them each word has."""
    words = np.flatnonzero(marks).astype(np.int32)
    size = int(labels.max(initial=0)) + 2
    keys = (labels[words].astype(np.int64) * size + head_labels[words] + 1) * _MARKS + marks[words]
    kinds, kind_of = np.unique(keys, return_inverse=True)
    combinations = [(kind // _MARKS // size, kind // _MARKS % size - 1, kind % _MARKS) for kind in kinds.tolist()]
    return words, combinations, kind_of.astype(np.int32)
