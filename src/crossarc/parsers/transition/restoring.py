"""From sentences to trees: what a model builds, greedily or in a beam, restored and brought under the root policy.

O(words) beside the search, which is O(beam · transitions · features) for each sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._arrays import Floats, Ids
from ...encodings import Arcs, Encoding, Restored
from ...models.base import SearchResult, SentenceInputs, TransitionDefinition, TransitionModel
from ...treebank import Treebank
from ..analyses import Analyses, first_of_equals
from ..base import Trained
from ..trees import with_trees


@dataclass(frozen=True)
class TransitionTrained(Trained):
    """What training gives a transition parser."""

    definition: TransitionDefinition
    model: TransitionModel
    encoding: Encoding | None
    #: The label of a root before trees are restored, as a number.
    encoded_root: int
    #: How many states its search keeps.
    beam: int

    def built(self, inputs: SentenceInputs, threads: int) -> Arcs:
        """Return the arcs that the best sequence of transitions builds, greedily or in the beam."""
        if self.beam > 1:
            return self.model.search(inputs, self.beam, 1, threads).arcs
        return self.model.parse_arcs(inputs, threads)


def parse_arrays(
    trained: TransitionTrained, treebank: Treebank, inputs: SentenceInputs, threads: int
) -> tuple[Ids, Ids]:
    """Return the heads and the numbers of the labels that a trained parser finds."""
    return _trees(trained, treebank, trained.built(inputs, threads), threads)


def analyses(trained: TransitionTrained, treebank: Treebank, n: int, width: int, threads: int) -> Analyses:
    """Return up to n different trees of each sentence, from a beam of some width."""
    inputs = trained.definition.inputs(treebank)
    found = trained.model.search(inputs, width, 1 if n == 1 else width, threads)
    every = treebank[found.sentences]
    heads, labels = _trees(trained, every, found.arcs, threads)
    scores, margins = _scores_by_word(found, heads, trained.encoding is None or trained.encoding.directed)
    kept = first_of_equals(found.sentences, every.word_offsets, heads, labels, n)
    words = np.repeat(kept, np.diff(every.word_offsets))
    return Analyses(
        with_trees(every, heads, labels, trained.labels)[kept],
        np.concatenate([[0], np.cumsum(np.bincount(found.sentences[kept], minlength=len(treebank)))]),
        found.totals[kept],
        scores[words],
        margins[words],
    )


def _trees(trained: TransitionTrained, treebank: Treebank, arcs: Arcs, threads: int) -> tuple[Ids, Ids]:
    """Return the trees that arcs or links stand for, for a treebank that has the sentence of each of them."""
    root_label = trained.encoded_root
    if trained.encoding is None:
        heads, labels = arcs.by_word()
        attached = heads >= 0
        heads = np.where(attached, heads, np.int32(0))
        restored = Restored(heads, np.where(attached, labels, np.int32(root_label)), attached)
    else:
        restored = trained.encoding.restore_arcs(arcs, root_label=root_label, threads=threads)
    return trained.policy.apply(treebank, *restored)


def _scores_by_word(found: SearchResult, heads: Ids, directed: bool) -> tuple[Floats, ...]:
    """Return the scores and margins of the words' own arcs in trees of these heads; NaN where no arc was built.

    A link without direction is the arc of the word whose head is at its other end, if there is one.
    """
    built = found.arcs
    starts = np.repeat(built.word_offsets[:-1], np.diff(built.offsets))
    right = starts + built.dependents - 1
    own, arcs = right, np.ones(len(right), bool)
    if not directed:
        left = starts + np.maximum(built.heads, 1) - 1
        downward = heads[right] == built.heads
        upward = (built.heads > 0) & (heads[left] == built.dependents)
        own, arcs = np.where(downward, right, left), downward | upward
    answers = []
    for values in (found.scores, found.margins):
        answer = np.full(len(heads), np.nan, np.float32)
        answer[own[arcs]] = values[arcs]
        answers.append(answer)
    return tuple(answers)
