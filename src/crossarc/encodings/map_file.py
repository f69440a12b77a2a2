"""Map files: the encoding of a file and the labels it has, as JSON, for decoding what another program wrote."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from ..errors import FileError
from ..treebank.files import open_input, open_output
from .base import Encoding, EncodingError
from .composition import from_dict

_FORMAT = "crossarc encoding"
_VERSION = 1


def write_map(path: str | os.PathLike[str], encoding: Encoding, counts: Mapping[str, int]) -> None:
    """Write a fitted encoding and how often each encoded label occurs."""
    data = {"format": _FORMAT, "version": _VERSION, "encoding": encoding.to_dict(), "counts": dict(counts)}
    with open_output(path) as file:
        file.write(json.dumps(data, ensure_ascii=False, indent=1).encode() + b"\n")


def read_map(path: str | os.PathLike[str]) -> Encoding:
    """Read the encoding from a map file."""
    name = os.fspath(path)
    with open_input(name) as file:
        text = file.read()
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{name}: not a map file, which is JSON: {error}") from error
    if not isinstance(data, Mapping) or data.get("format") != _FORMAT:
        raise FileError(f"{name}: not a map file: give one that crossarc encode --map wrote")
    if data.get("version") != _VERSION:
        raise FileError(f"{name}: a map of version {data.get('version')}; this crossarc reads version {_VERSION}")
    try:
        return from_dict(data.get("encoding"))
    except EncodingError as error:
        raise FileError(f"{name}: {error}") from error
