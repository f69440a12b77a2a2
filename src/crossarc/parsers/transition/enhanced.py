"""Enhanced graphs in place of trees: systems that give words several heads learn the arcs of DEPS and write them there.

The arcs of empty nodes are not learnt, and no system builds them. Every word that comes out is reached from the root:
where the transitions leave words without a head, or in a circle that nothing leads to, arcs from the root are added.
O(arcs) beside the search.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..._arrays import Ids, Offsets
from ...errors import ParserError
from ...models.base import SentenceInputs, TransitionModel
from ...training.report import TrainingReport
from ...transitions import TransitionSystem
from ...transitions.oracles import GoldArcs, OracleSupport, derive_arcs
from ...treebank import Treebank
from ...treebank.enhanced import EnhancedArcs, count_shared_relations
from .restoring import TransitionTrained


def builds_enhanced_graphs(system: TransitionSystem) -> bool:
    """Whether a system may give a word several heads, or close a circle."""
    support = OracleSupport.from_system(system)
    return not system.is_undirected and not (support.single_head and support.acyclic)


def required_arcs(system: TransitionSystem, treebank: Treebank, what: str) -> EnhancedArcs:
    """Return the arcs in DEPS of data to learn from or to compare with; sentences without any are refused."""
    if not treebank.words:
        raise ParserError(f"the {what} data have no sentences")
    arcs = None if treebank.format != "conllu" else treebank.enhanced_arcs()
    lengths = np.zeros(len(treebank), np.int64) if arcs is None else np.diff(arcs.offsets)
    if arcs is None or not lengths.all():
        raise ParserError(
            f"{treebank[int(np.argmin(lengths))].place} has no arcs in DEPS: {system.name} builds graphs, and {what} "
            "data need them there; for trees take 2-planar, arc-eager or another system that builds trees"
        )
    return arcs


def report_of_arcs(
    system: TransitionSystem, treebank: Treebank, arcs: EnhancedArcs, artificial_root: str, threads: int
) -> TrainingReport:
    """Say how many arcs there are to learn, and how many of them the system cannot build."""
    kept = (arcs.heads > 0) | (artificial_root != "none")
    learnt = replace(arcs, rows=arcs.rows[kept], heads=arcs.heads[kept], labels=arcs.labels[kept])
    words = np.diff(treebank.word_offsets).astype(np.int32)
    unlabelled = np.full(len(learnt.heads), -1, np.int32)
    gold = GoldArcs(words, learnt.offsets, learnt.heads, learnt.dependents, unlabelled)
    lost = derive_arcs(system, gold, root=artificial_root, threads=threads).lost
    return TrainingReport(len(treebank), treebank.words, len(lost), int(lost.sum()), arcs.left_out, "F1")


def parse_enhanced(
    trained: TransitionTrained, treebank: Treebank, inputs: SentenceInputs, threads: int
) -> EnhancedArcs:
    """Return the arcs of DEPS that a trained parser finds."""
    built = trained.built(inputs, threads)
    offsets = treebank.word_offsets
    rows = np.repeat(offsets[:-1], np.diff(built.offsets)) + built.dependents - 1
    missing = _unreached(offsets, rows, built.heads)
    rows = np.concatenate([rows, missing])
    heads = np.concatenate([built.heads, np.zeros(len(missing), np.int32)])
    labels = np.concatenate([built.labels, np.full(len(missing), trained.encoded_root, np.int32)])
    labels = trained.policy.relabelled(treebank, rows, heads, labels)
    order = np.argsort(rows, kind="stable")
    ids = treebank.pool.intern(list(trained.labels))
    return EnhancedArcs(offsets, rows[order], heads[order], ids[labels[order]])


def enhanced_evaluation(
    dev: Treebank, gold: EnhancedArcs, parse: Callable[[TransitionModel], EnhancedArcs]
) -> Callable[[TransitionModel], tuple[float, float]]:
    """Return a function that gives labelled and unlabelled F1 of a model over the relations of DEPS, from 0 to 1."""

    def bare(arcs: EnhancedArcs) -> EnhancedArcs:
        return replace(arcs, labels=np.zeros_like(arcs.labels))

    def f1(one: EnhancedArcs, other: EnhancedArcs) -> float:
        shared, mine, theirs = count_shared_relations(dev.pool, one, other)
        return 2 * shared / (mine + theirs + gold.left_out)

    def evaluate(model: TransitionModel) -> tuple[float, float]:
        found = parse(model)
        return f1(gold, found), f1(bare(gold), bare(found))

    return evaluate


def _unreached(word_offsets: Offsets, rows: Offsets, heads: Ids) -> Offsets:
    """Return words to which arcs from the root are needed, so that it leads to all: those without heads, then the
    first of each sentence that is still not reached, until all are."""
    words = int(word_offsets[-1])
    inner = heads > 0
    sentence_of = np.searchsorted(word_offsets, rows[inner], side="right") - 1
    above, below = word_offsets[sentence_of] + heads[inner] - 1, rows[inner]
    added = np.ones(words, bool)
    added[rows] = False
    reached = added.copy()
    reached[rows[~inner]] = True
    while True:
        waiting = reached[above] & ~reached[below]
        if waiting.any():
            reached[below[waiting]] = True
            continue
        left = np.flatnonzero(~reached)
        if not len(left):
            return np.flatnonzero(added)
        _, first = np.unique(np.searchsorted(word_offsets, left, side="right"), return_index=True)
        added[left[first]] = reached[left[first]] = True
