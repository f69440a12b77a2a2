"""How many sentences and arcs of a treebank each structural class covers.

The rows of Table 1 of Gómez-Rodríguez & Nivre 2010, of Table 1 of Pitler, Kannan & Marcus 2013 and of Table 3 of Nivre
& Nilsson 2005, and the distributions behind them. Everything is a count, so the coverage of several files is the sum of
theirs. O(words) after `classify`. And sentences worth looking at: the shortest of each rare class, without what is in a
class before it where that would show the same thing twice. O(sentences log sentences).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import AnyArray, Flags, positions_of
from .batch import Classification, classify
from .planes import PlanarityBounds

if TYPE_CHECKING:
    from ..treebank import Treebank

#: The name of each class, and what it is.
RARE_CLASSES = {
    "planar_not_projective": "Planar but not projective: an arc covers a root",
    "not_planar": "Not planar: two planes are needed",
    "not_2_planar": "Not 2-planar: three planes or more are needed",
    "not_one_endpoint_crossing": "Not 1-endpoint-crossing: arcs that cross an arc share no endpoint (root arcs count)",
    "not_gap_minding": "Gap inherited: a child reaches into several blocks of its parent (not gap-minding)",
    "block_degree_3": "Block degree 3 or more: a subtree in three pieces",
    "ill_nested": "Ill-nested: two disjoint subtrees interleave",
}


@dataclass(frozen=True)
class Coverage:
    """Counts of sentences and arcs; two of them add up. Every word has one arc, so there are as many as words.

    Arcs from the artificial root count as in the papers: for 1-Endpoint-Crossing, unless the name says otherwise, but
    not for planarity and crossings. `gap_degree`, `planarity` and `crossings` are distributions over sentences, the
    others over arcs: `lifts` over those that are lifted at all, lengths and relations over those between two words.
    """

    sentences: int = 0
    words: int = 0
    root_arcs: int = 0
    nonprojective_sentences: int = 0
    nonprojective_arcs: int = 0
    crossing_arcs: int = 0
    not_planar: int = 0
    not_2_planar: int = 0
    not_3_planar: int = 0
    not_4_planar: int = 0
    ill_nested: int = 0
    one_endpoint_crossing: int = 0
    one_endpoint_crossing_without_root: int = 0
    well_nested_block_degree_2: int = 0
    gap_minding: int = 0
    projective: int = 0
    gap_degree: Counter[int] = field(default_factory=Counter)
    planarity: Counter[PlanarityBounds] = field(default_factory=Counter)
    crossings: Counter[int] = field(default_factory=Counter)
    lifts: Counter[int] = field(default_factory=Counter)
    crossing_arc_length: Counter[int] = field(default_factory=Counter)
    other_arc_length: Counter[int] = field(default_factory=Counter)
    relation_arcs: Counter[str] = field(default_factory=Counter)
    relation_crossing_arcs: Counter[str] = field(default_factory=Counter)
    #: Words in the sentences of the classes that some parser covers.
    words_in: Counter[str] = field(default_factory=Counter)

    @property
    def arcs(self) -> int:
        """The number of arcs, those from the artificial root included."""
        return self.words

    def k_planar(self, k: int) -> int:
        """Return the number of sentences that fit on k planes, as far as the budget of the search could tell."""
        return sum(count for bounds, count in self.planarity.items() if bounds.upper <= k)

    @property
    def undecided(self) -> int:
        """The number of sentences whose planarity is known only within bounds."""
        return sum(count for bounds, count in self.planarity.items() if not bounds.exact)

    def __add__(self, other: Coverage) -> Coverage:
        names = [item.name for item in fields(self)]
        return Coverage(**{name: getattr(self, name) + getattr(other, name) for name in names})

    @staticmethod
    def total(parts: list[Coverage]) -> Coverage:
        """Return the sum."""
        return reduce(add, parts, Coverage())

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, the keys of distributions as text; first the keys that stay as they are."""
        numbers = {item.name: getattr(self, item.name) for item in fields(self) if item.type == "int"}
        further = {name: numbers.pop(name) for name in ("root_arcs", "crossing_arcs")}
        return {
            **numbers,
            "gap_degree": _plain(self.gap_degree),
            "lifts": _plain(self.lifts),
            "arcs": self.arcs,
            **further,
            "planarity": _plain(self.planarity),
            "crossings": _plain(self.crossings),
            "arc_length": {"crossing": _plain(self.crossing_arc_length), "other": _plain(self.other_arc_length)},
            "relations": {
                name: {"arcs": arcs, "crossing": self.relation_crossing_arcs[name]}
                for name, arcs in sorted(self.relation_arcs.items(), key=lambda item: (-item[1], item[0]))
            },
        }


