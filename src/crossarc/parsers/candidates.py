"""What a parser thinks of the arcs of a sentence: likely heads, labels, and the best tree after second thoughts.

A correction of one word says something about the others, which no score of a single arc knows. Who has such knowledge
changes the scores of the candidates here, and gets the best tree of the parser's class with them. O(words²), and its
decoding; probabilities take O(words³).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._arrays import Doubles, Flags, Floats, Ids
from .graph.trees import TREE_CLASSES

if TYPE_CHECKING:
    from ..decoders.matrices import Root

#: What heads lose that are no candidates.
_OTHERS = 8.0


class Candidates(NamedTuple):
    """The likely heads of the words of a sentence, a row for each word, best first, and the labels of these arcs.

    Scores are logarithms of probabilities: of heads, and of labels under a head. `arcs` are those of all heads,
    [head, word], and `readings` the same with each word hidden in turn; `uncrossed` and `crossed` say what is added
    where an arc is not crossed, or is, if that matters.
    """

    names: tuple[str, ...]
    heads: Ids
    head_scores: Doubles
    labels: Ids
    label_scores: Doubles
    arcs: Doubles
    readings: Floats
    uncrossed: Doubles | None
    crossed: Doubles | None
    trees: str
    root: Root
    #: The label that arcs from the root have, and no others; -1: any.
    root_label: int

    def best(self, scores: Doubles, heads: Ids, kept: Flags) -> tuple[Ids, Ids] | None:
        """Return heads and labels of the best tree in which words keep their heads; None where there is none.

        `scores`: of the labels under each head, of the words that are not kept in their order. Kept words get no label.
        """
        from ..decoders import DecodingError, best

        free = np.flatnonzero(~kept).astype(np.int32)
        allowed = self._allowed(free, scores)
        arcs = self._matrix(allowed.max(axis=-1), heads, kept)
        crossed = None if self.crossed is None else arcs + self.crossed
        uncrossed = arcs if self.uncrossed is None else arcs + self.uncrossed
        try:
            tree = best(uncrossed, TREE_CLASSES[self.trees], root=self.root, crossed=crossed).heads
        except DecodingError:
            return None
        return tree, self._best_labels(tree, free, allowed)

    def probabilities(self, scores: Doubles, heads: Ids, kept: Flags) -> Doubles:
        """Return how likely these heads are among all trees, of whatever class, in which words keep their heads."""
        from ..decoders import marginals

        of_heads = np.logaddexp.reduce(self._allowed(np.flatnonzero(~kept).astype(np.int32), scores), axis=-1)
        shares = marginals(self._matrix(of_heads, heads, kept), "unrestricted", root=self.root)
        likely: Doubles = shares[heads, np.arange(1, len(heads) + 1)]
        return np.clip(likely, 0.0, 1.0)

    def _matrix(self, of_heads: Doubles, heads: Ids, kept: Flags) -> Doubles:
        """Return scores of all arcs: of the candidates those that are given, and kept words have no others."""
        free = np.flatnonzero(~kept)
        arcs = np.full_like(self.arcs, -np.inf)
        arcs[heads[kept], np.flatnonzero(kept) + 1] = 0.0
        arcs[:, free + 1] = self.arcs[:, free + 1] - _OTHERS
        for choice in reversed(range(self.heads.shape[1])):  # of equal heads the first stays
            arcs[self.heads[free, choice], free + 1] = of_heads[:, choice]
        return arcs

    def _allowed(self, free: Ids, scores: Doubles) -> Doubles:
        """Return scores of which those are minus infinity that the label of roots forbids, if others are left."""
        if self.root_label < 0:
            return scores
        forbidden = (self.labels[free] == self.root_label) != (self.heads[free] == 0)[..., None]
        return np.where(forbidden & ~forbidden.all(axis=-1, keepdims=True), -np.inf, scores)

    def _best_labels(self, heads: Ids, free: Ids, scores: Doubles) -> Ids:
        """Return the best labels under these heads; under a head that is no candidate, those of the best one."""
        same = self.heads[free] == heads[free, None]
        choice = same.argmax(axis=1)
        rows = np.arange(len(free))
        labels = np.full(len(heads), -1, np.int32)
        labels[free] = self.labels[free, choice, scores[rows, choice].argmax(axis=-1)]
        if self.root_label >= 0:
            labels[free[heads[free] == 0]] = self.root_label
        return labels
