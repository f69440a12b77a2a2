"""Gold graphs as the oracles take them: the arcs of a sentence or of a treebank, with the labels of a system. O(n)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import _kernel
from ..._arrays import offsets_of, positions_of
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

    @classmethod
    def from_tree(cls, gold: GoldTree, system: Definition, root: str) -> GoldArcs:
        """Take the arcs of a sentence, a tree, a graph or a list of heads."""
        if isinstance(gold, Graph):
            return cls._from_graph(gold, system, root)
        forms = getattr(gold, "forms", None)
        names = getattr(gold, "deprels", None) or getattr(gold, "labels", None)
        given: Any = gold
        heads = tree_heads(getattr(given, "heads", given))
        labels = np.full(len(heads), -1, np.int32)
        if system.labels is not None:
            if names is None:
                raise TransitionError(f"{system.name} has labels: the tree needs them, too")
            labels, missing = _label_numbers(list(names), np.arange(len(heads)), heads, system, root)
            if missing is not None:
                raise TransitionError(f"word {missing + 1}: {system.name} has no label {names[missing]!r}")
        offsets = np.array([0, len(heads)], np.int64)
        return cls._without_root_arcs(heads, offsets, labels, root, None if forms is None else list(forms))

    @classmethod
    def from_treebank(cls, treebank: Treebank, system: Definition, root: str) -> GoldArcs:
        """Take the arcs of all sentences."""
        heads = np.ascontiguousarray(treebank.head)
        fault = _kernel.find_tree_fault(heads, treebank.word_offsets)
        if fault is not None:
            number, kind, words = fault
            sentence = treebank[number]
            raise_fault(kind, words, sentence.heads, lambda: sentence.place)
        labels = np.full(len(heads), -1, np.int32)
        if system.labels is not None:
            names, positions = treebank.distinct_texts("deprel")
            labels, missing = _label_numbers(names, positions, heads, system, root)
            if missing is not None:
                label = names[positions[missing]]
                raise TransitionError(f"{treebank.word_place(missing)}: {system.name} has no label {label!r}")
        return cls._without_root_arcs(heads, treebank.word_offsets, labels, root, None)

    @classmethod
    def _from_graph(cls, graph: Graph, system: Definition, root: str) -> GoldArcs:
        if system.labels is not None:
            raise TransitionError(f"{system.name} has labels, but a graph has none")
        if graph.first_node == 0 and root == "none":
            raise TransitionError('the graph has the artificial root: use root="first" or root="last"')
        heads, dependents = np.array(graph.arcs, np.int32).reshape(-1, 2).T.copy()
        if (dependents == 0).any():
            raise TransitionError("the artificial root has no head")
        offsets = np.array([0, len(heads)], np.int64)
        return cls(np.array([graph.words], np.int32), offsets, heads, dependents, np.full(len(heads), -1, np.int32))

    @classmethod
    def _without_root_arcs(
        cls, heads: Ids, offsets: NDArray[np.int64], labels: Ids, root: str, forms: list[str] | None
    ) -> GoldArcs:
        """Leave out the arcs from the artificial root if there is none."""
        kept = _kept(heads, root)
        lengths, arc_offsets = np.diff(offsets).astype(np.int32), offsets_of(kept)[offsets]
        return cls(lengths, arc_offsets, heads[kept], positions_of(offsets)[kept], labels[kept], forms)


def _kept(heads: Ids, root: str) -> NDArray[np.bool_]:
    return heads > 0 if root == "none" else np.ones(len(heads), bool)


def _label_numbers(
    names: list[str], positions: NDArray[np.int64], heads: Ids, system: Definition, root: str
) -> tuple[Ids, int | None]:
    """Return the number of the label of each word, whose name is at a position; and the first word that has none."""
    known = {label: number for number, label in enumerate(system.labels or ())}
    labels = np.array([known.get(name, -1) for name in names], np.int32)[positions]
    missing = np.flatnonzero((labels < 0) & _kept(heads, root))
    return labels, int(missing[0]) if len(missing) else None
