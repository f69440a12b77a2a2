"""Training of graph parsers on the CPU: the native learner (kernel/parsers/graph_learner.hpp) with its learning rate.

The learning rate rises over the first batches and then falls linearly to nothing. O(words² · arc size) for a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ... import _kernel
from ..._arrays import AnyArray, Ids
from ..base import SentenceInputs
from ..model_file import Arrays
from ..network.learner import EpochProgress, kept_weights, remembered, restored
from .options import BiaffineDefinition
from .weights import BiaffineModel

#: Batches after which the learning rate has its full height, but at most a share of the training.
_WARM_UP = 200
_WARM_UP_SHARE = 0.05


class TreesToLearn(NamedTuple):
    """Sentences to learn from: what is read of them, and of each word its head and the numbers of label and tags."""

    inputs: SentenceInputs
    heads: Ids
    labels: Ids
    #: A row for each word, -1 for none.
    tags: Ids = np.zeros((0, 0), np.int32)


def rate_at(share: float, batches: float, total: float) -> float:
    """Return by what the learning rate is multiplied after a share of the training and so many batches of a total."""
    return min(1.0, (batches + 1) / max(1.0, min(_WARM_UP, _WARM_UP_SHARE * total))) * max(0.0, 1.0 - share)


def native_learner(
    definition: BiaffineDefinition, data: TreesToLearn, *, tree_class: _kernel.TreeClass, single_root: bool, seed: int
) -> _kernel.GraphLearner:
    """Return a network that learnt nothing yet; the class of trees is for objectives over trees."""
    one = definition.scorer
    return _kernel.GraphLearner(
        definition.shape,
        dropout=_kernel.EncoderDropout(
            inputs=0.0, layers=one.layer_dropout, words=one.word_dropout, groups=one.group_dropout
        ),
        hidden_dropout=one.hidden_dropout,
        columns=_kernel.ColumnDropout(
            families=definition.columns(), empty=definition.vocabularies.empty_values(), share=one.column_dropout
        ),
        tag_weight=one.tag_weight,
        objective=_kernel.GraphObjective.__members__[one.objective],
        tree_class=tree_class,
        single_root=single_root,
        lexical_columns=definition.lexical_columns,
        words=one.batch,
        seed=seed,
    )


@dataclass
class BiaffineLearner:
    """A network with the sentences that it learns from."""

    #: Batches of similar lengths are made of so many sentences at a time.
    portion: ClassVar[int] = 1024

    definition: BiaffineDefinition
    native: _kernel.GraphLearner
    data: TreesToLearn
    epochs: int
    threads: int
    _progress: EpochProgress = field(default_factory=EpochProgress, init=False)

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from sentences in this order and return the number of words whose best head was wrong."""
        inputs, heads, labels, tags = self.data
        gone = self._progress.before(epoch, len(order), of=len(inputs.word_offsets) - 1)
        options = self.definition.scorer
        each = len(heads) / options.batch
        rate = options.rate * rate_at(gone / self.epochs, gone * each, self.epochs * each)
        return self.native.learn(order, *inputs, heads, labels, tags.reshape(-1), rate=rate, threads=self.threads)

    def model(self) -> BiaffineModel:
        """Return the network as it is now, with the weights that a file would keep."""
        return self.definition.model_of_weights(kept_weights(self.native.weights(), self.definition.scorer.rate))

    def remember(self) -> tuple[list[Any], Arrays]:
        """Return the whole state, as numbers and arrays."""
        return remembered(self.native)

    def restore(self, numbers: Sequence[Any], arrays: Mapping[str, AnyArray]) -> None:
        """Take the state that `remember` gave."""
        restored(self.native, numbers, arrays)
