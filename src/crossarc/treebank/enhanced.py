"""Enhanced graphs, the DEPS column: its pairs of head and relation, its arcs as arrays, and what follows a new head.

Arcs as arrays join words, or the root, 0, with words. Several relations between the same two words are one arc there,
whose label joins them with `|`, which no relation contains. Arcs of empty nodes and from a word to itself are only
counted. O(arcs); each DEPS value is read once.

When a word gets another head or relation, *the enhanced arc that mirrors the basic one follows it; all others stay.* An
item of DEPS mirrors the basic arc if its head is the old head and its relation is the old relation or a refinement of
it (`nmod:of` of `nmod`). It becomes the new head and the new relation, and the items are sorted by head again. `_`
stays `_`, and where nothing mirrors the basic arc, DEPS stays as it is. O(words).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .. import _kernel
from .._arrays import Ids, Offsets
from ..errors import CrossarcError

_BETWEEN = "|"


def deps_pairs(text: str) -> list[tuple[int | str, str]]:
    """Return the pairs of head and relation of a DEPS value; the head of an empty node is text such as "8.1"."""
    if text == "_":
        return []
    pairs = (item.partition(":") for item in text.split(_BETWEEN))
    return [(int(head) if head.isdigit() else head, relation) for head, _, relation in pairs]


@dataclass(frozen=True, eq=False)
class EnhancedArcs:
    """Arcs of all sentences of a treebank, in the order of their dependents."""

    word_offsets: Offsets
    #: The row of each arc's dependent in the treebank.
    rows: Offsets
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


def arcs_of_deps(
    pool: _kernel.StringPool, deps: Ids, word_offsets: Offsets, place: Callable[[int], str]
) -> EnhancedArcs:
    """Return the arcs of a DEPS column; `place` names a sentence in messages."""
    ids, value_of = np.unique(deps, return_inverse=True)
    values = [_relations_by_head(text) for text in pool.texts(ids.astype(np.int32))]
    counts = np.array([len(arcs) for arcs, _ in values], np.int64)
    left_out = np.array([others for _, others in values], np.int64)
    own = counts[value_of]
    rows = np.repeat(np.arange(len(deps)), own)
    places = np.arange(len(rows)) + np.repeat((np.cumsum(counts) - counts)[value_of] - (np.cumsum(own) - own), own)
    heads = np.array([head for arcs, _ in values for head in arcs], np.int64)[places]
    labels = pool.intern([label for arcs, _ in values for label in arcs.values()])[places]
    sentences = np.searchsorted(word_offsets, rows, side="right") - 1
    wrong = np.flatnonzero(heads > np.diff(word_offsets)[sentences])
    if len(wrong):
        where = place(int(sentences[wrong[0]]))
        raise CrossarcError(f"{where}: DEPS names word {heads[wrong[0]]}, but the sentence has no such word")
    proper = heads != rows - word_offsets[sentences] + 1
    total = int(left_out[value_of].sum()) + int((~proper).sum())
    return EnhancedArcs(word_offsets, rows[proper], heads[proper].astype(np.int32), labels[proper], total)


def deps_of_arcs(pool: _kernel.StringPool, arcs: EnhancedArcs) -> list[str]:
    """Return the DEPS column of these arcs and no others, as text."""
    items: list[list[str]] = [[] for _ in range(int(arcs.word_offsets[-1]))]
    order = np.lexsort((arcs.heads, arcs.rows))
    labels = pool.texts(np.ascontiguousarray(arcs.labels[order]))
    for row, head, label in zip(arcs.rows[order].tolist(), arcs.heads[order].tolist(), labels, strict=True):
        items[row] += [f"{head}:{relation}" for relation in label.split(_BETWEEN)]
    return [_BETWEEN.join(own) or "_" for own in items]


def count_shared_relations(pool: _kernel.StringPool, one: EnhancedArcs, other: EnhancedArcs) -> tuple[int, int, int]:
    """Return how many relations two sets of arcs of a treebank have in common, and how many each has."""
    mine, theirs = (_relations(pool, arcs) for arcs in (one, other))
    return len(np.intersect1d(mine, theirs)), len(mine), len(theirs)


def _relations(pool: _kernel.StringPool, arcs: EnhancedArcs) -> Offsets:
    """Return a number for each relation: the arc that it is of, and its name."""
    ids, label_of = np.unique(arcs.labels, return_inverse=True)
    names = [pool.intern(text.split(_BETWEEN)) for text in pool.texts(ids.astype(np.int32))]
    counts = np.array([len(own) for own in names], np.int64)[label_of]
    flat = np.array([name for label in label_of.tolist() for name in names[label]], np.int64)
    longest = int(np.diff(arcs.word_offsets).max(initial=0))
    pairs = arcs.rows * (longest + 1) + arcs.heads
    codes: Offsets = np.repeat(pairs, counts) * len(pool) + flat
    return codes


def _relations_by_head(deps: str) -> tuple[dict[int, str], int]:
    """Return the label of each head, and how many relations there are to empty nodes."""
    relations: dict[int, list[str]] = {}
    left_out = 0
    for head, relation in deps_pairs(deps):
        if isinstance(head, str):
            left_out += 1
        else:
            relations.setdefault(head, []).append(relation)
    return {head: _BETWEEN.join(sorted(set(names))) for head, names in relations.items()}, left_out


def followed_deps(
    pool: _kernel.StringPool, deps: Ids, old: tuple[Ids, Ids], new: tuple[Ids, Ids]
) -> tuple[Offsets, list[str]]:
    """Return the rows of the DEPS column that follow, and their texts, if (heads, relations) go from `old` to `new`."""
    changed = np.flatnonzero((deps != 0) & ((old[0] != new[0]) | (old[1] != new[1])))
    return changed, [
        _followed(text, (int(old[0][row]), before), (int(new[0][row]), after))
        for row, text, before, after in zip(
            changed,
            pool.texts(deps[changed]),
            pool.texts(old[1][changed]),
            pool.texts(new[1][changed]),
            strict=True,
        )
    ]


def _followed(deps: str, old: tuple[int, str], new: tuple[int, str]) -> str:
    items = deps.split(_BETWEEN)
    for place, item in enumerate(items):
        head, _, relation = item.partition(":")
        if head == str(old[0]) and (relation == old[1] or relation.startswith(old[1] + ":")):
            others = items[:place] + items[place + 1 :]
            if new[0] < 0:
                return _BETWEEN.join(others) or "_"
            return _BETWEEN.join(sorted({*others, f"{new[0]}:{new[1]}"}, key=_order))
    return deps


def _order(item: str) -> tuple[float, str]:
    head, _, relation = item.partition(":")
    major, _, minor = head.partition(".")
    return int(major) + int(minor or 0) / 1000, relation
