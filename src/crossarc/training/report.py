"""What training came to: epoch by epoch, and the epoch whose model is kept.

Scores are shares from 0 to 1, as everywhere in Python and JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from ..models.model_file import ModelFileError, check_fields
from ..options import (
    LARGEST_COUNT,
    Check,
    file_name,
    listed,
    named,
    nullable,
    number,
    one_of,
    plain,
    text,
    truth,
    whole,
)


@dataclass(frozen=True)
class Epoch:
    """What one epoch came to."""

    number: int
    #: Choices of the learner that were wrong while it learnt: transitions; with a beam, sentences and labels.
    mistakes: int
    seconds: float
    #: Labelled and unlabelled attachment scores on development data (of enhanced graphs: F1 over arcs), from 0 to 1;
    #: None without such data.
    las: float | None = None
    uas: float | None = None
    #: Of parsers that predict columns: the share of words on development data whose value is right, for each column.
    tags: dict[str, float] = field(default_factory=dict)
    #: Strict F of non-projective arcs on development data, from 0 to 1: an arc is right if it is non-projective in both
    #: trees and has the right head. None where such data have hardly any.
    strict_f: float | None = None


class DevScores(NamedTuple):
    """What a model comes to on development data: the scores of an epoch."""

    las: float | None = None
    uas: float | None = None
    tags: Mapping[str, float] = {}
    strict_f: float | None = None
    #: How many non-projective arcs were found for each gold one.
    nonprojective: float | None = None


@dataclass
class TrainingReport:
    """What training came to."""

    sentences: int
    words: int
    #: Arcs of the training data, and how many of them the system cannot build.
    arcs: int
    lost_arcs: int
    #: Of enhanced graphs, relations to empty nodes, which no system builds: they are not learnt.
    left_out: int = 0
    #: What the labelled score of an epoch is: LAS of trees, F1 of enhanced graphs.
    measure: str = "LAS"
    epochs: list[Epoch] = field(default_factory=list)
    #: The number of the epoch whose model is kept.
    best: int = 0
    interrupted: bool = False

    @property
    def las(self) -> float | None:
        """The labelled score of the model that is kept, from 0 to 1; None without development data."""
        return self.epochs[self.best - 1].las if self.best else None

    @property
    def uas(self) -> float | None:
        """The unlabelled score of the model that is kept, from 0 to 1; None without development data."""
        return self.epochs[self.best - 1].uas if self.best else None

    @property
    def strict_f(self) -> float | None:
        """The strict F of non-projective arcs of the model that is kept; None where there are hardly any to measure."""
        return self.epochs[self.best - 1].strict_f if self.best else None

    @property
    def tags(self) -> dict[str, float]:
        """The accuracy of each predicted column of the model that is kept, from 0 to 1."""
        return self.epochs[self.best - 1].tags if self.best else {}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {**asdict(self), "las": self.las, "uas": self.uas, "strict_f": self.strict_f}

    def record(self) -> dict[str, Any]:
        """Return what a model file keeps: no times, so that the same training gives the same."""
        epochs = [asdict(epoch) for epoch in self.epochs]
        for epoch in epochs:
            del epoch["seconds"]
            if epoch["strict_f"] is None:
                del epoch["strict_f"]
        return {**asdict(self), "epochs": epochs, "las": self.las}


def measures(measure: str) -> tuple[str, str]:
    """Return what the two scores of an epoch are called: LAS and UAS of trees, F1 and unlabelled F1 else."""
    return measure, "UAS" if measure == "LAS" else f"unlabelled {measure}"


# What model files and checkpoints say about training

_count = whole(0, LARGEST_COUNT)
_share = nullable(number(0, 1))
_MOST_EPOCHS = 1_000_000
_EPOCH: Mapping[str, Check] = {"number": _count, "mistakes": _count, "las": _share, "uas": _share}
_MOST_TAGS = 64
_MORE_OF_EPOCHS: Mapping[str, Check] = {"tags": named(_share, _MOST_TAGS), "strict_f": _share}
#: What the record of a training has in a model file, and what it may lack; `Parser.info` shows it.
_RECORD: Mapping[str, Check] = {
    "sources": listed(file_name, 0, 1_000_000),
    "fingerprint": text,
    "sentences": _count,
    "words": _count,
    "lost_arcs": _count,
    "epochs": listed(lambda name, value: check_fields(name, value, _EPOCH, _MORE_OF_EPOCHS), 1, _MOST_EPOCHS),
    "best": whole(1, _MOST_EPOCHS),
    "seed": whole(0, 2**64 - 1),
}
_MORE: Mapping[str, Check] = {
    "arcs": _count,
    "left_out": _count,
    "measure": one_of("LAS", "F1"),
    "interrupted": truth,
    "las": _share,
    "cutoff": _count,
    "scorer": named(plain, 1000),
    "beam": _count,
    "crossarc": text,
    "command": text,
}


def check_record(name: str, value: Any) -> None:
    """Refuse what is no record of a training."""
    check_fields(name, value, _RECORD, _MORE)
    _check_best(name, value)


def check_report(name: str, value: Any) -> None:
    """Refuse what is no report in a checkpoint: its epochs have times, and follow each other."""
    known: dict[str, Check] = {**_EPOCH, "seconds": number(0, LARGEST_COUNT)}
    epochs = listed(lambda name, epoch: check_fields(name, epoch, known, _MORE_OF_EPOCHS), 1, _MOST_EPOCHS)
    check_fields(name, value, {"epochs": epochs, "best": _RECORD["best"]})
    _check_best(name, value)
    if [epoch["number"] for epoch in value["epochs"]] != list(range(1, len(value["epochs"]) + 1)):
        raise ModelFileError(f"{name}.epochs are not numbered 1, 2, 3 …")


def _check_best(name: str, value: Mapping[str, Any]) -> None:
    if value["best"] > len(value["epochs"]):
        raise ModelFileError(f"{name}.best is {value['best']}, and there are {len(value['epochs'])} epochs")
