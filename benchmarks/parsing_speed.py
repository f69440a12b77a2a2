"""How fast do parsers parse and train, and how large are their models? crossarc beside UDPipe 1 and spaCy.

en_ewt: parsers are trained on train (choosing nothing on dev), then the test part repeated to a million words is parsed
with one thread, greedily and with a beam of eight, start-up and reading excluded; and greedily with two threads. UDPipe
(`ufal.udpipe`, greedy and with a beam of five) and spaCy parse the same words: their models are trained on the spot
from few sentences, which changes what they find and not how long it takes. Then `crossarc parse` from start to finish
on the test part alone, the sizes of models as saved and compressed with their scores, and the time and memory that
training took. Best of several runs, as ratios beside the peers; processor time stands beside the clock on the wall,
which other work on the machine disturbs more. Exits with 1 if a claim does not hold.

    python benchmarks/parsing_speed.py [--runs 3] [--trainings 2] [--epochs 10] [--words 1000000]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import crossarc as xa
from crossarc.parsers import TransitionParser
from crossarc.parsers.decoding import parse_arrays

TREEBANKS = Path(os.environ.get("CROSSARC_TREEBANKS", Path(__file__).resolve().parents[2] / "shared" / "treebanks"))


def best_times(task: Callable[[], Any], runs: int) -> tuple[float, float]:
    """Return the least time on the wall and the least processor time."""
    wall, processor = [], []
    for _ in range(runs):
        begun, used = time.perf_counter(), time.process_time()
        task()
        wall.append(time.perf_counter() - begun)
        processor.append(time.process_time() - used)
    return min(wall), min(processor)


def repeated(treebank: xa.Treebank, words: int) -> xa.Treebank:
    times = max(1, round(words / treebank.words))
    return treebank[np.tile(np.arange(len(treebank)), times)]


def las(parser: TransitionParser, test: xa.Treebank) -> float:
    return 100 * xa.evaluate(test, parser.parse(test)).las


def udpipe_model(train: xa.Treebank) -> Any:
    """A parser of a few sentences with UDPipe's usual sizes."""
    from ufal import udpipe

    sentences, error = udpipe_sentences(train[:400]), udpipe.ProcessingError()
    sizes = "embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50;embedding_lemma=0;"
    model = udpipe.Trainer.train(
        "morphodita_parsito",
        sentences,
        udpipe.Sentences(),
        "none",
        "none",
        f"iterations=1;{sizes}embedding_deprel=20;hidden_layer=200;transition_system=projective;transition_oracle=dynamic",
        error,
    )
    if error.occurred():
        raise RuntimeError(error.message)
    with tempfile.NamedTemporaryFile() as file:
        file.write(model)
        file.flush()
        return udpipe.Model.load(file.name)


def udpipe_sentences(treebank: xa.Treebank) -> Any:
    from ufal import udpipe

    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(treebank.to_text())
    sentences, error, sentence = udpipe.Sentences(), udpipe.ProcessingError(), udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.push_back(sentence)
        sentence = udpipe.Sentence()
    return sentences


def with_udpipe(train: xa.Treebank, test: xa.Treebank, beam: int) -> Callable[[], None]:
    from ufal import udpipe

    model, error = udpipe_model(train), udpipe.ProcessingError()
    sentences = udpipe_sentences(test)

    def parse() -> None:
        for sentence in sentences:
            model.parse(sentence, f"beam_search={beam}" if beam > 1 else udpipe.Model.DEFAULT, error)

    return parse


def with_spacy(train: xa.Treebank, test: xa.Treebank) -> Callable[[], None]:
    """spaCy's parser as its default configuration has it, initialised with the labels of the treebank."""
    import spacy
    from spacy.tokens import Doc

    nlp = spacy.blank("en")
    parser: Any = nlp.add_pipe("parser")
    for label in train.inventory("deprel"):
        parser.add_label(label)
    nlp.initialize()
    docs = [Doc(nlp.vocab, words=[word.form for word in sentence]) for sentence in test]

    def parse() -> None:
        for _ in parser.pipe(doc.copy() for doc in docs):
            pass

    return parse


def trained(system: str, scorer: str, train: xa.Treebank, epochs: int, runs: int) -> tuple[TransitionParser, float]:
    """Return a parser and the least time that training it took; every training gives the same one."""
    times = []
    for _ in range(runs):
        parser = TransitionParser(system, scorer=scorer)
        begun = time.monotonic()
        parser.train(train, epochs=epochs)
        times.append(time.monotonic() - begun)
    return parser, min(times)


