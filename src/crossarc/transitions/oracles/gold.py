"""Gold graphs as the oracles take them: the arcs of a sentence or of a treebank, with the labels of a system. O(n)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import TransitionError
from ...structure.graph import Graph
from ...structure.heads import raise_fault, tree_heads

if TYPE_CHECKING:
    from ...tree import Tree
    from ...treebank import Sentence, Treebank
    from ..algebra.transition import Definition

    #: What an oracle can be asked to build.
    GoldTree = Tree | Sentence | Graph | ArrayLike

Ids = NDArray[np.int32]


@dataclass(frozen=True)
class GoldArcs:
    """Arcs of sentences one after the other; those of sentence i are from arc_offsets[i] on."""

    words: Ids
    arc_offsets: NDArray[np.int64]
    heads: Ids
    dependents: Ids
    labels: Ids
    forms: Sequence[str] | None = None

    def arc(self, number: int) -> tuple[int, int]:
        """Return an arc (head, dependent)."""
        return int(self.heads[number]), int(self.dependents[number])


def gold_of(gold: GoldTree, system: Definition, root: str) -> GoldArcs:
    """Return the arcs of a sentence, a tree, a graph or a list of heads."""
    if isinstance(gold, Graph):
        return _of_graph(gold, system, root)
    forms = getattr(gold, "forms", None)
    labels = getattr(gold, "deprels", None) or getattr(gold, "labels", None)
    given: Any = gold
    heads = tree_heads(getattr(given, "heads", given))
    numbers = np.full(len(heads), -1, np.int32)
    if system.labels is not None:
        if labels is None:
            raise TransitionError(f"{system.name} has labels: the tree needs them, too")
        numbers = _label_numbers(list(labels), system, np.ones(len(heads), bool) if root != "none" else heads > 0)
    offsets = np.array([0, len(heads)], np.int64)
    return _without_root_arcs(heads, offsets, numbers, root, None if forms is None else list(forms))


def gold_of_treebank(treebank: Treebank, system: Definition, root: str) -> GoldArcs:
    """Return the arcs of all sentences."""
    from ... import _kernel

    heads = np.ascontiguousarray(treebank.head)
    fault = _kernel.find_tree_fault(heads, treebank.word_offsets)
    if fault is not None:
        sentence, kind, words = fault
        place = treebank[sentence].place
        raise_fault(kind, words, treebank[sentence].heads, lambda: place)
    labels = np.full(len(heads), -1, np.int32)
    if system.labels is not None:
        known = {label: number for number, label in enumerate(system.labels)}
        needed = heads > 0 if root == "none" else np.ones(len(heads), bool)
        ids, places = np.unique(treebank.deprel.ids, return_inverse=True)
        names = treebank.pool.texts(np.ascontiguousarray(ids, np.int32))
        labels = np.array([known.get(name, -1) for name in names], np.int32)[places]
        missing = np.flatnonzero((labels < 0) & needed)
        if len(missing):
            sentence = int(np.searchsorted(treebank.word_offsets, missing[0], side="right")) - 1
            word = int(missing[0] - treebank.word_offsets[sentence]) + 1
            raise TransitionError(
                f"{treebank[sentence].place}, word {word}: {system.name} has no label {names[places[missing[0]]]!r}"
            )
    return _without_root_arcs(heads, treebank.word_offsets, np.ascontiguousarray(labels, np.int32), root, None)


def _of_graph(graph: Graph, system: Definition, root: str) -> GoldArcs:
    if system.labels is not None:
        raise TransitionError(f"{system.name} has labels, but a graph has none")
    if graph.first_node == 0 and root == "none":
        raise TransitionError('the graph has the artificial root: use root="first" or root="last"')
    arcs = graph.arcs
    if any(dependent == 0 for _, dependent in arcs):
        raise TransitionError("the artificial root has no head")
    heads = np.array([head for head, _ in arcs], np.int32)
    dependents = np.array([dependent for _, dependent in arcs], np.int32)
    offsets = np.array([0, len(arcs)], np.int64)
    return GoldArcs(np.array([graph.words], np.int32), offsets, heads, dependents, np.full(len(arcs), -1, np.int32))


def _label_numbers(labels: list[str], system: Definition, needed: NDArray[np.bool_]) -> Ids:
    assert system.labels is not None
    known = {label: number for number, label in enumerate(system.labels)}
    for word, label in enumerate(labels, start=1):
        if needed[word - 1] and label not in known:
            raise TransitionError(f"word {word}: {system.name} has no label {label!r}")
    return np.array([known.get(label, -1) for label in labels], np.int32)


def _without_root_arcs(
    heads: Ids, offsets: NDArray[np.int64], labels: Ids, root: str, forms: list[str] | None
) -> GoldArcs:
    """Leave out the arcs from the artificial root if there is none."""
    lengths = np.diff(offsets)
    dependents = (np.arange(len(heads)) - np.repeat(offsets[:-1], lengths) + 1).astype(np.int32)
    kept = heads > 0 if root == "none" else np.ones(len(heads), bool)
    arc_offsets = np.concatenate([[0], np.cumsum(kept)])[offsets].astype(np.int64)
    return GoldArcs(lengths.astype(np.int32), arc_offsets, heads[kept], dependents[kept], labels[kept], forms)