def coverage(treebank: Treebank, classes: Classification | None = None, *, threads: int = 0) -> Coverage:
    """Count the classes of a treebank; pass `classes` if it is classified already (without root arcs)."""
    classes = classify(treebank, threads=threads) if classes is None else classes
    between_words = treebank.head != 0
    crossing = classes.arc_crossings > 0
    covered = {
        "projective": ~classes.nonprojective,
        "planar": classes.planar,
        "2-planar": classes.k_planar(2),
        "3-planar": classes.k_planar(3),
        "1-endpoint-crossing": classes.one_endpoint_crossing,
    }
    lengths = np.diff(classes.word_offsets)
    arc_lengths = np.abs(positions_of(treebank.word_offsets) - treebank.head)
    return Coverage(
        sentences=len(classes),
        words=classes.words,
        root_arcs=_count(~between_words),
        nonprojective_sentences=_count(classes.nonprojective),
        nonprojective_arcs=_count(classes.arc_nonprojective),
        crossing_arcs=_count(crossing),
        not_planar=_count(~classes.planar),
        not_2_planar=_count(classes.not_k_planar(2)),
        not_3_planar=_count(classes.not_k_planar(3)),
        not_4_planar=_count(classes.not_k_planar(4)),
        ill_nested=_count(~classes.well_nested),
        one_endpoint_crossing=_count(classes.one_endpoint_crossing),
        one_endpoint_crossing_without_root=_count(classes.one_endpoint_crossing_without_root),
        well_nested_block_degree_2=_count(classes.well_nested_block_degree_2),
        gap_minding=_count(classes.gap_minding),
        projective=_count(~classes.nonprojective),
        gap_degree=_distribution(classes.gap_degree),
        planarity=_planarity(classes),
        crossings=_distribution(classes.crossings),
        lifts=_distribution(classes.arc_lifts[classes.arc_lifts > 0]),
        crossing_arc_length=_distribution(arc_lengths[between_words & crossing]),
        other_arc_length=_distribution(arc_lengths[between_words & ~crossing]),
        relation_arcs=_relations(treebank, between_words),
        relation_crossing_arcs=_relations(treebank, between_words & crossing),
        words_in=Counter({name: int(lengths[inside].sum()) for name, inside in covered.items()}),
    )


def percent(count: int, of: int, digits: int = 2) -> str:
    """Return a share in percent; it says none or all only if that is exact.

    >>> percent(1, 8), percent(1, 100_000), percent(99_999, 100_000)
    ('12.50 %', '<0.01 %', '>99.99 %')
    """
    if not of:
        return "–"
    least = 10.0**-digits
    share = 100 * count / of
    if count > 0 and share < least:
        return f"<{least:.{digits}f} %"
    if count < of and share > 100 - least:
        return f">{100 - least:.{digits}f} %"
    return f"{share:.{digits}f} %"


def rare_sentences(classes: Classification, most: int = 3) -> dict[str, list[int]]:
    """Return for each rare class up to `most` sentences, from 0, the shortest first."""
    lengths = np.diff(classes.word_offsets)
    members: dict[str, Flags] = {
        "planar_not_projective": classes.nonprojective & classes.planar,
        "not_planar": ~classes.planar & classes.k_planar(2),
        "not_2_planar": classes.not_k_planar(2),
        "not_one_endpoint_crossing": ~classes.one_endpoint_crossing,
        "not_gap_minding": classes.well_nested_block_degree_2 & ~classes.gap_minding,
        "block_degree_3": classes.gap_degree >= 2,
        "ill_nested": ~classes.well_nested,
    }
    chosen = {}
    for name in RARE_CLASSES:
        sentences = np.flatnonzero(members[name])
        chosen[name] = [int(sentence) for sentence in sentences[np.argsort(lengths[sentences], kind="stable")[:most]]]
    return chosen


def _count(flags: Flags) -> int:
    return int(np.count_nonzero(flags))


def _distribution(values: AnyArray) -> Counter[int]:
    unique, counts = np.unique(values, return_counts=True)
    return Counter(dict(zip(unique.tolist(), counts.tolist(), strict=True)))


def _planarity(classes: Classification) -> Counter[PlanarityBounds]:
    pairs = np.stack([classes.planarity_lower, classes.planarity_upper], axis=1)
    bounds, counts = np.unique(pairs, axis=0, return_counts=True)
    return Counter(
        {PlanarityBounds(*pair): count for pair, count in zip(bounds.tolist(), counts.tolist(), strict=True)}
    )


def _relations(treebank: Treebank, arcs: Flags) -> Counter[str]:
    ids, counts = np.unique(treebank.column("deprel")[arcs], return_counts=True)
    return Counter(dict(zip(treebank.pool.texts(ids), counts.tolist(), strict=True)))


def _plain(counts: Counter[Any]) -> dict[str, int]:
    return {str(value): counts[value] for value in sorted(counts)}
