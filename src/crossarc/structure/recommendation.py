"""Which parser fits a treebank: what each system, encoding and decoder covers of it, exactly, and a verdict in words.

Coverage is by theorem, not by experiment: a projective system derives the projective trees and no others (Nivre 2008),
the k-planar system the k-planar ones (2010, Section 4; 2013, Section 4), lists (Covington 2001) and swapping (Nivre
2009) derive every tree; pseudo-projective encodings take every tree and give most arcs back (2005, Section 2); a
decoder finds the best tree of its class (Eisner 1996; 2013 TACL, Section 4; Chu & Liu 1965). O(1) for a `Coverage`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .coverage import Coverage

#: A class that holds this share of the sentences is called enough.
ENOUGH = 0.99


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
    """What covers how much of a treebank, and what to use."""

    options: tuple[Option, ...]
    points: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """What to use, what it would lose, and why: a few sentences."""
        return " ".join(self.points)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"options": [option.to_dict() for option in self.options], "verdict": self.verdict}


def recommend(counts: Coverage) -> Recommendation:
    """Say which systems, encodings and decoders cover what share of the sentences, and what to use."""
    return Recommendation(_options(counts), tuple(_points(counts)))


def percent(count: int, of: int, digits: int = 2) -> str:
    """Return a share in percent; it says none or all only if that is exact.

    >>> percent(1, 8), percent(1, 100_000), percent(99_999, 100_000)
    ('12.50 %', '<0.01 %', '>99.99 %')
    """
    if not of:
        return "–"
    least = 10.0**-digits
    share = 100 * count / of
    if count > 0 and share < least:
        return f"<{least:.{digits}f} %"
    if count < of and share > 100 - least:
        return f">{100 - least:.{digits}f} %"
    return f"{share:.{digits}f} %"


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


def _points(counts: Coverage) -> list[str]:
    if not counts.sentences:
        return ["There are no sentences, so there is nothing to recommend."]
    if not counts.nonprojective_sentences:
        return [
            "Every sentence is projective. A projective parser, the fastest kind, can derive all of them; "
            "nothing is gained by a parser for crossing arcs."
        ]
    points = [_projective_part(counts), _system_part(counts), _decoder_part(counts), _encoding_part(counts)]
    if counts.undecided:
        points.append(
            f"Of {_sentences(counts.undecided)} the number of planes is known only within bounds; "
            "they are counted as not covered."
        )
    return points


def _projective_part(counts: Coverage) -> str:
    return (
        f"A projective parser can derive {percent(counts.projective, counts.sentences)} of the sentences. It would get "
        f"at least one arc wrong in the other {counts.nonprojective_sentences:,}: "
        f"{_arcs(counts.nonprojective_arcs)} ({percent(counts.nonprojective_arcs, counts.arcs)}) "
        f"{'is' if counts.nonprojective_arcs == 1 else 'are'} non-projective, and can be built only by losing others."
    )


def _system_part(counts: Coverage) -> str:
    names = {1: "planar", 2: "2-planar", 3: "3-planar"}
    covered = {k: counts.k_planar(k) for k in names}
    if counts.projective >= ENOUGH * counts.sentences:
        return f"That is enough for most uses; the 2-planar system can derive {_of_all(covered[2], counts)}."
    for k, name in names.items():
        lost = counts.sentences - covered[k]
        if not lost:
            fewer = f" (the 2-planar system {percent(covered[2], counts.sentences)})" if k == 3 else ""
            return f"The {name} system can derive every sentence{fewer}: use it, nothing is lost."
        if covered[k] >= ENOUGH * counts.sentences:
            return (
                f"Use the {name} system: it can derive {percent(covered[k], counts.sentences)} and would lose at least "
                f"one arc in {_sentences(lost)}; Covington and swap derive {'that' if lost == 1 else 'those'} too."
            )
    return (
        f"The 2-planar system can derive {_of_all(covered[2], counts)}, the 3-planar system "
        f"{_of_all(covered[3], counts)}; use Covington or swap, which can derive every sentence."
    )


def _decoder_part(counts: Coverage) -> str:
    share = _of_all(counts.one_endpoint_crossing, counts)
    if counts.one_endpoint_crossing >= ENOUGH * counts.sentences:
        return f"Of the decoders, the 1-endpoint-crossing one finds the best tree of a class that holds {share}."
    without_root = ""
    if counts.one_endpoint_crossing_without_root > counts.one_endpoint_crossing:
        without_root = f" ({percent(counts.one_endpoint_crossing_without_root, counts.sentences)} without root arcs)"
    return (
        f"Of the decoders, the 1-endpoint-crossing one covers {share}{without_root}; use the maximum spanning tree, "
        "which covers all."
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


def _sentences(count: int) -> str:
    return "1 sentence" if count == 1 else f"{count:,} sentences"


def _arcs(count: int) -> str:
    return "1 arc" if count == 1 else f"{count:,} arcs"
