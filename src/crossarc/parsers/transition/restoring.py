"""From sentences to trees: what the kernel builds, greedily or in a beam, decoded and brought under the root policy.

O(words) beside the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ... import _kernel
from ...encodings import Composition, Links, PseudoProjective, Undirected
from ...treebank import Treebank

if TYPE_CHECKING:
    from ...models.base import Model
    from .parser import Trained

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]
Values = NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Found:
    """What the search found: of every sentence some analyses, best first, as arcs.

    Sentence i has analyses `offsets[i]` to `offsets[i + 1]`, analysis a has arcs `arc_offsets[a]` to
    `arc_offsets[a + 1]`. Of a link without direction, `heads` has the left word.
    """

    offsets: Offsets
    totals: NDArray[np.float64]
    arc_offsets: Offsets
    heads: Ids
    dependents: Ids
    labels: Ids
    scores: NDArray[np.float32]
    margins: NDArray[np.float32]

    @classmethod
    def search(cls, model: Model, values: Values, word_offsets: Offsets, width: int, kept: int, threads: int) -> Found:
        """Search with a beam of some width and keep at most so many analyses of each sentence."""
        if isinstance(model, _kernel.NetworkModel):
            return cls(*model.search(values, word_offsets, width, kept, threads))
        return cls(*_kernel.search_beam(model, values, word_offsets, width, kept, threads))

    @property
    def sentences(self) -> NDArray[np.int64]:
        """The number of the sentence of each analysis."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def arc_starts(self, word_offsets: Offsets) -> NDArray[np.int64]:
        """Return for each arc where the words of its analysis begin, `word_offsets` being those of all analyses."""
        return np.repeat(word_offsets[:-1], np.diff(self.arc_offsets))

    def heads_and_labels(self, word_offsets: Offsets) -> tuple[Ids, Ids]:
        """Return the head and the label of each word, -1 where it has none."""
        starts = self.arc_starts(word_offsets)
        return heads_and_labels(starts, self.heads, self.dependents, self.labels, word_offsets)

    def by_word(self, heads: Ids, word_offsets: Offsets, directed: bool) -> tuple[NDArray[np.float32], ...]:
        """Return the scores and margins of the words' own arcs in trees of these heads; NaN where no arc was built.

        A link without direction is the arc of the word whose head is at its other end, if there is one.
        """
        starts = self.arc_starts(word_offsets)
        right = starts + self.dependents - 1
        own, arcs = right, np.ones(len(right), bool)
        if not directed:
            left = starts + np.maximum(self.heads, 1) - 1
            downward = heads[right] == self.heads
            upward = (self.heads > 0) & (heads[left] == self.dependents)
            own, arcs = np.where(downward, right, left), downward | upward
        answers = []
        for values in (self.scores, self.margins):
            answer = np.full(len(heads), np.nan, np.float32)
            answer[own[arcs]] = values[arcs]
            answers.append(answer)
        return tuple(answers)


def parse_arrays(trained: Trained, treebank: Treebank, values: NDArray[np.uint32], threads: int) -> tuple[Ids, Ids]:
    """Return the heads and the numbers of the labels that a trained parser finds."""
    offsets = treebank.word_offsets
    if trained.beam > 1:
        found = Found.search(trained.model, values, offsets, trained.beam, 1, threads)
        return decoded(trained, treebank, found, threads)
    if isinstance(trained.encoding, (Undirected, Composition)):
        left, right, labels, link_offsets = trained.model.parse_arcs(values, offsets, threads)
        return _decoded_links(trained, treebank, Links(left, right, labels, link_offsets, offsets), threads)
    if isinstance(trained.model, _kernel.NetworkModel):
        heads, dependents, labels, arc_offsets = trained.model.parse_arcs(values, offsets, threads)
        starts = np.repeat(offsets[:-1], np.diff(arc_offsets))
        by_word = heads_and_labels(starts, heads, dependents, labels, offsets)
        return _decoded_heads(trained, treebank, *by_word, threads)
    return _decoded_heads(trained, treebank, *trained.model.parse(values, offsets, threads), threads)


def heads_and_labels(
    starts: NDArray[np.int64], heads: Ids, dependents: Ids, labels: Ids, word_offsets: Offsets
) -> tuple[Ids, Ids]:
    """Return the head and the label of each word, -1 where no arc gives it one; `starts`: of each arc's sentence."""
    head_of = np.full(int(word_offsets[-1]), -1, np.int32)
    label_of = head_of.copy()
    places = starts + dependents - 1
    head_of[places] = heads
    label_of[places] = labels
    return head_of, label_of


def with_trees(trained: Trained, treebank: Treebank, heads: Ids, labels: Ids) -> Treebank:
    """Return a treebank with these heads and labels."""
    return treebank.replace(head=heads, deprel=treebank.pool.intern(list(trained.labels))[labels])


def decoded(trained: Trained, treebank: Treebank, found: Found, threads: int) -> tuple[Ids, Ids]:
    """Return the heads and labels of all analyses, for a treebank that has the sentence of each of them."""
    offsets = treebank.word_offsets
    if isinstance(trained.encoding, (Undirected, Composition)):
        links = Links(found.heads, found.dependents, found.labels, found.arc_offsets, offsets)
        return _decoded_links(trained, treebank, links, threads)
    return _decoded_heads(trained, treebank, *found.heads_and_labels(offsets), threads)


def _decoded_links(trained: Trained, treebank: Treebank, links: Links, threads: int) -> tuple[Ids, Ids]:
    heads, labels = cast(Undirected | Composition, trained.encoding).decode_links(links, threads=threads)
    return trained.policy.apply(treebank, heads, labels, np.ones(len(heads), bool))


def _decoded_heads(trained: Trained, treebank: Treebank, heads: Ids, labels: Ids, threads: int) -> tuple[Ids, Ids]:
    attached = heads >= 0
    heads = np.where(attached, heads, np.int32(0))
    labels = np.where(attached, labels, np.int32(trained.encoded_root))
    if trained.encoding is not None:
        encoding = cast(PseudoProjective, trained.encoding)
        heads, labels = encoding.decode_arrays(heads, labels, treebank.word_offsets, threads=threads)
    return trained.policy.apply(treebank, heads, labels, attached)
