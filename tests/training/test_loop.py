"""The training loop, with a learner that knows beforehand how good each of its models will be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

import crossarc as xa
from crossarc._arrays import AnyArray
from crossarc.training.loop import Trainer, TrainingSettings
from crossarc.training.report import Epoch, TrainingReport


@dataclass
class Scripted:
    """Its model after epoch n is n."""

    orders: dict[int, list[int]] = field(default_factory=dict)
    interrupt_in: int = 0

    def learn(self, order: NDArray[np.int32], epoch: int) -> int:
        if epoch == self.interrupt_in:
            raise KeyboardInterrupt
        self.orders.setdefault(epoch, []).extend(order.tolist())
        return len(order)

    def model(self) -> int:
        return max(self.orders)

    def state_dict(self) -> dict[str, AnyArray]:
        raise NotImplementedError

    def load_state_dict(self, arrays: Mapping[str, AnyArray]) -> None:
        raise NotImplementedError


def train(scores: list[float], patience: int | None = None, interrupt_in: int = 0) -> tuple[int, TrainingReport]:
    learner = Scripted(interrupt_in=interrupt_in)
    report = TrainingReport(600, 6000, 6000, 0)
    trainer = Trainer(learner, lambda model: (scores[model - 1], 1.0), TrainingSettings(len(scores), patience))
    return trainer.train(report), report


def test_the_best_epoch_is_kept_the_first_of_equals() -> None:
    best, report = train([0.5, 0.7, 0.7, 0.6])
    assert (best, report.best, report.las) == (2, 2, 0.7)
    assert [epoch.las for epoch in report.epochs] == [0.5, 0.7, 0.7, 0.6]


def test_patience_ends_training() -> None:
    best, report = train([0.5, 0.7, 0.6, 0.65, 0.9], patience=2)
    assert (best, len(report.epochs)) == (2, 4)


def test_without_development_data_the_last_is_kept() -> None:
    seen: list[Epoch] = []
    trainer = Trainer(Scripted(), None, TrainingSettings(3, on_epoch=seen.append))
    assert trainer.train(TrainingReport(10, 10, 10, 0)) == 3
    assert [(epoch.number, epoch.mistakes, epoch.las) for epoch in seen] == [
        (1, 10, None),
        (2, 10, None),
        (3, 10, None),
    ]


def test_an_interruption_keeps_the_best_so_far() -> None:
    best, report = train([0.5, 0.4, 0.9], interrupt_in=3)
    assert (best, report.interrupted, len(report.epochs)) == (1, True, 2)
    with pytest.raises(KeyboardInterrupt):
        train([0.5], interrupt_in=1)


def test_an_interruption_while_an_epoch_is_announced_keeps_its_model() -> None:
    def interrupt(epoch: Epoch) -> None:
        raise KeyboardInterrupt

    report = TrainingReport(10, 10, 10, 0)
    assert Trainer(Scripted(), None, TrainingSettings(3, on_epoch=interrupt)).train(report) == 1
    assert (report.interrupted, report.best, len(report.epochs)) == (True, 1, 1)


def test_every_epoch_sees_every_sentence_once_in_an_order_of_its_own() -> None:
    orders = []
    for _ in range(2):
        learner = Scripted()
        Trainer(learner, None, TrainingSettings(2, seed=3)).train(TrainingReport(600, 1, 1, 0))
        orders.append(learner.orders)
    assert orders[0] == orders[1]
    assert sorted(orders[0][1]) == sorted(orders[0][2]) == list(range(600))
    assert orders[0][1] != orders[0][2]


def test_going_on_sees_the_same_orders() -> None:
    whole, first, second = Scripted(), Scripted(), Scripted()
    Trainer(whole, None, TrainingSettings(3)).train(TrainingReport(50, 1, 1, 0))
    report = TrainingReport(50, 1, 1, 0)
    best = Trainer(first, None, TrainingSettings(2)).train(report)
    assert Trainer(second, None, TrainingSettings(3)).train(report, best) == 3
    assert first.orders | second.orders == whole.orders


def test_no_epochs_is_an_error() -> None:
    with pytest.raises(xa.ParserError, match="epochs is a whole number from 1 to 100,000, not 0"):
        train([])
    for wrong in ({"patience": 0}, {"seed": -1}, {"threads": 5000}):
        with pytest.raises(xa.ParserError, match=f"{next(iter(wrong))} is a whole number from"):
            TrainingSettings(1, **wrong)  # type: ignore[arg-type]
