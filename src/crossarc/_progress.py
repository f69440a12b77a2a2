"""What long calls say while they run: progress bars for people, and messages for the logger `crossarc`.

A bar is shown in a terminal or a notebook, and nowhere else; `progress=False` leaves it out,
`progress=True` shows it in any case. Messages go to loggers below `crossarc` and nowhere, unless a program asks for
them (`logging.basicConfig(level=logging.INFO)`): what training does at INFO, files that are read and written at DEBUG.
O(1) for each message.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable, Iterator
from typing import Any

logging.getLogger("crossarc").addHandler(logging.NullHandler())


def logger(name: str) -> logging.Logger:
    """Return the logger of a part of crossarc."""
    return logging.getLogger(f"crossarc.{name}")


def is_watched() -> bool:
    """Whether a bar would be seen: standard error is a terminal, or this is a notebook."""
    return in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def in_notebook() -> bool:
    """Whether the program runs in a notebook, which draws what it is given."""
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


@contextlib.contextmanager
def progress_bar(description: str, total: float, shown: bool) -> Iterator[Callable[[float, str], None]]:
    """Give a function that takes how much of a total is done, and what to say beside it; shown or not."""
    if not shown:
        yield lambda done, text: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=not in_notebook()), transient=is_watched())
    task = bar.add_task(description, total=total)
    bar.start()
    try:
        yield lambda done, text: bar.update(task, completed=done, description=text or description)
    finally:
        bar.stop()


def both(first: Callable[..., None] | None, second: Callable[..., None]) -> Callable[..., None]:
    """Return a function that calls two, the first if there is one."""
    if first is None:
        return second
    given = first

    def call(*arguments: Any) -> None:
        given(*arguments)
        second(*arguments)

    return call
