"""Model files: arrays and a description in one safetensors file, which holds data only and is safe to open.

The metadata has a format version, a JSON description and a checksum of that and of all arrays, so that a file that was
altered or cut short is refused rather than used. It is mapped into memory and read once for the checksum: O(bytes).
What comes from a pipe is read into memory first.

A checksum keeps out accidents, not strangers: CRC-32, which notices every change of four bytes side by side and all but
one in four thousand million others, in a sixth of the time of SHA-256. What a description says is checked field by
field before it is used: options check themselves when they are made again, and each kind of parser and of scorer has a
table `fields` of the names of its other fields with a check for each (`crossarc.options`). O(size of the description).
"""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .._arrays import AnyArray
from ..errors import CrossarcError, FileError, OptionError, clean, file_error, shown
from ..files import COMPRESSIONS, check_writable, open_output
from ..options import LARGEST_COUNT, Check, structure
from ..treebank.reading import is_treebank

FORMAT = "crossarc model"
VERSION = 3
_ENTRY = "crossarc"
_LONGEST_REASON = 300
_LENGTH = 8  # bytes of a safetensors file that say how long its header is
_MOST_PIPED = 1 << 32  # bytes
_OLDER_SIZE = 16  # bytes of a checksum by BLAKE2b
_CRC = "crc32:"  # what checksums begin with, but those of older versions

#: Arrays by name.
Arrays = dict[str, AnyArray]


class ModelFileError(FileError):
    """A file that is no model, or none that can be used."""


#: What objects raise that are made of a file whose parts do not fit together.
MISFITS = (
    *(CrossarcError, LookupError, TypeError, ValueError),
    *(AttributeError, ArithmeticError, RecursionError, MemoryError),
)


def reason(error: BaseException) -> str:
    """Return what an error says, on one line that is not too long."""
    line = " ".join(clean(str(error).replace("\n", " ")).split())
    return line if len(line) <= _LONGEST_REASON else line[:_LONGEST_REASON] + "…"


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds."""

    description: dict[str, Any]
    arrays: Arrays


def check_model_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file that a model can be written to, which is tried; better before training than after."""
    name = _model_name(path)
    check_writable(name)
    return name


def _model_name(path: str | os.PathLike[str]) -> str:
    name = os.fspath(path)
    if name.endswith(COMPRESSIONS) or name == "-":
        raise ModelFileError(
            f"{name}: a model is mapped into memory: give a file name that does not ask to compress it"
        )
    if Path(name).is_fifo():
        raise ModelFileError(f"{name}: is a pipe: give the name of a file for the model")
    return name


def write_model_file(path: str | os.PathLike[str], model: ModelFile) -> None:
    """Write a model; it appears under its name whole or not at all."""
    from safetensors.numpy import save

    name = _model_name(path)
    arrays = {key: np.ascontiguousarray(array) for key, array in model.arrays.items()}
    description = json.dumps(model.description, ensure_ascii=False, sort_keys=True)
    known = {"format": FORMAT, "version": VERSION, "checksum": _checksum(description, arrays, _Crc())}
    # One entry, because safetensors writes several in any order, and the same model should give the same bytes.
    metadata = {_ENTRY: json.dumps({**known, "description": description})}
    with open_output(name) as file:
        file.write(save(arrays, metadata))


