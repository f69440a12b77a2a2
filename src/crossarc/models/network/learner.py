"""Training of networks: the native learner (kernel/parsers/network_learner.hpp) with its data and learning rate.

The learning rate falls linearly to a twentieth. Training follows the parser's own mistakes (Goldberg & Nivre 2013)
where the costs of transitions are known. O(words) for reading a sentence, O(1) for each configuration.
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


@dataclass
class NetworkLearner:
    """A network with the sentences that it learns from."""

    native: _kernel.NetworkLearner
    data: TrainingData
    make_model: Callable[[Sequence[Floats]], NetworkModel]
    rate: float
    exploration: float
    epochs: int
    threads: int
    _epoch: int = field(default=0, init=False)
    _done: int = field(default=0, init=False)

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from sentences in this order and return the number of mistakes."""
        if epoch != self._epoch:
            self._epoch, self._done = epoch, 0
        sentences = len(self.data.word_offsets) - 1
        gone = min(1.0, (epoch - 1 + self._done / sentences) / self.epochs)
        rate = self.rate * (1 - (1 - _LAST_RATE) * gone)
        self._done += len(order)
        explore = exploration_percent(self.exploration, epoch)
        return self.native.learn(order, *self.data, explore=explore, rate=rate, threads=self.threads)

    def model(self) -> NetworkModel:
        """Return the network as it is now, with the weights that a file would keep."""
        weights = self.native.weights()
        if not all(np.isfinite(one).all() for one in weights):
            raise ParserError(
                f"training diverged, some weights are no numbers any more: take a learning rate below {self.rate}"
            )
        return self.make_model([rounded(one) for one in weights])

    def remember(self) -> tuple[list[Any], Arrays]:
        """Return the whole state, as numbers and arrays."""
        return remembered(self.native)

    def restore(self, numbers: Sequence[Any], arrays: Mapping[str, AnyArray]) -> None:
        """Take the state that `remember` gave."""
        restored(self.native, numbers, arrays)


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
