"""How fast do graph parsers parse, in float32 and with eight bits? Two shapes on en_ewt, one thread.

The test part is parsed, from a treebank in memory to a parsed treebank, by networks of 2 layers of 200 cells (the
default) and of 3 of 400 with `arc_hidden_size=500`. Without `--models` they have the vocabularies of the whole training
part and
have learnt from a few sentences only: what a network costs does not depend on what it has learnt, but what it costs to
find the best tree does, and so does what eight bits cost in LAS. Both are measured with trained models alone:
`--models` names a folder of `2x200.crossarc` and `3x400.crossarc`, saved with 16 bits. Decoding is measured by itself
on the scores of all arcs. Beside them stand the same network in torch, without the reading of words and without
decoding, and parsers of SuPar and Stanza of the first shape, built on the spot (`graph_peers.py`). Ours is held against
the time that they take without finding trees, in float32 and with eight bits. Against SuPar the claim in float32 does
not hold on aarch64 (Neoverse N1), where it is about three times as fast: both spend their time in products of matrices.
Best of several runs; processor time stands beside the clock on the wall.
The claims in words per second are those of an x86-64 server with AVX-512: `--ratios` leaves them out.

    python benchmarks/graph_speed.py [--models FOLDER] [--runs 5] [--shapes 2x200] [--ratios]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import crossarc as xa
from common import Claims, Times, at_least, at_most, best_times, print_table, treebank_path
from crossarc.decoders import best_batch
from crossarc.decoders.matrices import Root
from crossarc.models.neural.biaffine import TreesToLearn
from crossarc.parsers.graph.trained import GraphTrained
from crossarc.parsers.graph.trees import TREE_CLASSES, tree_class
from crossarc.parsers.trees import numbered
from graph_peers import PEERS

#: The options of each network, and the words per second that it reaches in float32 and with eight bits.
SHAPES: dict[str, tuple[dict[str, Any], int, int]] = {
    "2x200": ({}, 13_000, 25_000),
    "3x400": ({"layers": 3, "hidden_size": 400, "arc_hidden_size": 500}, 3_800, 9_000),
}
#: Sentences that networks without `--models` learn from.
_LEARNT = 100
CLAIMS = Claims(
    {
        **{f"{shape}, float32, words/s": at_least(floats) for shape, (_, floats, _) in SHAPES.items()},
        **{f"{shape}, int8, words/s": at_least(small) for shape, (_, _, small) in SHAPES.items()},
        **{f"{shape}, decoding, % of the time": at_most(15) for shape in SHAPES},
        **{f"{shape}, LAS lost by eight bits": at_most(0.1) for shape in SHAPES},
        "2x200, int8, MB": at_most(12),
        **{f"2x200, int8, times as fast as {peer}": at_least(4) for peer in PEERS},
        **{f"2x200, float32, times as fast as {peer}": at_least(4) for peer in PEERS},
    }
)


def quick_parser(options: dict[str, Any], train: xa.Treebank) -> xa.GraphParser:
    """A parser with the vocabularies of all training data that learnt from a few sentences, in one epoch."""
    parser = xa.GraphParser(network=xa.Biaffine(**options))
    few = xa.GraphParser(network=xa.Biaffine(hidden_size=4, arc_hidden_size=4))
    few.train(train[:_LEARNT], epochs=1, threads=1)
    assert few.trained is not None
    labels = tuple(train.inventory("deprel"))
    definition = parser.scorer.definition(len(labels), train, parser.cutoff)
    data = TreesToLearn(definition.inputs(train), train.head, numbered(train, train.deprel.ids, labels))
    learner = definition.learner(data, tree_class(parser.trees), single_root=True, seed=1, epochs=1, threads=1)
    learner.learn(np.arange(_LEARNT, dtype=np.int32), 1)
    parser.trained = GraphTrained(
        definition, learner.model(), labels, few.trained.policy, parser.trees, False, record=few.trained.record
    )
    return parser


def both(shape: str, models: Path | None, train: xa.Treebank, folder: Path) -> tuple[dict[str, xa.GraphParser], float]:
    """Return a parser in float32 and its copy of eight bits, by what they compute with, and the copy's megabytes."""
    if models is None:
        parser = quick_parser(SHAPES[shape][0], train)
    else:
        loaded = xa.load(models / f"{shape}.crossarc")
        assert isinstance(loaded, xa.GraphParser) and loaded.info()["arithmetic"] == "float32"
        parser = loaded
    parser.compress(folder / shape)
    small = xa.load(folder / shape)
    assert isinstance(small, xa.GraphParser)
    parsers = {"float32": parser, "int8": small}
    assert all(one.info()["arithmetic"] == name for name, one in parsers.items())
    return parsers, (folder / shape).stat().st_size / 1e6


def decoding(parser: xa.GraphParser, test: xa.Treebank) -> Callable[[], object]:
    """Return a task: finding the best trees of all sentences for the scores of their arcs."""
    trained = parser.trained
    assert trained is not None
    scores = trained.model.arc_scores(trained.definition.inputs(test), 1)
    lengths, kind = np.diff(test.word_offsets), TREE_CLASSES[trained.trees]
    root: Root = "single" if trained.policy.kind == "single" else "any"
    return partial(best_batch, scores, lengths, kind, root=root, threads=1)