class Claims:
    """What is claimed, and whether it held in this run."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, bool]] = []

    def least(self, what: str, found: float, wanted: float) -> None:
        self.lines.append((f"{what}: {found:,.1f}, at least {wanted:,}", found >= wanted))

    def most(self, what: str, found: float, wanted: float) -> None:
        self.lines.append((f"{what}: {found:,.2f}, at most {wanted:,}", found <= wanted))


def speed_rows(
    table: Table, parsers: dict[str, TransitionParser], long: xa.Treebank, runs: int, claims: Claims
) -> None:
    for name, parser in parsers.items():
        assert parser.trained is not None
        values = parser.trained.definition.columns.values(long)
        alone = 0.0
        for beam, threads in ((1, 1), (1, 2), (8, 1)):
            state = replace(parser.trained, beam=beam)
            own = runs if beam == 1 else 1

            wall, processor = best_times(partial(parse_arrays, state, long, values, threads), own)
            if (beam, threads) == (1, 1):
                alone = wall
            if name.endswith("network"):
                if threads == 2:
                    claims.least(f"{name}, greedy, two threads over one", alone / wall, 1.8)
                else:
                    claims.least(f"{name}, beam {beam}, words/s", long.words / wall, 100_000 if beam == 1 else 20_000)
            kind = ("greedy" if beam == 1 else f"beam {beam}") + ("" if threads == 1 else f", {threads} threads")
            table.add_row(name, kind, f"{long.words / wall:,.0f}", f"{long.words / processor:,.0f}")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=3)
    arguments.add_argument("--trainings", type=int, default=2, help="how often each parser is trained")
    arguments.add_argument("--epochs", type=int, default=10)
    arguments.add_argument("--words", type=int, default=1_000_000)
    options = arguments.parse_args()
    console = Console(width=140)
    parts = {part: xa.read(TREEBANKS / "en_ewt" / f"{part}.conllu.gz") for part in ("train", "test")}
    train, test = parts["train"], parts["test"]
    claims = Claims()
    trainings = Table("parser", "training, s", "memory so far, MB", box=None)
    parsers: dict[str, TransitionParser] = {}
    for system, scorer in (("arc-eager", "network"), ("2-planar", "network"), ("arc-eager", "perceptron")):
        name = f"{system}, {scorer}"
        parsers[name], seconds = trained(system, scorer, train, options.epochs, options.trainings)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        claims.most(f"{name}, training, s", seconds, 60 * options.epochs / 10)
        claims.most(f"{name}, memory, MB", memory, 2_000)
        trainings.add_row(name, f"{seconds:.0f}", f"{memory:,.0f}")
    console.print(trainings)

    long = repeated(test, options.words)
    speeds = Table("parser", "search", "words/s", "words per second of processor time", box=None)
    speed_rows(speeds, parsers, long, options.runs, claims)
    short = repeated(test, 100_000)
    peers: dict[str, tuple[Callable[[], Callable[[], None]], int]] = {
        "UDPipe 1, greedy": (partial(with_udpipe, train, short, 1), short.words),
        "UDPipe 1, beam 5": (partial(with_udpipe, train, test, 5), test.words),
        "spaCy": (partial(with_spacy, train, short), short.words),
    }
    for name, (make, words) in peers.items():
        try:
            task = make()
        except ImportError as error:
            speeds.add_row(name, f"not installed ({error})", "", "")
            continue
        wall, processor = best_times(task, max(1, options.runs - 1))
        speeds.add_row(name, "", f"{words / wall:,.0f}", f"{words / processor:,.0f}")
    console.print(speeds)

    files = Table("model of arc-eager", "MB", "LAS on test", "crossarc parse, start to finish, s", box=None)
    command = str(Path(sys.executable).parent / "crossarc")
    source = str(TREEBANKS / "en_ewt" / "test.conllu.gz")
    with tempfile.TemporaryDirectory() as folder:
        model, output = str(Path(folder) / "m.crossarc"), str(Path(folder) / "out.conllu")
        for scorer, kind, bits, prune in (
            ("network", "as saved", 16, 0.0),
            ("network", "compressed", 8, 0.0),
            ("perceptron", "as saved", 16, 0.0),
            ("perceptron", "compressed", 8, 0.6),
        ):
            parsers[f"arc-eager, {scorer}"].save(model, bits=bits, prune=prune)
            run = [command, "parse", model, source, "-o", output, "--threads", "1"]
            wall, _ = best_times(partial(subprocess.run, run, check=True, stderr=subprocess.DEVNULL), options.runs)
            megabytes = Path(model).stat().st_size / 1e6
            claims.most(f"{scorer}, {kind}, MB", megabytes, 25 if bits == 16 else 8)
            claims.most(f"{scorer}, {kind}, start to finish, s", wall, 1)
            files.add_row(f"{scorer}, {kind}", f"{megabytes:.1f}", f"{las(xa.load(model), test):.2f}", f"{wall:.2f}")
    console.print(files)
    for line, held in claims.lines:
        console.print(f"{'yes' if held else 'NO '}  {line}")
    return 0 if all(held for _, held in claims.lines) else 1


if __name__ == "__main__":
    sys.exit(main())
