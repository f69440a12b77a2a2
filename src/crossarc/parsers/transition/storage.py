"""Trained parsers as model files, and back. What a file says is checked before it is used."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ...encodings import from_dict
from ...errors import CrossarcError
from ...features import Columns
from ...models import ModelFile, ModelFileError
from ...models.base import definition_of
from ...transitions import TransitionSystem
from ...transitions.algebra import checked_root
from ..root_policy import RootPolicy
from .parser import Trained, TransitionParser, check_beam

_VOCABULARIES = "vocabularies"


def model_file_of(trained: Trained, bits: int = 16, prune: float = 0.0) -> ModelFile:
    """Return the description and the arrays of a trained parser, made smaller as its `arrays` does."""
    definition = trained.definition
    description = {
        "type": TransitionParser.type,
        "system": definition.system.to_dict(),
        "artificial_root": definition.artificial_root,
        "encoding": None if trained.encoding is None else trained.encoding.to_dict(),
        **definition.to_dict(),
        "labels": list(trained.labels),
        "encoded_labels": definition.labels,
        "encoded_root": trained.encoded_root,
        "root_policy": trained.policy.to_dict(),
        "beam": trained.beam,
        "training": trained.record,
    }
    # Too many texts for the description, which is read even if only that is asked for.
    vocabularies = json.dumps(definition.columns.to_dict(), ensure_ascii=False).encode()
    arrays: dict[str, Any] = {_VOCABULARIES: np.frombuffer(vocabularies, np.uint8)}
    # Definition and model are of one kind, which the types of a union do not say.
    arrays |= definition.arrays(trained.model, bits, prune)  # type: ignore[arg-type]
    return ModelFile(description, arrays)


def trained_of(file: ModelFile) -> Trained:
    """Return the trained parser that a model file describes."""
    data = file.description
    try:
        labels = tuple(str(label) for label in data["labels"])
        encoding = None if data["encoding"] is None else from_dict(data["encoding"])
        definition = definition_of(
            data,
            TransitionSystem.from_dict(data["system"]),
            checked_root(data["artificial_root"]),
            Columns.from_dict(json.loads(file.arrays[_VOCABULARIES].tobytes())),
            int(data["encoded_labels"]),
        )
        policy = RootPolicy.from_dict(data["root_policy"], labels)
        model = definition.model(file.arrays)
        encoded_root = int(data["encoded_root"])
        if not 0 <= encoded_root < definition.labels or (encoding is None and definition.labels != len(labels)):
            raise ValueError("its labels do not fit its encoding")
        beam = int(data["beam"])
        check_beam(definition.system, beam)
        return Trained(definition, encoding, labels, encoded_root, policy, model, dict(data["training"]), beam)
    except (CrossarcError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelFileError(f"the description of the model makes no sense ({error})") from error
