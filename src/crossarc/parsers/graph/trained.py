"""What training gives a graph parser: a network, and how trees are found with what it scores.

The cost is that of the network and of decoding (`crossarc.decoders`); probabilities of arcs among all trees of a class
take its sums, in sentences that are not too long for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._arrays import Doubles, Flags, Floats, Ids
from ...features.tags import ANY_TAGS, Tags, TagSearch
from ...models.base import SentenceInputs
from ...models.neural.biaffine import BiaffineDefinition, BiaffineModel, FoundTrees
from ...training.report import DevScores
from ...treebank import Treebank
from ..punctuation import punctuation_words, reads_tags, with_projective_punctuation
from ..trainable import Trained
from ..trees import attachment_evaluation
from .calibration import best_temperature
from .crossing import OF_CROSSED_SCORES, PENALTIES, PLAIN, Crossing, best_crossing
from .trees import TREE_CLASSES, tree_class

if TYPE_CHECKING:
    from ...decoders.matrices import Root

#: Up to how many words probabilities are those among all trees of the class: some tenths of a second for a sentence.
MOST_SUMMED = {"1-endpoint-crossing": 24, "projective": 128, "unrestricted": 256}


@dataclass(frozen=True)
class GraphTrained(Trained):
    """What training gives a graph parser."""

    definition: BiaffineDefinition
    model: BiaffineModel
    trees: str
    minimum_risk: bool
    #: By which scores are divided, so that they are logarithms of probabilities that hold on development data.
    temperature: float = 1.0
    #: Whether punctuation may make arcs non-projective, or is attached anew where it does.
    crossing_punctuation: bool = True
    #: Whether no arc crosses those into punctuation.
    uncrossed_punctuation: bool = False
    crossing: Crossing = PLAIN

    @property
    def tags(self) -> Tags:
        """The predicted columns with their classes."""
        return self.definition.tags

    @property
    def _reads_tags(self) -> bool:
        return reads_tags(self.definition, self.tags.columns)

    def never_crossed(self, treebank: Treebank) -> Flags | None:
        """Return the words whose arcs no arc may cross, if there are any."""
        return punctuation_words(treebank, tags=self._reads_tags) if self.uncrossed_punctuation else None

    def placed(self, treebank: Treebank, heads: Ids, threads: int) -> Ids:
        """Return heads of the words of a treebank with punctuation attached anew where it may not be as it is."""
        if self.crossing_punctuation:
            return heads
        return with_projective_punctuation(treebank, heads, tags=self._reads_tags, threads=threads)

    def find(
        self,
        inputs: SentenceInputs,
        threads: int,
        most: int = 1,
        heads: Ids | None = None,
        never_crossed: Flags | None = None,
        tags: TagSearch | None = None,
    ) -> FoundTrees:
        """Return the best trees, with the root policy as a constraint, and heads and tags that are given if any are."""
        options = self._search(never_crossed, threads) | {"crossing": self.crossing}
        tags = tags or ANY_TAGS._replace(combinations=self.tags.combinations)
        return self.model.parse(inputs, most=most, heads=heads, tags=tags, **options)

    def calibrated(self, dev: Treebank, threads: int, *, crossing: bool) -> tuple[GraphTrained, DevScores | None]:
        """Return the same with the temperature and, if asked for, the weight and penalty of crossings that fit best.

        The scores are those with another penalty than before, if there is one.
        """
        scores = self.model.joint_scores(self.definition.bare_inputs(dev), threads)
        calibrated = replace(self, temperature=best_temperature(*scores, dev.word_offsets, dev.head))
        chosen = calibrated.choose_crossing(dev, threads) if crossing else None
        return (calibrated, None) if chosen is None else (replace(calibrated, crossing=chosen[0]), chosen[1])

    def choose_crossing(self, dev: Treebank, threads: int) -> tuple[Crossing, DevScores] | None:
        """Return how crossings count best on development data, with the scores.

        None where the class has no crossed arcs, or the data have too few non-projective ones.
        """
        gold = attachment_evaluation(dev, self.labels, lambda trees: trees)
        if self.trees == "projective" or gold((dev.head, dev.head)).strict_f is None:
            return None
        tried = self.compare_crossings(dev, threads, OF_CROSSED_SCORES if self.model.scores_crossed else PENALTIES)
        best = best_crossing(tried)
        return best, tried[best]

    def compare_crossings(self, dev: Treebank, threads: int, ways: Sequence[Crossing]) -> dict[Crossing, DevScores]:
        """Return the scores on development data if crossings count in each of these ways."""
        inputs, search = self.definition.bare_inputs(dev), self._search(self.never_crossed(dev), threads)
        gold = attachment_evaluation(dev, self.labels, lambda trees: trees)
        parsed = zip(ways, self.model.compare_crossings(inputs, ways, **search), strict=True)
        return {crossing: gold((self.placed(dev, heads, threads), labels)) for crossing, (heads, labels) in parsed}

    def _search(self, never_crossed: Flags | None, threads: int) -> dict[str, Any]:
        single = self.policy.kind == "single"
        return {
            "tree_class": tree_class(self.trees),
            "single_root": single,
            "root_label": self.policy.root_label if single else -1,
            "temperature": self.temperature,
            "minimum_risk": self.minimum_risk,
            "never_crossed": never_crossed,
            "threads": threads,
        }

    def marginals(self, inputs: SentenceInputs, trees: FoundTrees, threads: int) -> Doubles:
        """Return the probabilities of the arcs of trees among all trees of the class; NaN in long sentences."""
        from ...decoders import marginals_batch

        scores, crossed = self.tree_scores(inputs, threads)
        parts, first, start = [], 0, 0
        lengths = np.diff(inputs.word_offsets).tolist()
        for words, count in zip(lengths, trees.counts.tolist(), strict=True):
            shape, end = (1, words + 1, words + 1), start + (words + 1) ** 2
            matrix = scores[start:end].reshape(shape)
            of_crossed = None if crossed is None else crossed[start:end].reshape(shape)
            heads = trees.heads[first : first + count * words].reshape(count, words)
            start, first = end, first + heads.size
            if words > MOST_SUMMED[self.trees]:
                parts.append(np.full(heads.size, np.nan))
                continue
            single: Root = "single" if self.policy.kind == "single" else "any"
            summed = marginals_batch(
                matrix, [words], TREE_CLASSES[self.trees], root=single, threads=1, crossed=of_crossed
            )
            probabilities = summed.probabilities.reshape(-1, words + 1, words + 1).sum(axis=0)
            parts.append(probabilities[heads, np.arange(1, words + 1)].reshape(-1))
        return np.concatenate([np.zeros(0), *parts])

    def tree_scores(self, inputs: SentenceInputs, threads: int) -> tuple[Floats, Floats | None]:
        """Return the scores that trees of the class have, at the temperature; of crossed arcs, if they have others."""
        scores, crossed = self.model.joint_scores(inputs, threads)
        if crossed is not None and self.trees == "unrestricted":
            scores, crossed = np.logaddexp(scores, crossed), None
        if self.trees == "projective":
            crossed = None
        temperature = np.float32(self.temperature)
        return scores / temperature, None if crossed is None else crossed / temperature
