"""Opening, decompressing and writing files: bytes in, bytes out; and what must not be written over.

Compressed files (gzip, xz) are recognised by content when they are read and by the name that was given (`.gz`, `.xz`)
when they are written; "-" is standard input or output. What is written appears under its name whole or not at all: it
goes to a temporary file beside it that is renamed at the end. The temporary name has the process in it, which keeps
the file locked, so that the next writer removes what a process that was killed left behind, and nothing else.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import lzma
import os
import platform
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from .errors import DirectoryError, FileError, ForbiddenFileError, MissingFileError, file_error

#: Names that a directory of treebanks is searched for.
SUFFIXES = (".conllu", ".conll", ".conllx")
#: Those of texts, which the folder of a corpus is searched for, too.
TEXT_SUFFIXES = (".txt", ".text")
COMPRESSIONS = (".gz", ".xz")

_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\x00"
_DAMAGED = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error)
_BLOCK = 1 << 16
_DICTIONARY_LIMIT = 1 << 29  # bytes that decompressing xz may take; `xz -9` needs 65 MB
_LONGEST_PREFIX = 100  # bytes of a name that the temporary name repeats: both have to fit into 255
_forced: set[str] = set()  # files that --force was given for: they are replaced although they are write-protected


def treebank_files(directory: Path) -> list[Path]:
    """Return the treebank files of a directory, by name; there must be one."""
    names = {suffix + compression for suffix in SUFFIXES for compression in ("", *COMPRESSIONS)}
    files = sorted(path for path in directory.iterdir() if path.is_file() and _treebank_suffix(path) in names)
    if not files:
        raise FileError(f"{directory}: no treebank files in this directory: expected names in {', '.join(SUFFIXES)}")
    return files


def _treebank_suffix(path: Path) -> str:
    return "".join(path.suffixes[-2:] if path.suffix in COMPRESSIONS else path.suffixes[-1:])


# Reading


@contextlib.contextmanager
def open_input(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file, or standard input for "-", for reading bytes, decompressed."""
    name = os.fspath(path)
    shown = "standard input" if name == "-" else name
    try:
        if name == "-":
            if sys.stdin is None:
                raise FileError("standard input is closed: give a file")
            yield decompressed(sys.stdin.buffer, shown)
            return
        check_named(name)
        if Path(name).is_dir():
            raise DirectoryError(f"{name}: is a directory")
        with Path(name).open("rb") as file:
            yield decompressed(file, name)
    except _DAMAGED as error:
        raise FileError(f"{shown}: the compressed file is damaged or cut short ({error}): get it again") from error
    except FileError:
        raise
    except OSError as error:
        raise file_error(f"{shown}: cannot be read: {error.strerror or error}", error, name) from error


