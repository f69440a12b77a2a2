"""Which parser fits a treebank: a system and an encoding, why, and what each class of parsers could build of it.

The choice is by measured accuracy: labelled attachment scores of the candidates on treebanks whose arcs cross as often
(`MEASURED`; docs/guide/train-and-parse.md has all systems). Or every candidate is trained for a few epochs and compared
on development data. Graph parsers are more accurate and much slower (`GRAPHS`; docs/guide/graph-parsing.md): they are
named beside the choice, and chosen by `choose_parser` alone. Coverage is stated as a fact and not as a reason, since
what a system can derive says little about how well it learns: a projective system derives the projective trees and no
others (Nivre 2008), the k-planar system the k-planar ones (2010, Section 4; 2013, Section 4), lists (Covington 2001)
and swapping (Nivre 2009) derive every tree; pseudo-projective encodings take every tree and give most arcs back (2005,
Section 2); a decoder finds the best tree of its class (Eisner 1996; 2013 TACL, Section 4; Chu & Liu 1965). O(words) for
a treebank, O(1) for its `Coverage`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..encodings import PseudoProjective
from ..structure import Coverage, coverage, percent
from ..treebank import Treebank
from .graph.trees import fitting_class

#: From this share of non-projective arcs on, building them directly came out ahead of marking them in labels; below,
#: the candidates differ by less than a point, and an encoding around a projective system is the fastest.
_MANY = 0.02

_COVINGTON, _TWO_PLANAR, _HEAD, _SWAP = "covington", "2-planar", "arc-eager with the encoding head", "swap"


class Measured(NamedTuple):
    """A treebank, the share of its arcs that are non-projective, and labelled attachment scores by candidate."""

    treebank: str
    nonprojective: float
    las: dict[str, float]


#: On test, with networks, one training each.
MEASURED = (
    Measured("English EWT", 0.0017, {_TWO_PLANAR: 0.8902, _COVINGTON: 0.8899, _HEAD: 0.8869}),
    Measured("Middle Polish MPDT", 0.0269, {_COVINGTON: 0.7264, _HEAD: 0.7158, _TWO_PLANAR: 0.7122, _SWAP: 0.6909}),
    Measured("Dutch LassySmall", 0.0636, {_COVINGTON: 0.8650, _TWO_PLANAR: 0.8575, _HEAD: 0.8376, _SWAP: 0.8214}),
    Measured("Latin CIRCSE", 0.1145, {_COVINGTON: 0.6059, _HEAD: 0.5834, _SWAP: 0.5615, _TWO_PLANAR: 0.5581}),
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
GRAPHS = (
    MeasuredGraphs("English EWT", 0.0017, 0.9099, 0.9099, 0.9101, 0.9051),
    MeasuredGraphs("Portuguese Bosque", 0.0050, 0.9064, 0.9064, 0.9062, 0.8934),
    MeasuredGraphs("Danish DDT", 0.0100, 0.8857, 0.8857, 0.8824, 0.8689),
    MeasuredGraphs("Middle Polish MPDT", 0.0269, 0.7324, 0.7327, 0.7269, 0.7264),
    MeasuredGraphs("Dutch LassySmall", 0.0636, 0.8860, 0.8847, 0.8564, 0.8650),
    MeasuredGraphs("Latin CIRCSE", 0.1145, 0.6276, 0.6252, 0.5863, 0.6059),
    MeasuredGraphs("Ancient Greek AGDT", 0.1322, 0.8146, 0.8009, 0.7462, 0.7957),
)
#: Training data of more words may take a graph parser more than an hour on two cores (docs/guide/graph-parsing.md).
_MOST_NATIVE_WORDS = 300_000


@dataclass(frozen=True)
class Choice:
    """A system, the encoding around it, and why; and what a graph parser would give."""

    system: str
    encoding: PseudoProjective | None
    reason: str
    alternative: str = ""

    @property
    def name(self) -> str:
        """The system and the encoding, if there is one."""
        return self.system if self.encoding is None else f"{self.system} with the encoding {self.encoding.scheme}"


@dataclass(frozen=True)
class GraphChoice:
    """A graph parser for trees of a class, and why."""

    trees: str
    reason: str

    @property
    def name(self) -> str:
        """What it is, with the class of its trees."""
        return f"graph parser of {_class_name(self.trees)} trees"


@dataclass(frozen=True)
class Option:
    """One way to parse, and how many sentences (and the words in them) it covers.

    Covered means that every arc of the sentence can be built; where that is not `exact`, some may come out otherwise.
    """

    kind: str
    names: tuple[str, ...]
    trees: str
    sentences: int
    words: int
    exact: bool = True
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {**vars(self), "names": list(self.names)}


@dataclass(frozen=True)
class Recommendation:
    """What to use and why (`choice`), what covers how much of a treebank (`options`), and all of it in words."""

    choice: Choice
    options: tuple[Option, ...]
    points: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """What to use and why, and what each class of parsers could build: a few sentences."""
        return " ".join(self.points)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        encoding = self.choice.encoding
        return {
            "system": self.choice.system,
            "encoding": None if encoding is None else encoding.scheme,
            "reason": self.choice.reason,
            "alternative": self.choice.alternative,
            "options": [option.to_dict() for option in self.options],
            "verdict": self.verdict,
        }


def recommend(counts: Coverage) -> Recommendation:
    """Say what to use for a treebank with these counts, and what covers how much of it."""
    choice = candidates(counts)[0]
    return Recommendation(choice, _options(counts), tuple(_points(choice, counts)))


def choose(treebank: Treebank, *, threads: int = 0) -> Choice:
    """Choose for a treebank, by the structure of its trees and by what was measured on others."""
    return candidates(coverage(treebank, threads=threads))[0]


def choose_parser(treebank: Treebank, *, device: str | None = None, threads: int = 0) -> Choice | GraphChoice:
    """Choose a graph parser, or a transition parser if training would take very long without a device."""
    counts = coverage(treebank, threads=threads)
    if device is not None or counts.words <= _MOST_NATIVE_WORDS:
        return _graph_choice(counts)
    choice = candidates(counts)[0]
    long = f"training data of {counts.words:,} words take a graph parser long without --device cuda"
    return replace(choice, reason=f"{long}; {choice.reason}")


def _graph_choice(counts: Coverage) -> GraphChoice:
    trees = fitting_class(counts.sentences, counts.projective, counts.one_endpoint_crossing)
    covered = counts.projective if trees == "projective" else counts.one_endpoint_crossing
    within = "projective" if trees == "projective" else "1-endpoint-crossing"
    return GraphChoice(
        trees,
        f"{percent(covered, counts.sentences)} of the sentences are {within}; graph parsers were more accurate than "
        f"transition parsers on {_better()} treebanks ({_quoted(counts, trees)})",
    )


def _alternative(counts: Coverage) -> str:
    """Say what a graph parser would give, and how to get it."""
    if not counts.sentences:
        return ""
    trees = fitting_class(counts.sentences, counts.projective, counts.one_endpoint_crossing)
    return (
        f"A graph parser (--parser graph --trees {trees}) was more accurate on {_better()} treebanks, and takes "
        f"several times as long to train and to parse ({_quoted(counts, trees)})"
    )


def _better() -> str:
    return f"{sum(one.unrestricted > one.transitions for one in GRAPHS)} of {len(GRAPHS)}"


def _quoted(counts: Coverage, trees: str) -> str:
    """Quote what graph parsers came to on the treebank most like this one."""
    share = max(counts.nonprojective_arcs, 0.5) / max(1, counts.arcs)
    nearest = min(GRAPHS, key=lambda one: abs(math.log(one.nonprojective / share)))
    scores = f"graph parser {100 * nearest.las(trees):.2f}, best transition parser {100 * nearest.transitions:.2f}"
    return f"LAS on {nearest.treebank}, {100 * nearest.nonprojective:.2f} %: {scores}"


def _class_name(trees: str) -> str:
    return "all" if trees == "unrestricted" else trees


def candidates(counts: Coverage) -> list[Choice]:
    """Return what fits a treebank with these counts, the first choice first; all say what a graph parser would give."""
    alternative = _alternative(counts)
    return [replace(choice, alternative=alternative) for choice in _candidates(counts)]


def _candidates(counts: Coverage) -> list[Choice]:
    if not counts.nonprojective_arcs:
        every = "every sentence is projective, so that a projective system can build it"
        reason = every if counts.sentences else "there are no sentences to choose by"
        return [Choice("arc-eager", None, reason), Choice("arc-hybrid", None, reason)]
    share = counts.nonprojective_arcs / counts.arcs
    crossing = f"{percent(counts.nonprojective_arcs, counts.arcs)} of the arcs are non-projective"
    measured = _measured(share)
    builds = "it can build every one of them, in quadratic time; where there are as many, it was the most accurate"
    takes = "it takes every sentence in linear time; where there are so few, systems differ by less than a point"
    covington = Choice(_COVINGTON, None, f"{crossing}; {builds} ({measured})")
    head = Choice("arc-eager", PseudoProjective("head"), f"{crossing}; {takes} ({measured})")
    derives = f"it can derive {percent(counts.k_planar(2), counts.sentences)} of the sentences"
    planar = Choice(_TWO_PLANAR, None, derives)
    swap = Choice(_SWAP, None, "it can derive every sentence, in quadratic time at worst")
    return [covington, planar, head, swap] if share >= _MANY else [head, planar, covington, swap]


def _measured(share: float) -> str:
    """Quote the scores on the treebank most like this one."""
    alike = [one for one in MEASURED if (one.nonprojective >= _MANY) == (share >= _MANY)]
    nearest = min(alike, key=lambda one: abs(math.log(one.nonprojective / share)))
    scores = sorted(nearest.las.items(), key=lambda item: -item[1])
    named = ", ".join(f"{name} {100 * las:.2f}" for name, las in scores)
    return f"LAS on {nearest.treebank}, {100 * nearest.nonprojective:.2f} %: {named}"


# What covers how much


def _options(counts: Coverage) -> tuple[Option, ...]:
    projective = ("projective", counts.projective, counts.words_in["projective"])
    planar = ("planar", counts.k_planar(1), counts.words_in["planar"])
    two_planar = ("2-planar", counts.k_planar(2), counts.words_in["2-planar"])
    three_planar = ("3-planar", counts.k_planar(3), counts.words_in["3-planar"])
    one_endpoint = ("1-endpoint-crossing", counts.one_endpoint_crossing, counts.words_in["1-endpoint-crossing"])
    every = ("all trees", counts.sentences, counts.words)
    system, encoding, decoder = "transition system", "encoding", "decoder"
    return (
        Option(system, ("arc-standard", "arc-eager", "arc-hybrid", "easy-first"), *projective),
        Option(system, ("planar",), *planar),
        Option(system, ("2-planar",), *two_planar),
        Option(system, ("3-planar",), *three_planar),
        Option(system, ("Covington", "swap"), *every, note="quadratic time at worst"),
        Option(encoding, ("undirected 2-planar",), *two_planar, note="as the system inside"),
        Option(encoding, ("pseudo-projective",), *every, exact=False, note="most arcs come back"),
        Option(decoder, ("projective (Eisner)",), *projective),
        Option(decoder, ("1-endpoint-crossing",), *one_endpoint),
        Option(decoder, ("maximum spanning tree",), *every),
    )


def _points(choice: Choice, counts: Coverage) -> list[str]:
    """What to use, then what each class could build."""
    if not counts.sentences:
        return ["There are no sentences, so there is nothing to recommend."]
    points = [f"Use {choice.name}, which crossarc train takes by itself: {choice.reason}."]
    points.append(f"{choice.alternative}.")
    if not counts.nonprojective_sentences:
        return points
    points += [_projective_part(counts), _planes_part(counts), _decoder_part(counts), _encoding_part(counts)]
    if counts.undecided:
        points.append(
            f"Of {_number(counts.undecided, 'sentence')} the number of planes is known only within bounds; "
            "they are counted as not covered."
        )
    return points


def _projective_part(counts: Coverage) -> str:
    arcs = counts.nonprojective_arcs
    return (
        f"A projective parser can derive {percent(counts.projective, counts.sentences)} of the sentences. It would get "
        f"at least one arc wrong in the other {counts.nonprojective_sentences:,}: "
        f"{_number(arcs, 'arc')} ({percent(arcs, counts.arcs)}) {'is' if arcs == 1 else 'are'} non-projective, and can "
        "be built only by losing others."
    )


def _planes_part(counts: Coverage) -> str:
    shares = [_of_all(counts.k_planar(k), counts) for k in (1, 2, 3)]
    return (
        f"The planar system can derive {shares[0]}, the 2-planar system {shares[1]}, the 3-planar system {shares[2]}; "
        "Covington and swap can derive every sentence."
    )


def _decoder_part(counts: Coverage) -> str:
    without_root = ""
    if counts.one_endpoint_crossing_without_root > counts.one_endpoint_crossing:
        without_root = f" ({percent(counts.one_endpoint_crossing_without_root, counts.sentences)} without root arcs)"
    return (
        f"Of the decoders, the 1-endpoint-crossing one covers {_of_all(counts.one_endpoint_crossing, counts)}"
        f"{without_root}, the maximum spanning tree every sentence."
    )


def _encoding_part(counts: Coverage) -> str:
    lifted = counts.lifts.total()
    if not lifted:
        return "Pseudo-projective encodings take every sentence."
    return (
        "With a pseudo-projective encoding a projective parser takes every sentence and gives most arcs back: "
        f"{percent(counts.lifts[1], lifted)} of those that have to be lifted need one lift only, the easy kind."
    )


def _of_all(count: int, counts: Coverage) -> str:
    return "every sentence" if count == counts.sentences else percent(count, counts.sentences)


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
