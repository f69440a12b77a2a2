"""`crossarc parse` of several files and of folders, into a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import typer

from .output import fail, note, progress

if TYPE_CHECKING:
    from ..text.many import FileTask
    from ..treebank import Treebank

_MOST_SHOWN = 3

#: Takes a file and a number of threads, and gives its sentences with trees.
Parsed = Callable[[str, int], Iterable["Treebank"]]
#: Takes sentences and the name of a file, which it writes.
Write = Callable[[Iterable["Treebank"], str], None]


def parse_files(tasks: list[FileTask], parsed: Parsed, write: Write, threads: int) -> None:
    """Parse files that are not done yet; what went wrong with some does not stop the others and is said at the end."""
    from ..text.many import completed

    done = {task: counts for task in tasks if (counts := task.counts) is not None}
    left = [task for task in tasks if task not in done]
    before, failed = len(done), []
    if before:
        note(f"{before:,} of {len(tasks):,} files were done before and are not parsed again")

    def work(task: FileTask, threads: int) -> dict[str, int]:
        counts = {"sentences": 0, "words": 0}
        write(_counted(parsed(str(task.source), threads), counts), str(task.output))
        return counts

    with progress("parsing", sum(task.size for task in left)) as show:
        bytes_done = 0
        for task, answer in completed(left, work, threads):
            bytes_done += task.size
            show(bytes_done)
            if isinstance(answer, dict):
                done[task] = answer
            else:
                failed.append(answer if str(task.source) in answer else f"{task.source}: {answer}")
    sums = [sum(counts[name] for counts in done.values()) for name in ("sentences", "words")]
    note(f"{len(done):,} {'file' if len(done) == 1 else 'files'}: {sums[0]:,} sentences, {sums[1]:,} words")
    if failed:
        more = f"; and {len(failed) - _MOST_SHOWN} more" if len(failed) > _MOST_SHOWN else ""
        told = "; ".join(failed[:_MOST_SHOWN]) + more
        raise typer.Exit(fail(f"{len(failed):,} of {len(tasks):,} files could not be parsed: {told}"))


def _counted(pieces: Iterable[Treebank], counts: dict[str, int]) -> Iterator[Treebank]:
    for piece in pieces:
        counts["sentences"] += len(piece)
        counts["words"] += piece.words
        yield piece


def check_results(tasks: list[FileTask], kind: str, model: str, *, force: bool) -> None:
    """Refuse results that would replace an input or a file of another kind, before anything is parsed."""
    from ..files import check_outputs

    there = [(kind, str(task.output)) for task in tasks if task.output.exists() and not task.record.exists()]
    check_outputs(there, [model, *(str(task.source) for task in tasks)], force=force)
