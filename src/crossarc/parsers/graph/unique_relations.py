"""Relations that a word has once at most: in Universal Dependencies one subject and one object.

Labels are chosen arc by arc, so that a verb may get two objects; the validation of Universal Dependencies refuses such
trees (too-many-subjects, too-many-objects). Where that happens, the labels of the dependents concerned are chosen
together: the most probable ones of which no two are subjects, nor two objects. The network reads these sentences, few
in a hundred, once more. Treebanks with other relations are left alone. O(words), and n² for n dependents concerned.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    rows = np.flatnonzero((groups[labels] != _OTHER) & (heads > 0))
    keys = np.sort(head_rows[rows] * 3 + groups[labels[rows]])
    concerned = different(keys[1:][keys[1:] == keys[:-1]] // 3)
    if not len(concerned):
        return labels
    sentences = different(sentence_of[concerned])
    words = np.flatnonzero(np.bincount(sentences, minlength=len(treebank))[sentence_of])
    scores = trained.model.label_scores(trained.definition.inputs(treebank[sentences]), heads[words], threads)
    changed = labels.copy()
    for head in concerned.tolist():
        dependents = rows[head_rows[rows] == head]
        taken = set(groups[labels[dependents[given[dependents]]]].tolist())
        free = dependents[~given[dependents]]
        of_labels = scores[np.searchsorted(words, free)].astype(np.float64)
        if trained.policy.kind == "single":
            of_labels[:, trained.policy.root_label] = -np.inf
        changed[free] = _chosen(of_labels, groups, taken)
    return changed


def _chosen(scores: Doubles, groups: Ids, taken: set[int]) -> Ids:
    """Return the best labels of words, of which no two are subjects, nor two objects, nor what is taken."""
    scores = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    of_group = [np.where(groups == group, scores, -np.inf) for group in (_OTHER, _SUBJECT, _OBJECT)]
    best = np.stack([each.max(axis=1) for each in of_group])
    # What a word gains as the subject, and as the object; the last one is that of none.
    gains = np.zeros((2, len(scores) + 1))
    gains[:, :-1] = best[[_SUBJECT, _OBJECT]] - best[_OTHER]
    gains[[group - 1 for group in taken], :-1] = -np.inf
    together = gains[0][:, None] + gains[1]
    np.fill_diagonal(together[:-1, :-1], -np.inf)
    subject, object_ = divmod(int(together.argmax()), len(gains[0]))
    labels: Ids = of_group[_OTHER].argmax(axis=1).astype(np.int32)
    for word, group in ((subject, _SUBJECT), (object_, _OBJECT)):
        if word < len(labels):
            labels[word] = of_group[group][word].argmax()
    return labels
