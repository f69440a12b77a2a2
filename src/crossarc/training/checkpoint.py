"""Checkpoints: all that training needs in order to go on after an epoch as if nothing had happened.

A model file with the state of the learner, the best model so far and what the training is of, so that a checkpoint of
other data or options is refused. O(weights).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from .._arrays import AnyArray
from ..errors import ParserError
from ..models.base import AnyModel, Learner, SomeModel
from ..models.model_file import (
    MISFITS,
    Arrays,
    ModelFile,
    ModelFileError,
    check_fields,
    read_model_file,
    reason,
    write_model_file,
)
from ..options import Check, structure
from .report import Epoch, TrainingReport, check_report

_TYPE = "training checkpoint"
_BEST = "best_"
_LEARNER = "learner_"


_FIELDS: Mapping[str, Check] = {"identity": structure, "report": check_report}


class MakesModels(Protocol[SomeModel]):
    """What makes a model of the arrays of a file: the definition of any kind."""

    def model(self, arrays: Mapping[str, AnyArray]) -> SomeModel:
        """Return the model whose `arrays` these are; others are refused."""


class Checkpoint:
    """A file that is written after each epoch and read when training goes on."""

    def __init__(self, path: str | os.PathLike[str], identity: Mapping[str, Any]) -> None:
        """`identity` is what must be the same for training to go on: data, options and seed, as plain data."""
        self.path = Path(path)
        self.identity = json.loads(json.dumps(identity))

    def write(self, learner: Learner[object], report: TrainingReport, best: Mapping[str, AnyArray]) -> None:
        """Write the state after an epoch; `best` are the arrays of the best model so far."""
        arrays = {_BEST + name: array for name, array in best.items()}
        arrays |= {_LEARNER + name: array for name, array in learner.state_dict().items()}
        description = {"type": _TYPE, "identity": self.identity, "report": report.to_dict()}
        write_model_file(self.path, ModelFile(description, arrays))

    def restore(
        self, definition: MakesModels[AnyModel], learner: Learner[AnyModel], report: TrainingReport
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
        saved, given = data["identity"], self.identity
        other = sorted(name for name in {*saved, *given} if saved.get(name) != given.get(name))
        if other:
            raise ParserError(
                f"{self.path}: the checkpoint is of another training ({', '.join(other)} differ): "
                "give the same data and options, or remove it"
            )
        try:
            learner.load_state_dict(_with_prefix(file.arrays, _LEARNER))
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
