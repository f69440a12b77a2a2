"""Checkpoints: all that training needs in order to go on after an epoch as if nothing had happened.

A model file with the state of the learners, the best model so far and what the training is of, so that a checkpoint of
other data or options is refused. O(features · classes).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from numpy.typing import NDArray

from .. import _kernel
from ..models import ModelFile, ModelFileError, read_model_file, write_model_file
from .errors import ParserError
from .greedy import Definition, arrays_of
from .training import Epoch, TrainingReport

_TYPE = "training checkpoint"
_BEST = "best_"
_KINDS = ("transition", "label")
_STATE = ("hashes", "updates", "weights", "weighted")


class Checkpoint:
    """A file that is written after each epoch and read when training goes on."""

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, Any]) -> None:
        """`identity` is what must be the same for training to go on: data, options and seed, as plain data."""
        self.path = Path(path)
        self.identity = json.loads(json.dumps(identity))

    def write(
        self, learners: Sequence[_kernel.GreedyLearner], report: TrainingReport, best: _kernel.GreedyModel
    ) -> None:
        """Write the state after an epoch."""
        arrays: dict[str, NDArray[Any]] = {_BEST + name: array for name, array in arrays_of(best).items()}
        numbers: list[list[int]] = []
        for place, learner in enumerate(learners):
            *memories, random = learner.remember()
            numbers.append([*(memory[0] for memory in memories), random])
            for kind, (_, *state) in zip(_KINDS, memories, strict=True):
                names = (_name(place, kind, name) for name in _STATE)
                arrays |= dict(zip(names, cast(list[NDArray[Any]], state), strict=True))
        description = {"type": _TYPE, "identity": self.identity, "report": report.to_dict(), "numbers": numbers}
        write_model_file(self.path, ModelFile(description, arrays))

    def restore(
        self, learners: Sequence[_kernel.GreedyLearner], definition: Definition, report: TrainingReport
    ) -> _kernel.GreedyModel | None:
        """Put learners and report into the state of the file and return the best model; None if there is no file."""
        if not self.path.exists():
            return None
        file = read_model_file(self.path)
        data, arrays = file.description, file.arrays
        if data.get("type") != _TYPE:
            raise ModelFileError(f"{self.path}: not a checkpoint of training")
        found = data.get("identity", {})
        other = sorted(name for name in {*found, *self.identity} if found.get(name) != self.identity.get(name))
        if other:
            raise ParserError(
                f"{self.path}: the checkpoint is of another training ({', '.join(other)} differ): "
                "give the same data and options, or remove it"
            )
        try:
            for place, (learner, numbers) in enumerate(zip(learners, data["numbers"], strict=True)):
                transitions, labels = (
                    (step, *(arrays[_name(place, kind, name)] for name in _STATE))
                    for kind, step in zip(_KINDS, numbers[:2], strict=True)
                )
                learner.restore(transitions, labels, numbers[2])
            best = definition.model(
                {name.removeprefix(_BEST): array for name, array in arrays.items() if name.startswith(_BEST)}
            )
            report.epochs = [Epoch(**epoch) for epoch in data["report"]["epochs"]]
            report.best = int(data["report"]["best"])
        except (KeyError, TypeError, ValueError) as error:
            raise ModelFileError(f"{self.path}: the checkpoint makes no sense ({error}): remove it") from error
        return best


def _name(place: int, kind: str, name: str) -> str:
    return f"learner_{place}_{kind}_{name}"
