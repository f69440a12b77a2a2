"""Statements in the text of the papers, checked on the runs of the other experiments.

2012, Section 6: reconstruction costs less than 0.20 points of LAS; Section 5: naive reconstruction is worse everywhere,
label-based parsing is significantly better for Danish (planar, Covington), and nowhere significantly worse. 2013,
Section 5.2: 2-planar is significantly better than projective parsing where many trees are non-projective, planar and
projective parsing hardly differ. 2005, Section 5: every encoding is significantly better than the baseline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from . import pseudo_projective, two_planar, undirected
from .common import Experiment, experiment, table
from .runs import Comparison, compare, outcome


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
    found = {parser: outcome(asked, undirected.run_of(asked, parser), data) for parser in undirected.PUBLISHED}
    for parser, one in found.items():
        if one.links is not None:
            figures = (one.links, one.las, one.links - one.las)
            costs.append([f"`{name}`, {parser}", *(f"{100 * figure:.2f}" for figure in figures)])
    for system in undirected.SYSTEMS:
        for first, second in ((", label-based", ""), (", naive", ""), (", naive", ", label-based")):
            gain = compare([found[system + first]], [found[system + second]])
            differences.append([f"`{name}`: {system}{first} − {system}{second}", *_shown(gain)])


def _planar(asked: Experiment, name: str, differences: list[list[str]]) -> None:
    """2013: planar and 2-planar against projective parsing."""
    data = asked.data(name)
    found = {parser: outcome(asked, two_planar.run_of(asked, parser), data) for parser in two_planar.PARSERS}
    for first, second in (("2-planar", "MaltP"), ("2-planar", "MaltPP"), ("planar", "MaltP")):
        differences.append([f"`{name}`: {first} − {second}", *_shown(compare([found[first]], [found[second]]))])


def _pseudo_projective(asked: Experiment, name: str, differences: list[list[str]]) -> None:
    """2005: the encodings against the baseline, by memory-based learning unless a learner is asked for."""
    own = replace(asked, scorer="memory") if asked.scorer == "svm" else asked
    data = own.data(name)
    conditions = pseudo_projective.ENCODINGS
    found = {condition: outcome(own, pseudo_projective.run_of(own, condition), data) for condition in conditions}
    for condition in ("Head", "Head+Path", "Path", "Non-projective"):
        gain = compare([found[condition]], [found["Baseline"]])
        differences.append([f"`{name}`: {condition} − Baseline (2005, {own.scorer})", *_shown(gain)])


def _shown(gain: Comparison) -> list[str]:
    return [f"{gain.difference:+.2f}", f"{gain.by_sentences:.3f}", f"{gain.by_words:.3f}"]


if __name__ == "__main__":
    main()
