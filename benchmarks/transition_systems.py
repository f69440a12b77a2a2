"""How accurate is every transition system that builds trees? On three treebanks; this takes hours.

Each has the encoding that it needs or is known with. On Dutch, Latin and Ancient Greek 2-planar must be better than
planar and arc-eager. What is measured, and how, is said in `trainings.py`.

    python benchmarks/transition_systems.py [--systems …] [--treebanks …] [--scorer network] [--epochs …] [--jobs 1]
"""

from __future__ import annotations

import sys

from common import Claims, at_least, print_table
from trainings import train_all, training_options

TREEBANKS = ("nl_lassysmall", "la_circse", "pl_mpdt")
SYSTEMS = (
    *("arc-standard", "arc-eager", "arc-hybrid", "easy-first", "planar", "2-planar", "3-planar"),
    *("covington", "covington-projective", "swap", "attardi-2"),
    *("undirected-planar", "undirected-2-planar", "undirected-covington"),
    *("arc-standard + head", "arc-eager + head", "arc-eager + path", "arc-eager + head+path", "arc-hybrid + head"),
)
#: Where 2-planar is better than the systems after it.
ORDERED = ("nl_lassysmall", "la_circse", "grc_agdt")
PLANAR = ("2-planar", "planar", "arc-eager")
CLAIMS = Claims(
    {f"{treebank}, LAS of 2-planar less that of {other}": at_least(0) for treebank in ORDERED for other in PLANAR[1:]}
)


def main() -> int:
    pairs = [(name, system) for name in TREEBANKS for system in SYSTEMS]
    results = train_all([*pairs, *(("grc_agdt", system) for system in PLANAR)], training_options(__doc__))
    columns = ["treebank", "system", "LAS on dev", "LAS", "UAS", "P / R", "epochs", "training, s", "words/s"]
    rows = []
    for one in results:
        row = [one.treebank, one.system, f"{one.dev:.2f}", f"{one.las:.2f}", f"{one.uas:.2f}"]
        row += [f"{one.precision:.0f} / {one.recall:.0f}", str(one.epochs), f"{one.seconds:.0f}"]
        rows.append([*row, f"{one.words_per_second:,.0f}"])
    print_table(columns, rows)
    las = {(one.treebank, one.system): one.las for one in results}
    for treebank in ORDERED:
        for other in PLANAR[1:]:
            if (treebank, "2-planar") in las and (treebank, other) in las:
                difference = las[treebank, "2-planar"] - las[treebank, other]
                CLAIMS.measure(f"{treebank}, LAS of 2-planar less that of {other}", difference)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
