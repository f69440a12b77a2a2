"""Undirected parsing: Tables 1 to 3 of Gómez-Rodríguez & Fernández-González 2012.

Planar, 2-planar and Covington parsers: directed, undirected with naive and undirected with label-based reconstruction,
all with LIBSVM (the paper's learner for Danish), static oracles, joint labels and the same features with and without
direction. Scores without and, in brackets, with punctuation. An SVM takes up to half an hour for each parser.
"""

from __future__ import annotations

from collections.abc import Sequence

from .common import DANISH, Experiment, experiment, table
from .runs import Outcome, Run, compare, missing_of, not_run, outcomes
from .two_planar import paper_run

USUAL = (DANISH, "la_circse", "pl_mpdt")
SYSTEMS = ("planar", "2-planar", "covington")
#: Danish, Tables 1 to 3: LAS, LAS with punctuation, UAS, UAS with punctuation.
PUBLISHED = {
    "planar": (83.31, 82.60, 88.02, 86.64),
    "planar, naive": (82.65, 82.45, 87.58, 86.67),
    "planar, label-based": (83.87, 83.83, 88.94, 88.17),
    "2-planar": (83.81, 83.61, 88.50, 87.63),
    "2-planar, naive": (82.00, 81.63, 86.87, 85.80),
    "2-planar, label-based": (83.75, 83.65, 88.62, 87.82),
    "covington": (83.63, 82.89, 88.50, 87.06),
    "covington, naive": (82.00, 81.61, 86.55, 85.51),
    "covington, label-based": (84.27, 83.85, 88.82, 87.75),
}
RECONSTRUCTIONS = {"": None, ", naive": "naive", ", label-based": "label"}


def run_of(asked: Experiment, parser: str) -> Run:
    """Return the run of a parser of the tables, such as "planar, naive"."""
    system, _, way = parser.partition(",")
    encoding = RECONSTRUCTIONS[f",{way}" if way else ""]
    return paper_run(asked, system if encoding is None else f"undirected-{system}", encoding)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, parse, print and write the tables."""
    asked = experiment("undirected", __doc__, arguments, scorer="svm")
    sections = [f"Learner: {asked.scorer}; * label-based against directed: p < 0.05 over sentences (shuffling)."]
    missing: list[str] = []
    for name in asked.names(USUAL):
        found = outcomes(asked, {parser: run_of(asked, parser) for parser in PUBLISHED}, asked.data(name))
        missing += missing_of(name, PUBLISHED, found)
        sections += [f"`{name}`:", _table(found, name == DANISH)] if found else []
    sections += not_run(missing)
    asked.publish("undirected", "\n\n".join(sections))


def _table(found: dict[str, Outcome], with_published: bool) -> str:
    rows: list[list[str]] = []
    for parser, one in found.items():
        shown = _figures([one.las, one.las_all_words, one.uas, one.uas_all_words])
        published = [f"{las:.2f} ({las_p:.2f})" for las, las_p in _pairs(PUBLISHED[parser])]
        system = parser.partition(",")[0]
        gain = compare([one], [found[system]]) if parser != system and system in found else None
        rows.append([parser, *(published if with_published else []), *shown, "" if gain is None else gain.shown])
    published_columns = ["published LAS", "published UAS"] if with_published else []
    return table(["parser", *published_columns, "LAS", "UAS", "against directed"], rows)


def _figures(shares: Sequence[float]) -> list[str]:
    return [f"{100 * bare:.2f} ({100 * whole:.2f})" for bare, whole in _pairs(shares)]


def _pairs(figures: Sequence[float]) -> list[tuple[float, float]]:
    return list(zip(figures[::2], figures[1::2], strict=True))


if __name__ == "__main__":
    main()
