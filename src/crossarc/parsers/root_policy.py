"""Valid trees from what a parser built: every word a head, and as many roots as the treebank allows.

With "single", the convention of Universal Dependencies, a sentence has one child of 0, labelled as roots were in
training. If a parser leaves several, the one that it attached to 0 itself stays, then the one whose part of speech is
most often a root, then the first; the others become its children, each with the most frequent label of its part of
speech. Where that would need more planes than the parser has, they become children of the nearest words to which their
arcs cross nothing, or another root stays; where there is no such tree, arcs are lifted until the tree is projective.
With "any" several may stay. O(words) in arrays; O(roots · words²) in trees that would leave their class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _kernel
from .._arrays import Doubles, Flags, Ids, Offsets
from ..errors import ParserError
from ..models.model_file import check_fields
from ..options import MOST_LABELS, Check, listed, named, number, one_of, plain, whole
from ..treebank import Treebank
from ..treebank.enhanced import EnhancedArcs

POLICIES = ("single", "any")
#: Roots · words² up to which attachments that cross nothing are looked for.
_MOST_WORK = 1 << 26


@dataclass(frozen=True)
class RootPolicy:
    """How many roots a sentence has, and what training data say about them."""

    kind: str
    #: The label of roots, as a number.
    root_label: int
    #: For each part of speech how often it is a root, and the label that it has most often when it is not.
    parts_of_speech: Mapping[str, tuple[float, int]]

    @classmethod
    def fit(cls, treebank: Treebank, labels: Ids, count: int, kind: str | None = None) -> RootPolicy:
        """Learn from a treebank whose labels are given as numbers below `count`; its roots say which kind, if not you.

        Without a kind, it is "single" if every sentence has one root.
        """
        roots = treebank.head == 0
        if kind is None:
            kind = "single" if (roots_by_sentence(treebank.head, treebank.word_offsets) == 1).all() else "any"
        check_root_policy(kind)
        return cls._of_arcs(treebank, np.arange(treebank.words), roots, labels, count, kind)

    @classmethod
    def fit_enhanced(cls, treebank: Treebank, arcs: EnhancedArcs, labels: Ids, count: int) -> RootPolicy:
        """Learn from enhanced graphs, which have any number of roots.

        If arcs from the root have one label, and no others have it, that is to stay so.
        """
        roots = arcs.heads == 0
        known = cls._of_arcs(treebank, arcs.rows, roots, labels, count, "any")
        kept = roots.any() and not roots.all() and ((labels == known.root_label) == roots).all()
        return known if kept else cls("any", known.root_label, {})

    @classmethod
    def _of_arcs(
        cls, treebank: Treebank, rows: Offsets, roots: Flags, labels: Ids, count: int, kind: str
    ) -> RootPolicy:
        """Learn from arcs into the words of these rows; `roots`: those from the root."""
        tags, tag_of_word = np.unique(treebank.column("upos"), return_inverse=True)
        tag_of = tag_of_word[rows]
        table = np.zeros((len(tags), count), np.int64)
        np.add.at(table, (tag_of[~roots], labels[~roots]), 1)
        words = np.bincount(tag_of_word, minlength=len(tags))
        shares = np.bincount(tag_of[roots], minlength=len(tags)) / np.maximum(words, 1)
        root_label = int(np.bincount(labels[roots], minlength=count).argmax())
        overall = table.sum(axis=0)
        table[table.sum(axis=1) == 0] = overall  # a part of speech that was only ever a root
        if kind == "single":
            table[:, root_label] = -1
        others = zip(treebank.pool.texts(tags.astype(np.int32)), shares.tolist(), table.argmax(axis=1), strict=True)
        return cls(kind, root_label, {tag: (share, int(label)) for tag, share, label in others})

    def apply(
        self, treebank: Treebank, heads: Ids, labels: Ids, attached: Flags, planes: int | None = None
    ) -> tuple[Ids, Ids]:
        """Return heads and labels that keep the policy, for trees; `attached`: words that the parser gave a head.

        `planes`: on how many the given trees can be drawn, and the new ones, too; None if on any number.
        """
        if self.kind == "any" or not len(heads):
            return heads, labels
        shares, fallback = self._of_words(treebank)
        given, heads, labels = heads, heads.copy(), labels.copy()
        roots = np.flatnonzero(heads == 0)
        sentence = np.searchsorted(treebank.word_offsets, roots, side="right") - 1
        order = np.lexsort((roots, -shares[roots], ~attached[roots], sentence))
        roots, sentence = roots[order], sentence[order]
        first = np.ones(len(roots), bool)
        first[1:] = sentence[1:] != sentence[:-1]
        kept = roots[first][np.cumsum(first) - 1]  # of the sentence of each root
        others = ~first
        heads[roots[others]] = kept[others] - treebank.word_offsets[sentence[others]] + 1
        if planes is not None:
            for outside in _needing_more_planes(heads, treebank.word_offsets, np.unique(sentence[others]), planes):
                start, end = treebank.word_offsets[outside : outside + 2]
                preferred = roots[sentence == outside] - start + 1
                within = _without_crossings(given[start:end], preferred)
                heads[start:end] = _projective(heads[start:end]) if within is None else within
        wrong = (heads != 0) & (labels == self.root_label)
        labels[wrong] = fallback[wrong]
        labels[heads == 0] = self.root_label
        return heads, labels

    def relabelled(self, treebank: Treebank, rows: Offsets, heads: Ids, labels: Ids) -> Ids:
        """Return labels of the arcs of enhanced graphs, with that of roots on arcs from the root and on no others."""
        if not self.parts_of_speech:
            return labels
        _, fallback = self._of_words(treebank)
        others = np.where(labels == self.root_label, fallback[rows], labels)
        return np.where(heads == 0, np.int32(self.root_label), others)

    def _of_words(self, treebank: Treebank) -> tuple[Doubles, Ids]:
        tags, tag_of = np.unique(treebank.column("upos"), return_inverse=True)
        usual = max(self.parts_of_speech.values())  # for a part of speech that training did not have
        known = [self.parts_of_speech.get(tag, usual) for tag in treebank.pool.texts(tags.astype(np.int32))]
        shares = np.array([share for share, _ in known], np.float64)
        fallback = np.array([label for _, label in known], np.int32)
        return shares[tag_of], fallback[tag_of]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        parts = {tag: list(known) for tag, known in self.parts_of_speech.items()}
        return {"kind": self.kind, "root_label": self.root_label, "parts_of_speech": parts}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], labels: Sequence[str]) -> RootPolicy:
        """Make the policy again from what `to_dict` gave, for these labels."""
        check_policy("root_policy", data)
        parts = {tag: (float(share), int(label)) for tag, (share, label) in data["parts_of_speech"].items()}
        policy = cls(data["kind"], data["root_label"], parts)
        if not parts and policy.kind != "any":
            raise ParserError("the root policy of the model knows no parts of speech")
        numbers = [policy.root_label, *(label for _, label in parts.values())]
        if not all(0 <= number < len(labels) for number in numbers):
            raise ParserError(f"the root policy of the model has other labels than the {len(labels)} of the model")
        return policy


def _needing_more_planes(heads: Ids, word_offsets: Offsets, sentences: Offsets, planes: int) -> Offsets:
    """Return those of some sentences whose trees may need more planes."""
    from ..structure.planes import BUDGET

    lengths = np.diff(word_offsets)[sentences]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    rows = np.arange(offsets[-1]) + np.repeat(word_offsets[sentences] - offsets[:-1], lengths)
    classes, _ = _kernel.classify(heads[rows], offsets, False, True, False, BUDGET, 1)
    needed: Ids = classes["planarity_upper"]
    return sentences[needed > planes]


def _without_crossings(heads: Ids, roots: Offsets) -> Ids | None:
    """Return a tree with one root, the first of `roots` that allows it, in which arcs into the others cross nothing.

    Each of the others gets the root that stays for its head, else the nearest word; None if there is no such tree.
    """
    words = np.arange(1, len(heads) + 1)
    if len(roots) * len(heads) ** 2 > _MOST_WORK:
        return None
    tree_of = _roots_of_words(heads)
    for kept in roots.tolist():
        attached, tree = heads.copy(), tree_of.copy()
        waiting = [root for root in roots.tolist() if root != kept]
        while waiting:
            for root in waiting:
                others = words[tree != tree[root - 1]]
                free = others[~_crosses(attached, others, root)]
                if len(free):
                    head = kept if kept in free else int(free[np.argmin(np.abs(free - root))])
                    attached[root - 1] = head
                    tree[tree == tree[root - 1]] = tree[head - 1]
                    waiting.remove(root)
                    break
            else:
                break
        if not waiting:
            return attached
    return None


def _roots_of_words(heads: Ids) -> Ids:
    """Return the root of the tree of each word."""
    above = np.concatenate([[0], np.where(heads == 0, np.arange(1, len(heads) + 1), heads)])
    while (above[above] != above).any():
        above = above[above]
    return above[1:].astype(np.int32)


def _crosses(heads: Ids, ends: Offsets, root: int) -> Flags:
    """Return of each arc between a root and one of `ends` whether it crosses an arc between words."""
    dependents = np.flatnonzero(heads) + 1
    left, right = np.minimum(heads[dependents - 1], dependents), np.maximum(heads[dependents - 1], dependents)
    low, high = np.minimum(ends, root)[:, np.newaxis], np.maximum(ends, root)[:, np.newaxis]
    from_left, from_right = (left < low) & (low < right) & (right < high), (low < left) & (left < high) & (high < right)
    crossing: Flags = np.any(from_left | from_right, axis=1)
    return crossing


def _projective(heads: Ids) -> Ids:
    """Return a tree whose arcs are lifted until it is projective."""
    offsets = np.array([0, len(heads)])
    return _kernel.lift(heads, offsets, _kernel.LiftOrder.shortest, _kernel.CoveredRoots.none, 1)[0]


def check_policy(name: str, value: Any) -> None:
    """Refuse what is no root policy in a model file."""
    known: dict[str, Check] = {
        "kind": one_of(*POLICIES),
        "root_label": whole(0, MOST_LABELS),
        "parts_of_speech": named(_part, 1_000_000),
    }
    check_fields(name, value, known)


def _part(name: str, value: Any) -> None:
    """Refuse what is not, of a part of speech, how often it is a root and the number of a label."""
    listed(plain, 2, 2)(name, value)
    number(0, 1)(f"{name}[0]", value[0])
    whole(0, MOST_LABELS)(f"{name}[1]", value[1])


def check_root_policy(kind: str) -> None:
    """Refuse a root policy that does not exist."""
    if kind not in POLICIES:
        raise ParserError(f"the root policy is one of {', '.join(POLICIES)}, not {kind!r}")


def roots_by_sentence(heads: Ids, word_offsets: Offsets) -> Offsets:
    """Return how many roots each sentence has."""
    before = np.concatenate([[0], np.cumsum(heads == 0)])
    return np.diff(before[word_offsets])
