"""Scores that were measured on treebanks, by which `crossarc.parsers.advice` chooses parsers.

docs/guide/train-and-parse.md and docs/guide/graph-parsing.md have all of them, with the commands that print them.
"""

from __future__ import annotations

from typing import NamedTuple

COVINGTON, TWO_PLANAR, HEAD, SWAP = "covington", "2-planar", "arc-eager with the encoding head", "swap"


class Measured(NamedTuple):
    """A treebank, the share of its arcs that are non-projective, and labelled attachment scores by candidate."""

    treebank: str
    nonprojective: float
    las: dict[str, float]


#: On test, with networks, one training each.
TRANSITION_PARSERS = (
    Measured("English EWT", 0.0017, {TWO_PLANAR: 0.8902, COVINGTON: 0.8899, HEAD: 0.8869}),
    Measured("Middle Polish MPDT", 0.0269, {COVINGTON: 0.7264, HEAD: 0.7158, TWO_PLANAR: 0.7122, SWAP: 0.6909}),
    Measured("Dutch LassySmall", 0.0636, {COVINGTON: 0.8650, TWO_PLANAR: 0.8575, HEAD: 0.8376, SWAP: 0.8214}),
    Measured("Latin CIRCSE", 0.1145, {COVINGTON: 0.6059, HEAD: 0.5834, SWAP: 0.5615, TWO_PLANAR: 0.5581}),
)


class MeasuredGraphs(NamedTuple):
    """A treebank, the share of its arcs that are non-projective, and labelled attachment scores.

    Those of graph parsers by class of trees, and that of the best transition parser.
    """

    treebank: str
    nonprojective: float
    unrestricted: float
    one_endpoint_crossing: float
    projective: float
    transitions: float

    def las(self, trees: str) -> float:
        """The score of a graph parser of trees of a class."""
        score: float = getattr(self, trees.replace("1-endpoint-crossing", "one_endpoint_crossing"))
        return score


#: On test, one training each; the graph parsers have 3 layers of 400 cells.
GRAPH_PARSERS = (
    MeasuredGraphs("English EWT", 0.0017, 0.9099, 0.9099, 0.9101, 0.9051),
    MeasuredGraphs("Portuguese Bosque", 0.0050, 0.9064, 0.9064, 0.9062, 0.8934),
    MeasuredGraphs("Danish DDT", 0.0100, 0.8857, 0.8857, 0.8824, 0.8689),
    MeasuredGraphs("Middle Polish MPDT", 0.0269, 0.7324, 0.7327, 0.7269, 0.7264),
    MeasuredGraphs("Dutch LassySmall", 0.0636, 0.8860, 0.8847, 0.8564, 0.8650),
    MeasuredGraphs("Latin CIRCSE", 0.1145, 0.6276, 0.6252, 0.5863, 0.6059),
    MeasuredGraphs("Ancient Greek AGDT", 0.1322, 0.8146, 0.8009, 0.7462, 0.7957),
)


class MeasuredClasses(NamedTuple):
    """A treebank, the share of its arcs that are non-projective, and scores of one graph parser by class of trees.

    LAS, and the strict F of non-projective arcs: an arc is right if it is non-projective in both trees.
    """

    treebank: str
    nonprojective: float
    las: dict[str, float]
    strict_f: dict[str, float]

    def best(self) -> tuple[str, str]:
        """The classes with the best LAS and with the best strict F; of equal ones the first."""
        by_las, by_arcs = (max(scores, key=scores.__getitem__) for scores in (self.las, self.strict_f))
        return by_las, by_arcs


_ALL, _ONE, _NONE = "unrestricted", "1-endpoint-crossing", "projective"

#: On dev, gold words without tags: the embedded models `en` and `grc` of version 0.1, each decoded three ways
#: (`python benchmarks/crossing.py --classes`).
CLASSES_ON_DEV = (
    MeasuredClasses(
        "English EWT",
        0.0017,
        {_ONE: 0.8923, _ALL: 0.8923, _NONE: 0.8922},
        {_ONE: 0.4364, _ALL: 0.4364, _NONE: 0.0},
    ),
    MeasuredClasses(
        "Ancient Greek AGDT",
        0.1322,
        {_ONE: 0.7911, _ALL: 0.8092, _NONE: 0.7347},
        {_ONE: 0.6332, _ALL: 0.7389, _NONE: 0.0},
    ),
)
