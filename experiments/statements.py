"""Statements in the text of the papers, checked on the runs of the other experiments.

2012, Section 6: reconstruction costs less than 0.20 points of LAS; Section 5: naive reconstruction is worse everywhere,
label-based parsing is significantly better for Danish (planar, Covington), and nowhere significantly worse. 2013,
Section 5.2: 2-planar is significantly better than projective parsing where many trees are non-projective, planar and
projective parsing hardly differ. 2005, Section 5: every encoding is significantly better than the baseline.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import numpy as np

import crossarc as xa
from crossarc.evaluation.significance import holm
from crossarc.structure.arcs import Arcs

from . import pseudo_projective, two_planar, undirected
from .common import DANISH, Data, Experiment, NotKeptError, chance, experiment, table
from .runs import Comparison, Outcome, Run, compare, outcomes, punctuation_of

_EPOCHS = 6
#: A name, and what comparing came to.
Difference = tuple[str, Comparison]
_PLANAR = (
    *(("2-planar", "MaltP"), ("2-planar", "MaltPP"), ("planar", "MaltP")),
    *((two_planar.ROOTLESS, "planar"), ("2-planar", two_planar.ROOTLESS)),
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare, print and write the tables."""
    asked = experiment("statements", __doc__, arguments, scorer="svm")
    costs: list[list[str]] = []
    differences: list[Difference] = []
    directions: list[list[str]] = []
    for name in asked.names(undirected.USUAL):
        _undirected(asked, name, costs, differences)
        directions += _directions(asked, name)
        _planar(asked, name, differences)
    for name in asked.names(pseudo_projective.USUAL):
        _pseudo_projective(asked, name, differences)
    text = [
        f"Learner: {asked.scorer}. What reconstruction costs: labelled attachment of links, and of trees made of them:",
        table(["parser", "links", "trees", "cost"], costs),
        "Perceptrons: words whose link is right and whose arc is wrong, which is what directions cost, and words whose "
        "arc is right without a link; in brackets per cent of the words:",
        table(["parser", "words", "right links", "lost", "won", "won, roots"], directions),
        "Differences in LAS, and how likely they are by chance: by shuffling sentences, with Holm's correction for "
        f"the {len(differences)} comparisons of this table, and by McNemar's test of words:",
        table(["difference", "points", "shuffling", "Holm", "McNemar"], _with_holm(differences)),
        "Danish, ours minus published, without punctuation; within 1.0 counts as reached:",
        table(["parser", "LAS", "UAS", "reached"], _reached(asked)),
    ]
    asked.publish("statements", "\n\n".join(text))


def _undirected(asked: Experiment, name: str, costs: list[list[str]], differences: list[Difference]) -> None:
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


def _directions(asked: Experiment, name: str) -> list[list[str]]:
    """2012: which words reconstruction loses and wins, of perceptrons with the same features."""
    own = replace(asked, scorer="perceptron", options={})
    data = asked.data(name)
    rows: list[list[str]] = []
    for parser in (one for one in undirected.PUBLISHED if "," in one):
        run = replace(undirected.run_of(own, parser), epochs=1 if asked.small else _EPOCHS)
        settings = {"treebank": name, **{key: value for key, value in asdict(run).items() if value not in (None, ())}}
        try:
            words, *counts = own.kept("directions", settings, data, partial(count_directions, run, data))
        except NotKeptError:
            continue
        rows.append([f"`{name}`, {parser}", f"{words:,}", *(f"{one:,} ({100 * one / words:.2f})" for one in counts)])
    return rows


