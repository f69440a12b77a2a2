"""What the benchmarks share: treebanks, the best of several runs, tables, claims and the exit code.

A script states its claims as data at its top, measures, prints a table, and ends with `CLAIMS.finish()`: it exits with
0 if and only if every claim held.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

console = Console(width=140)
#: The larger English model of a checkout.
ACCURATE = Path(__file__).resolve().parent.parent / "models/en-accurate/crossarc_model_en_accurate/en-accurate.crossarc"


def options(doc: str | None, **defaults: int) -> argparse.Namespace:
    """Numbers that the command line may change, described by the script's own text."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default, help=f"default: {default}")
    return parser.parse_args()


def treebank_path(treebank: str, file: str = "") -> Path:
    """A folder or a file in the folder of treebanks; without it the script ends and says why."""
    folder = os.environ.get("CROSSARC_TREEBANKS")
    if folder is None:
        sys.exit("CROSSARC_TREEBANKS, the folder of real treebanks, is not set")
    path = Path(folder) / treebank / file
    if not path.exists():
        sys.exit(f"{path} is not there: CROSSARC_TREEBANKS names the folder of real treebanks")
    return path


@dataclass(frozen=True)
class Times:
    """Seconds on the wall and of the processor; other work on the machine disturbs the second less."""

    wall: float
    processor: float


def best_times(tasks: Sequence[Callable[[], object]], runs: int, least_seconds: float = 0.0) -> list[Times]:
    """The least times of several tasks, which take turns, so that all meet the same other work.

    There are more runs than asked for while the first task's take less than `least_seconds` together.
    """
    times: list[list[Times]] = [[] for _ in tasks]
    while len(times[0]) < runs or sum(one.wall for one in times[0]) < least_seconds:
        for task, found in zip(tasks, times, strict=True):
            begun, used = time.perf_counter(), time.process_time()
            task()
            found.append(Times(time.perf_counter() - begun, time.process_time() - used))
    return [Times(min(one.wall for one in found), min(one.processor for one in found)) for found in times]


def best_time(task: Callable[[], object], runs: int, least_seconds: float = 0.0) -> float:
    """The least time on the wall of one task."""
    return best_times([task], runs, least_seconds)[0].wall


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Names on the left, numbers on the right."""
    table = Table(box=None)
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    console.print()


@dataclass(frozen=True)
class Claim:
    """What a number is claimed to reach, or not to exceed."""

    limit: float
    at_most: bool = False

    def holds(self, value: float) -> bool:
        return value <= self.limit if self.at_most else value >= self.limit

    def __str__(self) -> str:
        return f"at {'most' if self.at_most else 'least'} {self.limit:,}"


def at_least(limit: float) -> Claim:
    return Claim(limit)


def at_most(limit: float) -> Claim:
    return Claim(limit, at_most=True)


class Claims:
    """The claims of a script by name, and what was measured of them."""

    def __init__(self, claims: dict[str, Claim]) -> None:
        self.claims = claims
        self.measured: dict[str, float] = {}
        self.left_out: dict[str, str] = {}

    def measure(self, name: str, value: float) -> None:
        """Note the value of a claim; what is no claim, or measured twice, is a mistake of the script."""
        assert name in self.claims and name not in self.measured, name
        self.measured[name] = value

    def agree(self, name: str, yes: bool) -> None:
        """Note whether two programs gave the same answer."""
        self.measure(name, float(yes))

    def leave_out(self, name: str, reason: str) -> None:
        """Do without a claim, because a peer that is not asked for is not installed."""
        assert name in self.claims
        self.left_out[name] = reason

    def finish(self) -> int:
        """Print each claim and whether it held; return the exit code. What was not measured did not hold."""
        rows, good = [], True
        for name, claim in self.claims.items():
            if name in self.left_out:
                rows.append([name, str(claim), "", f"left out: {self.left_out[name]}"])
                continue
            value = self.measured.get(name)
            holds = value is not None and claim.holds(value)
            good &= holds
            shown = "not measured" if value is None else f"{value:,.2f}"
            rows.append([name, str(claim), shown, "yes" if holds else "NO"])
        print_table(["claim", "limit", "measured", "holds"], rows)
        return 0 if good else 1
