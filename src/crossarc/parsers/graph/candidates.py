"""Likely heads and labels of a sentence, as the network of a graph parser sees them, with words hidden, too.

The network reads the sentence once for each candidate head of a word, since labels are scored by arc, and once for each
word that is hidden: arcs that change together then do so for the same reason. Some forty readings of a sentence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..._arrays import Doubles, Floats, Ids
from ...treebank import Treebank
from ..candidates import Candidates

if TYPE_CHECKING:
    from .trained import GraphTrained

#: What scores are at least.
_LEAST = -12.0
#: What stands for a hidden word, and how often a sentence is read with some: in longer ones, several at once.
_HIDDEN, _MOST_READINGS = "\ufffd", 32


def candidates_of(trained: GraphTrained, sentence: Treebank, heads: int, labels: int, threads: int) -> Candidates:
    """Return the candidates of a treebank of one sentence."""
    arcs, uncrossed, crossed = _arcs(trained, sentence, threads)
    order = np.argsort(-arcs[:, 1:], axis=0, kind="stable")[:heads].T.astype(np.int32)
    head_scores = np.take_along_axis(arcs[:, 1:].T, order, axis=1)
    order = np.where(np.isneginf(head_scores), order[:, :1], order)  # a short sentence has fewer heads
    of_labels = _label_scores(trained, sentence, order, threads)
    likely = np.argsort(-of_labels, axis=2, kind="stable")[:, :, :labels].astype(np.int32)
    single = trained.policy.kind == "single"
    return Candidates(
        trained.labels,
        order,
        np.maximum(head_scores, _LEAST),
        likely,
        np.maximum(np.take_along_axis(of_labels, likely, axis=2), _LEAST),
        arcs,
        _readings(trained, sentence, threads),
        uncrossed,
        crossed,
        trained.trees,
        "single" if single else "any",
        trained.policy.root_label if single else -1,
    )


def _arcs(trained: GraphTrained, sentence: Treebank, threads: int) -> tuple[Doubles, Doubles | None, Doubles | None]:
    """Return the scores of all arcs, and what they gain where they are not crossed, and where they are."""
    shape = (sentence.words + 1, sentence.words + 1)
    scores, of_crossed = trained.model.joint_scores(trained.definition.inputs(sentence), threads)
    uncrossed = scores.reshape(shape).astype(np.float64)
    crossed = None if of_crossed is None else of_crossed.reshape(shape).astype(np.float64)
    arcs = uncrossed.copy() if crossed is None else np.logaddexp(uncrossed, crossed)
    arcs[:, 0] = -np.inf
    np.fill_diagonal(arcs, -np.inf)
    if crossed is None or trained.trees != "1-endpoint-crossing":
        return arcs, None, None
    possible = np.isfinite(arcs)
    weight, penalty = trained.crossing
    gains = [weight * np.subtract(each, arcs, out=np.zeros(shape), where=possible) for each in (uncrossed, crossed)]
    return arcs, gains[0], gains[1] - penalty


def _label_scores(trained: GraphTrained, sentence: Treebank, heads: Ids, threads: int) -> Doubles:
    """Return the logarithms of the probabilities of all labels under each of some heads of each word."""
    copies = sentence[np.zeros(heads.shape[1], np.int64)]
    flat = np.ascontiguousarray(heads.T).reshape(-1)
    scores = trained.model.label_scores(trained.definition.inputs(copies), flat, threads).astype(np.float64)
    scores -= np.logaddexp.reduce(scores, axis=1, keepdims=True)
    return scores.reshape(heads.shape[1], sentence.words, -1).transpose(1, 0, 2)


def _readings(trained: GraphTrained, sentence: Treebank, threads: int) -> Floats:
    """Return the scores of all arcs with each word hidden in turn."""
    words = sentence.words
    count = min(words, _MOST_READINGS)
    hidden = np.arange(words) % count == np.arange(count)[:, None]
    copies = sentence[np.zeros(count, np.int64)]
    forms = np.where(hidden.reshape(-1), _HIDDEN, np.array(copies.texts("form"), object))
    inputs = trained.definition.inputs(copies.replace(form=forms.tolist()))
    return trained.model.arc_scores(inputs, threads).reshape(count, words + 1, words + 1)
