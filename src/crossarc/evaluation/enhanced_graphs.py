"""Enhanced graphs, in which a word may have several heads: precision, recall and F over the arcs of DEPS.

Arcs of empty nodes count; a node of the system is that of the gold standard whose word it is aligned with (an empty
node: whose word before it is, with the same number there). Two arcs are the same if they have the same head, dependent
and, labelled, relation. O(arcs); words with equal DEPS are looked at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import CrossarcError
from ..structure import Graph
from ..treebank.sentence import EMPTY_NODE
from .attachment import PlainData, Score
from .pair import Pair, Side

#: A node: the row of its word and 0, or of the word before it and its number there; the root is (_ROOT, 0).
Node = tuple[int, int]
LabelledArc = tuple[Node, Node, str]

_ROOT = -1
_BEFORE_FIRST = -10  # and less: empty nodes before the first word of a sentence


@dataclass(frozen=True)
class GraphScores(PlainData):
    """Scores over the arcs of enhanced graphs."""

    labelled: Score
    unlabelled: Score


def graph_scores(gold: Sequence[Graph], system: Sequence[Graph]) -> Score:
    """Score enhanced graphs without labels, sentence by sentence.

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
    return _same_words(pair) if pair.same_words else _other_words(pair)


def _same_words(pair: Pair) -> GraphScores:
    """Score DEPS against DEPS, each pair of texts once: the nodes have the same names on both sides."""
    ours, theirs = (side.column("deps").astype(np.int64) for side in (pair.gold, pair.system))
    codes, counts = np.unique(ours * len(pair.pool) + theirs, return_counts=True)
    golds, systems = (pair.pool.texts(ids.astype(np.int32)) for ids in np.divmod(codes, len(pair.pool)))
    texts = list(zip(golds, systems, counts.tolist(), strict=True))
    empty_nodes = [{(one, name): deps for one, name, deps in _empty_nodes(side)} for side in (pair.gold, pair.system)]
    for node in empty_nodes[0].keys() | empty_nodes[1].keys():
        texts.append((empty_nodes[0].get(node, "_"), empty_nodes[1].get(node, "_"), 1))
    totals = np.zeros((2, 3), np.int64)
    for gold, system, count in texts:
        labelled = _arcs(gold), _arcs(system)
        unlabelled = tuple({head for head, _ in arcs} for arcs in labelled)
        totals += count * np.array([_overlap(*labelled), _overlap(*unlabelled)])
    return GraphScores(*(Score(*map(int, row)) for row in totals))


def _other_words(pair: Pair) -> GraphScores:
    labelled = _labelled_arcs(pair, pair.gold), _labelled_arcs(pair, pair.system)
    unlabelled = tuple({(head, dependent) for head, dependent, _ in arcs} for arcs in labelled)
    return GraphScores(Score(*_overlap(*labelled)), Score(*_overlap(*unlabelled)))


def _overlap(gold: set[Any], system: set[Any]) -> tuple[int, int, int]:
    return len(gold & system), len(gold), len(system)


def _arcs(deps: str) -> set[tuple[tuple[int, int], str]]:
    """Read a DEPS value: heads as (word, number of the empty node or 0), with relations."""
    found = set()
    for item in deps.split("|") if deps != "_" else ():
        head, _, relation = item.partition(":")
        word, _, number = head.partition(".")
        found.add(((int(word), int(number or 0)), relation))
    return found


def _labelled_arcs(pair: Pair, side: Side) -> set[LabelledArc]:
    """All arcs, in nodes of the gold standard."""
    numbers = np.arange(side.words, dtype=np.int64)
    row_of = (numbers if side is pair.gold else pair.gold_row_of(numbers)).tolist()
    starts = side.offsets.tolist()

    def node(sentence: int, place: tuple[int, int]) -> Node:
        word, number = place
        if word:
            row = row_of[starts[sentence] + word - 1]
            # What is not aligned is a node of its own, which the gold standard does not have.
            return (row, number) if row >= 0 else (row, -1 - starts[sentence] - word)
        return (_BEFORE_FIRST - sentence, number) if number else (_ROOT, 0)

    values = side.column("deps")
    arcs_of = {id: _arcs(pair.pool.text(id)) for id in np.unique(values).tolist()}
    dependents = [
        (sentence, (row - starts[sentence] + 1, 0), arcs_of[id])
        for row, (sentence, id) in enumerate(zip(side.sentence.tolist(), values.tolist(), strict=True))
    ]
    for sentence, name, text in _empty_nodes(side):
        word, _, number = name.partition(".")
        dependents.append((sentence, (int(word), int(number)), _arcs(text)))
    return {
        (node(sentence, head), node(sentence, place), relation)
        for sentence, place, arcs in dependents
        for head, relation in arcs
    }


def _empty_nodes(side: Side) -> list[tuple[int, str, str]]:
    """All empty nodes: sentence, id and DEPS."""
    treebank = side.treebank
    places = np.flatnonzero(treebank.aside_kind == EMPTY_NODE)
    sentences = np.searchsorted(treebank.aside_offsets, places, side="right") - 1
    lines = (text.split("\t") for text in treebank.pool.texts(treebank.aside_text[places]))
    return [(sentence, line[0], line[8]) for sentence, line in zip(sentences.tolist(), lines, strict=True)]
