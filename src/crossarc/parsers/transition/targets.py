"""What a parser learns to build: the arcs of training data with numbered labels, and what goes back from them.

Trees come from HEAD and DEPREL and go through the encoding; graphs come from DEPS. O(words + arcs) beside the encoding
and the oracle, which says what the system cannot build.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...encodings import Encoding
from ...errors import ParserError
from ...training.loop import TrainingReport
from ...transitions import TransitionSystem, derive
from ...transitions.oracles import GoldArcs, gold_of_treebank
from ...treebank import MissingHeadsError, Treebank
from ..root_policy import RootPolicy
from .enhanced import builds_graphs, graph_arcs, graph_evaluation, graph_report
from .restoring import parse_arrays

if TYPE_CHECKING:
    from ...models.base import Model
    from .parser import Trained

Ids = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Target:
    """Arcs to be learnt, and what their labels stand for."""

    encoding: Encoding | None
    #: The labels of trees or graphs, and how many there are to be learnt: of encoded trees others.
    labels: tuple[str, ...]
    encoded_labels: int
    #: What an arc from the root is labelled, as a number, before anything is decoded.
    encoded_root: int
    policy: RootPolicy
    arcs: GoldArcs
    report: TrainingReport


def make_target(
    system: TransitionSystem,
    encoding: Encoding | None,
    treebank: Treebank,
    *,
    root: str | None,
    artificial_root: str,
    threads: int,
) -> Target:
    """Return what a system learns from training data."""
    if builds_graphs(system):
        return _graph_target(system, treebank, artificial_root, threads)
    _check_trees(treebank, "training")
    encoding = None if encoding is None else encoding.fit(treebank, threads=threads)
    encoded = treebank if encoding is None else encoding.encode(treebank, threads=threads)
    labels = tuple(treebank.inventory("deprel")) if encoding is None else encoding.labels
    encoded_labels = labels if encoding is None else encoding.encoded_labels
    label_of = numbered(encoded, encoded.deprel, encoded_labels)
    lost = derive(system, encoded, root=artificial_root, threads=threads).lost
    return Target(
        encoding,
        labels,
        len(encoded_labels),
        int(np.bincount(label_of[encoded.head == 0]).argmax()),
        RootPolicy.fit(treebank, numbered(treebank, treebank.deprel, labels), len(labels), root),
        replace(gold_of_treebank(encoded, system, "first"), labels=label_of),
        TrainingReport(len(encoded), encoded.words, len(lost), int(lost.sum())),
    )


def _graph_target(system: TransitionSystem, treebank: Treebank, artificial_root: str, threads: int) -> Target:
    found = graph_arcs(system, treebank, "training")
    if found.heads.all():
        raise ParserError(
            "no graph of the training data has a root: DEPS of one word at least should have an arc from 0"
        )
    # Not in the order of the pool, which may be another one each time that a file is read.
    labels = tuple(sorted(treebank.pool.texts(np.unique(found.labels).astype(np.int32))))
    label_of = numbered(treebank, found.labels, labels)
    policy = RootPolicy.fit_graphs(treebank, found, label_of, len(labels))
    words = np.diff(treebank.word_offsets).astype(np.int32)
    return Target(
        None,
        labels,
        len(labels),
        policy.root_label,
        policy,
        GoldArcs(words, found.offsets, found.heads, found.dependents, label_of),
        graph_report(system, treebank, found, artificial_root, threads),
    )


def make_evaluation(
    target: Target,
    system: TransitionSystem,
    dev: Treebank,
    values: NDArray[np.uint32],
    trained: Callable[[Model], Trained],
    threads: int,
) -> Callable[[Model], tuple[float, float]]:
    """Return what says how good a model is on development data: labelled and unlabelled, in percent."""
    if builds_graphs(system):
        return graph_evaluation(dev, graph_arcs(system, dev, "development"), values, trained, threads)
    gold = numbered(dev, dev.deprel, target.labels)

    def evaluate(model: Model) -> tuple[float, float]:
        heads, found = parse_arrays(trained(model), dev, values, threads)
        right = heads == dev.head
        return 100 * float((right & (found == gold)).mean()), 100 * float(right.mean())

    return evaluate


def check_development(system: TransitionSystem, treebank: Treebank) -> None:
    """Refuse development data that nothing can be compared with."""
    if builds_graphs(system):
        graph_arcs(system, treebank, "development")
    else:
        _check_trees(treebank, "development")


def _check_trees(treebank: Treebank, what: str) -> None:
    if not treebank.words:
        raise ParserError(f"the {what} data have no sentences")
    missing = np.flatnonzero(treebank.head < 0)
    if len(missing):
        sentence = int(np.searchsorted(treebank.word_offsets, missing[0], side="right")) - 1
        raise MissingHeadsError(f"{treebank[sentence].place} has no heads: {what} data need them")


def numbered(treebank: Treebank, ids: Ids, labels: Sequence[str]) -> Ids:
    """Return the places of texts of the pool among labels, -1 for one that is not there."""
    places = {label: place for place, label in enumerate(labels)}
    different, where = np.unique(ids, return_inverse=True)
    texts = treebank.pool.texts(different.astype(np.int32))
    return np.array([places.get(text, -1) for text in texts], np.int32)[where]
