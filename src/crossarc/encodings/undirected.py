"""Undirected encoding (Gómez-Rodríguez & Fernández-González 2012, Section 4): links without direction, and back.

A parser that builds undirected links need not watch that words have one head. Directions are reconstructed as a minimum
branching, which is choosing the root of each component: O(n). With label-based reconstruction every label X of the
training data becomes `Xl` on leftward and `Xr` on rightward arcs, and the labels vote on the direction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from .. import _kernel
from .._arrays import Codes, Ids, Offsets, offsets_of, positions_of
from ..options import checked_threads, label, one_of, option
from ..structure.arcs import Arcs
from ..tree import head_array
from ..treebank import Treebank
from .base import (
    Composition,
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
    unknown_labels,
)

_RECONSTRUCTIONS = named(_kernel.Reconstruction)
RECONSTRUCTIONS = tuple(_RECONSTRUCTIONS)

_NONE, _LEFT, _RIGHT = (int(way) for way in _kernel.Direction)
_SUFFIXES = {"l": _LEFT, "r": _RIGHT}


@dataclass(frozen=True, eq=False)
class Links(Arcs):
    """Undirected graphs over the words of many sentences: what undirected parsers build (2012, Section 3).

    A link joins two words, the left one first, or the artificial root 0 and a word. The links of a sentence must be a
    forest; it need not be connected.
    """

    @property
    def left(self) -> Ids:
        """The left words."""
        return self.heads

    @property
    def right(self) -> Ids:
        """The right words."""
        return self.dependents

    @property
    def link_offsets(self) -> Offsets:
        """Where the links of each sentence begin."""
        return self.offsets

    @classmethod
    def from_lists(cls, links: Iterable[Iterable[tuple[int, int, int]]], words: Sequence[int]) -> Links:
        """Make links from a list of (word, other word, label) and a number of words for each sentence."""
        sentences = [list(sentence) for sentence in links]
        if len(sentences) != len(words):
            raise EncodingError(f"{len(sentences)} lists of links for {len(words)} sentences")
        rows = np.array([link for sentence in sentences for link in sentence], np.int32).reshape(-1, 3)
        return cls(
            np.minimum(rows[:, 0], rows[:, 1]),
            np.maximum(rows[:, 0], rows[:, 1]),
            np.ascontiguousarray(rows[:, 2]),
            offsets_of(map(len, sentences)),
            offsets_of(words),
        )


@dataclass(frozen=True)
class Undirected(EncodingOptions, Encoding):
    """Links without direction.

    `reconstruction`: "label" (the paper's second cost assignment: the labels may move the root), "label-strict" (its
    first: a link from the root is trusted) or "naive" (no directions in labels; everything points away from the root
    link). `root_label` is given to a root that the parser did not link to 0; fitting sets it to the most frequent label
    of roots.

    In files, which cannot hold undirected links, arcs stand for links: encoding keeps HEAD and marks the labels, and
    restoring ignores which end of an arc HEAD calls the head.
    """

    type: ClassVar[str] = "undirected"
    directed: ClassVar[bool] = False

    reconstruction: str = option("label", one_of(*RECONSTRUCTIONS))
    root_label: str = option("root", label)
    labels: tuple[str, ...] = option((), distinct_labels)

    @property
    def encoded_labels(self) -> tuple[str, ...]:
        """Xl and Xr for every label X; with naive reconstruction the labels themselves."""
        if not self._marked:
            return self.labels
        return tuple(label + suffix for label in self.labels for suffix in _SUFFIXES)

    @property
    def _marked(self) -> bool:
        return self.reconstruction != "naive"

    def fit(self, treebank: Treebank, *, labels: tuple[str, ...] | None = None, threads: int = 0) -> Undirected:
        known = tuple(treebank.inventory("deprel")) if labels is None else labels
        return self.with_labels(known, _root_label(treebank) or self.root_label)

    def with_labels(self, labels: tuple[str, ...], root_label: str) -> Undirected:
        """Return the encoding with labels in a given order; roots of the parser's making get `root_label`."""
        return replace(self, labels=labels, root_label=root_label)

    def encode(self, treebank: Treebank, *, threads: int = 0) -> Treebank:
        """Return the same trees with directions in their labels."""
        _check_heads(treebank)
        if not self._marked or not treebank.words:
            return treebank
        texts, text_of = treebank.distinct_texts("deprel")
        left, right = (treebank.pool.intern([text + suffix for text in texts])[text_of] for suffix in _SUFFIXES)
        deprel = np.where(treebank.head < positions_of(treebank.word_offsets), right, left)
        return treebank.replace(deprel=deprel, deps=treebank.column("deps"))

    def restore_with_report(self, treebank: Treebank, *, threads: int = 0) -> tuple[Treebank, RestoreReport]:
        """Return the trees that the labels of the links vote for; a label without a direction does not vote."""
        _check_heads(treebank)
        if not self._marked:
            return treebank, RestoreReport()
        texts, text_of = treebank.distinct_texts("deprel")
        read = [self._read(text) for text in texts]
        plain = treebank.pool.intern([label for label, _ in read])[text_of]
        directions = np.array([direction for _, direction in read], np.uint8)[text_of]
        places = positions_of(treebank.word_offsets)
        left, right = np.minimum(treebank.head, places), np.maximum(treebank.head, places)
        heads, link_of = self._reconstruct(
            left, right, directions, treebank.word_offsets, treebank.word_offsets, threads
        )
        unknown = [text for text, (label, _) in zip(texts, read, strict=True) if label not in self._known]
        report = RestoreReport(
            marked=int(np.count_nonzero(heads != treebank.head)),
            unknown=unknown_labels(treebank, unknown) if self.labels else {},
        )
        return treebank.replace(head=heads, deprel=plain[link_of]), report

    def _read(self, text: str) -> tuple[str, int]:
        """Return the label and its direction; a label of the training data without one is not taken apart."""
        direction = _SUFFIXES.get(text[-1], _NONE) if len(text) > 1 else _NONE
        if direction == _NONE or (text in self._known and text[:-1] not in self._known):
            return text, _NONE
        return text[:-1], direction

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.labels)

    # Links as arrays, once the encoding was fitted

    def encode_arcs(self, heads: ArrayLike, labels: ArrayLike, word_offsets: ArrayLike, *, threads: int = 0) -> Links:
        """Return a link for each word, in order, for heads and numbers of `labels`; links from 0 among them."""
        self.require_fitted()
        tree, numbers, offsets = head_array(heads), head_array(labels), np.ascontiguousarray(word_offsets, np.int64)
        check_numbers("labels", numbers, len(self.labels), len(tree))
        with kernel_refusals():
            fault = _kernel.find_tree_fault(tree, offsets)
        check_fault(fault, tree, offsets, numbered_place)
        places = positions_of(offsets)
        encoded = 2 * numbers + (tree < places).astype(np.int32) if self._marked else numbers
        return Links(np.minimum(tree, places), np.maximum(tree, places), encoded, offsets, offsets)

    def restore_arcs(self, arcs: Arcs, *, root_label: int = 0, threads: int = 0) -> Restored:
        """Return heads and numbers of `labels` for a forest of links over 0 and the words of each sentence.

        Components that no link joins to 0 are attached to it, with the `root_label` of the encoding. If the root of a
        component moves, its label does too.
        """
        self.require_fitted()
        check_numbers("encoded labels", arcs.labels, len(self.encoded_labels), len(arcs.heads))
        if self.root_label not in self.labels:
            raise EncodingError(f"the label of roots, {self.root_label!r}, is not among the labels of the encoding")
        plain, directions = arcs.labels, np.zeros(len(arcs.labels), np.uint8)
        if self._marked:
            plain, directions = arcs.labels // 2, np.where(arcs.labels % 2 == 0, _LEFT, _RIGHT).astype(np.uint8)
        heads, link_of = self._reconstruct(
            arcs.heads, arcs.dependents, directions, arcs.offsets, arcs.word_offsets, threads
        )
        label_of = np.append(plain, np.int32(self.labels.index(self.root_label)))[link_of]  # -1, no link, is the last
        return Restored(heads, label_of, np.ones(len(heads), bool))

    def _reconstruct(
        self,
        left: Ids,
        right: Ids,
        directions: Codes,
        link_offsets: Offsets,
        word_offsets: Offsets,
        threads: int,
    ) -> tuple[Ids, Offsets]:
        threads = checked_threads(threads)
        with kernel_refusals():
            heads, link_of, faulty = _kernel.reconstruct(
                left, right, directions, link_offsets, word_offsets, _RECONSTRUCTIONS[self.reconstruction], threads
            )
        if faulty is not None:
            raise EncodingError(f"the links of sentence {faulty + 1} have a cycle: undirected parsers build forests")
        return heads, link_of


def needs_links_to_the_root(encoding: Encoding | None) -> bool:
    """Whether directions can only be restored from links to the artificial root (2012, Section 4.1)."""
    last = encoding.second if isinstance(encoding, Composition) else encoding
    return isinstance(last, Undirected) and last.reconstruction == "naive"


def _root_label(treebank: Treebank) -> str | None:
    counts = np.bincount(treebank.deprel.ids[treebank.head == 0], minlength=1)
    return treebank.pool.text(int(counts.argmax())) if counts.any() else None


def _check_heads(treebank: Treebank) -> None:
    missing = np.flatnonzero(treebank.head < 0)
    if len(missing):
        sentence = int(np.searchsorted(treebank.word_offsets, missing[0], side="right")) - 1
        treebank[sentence].require_heads()
