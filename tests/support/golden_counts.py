"""How many trees of n words are in each class: exact counts, from enumeration by other programs (golden_counts.tsv)."""

from __future__ import annotations

import csv
from pathlib import Path


def _read() -> dict[tuple[int, bool], dict[str, int]]:
    with (Path(__file__).parent / "golden_counts.tsv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return {
        (int(row.pop("n")), row.pop("root_children") != "any"): {name: int(count) for name, count in row.items()}
        for row in rows
    }


#: By the number of words, one to nine, and whether 0 has exactly one child: the count of each class by its name.
GOLDEN_COUNTS = _read()