def read_model_file(path: str | os.PathLike[str]) -> ModelFile:
    """Read a model; what is not whole, not ours or of another version is refused with the reason."""
    from safetensors import SafetensorError, safe_open
    from safetensors.numpy import load

    name = os.fspath(path)
    try:
        mode = Path(name).stat().st_mode
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            with Path(name).open("rb"):  # for a clear word about files that cannot be read
                pass
            with safe_open(name, framework="numpy") as file:
                known = _known(name, file.metadata() or {})
                arrays = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
        else:
            content = _piped(name)
            known = _known(name, _metadata(content))
            arrays = load(content)
    except FileError:
        raise
    except OSError as error:
        raise file_error(f"{name}: cannot be read: {error.strerror or error}", error, name) from error
    except (SafetensorError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        if is_treebank(name):
            raise ModelFileError(
                f"{name}: this is a treebank, not a model: are the two swapped? Give a file that crossarc train wrote; "
                "a command that needs both takes the model first: crossarc parse MODEL FILE"
            ) from error
        raise ModelFileError(f"{name}: not a crossarc model, or damaged ({error}): train it or get it again") from error
    description = str(known.get("description"))
    if not _is_whole(known.get("checksum"), description, arrays):
        raise ModelFileError(f"{name}: the model is damaged: its checksum is wrong; train it or get it again")
    return ModelFile(_described(name, description), arrays)


def _piped(name: str) -> bytes:
    """Return what a pipe or a device gives, which cannot be mapped; a pipe that nothing writes to is not waited for."""
    # Without O_NONBLOCK the pipe would be waited for already when it is opened.
    with os.fdopen(os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb", buffering=0) as file:
        start = file.read(_LENGTH + 1)  # None: there is a writer, which has not written yet
        os.set_blocking(file.fileno(), True)
        if start == b"":
            raise ModelFileError(f"{name}: nothing is written to this pipe: give a file that crossarc train wrote")
        content = bytearray(start or b"")
        while len(content) <= _MOST_PIPED and (block := file.read(1 << 20)):
            content += block
            if len(content) > _LENGTH and content[_LENGTH] != ord("{"):
                break  # no model: what an endless device gives is not collected
    if len(content) > _MOST_PIPED:
        raise ModelFileError(f"{name}: more than {_MOST_PIPED:,} bytes from a pipe: write the model to a file first")
    return bytes(content)


def _metadata(content: bytes) -> dict[str, str]:
    """Return the metadata in the header of a safetensors file."""
    length = int.from_bytes(content[:_LENGTH], "little")
    header = json.loads(content[_LENGTH : _LENGTH + length])
    found: dict[str, str] = header.get("__metadata__") or {}
    return found


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


def _described(name: str, description: str) -> dict[str, Any]:
    """Return the description of a model as plain data."""
    try:
        data = json.loads(description, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{name}: the description of the model is not JSON ({reason(error)})") from error
    if not isinstance(data, dict):
        raise ModelFileError(f"{name}: the description of the model is not a JSON object with names and values")
    return data


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not a number")


def _is_whole(checksum: Any, description: str, arrays: Arrays) -> bool:
    # Files of older versions have other checksums, which take longer.
    digest: _Digest = _Crc()
    if not isinstance(checksum, str):
        return False
    if not checksum.startswith(_CRC):
        import hashlib

        oldest = len(checksum) == 2 * _OLDER_SIZE
        digest = hashlib.blake2b(digest_size=_OLDER_SIZE) if oldest else hashlib.sha256()
    return checksum == _checksum(description, arrays, digest)


class _Digest(Protocol):
    def update(self, data: bytes | memoryview, /) -> None: ...

    def hexdigest(self) -> str: ...


class _Crc:
    """CRC-32 with the methods of hashlib."""

    def __init__(self) -> None:
        self._value = 0

    def update(self, data: bytes | memoryview, /) -> None:
        self._value = zlib.crc32(data, self._value)

    def hexdigest(self) -> str:
        return f"{_CRC}{self._value:08x}"


def _checksum(description: str, arrays: Arrays, digest: _Digest) -> str:
    digest.update(description.encode("utf-8", "surrogatepass"))
    for key in sorted(arrays):
        array = arrays[key]
        digest.update(f"\0{key} {array.dtype.str} {array.shape}\0".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def array_of(arrays: Mapping[str, AnyArray], name: str, held: type[np.generic]) -> AnyArray:
    """Return an array of a file; a ValueError if it does not hold such numbers."""
    array = arrays[name]
    if array.dtype != held:
        raise ValueError(f"{name} holds {array.dtype}, not {held.__name__}")
    return array


def count_array(count: int) -> AnyArray:
    """Return a number from 0 on, such as that of steps, as an array for a file."""
    return np.array([count], np.uint64)


def count_from(arrays: Mapping[str, AnyArray], name: str, most: int = LARGEST_COUNT) -> int:
    """Return a number of a file; a ValueError if it is none from 0 to `most`."""
    array = array_of(arrays, name, np.uint64)
    if array.shape != (1,) or array[0] > most:
        raise ValueError(f"{name} is {shown(str(array.tolist()))}, not a whole number from 0 to {most}")
    return int(array[0])


def check_fields(name: str, value: Any, known: Mapping[str, Check], more: Mapping[str, Check] | None = None) -> None:
    """Check the fields of a JSON object; `more` are fields that it may lack. Those in no table are not looked at."""
    try:
        structure(name, value)
        for field, check in {**known, **(more or {})}.items():
            if field in value:
                check(f"{name}.{field}", value[field])
            elif field in known:
                raise ModelFileError(f"{name} has no {field}")
    except OptionError as error:
        raise ModelFileError(str(error)) from error
