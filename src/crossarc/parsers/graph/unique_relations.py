"""Relations that a word has once at most: in Universal Dependencies one subject and one object.

Labels are chosen arc by arc, so that a verb may get two objects; the validation of Universal Dependencies refuses such
trees (too-many-subjects, too-many-objects). Where that happens, the labels of the dependents concerned are chosen
together: the most probable ones of which no two are subjects, nor two objects. The network reads these sentences, few
in a hundred, once more. Treebanks with other relations are left alone. O(words), and 3^n for n dependents concerned.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from ..._arrays import Doubles, Flags, Ids, different, items_of
from ...treebank import Treebank

if TYPE_CHECKING:
    from .trained import GraphTrained

#: Relations that must be known for labels to be those of Universal Dependencies.
_SIGNS = {"nsubj", "obj"}
#: What else than subjects and objects dependents may be: any of all other relations.
_OTHER, _SUBJECT, _OBJECT = range(3)
#: Subtypes of subjects that may stand beside another one: those of clauses around.
_OUTER = "outer"
#: Of more dependents concerned the first ones are looked at.
_MOST = 6


def groups_of(labels: Sequence[str]) -> Ids | None:
    """Return for each label whether it is that of subjects, of objects, or another; None if there is no such rule.

    >>> groups_of(["root", "nsubj", "nsubj:pass", "nsubj:outer", "csubj", "obj", "iobj"])
    array([0, 1, 1, 0, 1, 2, 0], dtype=int32)
    """
    if not set(labels) >= _SIGNS:
        return None
    return np.array([_group(label) for label in labels], np.int32)


def _group(label: str) -> int:
    relation, _, subtype = label.partition(":")
    if relation in ("nsubj", "csubj"):
        return _OTHER if subtype == _OUTER else _SUBJECT
    return _OBJECT if relation == "obj" else _OTHER


def with_unique_relations(
    trained: GraphTrained, treebank: Treebank, heads: Ids, labels: Ids, given: Flags, threads: int
) -> Ids:
    """Return the numbers of labels, changed where a word would have two subjects, or two objects.

    `given`: words whose labels are not to be changed.
    """
    groups = groups_of(trained.labels)
    if groups is None or not len(labels):
        return labels
    sentence_of = items_of(treebank.word_offsets)
    head_rows = treebank.word_offsets[sentence_of] + heads - 1
    places = np.flatnonzero((groups[labels] != _OTHER) & (heads > 0))
    keys = np.sort(head_rows[places] * 3 + groups[labels[places]])
    concerned = different(keys[1:][keys[1:] == keys[:-1]] // 3)
    if not len(concerned):
        return labels
    sentences = different(sentence_of[concerned])
    words = np.flatnonzero(np.bincount(sentences, minlength=len(treebank))[sentence_of])
    scores = trained.model.label_scores(trained.definition.inputs(treebank[sentences]), heads[words], threads)
    row_of = dict(zip(words.tolist(), range(len(words)), strict=True))
    changed = labels.copy()
    for head in concerned.tolist():
        dependents = places[head_rows[places] == head]
        taken = set(groups[labels[dependents[given[dependents]]]].tolist())
        free = dependents[~given[dependents]][:_MOST]
        own = scores[[row_of[place] for place in free.tolist()]].astype(np.float64)
        if trained.policy.kind == "single":
            own[:, trained.policy.root_label] = -np.inf
        changed[free] = _chosen(own, groups, taken)
    return changed


def _chosen(scores: Doubles, groups: Ids, taken: set[int]) -> Ids:
    """Return the best labels of words, of which no two are subjects, nor two objects, nor what is taken."""
    scores = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    of_group = [np.where(groups == group, scores, -np.inf) for group in (_OTHER, _SUBJECT, _OBJECT)]
    best = np.stack([each.max(axis=1) for each in of_group])
    allowed = (
        choice
        for choice in product(range(3), repeat=len(scores))
        if all(choice.count(group) <= (group not in taken) for group in (_SUBJECT, _OBJECT))
    )
    words = np.arange(len(scores))
    chosen = max(allowed, key=lambda choice: float(best[list(choice), words].sum()))
    labels: Ids = np.array([of_group[group][word].argmax() for word, group in enumerate(chosen)], np.int32)
    return labels
