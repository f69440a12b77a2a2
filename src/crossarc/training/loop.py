"""The training loop: epochs over shuffled sentences, the best model on development data kept.

It knows nothing of what learns: a `Learner` learns from sentences in a given order and gives models, and a function
says how good a model is. Sentences are shuffled by the seed and the number of the epoch alone, so that training that
was broken off and goes on from a checkpoint sees them in the same order. The cost is that of the learner.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import ParserError

Model = TypeVar("Model")
Given = TypeVar("Given", covariant=True)

#: Sentences that a learner takes at once; between them training can be broken off.
_PORTION = 256


class TrainingData(NamedTuple):
    """Sentences to learn from: values of words, where the words and the arcs of sentences begin, and the arcs."""

    values: NDArray[np.uint32]
    word_offsets: NDArray[np.int64]
    arc_offsets: NDArray[np.int64]
    heads: NDArray[np.int32]
    dependents: NDArray[np.int32]
    labels: NDArray[np.int32]


@dataclass(frozen=True)
class Epoch:
    """What one epoch came to."""

    number: int
    mistakes: int
    seconds: float
    #: Labelled and unlabelled attachment scores (for graphs: F1 over arcs) on development data, in percent, if there
    #: are any.
    las: float | None = None
    uas: float | None = None


@dataclass
class TrainingReport:
    """What training came to."""

    sentences: int
    words: int
    #: Arcs of the training data, and how many of them the system cannot build.
    arcs: int
    lost_arcs: int
    #: Of graphs, relations to empty nodes, which no system builds: they are not learnt.
    left_out: int = 0
    #: What the scores of epochs are: LAS of trees, or F1 of graphs.
    measure: str = "LAS"
    epochs: list[Epoch] = field(default_factory=list)
    #: The number of the epoch whose model is kept.
    best: int = 0
    interrupted: bool = False

    @property
    def las(self) -> float | None:
        """The labelled score of the model that is kept, in percent."""
        return self.epochs[self.best - 1].las if self.best else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {**asdict(self), "las": self.las}


class Learner(Protocol[Given]):
    """What learns."""

    def learn(self, order: NDArray[np.int32], epoch: int) -> int:
        """Learn from sentences in this order and return the number of mistakes."""

    def model(self) -> Given:
        """Return what was learnt so far."""


@dataclass
class Trainer(Generic[Model]):
    """Trains until the epochs are over, patience is, or somebody interrupts."""

    learner: Learner[Model]
    #: Labelled and unlabelled score of a model, in percent.
    evaluate: Callable[[Model], tuple[float, float]] | None
    seed: int
    on_progress: Callable[[int, int, int], None] | None = None  # epoch, sentences done, of how many
    on_epoch: Callable[[Epoch], None] | None = None
    #: Called after each epoch with the best model so far, to save a checkpoint.
    on_checkpoint: Callable[[TrainingReport, Model], None] | None = None

    def train(self, report: TrainingReport, best: Model | None, epochs: int, patience: int | None) -> Model:
        """Train up to so many epochs in all and return the best model, the last if nothing can be compared.

        `report` and `best` say how far training came before. Without improvement for `patience` epochs it ends early.
        An interruption ends it with the best model so far, if an epoch was finished.
        """
        if epochs < 1 or (patience is not None and patience < 1):
            raise ParserError("the number of epochs and the patience are 1 or more")
        try:
            for number in range(len(report.epochs) + 1, epochs + 1):
                if best is not None and patience is not None and number - 1 - report.best >= patience:
                    break
                best = self._epoch(number, report, best)
        except KeyboardInterrupt:
            if best is None:
                raise
            report.interrupted = True
        assert best is not None  # there is an epoch at least
        return best

    def _epoch(self, number: int, report: TrainingReport, best: Model | None) -> Model:
        started = time.monotonic()
        mistakes = 0
        for done, portion in portions(self.seed, number, report.sentences):
            mistakes += self.learner.learn(portion, number)
            if self.on_progress is not None:
                self.on_progress(number, done, report.sentences)
        model = self.learner.model()
        las, uas = (None, None) if self.evaluate is None else self.evaluate(model)
        epoch = Epoch(number, mistakes, round(time.monotonic() - started, 3), las, uas)
        if best is None or las is None or las > (report.las or -1.0):
            best, report.best = model, number
        report.epochs.append(epoch)
        if self.on_epoch is not None:
            self.on_epoch(epoch)
        if self.on_checkpoint is not None:
            self.on_checkpoint(report, best)
        return best


def portions(seed: int, epoch: int, sentences: int) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """Return the sentences of an epoch in their order, a portion at a time, and how many are done after each."""
    order = np.random.default_rng([seed, epoch]).permutation(sentences).astype(np.int32)
    for start in range(0, sentences, _PORTION):
        portion = order[start : start + _PORTION]
        yield start + len(portion), portion
