"""The learning rate over a training: it rises linearly over the first batches, then falls linearly to a last share.

O(1).
"""

from __future__ import annotations

from dataclasses import dataclass

#: The learning rate rises over at most this share of the training.
_WARM_UP_SHARE = 0.05


@dataclass(frozen=True)
class Schedule:
    """The learning rate of a training."""

    learning_rate: float
    epochs: int
    #: Batches over which the rate rises.
    warm_up: int
    #: Batches in an epoch, about.
    batches: float
    #: The share of the learning rate that is left at the end.
    last: float = 0.0

    def rate_at(self, epochs: float) -> float:
        """Return the learning rate after so many epochs, in parts of one."""
        rising = min(self.warm_up, _WARM_UP_SHARE * (self.epochs * self.batches))
        rise = min(1.0, (epochs * self.batches + 1) / rising) if rising else 1.0
        return self.learning_rate * (rise * (1 - (1 - self.last) * min(1.0, epochs / self.epochs)))


@dataclass
class EpochProgress:
    """How much of the epoch at hand was learnt from."""

    _epoch: int = 0
    _done: int = 0

    def before(self, epoch: int, sentences: int, *, total: int) -> float:
        """Return how many epochs are done, in parts of one, before so many sentences of a total are learnt from."""
        if epoch != self._epoch:
            self._epoch, self._done = epoch, 0
        done = epoch - 1 + self._done / total
        self._done += sentences
        return done
