"""The best analyses of sentences with their scores: of each analysis, and of each of its arcs.

Parsers that search give them, as a treebank with every analysis and as lists of trees. O(words of the analyses).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .._arrays import Doubles, Flags, Floats, Ids, Offsets
from ..errors import ParserError
from ..tree import Tree
from ..treebank import Treebank

_KEYS = ("Probability", "Score", "Margin")
#: Among what a probability is one: all heads of a word, or all trees of a sentence.
_AMONG = ("head", "tree")


class ScoredTree(NamedTuple):
    """A tree and the sum of the scores of the transitions that built it."""

    tree: Tree
    score: float


@dataclass(frozen=True, eq=False, repr=False)
class Analyses:
    """The best analyses of sentences. As a sequence: for each sentence a list of `ScoredTree`, best first.

    Scores compare analyses of the same sentence by the same model; those of graph parsers are logarithms of
    probabilities.
    """

    #: The analyses of every sentence one after the other, best first; those of sentence i begin at `offsets[i]`.
    treebank: Treebank
    offsets: Offsets
    #: Of each analysis.
    totals: Doubles
    #: For each word of `treebank`: the score of the transition that built its arc, and how much better that was than
    #: the best other one (in a beam it may be worse; infinite if there was no other). NaN if none built the arc, as
    #: for a root that was just left over.
    scores: Floats
    margins: Floats
    #: Whether the scores of words are logarithms of the probabilities of their heads.
    probabilities: bool = False
    #: Finds the probabilities of arcs over all trees of the class, NaN where that would take long; None if the model
    #: does not give trees probabilities.
    marginals: Callable[[], Doubles] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> list[ScoredTree]:
        if not -len(self) <= index < len(self):
            raise IndexError(f"no sentence at {index}: there are {len(self)}")
        index %= len(self)
        own = range(int(self.offsets[index]), int(self.offsets[index + 1]))
        return [ScoredTree(self.treebank[analysis].tree, float(self.totals[analysis])) for analysis in own]

    def __iter__(self) -> Iterator[list[ScoredTree]]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"<Analyses of {len(self):,} sentences: {len(self.totals):,} trees>"

    def with_ranks(self) -> Analyses:
        """Put the rank and the score of each analysis into comments. CoNLL-X has none."""
        if self.treebank.format != "conllu":
            raise ParserError("CoNLL-X has no comments for ranks and scores: convert the sentences to CoNLL-U first")
        ranks = np.arange(len(self.totals)) - np.repeat(self.offsets[:-1], np.diff(self.offsets)) + 1
        comments = [
            (f"# crossarc_rank = {rank}", f"# crossarc_score = {total:.10g}")
            for rank, total in zip(ranks.tolist(), self.totals.tolist(), strict=True)
        ]
        return replace(self, treebank=self.treebank.with_comments(comments))

    def with_scores(self) -> Analyses:
        """Put the score and the margin of each arc into MISC, as Score= and Margin=. CoNLL-X has no such column.

        Where scores are logarithms of probabilities, there is Probability=, too: that of the head among all heads of
        its word, or, with `marginals`, among all trees of the class. A comment says which, "head" or "tree".
        """
        if self.treebank.format != "conllu":
            raise ParserError("CoNLL-X has no MISC column for scores: convert the sentences to CoNLL-U first")
        likely = np.exp(np.minimum(self.scores, 0)) if self.probabilities else np.full(len(self.scores), np.nan)
        marginals = np.full(len(likely), np.nan) if self.marginals is None else self.marginals()
        values = np.stack([np.where(np.isnan(marginals), likely, marginals), self.scores, self.margins], axis=1)
        misc = [_scored(text, own) for text, own in zip(self.treebank.texts("misc"), values.tolist(), strict=True)]
        treebank = self.treebank.replace(misc=misc)
        if self.probabilities:
            summed = ~np.isnan(marginals[treebank.word_offsets[:-1]])
            treebank = treebank.with_comments([(f"# crossarc_probability = {_AMONG[one]}",) for one in summed.tolist()])
        return replace(self, treebank=treebank)


def first_of_equals(sentences: Offsets, word_offsets: Offsets, heads: Ids, labels: Ids, n: int) -> Flags:
    """Mark the first n different trees of each sentence; `sentences`: the number of the sentence of each analysis."""
    kept = np.zeros(len(sentences), bool)
    seen: dict[int, set[bytes]] = {}
    for analysis, sentence in enumerate(sentences.tolist()):
        own = slice(int(word_offsets[analysis]), int(word_offsets[analysis + 1]))
        trees = seen.setdefault(sentence, set())
        tree = heads[own].tobytes() + labels[own].tobytes()
        kept[analysis] = len(trees) < n and tree not in trees
        trees.add(tree)
    return kept


def _scored(misc: str, values: Sequence[float]) -> str:
    """Return MISC with what an arc has of the keys, in place of what it may have had before."""
    pieces = [piece for piece in misc.split("|") if piece != "_" and piece.partition("=")[0] not in _KEYS]
    pieces += [f"{key}={value:.6g}" for key, value in zip(_KEYS, values, strict=True) if np.isfinite(value)]
    return "|".join(pieces) or "_"
