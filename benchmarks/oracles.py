"""How fast do the oracles turn a treebank into transitions? Words per second on one thread, by rule and by search.

The treebank is grc_agdt train, the one with the most crossing arcs; the best of several runs. Easy-first and Attardi's
systems have no rule; what their search, which tries more, comes to is information.

    python benchmarks/oracles.py [--runs 5]
"""

from __future__ import annotations

import sys
from functools import partial

from common import Claims, at_least, best_times, options, print_table, treebank_path
from crossarc import read
from crossarc.transitions import derive
from crossarc.transitions.algebra import systems

SYSTEMS = ("2-planar", "planar", "3-planar", "arc-eager", "arc-standard", "arc-hybrid", "covington", "swap")
BY_SEARCH_ALONE = ("easy-first", "attardi-2")
CLAIMS = Claims(
    {
        "2-planar by rule, words per second": at_least(300_000),
        **{f"{name} by search, words per second": at_least(50_000) for name in SYSTEMS},
    }
)


def main() -> int:
    runs = options(__doc__, runs=5).runs
    treebank = read(treebank_path("grc_agdt", "train.conll.gz"))
    rows = []
    for name in (*SYSTEMS, *BY_SEARCH_ALONE):
        methods = ("search", "rule") if name in SYSTEMS else ("search",)
        tasks = [partial(derive, systems.get(name), treebank, method=method, threads=1) for method in methods]
        search, *rule = (treebank.words / times.wall for times in best_times(tasks, runs if name in SYSTEMS else 1))
        if name in SYSTEMS:
            CLAIMS.measure(f"{name} by search, words per second", search)
        if name == "2-planar":
            CLAIMS.measure("2-planar by rule, words per second", rule[0])
        data = derive(systems.get(name), treebank).to_dict()
        rows.append(
            [
                name,
                f"{rule[0]:,.0f}" if rule else "–",
                f"{search:,.0f}",
                f"{data['derivable_sentences_share']:.2%}",
                f"{data['built_arcs_share']:.2%}",
                f"{data['transitions_per_word']:.2f}",
            ]
        )
    columns = ["system", "rule, words/s", "search, words/s", "sentences derived", "arcs built", "transitions a word"]
    print_table(columns, rows)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
