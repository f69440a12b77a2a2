"""How accurate are graph parsers? Models of seven treebanks, trained anywhere, and their trees of three classes.

Trainings take minutes on a GPU and hours on two cores, so that they are a step of their own: `--train` writes models
into a folder, each with a note of the machine, the time and the command beside it; without, the models of the folder
are evaluated on test, over all words, with gold words, lemmas, tags and features. The epoch is chosen on dev.

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
from common import Claims, at_least, best_time, print_table
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
CLAIMS = Claims({f"{treebank}, LAS": at_least(mark) for treebank, mark in MARKS.items()})


def train(treebank: str, folder: Path, options: argparse.Namespace) -> None:
    """Train on one treebank, and write the model with a note beside it."""
    learnt, dev, _ = read(treebank)
    named = (one.partition("=") for one in options.option)
    given: dict[str, Any] = {name: json.loads(value) for name, _, value in named}
    parser = xa.GraphParser("unrestricted", network=xa.Biaffine.from_options(given))
    start = time.monotonic()
    parser.train(learnt, dev=dev, epochs=options.epochs, seed=options.seed, device=options.device, on_epoch=print)
    note = {
        "machine": f"{platform.machine()}, {options.device or 'native'}",
        "seconds": round(time.monotonic() - start),
        "command": " ".join(sys.argv),
    }
    folder.mkdir(parents=True, exist_ok=True)
    parser.save(folder / f"{treebank}.crossarc")
    (folder / f"{treebank}.json").write_text(json.dumps(note))


def evaluate(treebank: str, folder: Path) -> list[str]:
    """Return a row of the table: scores of each class on test, words per second, and where the model comes from."""
    parser = xa.load(folder / f"{treebank}.crossarc")
    assert isinstance(parser, xa.GraphParser) and parser.trained is not None
    _, _, test = read(treebank)
    scores, row = [], [treebank]
    for trees in TREE_CLASSES:
        parser.trained = replace(parser.trained, trees=trees)
        found = xa.evaluate(test, parser.parse(test))
        scores.append(100 * found.las)
        row.append(f"{100 * found.las:.2f} / {100 * found.uas:.2f}")
    CLAIMS.measure(f"{treebank}, LAS", max(scores))
    seconds = best_time(lambda: parser.parse(test, threads=1), 2)
    note = json.loads((folder / f"{treebank}.json").read_text())
    size = (folder / f"{treebank}.crossarc").stat().st_size / 1e6
    return [*row, f"{test.words / seconds:,.0f}", f"{size:.1f}", f"{note['seconds']:,}", note["machine"]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, help="the folder of models")
    parser.add_argument("--train", choices=list(MARKS), help="train on this treebank")
    parser.add_argument("--treebanks", nargs="+", choices=list(MARKS), default=list(MARKS))
    parser.add_argument("--device", help="cuda or cpu, for torch; without, training is native")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--option", action="append", default=[], help="an option of Biaffine, NAME=VALUE")
    options = parser.parse_args()
    if options.train:
        train(options.train, options.models, options)
        return 0
    rows = [evaluate(treebank, options.models) for treebank in options.treebanks]
    classes = [f"{trees}, LAS / UAS" for trees in TREE_CLASSES]
    print_table(["treebank", *classes, "words/s", "MB", "training, s", "trained on"], rows)
    for treebank in MARKS.keys() - set(options.treebanks):
        CLAIMS.leave_out(f"{treebank}, LAS", "not asked for")
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