def with_torch(parser: xa.GraphParser, test: xa.Treebank, sentences: int = 64) -> Callable[[], None]:
    """Return a task: the same network in torch, on batches of similar lengths that are ready."""
    import torch

    from crossarc.models.neural.torch.biaffine import TorchGraphLearner

    torch.set_num_threads(1)
    trained = parser.trained
    assert trained is not None
    inputs = trained.definition.inputs(test)
    data = TreesToLearn(inputs, test.head, np.zeros(test.words, np.int32))
    definition, start = trained.definition, trained.model.network.parameters()
    learner = TorchGraphLearner(definition, data, start, definition.schedule(data, 1), 1, "cpu")
    learner.network.eval()
    order = np.argsort(-np.diff(test.word_offsets), kind="stable").astype(np.int32)
    parts = [order[first : first + sentences] for first in range(0, len(order), sentences)]
    batches = [learner.sentences.gather(part)[0] for part in parts]

    def score() -> None:
        with torch.inference_mode():
            for batch in batches:
                head = learner.network.biaffine
                head.score_arcs(head.project(learner.network.encoder(batch)), batch)

    return score


def row(name: str, words: int, times: Times, *more: str) -> list[str]:
    return [name, f"{words / times.wall:,.0f}", f"{words / times.processor:,.0f}", *more]


def measure(shape: str, options: argparse.Namespace, train: xa.Treebank, test: xa.Treebank) -> list[list[str]]:
    """Measure a shape, and return the rows of the table."""
    with tempfile.TemporaryDirectory() as folder:
        parsers, megabytes = both(shape, options.models, train, Path(folder))
    if shape == "2x200":
        CLAIMS.measure("2x200, int8, MB", megabytes)
    scores = {name: 100 * xa.evaluate(test, one.parse(test, threads=1)).las for name, one in parsers.items()}
    found = best_times([partial(one.parse, test, threads=1) for one in parsers.values()], options.runs)
    (trees,) = best_times([decoding(parsers["float32"], test)], options.runs)
    rows = []
    for name, times in zip(parsers, found, strict=True):
        CLAIMS.measure(f"{shape}, {name}, words/s", test.words / times.wall)
        share = 100 * trees.processor / times.processor
        rows.append(row(f"{shape}, {name}", test.words, times, f"{share:.1f}", f"{scores[name]:.2f}"))
        if name == "float32" and options.models is not None:
            CLAIMS.measure(f"{shape}, decoding, % of the time", share)
    if options.models is None:
        for claim in (f"{shape}, decoding, % of the time", f"{shape}, LAS lost by eight bits"):
            CLAIMS.leave_out(claim, "needs trained models, --models")
    else:
        CLAIMS.measure(f"{shape}, LAS lost by eight bits", scores["float32"] - scores["int8"])
    try:
        (times,) = best_times([with_torch(parsers["float32"], test)], options.runs)
        rows.append(row(f"{shape} in torch, the network alone", test.words, times, "", ""))
    except ImportError as error:
        rows.append([f"{shape} in torch", f"not installed ({error})", "", "", ""])
    if shape == "2x200":
        rows += measure_peers(train, test, parsers, max(1, options.runs - 2))
    return rows


def measure_peers(train: xa.Treebank, test: xa.Treebank, ours: dict[str, xa.GraphParser], runs: int) -> list[list[str]]:
    """Measure the parsers of other toolkits that are installed, each in turns with ours."""
    rows = []
    for peer, make in PEERS.items():
        claims = {kind: f"2x200, {kind}, times as fast as {peer}" for kind in ours}
        try:
            tasks = make(train, test, 2, 200, 256)
        except ImportError as error:
            for claim in claims.values():
                CLAIMS.leave_out(claim, f"not installed ({error})")
            continue
        own = [partial(one.parse, test, threads=1) for one in ours.values()]
        times = best_times([*own, *tasks.values()], runs)
        here, theirs = times[: len(own)], times[len(own) :]
        for name, one in zip(tasks, theirs, strict=True):
            factors = " and ".join(f"{one.processor / mine.processor:.1f}" for mine in here)
            rows.append(row(f"{name}; {' and '.join(ours)} {factors} times as fast", test.words, one, "", ""))
        for claim, mine in zip(claims.values(), here, strict=True):
            CLAIMS.measure(claim, min(one.processor for one in theirs) / mine.processor)
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, help="a folder of trained models, 2x200.crossarc and 3x400.crossarc")
    parser.add_argument("--runs", type=int, default=5, help="default: 5")
    parser.add_argument("--shapes", nargs="+", choices=list(SHAPES), default=list(SHAPES), help="only these networks")
    parser.add_argument("--ratios", action="store_true", help="make no claims in words per second")
    options = parser.parse_args()
    train, test = (xa.read(treebank_path("en_ewt", f"{part}.conllu.gz")) for part in ("train", "test"))
    rows = [one for shape in options.shapes for one in measure(shape, options, train, test)]
    for claim in CLAIMS.claims:
        if claim.partition(",")[0] not in options.shapes:
            CLAIMS.leave_out(claim, "not asked for")
        elif options.ratios and claim.endswith("words/s"):
            CLAIMS.leave_out(claim, "a claim about another machine")
    print_table(["network", "words/s", "per second of processor time", "decoding, %", "LAS on test"], rows)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
