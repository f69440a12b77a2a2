"""How accurate are graph parsers? Models of seven treebanks, trained anywhere, and their trees of three classes.

Trainings take minutes on a GPU and up to hours on two cores, so that they are a step of their own: `--train` writes a
model into a folder, with a note of the machine, the times and the command beside it; without, the models of the folder
are evaluated on test, over all words, with gold words, lemmas, tags and features. A treebank may have three: the best
graph parser, trained with torch (`--device`, TREEBANK.crossarc), one trained natively (TREEBANK.native.crossarc), and a
transition parser on the same encoder (`--system`, TREEBANK.transition.crossarc). The epoch is chosen on dev, or is the
last one (`--last`), which saves the time of parsing dev after each. The classes are compared with each other, and with
the transition parser, by random shuffling of sentences' scores. A claim about a model that is not there does not hold,
unless `--treebanks` or `--kinds` leaves it out.

    python benchmarks/graph_parsing.py MODELS --train en_ewt --device cuda [--epochs 40] [--option hidden_size=400 …]
    python benchmarks/graph_parsing.py MODELS --train grc_agdt --epochs 27 --option batch_words=1600
    python benchmarks/graph_parsing.py MODELS --train grc_agdt --system covington --epochs 36
    python benchmarks/graph_parsing.py MODELS [--treebanks …] [--kinds graph native transition]
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import crossarc as xa
from common import Claims, at_least, at_most, best_time, console, print_table
from crossarc.parsers import TrainableParser
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
#: Trained natively: LAS to be reached, and in how many minutes on two cores.
NATIVE = {"en_ewt": (89.9, 10), "grc_agdt": (79.5, 45)}
#: LAS to be reached by a transition parser on the same encoder.
TRANSITIONS = {"en_ewt": 90.0, "grc_agdt": 79.0}
#: Where 1-Endpoint-Crossing trees are better than projective ones, beyond chance.
SIGNIFICANT = ("nl_lassysmall", "la_circse", "grc_agdt")
CLAIMS = Claims(
    {
        **{f"{treebank}, LAS": at_least(mark) for treebank, mark in MARKS.items()},
        **{f"{treebank}, 1-endpoint-crossing against projective, p": at_most(0.05) for treebank in SIGNIFICANT},
        "en_ewt, 1-endpoint-crossing not worse than projective": at_least(1),
        **{f"{treebank}, native, LAS": at_least(mark) for treebank, (mark, _) in NATIVE.items()},
        **{f"{treebank}, native, minutes on two cores": at_most(most) for treebank, (_, most) in NATIVE.items()},
        **{f"{treebank}, transition, LAS": at_least(mark) for treebank, mark in TRANSITIONS.items()},
    }
)
SAMPLES = 10_000
COLUMNS = (*TREE_CLASSES, "transition")
#: What is compared with what.
PAIRS = (*(("1-endpoint-crossing", other) for other in COLUMNS[1:]), ("unrestricted", "transition"))
#: What the names of models have behind the treebank: trained with torch, natively, and by transitions.
KINDS = {"graph": "", "native": ".native", "transition": ".transition"}


def untrained(options: argparse.Namespace) -> tuple[str, TrainableParser]:
    """The kind of model that the options ask for, and a parser of that kind."""
    given: dict[str, Any] = {
        name: json.loads(value) for name, _, value in (one.partition("=") for one in options.option)
    }
    if options.system:
        name, _, scheme = options.system.partition(" + ")
        encoding = xa.PseudoProjective(scheme) if scheme else None
        return ".transition", xa.TransitionParser(name, encoding=encoding, scorer=xa.Network.deep(**given), cutoff=2)
    return "" if options.device else ".native", xa.GraphParser(options.trees, network=xa.Biaffine.from_dict(given))


def train(treebank: str, folder: Path, options: argparse.Namespace) -> None:
    """Train on one treebank, and write the model with a note beside it."""
    learnt, dev, _ = read(treebank)
    kind, parser = untrained(options)
    start, used = time.monotonic(), time.process_time()
    parser.train(
        learnt,
        dev=None if options.last else dev,
        epochs=options.epochs,
        seed=options.seed,
        device=options.device,
        threads=options.threads,
        on_epoch=print,
    )
    note = {
        "machine": f"{platform.machine()}, {options.device or f'native, {options.threads} threads'}",
        "seconds": round(time.monotonic() - start),
        "processor": round(time.process_time() - used),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "command": " ".join(sys.argv),
        "date": time.strftime("%Y-%m-%d"),
        "dev": round(100 * xa.evaluate(dev, parser.parse(dev)).las, 2),
    }
    folder.mkdir(parents=True, exist_ok=True)
    parser.save(folder / f"{treebank}{kind}.crossarc")
    (folder / f"{treebank}{kind}.json").write_text(json.dumps(note))


@dataclass(frozen=True)
class Model:
    """A model of the folder, the note beside it, and what it makes of the test part, by class of trees."""

    name: str
    parser: TrainableParser
    note: dict[str, Any]
    megabytes: float
    parsed: dict[str, xa.Treebank]

    def row(self, test: xa.Treebank) -> list[str]:
        """Its scores, by class of trees or of transitions, and how it was trained."""
        found = {name: xa.evaluate(test, trees) for name, trees in self.parsed.items()}
        scores = {name: f"{100 * one.las:.2f} / {100 * one.uas:.2f}" for name, one in found.items()}
        seconds = best_time(lambda: self.parser.parse(test, threads=1), 2)
        told = [f"{test.words / seconds:,.0f}", f"{self.megabytes:.1f}", f"{self.note['seconds']:,}"]
        told += [f"{self.note['processor']:,}" if "processor" in self.note else "", self.note["machine"]]
        return [self.name, *(scores.get(column, "") for column in COLUMNS), *told]

    def las(self, test: xa.Treebank) -> float:
        """That of the best class of trees."""
        return 100 * max(xa.evaluate(test, trees).las for trees in self.parsed.values())


def parse_with(name: str, folder: Path, test: xa.Treebank) -> Model | None:
    """Parse the test part with a model of the folder, if it is there."""
    path = folder / f"{name}.crossarc"
    if not path.exists():
        return None
    parser = xa.load(path)
    assert isinstance(parser, TrainableParser)
    parsed = {}
    if isinstance(parser, xa.GraphParser):
        assert parser.trained is not None
        for trees in TREE_CLASSES:
            parser.trained = replace(parser.trained, trees=trees)
            parsed[trees] = parser.parse(test)
    else:
        parsed["transition"] = parser.parse(test)
    return Model(name, parser, json.loads((folder / f"{name}.json").read_text()), path.stat().st_size / 1e6, parsed)


def evaluate(treebank: str, folder: Path, kinds: Sequence[str]) -> tuple[list[list[str]], list[list[str]]]:
    """Return rows of two tables: scores of each model on test, and differences between classes with their chances."""
    _, _, test = read(treebank)
    best, native, transition = (
        parse_with(f"{treebank}{ending}", folder, test) if kind in kinds else None for kind, ending in KINDS.items()
    )
    beside = {} if transition is None else transition.parsed
    differences = []
    if best is not None:
        CLAIMS.measure(f"{treebank}, LAS", best.las(test))
        differences.append([best.name, *compare(test, best.parsed | beside)])
        claim_classes(treebank, test, best.parsed)
    if native is not None:
        differences.append([native.name, *compare(test, native.parsed | beside)])
        if treebank in NATIVE:
            CLAIMS.measure(f"{treebank}, native, LAS", native.las(test))
            CLAIMS.measure(f"{treebank}, native, minutes on two cores", native.note["processor"] / 120)
    if transition is not None and treebank in TRANSITIONS:
        CLAIMS.measure(f"{treebank}, transition, LAS", transition.las(test))
    rows = [model.row(test) for model in (best, native, transition) if model is not None]
    for model in (best, native, transition):
        if model is not None:
            console.print(f"{model.name}: {model.note['command']}", highlight=False)
    return rows, differences


def difference(test: xa.Treebank, parsed: dict[str, xa.Treebank], one: str, other: str) -> tuple[float, float]:
    """By how many points of LAS the one is better than the other, and the chance of that."""
    pair = [parsed[other], parsed[one]]
    (result,) = xa.compare(test, *pair, measure="las", samples=SAMPLES).measures["las"].pairs
    return 100 * result.difference, result.shuffled


def compare(test: xa.Treebank, parsed: dict[str, xa.Treebank]) -> list[str]:
    """Return the differences in LAS of `PAIRS`, each with the chance of it."""
    found = [difference(test, parsed, *pair) if parsed.keys() >= {*pair} else None for pair in PAIRS]
    return ["" if one is None else f"{one[0]:+.2f} (p = {one[1]:.4f})" for one in found]


def claim_classes(treebank: str, test: xa.Treebank, parsed: dict[str, xa.Treebank]) -> None:
    """Note the claims about 1-Endpoint-Crossing and projective trees."""
    points, chance = difference(test, parsed, "1-endpoint-crossing", "projective")
    if treebank in SIGNIFICANT:
        claim = f"{treebank}, 1-endpoint-crossing against projective, p"
        CLAIMS.measure(claim, chance if points > 0 else 1.0)
    if treebank == "en_ewt":
        CLAIMS.agree("en_ewt, 1-endpoint-crossing not worse than projective", points >= 0 or chance > 0.05)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, help="the folder of models")
    parser.add_argument("--train", choices=list(MARKS), help="train on this treebank")
    parser.add_argument("--treebanks", nargs="+", choices=list(MARKS), default=list(MARKS))
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS), help="of models; default: all")
    parser.add_argument("--device", help="cuda or cpu, for torch; without, training is native")
    parser.add_argument("--system", help="train a transition parser of this system, e.g. 'arc-hybrid + head'")
    parser.add_argument("--trees", choices=list(TREE_CLASSES), default="unrestricted", help="the class to train for")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--last", action="store_true", help="take the last epoch")
    parser.add_argument("--threads", type=int, default=2, help="of native training")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--option", action="append", default=[], help="an option of the network, NAME=VALUE")
    options = parser.parse_args()
    if options.train:
        train(options.train, options.models, options)
        return 0
    tables = [evaluate(treebank, options.models, options.kinds) for treebank in options.treebanks]
    rows, differences = ([row for table in tables for row in table[place]] for place in (0, 1))
    if not rows:
        sys.exit(f"{options.models} has no models of {', '.join(options.treebanks)}")
    classes = [f"{trees}, LAS / UAS" for trees in COLUMNS]
    told = ["words/s, one thread", "MB", "training, s", "of processor time", "trained on"]
    print_table(["model", *classes, *told], rows)
    against = [f"{one} less {other}, LAS" for one, other in PAIRS]
    print_table(["model", *against], differences)
    for claim in CLAIMS.claims:
        treebank, kind = claim.split(", ")[:2]
        if treebank not in options.treebanks or (kind if kind in KINDS else "graph") not in options.kinds:
            CLAIMS.leave_out(claim, "not asked for")
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
