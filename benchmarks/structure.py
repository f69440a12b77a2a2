"""How fast are trees classified? crossarc, all classes, beside udapi's checks of projectivity and gaps.

All sentences of grc_agdt train (364,053 words, 77 % of the sentences non-projective), on one thread, the best of
several runs; the trees are in memory before the clock starts, on both sides. udapi is asked of every word what it has
methods for, `is_nonprojective` and `is_nonprojective_gap`, and the gaps of its projection, counted in `descendants`; it
gets the first sentences only. crossarc decides all classes of every sentence and arc. The two must agree on
non-projective arcs and gap degrees.

    python benchmarks/structure.py [--runs 9] [--udapi-sentences 5000]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import crossarc as xa
from crossarc.structure import classify

TREEBANKS = Path(os.environ.get("CROSSARC_TREEBANKS", Path(__file__).resolve().parents[2] / "shared" / "treebanks"))
LEAST_WORDS_PER_SECOND = 1_500_000
LEAST_RATIO = 100


def best_time(task: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def udapi_trees(treebank: xa.Treebank) -> list[list[Any]]:
    from udapi.core.root import Root

    trees = []
    for sentence in treebank:
        root = Root()
        words = [root.create_child(form=form) for form in sentence.forms]
        for word, head in zip(words, sentence.heads.tolist(), strict=True):
            word.parent = words[head - 1] if head else root
        trees.append(words)
    return trees


def check_projectivity(trees: list[list[Any]]) -> list[bool]:
    return [word.is_nonprojective() for words in trees for word in words]


def check_gaps(trees: list[list[Any]]) -> list[bool]:
    return [word.is_nonprojective_gap() for words in trees for word in words]


def gaps(word: Any) -> int:
    places = [below.ord for below in word.descendants(add_self=True)]
    return sum(right - left > 1 for left, right in pairwise(places))


def count_gaps(trees: list[list[Any]]) -> list[int]:
    return [max(gaps(word) for word in words) for words in trees]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--udapi-sentences", type=int, default=5000)
    options = parser.parse_args()

    greek = xa.read(TREEBANKS / "grc_agdt" / "train.conll.gz")
    some = greek[: options.udapi_sentences]
    trees = udapi_trees(some)
    checks = {"is_nonprojective": check_projectivity, "is_nonprojective_gap": check_gaps, "gaps": count_gaps}
    udapi_times = {name: best_time(partial(check, trees), 2) for name, check in checks.items()}
    udapi_speed = some.words / sum(udapi_times.values())
    one_thread = greek.words / best_time(lambda: classify(greek, threads=1), options.runs)
    speeds = {
        "crossarc, all classes, 1 thread": one_thread,
        "crossarc, all classes, all cores": greek.words / best_time(lambda: classify(greek), options.runs),
        **{f"udapi, {name}": some.words / seconds for name, seconds in udapi_times.items()},
        "udapi, all three": udapi_speed,
    }

    found = classify(some)
    agree = np.array_equal(found.arc_nonprojective, check_projectivity(trees))
    agree &= np.array_equal(found.gap_degree, count_gaps(trees))

    table = Table("", "words per second", "one thread is faster by")
    for name, speed in speeds.items():
        table.add_row(name, f"{speed:,.0f}", f"{one_thread / speed:,.1f}")
    console = Console()
    console.print(table)
    console.print(f"both agree on {len(some):,} sentences: {'yes' if agree else 'NO'}")
    good = agree and one_thread >= LEAST_WORDS_PER_SECOND and one_thread >= LEAST_RATIO * udapi_speed
    console.print(f"at least {LEAST_WORDS_PER_SECOND:,} words per second and {LEAST_RATIO} times udapi: {good}")
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
