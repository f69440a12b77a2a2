"""Model files: arrays and a description in one safetensors file, which holds data only and is safe to open.

The metadata has a format version, a JSON description and a checksum of that and of all arrays, so that a file that was
altered or cut short is refused rather than used. It is mapped into memory and read once for the checksum: O(bytes).
What comes from a pipe is read into memory first.

A checksum keeps out accidents, not strangers. What a description says is checked field by field before it is used:
each kind of parser and of scorer has a table `fields` of the names of its fields with a check for each, made of the
functions at the end of this module. O(size of the description).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import AnyArray
from ..errors import BOUNDS, CrossarcError, FileError, file_error, shown
from ..treebank.files import COMPRESSIONS, check_writable, open_output
from ..treebank.reading import is_treebank

FORMAT = "crossarc model"
VERSION = 2
_ENTRY = "crossarc"
_LONGEST_REASON = 300
_LENGTH = 8  # bytes of a safetensors file that say how long its header is
_MOST_PIPED = 1 << 32  # bytes

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
    line = " ".join(printable(str(error).replace("\n", " ")).split())
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
    known = {"format": FORMAT, "version": VERSION, "checksum": _checksum(description, arrays)}
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
    if known.get("checksum") != _checksum(description, arrays):
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


def _checksum(description: str, arrays: Arrays) -> str:
    digest = hashlib.blake2b(description.encode("utf-8", "surrogatepass"), digest_size=16)
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


# Checks of what descriptions say

#: Refuses a value that a field cannot have; the name of the field is for the message.
Check = Callable[[str, Any], None]

#: What a line of CoNLL-U can hold as a label: no space, tab, line end or NUL, and nothing that is not Unicode.
_LABEL = re.compile(r"[^ \t\n\r\0\ud800-\udfff]+")
#: Control characters, which would do something to a terminal, and halves of characters, which cannot be printed.
_UNPRINTABLE = re.compile(r"[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
LONGEST_TEXT = 10_000
#: More labels than that no model tells apart.
MOST_LABELS = int(BOUNDS["different_labels"].most)
#: No count is larger: sentences, words, updates.
LARGEST_COUNT = 1 << 48


def check_fields(name: str, value: Any, fields: Mapping[str, Check], more: Mapping[str, Check] | None = None) -> None:
    """Check the fields of a JSON object; `more` are fields that it may lack. Those in no table are not looked at."""
    if not isinstance(value, dict):
        raise ModelFileError(f"{name} is {_excerpt(value)}, not an object with names and values")
    for field, check in fields.items():
        if field not in value:
            raise ModelFileError(f"{name} has no {field}")
        check(f"{name}.{field}", value[field])
    for field, check in (more or {}).items():
        if field in value:
            check(f"{name}.{field}", value[field])


def whole(least: int, most: int) -> Check:
    """Check that a value is a whole number within bounds."""

    def check(name: str, value: Any) -> None:
        if type(value) is not int or not least <= value <= most:
            raise ModelFileError(f"{name} is {_excerpt(value)}, not a whole number from {least} to {most}")

    return check


def number(least: float, most: float) -> Check:
    """Check that a value is a number within bounds."""

    def check(name: str, value: Any) -> None:
        if type(value) not in (int, float) or not math.isfinite(value) or not least <= value <= most:
            raise ModelFileError(f"{name} is {_excerpt(value)}, not a number from {least} to {most}")

    return check


def text(name: str, value: Any) -> None:
    """Check that a value is a text that can be shown."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or _UNPRINTABLE.search(value):
        raise ModelFileError(
            f"{name} is {_excerpt(value)}, not a text without control characters of at most {LONGEST_TEXT:,} letters"
        )


def file_name(name: str, value: Any) -> None:
    """Check that a value is a text; names of files may hold anything."""
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise ModelFileError(f"{name} is {_excerpt(value)}, not a text of at most {LONGEST_TEXT:,} letters")


def truth(name: str, value: Any) -> None:
    """Check that a value is true or false."""
    if type(value) is not bool:
        raise ModelFileError(f"{name} is {_excerpt(value)}, not true or false")


def one_of(*allowed: str) -> Check:
    """Check that a value is one of some texts."""

    def check(name: str, value: Any) -> None:
        if value not in allowed:
            raise ModelFileError(f"{name} is {_excerpt(value)}, not one of {', '.join(allowed)}")

    return check


def nullable(member: Check) -> Check:
    """Check a value that may be null."""

    def check(name: str, value: Any) -> None:
        if value is not None:
            member(name, value)

    return check


def listed(member: Check, least: int, most: int) -> Check:
    """Check a list and all of its members."""

    def check(name: str, value: Any) -> None:
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise ModelFileError(f"{name} is {_excerpt(value)}, not a list of {least} to {most} members")
        for place, one in enumerate(value):
            member(f"{name}[{place}]", one)

    return check


def named(member: Check, most: int) -> Check:
    """Check an object whose names are not known beforehand, and all of its values."""

    def check(name: str, value: Any) -> None:
        if not isinstance(value, dict) or len(value) > most:
            raise ModelFileError(f"{name} is {_excerpt(value)}, not an object of at most {most} names")
        for key, one in value.items():
            member(f"{name}.{shown(key)}", one)

    return check


def structure(name: str, value: Any) -> None:
    """Check that a value is an object; the class that it is made into checks the rest."""
    check_fields(name, value, {})


def plain(name: str, value: Any) -> None:
    """Check a value that is only shown: a number, a text, a truth value, nothing, or a list of these."""
    if isinstance(value, list):
        listed(plain, 0, 1000)(name, value)
    elif isinstance(value, str):
        text(name, value)
    elif value is not None and type(value) is not bool:
        number(-LARGEST_COUNT, LARGEST_COUNT)(name, value)


def tree_labels(name: str, value: Any) -> None:
    """Check a list of different labels that can be written into a treebank and read again."""
    listed(_label, 1, MOST_LABELS)(name, value)
    if len(set(value)) != len(value):
        raise ModelFileError(f"{name} has a label twice")


def _label(name: str, value: Any) -> None:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or not _LABEL.fullmatch(value):
        raise ModelFileError(f"{name} is {_excerpt(value)}, not a label: a text without spaces and line ends")


def printable(value: str) -> str:
    """Return a text with ? in place of what cannot be shown on a terminal."""
    return _UNPRINTABLE.sub("?", value)


def _excerpt(value: Any) -> str:
    """Return the beginning of a value as JSON."""
    if isinstance(value, int) and abs(value) > LARGEST_COUNT:
        return "a very large number"
    return shown(printable(json.dumps(value, ensure_ascii=False)))
