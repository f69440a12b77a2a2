"""Parsing a corpus on a cluster: shards in, parsed shards and a manifest out.

Every parsed shard has a record, in the folder `.crossarc` of the output, that says from what, with which model and
options it was made. A second run passes over shards whose record is that which it would write, and whose output is
there: a run that was broken off goes on, and changed inputs, models or options are parsed again. The manifest has all
records in order. O(shards) on the side that gives out the tasks.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import __version__
from .._progress import is_watched, logger, progress_bar
from ..errors import CrossarcError, FileError
from ..files import check_kind, check_outputs, decompressed
from ..text.registry import find
from .running import ClusterError, completed, connected
from .shards import Shard, address_of, is_local, located, plan
from .worker import ParseTask, parse_shard, put

RECORDS = ".crossarc"
MANIFEST = "manifest.json"
#: Bytes of a shard, about: large enough that giving it out costs nothing, small enough that little is lost with it.
SHARD_BYTES = 32 << 20

#: Records that are read at once; each is a request or two where the output is in an object store.
_READERS = 16
_MOST_SHOWN = 3
_BLOCK = 1 << 16
_log = logger("cluster")


@dataclass
class CorpusReport:
    """What was parsed: records of shards, how many were done before, and what went wrong with others."""

    manifest: str
    records: list[dict[str, Any]]
    skipped: int = 0
    failed: list[tuple[Shard, str]] = field(default_factory=list)

    @property
    def sentences(self) -> int:
        """How many sentences all shards have."""
        return sum(record["sentences"] for record in self.records)

    @property
    def words(self) -> int:
        """How many words all shards have."""
        return sum(record["words"] for record in self.records)


def parse_corpus(
    model: str | os.PathLike[str],
    inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    cluster: str = "local",
    workers: int | None = None,
    shard_bytes: int = SHARD_BYTES,
    input: str | None = None,
    format: str | None = None,
    beam: int | None = None,
    force: bool = False,
    progress: bool | None = None,
    on_done: Callable[[dict[str, Any]], None] | None = None,
) -> CorpusReport:
    """Parse files on a cluster into a folder, shard by shard; what is done already is passed over.

    `model` is a file that all workers can read, or an address. `inputs` are files, directories, globs or addresses of
    object stores; files that are not compressed are cut into shards of about `shard_bytes`. `cluster` is "local",
    "slurm", the address of a scheduler or its file; `workers` how many are started. `input`, `format` and `beam` are as
    for `crossarc parse`. What was written into the folder before is no input, and nothing else there is replaced, an
    input least of all, unless `force` is set or it is a treebank. A shard that cannot be parsed does not stop the
    others; at the end there is an error that names it. `on_done` is told the record of each shard.
    """
    folder = _Folder(output)
    options = {"input": input, "format": format, "beam": beam}
    tasks = _tasks(plan(inputs, shard_bytes, folder.has_written), _address_of(model), folder, options, force)
    with ThreadPoolExecutor(_READERS) as pool:
        records = dict(zip((task.shard for task in tasks), pool.map(folder.record_of, tasks), strict=True))
    done = {shard: record for shard, record in records.items() if record is not None}
    left = [task for task in tasks if task.shard not in done]
    folder.check(left, [task.shard.path for task in tasks], force)
    report = CorpusReport(folder.address(MANIFEST), [], len(done))
    _log.info("%d shards, %d of them done before", len(tasks), len(done))
    shown = is_watched() if progress is None else progress
    if left:
        with connected(cluster, workers) as client, progress_bar("parsing", len(left), shown) as advance:
            for task, answer in completed(client, parse_shard, left):
                if isinstance(answer, BaseException):
                    report.failed.append((task.shard, str(answer)))
                    continue
                done[task.shard] = answer
                _log.debug("%s: %d sentences", task.output, answer["sentences"])
                if on_done is not None:
                    on_done(answer)
                advance(len(done) - report.skipped, f"{len(done):,} of {len(tasks):,} shards")
    report.records = [done[task.shard] for task in tasks if task.shard in done]
    put(_manifest(tasks, report), report.manifest)
    if report.failed:
        named = "; ".join(f"{shard.output_name}: {why}" for shard, why in report.failed[:_MOST_SHOWN])
        more = f" and {len(report.failed) - _MOST_SHOWN} more" if len(report.failed) > _MOST_SHOWN else ""
        raise ClusterError(f"{len(report.failed)} of {len(tasks)} shards failed: {named}{more}")
    return report


def _tasks(shards: list[Shard], model: str, folder: _Folder, options: dict[str, Any], force: bool) -> list[ParseTask]:
    system, path = located(model)
    with system.open(path, "rb") as file:
        checksum = hashlib.sha256(file.read()).hexdigest()
    tasks = []
    for shard in shards:
        decides = json.dumps([shard.to_dict(), checksum, options, __version__], sort_keys=True)
        key = hashlib.sha256(decides.encode()).hexdigest()
        name = shard.output_name
        task = ParseTask(shard, folder.address(name), folder.record(name), model, checksum, key, options, force)
        tasks.append(task)
    return tasks


def _address_of(model: str | os.PathLike[str]) -> str:
    """Return where workers find a model: an address as it is, else the whole path of the file."""
    name = os.fspath(model)
    if "://" in name:
        return name
    return str(Path(os.fspath(find(model))).resolve(strict=False))


class _Folder:
    """The output: a folder of this machine or of an object store."""

    def __init__(self, output: str | os.PathLike[str]) -> None:
        name = os.fspath(output)
        self._system, path = located(name)
        self._path = path.rstrip("/")
        if is_local(self._system) and Path(self._path).is_file():
            raise CrossarcError(f"{name}: is a file: give a folder for the parsed shards")
        self._system.makedirs(self._path, exist_ok=True)

    def address(self, name: str) -> str:
        """Return the address of a file in it."""
        return address_of(self._system, f"{self._path}/{name}")

    def has_written(self, address: str, folder: str) -> bool:
        """Whether a file, found below a folder, was written by an earlier run: it is here, and not an input."""
        here = self.address(".")[:-1]
        if not address.startswith(here):
            return False
        below = here.rstrip("/") != folder and here.startswith(f"{folder.rstrip('/')}/")
        return below or self._exists(self.record(address[len(here) :]))

    def record(self, name: str) -> str:
        """Return the address of the record of a file."""
        return self.address(f"{RECORDS}/{name}.json")

    def _exists(self, address: str) -> bool:
        return bool(self._system.exists(located(address)[1]))

    def check(self, tasks: list[ParseTask], inputs: list[str], force: bool) -> None:
        """Refuse to write over inputs and over files of others, before anything is parsed; see `check_outputs`."""
        counts = Counter(task.output for task in tasks)
        twice = next((name for name, count in counts.items() if count > 1), None)
        if twice is not None:
            raise CrossarcError(f"{twice}: two inputs would be written to this file: give them one at a time")
        others = [task.output for task in tasks if self._exists(task.output) and not self._exists(task.record)]
        there = [("treebank", name) for name in others]
        manifest = self.address(MANIFEST)
        if is_local(self._system):
            check_outputs([("manifest", manifest), *there], inputs, force=force)
        elif not force:
            if lost := next((name for _, name in there if name in set(inputs)), None):
                raise FileError(f"{lost}: is an input, which would be lost: give another folder, or add --force")
            for kind, name in [("manifest", manifest), *there]:
                check_kind(kind, name, self._start(name))

    def _start(self, address: str) -> bytes:
        """Return the first bytes of a file of an object store, decompressed; none if there is none."""
        try:
            with self._system.open(located(address)[1], "rb") as file:
                return decompressed(io.BufferedReader(file), address).read(_BLOCK)
        except FileNotFoundError:
            return b""
        except (OSError, EOFError):
            return b"\0"

    def record_of(self, task: ParseTask) -> dict[str, Any] | None:
        """Return the record of a shard that was parsed before, if it is the one that a task would write."""
        try:
            record = json.loads(self._system.cat_file(located(task.record)[1]))
            size = self._system.info(located(task.output)[1])["size"]
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(record, dict) or record.get("key") != task.key or record.get("bytes") != size:
            return None
        return record if all(isinstance(record.get(name), int) for name in ("sentences", "words")) else None


def _manifest(tasks: list[ParseTask], report: CorpusReport) -> dict[str, Any]:
    first = tasks[0]
    return {
        "crossarc": __version__,
        "model": {"path": first.model, "sha256": first.checksum},
        "options": first.options,
        "sentences": report.sentences,
        "words": report.words,
        "shards": [{name: value for name, value in record.items() if name != "key"} for record in report.records],
        "failed": [{"input": shard.path, "start": shard.start, "error": why} for shard, why in report.failed],
    }
