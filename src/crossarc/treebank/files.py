"""Opening, decompressing and writing files: bytes in, bytes out.

`.gz` and `.xz` are recognised by name, "-" is standard input or output. What is written appears under its name whole or
not at all: it goes to a temporary file beside it that is renamed at the end.
"""

from __future__ import annotations

import contextlib
import gzip
import lzma
import os
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO, cast

from ..errors import FileError

#: Names that a directory of treebanks is searched for.
SUFFIXES = (".conllu", ".conll", ".conllx")
COMPRESSIONS = (".gz", ".xz")

_DAMAGED = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error)


def treebank_files(directory: Path) -> list[Path]:
    """Return the treebank files of a directory, by name; there must be one."""
    names = {suffix + compression for suffix in SUFFIXES for compression in ("", *COMPRESSIONS)}
    files = sorted(path for path in directory.iterdir() if path.is_file() and _treebank_suffix(path) in names)
    if not files:
        raise FileError(f"{directory}: no treebank files in this directory: expected names in {', '.join(SUFFIXES)}")
    return files


def _treebank_suffix(path: Path) -> str:
    return "".join(path.suffixes[-2:] if path.suffix in COMPRESSIONS else path.suffixes[-1:])


@contextlib.contextmanager
def open_input(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file, or standard input for "-", for reading bytes, decompressed."""
    name = os.fspath(path)
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        if Path(name).is_dir():
            raise FileError(f"{name}: is a directory")
        with _opened(name, "rb") as file:
            yield file
    except _DAMAGED as error:
        raise FileError(f"{name}: the compressed file is damaged or cut short ({error}): get it again") from error
    except OSError as error:
        raise FileError(f"{name}: cannot be read: {error.strerror or error}") from error


def _opened(name: str, mode: str) -> BinaryIO:
    if name.endswith(".gz"):
        return cast(BinaryIO, gzip.open(name, mode))
    if name.endswith(".xz"):
        return cast(BinaryIO, lzma.open(name, mode))
    return cast(BinaryIO, Path(name).open(mode))


@contextlib.contextmanager
def open_output(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file, or standard output for "-", for writing bytes; if the block fails, nothing is left behind."""
    name = os.fspath(path)
    if name == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(name).resolve()  # a link stays a link
    if target.exists() and not target.is_file():  # a pipe or a device cannot be replaced
        try:
            with target.open("wb") as file:
                yield file
        except BrokenPipeError:
            raise
        except OSError as error:
            raise FileError(f"{name}: cannot be written: {error.strerror or error}") from error
        return
    with _replacing(target, name) as file:
        yield file


@contextlib.contextmanager
def _replacing(target: Path, name: str) -> Iterator[IO[bytes]]:
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise FileError(f"{name}: cannot be written: {error.strerror or error}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            with _compressed(file, target.name) as stream:
                yield stream
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_permissions(target))
        Path(temporary).replace(target)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise FileError(f"{name}: cannot be written: {error.strerror or error}") from error
        raise


@contextlib.contextmanager
def _compressed(file: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    if name.endswith(".gz"):
        # No time and no name inside: the same treebank gives the same bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as stream:
            yield cast(IO[bytes], stream)
    elif name.endswith(".xz"):
        with lzma.open(file, "wb") as stream:
            yield cast(IO[bytes], stream)
    else:
        yield file


def _permissions(target: Path) -> int:
    """Those of the file that is replaced, or what the user's mask leaves for a new one."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
