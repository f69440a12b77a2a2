"""Model files: arrays and a description in one safetensors file, which holds data only and is safe to open.

The metadata has a format version, a JSON description and a checksum of that and of all arrays, so that a file that was
altered or cut short is refused rather than used. It is mapped into memory and read once for the checksum: O(bytes).
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import AnyArray
from ..errors import FileError, shown
from ..treebank.files import COMPRESSIONS, open_output

FORMAT = "crossarc model"
VERSION = 2
_ENTRY = "crossarc"

#: Arrays by name.
Arrays = dict[str, AnyArray]


class ModelFileError(FileError):
    """A file that is no model, or none that can be used."""


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds."""

    description: dict[str, Any]
    arrays: Arrays


def check_model_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file that a model can be written to; better asked before training than after."""
    name = os.fspath(path)
    if name.endswith(COMPRESSIONS) or name == "-":
        raise ModelFileError(
            f"{name}: a model is mapped into memory: give a file name that does not ask to compress it"
        )
    if not Path(name).resolve().parent.is_dir():
        raise ModelFileError(f"{name}: cannot be written: there is no folder {Path(name).parent}")
    return name


def write_model_file(path: str | os.PathLike[str], model: ModelFile) -> None:
    """Write a model; it appears under its name whole or not at all."""
    from safetensors.numpy import save

    name = check_model_name(path)
    arrays = {key: np.ascontiguousarray(array) for key, array in model.arrays.items()}
    description = json.dumps(model.description, ensure_ascii=False, sort_keys=True)
    known = {"format": FORMAT, "version": VERSION, "checksum": _checksum(description, arrays)}
    # One entry, because safetensors writes several in any order, and the same model should give the same bytes.
    metadata = {_ENTRY: json.dumps({**known, "description": description})}
    with open_output(name) as file:
        file.write(save(arrays, metadata))


def read_model_file(path: str | os.PathLike[str]) -> ModelFile:
    """Read a model; what is not whole, not ours or of another version is refused with the reason."""
    from safetensors import SafetensorError, safe_open

    name = os.fspath(path)
    try:
        with Path(name).open("rb"):  # for a clear word about files that cannot be read
            pass
        with safe_open(name, framework="numpy") as file:
            known = _known(name, file.metadata() or {})
            arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except OSError as error:
        raise FileError(f"{name}: cannot be read: {error.strerror or error}") from error
    except (SafetensorError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelFileError(f"{name}: not a crossarc model, or damaged ({error}): train it or get it again") from error
    description = str(known.get("description"))
    if known.get("checksum") != _checksum(description, arrays):
        raise ModelFileError(f"{name}: the model is damaged: its checksum is wrong; train it or get it again")
    return ModelFile(json.loads(description), arrays)


def _known(name: str, metadata: dict[str, str]) -> dict[str, Any]:
    """Return our entry of the metadata, if it is one of this version."""
    known = json.loads(metadata.get(_ENTRY, "null"))
    if not isinstance(known, dict) or known.get("format") != FORMAT:
        raise ModelFileError(f"{name}: not a crossarc model: give a file that crossarc train wrote")
    found = known.get("version")
    if type(found) is not int:
        raise ModelFileError(
            f"{name}: the version of the model is {shown(json.dumps(found))} where a number should be: train it again"
        )
    if found != VERSION:
        raise ModelFileError(
            f"{name}: a model of version {found}; this crossarc reads version {VERSION}: train it again"
        )
    return known


def _checksum(description: str, arrays: Arrays) -> str:
    digest = hashlib.blake2b(description.encode("utf-8", "surrogatepass"), digest_size=16)
    for key in sorted(arrays):
        array = arrays[key]
        digest.update(f"\0{key} {array.dtype.str} {array.shape}\0".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
