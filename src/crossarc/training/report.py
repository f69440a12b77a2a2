"""What training came to: epoch by epoch, and the epoch whose model is kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Epoch:
    """What one epoch came to."""

    number: int
    mistakes: int
    seconds: float
    #: Labelled and unlabelled attachment scores on development data (of enhanced graphs: F1 over arcs), in percent;
    #: None without such data.
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
        """The labelled score of the model that is kept, in percent."""
        return self.epochs[self.best - 1].las if self.best else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {**asdict(self), "las": self.las}


def measures(measure: str) -> tuple[str, str]:
    """Return what the two scores of an epoch are called: LAS and UAS of trees, F1 and unlabelled F1 else."""
    return measure, "UAS" if measure == "LAS" else f"unlabelled {measure}"
