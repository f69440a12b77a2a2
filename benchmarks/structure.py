"""How fast are trees classified? crossarc, all classes, beside udapi's checks of projectivity and gaps.

All sentences of grc_agdt train (364,053 words, 77 % of the sentences non-projective), on one thread, the best of several
runs; the trees are in memory before the clock starts, on both sides. udapi decides two things of every word,
`is_nonprojective` and `is_nonprojective_gap`, and gets the first sentences only; crossarc decides all classes of every
sentence and arc. The two must agree which arcs are non-projective.

    python benchmarks/structure.py [--runs 7] [--udapi-sentences 1500]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
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


def check_with_udapi(trees: list[list[Any]]) -> list[tuple[bool, bool]]:
    return [(word.is_nonprojective(), word.is_nonprojective_gap()) for words in trees for word in words]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--udapi-sentences", type=int, default=1500)
    options = parser.parse_args()

    greek = xa.read(TREEBANKS / "grc_agdt" / "train.conll.gz")
    some = greek[: options.udapi_sentences]
    trees = udapi_trees(some)
    udapi_speed = some.words / best_time(lambda: check_with_udapi(trees), 2)
    speeds = {
        "crossarc, all classes, 1 thread": greek.words / best_time(lambda: classify(greek, threads=1), options.runs),
        "crossarc, all classes, all cores": greek.words / best_time(lambda: classify(greek), options.runs),
        "udapi, is_nonprojective and is_nonprojective_gap": udapi_speed,
    }

    found = classify(some).arc_nonprojective
    agree = np.array_equal(found, [nonprojective for nonprojective, _ in check_with_udapi(trees)])

    table = Table("", "words per second", "times udapi")
    for name, speed in speeds.items():
        table.add_row(name, f"{speed:,.0f}", f"{speed / udapi_speed:,.0f}")
    console = Console()
    console.print(table)
    console.print(f"non-projective arcs agree in {len(some):,} sentences: {'yes' if agree else 'NO'}")
    one_thread = next(iter(speeds.values()))
    good = agree and one_thread >= LEAST_WORDS_PER_SECOND and one_thread >= LEAST_RATIO * udapi_speed
    console.print(f"at least {LEAST_WORDS_PER_SECOND:,} words per second and {LEAST_RATIO} times udapi: {good}")
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
