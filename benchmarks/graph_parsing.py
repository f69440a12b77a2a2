"""How accurate are graph parsers? Models of seven treebanks, trained anywhere, and their trees of three classes.

Trainings take minutes on a GPU and hours on two cores, so that they are a step of their own: `--train` writes models
into a folder, each with a note of the machine, the time and the command beside it; without, the models of the folder
are evaluated on test, over all words, with gold words, lemmas, tags and features. The epoch is chosen on dev, or is the
last one (`--last`), which saves the time of parsing dev after each. The classes are compared with each other, and with
a transition parser where the folder has one (TREEBANK.transition.crossarc), by random shuffling of sentences' scores.

    python benchmarks/graph_parsing.py MODELS --train en_ewt [--device cuda] [--epochs 40] [--option cells=400 …]
    python benchmarks/graph_parsing.py MODELS [--treebanks …]
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import crossarc as xa
from common import Claims, at_least, at_most, best_time, print_table
from crossarc.parsers.graph.trees import TREE_CLASSES
from trainings import read

#: LAS to be reached by the best class of trees.
MARKS = {
    "en_ewt": 90.8,
    "pt_bosque": 90.5,
    "da_ddt_conllx": 88.3,
    "nl_lassysmall": 88.3,
    "la_circse": 62.0,
    "pl_mpdt": 73.2,
    "grc_agdt": 81.2,
}
#: Where 1-Endpoint-Crossing trees are better than projective ones, beyond chance.
SIGNIFICANT = ("nl_lassysmall", "la_circse", "grc_agdt")
CLAIMS = Claims(
    {
        **{f"{treebank}, LAS": at_least(mark) for treebank, mark in MARKS.items()},
        **{f"{treebank}, 1-endpoint-crossing against projective, p": at_most(0.05) for treebank in SIGNIFICANT},
        "en_ewt, 1-endpoint-crossing not worse than projective": at_least(1),
    }
)
SAMPLES = 10_000
COLUMNS = (*TREE_CLASSES, "transition")


def train(treebank: str, folder: Path, options: argparse.Namespace) -> None:
    """Train on one treebank, and write the model with a note beside it."""
    learnt, dev, _ = read(treebank)
    named = (one.partition("=") for one in options.option)
    given: dict[str, Any] = {name: json.loads(value) for name, _, value in named}
    parser = xa.GraphParser("unrestricted", network=xa.Biaffine.from_options(given))
    start = time.monotonic()
    parser.train(
        learnt,
        dev=None if options.last else dev,
        epochs=options.epochs,
        seed=options.seed,
        device=options.device,
        threads=options.threads,
        on_epoch=print,
    )
    seconds = round(time.monotonic() - start)
    note = {
        "machine": f"{platform.machine()}, {options.device or f'native, {options.threads} threads'}",
        "seconds": seconds,
        "command": " ".join(sys.argv),
        "dev": round(100 * xa.evaluate(dev, parser.parse(dev)).las, 2),
    }
    folder.mkdir(parents=True, exist_ok=True)
    parser.save(folder / f"{treebank}.crossarc")
    (folder / f"{treebank}.json").write_text(json.dumps(note))


def evaluate(treebank: str, folder: Path) -> tuple[list[str], list[str]]:
    """Return the rows of two tables: scores of each class on test, and differences between them with their chances."""
    parser = xa.load(folder / f"{treebank}.crossarc")
    assert isinstance(parser, xa.GraphParser) and parser.trained is not None
    _, _, test = read(treebank)
    parsed = {}
    for trees in TREE_CLASSES:
        parser.trained = replace(parser.trained, trees=trees)
        parsed[trees] = parser.parse(test)
    seconds = best_time(lambda: parser.parse(test, threads=1), 2)
    beside = folder / f"{treebank}.transition.crossarc"
    if beside.exists():
        parsed["transition"] = xa.load(beside).parse(test)
    found = {name: xa.evaluate(test, trees) for name, trees in parsed.items()}
    CLAIMS.measure(f"{treebank}, LAS", 100 * max(found[trees].las for trees in TREE_CLASSES))
    note = json.loads((folder / f"{treebank}.json").read_text())
    size = (folder / f"{treebank}.crossarc").stat().st_size / 1e6
    scores = [f"{100 * one.las:.2f} / {100 * one.uas:.2f}" for one in found.values()]
    scores += [""] * (len(COLUMNS) - len(scores))
    told = [f"{test.words / seconds:,.0f}", f"{size:.1f}", f"{note['seconds']:,}", note["machine"]]
    return [treebank, *scores, *told], [treebank, *compare(treebank, test, parsed)]


def compare(treebank: str, test: xa.Treebank, parsed: dict[str, xa.Treebank]) -> list[str]:
    """Return differences in LAS between 1-Endpoint-Crossing trees and the others, each with the chance of it."""
    cells = []
    for other in COLUMNS[1:]:
        if other not in parsed:
            cells.append("")
            continue
        pair = [parsed[other], parsed[COLUMNS[0]]]
        (result,) = xa.compare(test, *pair, measure="las", samples=SAMPLES).measures["las"].pairs
        cells.append(f"{100 * result.difference:+.2f} (p = {result.shuffled:.4f})")
        if other == "projective" and treebank in SIGNIFICANT:
            chance = result.shuffled if result.difference > 0 else 1.0
            CLAIMS.measure(f"{treebank}, 1-endpoint-crossing against projective, p", chance)
        if other == "projective" and treebank == "en_ewt":
            not_worse = result.difference >= 0 or result.shuffled > 0.05
            CLAIMS.agree("en_ewt, 1-endpoint-crossing not worse than projective", not_worse)
    return cells


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, help="the folder of models")
    parser.add_argument("--train", choices=list(MARKS), help="train on this treebank")
    parser.add_argument("--treebanks", nargs="+", choices=list(MARKS), default=list(MARKS))
    parser.add_argument("--device", help="cuda or cpu, for torch; without, training is native")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--last", action="store_true", help="take the last epoch")
    parser.add_argument("--threads", type=int, default=2, help="of native training")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--option", action="append", default=[], help="an option of Biaffine, NAME=VALUE")
    options = parser.parse_args()
    if options.train:
        train(options.train, options.models, options)
        return 0
    rows = [evaluate(treebank, options.models) for treebank in options.treebanks]
    classes = [f"{trees}, LAS / UAS" for trees in COLUMNS]
    told = ["words/s, one thread", "MB", "training, s", "trained on"]
    print_table(["treebank", *classes, *told], [scores for scores, _ in rows])
    against = [f"1-endpoint-crossing less {other}, LAS" for other in COLUMNS[1:]]
    print_table(["treebank", *against], [differences for _, differences in rows])
    for claim in CLAIMS.claims:
        if claim.partition(",")[0] not in options.treebanks:
            CLAIMS.leave_out(claim, "not asked for")
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
