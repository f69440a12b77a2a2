"""The arcs of enhanced graphs as arrays, from DEPS and back to it.

Arcs join words, or the root, 0, with words. Several relations between the same two words are one arc here, whose label
joins them with `|`, which no relation contains. Arcs of empty nodes and from a word to itself are counted, no more.
O(arcs); each DEPS value is read once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import CrossarcError

if TYPE_CHECKING:
    from .treebank import Treebank

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]

_BETWEEN = "|"


@dataclass(frozen=True, eq=False)
class EnhancedArcs:
    """Arcs of all sentences of a treebank, in the order of their dependents."""

    word_offsets: Offsets
    #: The row of each arc's dependent in the treebank.
    rows: NDArray[np.int64]
    heads: Ids
    #: Ids into the pool of the treebank.
    labels: Ids
    #: Relations of words that are in no arc: to empty nodes, or to themselves.
    left_out: int = 0

    @property
    def offsets(self) -> Offsets:
        """Where the arcs of each sentence begin."""
        return np.searchsorted(self.rows, self.word_offsets).astype(np.int64)

    @property
    def starts(self) -> Offsets:
        """Of each arc the first row of its sentence."""
        return np.repeat(self.word_offsets[:-1], np.diff(self.offsets))

    @property
    def dependents(self) -> Ids:
        """The dependents as numbers of words."""
        return (self.rows - self.starts + 1).astype(np.int32)


def enhanced_arcs(treebank: Treebank) -> EnhancedArcs:
    """Return the arcs that DEPS has."""
    ids, value_of = np.unique(treebank.column("deps"), return_inverse=True)
    values = [_decoded(text) for text in treebank.pool.texts(ids.astype(np.int32))]
    counts = np.array([len(arcs) for arcs, _ in values], np.int64)
    left_out = np.array([others for _, others in values], np.int64)
    own = counts[value_of]
    rows = np.repeat(np.arange(treebank.words), own)
    places = np.arange(len(rows)) + np.repeat((np.cumsum(counts) - counts)[value_of] - (np.cumsum(own) - own), own)
    heads = np.array([head for arcs, _ in values for head in arcs], np.int64)[places]
    labels = treebank.pool.intern([label for arcs, _ in values for label in arcs.values()])[places]
    sentences = np.searchsorted(treebank.word_offsets, rows, side="right") - 1
    wrong = np.flatnonzero(heads > np.diff(treebank.word_offsets)[sentences])
    if len(wrong):
        place = treebank[int(sentences[wrong[0]])].place
        raise CrossarcError(f"{place}: DEPS names word {heads[wrong[0]]}, which there is not")
    proper = heads != rows - treebank.word_offsets[sentences] + 1
    total = int(left_out[value_of].sum()) + int((~proper).sum())
    return EnhancedArcs(treebank.word_offsets, rows[proper], heads[proper].astype(np.int32), labels[proper], total)


def with_enhanced_arcs(treebank: Treebank, arcs: EnhancedArcs) -> Treebank:
    """Return the treebank with DEPS that have these arcs and no others."""
    items: list[list[str]] = [[] for _ in range(treebank.words)]
    order = np.lexsort((arcs.heads, arcs.rows))
    labels = treebank.pool.texts(np.ascontiguousarray(arcs.labels[order]))
    for row, head, label in zip(arcs.rows[order].tolist(), arcs.heads[order].tolist(), labels, strict=True):
        items[row] += [f"{head}:{relation}" for relation in label.split(_BETWEEN)]
    return treebank.replace(deps=["|".join(own) or "_" for own in items])


def count_shared_relations(treebank: Treebank, one: EnhancedArcs, other: EnhancedArcs) -> tuple[int, int, int]:
    """Return how many relations two sets of arcs of a treebank have in common, and how many each has."""
    mine, theirs = (_relations(treebank, arcs) for arcs in (one, other))
    return len(np.intersect1d(mine, theirs)), len(mine), len(theirs)


def _relations(treebank: Treebank, arcs: EnhancedArcs) -> NDArray[np.int64]:
    """Return a number for each relation: the arc that it is of, and its name."""
    ids, label_of = np.unique(arcs.labels, return_inverse=True)
    names = [treebank.pool.intern(text.split(_BETWEEN)) for text in treebank.pool.texts(ids.astype(np.int32))]
    counts = np.array([len(own) for own in names], np.int64)[label_of]
    flat = np.array([name for label in label_of.tolist() for name in names[label]], np.int64)
    longest = int(np.diff(treebank.word_offsets).max(initial=0))
    pairs = arcs.rows * (longest + 1) + arcs.heads
    codes: NDArray[np.int64] = np.repeat(pairs, counts) * len(treebank.pool) + flat
    return codes


def _decoded(deps: str) -> tuple[dict[int, str], int]:
    """Return the label of each head, and how many relations there are to empty nodes."""
    relations: dict[int, list[str]] = {}
    left_out = 0
    for item in deps.split(_BETWEEN) if deps != "_" else ():
        head, _, relation = item.partition(":")
        if "." in head:
            left_out += 1
        else:
            relations.setdefault(int(head), []).append(relation)
    return {head: _BETWEEN.join(sorted(set(names))) for head, names in relations.items()}, left_out
