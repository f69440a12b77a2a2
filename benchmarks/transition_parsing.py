"""How accurate are transition-based parsers? One system on each of seven treebanks beside MaltParser 1.9.2.

MaltParser's figures are those of its liblinear parsers with lemma, fine tag and split morphological features, the best
of several systems chosen on test. The scores of da_ddt_conllx are claimed without punctuation, too. What is measured,
and how, is said in `trainings.py`; every system on three treebanks is in `transition_systems.py`. grc_agdt, of which
nothing is claimed and which takes as long as all others together, is trained only if it is asked for.

    python benchmarks/transition_parsing.py [--treebanks …] [--scorer network] [--epochs …] [--jobs 1]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from common import Claims, at_least, print_table
from trainings import Result, train_all, training_options


@dataclass(frozen=True)
class Mark:
    """The system that is measured on a treebank, what MaltParser reaches there, and the scores to reach."""

    system: str
    malt: str
    las: float | None
    #: Of non-projective arcs: ten points above MaltParser's.
    f: float | None = None
    las_without_punctuation: float | None = None


MARKS = {
    "en_ewt": Mark("arc-hybrid + head", "87.91 / 85.75, 46 / 26", 87.5),
    "pt_bosque": Mark("arc-eager + head", "87.95 / 84.91, 62 / 35", 87.0),
    "da_ddt_conllx": Mark("arc-eager + head", "88.50 / 84.09, 44 / 40", 86.0, las_without_punctuation=85.5),
    "nl_lassysmall": Mark("covington", "84.48 / 80.78, 58 / 50", 83.5, 63.7),
    "la_circse": Mark("covington", "60.15 / 52.88, 62 / 30", 56.5, 50.4),
    "pl_mpdt": Mark("covington", "71.86 / 65.38, 39 / 20", 68.5, 36.4),
    "grc_agdt": Mark("covington", "does not finish", None),
}
#: The score of a result that each mark is about, by the name of both.
SCORES = {"las": "LAS", "f": "F of non-projective arcs", "las_without_punctuation": "LAS without punctuation"}
CLAIMS = Claims(
    {
        f"{treebank}, {shown}": at_least(getattr(mark, score))
        for treebank, mark in MARKS.items()
        for score, shown in SCORES.items()
        if getattr(mark, score) is not None
    }
)


def print_results(results: list[Result]) -> None:
    columns = ["treebank", "system", "LAS", "UAS", "P / R (F)", "MaltParser, UAS / LAS, P / R", "epochs", "s", "MB"]
    rows = []
    for one in results:
        found = f"{one.precision:.0f} / {one.recall:.0f} ({one.f:.0f})"
        row = [one.treebank, one.system, f"{one.las:.2f}", f"{one.uas:.2f}", found, MARKS[one.treebank].malt]
        rows.append([*row, str(one.epochs), f"{one.seconds:.0f}", f"{one.megabytes:,.0f}"])
    print_table(columns, rows)


def main() -> int:
    chosen = training_options(__doc__)
    chosen.treebanks = chosen.treebanks or [name for name, mark in MARKS.items() if mark.las is not None]
    results = train_all([(name, mark.system) for name, mark in MARKS.items()], chosen)
    print_results(results)
    for one in results:
        for score, shown in SCORES.items():
            if f"{one.treebank}, {shown}" in CLAIMS.claims:
                CLAIMS.measure(f"{one.treebank}, {shown}", getattr(one, score))
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
