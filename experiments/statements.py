"""Statements in the text of the papers, checked on the runs of the other experiments.

2012, Section 6: reconstruction costs less than 0.20 points of LAS; Section 5: naive reconstruction is worse everywhere,
label-based parsing is significantly better for Danish (planar, Covington), and nowhere significantly worse. 2013,
Section 5.2: 2-planar is significantly better than projective parsing where many trees are non-projective, planar and
projective parsing hardly differ. 2005, Section 5: every encoding is significantly better than the baseline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from . import pseudo_projective, two_planar, undirected
from .common import Experiment, experiment, table
from .runs import Outcome, compare, outcomes


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare, print and write the tables."""
    asked = experiment("statements", __doc__, arguments, scorer="svm")
    costs: list[list[str]] = []
    differences: list[list[str]] = []
    for name in asked.names(undirected.USUAL):
        _undirected(asked, name, costs, differences)
        _planar(asked, name, differences)
    for name in asked.names(pseudo_projective.USUAL):
        _pseudo_projective(asked, name, differences)
    text = [
        f"Learner: {asked.scorer}. What reconstruction costs: labelled attachment of links, and of trees made of them:",
        table(["parser", "links", "trees", "cost"], costs),
        "Differences in LAS, and how likely they are by chance, by shuffling sentences and by McNemar's test of words:",
        table(["difference", "points", "shuffling", "McNemar"], differences),
    ]
    asked.publish("statements", "\n\n".join(text))


def _undirected(asked: Experiment, name: str, costs: list[list[str]], differences: list[list[str]]) -> None:
    """2012: what reconstruction costs, and which differences are significant."""
    data = asked.data(name)
    found = outcomes(asked, {parser: undirected.run_of(asked, parser) for parser in undirected.PUBLISHED}, data)
    for parser, one in found.items():
        if one.links is not None:
            figures = (one.links, one.las, one.links - one.las)
            costs.append([f"`{name}`, {parser}", *(f"{100 * figure:.2f}" for figure in figures)])
    for system in undirected.SYSTEMS:
        for first, second in ((", label-based", ""), (", naive", ""), (", naive", ", label-based")):
            differences += _difference(name, found, system + first, system + second)


def _planar(asked: Experiment, name: str, differences: list[list[str]]) -> None:
    """2013: planar and 2-planar against projective parsing."""
    data = asked.data(name)
    found = outcomes(asked, {parser: two_planar.run_of(asked, parser) for parser in two_planar.PARSERS}, data)
    for first, second in (("2-planar", "MaltP"), ("2-planar", "MaltPP"), ("planar", "MaltP")):
        differences += _difference(name, found, first, second)


def _pseudo_projective(asked: Experiment, name: str, differences: list[list[str]]) -> None:
    """2005: the encodings against the baseline, by memory-based learning unless a learner is asked for."""
    own = replace(asked, scorer="memory") if asked.scorer == "svm" else asked
    runs = {condition: pseudo_projective.run_of(own, condition) for condition in pseudo_projective.ENCODINGS}
    found = outcomes(own, runs, own.data(name))
    for condition in ("Head", "Head+Path", "Path", "Non-projective"):
        differences += _difference(name, found, condition, "Baseline", f" (2005, {own.scorer})")


def _difference(name: str, found: Mapping[str, Outcome], first: str, second: str, about: str = "") -> list[list[str]]:
    """Return the row of a difference, none if one of the two is not kept."""
    if first not in found or second not in found:
        return []
    gain = compare([found[first]], [found[second]])
    shown = [f"{gain.difference:+.2f}", f"{gain.by_sentences:.3f}", f"{gain.by_words:.3f}"]
    return [[f"`{name}`: {first} − {second}{about}", *shown]]


if __name__ == "__main__":
    main()
