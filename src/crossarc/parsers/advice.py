"""Which system and which encoding fit a treebank, and why, in words.

By the structure of its trees alone: O(words). Or by training each candidate for a few epochs and comparing the labelled
attachment scores on development data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..encodings import Encoding, PseudoProjective, recovery
from ..errors import ParserError
from ..models.base import Scorer
from ..structure import classify, coverage
from ..structure.recommendation import percent
from ..treebank import Treebank
from .transition.parser import TransitionParser

#: From this share of non-projective arcs on, building them directly came out ahead of marking them in labels: with
#: networks Covington's system is the best of all on treebanks with 3 to 13 % of them, and equal below.
_MANY = 0.02


@dataclass(frozen=True)
class Choice:
    """A system, the encoding around it, and why."""

    system: str
    encoding: Encoding | None
    reason: str

    @property
    def name(self) -> str:
        """The system and the encoding, if there is one."""
        return f"{self.system} with the encoding head" if self.encoding is not None else self.system


def candidates(treebank: Treebank, *, threads: int = 0) -> list[Choice]:
    """Return what fits the trees of a treebank, the first choice first."""
    counts = coverage(treebank, classify(treebank, threads=threads))
    if not counts.nonprojective_arcs:
        every = "every sentence is projective, so that a projective system can build it"
        return [Choice("arc-eager", None, every), Choice("arc-hybrid", None, every)]
    encoding = PseudoProjective("head")
    back = recovery(encoding, treebank, threads=threads)
    share = percent(counts.nonprojective_arcs, counts.arcs)
    crossing = f"{share} of the arcs are non-projective"
    head = Choice(
        "arc-eager",
        encoding,
        f"{crossing}; it takes every sentence in linear time, and marked labels bring back "
        f"{percent(back.recovered, back.moved)} of the arcs that are moved",
    )
    covington = Choice("covington", None, f"{crossing}; it can build every one of them, in quadratic time")
    planar = Choice("2-planar", None, f"it can derive {percent(counts.k_planar(2), counts.sentences)} of the sentences")
    swap = Choice("swap", None, "it can derive every sentence, in quadratic time at worst")
    many = counts.nonprojective_arcs >= _MANY * counts.arcs
    return [covington, planar, head, swap] if many else [head, planar, covington, swap]


def choose(treebank: Treebank, *, threads: int = 0) -> Choice:
    """Choose by the structure of the trees."""
    return candidates(treebank, threads=threads)[0]


def choose_by_training(
    treebank: Treebank,
    dev: Treebank,
    epochs: int,
    *,
    scorer: str | Scorer = "network",
    seed: int = 1,
    threads: int = 0,
    on_result: Callable[[Choice, float], None] | None = None,
) -> Choice:
    """Train every candidate for so many epochs and choose the one that is best on `dev`."""
    if not treebank.words or not dev.words:
        raise ParserError("to compare systems, training and development data are needed")
    results: list[tuple[float, Choice]] = []
    for choice in candidates(treebank, threads=threads):
        parser = TransitionParser(choice.system, encoding=choice.encoding, scorer=scorer)
        las = parser.train(treebank, dev=dev, epochs=epochs, seed=seed, threads=threads).las or 0.0
        results.append((las, choice))
        if on_result is not None:
            on_result(choice, las)
    best, choice = max(results, key=lambda result: result[0])
    return Choice(choice.system, choice.encoding, f"LAS {best:.2f} after {epochs} epochs, the best of {len(results)}")
