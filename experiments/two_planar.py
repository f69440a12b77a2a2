"""Planar and 2-planar parsing: Table 2 of Gómez-Rodríguez & Nivre 2010 and Section 5.2 of Gómez-Rodríguez & Nivre 2013.

Arc-eager (MaltP), arc-eager with the pseudo-projective encoding Head (MaltPP), planar and 2-planar, all with LIBSVM,
static oracles, joint labels and the feature models of the CoNLL-X shared task. The table of 2013 is lost in the text of
the paper; of it the statements remain. An SVM takes up to half an hour for each parser; a perceptron, --scorer
perceptron, some minutes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .common import DANISH, Experiment, experiment, table
from .runs import Outcome, Run, missing_of, not_run, outcomes, scorer_options

USUAL = (DANISH, "la_circse", "pl_mpdt")
#: Table 2 of 2010, and for the planar parser Table 1 of 2012: LAS, UAS, precision and recall on non-projective arcs.
PUBLISHED = {
    "Danish": {
        "MaltP": (83.31, 88.30, None, None),
        "MaltPP": (83.67, 88.52, 41.7, 25.0),
        "planar": (83.31, 88.02, None, None),
        "2-planar": (83.81, 88.50, 66.7, 20.0),
    },
    "Czech": {
        "MaltP": (78.18, 84.12, None, None),
        "MaltPP": (79.80, 85.70, 76.7, 56.1),
        "2-planar": (79.24, 85.30, 68.9, 60.7),
    },
    "German": {
        "MaltP": (85.36, 88.06, None, None),
        "MaltPP": (85.76, 88.66, 58.1, 40.7),
        "2-planar": (86.50, 88.84, 57.1, 45.8),
    },
    "Portuguese": {
        "MaltP": (86.60, 90.20, None, None),
        "MaltPP": (87.08, 90.66, 83.3, 46.2),
        "2-planar": (87.04, 90.82, 82.8, 33.8),
    },
}
#: How learners are set: SVMs as MaltParser's were for Danish in the CoNLL-X shared task (-g 0.2 -c 0.6 -r 0.3).
SETTINGS: dict[str, dict[str, Any]] = {
    "perceptron": {"exploration": 0, "labels": "joint"},
    "svm": {"gamma": 0.2, "cost": 0.6, "coefficient": 0.3},
}
#: Learners that do not combine features by themselves.
LINEAR = ("perceptron", "linear-svm")
#: A planar parser that may build trees that are not projective; the papers have none.
ROOTLESS = "planar, no artificial root"
PARSERS = ("MaltP", "MaltPP", "planar", ROOTLESS, "2-planar")
_SYSTEMS = {"MaltP": "arc-eager", "MaltPP": "arc-eager", ROOTLESS: "planar"}


def run_of(asked: Experiment, parser: str) -> Run:
    """Return the run of a parser of the table."""
    system = _SYSTEMS.get(parser, parser)
    encoding = "head" if parser == "MaltPP" else None
    run = paper_run(asked, system, encoding)
    return replace(run, artificial_root=None) if parser == ROOTLESS else run


def paper_run(asked: Experiment, system: str, encoding: str | None) -> Run:
    """Return a system as the papers trained it, with the learner that is asked for.

    Undirected parsers build links to the artificial root (2012, Section 4), and planar ones arcs: with it they are
    projective, as the papers have it (2010, footnote 3). Linear learners get features with conjunctions, perceptrons a
    static oracle and joint labels.
    """
    root = "first" if system == "planar" or system.startswith("undirected-") else None
    features = f"malt-{system}-linear" if asked.scorer in LINEAR else f"conllx-{system}"
    return Run(system, encoding, features, asked.scorer, scorer_options(asked, **SETTINGS.get(asked.scorer, {})), root)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, parse, print and write the table."""
    asked = experiment("two_planar", __doc__, arguments, scorer="svm")
    rows: list[list[str]] = []
    for language, published in PUBLISHED.items():
        rows += [[f"published: {language}, {parser}", *_figures(figures), ""] for parser, figures in published.items()]
    missing: list[str] = []
    for name in asked.names(USUAL):
        found = outcomes(asked, {parser: run_of(asked, parser) for parser in PARSERS}, asked.data(name))
        for parser, one in found.items():
            arcs, covering = one.nonprojective_output
            rows.append([f"ours: `{name}`, {parser}", *_figures(_measured(one)), f"{covering} of {arcs}"])
        missing += missing_of(name, PARSERS, found)
    text = [
        f"Learner: {asked.scorer}. NPP and NPR: labelled precision and recall on non-projective arcs; last "
        "how many of the non-projective arcs of the output, those of punctuation among them, cover a root.",
        table(["parser", "LAS", "UAS", "NPP", "NPR", "over a root"], rows),
        *not_run(missing),
    ]
    asked.publish("two_planar", "\n\n".join(text))


def _measured(found: Outcome) -> tuple[float | None, ...]:
    figures = (found.las, found.uas, found.precision(), found.recall())
    return tuple(None if math.isnan(one) else 100 * one for one in figures)


def _figures(figures: Sequence[float | None]) -> list[str]:
    digits = (2, 2, 1, 1)
    return ["–" if one is None else f"{one:.{places}f}" for one, places in zip(figures, digits, strict=True)]


if __name__ == "__main__":
    main()
