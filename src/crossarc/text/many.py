"""Many files, each into a file of its own in a folder: which there are, what they will be called, which are done.

Every result has a record, in the folder `.crossarc` of the output, of all that decided it: the input and when it was
changed, the model, the options, the version. A result whose record is that which would be written now, and which has
the size that it says, is not made again: since files appear whole or not at all, a run that was broken off goes on.
Small files are worked on several at once, one thread each, large ones one after the other, on all threads.
O(files) beside the work itself.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import CrossarcError, FileError, MissingFileError
from ..files import COMPRESSIONS, SUFFIXES, TEXT_SUFFIXES, open_output

_RECORDS = ".crossarc"
#: Bytes of a file for which all threads work together; smaller ones have a thread each.
_LARGE = 1 << 20


@dataclass(frozen=True)
class FileTask:
    """An input, where its result and the record of that go, and a checksum of all that decides the result."""

    source: Path
    size: int
    output: Path
    record: Path
    key: str

    @property
    def counts(self) -> dict[str, int] | None:
        """What the record says of a result that is there already: its sentences and words; None if there is none."""
        try:
            record = json.loads(self.record.read_bytes())
            if record["key"] == self.key and record["bytes"] == self.output.stat().st_size:
                return {"sentences": int(record["sentences"]), "words": int(record["words"])}
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            pass
        return None

    def keep(self, counts: dict[str, int]) -> None:
        """Write the record of a result that is there now."""
        self.record.parent.mkdir(parents=True, exist_ok=True)
        data = {"input": str(self.source), "bytes": self.output.stat().st_size, **counts, "key": self.key}
        with open_output(self.record) as file:
            file.write(json.dumps(data, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")


def planned(inputs: Iterable[str], folder: str, ending: str, model: str, options: dict[str, Any]) -> list[FileTask]:
    """Return a task for each file that is given or is below a directory that is given, in the order of their names.

    `ending` is that of the results, whose names are those of the inputs, below a directory with their folders; names
    that two inputs would share keep their endings and folders. What an earlier run wrote is no input. `model` is a
    file.
    """
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise FileError(f"{folder}: is a file: give a folder for the results of several files")
    decides = [hashlib.sha256(Path(model).read_bytes()).hexdigest(), options, ending, __version__]
    named = {path: name for given in inputs for path, name in _files(Path(given), target)}
    shared = Counter(named.values())
    tasks = []
    for path, name in sorted(named.items()):
        name = name if shared[name] == 1 else "-".join(part for part in path.parts if part not in ("/", ".", ".."))
        status = path.stat()
        stated = json.dumps([str(path), status.st_size, status.st_mtime_ns, *decides], sort_keys=True)
        key = hashlib.sha256(stated.encode("utf-8", "backslashreplace")).hexdigest()
        output = target / (name + ending)
        tasks.append(FileTask(path, status.st_size, output, target / _RECORDS / f"{name}{ending}.json", key))
    return tasks


def _files(given: Path, target: Path) -> Iterator[tuple[Path, str]]:
    """Go through the files that a name stands for, with what their results are called, without an ending."""
    if given.is_file():
        yield given, _short(given.name)
    elif given.is_dir():
        found = [
            path
            for path in sorted(given.rglob("*"))
            if path.is_file() and _is_text(path, given) and not _was_written(path, given, target)
        ]
        if not found:
            known = ", ".join((*TEXT_SUFFIXES, *SUFFIXES))
            raise MissingFileError(f"{given}: no texts or treebanks in this folder: expected names in {known}")
        yield from ((path, _short(path.relative_to(given).as_posix())) for path in found)
    else:
        raise MissingFileError(f"{given}: cannot be read: no such file or folder")


def _is_text(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return not hidden and _short(path.name) != path.name


def _was_written(path: Path, folder: Path, target: Path) -> bool:
    """Whether a file below a folder was written into the folder of the results."""
    whole, below = path.resolve(), target.resolve()
    if below not in whole.parents:
        return False
    inside = folder.resolve() != below and folder.resolve() in below.parents
    return inside or (target / _RECORDS / f"{whole.relative_to(below).as_posix()}.json").exists()


def _short(name: str) -> str:
    """Leave out the endings of compression, of texts and of treebanks."""
    for suffixes in (COMPRESSIONS, (*SUFFIXES, *TEXT_SUFFIXES)):
        name = next((name[: -len(suffix)] for suffix in suffixes if name.lower().endswith(suffix)), name)
    return name


def completed(
    tasks: Iterable[FileTask], work: Callable[[FileTask, int], dict[str, int]], threads: int
) -> Iterator[tuple[FileTask, dict[str, int] | str]]:
    """Do the work of tasks and give each with its counts, or with what went wrong, as they are done.

    `work` takes a task and its number of threads, writes the result, and returns counts of sentences and words. The
    folders of results are made.
    """

    def done(task: FileTask, threads: int) -> dict[str, int] | str:
        try:
            task.output.parent.mkdir(parents=True, exist_ok=True)
            counts = work(task, threads)
            task.keep(counts)
        except CrossarcError as error:
            return str(error)
        return counts

    every = list(tasks)
    cores = threads or os.cpu_count() or 1
    small = [task for task in every if task.size < _LARGE]
    pool = ThreadPoolExecutor(cores)
    try:
        running = {pool.submit(done, task, 1): task for task in small}
        for future in as_completed(running):
            yield running[future], future.result()
    finally:  # an interruption does not wait for what has not begun
        pool.shutdown(cancel_futures=True)
    for task in every:
        if task.size >= _LARGE:
            yield task, done(task, threads)
