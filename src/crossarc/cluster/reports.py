"""Reports on many files, computed on a cluster: structure and scores, one file a task.

A worker reads and counts a file and gives back the counts alone; they are added up here. Scores of many files are
those of all their words together: what is right, what the gold standard has and what the system has are summed, and
precision, recall and F follow. O(files) on the side that gives out the tasks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .._progress import is_watched, progress_bar
from ..errors import CrossarcError
from ..evaluation import Score
from ..reports.analysis import Analysis, FileAnalysis, analyze
from ..reports.evaluation import evaluate
from ..reports.evaluation_tables import flat_scores
from ..reports.table import Report, Table, table_text
from ..reports.text import percentage
from ..treebank import Treebank, from_bytes
from .running import ClusterError, Result, Task, completed, connected
from .shards import Shard, opened_shard, plan

_WHOLE = 1 << 62
#: A measure, the words that count, and the group of words, as in `Evaluation.to_pandas`.
Key = tuple[str, str, str]
_ALL = ["all", ""]
_PART = re.compile(r"\.part-\d+-of-\d+$")


def analyze_files(
    inputs: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    cluster: str = "local",
    workers: int | None = None,
    format: str | None = None,
    progress: bool | None = None,
) -> Analysis:
    """Count the structural classes of many treebanks on a cluster; see `crossarc.analyze`."""
    tasks = [(shard, format) for shard in plan(inputs, _WHOLE)]
    found: list[FileAnalysis] = _all_done(tasks, _analyzed, cluster, workers, "analyzing", progress)
    return Analysis(found)


def _analyzed(task: tuple[Shard, str | None]) -> FileAnalysis:
    shard, format = task
    return analyze([(shard.path, _treebank((shard,), format))], threads=1).files[0]


def _treebank(shards: Sequence[Shard], format: str | None) -> Treebank:
    """Read a file, or one that is in several parts."""
    content = b""
    for shard in shards:
        with opened_shard(shard) as file:
            content += file.read()
    return from_bytes(content, shards[0].path, format=format, root="any", threads=1)


@dataclass(frozen=True)
class FileScores:
    """The scores of a file: for each measure what is right, and what both sides have."""

    gold: str
    system: str
    scores: dict[Key, Score]


@dataclass(frozen=True, repr=False)
class CorpusScores(Report):
    """Scores of many files, and of all of them together (`total`). Ratios are shares from 0 to 1."""

    files: list[FileScores]
    total: dict[Key, Score]

    _ratios = ""

    @property
    def las(self) -> float:
        """The labelled attachment score of all words of all files."""
        return self.total["LAS", "all", ""].f1

    @property
    def uas(self) -> float:
        """The unlabelled attachment score of all words of all files."""
        return self.total["UAS", "all", ""].f1

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: for each file and for all, the measures over all words."""
        return {
            name: {measure: one.to_dict() for (measure, *which), one in scores.items() if which == _ALL}
            for name, scores in self._named()
        }

    def records(self) -> tuple[Sequence[str], list[tuple[str, int, float, float]]]:
        """Return the attachment scores, a row for each file and a last row `total`."""
        both = ((name, scores["LAS", "all", ""], scores["UAS", "all", ""]) for name, scores in self._named())
        return ("file", "words", "las", "uas"), [(name, las.gold, las.f1, uas.f1) for name, las, uas in both]

    def to_text(self, width: int = 100, *, full: bool = True) -> str:
        """Return the attachment scores as a table, in percent."""
        rows = ((name, f"{words:,}", percentage(las), percentage(uas)) for name, words, las, uas in self.records()[1])
        table = Table("Attachment scores, all words", ("file", "words", "LAS", "UAS"), tuple(rows))
        return "\n".join(table_text(table, width)) + "\n"

    def _named(self) -> list[tuple[str, dict[Key, Score]]]:
        return [*((file.system, file.scores) for file in self.files), ("total", self.total)]


def evaluate_files(
    gold: str | os.PathLike[str],
    system: str | os.PathLike[str],
    *,
    cluster: str = "local",
    workers: int | None = None,
    format: str | None = None,
    progress: bool | None = None,
) -> CorpusScores:
    """Score many files on a cluster: those of two directories or patterns that have the same names."""
    sides = [_by_name(plan(side, _WHOLE)) for side in (gold, system)]
    apart = sorted(set(sides[0]) ^ set(sides[1]))
    if apart:
        raise CrossarcError(f"{apart[0]}: one side has no file of this name; both need files of the same names")
    tasks = [(sides[0][name], sides[1][name], format) for name in sorted(sides[0])]
    files: list[FileScores] = _all_done(tasks, _evaluated, cluster, workers, "evaluating", progress)
    return CorpusScores(files, _added(files))


def _by_name(shards: Sequence[Shard]) -> dict[str, tuple[Shard, ...]]:
    """Return files by their names; the parts that a large one was parsed in are one file again."""
    found: dict[str, tuple[Shard, ...]] = {}
    for shard in shards:
        name = _PART.sub("", shard.name)
        found[name] = (*found.get(name, ()), shard)
    return found


def _evaluated(task: tuple[tuple[Shard, ...], tuple[Shard, ...], str | None]) -> FileScores:
    gold, system, format = task
    found = evaluate(_treebank(gold, format), _treebank(system, format), root="any", threads=1)
    scores = {(measure, words, group): score for measure, words, group, score in flat_scores(found.scores)}
    return FileScores(gold[0].path, system[0].path, scores)


def _added(files: Sequence[FileScores]) -> dict[Key, Score]:
    """Add up the counts of all files, measure by measure."""
    total: dict[Key, Score] = {}
    for file in files:
        for key, own in file.scores.items():
            before = total.get(key, Score(0, 0, 0))
            either = before.correct_system is not None or own.correct_system is not None
            both = (one.correct if one.correct_system is None else one.correct_system for one in (before, own))
            total[key] = Score(
                before.correct + own.correct,
                before.gold + own.gold,
                before.system + own.system,
                sum(both) if either else None,
            )
    return total


def _all_done(
    tasks: Sequence[Task], function: Any, cluster: str, workers: int | None, what: str, progress: bool | None
) -> list[Result]:
    """Return the results of tasks in their order; the first error ends it."""
    shown = is_watched() if progress is None else progress
    results: dict[Task, Result] = {}
    with connected(cluster, workers) as client, progress_bar(what, len(tasks), shown) as advance:
        for task, answer in completed(client, function, tasks):
            if isinstance(answer, CrossarcError):
                raise answer
            if isinstance(answer, BaseException):
                raise ClusterError(f"a task failed: {answer}") from answer
            results[task] = answer
            advance(len(results), f"{len(results):,} of {len(tasks):,} files")
    return [results[task] for task in tasks]
