"""What the commands print, and where: results on standard output, everything else on standard error."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TextIO, TypeVar, cast

if TYPE_CHECKING:
    from ..treebank import Treebank

Item = TypeVar("Item")

_SILENT_SECONDS = 1.0
#: An item with so many words shows that it is being worked on.
_MANY_WORDS = 2000


class _Remarks:
    """Standard error, which falls silent when it cannot be written: no work stops because its progress is not seen."""

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr, name)

    def isatty(self) -> bool:
        return sys.stderr is not None and sys.stderr.isatty()

    def write(self, text: str) -> int:
        if sys.stderr is not None:
            try:
                sys.stderr.write(text)
            except OSError:
                silence(sys.stderr)
        return len(text)

    def flush(self) -> None:
        if sys.stderr is not None:
            try:
                sys.stderr.flush()
            except OSError:
                silence(sys.stderr)


REMARKS = cast(TextIO, _Remarks())


def silence(stream: TextIO) -> None:
    """Let whatever else is written to a standard stream vanish; what cannot be written would be tried again at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


def fail(message: str, code: int = 2) -> int:
    """Print what is wrong and return the exit code."""
    _say(message)
    return code


_quiet = False


def is_quiet() -> bool:
    """Return whether the command was given -q."""
    return _quiet


def speak(verbose: int, quiet: bool) -> None:
    """Choose what is said beside the answer: with -v also messages of the logger `crossarc`, with -q only errors."""
    global _quiet
    _quiet = quiet
    if verbose and not quiet:
        import logging

        handler = logging.StreamHandler(REMARKS)
        handler.setFormatter(_cleaned(logging.Formatter("%(name)s: %(message)s")))
        handler.addFilter(lambda record: record.name != "crossarc.training")  # which the commands say themselves
        root = logging.getLogger("crossarc")
        root.addHandler(handler)
        root.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)


def _cleaned(formatter: Any) -> Any:
    """Let a formatter of messages replace control characters, which names of files may have."""
    from ..errors import clean_lines

    plain = formatter.format
    formatter.format = lambda record: clean_lines(plain(record))
    return formatter


def is_watched() -> bool:
    """Whether progress is to be shown: standard error is a terminal, and -q was not given."""
    return not _quiet and REMARKS.isatty()


def note(message: str) -> None:
    """Print something beside the answer, unless -q was given."""
    if not _quiet:
        _say(message)


def _say(message: str) -> None:
    """Print on standard error; no control character of a file's name or text reaches the terminal."""
    from ..drawing.text import clean

    print("\n".join(map(clean, message.split("\n"))), file=REMARKS, flush=True)


@contextlib.contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Print the warnings of a block as notes when they come, each once and without the line of Python that gave it.

    Those that count are added up and printed at the end.
    """
    from ..errors import CountedWarning

    said: set[str] = set()
    counts: dict[tuple[str, str], int] = {}

    def say(message: Warning | str) -> None:
        if isinstance(message, CountedWarning):
            kind = (message.one, message.several)
            counts[kind] = counts.get(kind, 0) + message.count
        elif str(message) not in said:
            said.add(str(message))
            note(f"note: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *place: say(message)
        try:
            yield
        finally:
            for kind, count in counts.items():
                note(f"note: {CountedWarning(count, *kind)}")


def sentences_of(pieces: Iterable[Treebank], file: str) -> Iterator[Treebank]:
    """Go through the pieces of a file, and say so if there was no sentence in it."""
    sentences = 0
    for piece in pieces:
        sentences += len(piece)
        yield piece
    note_if_empty(sentences, file)


def note_if_empty(sentences: int, file: object) -> None:
    """Say that a file has no sentences, if that is so: it may be the wrong one."""
    if not sentences:
        note(f"note: no sentences in {'standard input' if file == '-' else file}")


def print_json(data: Any) -> None:
    """Print the answer for a program."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    # JSON allows these control characters, and a terminal would obey them.
    print(re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", text))


def tracked(
    items: Iterable[Item], description: str, total: int | None = None, words: Callable[[Item], int] | None = None
) -> Iterator[Item]:
    """Go through items with a progress bar, if it takes over a second and standard error is a terminal.

    With `words`, which says how many an item has, the bar names the words done, and is there from the first item with
    many of them on.
    """
    if not is_watched():
        yield from items
        return
    started = time.monotonic()
    bar = None
    words_done = 0
    try:
        for done, item in enumerate(items):
            here = 0 if words is None else words(item)
            if bar is None and (time.monotonic() - started > _SILENT_SECONDS or here >= _MANY_WORDS):
                bar = _start_bar(description, total)
            if bar is not None:
                shown = description if words is None else f"{description}, {words_done:,} words done, now {here:,}"
                bar.update(bar.task_ids[0], completed=done, description=shown)
            words_done += here
            yield item
    finally:
        if bar is not None:
            bar.stop()


@contextlib.contextmanager
def progress(description: str, total: int) -> Iterator[Callable[[float], None]]:
    """Give a function that takes how much of a total is done; a bar shows it if standard error is a terminal."""
    if not is_watched():
        yield lambda done: None
        return
    bar = _start_bar(description, total)
    try:
        yield lambda done: bar.update(bar.task_ids[0], completed=done)
    finally:
        bar.stop()


def _start_bar(description: str, total: int | None) -> Any:
    from rich.console import Console
    from rich.progress import Progress

    bar = Progress(console=Console(file=REMARKS), transient=True)
    bar.add_task(description, total=total)
    bar.start()
    return bar
