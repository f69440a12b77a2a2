"""The training loop: epochs over shuffled sentences, the best model on development data kept.

It knows learners and models by their protocols alone: a learner learns from sentences in a given order and gives
models, and a function says how good a model is. Sentences are shuffled by the seed and the number of the epoch alone,
so that training that was broken off and goes on from a checkpoint sees them in the same order. The cost is that of the
learner.
"""

from __future__ import annotations

import contextlib
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np

from .._arrays import Ids
from .._progress import both, logger, progress_bar
from ..errors import FileError
from ..files import held
from ..models.base import AnyModel, Learner
from ..models.model_file import check_model_name
from ..options import checked
from ..treebank import Treebank
from .checkpoint import Checkpoint, MakesModels
from .report import DevScores, Epoch, TrainingReport

Learnt = TypeVar("Learnt")

_log = logger("training")

#: What a model comes to on development data: labelled and unlabelled score, from 0 to 1, and more if there is more.
Evaluated = DevScores | tuple[float, float]

#: Sentences that a learner takes at once, if it has no `portion` of its own; progress is shown after each.
PORTION = 256


@dataclass(frozen=True)
class TrainingSettings:
    """How to train, whatever learns: see `TrainableParser.train`. Numbers that cannot be are refused."""

    epochs: int
    patience: int | None = None
    seed: int = 1
    threads: int = 0
    checkpoint: str | os.PathLike[str] | None = None
    resume: bool = False
    on_start: Callable[[TrainingReport], None] | None = None
    on_progress: Callable[[int, int, int], None] | None = None  # epoch, sentences done, of how many
    on_epoch: Callable[[Epoch], None] | None = None
    device: str | None = None
    #: The gold part of the training data, where there are sentences that a teacher parsed.
    gold: Treebank | None = None
    #: How many of the last sentences a teacher parsed, and the teacher, if its distributions are learnt.
    taught: int = 0
    teacher: Any = None

    def __post_init__(self) -> None:
        for name in ("epochs", "patience", "seed", "threads"):
            value = getattr(self, name)
            if value is not None or name != "patience":
                object.__setattr__(self, name, checked(name, value))


@contextlib.contextmanager
def shown_training(settings: TrainingSettings, *, shown: bool) -> Iterator[TrainingSettings]:
    """Give settings that tell the logger, and a progress bar if it is shown, how training goes."""
    with progress_bar("training", settings.epochs, shown) as advance:
        text = ""

        def start(report: TrainingReport) -> None:
            _log.info("training on %d sentences, %d words", report.sentences, report.words)
            if report.lost_arcs:
                _log.info("%d of %d arcs cannot be built and are lost", report.lost_arcs, report.arcs)

        def within(epoch: int, done: int, total: int) -> None:
            advance(epoch - 1 + done / total, f"epoch {epoch} of {settings.epochs}{text}")

        def after(epoch: Epoch) -> None:
            nonlocal text
            text = "" if epoch.las is None else f", LAS {100 * epoch.las:.2f}"
            text += "" if epoch.strict_f is None else f", strict F of non-projective arcs {100 * epoch.strict_f:.2f}"
            _log.info("epoch %d: %d mistakes%s, %.1f s", epoch.number, epoch.mistakes, text, epoch.seconds)

        yield replace(
            settings,
            on_start=both(settings.on_start, start),
            on_progress=both(settings.on_progress, within),
            on_epoch=both(settings.on_epoch, after),
        )


def train_model(
    definition: MakesModels[AnyModel],
    learner: Learner[AnyModel],
    evaluate: Callable[[AnyModel], Evaluated] | None,
    report: TrainingReport,
    settings: TrainingSettings,
    identity: Callable[[], Mapping[str, Any]],
) -> AnyModel:
    """Train and return the best model; `report` is filled in.

    `evaluate` gives the scores of a model on development data. `identity` gives what must be the same
    for a checkpoint to be gone on from. Whether the checkpoint can be written is tried first; if it cannot be written
    later, because the disk is full, say, there is a warning, and training goes on.
    """
    if settings.checkpoint is not None:
        check_model_name(settings.checkpoint)
    if settings.on_start is not None:
        settings.on_start(report)
    if settings.checkpoint is None:
        return Trainer(learner, evaluate, settings).train(report)
    saved = Checkpoint(settings.checkpoint, identity())

    def write(so_far: TrainingReport, model: AnyModel) -> None:
        try:
            saved.write(learner, so_far, model.arrays())
        except FileError as error:
            warnings.warn(f"{error}; training goes on without this checkpoint", stacklevel=2)

    with held(settings.checkpoint, "is the checkpoint of a training"):
        best = saved.restore(definition, learner, report) if settings.resume else None
        return Trainer(learner, evaluate, settings, write).train(report, best)


@dataclass
class Trainer(Generic[Learnt]):
    """Trains until the last epoch, until patience ends, or until it is interrupted."""

    learner: Learner[Learnt]
    #: The scores of a model on development data.
    evaluate: Callable[[Learnt], Evaluated] | None
    settings: TrainingSettings
    #: Called after each epoch with the best model so far, to save a checkpoint.
    on_checkpoint: Callable[[TrainingReport, Learnt], None] | None = None
    _best: Learnt | None = field(default=None, init=False)

    def train(self, report: TrainingReport, best: Learnt | None = None) -> Learnt:
        """Train up to so many epochs in all and return the best model, the last if nothing can be compared.

        `report` and `best` say how far training came before. Without improvement for `patience` epochs it ends early.
        An interruption ends it with the best model so far, if an epoch was finished.
        """
        self._best, patience = best, self.settings.patience
        try:
            for number in range(len(report.epochs) + 1, self.settings.epochs + 1):
                if self._best is not None and patience is not None and number - 1 - report.best >= patience:
                    break
                self._epoch(number, report)
        except KeyboardInterrupt:
            if self._best is None:
                raise
            report.interrupted = True
        assert self._best is not None  # there is an epoch at least
        return self._best

    def _epoch(self, number: int, report: TrainingReport) -> None:
        started = time.monotonic()
        mistakes = 0
        settings, size = self.settings, getattr(self.learner, "portion", PORTION)
        for done, portion in portions(settings.seed, number, report.sentences, size):
            mistakes += self.learner.learn(portion, number)
            if settings.on_progress is not None:
                settings.on_progress(number, done, report.sentences)
        model = self.learner.model()
        las, uas, tags, strict_f, _ = DevScores() if self.evaluate is None else DevScores(*self.evaluate(model))
        epoch = Epoch(number, mistakes, round(time.monotonic() - started, 3), las, uas, dict(tags), strict_f)
        better = self._best is None or las is None or las > (report.las or -1.0)
        report.epochs.append(epoch)
        # Kept before it is announced: an interruption may come while the functions below run.
        if better:
            self._best, report.best = model, number
        if settings.on_epoch is not None:
            settings.on_epoch(epoch)
        if self.on_checkpoint is not None and self._best is not None:
            self.on_checkpoint(report, self._best)


def portions(seed: int, epoch: int, sentences: int, size: int = PORTION) -> Iterator[tuple[int, Ids]]:
    """Return the sentences of an epoch in their order, a portion at a time, and how many are done after each."""
    order = np.random.default_rng([seed, epoch]).permutation(sentences).astype(np.int32)
    for start in range(0, sentences, size):
        portion = order[start : start + size]
        yield start + len(portion), portion
