"""Checkpoints: all that training needs in order to go on after an epoch as if nothing had happened.

A model file with the state of the learner, the best model so far and what the training is of, so that a checkpoint of
other data or options is refused. O(weights).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._arrays import AnyArray
from ..errors import ParserError
from ..models.base import AnyModel, Definition, Learner
from ..models.model_file import (
    LARGEST_COUNT,
    MISFITS,
    Arrays,
    Check,
    ModelFile,
    ModelFileError,
    check_fields,
    listed,
    read_model_file,
    reason,
    structure,
    whole,
    write_model_file,
)
from .report import Epoch, TrainingReport, check_report

_TYPE = "training checkpoint"
_BEST = "best_"
_LEARNER = "learner_"


def _number(name: str, value: Any) -> None:
    """Refuse what is not a number of a learner's state, or a list of them."""
    if isinstance(value, list):
        listed(whole(0, 2**64 - 1), 0, 100)(name, value)
    else:
        whole(0, LARGEST_COUNT)(name, value)


_FIELDS: Mapping[str, Check] = {
    "identity": structure,
    "report": check_report,
    "numbers": listed(_number, 0, 10_000),
}


class Checkpoint:
    """A file that is written after each epoch and read when training goes on."""

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, Any]) -> None:
        """`identity` is what must be the same for training to go on: data, options and seed, as plain data."""
        self.path = Path(path)
        self.identity = json.loads(json.dumps(identity))

    def write(self, learner: Learner[object], report: TrainingReport, best: Mapping[str, AnyArray]) -> None:
        """Write the state after an epoch; `best` are the arrays of the best model so far."""
        numbers, state = learner.remember()
        arrays = {_BEST + name: array for name, array in best.items()}
        arrays |= {_LEARNER + name: array for name, array in state.items()}
        description = {"type": _TYPE, "identity": self.identity, "report": report.to_dict(), "numbers": numbers}
        write_model_file(self.path, ModelFile(description, arrays))

    def restore(
        self, definition: Definition[AnyModel], learner: Learner[AnyModel], report: TrainingReport
    ) -> AnyModel | None:
        """Put learner and report into the state of the file and return the best model so far; None without a file.

        Whatever the file says is checked, as model files are.
        """
        if not self.path.exists():
            return None
        file = read_model_file(self.path)
        data = file.description
        if data.get("type") != _TYPE:
            raise ModelFileError(f"{self.path}: not a checkpoint of training")
        try:
            check_fields("checkpoint", data, _FIELDS)
        except ModelFileError as error:
            raise self._misfit(error) from error
        found = data["identity"]
        other = sorted(name for name in {*found, *self.identity} if found.get(name) != self.identity.get(name))
        if other:
            raise ParserError(
                f"{self.path}: the checkpoint is of another training ({', '.join(other)} differ): "
                "give the same data and options, or remove it"
            )
        try:
            learner.restore(data["numbers"], _with_prefix(file.arrays, _LEARNER))
            best = definition.model(_with_prefix(file.arrays, _BEST))
            report.epochs = [Epoch(**epoch) for epoch in data["report"]["epochs"]]
            report.best = data["report"]["best"]
        except MISFITS as error:
            raise self._misfit(error) from error
        return best

    def _misfit(self, error: BaseException) -> ModelFileError:
        return ModelFileError(f"{self.path}: the checkpoint cannot be restored ({reason(error)}): remove it")


def _with_prefix(arrays: Mapping[str, AnyArray], prefix: str) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
