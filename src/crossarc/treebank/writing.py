"""Writing treebanks, as they were read or in the other format.

What was read and not changed is written back byte for byte. Writing works through the sentences in blocks, so that
memory does not grow with the treebank, and takes an iterator of treebanks (from `stream`, say) as well as one. What the
other format cannot hold is counted, never dropped in silence. Both cost O(words).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from .._kernel import AsideKind
from .._progress import logger
from ..errors import SourceError
from ..files import open_output
from .formats import Format
from .treebank import Treebank

_log = logger("treebank")
_SENTENCES_AT_ONCE = 20_000
_ASIDES = {
    AsideKind.comment: "comments",
    AsideKind.range: "multiword tokens",
    AsideKind.empty_node: "empty nodes",
}


def write(treebanks: Treebank | Iterable[Treebank], target: str | os.PathLike[str] | IO[Any]) -> None:
    """Write a treebank, or several one behind the other, to a path, to "-" (standard output) or to an open file.

    A name in `.gz` or `.xz` is compressed. A file appears under its name whole or not at all.
    """
    if isinstance(target, (str, os.PathLike)):
        with open_output(target) as file:
            for block in printed(treebanks):
                file.write(block)
        _log.debug("wrote %s", os.fspath(target))
        return
    if not hasattr(target, "write"):
        raise SourceError(f"give a path or an open file to write to, not a {type(target).__name__}")
    text_mode = hasattr(target, "encoding")
    for block in printed(treebanks):
        target.write(block.decode("utf-8") if text_mode else block)


def printed(treebanks: Treebank | Iterable[Treebank]) -> Iterator[bytes]:
    """Return the bytes of the file, block by block."""
    parts = [treebanks] if isinstance(treebanks, Treebank) or not isinstance(treebanks, Iterable) else treebanks
    end = b""  # of what was written so far
    for place, treebank in enumerate(parts):
        if not isinstance(treebank, Treebank):
            found = type(treebank).__name__
            raise SourceError(f"a treebank, or several, can be written, not a {found}: write(treebank, path)")
        if place == 0 and treebank.prefix:
            yield treebank.prefix
        for start in range(0, len(treebank), _SENTENCES_AT_ONCE):
            block = treebank.print_sentences(start, min(start + _SENTENCES_AT_ONCE, len(treebank)))
            if end:
                yield _missing_line_ends(end)
            yield block
            end = block[-4:]


def _missing_line_ends(end: bytes) -> bytes:
    """Return what is missing to an empty line, when more follows the last sentence of a file that had none."""
    line_end = b"\r\n" if b"\r" in end else b"\n"
    if end.endswith((2 * line_end, b"\n\n")):
        return b""
    return line_end if end.endswith(b"\n") else 2 * line_end


@dataclass(frozen=True)
class Conversion:
    """A converted treebank and what it lost: the number of each kind of thing that the format cannot hold."""

    treebank: Treebank
    lost: dict[str, int]

    def __str__(self) -> str:
        if not self.lost:
            return "nothing was lost"
        return f"{self.treebank.format} cannot hold " + ", ".join(
            f"{count:,} {what}" for what, count in self.lost.items()
        )


def convert(treebank: Treebank, format: Format) -> Conversion:
    """Return the treebank in the other format, and what was lost."""
    if treebank.format == format:
        return Conversion(treebank, {})
    columns = ("deps", "misc")
    names = ("DEPS values", "MISC values") if treebank.format == "conllu" else ("PHEAD values", "PDEPREL values")
    lost = {}
    if format == "conllx":
        kinds = np.bincount(treebank.aside_kind, minlength=len(_ASIDES))
        lost = {what: int(kinds[kind]) for kind, what in _ASIDES.items()}
    lost |= {name: int(np.count_nonzero(treebank.column(column))) for name, column in zip(names, columns, strict=True)}
    return Conversion(treebank.in_format(format), {what: count for what, count in lost.items() if count})
