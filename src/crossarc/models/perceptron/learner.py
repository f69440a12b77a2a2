"""Training of averaged perceptrons: the native learners (kernel/parsers/perceptron.hpp) and their data.

Several may learn, each in an order of its own; the model is their average. One is enough; several are better, most of
all if there are few sentences. O(transitions · templates) for each sentence and learner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ... import _kernel
from ..._arrays import AnyArray, Ids
from ..base import TrainingData
from ..model_file import Arrays, array_of
from ..teaching import exploration_percent
from .weights import PerceptronModel

_KINDS = ("transition", "label")
#: The arrays of a perceptron's state, and what they hold.
_STATE: dict[str, type[np.generic]] = {
    "features": np.uint64,
    "updates": np.int32,
    "counts": np.uint16,
    "classes": np.uint16,
    "weights": np.int32,
    "weighted": np.int64,
}


@dataclass
class PerceptronLearner:
    """Learners with the sentences that they learn from."""

    learners: list[_kernel.PerceptronLearner]
    data: TrainingData
    #: Features that took part in fewer updates are left out of models.
    least_updates: int
    exploration: float
    #: How many states the search keeps, and whether it updates early.
    beam: int
    early: bool
    seed: int
    threads: int

    def __post_init__(self) -> None:
        sentences = np.arange(len(self.data.inputs.word_offsets) - 1, dtype=np.int32)
        numbers = range(1, len(self.learners))
        self._orders = [sentences, *(np.random.default_rng([self.seed, 0, n]).permutation(sentences) for n in numbers)]

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from as many sentences as the order has, and return the number of mistakes."""
        return _kernel.PerceptronLearner.learn(
            self.learners,
            [own[order] for own in self._orders],
            self.data.inputs.values,
            self.data.inputs.word_offsets,
            *self.data[1:],
            explore=exploration_percent(self.exploration, epoch),
            beam=self.beam,
            early=self.early,
            threads=self.threads,
        )

    def model(self) -> PerceptronModel:
        """Return the averaged model."""
        first, *others = self.learners
        return PerceptronModel(first.average(others, self.least_updates))

    def remember(self) -> tuple[list[Any], Arrays]:
        """Return the whole state, as numbers and arrays."""
        arrays: Arrays = {}
        numbers: list[Any] = []
        for place, learner in enumerate(self.learners):
            *states, random = learner.remember()
            numbers.append([*(state[0] for state in states), random])
            for kind, (_, *state) in zip(_KINDS, states, strict=True):
                names = (_name(place, kind, name) for name in _STATE)
                arrays |= dict(zip(names, cast(list[AnyArray], state), strict=True))
        return numbers, arrays

    def restore(self, numbers: Sequence[Any], arrays: Mapping[str, AnyArray]) -> None:
        """Take the state that `remember` gave."""
        for place, (learner, own) in enumerate(zip(self.learners, numbers, strict=True)):
            transitions, labels = (
                (step, *(array_of(arrays, _name(place, kind, name), held) for name, held in _STATE.items()))
                for kind, step in zip(_KINDS, own[:2], strict=True)
            )
            learner.restore(transitions, labels, own[2])


def _name(place: int, kind: str, name: str) -> str:
    return f"learner_{place}_{kind}_{name}"
