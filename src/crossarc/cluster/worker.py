"""What a worker does: parse one shard with a model that it loads once, and write the result whole.

The output goes to a temporary file and appears under its name when it is complete; then a record of it, with counts
and a checksum, is written beside it. A worker that dies leaves neither, and a shard that two workers parsed, because
one was taken for dead, is written twice with the same bytes. Memory does not grow with the shard; the cost is that of
parsing.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..files import check_outputs, open_output
from ..parsers import Parser
from ..text import load
from ..text.inputs import Opened, input_treebanks
from ..treebank import Treebank, write
from .shards import Shard, is_local, located, opened_shard

_BLOCK = 1 << 20
_models: dict[tuple[str, str], Parser] = {}
_loading = threading.Lock()


@dataclass(frozen=True)
class ParseTask:
    """A shard, where its result and the record of it go, and how it is parsed."""

    shard: Shard
    output: str
    record: str
    model: str
    #: A checksum of the model.
    checksum: str
    #: A checksum of all that decides the result.
    key: str
    options: dict[str, Any] = field(default_factory=dict)
    #: Whether a file that is write-protected is replaced.
    force: bool = False


def parse_shard(task: ParseTask) -> dict[str, Any]:
    """Parse a shard, write the result and its record, and return the record."""
    parser = _model(task.model, task.checksum)
    counts = {"sentences": 0, "words": 0}
    with opened_shard(task.shard) as file:
        content = Opened(file, task.shard.path)
        kind = task.options.get("input") or task.shard.kind
        pieces = input_treebanks(parser, content, kind, task.options.get("format"), task.model, threads=1)
        parsed = parser.parse_stream(pieces, beam=task.options.get("beam"), threads=1)
        written = _write(_counted(parsed, counts), task.output, task.force)
    shard = task.shard
    record = {
        "input": shard.path,
        "start": shard.start,
        "end": shard.end,
        "output": shard.output_name,
        **counts,
        **written,
        "key": task.key,
    }
    put(record, task.record)
    return record


def _model(path: str, checksum: str) -> Parser:
    """Return a model, loaded once in each process."""
    with _loading:
        if (path, checksum) not in _models:
            system, name = located(path)
            if is_local(system):
                _models[path, checksum] = load(Path(name))
            else:
                with tempfile.TemporaryDirectory() as folder:
                    system.get_file(name, str(Path(folder) / "model.crossarc"))
                    _models[path, checksum] = load(Path(folder) / "model.crossarc")
        return _models[path, checksum]


def _counted(pieces: Iterator[Treebank], counts: dict[str, int]) -> Iterator[Treebank]:
    for piece in pieces:
        counts["sentences"] += len(piece)
        counts["words"] += piece.words
        yield piece


def _write(pieces: Iterator[Treebank], address: str, force: bool) -> dict[str, Any]:
    """Write a result under its address, whole or not at all; return how long it is, and its checksum."""
    system, path = located(address)
    if is_local(system):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        if force:
            check_outputs([("treebank", path)], force=True)
        write(pieces, path)
        return _measured(path)
    with tempfile.TemporaryDirectory() as folder:
        local = str(Path(folder) / path.rpartition("/")[2])
        write(pieces, local)
        measured = _measured(local)
        system.makedirs(path.rpartition("/")[0], exist_ok=True)
        system.put_file(local, path)
    return measured


def _measured(path: str) -> dict[str, Any]:
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return {"bytes": Path(path).stat().st_size, "sha256": digest.hexdigest()}


def put(data: dict[str, Any], address: str) -> None:
    """Write JSON under an address; a letter of a file's name that is none in UTF-8 is written as its escape."""
    system, path = located(address)
    system.makedirs(path.rpartition("/")[0], exist_ok=True)
    content = json.dumps(data, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace") + b"\n"
    if not is_local(system):
        system.pipe_file(path, content)
        return
    with open_output(path) as file:
        file.write(content)
