"""Which parts of which files are worked on, one a task, found without reading the files.

Inputs are files, directories, globs and addresses of object stores, through fsspec. A large file is cut at multiples of
a size, and each part goes from the first sentence boundary behind its beginning, an empty line, to the first behind its
end: every process finds the same boundaries by itself, and every sentence is in one part. Compressed files are not cut.
O(files), and O(1) bytes of each; reading a part costs its own bytes.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any

from ..errors import MissingFileError, imported
from ..files import COMPRESSIONS, SUFFIXES, TEXT_SUFFIXES, decompressed
from ..text.inputs import Opened, recognised

_MAGIC = re.compile(r"[*?\[]")
_NO_NAMES = frozenset(("", ".", ".."))
_EMPTY_LINE = re.compile(rb"\n\r?\n")
_BLOCK = 1 << 16
_COMPRESSED = (b"\x1f\x8b", b"\xfd7zXZ\x00")


@dataclass(frozen=True)
class Shard:
    """A part of a file: bytes `start` to `end`, moved to the next sentence boundaries, or all of a compressed file."""

    #: The address of the file.
    path: str
    #: What the file is called below the directory that was asked for, without the suffixes of texts and treebanks.
    name: str
    start: int
    end: int
    size: int
    #: Which of how many parts of the file.
    number: int = 0
    count: int = 1
    #: When the file was changed last, as far as its file system says.
    version: str = ""
    #: What it holds, where that was found out for the whole file.
    kind: str | None = None

    @property
    def output_name(self) -> str:
        """What the parsed shard is called; what comes from a compressed file is compressed."""
        part = f".part-{self.number:05d}-of-{self.count:05d}" if self.count > 1 else ""
        compression = next((suffix for suffix in COMPRESSIONS if self.path.endswith(suffix)), "")
        return f"{self.name}{part}.conllu{compression}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: what decides the content of the shard."""
        return dict(vars(self))


def plan(
    inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    shard_bytes: int,
    is_output: Callable[[str, str], bool] = lambda address, folder: False,
) -> list[Shard]:
    """Return the shards of inputs, in the order of their names; an input that names no file is an error.

    `is_output` says whether an address, found below that of a folder, is no input but was written from others.
    """
    given = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    shards: dict[tuple[str, int], Shard] = {}
    for name in (os.fspath(path) for path in given):
        found = list(_shards_of(name, shard_bytes, is_output))
        if not found:
            raise MissingFileError(f"{name}: no such file, and no files of this pattern but what was parsed before")
        shards |= {(shard.path, shard.start): shard for shard in found}
    return _named_apart(sorted(shards.values(), key=lambda shard: (shard.path, shard.start)))


def _shards_of(url: str, shard_bytes: int, is_output: Callable[[str, str], bool]) -> Iterator[Shard]:
    system, path = located(url)
    pattern = _MAGIC.search(path)
    if pattern is not None and not system.exists(path):  # a file may be called a[1].txt
        files = system.glob(path)
        base = path[: pattern.start()].rpartition("/")[0]
    elif system.isdir(path):
        files = [file for file in system.find(path) if _is_corpus_file(file)]
        base = path
    else:
        files = [path] if system.exists(path) else []
        base = path.rpartition("/")[0]
    for file in files:
        if is_output(address_of(system, file), address_of(system, base)):
            continue
        info = system.info(file)
        if info.get("type") != "directory":
            yield from _cut(system, file, base, info, shard_bytes)


def _is_corpus_file(path: str) -> bool:
    name = PurePosixPath(path)
    hidden = any(part.startswith(".") for part in name.parts[-1:])
    suffix = PurePosixPath(name.stem).suffix if name.suffix in COMPRESSIONS else name.suffix
    return not hidden and suffix in (*SUFFIXES, *TEXT_SUFFIXES)


