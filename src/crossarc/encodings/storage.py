"""Encodings by name and as plain data: descriptions in model files, and map files.

A map file keeps the encoding of a treebank as JSON. With the map of a training file, `crossarc decode` restores trees
from what another program wrote.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from ..errors import FileError, ParserError
from ..files import open_output, read_whole
from .base import Composition, Encoding, EncodingError
from .pseudo_projective import SCHEMES, PseudoProjective
from .undirected import Undirected

_TYPES = (PseudoProjective.type, Undirected.type, Composition.type)

_FORMAT = "crossarc encoding"
_VERSION = 1
_LARGEST = 1 << 28  # bytes of a map


def named_encoding(
    name: str,
    *,
    reconstruction: str = "label",
    signs: str = "arrows",
    search: str = "careful",
    lift_order: str = "shortest",
    covered_roots: str = "none",
) -> Encoding:
    """Make an encoding by its name: a scheme such as "head", "undirected", or several one after the other.

    >>> named_encoding("head,undirected") == Undirected("label").after(PseudoProjective("head"))
    True
    """
    encoding: Encoding | None = None
    for scheme in name.split(","):
        if scheme not in (*SCHEMES, "undirected"):
            raise EncodingError(f'unknown scheme "{scheme}": use one of {", ".join(SCHEMES)}, undirected')
        added: Encoding = (
            Undirected(reconstruction)
            if scheme == "undirected"
            else PseudoProjective(scheme, lift_order, covered_roots, search, signs)
        )
        encoding = added if encoding is None else added.after(encoding)
    assert encoding is not None  # a split text has a part
    return encoding


def from_dict(data: Any) -> Encoding:
    """Make an encoding again from what its `to_dict` gave."""
    if not isinstance(data, Mapping) or str(data.get("type")) not in _TYPES:
        named = data.get("type") if isinstance(data, Mapping) else type(data).__name__
        raise EncodingError(f"no such encoding: {named}; there are {', '.join(_TYPES)}")
    parts = {name: part for name, part in data.items() if name != "type"}
    if data["type"] == Composition.type:
        if unknown := sorted(set(parts) - {"second", "first"}):
            raise EncodingError(f"no option {unknown[0]!r} of the composition encoding: its options are second, first")
        return Composition(from_dict(parts.get("second")), from_dict(parts.get("first")))
    try:
        if data["type"] == PseudoProjective.type:
            return PseudoProjective.from_dict(parts)
        undirected = Undirected.from_dict(parts)
    except ParserError as error:
        raise EncodingError(str(error)) from error
    if undirected.labels and undirected.root_label not in undirected.labels:
        raise EncodingError(f"the label of roots, {undirected.root_label!r}, is not among the labels of the encoding")
    return undirected


def write_map(path: str | os.PathLike[str], encoding: Encoding, counts: Mapping[str, int]) -> None:
    """Write a fitted encoding and how often each encoded label occurs."""
    data = {"format": _FORMAT, "version": _VERSION, "encoding": encoding.to_dict(), "counts": dict(counts)}
    with open_output(path) as file:
        file.write(json.dumps(data, ensure_ascii=False, indent=1).encode() + b"\n")


def read_map(path: str | os.PathLike[str]) -> Encoding:
    """Read the encoding from a map file."""
    name = os.fspath(path)
    text = read_whole(name, _LARGEST)
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