def read_whole(path: str | os.PathLike[str], most: int) -> bytes:
    """Return the content of a file, decompressed; one of more than `most` bytes is refused before it fills memory."""
    with open_input(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise FileError(f"{os.fspath(path)}: more than {most:,} bytes: is this the right file?")
    return content


def check_named(name: str) -> None:
    """Refuse an empty name, which stands for the present folder elsewhere, and one that no file can have."""
    if not name:
        raise FileError("the name of a file is empty: give a name")
    if "\0" in name:
        raise FileError(f"{name}: no file can have this name")


def decompressed(file: BinaryIO, name: str) -> BinaryIO:
    """Give what the first bytes of a file ask for: a decompressor, or the file itself."""
    start = file.peek(len(_XZ)) if isinstance(file, io.BufferedReader) else b""
    if start.startswith(_GZIP):
        return cast(BinaryIO, gzip.GzipFile(fileobj=file, mode="rb"))
    if start.startswith(_XZ):
        return io.BufferedReader(_XzStreams(file))
    if name.endswith(COMPRESSIONS) and not _is_text(start):
        raise EOFError("it is empty" if not start else "it does not begin as such a file does")
    return file


def _is_text(start: bytes) -> bool:
    """Whether these can be the first bytes of a text: there are some, without control characters."""
    return bool(start) and not re.search(rb"[\x00-\x08\x0e-\x1f]", start)


class _XzStreams(io.RawIOBase):
    """The content of an xz file: its streams one after the other. `lzma.open` passes over whatever stands behind."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._decoder = self._new_decoder()

    @staticmethod
    def _new_decoder() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_DICTIONARY_LIMIT)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with some of the content; 0 at the end."""
        room = len(buffer)
        while True:
            given = b""
            if self._decoder.eof:
                given = self._behind_stream()
                if not given:
                    return 0
                self._decoder = self._new_decoder()
            elif self._decoder.needs_input:
                given = self._file.read(_BLOCK)
                if not given:
                    raise EOFError("it ends before its content does")
            content = self._decoder.decompress(given, room)
            if content:
                buffer[: len(content)] = content
                return len(content)

    def _behind_stream(self) -> bytes:
        """Return what follows a stream, without the zeros that may stand between two."""
        given = self._decoder.unused_data.lstrip(b"\0")
        while not given and (block := self._file.read(_BLOCK)):
            given = block.lstrip(b"\0")
        if given[: len(_XZ)] != _XZ[: len(given)]:
            raise EOFError("something else follows its content")
        return given


# Writing


@contextlib.contextmanager
def open_output(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file, or standard output for "-", for writing bytes; if the block fails, nothing is left behind."""
    name = os.fspath(path)
    if name == "-":
        if sys.stdout is None:
            raise FileError("standard output is closed: give a file")
        with _write_errors("standard output"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    target, status = _target(name)
    with _write_errors(name):
        if status is not None and not stat.S_ISREG(status.st_mode):  # a pipe or a device cannot be replaced
            with Path(target).open("wb") as file, _compressed(file, name) as stream:
                yield stream
            return
        with _replacing(target, status, name) as stream:
            yield stream


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a name that no file can be written to, by trying: better before long work than after it."""
    name = os.fspath(path)
    target, status = _target(name)
    with _write_errors(name):
        if status is not None and stat.S_ISDIR(status.st_mode):
            raise DirectoryError(f"{name}: cannot be written: it is a directory")
        if status is None or stat.S_ISREG(status.st_mode):
            with _temporary(target, status, name) as (handle, _):
                os.close(handle)


@contextlib.contextmanager
def _write_errors(name: str) -> Iterator[None]:
    try:
        yield
    except (BrokenPipeError, FileError):
        raise
    except OSError as error:
        raise file_error(f"{name}: cannot be written: {error.strerror or error}", error, name) from error


def _target(name: str) -> tuple[str, os.stat_result | None]:
    """Return the file that is meant, a link followed, and what is there now."""
    check_named(name)
    with _write_errors(name):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            status = Path(name).stat()
            if not stat.S_ISREG(status.st_mode):  # a pipe may have no other name than /dev/stdout
                return name, status
        target = os.path.realpath(name)  # a link stays a link
        if not Path(target).parent.is_dir():
            raise MissingFileError(f"{name}: cannot be written: there is no folder {Path(name).parent}")
        if name.endswith(os.sep) and not Path(target).is_dir():
            raise DirectoryError(f"{name}: cannot be written: it names a directory")
        try:
            return target, Path(target).stat()
        except FileNotFoundError:
            return target, None


@contextlib.contextmanager
def _replacing(target: str, status: os.stat_result | None, name: str) -> Iterator[IO[bytes]]:
    with _temporary(target, status, name) as (handle, temporary):
        with os.fdopen(handle, "wb") as file:
            with _compressed(file, name) as stream:
                yield stream
            file.flush()
            os.fsync(file.fileno())
        _take_after(temporary, status)
        Path(temporary).replace(target)


@contextlib.contextmanager
def _temporary(target: str, status: os.stat_result | None, name: str) -> Iterator[tuple[int, str]]:
    """Make a file beside the target, open for writing; it is removed at the end, if it is still there."""
    protected = status is not None and not (status.st_mode & 0o222 and os.access(target, os.W_OK))
    if protected and target not in _forced:
        message = f"{name}: cannot be written: the file is write-protected: give another name, or add --force"
        raise ForbiddenFileError(message)
    folder, last = os.path.split(target)
    host = platform.node()[:_LONGEST_PREFIX]  # processes of another machine or container cannot be asked for
    prefix = f".{os.fsencode(last)[:_LONGEST_PREFIX].decode('utf-8', 'ignore')}.{host}."
    _remove_left_behind(folder, prefix)
    # Its name is known before it exists, and it is removed a second time: a signal may come in between at any time.
    temporary = Path(folder) / f"{prefix}{os.getpid()}.{os.urandom(4).hex()}.part"
    try:
        try:
            handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
            _lock(handle)
            yield handle, str(temporary)
        finally:
            temporary.unlink(missing_ok=True)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _remove_left_behind(folder: str, prefix: str) -> None:
    """Remove the temporary files of processes that are gone; those of living ones stay."""
    with contextlib.suppress(OSError):  # a folder that cannot be listed can perhaps be written to
        for entry in os.scandir(folder):
            if entry.name.startswith(prefix) and entry.name.endswith(".part"):
                process = entry.name[len(prefix) :].partition(".")[0]
                if process.isdecimal() and not _is_alive(int(process)):
                    _remove_unless_locked(Path(entry.path))


def _remove_unless_locked(path: Path) -> None:
    """Remove a temporary file that no process holds: two containers may have the same name and other processes."""
    with contextlib.suppress(OSError), path.open("ab") as file:
        if _lock(file.fileno()):
            path.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    if os.name != "posix":  # elsewhere the signal 0 is not a question
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return not _has_ended(process)


def _has_ended(process: int) -> bool:
    """Whether a process is there no more than because its parent has not asked how it ended; where the system tells."""
    try:
        status = Path(f"/proc/{process}/stat").read_bytes()
    except OSError:
        return False
    return status.rpartition(b")")[2].split()[:1] == [b"Z"]


@contextlib.contextmanager
def held(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Let no other process write a file for as long as the block takes; `what` it does is said to those.

    The lock is a file beside it, which is removed at the end, since the file itself is replaced. Where a file system
    has no locks, nothing is held.
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name[:_LONGEST_PREFIX]}.lock")
    with _write_errors(os.fspath(path)):
        file = beside.open("ab")
    with file:
        if _lock(file.fileno()) is False:
            raise FileError(f"{os.fspath(path)}: {what} in another process: wait for it, or give another name")
        try:
            yield
        finally:
            beside.unlink(missing_ok=True)


def _lock(handle: int) -> bool | None:
    """Lock an open file until it is closed; whether another process had not done so, None where there are no locks."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


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


def _take_after(temporary: str, status: os.stat_result | None) -> None:
    """Give a file the owner, as far as one may, and the mode of the one it replaces; a new one what the mask leaves."""
    if status is None:
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        return
    if hasattr(os, "chown"):
        for owner in (status.st_uid, -1):
            with contextlib.suppress(OSError):
                os.chown(temporary, owner, status.st_gid)
                break
    Path(temporary).chmod(stat.S_IMODE(status.st_mode) & 0o777)


# What must not be written over


def check_outputs(
    outputs: Iterable[tuple[str, str | None]], inputs: Iterable[str | None] = (), *, force: bool = False
) -> None:
    """Refuse outputs that would replace something else or cannot be written, before any work is done.

    `outputs` are pairs of a kind (a key of `KINDS`) and a name, `inputs` names; None is an option that was not given.
    No output is an input, under whatever name or link, and an existing file is replaced only if it is empty or of the
    same kind and not write-protected, unless `force` is set. Two outputs never are one file: one would be lost.
    """
    read = {_identity(name, 0): name for name in _single_files(inputs)}
    written: dict[object, str] = {}
    for kind, name in outputs:
        if name is None:
            continue
        check_named(name)
        identity = _identity(name, 1) or ("-" if name == "-" else None)
        if identity is not None and identity in written:
            same = " and ".join(map(_shown_output, dict.fromkeys((written[identity], name))))
            raise FileError(f"{same}: two outputs in one file: give each a name of its own")
        written[identity] = name
        _check_output(kind, name, None if identity is None else read.get(identity), force)


def _check_output(kind: str, name: str, of_input: str | None, force: bool) -> None:
    """Refuse one output; `of_input` is an input that is the same file."""
    if name == "-":
        if of_input is not None:
            raise FileError(f"standard output: is the input {of_input}, which is being read: write elsewhere")
        return
    if force:
        _forced.add(os.path.realpath(name))
    elif of_input is not None:
        raise FileError(f"{name}: is the input {of_input}, which would be lost: give another name, or add --force")
    check_writable(name)
    if not force:
        check_kind(kind, name, _first_bytes(name))
        other = _OTHER_SUFFIXES.get(Path(name).suffix.lower()) if kind == "treebank" else None
        if other is not None:
            drawn = ", which crossarc draw makes of it," if "drawing" in other else ""
            raise FileError(
                f"{name}: the name is that of {other}{drawn} and a treebank is written: call it .conllu, or add --force"
            )


def _shown_output(name: str) -> str:
    return "standard output" if name == "-" else name


def _single_files(names: Iterable[str | None]) -> Iterator[str]:
    """Give the files that are meant; a directory stands for the treebanks in it."""
    for name in names:
        if not name:
            continue
        files = [name]
        with contextlib.suppress(FileError, OSError, ValueError):  # the reader will say so
            if Path(name).is_dir():
                files = list(map(str, treebank_files(Path(name))))
        yield from files


def _identity(name: str, standard: int) -> object:
    """Return what two names of one file have in common; None for what is no file, as a terminal or a pipe."""
    try:
        status = os.fstat(standard) if name == "-" else Path(name).stat()
    except (OSError, ValueError):
        return None if name == "-" else os.path.realpath(name)
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def check_kind(kind: str, name: str, start: bytes) -> None:
    """Refuse to replace a file that begins with something else than files of a kind (a key of `KINDS`) do."""
    recognised, what = KINDS.get(kind, (None, kind))
    if not start.strip() or recognised is None or recognised(start):
        return
    kinds = [*KINDS.values(), (_is_text, "text")]
    found = next((other for recognises, other in kinds if recognises(start)), "something else")
    raise FileError(f"{name}: holds {found}, which {what} would replace: give another name, or add --force")


def _first_bytes(name: str) -> bytes:
    """Return the first bytes of a regular file, decompressed; none if there is no such file or nothing in it."""
    try:
        if not Path(name).is_file() or not Path(name).stat().st_size:
            return b""
        with open_input(name) as file:
            return file.read(_BLOCK) or b"\0"
    except (FileError, OSError):
        return b"\0"


def _is_treebank(start: bytes) -> bool:
    lines = (line for line in start.splitlines() if line.strip() and not line.startswith(b"#"))
    return next(lines, b"").count(b"\t") == 9


def _is_page(start: bytes) -> bool:
    return start.lstrip(b"\xef\xbb\xbf \t\r\n")[:14].lower().startswith((b"<!doctype html", b"<html"))


#: For each kind of file that commands write: how it is recognised by its first bytes, and what messages call it.
KINDS: dict[str, tuple[Callable[[bytes], bool], str]] = {
    "treebank": (_is_treebank, "a treebank"),
    "model": (lambda start: start[8:9] == b"{" and b"crossarc model" in start, "a model"),
    "wheel": (lambda start: start.startswith(b"PK\x03\x04"), "a wheel"),
    ".csv": (lambda start: start.startswith(b"sentence,"), "a table (CSV)"),
    ".tsv": (lambda start: start.startswith(b"sentence\t"), "a table (TSV)"),
    ".xlsx": (lambda start: start.startswith(b"PK\x03\x04") and b"xl/" in start, "a workbook (XLSX)"),
    ".spacy": (lambda start: start.startswith(b"x\x9c"), "documents of spaCy"),
    ".json": (lambda start: start.startswith((b'[\n{"id": ', b"[]")), "JSON"),
    "manifest": (lambda start: re.match(rb'\{\s*"crossarc":', start) is not None, "a manifest"),
    "map": (lambda start: start[:1] == b"{" and b"crossarc encoding" in start, "a map of labels"),
    ".html": (_is_page, "an HTML page"),
    ".svg": (lambda start: start.lstrip().startswith((b"<svg", b"<?xml")) and b"<svg" in start, "a drawing (SVG)"),
    ".png": (lambda start: start.startswith(b"\x89PNG"), "a drawing (PNG)"),
    ".pdf": (lambda start: start.startswith(b"%PDF"), "a drawing (PDF)"),
    ".tex": (lambda start: b"\\begin{dependency}" in start and b"\\documentclass" not in start, "a drawing (TikZ)"),
    ".txt": (lambda start: re.search(rb"\xe2[\x94-\x97]", start) is not None, "a drawing (text)"),  # lines, ▼ and ●
}
#: By their names no treebanks.
_OTHER_SUFFIXES = {".crossarc": "a model"} | {
    suffix: what for suffix, (_, what) in KINDS.items() if suffix.startswith(".") and suffix != ".txt"
}
