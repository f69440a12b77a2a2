"""Graphs that need not be trees: precision, recall and F over arcs, labelled and unlabelled.

The arcs of CoNLL-U are those of DEPS, with those of empty nodes; a node of the system is that of the gold standard
whose word it is aligned with (an empty node: whose word before it is, with the same number there). Two arcs are the
same if they have the same head, dependent and, labelled, relation. O(arcs), next to nothing for words whose DEPS are
equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import CrossarcError
from ..treebank.sentence import EMPTY_NODE
from .score import Score

if TYPE_CHECKING:
    from ..structure import Graph
    from .pair import Pair, Rows, Side

#: A node: the row of its word and 0, or of the word before it and its number there; the root is ROOT.
Node = tuple[int, int]
LabelledArc = tuple[Node, Node, str]

_ROOT = -1
_BEFORE_FIRST = -10  # and less: empty nodes before the first word of a sentence


@dataclass(frozen=True)
class GraphScores:
    """Scores over arcs."""

    labelled: Score
    unlabelled: Score

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"labelled": self.labelled.to_dict(), "unlabelled": self.unlabelled.to_dict()}


def graph_scores(gold: Sequence[Graph], system: Sequence[Graph]) -> Score:
    """Score graphs without labels, sentence by sentence.

    >>> from crossarc import Graph
    >>> graph_scores([Graph(3, [(1, 2), (3, 2)])], [Graph(3, [(1, 2), (2, 3)])])
    Score(correct=1, gold=2, system=2, correct_system=None)
    """
    if len(gold) != len(system):
        raise CrossarcError(f"{len(system)} graphs of the system for {len(gold)} of the gold standard")
    pairs = [(set(one.arcs), set(other.arcs)) for one, other in zip(gold, system, strict=True)]
    counts = ((len(one & other), len(one), len(other)) for one, other in pairs)
    return Score(*(sum(column) for column in zip(*counts, strict=True))) if pairs else Score(0, 0, 0)


def has_graphs(side: Side) -> bool:
    """Whether there are arcs in DEPS."""
    return side.treebank.format == "conllu" and bool((side.treebank.column("deps") != 0).any())


def enhanced_scores(pair: Pair) -> GraphScores:
    """Score the arcs of DEPS."""
    ours, theirs = (side.column("deps") for side in (pair.gold, pair.system))
    # Words with equal DEPS have equal arcs; the others, and empty nodes, are looked at arc by arc.
    equal = (ours == theirs) if pair.same_words else np.zeros(0, bool)
    shared = [0, 0]
    rest: list[Rows] = [np.arange(pair.gold.words), np.arange(pair.system.words)]
    if pair.same_words:
        ids, counts = np.unique(ours[equal], return_counts=True)
        for text, count in zip(pair.pool.texts(ids), counts.tolist(), strict=True):
            arcs = _arcs(text)
            shared[0] += count * len(arcs)
            shared[1] += count * len({head for head, _ in arcs})
        rest = [np.flatnonzero(~equal)] * 2
    found = _labelled_arcs(pair, pair.gold, rest[0]), _labelled_arcs(pair, pair.system, rest[1])
    bare = [{(head, dependent) for head, dependent, _ in arcs} for arcs in found]
    return GraphScores(
        Score(*(shared[0] + number for number in (len(found[0] & found[1]), len(found[0]), len(found[1])))),
        Score(*(shared[1] + number for number in (len(bare[0] & bare[1]), len(bare[0]), len(bare[1])))),
    )


def _arcs(deps: str) -> set[tuple[tuple[int, int], str]]:
    """Decode a DEPS value: heads as (word, number of the empty node or 0), with relations."""
    found = set()
    for item in deps.split("|") if deps != "_" else ():
        head, _, relation = item.partition(":")
        word, _, number = head.partition(".")
        found.add(((int(word), int(number or 0)), relation))
    return found


def _labelled_arcs(pair: Pair, side: Side, rows: Rows) -> set[LabelledArc]:
    """The arcs into some words and into all empty nodes, in nodes of the gold standard."""
    numbers = np.arange(side.words, dtype=np.int64)
    row_of = (numbers if side is pair.gold else pair.gold_row_of(numbers)).tolist()

    def node(sentence: int, place: tuple[int, int]) -> Node:
        word, number = place
        if word:
            row = row_of[int(side.offsets[sentence]) + word - 1]
            # What is not aligned is a node of its own, which the gold standard does not have.
            return (row, number) if row >= 0 else (row, -1 - int(side.offsets[sentence]) - word)
        return (_BEFORE_FIRST - sentence, number) if number else (_ROOT, 0)

    cache: dict[int, set[tuple[tuple[int, int], str]]] = {}
    deps = side.column("deps")[rows].tolist()
    for id in set(deps):
        cache[id] = _arcs(pair.pool.text(id))
    arcs: set[LabelledArc] = set()
    starts = side.start[rows].tolist()
    for row, id, sentence, start in zip(rows.tolist(), deps, side.sentence[rows].tolist(), starts, strict=True):
        dependent = node(sentence, (row - start + 1, 0))
        arcs |= {(node(sentence, head), dependent, relation) for head, relation in cache[id]}
    for sentence, name, text in _empty_nodes(side):
        word, _, number = name.partition(".")
        dependent = node(sentence, (int(word), int(number)))
        arcs |= {(node(sentence, head), dependent, relation) for head, relation in _arcs(text)}
    return arcs


def _empty_nodes(side: Side) -> list[tuple[int, str, str]]:
    """All empty nodes: sentence, id and DEPS."""
    treebank = side.treebank
    places = np.flatnonzero(treebank.aside_kind == EMPTY_NODE)
    sentences = np.searchsorted(treebank.aside_offsets, places, side="right") - 1
    lines = (text.split("\t") for text in treebank.pool.texts(treebank.aside_text[places]))
    return [(sentence, line[0], line[8]) for sentence, line in zip(sentences.tolist(), lines, strict=True)]
