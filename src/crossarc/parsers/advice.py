"""Which parser fits a treebank: a system and an encoding, why, and what each class of parsers could build of it.

The choice is by labelled attachment scores of the candidates on treebanks whose arcs cross as often
(`crossarc.parsers.measured`). Or every candidate is trained for a few epochs and compared on development data. Graph
parsers are more accurate and much slower: they are named beside the choice, and chosen by `choose_parser` alone. Which
class of trees was best on development data is said by both measures, LAS and strict F of non-projective arcs.
Coverage is stated as a fact and not as a reason, since
what a system can derive says little about how well it learns: a projective system derives the projective trees and no
others (Nivre 2008), the k-planar system the k-planar ones (2010, Section 4; 2013, Section 4), lists (Covington 2001)
and swapping (Nivre 2009) derive every tree; pseudo-projective encodings take every tree and give most arcs back (2005,
Section 2); a decoder finds the best tree of its class (Eisner 1996; 2013 TACL, Section 4; Chu & Liu 1965). O(words) for
a treebank, O(1) for its `Coverage`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from ..encodings import PseudoProjective
from ..structure import Coverage, coverage, percent
from ..treebank import Treebank
from .graph.trees import fitting_class
from .measured import CLASSES_ON_DEV, COVINGTON, GRAPH_PARSERS, SWAP, TRANSITION_PARSERS, TWO_PLANAR

#: From this share of non-projective arcs on, building them directly came out ahead of marking them in labels; below,
#: the candidates differ by less than a point, and an encoding around a projective system is the fastest.
_MANY = 0.02

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
        f"transition parsers on {_better()} treebanks ({_quoted(counts, trees)}){_best_classes(counts)}",
    )


def _alternative(counts: Coverage) -> str:
    """Say what a graph parser would give, and how to get it."""
    if not counts.sentences:
        return ""
    trees = fitting_class(counts.sentences, counts.projective, counts.one_endpoint_crossing)
    return (
        f"A graph parser (--parser graph --trees {trees}) was more accurate on {_better()} treebanks, and takes "
        f"several times as long to train and to parse ({_quoted(counts, trees)}){_best_classes(counts)}"
    )


def _better() -> str:
    return f"{sum(table.unrestricted > table.transitions for table in GRAPH_PARSERS)} of {len(GRAPH_PARSERS)}"


def _quoted(counts: Coverage, trees: str) -> str:
    """Quote what graph parsers came to on the treebank most like this one."""
    share = max(counts.nonprojective_arcs, 0.5) / max(1, counts.arcs)
    nearest = min(GRAPH_PARSERS, key=lambda table: abs(math.log(table.nonprojective / share)))
    scores = f"graph parser {100 * nearest.las(trees):.2f}, best transition parser {100 * nearest.transitions:.2f}"
    return f"LAS on {nearest.treebank}, {100 * nearest.nonprojective:.2f} %: {scores}"


def _best_classes(counts: Coverage) -> str:
    """Say which class of trees was best on development data, by LAS and by strict F of non-projective arcs."""
    if not counts.nonprojective_arcs:
        return ""
    share = counts.nonprojective_arcs / counts.arcs
    nearest = min(CLASSES_ON_DEV, key=lambda table: abs(math.log(table.nonprojective / share)))
    by_las, by_arcs = nearest.best()
    las, strict_f = f"LAS, {100 * nearest.las[by_las]:.2f}", f"{100 * nearest.strict_f[by_arcs]:.2f}"
    where, arcs = f"on dev of {nearest.treebank}", "strict F of non-projective arcs"
    if by_las == by_arcs:
        return f"; {where} {_class_name(by_las)} trees had the best {las}, and the best {arcs}, {strict_f}"
    return (
        f"; {where} {_class_name(by_las)} trees had the best {las}, but {_class_name(by_arcs)} ones the best {arcs}, "
        f"{strict_f}"
    )


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
    covington = Choice(COVINGTON, None, f"{crossing}; {builds} ({measured})")
    head = Choice("arc-eager", PseudoProjective("head"), f"{crossing}; {takes} ({measured})")
    derives = f"it can derive {percent(counts.k_planar(2), counts.sentences)} of the sentences"
    planar = Choice(TWO_PLANAR, None, derives)
    swap = Choice(SWAP, None, "it can derive every sentence, in quadratic time at worst")
    return [covington, planar, head, swap] if share >= _MANY else [head, planar, covington, swap]


def _measured(share: float) -> str:
    """Quote the scores on the treebank most like this one."""
    alike = [table for table in TRANSITION_PARSERS if (table.nonprojective >= _MANY) == (share >= _MANY)]
    nearest = min(alike, key=lambda table: abs(math.log(table.nonprojective / share)))
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