def _cut(system: Any, path: str, base: str, info: dict[str, Any], shard_bytes: int) -> Iterator[Shard]:
    size = int(info["size"])
    changed = info.get("mtime") or info.get("ETag") or info.get("LastModified") or info.get("updated") or ""
    address, name = address_of(system, path), _short_name(path, base)
    count = max(1, round(size / shard_bytes))
    kind = None
    if count > 1:
        with system.open(path, "rb") as file:
            start = file.read(len(_COMPRESSED[1]))
            if start.startswith(_COMPRESSED):
                count = 1
            else:
                file.seek(0)
                kind = recognised(Opened(file, path))
    for number in range(count):
        start, end = number * size // count, (number + 1) * size // count
        yield Shard(address, name, start, end, size, number, count, str(changed), kind)


def _short_name(path: str, base: str) -> str:
    name = path[len(base) :].lstrip("/") if path.startswith(base) else PurePosixPath(path).name
    for suffixes in (COMPRESSIONS, (*SUFFIXES, *TEXT_SUFFIXES)):
        name = next((name[: -len(suffix)] for suffix in suffixes if name.endswith(suffix)), name)
    return name


def _named_apart(shards: list[Shard]) -> list[Shard]:
    """Give files that would have one name, `a.txt` and `a.conllu`, names with their suffixes.

    So is a key of an object store with `..` in it, which as a path leads out of the folder of the output.
    """
    owners: dict[str, set[str]] = {}
    for shard in shards:
        owners.setdefault(shard.name, set()).add(shard.path)
    return [
        shard
        if len(owners[shard.name]) == 1 and _NO_NAMES.isdisjoint(shard.name.split("/"))
        else replace(shard, name=_full_name(shard))
        for shard in shards
    ]


def _full_name(shard: Shard) -> str:
    """Return the name with the suffixes that were left out, and as many folders as tell it from others."""
    parts = PurePosixPath(shard.path.rpartition("://")[2]).parts
    return "-".join(part.strip("/") for part in parts if part.strip("/"))


def located(address: str) -> tuple[Any, str]:
    """Return the file system of an address and the path in it.

    What has no `://` is a path of this machine: fsspec would take `::` in a name for a chain of addresses.
    """
    if "://" in address:
        system, path = imported("fsspec.core", "cluster").url_to_fs(address)
        return system, path
    return imported("fsspec", "cluster").filesystem("file"), Path(address).absolute().as_posix()


def is_local(system: Any) -> bool:
    """Whether a file system is that of the machine."""
    protocol = system.protocol
    return "file" in ((protocol,) if isinstance(protocol, str) else protocol)


def address_of(system: Any, path: str) -> str:
    """Return how a file is called everywhere: its path on this machine, else its address."""
    return path if is_local(system) else str(system.unstrip_protocol(path))


@contextmanager
def opened_shard(shard: Shard) -> Iterator[IO[bytes]]:
    """Open a shard for reading its sentences, decompressed."""
    system, path = located(shard.path)
    with system.open(path, "rb") as file:
        if shard.count == 1:
            yield decompressed(io.BufferedReader(file), shard.path)
            return
        start, end = (boundary(file, place, shard.size) for place in (shard.start, shard.end))
        file.seek(start)
        yield io.BufferedReader(_Part(file, end - start))


def boundary(file: IO[bytes], place: int, size: int) -> int:
    """Return the first place behind an empty line that begins at `place` or later; both ends are boundaries, too."""
    if place <= 0 or place >= size:
        return max(0, min(place, size))
    file.seek(place)
    held, at = b"", place
    while block := file.read(_BLOCK):
        held += block
        found = _EMPTY_LINE.search(held)
        if found:
            return at + found.end()
        at, held = at + len(held) - 2, held[-2:]
    return size


class _Part(io.RawIOBase):
    """So many bytes of a file from where it is."""

    def __init__(self, file: IO[bytes], left: int) -> None:
        self._file, self._left = file, max(0, left)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer; 0 at the end of the part."""
        block = self._file.read(min(len(buffer), self._left))
        buffer[: len(block)] = block
        self._left -= len(block)
        return len(block)
