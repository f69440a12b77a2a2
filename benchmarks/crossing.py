"""Can crossing arcs be trusted? Strict precision, recall and F of non-projective arcs, ours and of peers.

An arc is right if it is non-projective in both trees and has the right head (docs/theory/evaluation.md); in brackets 95
% intervals. English: the embedded model `en` and models/en-accurate on the dev and test parts of en_ewt together, gold
words without tags. `grc` on the test part of grc_agdt, likewise. Others: models of a folder, NAME.crossarc, on the test
part with gold words and tags, and beside each its baseline without crossing-sensitive scores, NAME-plain.crossarc (for
`en` en-plain.crossarc); the claims are differences to that. A model that is not there leaves its claims unmeasured, and
what is not measured does not hold, unless `--treebanks` leaves it out.

With `--peers` UDPipe 1 (swap) and spaCy (pseudo-projective) are trained on the same data and kept in that folder
(`crossing_peers.py`), and a transition parser of ours beside them; whole trainings take hours, so that `--peer-words`
takes the first so many words of train, and `--iterations` says how often they are gone through; the table says both.
`--classes` prints instead LAS and strict F on dev for the three classes of trees: what the advice of `crossarc analyze`
goes by.

    python benchmarks/crossing.py [--models FOLDER] [--peers FOLDER [--peer-words 10000] [--iterations 3 6 20]]
    python benchmarks/crossing.py --classes [--models FOLDER]
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import crossarc as xa
from common import ACCURATE, Claims, at_least, console, print_table, treebank_path
from crossarc.evaluation import StrictScore
from crossarc.parsers import GraphParser
from crossarc.parsers.graph.trees import TREE_CLASSES
from crossarc.reports.raw_text import evaluate_pipeline, words_alone
from crossarc.reports.text import percentage
from crossing_peers import PEERS, first_words, trained_peer

#: Treebanks, with the least gain of strict F over the baseline, and the least difference of LAS to it.
MARKS = {"pt_bosque": (10, -0.05), "nl_lassysmall": (4, 0), "grc_agdt": (2, 0), "la_circse": (2, 0)}
ENGLISH = "en_ewt"
EMBEDDED = {"en_ewt": "en", "grc_agdt": "grc"}
#: Models beside the embedded ones, by name.
OTHERS = {"en_ewt": {"en-accurate": ACCURATE}}
PEER_NAMES = {
    "udpipe": "UDPipe 1, swap",
    "spacy": "spaCy, pseudo-projective",
    "covington": "crossarc covington",
}

CLAIMS = Claims(
    {
        "en_ewt, strict precision": at_least(50),
        "en_ewt, strict recall": at_least(40),
        **{f"{name}, strict F, more than without": at_least(least) for name, (least, _) in MARKS.items()},
        **{f"{name}, LAS, more than without": at_least(least) for name, (_, least) in MARKS.items()},
    }
)


def parts(treebank: str, *names: str) -> xa.Treebank:
    """Parts of a treebank, one behind the other."""
    folder = treebank_path(treebank)
    return xa.read([next(folder.glob(f"{name}.*.gz")) for name in names], root="any")


def evaluated(model: str | Path, gold: xa.Treebank) -> xa.Evaluation:
    """What a model comes to: of a pipeline from gold words alone, else with gold tags."""
    loaded = xa.load(model)
    if isinstance(loaded, xa.Pipeline):
        return evaluate_pipeline(loaded, gold, words=True)
    return xa.evaluate(gold, loaded.parse(gold), root="any")


def with_interval(value: float, ends: tuple[float, float]) -> str:
    return "–" if value != value else f"{percentage(value)} ({100 * ends[0]:.1f} to {100 * ends[1]:.1f})"


def cells(found: xa.Evaluation) -> list[str]:
    """Strict scores with intervals, numbers of arcs, and LAS."""
    arcs: StrictScore = found.scores.strict.unlabelled
    return [
        with_interval(arcs.precision, arcs.precision_interval),
        with_interval(arcs.recall, arcs.recall_interval),
        with_interval(arcs.f1, arcs.f1_interval),
        *(f"{count:,}" for count in (arcs.gold, arcs.system, arcs.correct)),
        percentage(found.scores.strict.labelled.f1),
        percentage(found.las),
    ]


def ours(treebank: str, gold: xa.Treebank, models: Path | None) -> list[list[str]]:
    """The rows of our models, and their claims."""
    name = "en" if treebank == ENGLISH else treebank
    found: dict[str, xa.Evaluation] = {}
    if treebank in EMBEDDED:
        found[EMBEDDED[treebank]] = evaluated(EMBEDDED[treebank], gold)
    for model, file in OTHERS.get(treebank, {}).items():
        if file.exists():
            found[model] = evaluated(file, gold)
    for model in (f"{name}-plain", name):
        path = None if models is None else models / f"{model}.crossarc"
        if path is not None and path.exists() and model not in found:
            found[model] = evaluated(path, gold)
    if treebank == ENGLISH:
        arcs = found["en"].scores.strict.unlabelled
        CLAIMS.measure("en_ewt, strict precision", 100 * arcs.precision)
        CLAIMS.measure("en_ewt, strict recall", 100 * arcs.recall)
    elif {f"{name}-plain", name} <= found.keys():
        plain, own = found[f"{name}-plain"], found[name]
        strict = [one.scores.strict.unlabelled.f1 for one in (plain, own)]
        CLAIMS.measure(f"{treebank}, strict F, more than without", 100 * (strict[1] - strict[0]))
        CLAIMS.measure(f"{treebank}, LAS, more than without", 100 * (own.las - plain.las))
    return [[f"{treebank}, crossarc {model}", *cells(one)] for model, one in found.items()]


def peers(treebank: str, gold: xa.Treebank, options: argparse.Namespace) -> list[list[str]]:
    """The rows of peers; what is not installed is named and left out."""
    train = first_words(parts(treebank, "train"), options.peer_words)
    rows = []
    for (name, title), iterations in zip(PEER_NAMES.items(), options.iterations, strict=True):
        try:
            parse = trained_peer(name, treebank, train, options.peers, iterations, tags=treebank != ENGLISH)
        except ImportError as error:
            console.print(f"{title}: left out, not installed ({error})")
            continue
        found = xa.evaluate(gold, parse(gold), root="any")
        rows.append([f"{treebank}, {title}, {train.words:,} words, {iterations} times", *cells(found)])
    return rows


def print_classes(treebanks: list[str], models: Path | None) -> None:
    """Print LAS and strict F on dev of graph parsers by class of trees."""
    rows = []
    for treebank in treebanks:
        path = None if models is None else models / f"{treebank}.crossarc"
        if (path is None or not path.exists()) and treebank not in EMBEDDED:
            continue
        model = path if path is not None and path.exists() else EMBEDDED[treebank]
        parser, dev = xa.load(model).parser, parts(treebank, "dev")
        if not isinstance(parser, GraphParser) or parser.trained is None:
            continue
        for trees in TREE_CLASSES:
            parser.trained = replace(parser.trained, trees=trees)
            words = words_alone(dev) if parser.predict else dev
            found = xa.evaluate(dev, parser.parse(words), root="any")
            strict = found.scores.strict.unlabelled.f1
            rows.append([f"{treebank}, {trees}", f"{found.las:.4f}", f"{strict:.4f}"])
    print_table(["model, class of trees, on dev", "LAS", "strict F"], rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    everything = [ENGLISH, *MARKS]
    parser.add_argument("--models", type=Path, help="a folder of models, NAME.crossarc and NAME-plain.crossarc")
    parser.add_argument("--peers", type=Path, help="train peers and keep them in this folder")
    parser.add_argument("--peer-words", type=int, default=0, help="words of train that peers learn from; default: all")
    usual = [usual for _, _, usual in PEERS.values()]
    parser.add_argument("--iterations", type=int, nargs=3, default=usual, help=f"of each; default {usual}")
    parser.add_argument("--treebanks", nargs="+", choices=everything, default=everything)
    parser.add_argument("--classes", action="store_true", help="print LAS and strict F on dev by class of trees")
    options = parser.parse_args()
    if options.classes:
        print_classes(options.treebanks, options.models)
        return 0
    rows = []
    for treebank in options.treebanks:
        gold = parts(treebank, "dev", "test") if treebank == ENGLISH else parts(treebank, "test")
        rows += ours(treebank, gold, options.models)
        if options.peers is not None:
            rows += peers(treebank, gold, options)
    counts = ["gold arcs", "built", "right"]
    print_table(["parser", "strict P", "strict R", "strict F", *counts, "labelled F", "LAS"], rows)
    for claim in CLAIMS.claims:
        if claim.split(",")[0] not in options.treebanks:
            CLAIMS.leave_out(claim, "not asked for")
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
