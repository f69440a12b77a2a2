"""Memory-based pseudo-projective parsing: Tables 5 and 6 of Nivre & Nilsson 2005.

Arc-eager with the features of Table 2 and memory-based learning (IB1, k = 5, modified value difference metric,
inverse-distance voting), trained on raw non-projective trees, on projectivised ones (Baseline) and with the three
encodings. The paper parsed the Prague treebank, which is not at hand; Danish and three others stand in. Its tags were
the uncorrected output of a tagger (footnote 6); ours are the gold tags of the treebanks, XPOS or else UPOS.

On raw trees our oracle follows the nearest projective tree, that with the most gold arcs; Nivre's (2003) rule, which
the paper followed, takes arcs as they come and loses more. How many each loses is printed beside.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence

from crossarc.transitions import derive, systems
from crossarc.treebank import Treebank

from .common import DANISH, Experiment, NotKeptError, chance, experiment, table
from .runs import Outcome, Run, compare, missing_of, not_run, outcomes, scorer_options, tags_of

USUAL = (DANISH, "pl_mpdt", "la_circse", "nl_lassysmall")
ENCODINGS = {"Non-projective": None, "Baseline": "baseline", "Head": "head", "Head+Path": "head+path", "Path": "path"}
#: Table 5, Prague: UAS, LAS, unlabelled and labelled exact match.
PUBLISHED_SCORES = {
    "Non-projective": (78.5, 71.3, 28.9, 20.6),
    "Baseline": (79.1, 72.0, 29.2, 20.7),
    "Head": (80.1, 72.8, 31.6, 22.2),
    "Head+Path": (80.0, 72.8, 31.8, 22.4),
    "Path": (80.0, 72.7, 31.6, 22.0),
}
#: Table 6, Prague: precision, recall and F of non-projective arcs, unlabelled and labelled.
PUBLISHED_ARCS = {
    "Head": (61.3, 54.1, 57.5, 55.2, 49.8, 52.4),
    "Head+Path": (63.9, 54.9, 59.0, 57.9, 50.6, 54.0),
    "Path": (58.2, 49.5, 53.4, 51.0, 45.7, 48.2),
}


def run_of(asked: Experiment, condition: str) -> Run:
    """Return the run of a condition of the paper."""
    options = scorer_options(asked, **({"exploration": 0, "labels": "joint"} if asked.scorer == "perceptron" else {}))
    return Run("arc-eager", ENCODINGS[condition], "nivre-nilsson-2005", asked.scorer, options)


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, parse, print and write both tables."""
    asked = experiment("pseudo_projective", __doc__, arguments, scorer="memory")
    first = [[f"published: Prague, {name}", *_plain(row), ""] for name, row in PUBLISHED_SCORES.items()]
    second = [[f"published: Prague, {name}", *_plain(row)] for name, row in PUBLISHED_ARCS.items()]
    losses: list[list[str]] = []
    missing: list[str] = []
    tags: list[str] = []
    for name in asked.names(USUAL):
        tags.append(f"{tags_of(asked.data(name)).upper()} of `{name}`")
        found = outcomes(asked, {condition: run_of(asked, condition) for condition in ENCODINGS}, asked.data(name))
        missing += missing_of(name, ENCODINGS, found)
        baseline = found.get("Baseline")
        for condition, one in found.items():
            gain = None if baseline is None or condition == "Baseline" else compare([one], [baseline])
            figures = [one.uas, one.las, one.exact_unlabelled, one.exact_labelled]
            shown = "" if gain is None else f"{gain.difference:+.2f} (p {chance(gain.by_words)})"
            first.append([f"ours: `{name}`, {condition}", *_plain([100 * figure for figure in figures]), shown])
        second += [[f"ours: `{name}`, {one}", *_plain(_arcs(found[one]))] for one in PUBLISHED_ARCS if one in found]
        with contextlib.suppress(NotKeptError):
            losses.append([f"`{name}`", *(f"{count:,}" for count in _losses(asked, name))])
    text = [
        f"Learner: {asked.scorer}. Tags: gold, {', '.join(tags)}; the paper's were those of an automatic tagger.",
        "Accuracy (Table 5); the last column is LAS minus that of the baseline (McNemar, not corrected):",
        table(["condition", "UAS", "LAS", "UEM", "LEM", "− baseline"], first),
        "Non-projective arcs (Table 6), unlabelled and labelled:",
        table(["condition", "P", "R", "F", "P labelled", "R labelled", "F labelled"], second),
        "Arcs of the raw training trees, artificial root first, and how many of them are lost by each oracle:",
        table(["treebank", "arcs", "nearest projective tree", "Nivre's rule"], losses),
        *not_run(missing),
    ]
    asked.publish("pseudo_projective", "\n\n".join(text))


def _arcs(found: Outcome) -> list[float]:
    figures: list[float] = []
    for kind in ("unlabelled", "labelled"):
        precision, recall = found.precision(kind), found.recall(kind)
        both = precision + recall
        f = 2 * precision * recall / both if both and not math.isnan(both) else math.nan
        figures += [100 * one for one in (precision, recall, f)]
    return figures


def _losses(asked: Experiment, name: str) -> list[int]:
    data = asked.data(name)

    def count() -> list[int]:
        nearest = derive(systems.arc_eager, data.train, root="first", threads=asked.threads).lost
        return [data.train.words, int(nearest.sum()), lost_by_rule(data.train)]

    found: list[int] = asked.kept("losses", {}, data, count)
    return found


def lost_by_rule(treebank: Treebank) -> int:
    """Return how many arcs arc-eager loses if its rule is followed on raw trees, with the artificial root first.

    The rule of Nivre 2003: build an arc between the top and the next word if it is gold, else reduce the top if the
    next word has a gold arc to a word further left, else shift. O(words²) for each sentence.
    """
    return sum(len(sentence.heads) - _built_by_rule(sentence.heads.tolist()) for sentence in treebank)


def _built_by_rule(heads: Sequence[int]) -> int:
    gold = [-1, *heads]
    attached = {0}
    stack, built = [0], 0
    following = 1
    while following < len(gold):
        top = stack[-1] if stack else -1
        if top > 0 and gold[top] == following and top not in attached:
            stack.pop()
            built += 1
        elif top >= 0 and gold[following] == top:
            attached.add(following)
            stack.append(following)
            following, built = following + 1, built + 1
        elif top > 0 and top in attached and any(gold[following] == k or gold[k] == following for k in range(top)):
            stack.pop()
        else:
            stack.append(following)
            following += 1
    return built


def _plain(figures: Sequence[float]) -> list[str]:
    return ["–" if math.isnan(one) else f"{one:.1f}" for one in figures]


if __name__ == "__main__":
    main()