def count_directions(run: Run, data: Data) -> list[int]:
    """Return the words of the test data that count, those with the right link, and what reconstruction changes.

    Lost are words with the right link and the wrong arc, won those with the right arc and without its link, and the
    last number is how many of those won are roots of the gold trees.
    """
    parser = run.parser(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that planar parsers with a root are projective is what the papers have
        parser.train(data.train, epochs=run.epochs, seed=run.seed, threads=1)
    test = data.test
    scores = xa.evaluate(test, parser.parse(test), root="any", punctuation=punctuation_of(test)).scores
    counted = scores.no_punctuation[0]
    linked = right_links(parser, test)
    right = scores.pair.both_correct
    won = right & ~linked & counted
    masks = (counted, linked & counted, linked & ~right & counted, won, won & (test.head == 0))
    return [int(np.count_nonzero(mask)) for mask in masks]


def right_links(parser: xa.TransitionParser, test: xa.Treebank) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return for each word whether its gold arc is among the links that a parser builds, with its label."""
    trained = parser.trained
    if trained is None or not isinstance(trained.encoding, xa.Undirected):
        raise ValueError("links are what a trained undirected parser builds")
    number = {label: place for place, label in enumerate(trained.labels)}
    gold = Arcs.from_heads(test.head, [number.get(label, -1) for label in test.texts("deprel")], test.word_offsets)
    links = parser.parse_links(test)
    directions = 1 if trained.encoding.reconstruction == "naive" else 2
    wanted = _keys(gold, gold.labels, len(number))
    return np.isin(wanted, _keys(links, links.labels // directions, len(number))) & (gold.labels >= 0)


def _keys(arcs: Arcs, labels: np.ndarray[Any, Any], count: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return a number for each arc that is the same for the same two words and label, whichever word is the head."""
    sentence = np.repeat(np.arange(len(arcs), dtype=np.int64), np.diff(arcs.offsets))
    nodes = int(np.diff(arcs.word_offsets).max(initial=0)) + 1
    left, right = np.minimum(arcs.heads, arcs.dependents), np.maximum(arcs.heads, arcs.dependents)
    keys: np.ndarray[Any, np.dtype[np.int64]] = ((sentence * nodes + left) * nodes + right) * count + labels
    return keys


def _planar(asked: Experiment, name: str, differences: list[Difference]) -> None:
    """2013: planar and 2-planar against projective parsing."""
    data = asked.data(name)
    found = outcomes(asked, {parser: two_planar.run_of(asked, parser) for parser in two_planar.PARSERS}, data)
    for first, second in _PLANAR:
        differences += _difference(name, found, first, second)


def _pseudo_projective(asked: Experiment, name: str, differences: list[Difference]) -> None:
    """2005: the encodings against the baseline, by memory-based learning unless a learner is asked for."""
    own = replace(asked, scorer="memory") if asked.scorer == "svm" else asked
    runs = {condition: pseudo_projective.run_of(own, condition) for condition in pseudo_projective.ENCODINGS}
    found = outcomes(own, runs, own.data(name))
    for condition in ("Head", "Head+Path", "Path", "Non-projective"):
        differences += _difference(name, found, condition, "Baseline", f" (2005, {own.scorer})")


def _reached(asked: Experiment) -> list[list[str]]:
    """Every published figure of Danish parsers beside ours."""
    malt = {parser: figures for parser, figures in two_planar.PUBLISHED["Danish"].items() if parser.startswith("Malt")}
    published = {parser: (figures[0], figures[1]) for parser, figures in malt.items()}
    published |= {parser: (figures[0], figures[2]) for parser, figures in undirected.PUBLISHED.items()}
    runs = {parser: (two_planar if parser in malt else undirected).run_of(asked, parser) for parser in published}
    found = outcomes(asked, runs, asked.data(DANISH))
    rows: list[list[str]] = []
    for parser, (las, uas) in published.items():
        if parser not in found:
            rows.append([parser, "–", "–", "not run"])
            continue
        gains = [100 * found[parser].las - (las or 0), 100 * found[parser].uas - (uas or 0)]
        which = [name for name, gain in zip(("LAS", "UAS"), gains, strict=True) if abs(gain) > 1]
        rows.append([parser, *(f"{gain:+.2f}" for gain in gains), f"{' and '.join(which)} not" if which else "yes"])
    return rows


def _difference(name: str, found: Mapping[str, Outcome], first: str, second: str, about: str = "") -> list[Difference]:
    """Return a difference with its name, none if one of the two is not kept."""
    if first not in found or second not in found:
        return []
    return [(f"`{name}`: {first} − {second}{about}", compare([found[first]], [found[second]]))]


def _with_holm(differences: Sequence[Difference]) -> list[list[str]]:
    """Return the rows of a table of differences."""
    corrected = holm([gain.by_sentences for _, gain in differences])
    return [
        [name, f"{gain.difference:+.2f}", *map(chance, (gain.by_sentences, probability, gain.by_words))]
        for (name, gain), probability in zip(differences, corrected, strict=True)
    ]


if __name__ == "__main__":
    main()
