"""Undirected attachment scores: arcs are right whichever end is called the head (2012, Section 6).

Scored before directions are restored, links say what a parser without directions got right by itself; the difference to
the scores of the trees is what reconstruction costs. Scored on trees, arcs count as links. The links of all sentences
are sorted once and looked up: O(words log words).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._arrays import Flags, Ids, Offsets
from ..encodings import Arcs
from ..errors import CrossarcError
from .attachment import Score


@dataclass(frozen=True)
class UndirectedAttachment:
    """Undirected attachment scores: over gold arcs into words that count, and all links of the system into them."""

    uas: Score
    las: Score

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"uas": self.uas.to_dict(), "las": self.las.to_dict()}


def undirected_attachment(
    gold: Arcs, system: Arcs, counted: ArrayLike | None = None, *, labels: ArrayLike | None = None
) -> UndirectedAttachment:
    """Score links, or arcs taken as links, against the arcs of gold trees over the same words.

    Labels of both are numbers of one list; `labels` gives for each label of the system the gold one that it stands for,
    as for labels with directions. `counted` says which words count, by default all: of a gold arc its dependent, of a
    link without direction its right word.

    >>> gold = Arcs.from_heads([2, 0, 2], [1, 0, 1], [0, 3])
    >>> found = undirected_attachment(gold, Arcs.from_heads([0, 1, 2], [0, 1, 2], [0, 3]))
    >>> found.uas.correct, found.las.correct
    (2, 1)
    """
    if not np.array_equal(gold.word_offsets, system.word_offsets):
        raise CrossarcError("undirected scores need the same sentences of the same numbers of words on both sides")
    words = np.ones(int(gold.word_offsets[-1]), bool) if counted is None else np.asarray(counted, bool)
    names = system.labels if labels is None else np.asarray(labels)[system.labels]
    keys = _keys(system)
    order = np.argsort(keys, kind="stable")
    wanted = _keys(gold)
    places = np.searchsorted(keys, wanted, sorter=order)
    nearest = order[np.minimum(places, max(len(keys) - 1, 0))] if len(keys) else np.zeros(len(wanted), np.int64)
    counts = words[_rows(gold)]
    linked = (keys[nearest] == wanted) & counts if len(keys) else np.zeros(len(wanted), bool)
    labelled = linked & (names[nearest] == gold.labels) if len(keys) else linked
    totals = int(np.count_nonzero(counts)), int(np.count_nonzero(words[_rows(system)]))
    return UndirectedAttachment(_score(linked, totals), _score(labelled, totals))


def _score(right: Flags, totals: tuple[int, int]) -> Score:
    return Score(int(np.count_nonzero(right)), *totals)


def _rows(arcs: Arcs) -> Offsets:
    """Return the row of the word that each arc leads to; of a link that is its right word."""
    return np.repeat(arcs.word_offsets[:-1], np.diff(arcs.offsets)) + arcs.dependents - 1


def _keys(arcs: Arcs) -> Offsets:
    """Return a number for each arc that is the same for the same two words, whichever is the head."""
    sentence = np.repeat(np.arange(len(arcs), dtype=np.int64), np.diff(arcs.offsets))
    nodes = int(np.diff(arcs.word_offsets).max(initial=0)) + 1
    left: Ids = np.minimum(arcs.heads, arcs.dependents)
    right: Ids = np.maximum(arcs.heads, arcs.dependents)
    keys: Offsets = (sentence * nodes + left) * nodes + right
    return keys
