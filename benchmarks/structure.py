"""How fast are trees classified? crossarc, all classes, beside udapi's checks of projectivity and gaps.

All sentences of grc_agdt train (364,053 words, 77 % of the sentences non-projective), on one thread, the best of
several runs; the trees are in memory before the clock starts, on both sides. udapi is asked of every word what it has
methods for, `is_nonprojective` and `is_nonprojective_gap`, and the gaps of its projection, counted in `descendants`; it
gets the first sentences only. crossarc decides all classes of every sentence and arc. The two must agree on
non-projective arcs and gap degrees.

    python benchmarks/structure.py [--runs 9] [--udapi-sentences 5000]
"""

from __future__ import annotations

import sys
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

import crossarc as xa
from common import Claims, at_least, best_time, best_times, options, print_table, treebank_path
from crossarc.structure import classify

CLAIMS = Claims(
    {
        "both agree": at_least(1),
        "one thread, words per second": at_least(1_500_000),
        "one thread, times udapi": at_least(100),
    }
)


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


def main() -> int:
    chosen = options(__doc__, runs=9, udapi_sentences=5000)
    greek = xa.read(treebank_path("grc_agdt", "train.conll.gz"))
    some = greek[: chosen.udapi_sentences]
    trees = udapi_trees(some)
    checks = {"is_nonprojective": check_projectivity, "is_nonprojective_gap": check_gaps, "gaps": count_gaps}
    udapi_times = {name: best_time(partial(check, trees), 2) for name, check in checks.items()}
    udapi_speed = some.words / sum(udapi_times.values())
    one, all_cores = best_times([lambda: classify(greek, threads=1), lambda: classify(greek)], chosen.runs)
    one_thread = greek.words / one.wall
    speeds = {
        "crossarc, all classes, 1 thread": one_thread,
        "crossarc, all classes, all cores": greek.words / all_cores.wall,
        **{f"udapi, {name}": some.words / seconds for name, seconds in udapi_times.items()},
        "udapi, all three": udapi_speed,
    }
    print_table(
        ["", "words per second", "one thread is faster by"],
        [[name, f"{speed:,.0f}", f"{one_thread / speed:,.1f}"] for name, speed in speeds.items()],
    )
    found = classify(some)
    agree = np.array_equal(found.arc_nonprojective, check_projectivity(trees))
    CLAIMS.agree("both agree", agree and np.array_equal(found.gap_degree, count_gaps(trees)))
    CLAIMS.measure("one thread, words per second", one_thread)
    CLAIMS.measure("one thread, times udapi", one_thread / udapi_speed)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
