"""Training of networks: the native learner (kernel/parsers/network_learner.hpp) with its data and learning rate.

The learning rate falls linearly to a twentieth, after it rose over the first batches if asked for. Training follows the
parser's own mistakes (Goldberg & Nivre 2013) where the costs of transitions are known. O(words) for reading a sentence,
O(1) for each configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ... import _kernel
from ..._arrays import AnyArray, Floats, Ids
from ...errors import ParserError
from ..base import TrainingData
from ..model_file import Arrays, array_of
from ..teaching import exploration_percent
from .weights import NetworkModel, rounded

#: The share of the learning rate that is left at the end.
_LAST_RATE = 0.05
#: Weights, and the two moments of their gradients.
_STATE = ("weights", "first", "second")


#: Sentences that are learnt from at once: as they come, and to be put into batches by their length.
PORTION = 256
BY_LENGTH = 1024
#: The learning rate rises over at most this share of the training.
_WARM_UP_SHARE = 0.05


@dataclass(frozen=True)
class Schedule:
    """The learning rate over the training, and in which portions its sentences come."""

    rate: float
    epochs: int
    #: Batches over which the rate rises.
    warm_up: int
    #: Batches in an epoch, about.
    batches: float
    portion: int

    def rate_at(self, epochs: float) -> float:
        """Return the learning rate after so many epochs."""
        rate = self.rate * (1 - (1 - _LAST_RATE) * min(1.0, epochs / self.epochs))
        rising = min(self.warm_up, _WARM_UP_SHARE * self.batches * self.epochs)
        return rate * min(1.0, (epochs * self.batches + 1) / rising) if rising else rate


@dataclass
class EpochProgress:
    """How much of the epoch at hand was learnt from."""

    _epoch: int = 0
    _done: int = 0

    def before(self, epoch: int, sentences: int, *, of: int) -> float:
        """Return how many epochs are done, in parts of one, before so many sentences `of` all are learnt from."""
        if epoch != self._epoch:
            self._epoch, self._done = epoch, 0
        gone = epoch - 1 + self._done / of
        self._done += sentences
        return gone


@dataclass
class NetworkLearner:
    """A network with the sentences that it learns from."""

    native: _kernel.NetworkLearner
    data: TrainingData
    make_model: Callable[[Sequence[Floats]], NetworkModel]
    schedule: Schedule
    exploration: float
    threads: int
    _progress: EpochProgress = field(default_factory=EpochProgress, init=False)

    @property
    def portion(self) -> int:
        """How many sentences the training loop gives it at once."""
        return self.schedule.portion

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from sentences in this order and return the number of mistakes."""
        inputs, arc_offsets, heads, dependents, labels = self.data
        gone = self._progress.before(epoch, len(order), of=len(inputs.word_offsets) - 1)
        return self.native.learn(
            order,
            *inputs,
            arc_offsets,
            heads,
            dependents,
            labels,
            explore=exploration_percent(self.exploration, epoch),
            rate=self.schedule.rate_at(gone),
            threads=self.threads,
        )

    def model(self) -> NetworkModel:
        """Return the network as it is now, with the weights that a file would keep."""
        return self.make_model(kept_weights(self.native.weights(), self.schedule.rate))

    def remember(self) -> tuple[list[Any], Arrays]:
        """Return the whole state, as numbers and arrays."""
        return remembered(self.native)

    def restore(self, numbers: Sequence[Any], arrays: Mapping[str, AnyArray]) -> None:
        """Take the state that `remember` gave."""
        restored(self.native, numbers, arrays)


def kept_weights(weights: Sequence[Floats], rate: float) -> list[Floats]:
    """Return weights as a file would keep them; those of training that diverged are refused."""
    if not all(np.isfinite(one).all() for one in weights):
        raise ParserError(f"training diverged, some weights are no numbers any more: take a learning rate below {rate}")
    return [rounded(one) for one in weights]


class NativeLearner(Protocol):
    """What native learners of networks have in common."""

    def remember(self) -> tuple[int, list[Floats], list[Floats], list[Floats]]:
        """Return the number of steps, the weights and the two moments of their gradients."""

    def restore(self, steps: int, weights: Sequence[Floats], first: Sequence[Floats], second: Sequence[Floats]) -> None:
        """Take what `remember` gave."""


def remembered(native: NativeLearner) -> tuple[list[Any], Arrays]:
    """Return the state of a native learner, as numbers and arrays."""
    steps, *states = native.remember()
    arrays: Arrays = {
        f"{name}_{place}": array
        for name, state in zip(_STATE, states, strict=True)
        for place, array in enumerate(state)
    }
    return [steps], arrays


def restored(native: NativeLearner, numbers: Sequence[Any], arrays: Mapping[str, AnyArray]) -> None:
    """Give a native learner the state that `remembered` returned."""
    count = len(arrays) // len(_STATE)
    states = [[array_of(arrays, f"{name}_{place}", np.float32) for place in range(count)] for name in _STATE]
    (steps,) = numbers
    native.restore(steps, *states)
