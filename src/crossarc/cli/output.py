"""What the commands print, and where: results on standard output, everything else on standard error."""

from __future__ import annotations

import contextlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

Item = TypeVar("Item")

_SILENT_SECONDS = 1.0
#: An item with so many words shows that it is being worked on.
_MANY_WORDS = 2000


def fail(message: str, code: int = 2) -> int:
    """Print what is wrong and return the exit code."""
    note(message)
    return code


def note(message: str) -> None:
    """Print something beside the answer; no control character of a file's name or text reaches the terminal."""
    from ..drawing.text import clean

    print("\n".join(map(clean, message.split("\n"))), file=sys.stderr)


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
    if not sys.stderr.isatty():
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
    if not sys.stderr.isatty():
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

    bar = Progress(console=Console(stderr=True), transient=True)
    bar.add_task(description, total=total)
    bar.start()
    return bar
