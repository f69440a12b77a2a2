"""From sentences to trees: what a model builds, greedily or in a beam, restored and brought under the root policy.

O(words) beside the search, which is O(beam · transitions · features) for each sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..._arrays import Floats, Ids
from ...encodings import Encoding, Restored, Undirected
from ...errors import ParserError
from ...models.base import Penalisable, SearchResult, SentenceInputs, TransitionDefinition, TransitionModel
from ...structure.arcs import Arcs
from ...treebank import Treebank
from ..analyses import Analyses, first_of_equals
from ..punctuation import reads_tags, with_projective_punctuation
from ..trainable import Trained
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
    #: What transitions and labels lose that let arcs cross.
    crossing_penalty: float = 0.0
    #: Whether punctuation may make arcs non-projective.
    crossing_punctuation: bool = True

    @property
    def searched(self) -> TransitionModel:
        """The model with its crossing penalty."""
        if not self.crossing_penalty:
            return self.model
        if not isinstance(self.model, Penalisable):
            raise ParserError(f"the scorer {self.definition.scorer.name} takes no crossing penalty: leave it out")
        none = np.zeros(self.definition.labels, np.bool_)
        lifted = none if self.encoding is None else self.encoding.lifted_labels
        return self.model.penalised(self.crossing_penalty, lifted)

    def built(self, inputs: SentenceInputs, threads: int) -> Arcs:
        """Return the arcs that the best sequence of transitions builds, greedily or in the beam."""
        if self.beam > 1:
            return self.searched.search(inputs, self.beam, 1, threads).arcs
        return self.searched.parse_arcs(inputs, threads)


def parse_arrays(
    trained: TransitionTrained, treebank: Treebank, inputs: SentenceInputs, threads: int
) -> tuple[Ids, Ids]:
    """Return the heads and the numbers of the labels that a trained parser finds."""
    return _trees(trained, treebank, trained.built(inputs, threads), threads)


def analyses(trained: TransitionTrained, treebank: Treebank, n: int, width: int, threads: int) -> Analyses:
    """Return up to n different trees of each sentence, from a beam of some width."""
    inputs = trained.definition.inputs(treebank)
    found = trained.searched.search(inputs, width, 1 if n == 1 else width, threads)
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
    heads, labels = trained.policy.apply(treebank, *restored, _planes(trained))
    if not trained.crossing_punctuation:
        heads = with_projective_punctuation(treebank, heads, tags=reads_tags(trained.definition), threads=threads)
    return heads, labels


def _planes(trained: TransitionTrained) -> int | None:
    """Return on how many planes the trees of the parser can be drawn; None if that is not known.

    Where no root is covered, attaching one to another crosses nothing; pseudo-projective encodings leave the class of
    their system on purpose.
    """
    properties = trained.definition.system.properties()
    changes_trees = trained.encoding is not None and not isinstance(trained.encoding, Undirected)
    return None if changes_trees or properties.no_covered_roots else properties.planes


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
