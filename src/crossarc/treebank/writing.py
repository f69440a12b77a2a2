"""Writing treebanks: what was read and not changed is written back byte for byte.

Works through the sentences in blocks, so that memory does not grow with the treebank, and takes an iterator of
treebanks (from `stream`, say) as well as one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import IO, Any

from .files import open_output
from .treebank import Treebank

_SENTENCES_AT_ONCE = 20_000


def write(treebanks: Treebank | Iterable[Treebank], target: str | os.PathLike[str] | IO[Any]) -> None:
    """Write a treebank, or several one behind the other, to a path, to "-" (standard output) or to an open file.

    A name in `.gz` or `.xz` is compressed. A file appears under its name whole or not at all.
    """
    if isinstance(target, (str, os.PathLike)):
        with open_output(target) as file:
            for block in printed(treebanks):
                file.write(block)
        return
    text_mode = hasattr(target, "encoding")
    for block in printed(treebanks):
        target.write(block.decode("utf-8") if text_mode else block)


def printed(treebanks: Treebank | Iterable[Treebank]) -> Iterator[bytes]:
    """Return the bytes of the file, block by block."""
    parts = [treebanks] if isinstance(treebanks, Treebank) else treebanks
    end = b""  # of what was written so far
    for place, treebank in enumerate(parts):
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
