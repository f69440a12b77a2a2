"""Reading treebanks: whole (`read`), piece by piece in constant memory (`stream`), or only to find faults (`check`).

The kernel does the work, on all cores where the text is long enough; the result does not depend on how many.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any, TypeAlias

from .. import _kernel
from .._progress import logger
from ..errors import Cause, CountedWarning, CrossarcError, FileError, Problem, SourceError, TreebankError
from ..files import COMPRESSIONS, check_named, open_input, treebank_files
from ..options import checked_threads
from .formats import (
    BYTES_LOOKED_AT,
    Format,
    checked_format,
    checked_root,
    detect_format,
    foreign_content,
    looks_like_treebank,
)
from .interchange import encoded
from .problems import check_unfinished, find_causes, foreign_problem
from .treebank import Treebank

_log = logger("treebank")
Source: TypeAlias = "str | os.PathLike[str] | IO[Any] | Iterable[str | os.PathLike[str] | IO[Any]]"

_STREAM_BLOCK = 1 << 22
_LARGEST_STREAM_BLOCK = 1 << 24
_MOST_STREAMED = 1 << 25  # bytes of which a stream makes one treebank
_READ_BLOCK = 1 << 18  # for each thread: small enough for the processor's cache
_USUAL_COMPRESSION = 5


def read(source: Source, *, format: str | None = None, root: str | None = None, threads: int = 0) -> Treebank:
    """Read a treebank.

    `source` is a path (`.gz` and `.xz` are decompressed), "-" for standard input, an open file, a directory of treebank
    files, or a list of these. `format` is "conllu" or "conllx", by default recognised by content. `root` is "single"
    (one root in each sentence), "any" or "partial" (any, and some words of a sentence may lack heads); by default
    several roots are taken, with a warning where CoNLL-U has them. A file that is not well-formed raises
    `TreebankError` with every problem.
    """
    treebanks: list[Treebank] = []
    problems: list[Problem] = []
    causes: list[Cause] = []
    count = 0
    for item in expand(source):
        try:
            treebanks.append(_read_one(item, format, root, threads))
        except TreebankError as error:
            problems += error.problems
            causes += error.causes
            count += error.count
    if problems:
        raise TreebankError(problems, count, causes)
    return Treebank.concatenate(treebanks)


def opened(source: Treebank | Source, *, root: str | None = "any", threads: int = 0) -> Treebank:
    """Return a treebank, or that of the file or files that are named; whatever takes treebanks takes paths so.

    Sentences may have several roots, unless `root` says otherwise.
    """
    if isinstance(source, Treebank):
        return source
    if not isinstance(source, (str, os.PathLike, list, tuple)) and not hasattr(source, "read"):
        raise SourceError(f"a treebank or the path of one is needed, not {_kind_of(source)}")
    return read(source, root=root, threads=threads)


def _kind_of(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def check(source: Source, *, format: str | None = None, root: str | None = None, threads: int = 0) -> list[Problem]:
    """Return everything that is wrong with the files, in order; nothing if all is well."""
    problems: list[Problem] = []
    for item in expand(source):
        try:
            _read_one(item, format, root, threads)
        except TreebankError as error:
            problems += error.problems
    return problems


def from_bytes(
    text: bytes, name: str = "<text>", *, format: str | None = None, root: str | None = None, threads: int = 0
) -> Treebank:
    """Read a treebank from the bytes of a file; `name` stands for the file in messages."""
    return _read_blocks(iter([text]), name, len(text), format, root, threads)


def from_text(text: str, name: str = "<text>", *, format: str | None = None, root: str | None = None) -> Treebank:
    """Read a treebank from a string."""
    return from_bytes(encoded(text), name, format=format, root=root)


def stream(
    source: str | os.PathLike[str] | IO[Any],
    *,
    sentences: int = 1000,
    format: str | None = None,
    root: str | None = None,
) -> Iterator[Treebank]:
    """Read a file of any size in constant memory: treebanks of `sentences` sentences, the last of what is left.

    There are fewer in one where sentences are so long that these would be more than 32 MB of text.

    Writing them one after the other gives back the file. A problem raises `TreebankError` when it is reached.
    """
    if sentences < 1:
        raise CrossarcError(f"cannot stream {sentences} sentences at a time: ask for 1 or more")
    with open_source(source) as (file, name):
        yield from _streamed(file, name, sentences, format, root)


@contextlib.contextmanager
def open_source(source: str | os.PathLike[str] | IO[Any]) -> Iterator[tuple[IO[Any], str]]:
    """Give an input as a file and its name; a file that was open stays open."""
    if isinstance(source, (str, os.PathLike)):
        name = os.fspath(source)
        with open_input(name) as file:
            yield file, "<stdin>" if name == "-" else name
    else:
        yield source, str(getattr(source, "name", "<file>"))


def _streamed(file: IO[Any], name: str, sentences: int, format: str | None, root: str | None) -> Iterator[Treebank]:
    """Read a few megabytes at a time; what does not fill a treebank yet is put back before the next ones."""
    chosen: Format | None = None if format is None else checked_format(format)
    rest, size = b"", _STREAM_BLOCK
    line = sentence = 1
    last = False
    while not last:
        block = as_bytes(file.read(size))
        last = not block
        rest += block
        end = len(rest) if last else _kernel.last_sentence_start(rest)
        if end == 0 and not last:
            if line == 1:
                _refuse_foreign(name, rest)
            check_unfinished(name, len(rest), line, sentence)
            size = min(2 * size, _LARGEST_STREAM_BLOCK)  # a very long sentence: look for its end less often
            continue
        chosen = chosen or detect_format(rest)
        policy = "any" if root is None else checked_root(root)
        # One thread: the caller does more with a block than read it, and each thread would take memory.
        reader = _kernel.TreebankReader(_kernel.Format[chosen], _kernel.RootPolicy[policy], 1, line, sentence, end)
        with _explained(name, rest if line == 1 else b""):
            reader.feed(rest[:end])
            treebank = Treebank.from_kernel(reader.finish(), chosen, name)
        if len(rest) - end > _kernel.LONGEST_SENTENCE:
            check_unfinished(name, len(rest) - end, line + rest.count(b"\n", 0, end), sentence + len(treebank))
        whole = len(treebank) if last or end > _MOST_STREAMED else len(treebank) // sentences * sentences
        for start in range(0, whole, sentences):
            yield _noted(treebank[start : min(start + sentences, whole)], root)
        if last and not len(treebank) and line == 1:
            yield treebank  # a file without sentences has its empty lines
        if whole == 0:
            size = min(2 * size, _LARGEST_STREAM_BLOCK)  # so that long treebanks are not read again for every block
            continue
        put_back = treebank[whole:]
        line = put_back.origin(0)[1] if len(put_back) else line + rest[:end].count(b"\n")
        sentence += whole
        rest = put_back.to_bytes() + rest[end:]


def is_treebank(path: str | os.PathLike[str]) -> bool:
    """Whether a file looks like a treebank, for messages about files that were mixed up."""
    if Path(path).is_file():  # a pipe can be read only once
        with contextlib.suppress(FileError), open_input(path) as file:
            return looks_like_treebank(file.read(BYTES_LOOKED_AT))
    return False


def expand(source: Source) -> list[str | os.PathLike[str] | IO[Any]]:
    """Return the single files that are meant: directories are replaced by what they hold."""
    if isinstance(source, (str, os.PathLike)) or hasattr(source, "read"):
        items: list[Any] = [source]
    elif isinstance(source, Treebank) or not isinstance(source, Iterable):
        raise SourceError(f"cannot read {_kind_of(source)}: give a path or an open file, or a list of these")
    else:
        items = list(source)
        if not items:
            raise CrossarcError("no files to read")
    files: list[str | os.PathLike[str] | IO[Any]] = []
    for item in items:
        if isinstance(item, str):
            check_named(item)
        if isinstance(item, (str, os.PathLike)) and Path(item).is_dir():
            files += treebank_files(Path(item))
        elif isinstance(item, (str, os.PathLike)) or hasattr(item, "read"):
            files.append(item)
        else:
            raise SourceError(f"cannot read {_kind_of(item)}: give a path or an open file")
    return files


def _read_one(source: str | os.PathLike[str] | IO[Any], format: str | None, root: str | None, threads: int) -> Treebank:
    with open_source(source) as (file, name):
        size = _READ_BLOCK * (checked_threads(threads) or _kernel.default_threads())
        blocks = iter(lambda: as_bytes(file.read(size)), b"")
        treebank = _read_blocks(blocks, name, _expected_bytes(source), format, root, threads)
    _log.debug("read %s: %d sentences, %d words", name, len(treebank), treebank.words)
    return treebank


def _read_blocks(
    blocks: Iterator[bytes], name: str, expected_bytes: int, format: str | None, root: str | None, threads: int
) -> Treebank:
    first = next(blocks, b"")
    while len(first) < BYTES_LOOKED_AT and (more := next(blocks, b"")):  # a pipe may give little at a time
        first += more
    chosen = detect_format(first) if format is None else checked_format(format)
    with _explained(name, first):
        treebank = Treebank.from_blocks(chain([first], blocks), name, chosen, root or "any", threads, expected_bytes)
    return _noted(treebank, root)


def _noted(treebank: Treebank, root: str | None) -> Treebank:
    """Warn of several roots in CoNLL-U, where Universal Dependencies want one, if nobody said that there may be."""
    several = int((treebank.root_counts > 1).sum()) if root is None and treebank.format == "conllu" else 0
    if several:
        advice = 'root="single" (--root single) refuses that, root="any" (--root any) says that it is meant'
        one, more = (f"{what} several roots: {advice}" for what in ("1 sentence has", "{} sentences have"))
        warnings.warn(CountedWarning(several, one, more), stacklevel=4)
    return treebank


def _refuse_foreign(name: str, start: bytes) -> None:
    foreign = foreign_content(start[:BYTES_LOOKED_AT])
    if foreign is not None:
        raise TreebankError([foreign_problem(name, foreign)])


@contextlib.contextmanager
def _explained(name: str, start: bytes) -> Iterator[None]:
    """Refuse a file that begins as no treebank does, and add to the problems of others what they come from."""
    _refuse_foreign(name, start)
    try:
        yield
    except TreebankError as error:
        causes = find_causes(name, start)
        if not causes:
            raise
        raise TreebankError(error.problems, error.count, causes) from None


def _expected_bytes(source: str | os.PathLike[str] | IO[Any]) -> int:
    """Guess how much text will come, so that columns need not grow step by step; 0 if nothing is known."""
    if not isinstance(source, (str, os.PathLike)) or os.fspath(source) == "-":
        return 0
    path = Path(source)
    return path.stat().st_size * (1 if path.suffix not in COMPRESSIONS else _USUAL_COMPRESSION)


def as_bytes(text: Any) -> bytes:
    """Return what was read of a file in text or binary mode as bytes."""
    if isinstance(text, str):
        return encoded(text)
    if isinstance(text, bytes):
        return text
    raise FileError(f"cannot read a file that gives {type(text).__name__}: open it in text or binary mode")
