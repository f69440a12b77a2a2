"""Does a crossing penalty make non-projective transitions surer? Strict scores with 0 and with that chosen on dev.

Networks that build crossing arcs by SWAP, SWITCH, Covington's lists or lifted labels learn from the first sentences of
four treebanks; gold words, tags and features, all epochs, scores on test. An arc counts if it is non-projective in both
trees and has the right head. Where a treebank has no dev, the last 500 sentences of train are. LAS with the penalty
must not be lower by more than a fifth of a point than without, and F must be higher in the mean.

    python benchmarks/crossing_penalty.py [--treebanks …] [--systems …] [--epochs 6]
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

import crossarc as xa
from common import Claims, at_least, print_table, treebank_path
from crossarc.parsers.trees import nonprojective
from trainings import make

#: From how many sentences of each is learnt.
TREEBANKS = {"nl_lassysmall": 2000, "la_circse": 2000, "pt_bosque": 2500, "da_ddt_conllx": 2500}
SYSTEMS = ("swap", "2-planar", "covington", "arc-eager + head")
F, LAS = (f"{what} with the penalty less that without" for what in ("mean of F", "least LAS"))
CLAIMS = Claims({F: at_least(0.5), LAS: at_least(-0.2)})


def read(treebank: str, sentences: int) -> tuple[xa.Treebank, xa.Treebank, xa.Treebank]:
    found = {path.name.split(".")[0]: xa.read(path, root="any") for path in treebank_path(treebank).glob("*.gz")}
    return found["train"][:sentences], found.get("dev", found["train"][-500:]), found["test"]


def scores(gold: xa.Treebank, parsed: xa.Treebank) -> tuple[float, float, float, float]:
    """Return precision, recall and F of non-projective arcs, and LAS, in percent."""
    ours, theirs = (nonprojective(one.head, one.word_offsets) for one in (parsed, gold))
    right = parsed.head == gold.head
    both = int((ours & theirs & right).sum())
    labelled = right & (np.array(parsed.texts("deprel")) == np.array(gold.texts("deprel")))
    precision, recall = both / max(1, int(ours.sum())), both / max(1, int(theirs.sum()))
    f = 2 * both / max(1, int(ours.sum()) + int(theirs.sum()))
    return 100 * precision, 100 * recall, 100 * f, 100 * float(labelled.mean())


def measure(treebank: str, system: str, epochs: int) -> tuple[list[str], float, float]:
    train, dev, test = read(treebank, TREEBANKS[treebank])
    parser = make(system, "network")
    parser.train(train, epochs=epochs)
    keeps = parser.crossing_punctuation
    parser.crossing_punctuation = True
    before = scores(test, parser.parse(test))
    parser.crossing_punctuation = keeps
    penalty = parser.choose_crossing_penalty(dev)
    after = scores(test, parser.parse(test))
    row = [treebank, system, f"{penalty:g}", "may cross" if keeps else "projective"]
    for precision, recall, f, las in (before, after):
        row += [f"{precision:.1f} / {recall:.1f}", f"{f:.1f}", f"{las:.2f}"]
    print(*row, sep="  ", file=sys.stderr, flush=True)
    return row, after[2] - before[2], after[3] - before[3]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebanks", nargs="*", default=list(TREEBANKS), choices=list(TREEBANKS))
    parser.add_argument("--systems", nargs="*", default=SYSTEMS)
    parser.add_argument("--epochs", type=int, default=6)
    chosen = parser.parse_args()
    results = [measure(treebank, system, chosen.epochs) for treebank in chosen.treebanks for system in chosen.systems]
    columns = ["treebank", "system", "penalty", "punctuation", "P / R with 0", "F", "LAS", "P / R", "F", "LAS"]
    print_table(columns, [row for row, *_ in results])
    CLAIMS.measure(F, float(np.mean([f for _, f, _ in results])))
    CLAIMS.measure(LAS, min(las for *_, las in results))
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
