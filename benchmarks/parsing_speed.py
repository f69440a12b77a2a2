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
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import crossarc as xa
from crossarc.parsers import TransitionParser
from crossarc.parsers.transition.restoring import parse_arrays

TREEBANKS = Path(os.environ.get("CROSSARC_TREEBANKS", Path(__file__).resolve().parents[2] / "shared" / "treebanks"))


def best_times(task: Callable[[], Any], runs: int) -> tuple[float, float]:
    """Return the least time on the wall and the least processor time."""
    return best_times_in_turn([task], runs)[0]


def best_times_in_turn(tasks: Sequence[Callable[[], Any]], runs: int) -> list[tuple[float, float]]:
    """Return the same for several tasks, one after the other in each run, so that all meet the same other work."""
    times: list[list[tuple[float, float]]] = [[] for _ in tasks]
    for _ in range(runs):
        for task, found in zip(tasks, times, strict=True):
            begun, used = time.perf_counter(), time.process_time()
            task()
            found.append((time.perf_counter() - begun, time.process_time() - used))
    return [(min(wall for wall, _ in found), min(used for _, used in found)) for found in times]


def repeated(treebank: xa.Treebank, words: int) -> xa.Treebank:
    times = max(1, round(words / treebank.words))
    return treebank[np.tile(np.arange(len(treebank)), times)]


def las(parser: xa.Parser, test: xa.Treebank) -> float:
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
            model.parse(sentence, f"beam_search={beam}", error)  # its default is 5

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


def trained(
    system: str, scorer: str, beam: int, train: xa.Treebank, epochs: int, runs: int
) -> tuple[TransitionParser, float]:
    """Return a parser and the least time that training it took; every training gives the same one."""
    times = []
    for _ in range(runs):
        parser = TransitionParser(system, scorer=scorer, beam=beam)
        begun = time.monotonic()
        parser.train(train, epochs=epochs)
        times.append(time.monotonic() - begun)
    return parser, min(times)


class Claims:
    """What is claimed, and whether it held in this run."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, bool]] = []

    def least(self, what: str, found: float, wanted: float) -> None:
        self.lines.append((f"{what}: {found:,.2f}, at least {wanted:,}", found >= wanted))

    def most(self, what: str, found: float, wanted: float) -> None:
        self.lines.append((f"{what}: {found:,.2f}, at most {wanted:,}", found <= wanted))


def train_all(
    console: Console, train: xa.Treebank, epochs: int, runs: int, claims: Claims
) -> dict[str, TransitionParser]:
    """Train all parsers, print what it took, and return the greedy ones."""
    table = Table("parser", "training, s", "memory so far, MB", box=None)
    parsers: dict[str, TransitionParser] = {}
    for system, scorer, beam in (
        ("arc-eager", "network", 1),
        ("2-planar", "network", 1),
        ("arc-eager", "perceptron", 1),
        ("arc-eager", "perceptron", 8),  # networks learn greedily, whatever the beam they parse with
    ):
        name = f"{system}, {scorer}" + ("" if beam == 1 else f", beam {beam}")
        parser, seconds = trained(system, scorer, beam, train, epochs, runs if beam == 1 else 1)
        if beam == 1:
            parsers[name] = parser
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        claims.most(f"{name}, training, s", seconds, (60 if beam == 1 else 600) * epochs / 10)
        claims.most(f"{name}, memory, MB", memory, 2_000)
        table.add_row(name, f"{seconds:.0f}", f"{memory:,.0f}")
    console.print(table)
    return parsers


def speed_rows(
    table: Table, parsers: dict[str, TransitionParser], long: xa.Treebank, runs: int, claims: Claims
) -> None:
    for name, parser in parsers.items():
        assert parser.trained is not None
        values = parser.trained.definition.vocabularies.values(long)
        greedy, beam = (replace(parser.trained, beam=width) for width in (1, 8))
        tasks = [partial(parse_arrays, greedy, long, values, threads) for threads in (1, 2)]
        (alone, used), (together, used_together) = best_times_in_turn(tasks, runs)
        wide, used_wide = best_times(partial(parse_arrays, beam, long, values, 1), 1)
        if name.endswith("network"):
            claims.least(f"{name}, greedy, words/s", long.words / alone, 100_000)
            claims.least(f"{name}, greedy, two threads over one", alone / together, 1.8)
            claims.least(f"{name}, beam 8, words/s", long.words / wide, 20_000)
        for search, wall, processor in (
            ("greedy", alone, used),
            ("greedy, 2 threads", together, used_together),
            ("beam 8", wide, used_wide),
        ):
            table.add_row(name, search, f"{long.words / wall:,.0f}", f"{long.words / processor:,.0f}")


def peer_rows(table: Table, train: xa.Treebank, test: xa.Treebank, runs: int) -> None:
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
            table.add_row(name, f"not installed ({error})", "", "")
            continue
        wall, processor = best_times(task, runs)
        table.add_row(name, "", f"{words / wall:,.0f}", f"{words / processor:,.0f}")


def measure_files(
    console: Console, parsers: dict[str, TransitionParser], test: xa.Treebank, runs: int, claims: Claims
) -> None:
    """Print how large models are, how good, and how long `crossarc parse` takes with them."""
    table = Table("model of arc-eager", "MB", "LAS on test", "crossarc parse, start to finish, s", box=None)
    command = str(Path(sys.executable).parent / "crossarc")
    source = str(TREEBANKS / "en_ewt" / "test.conllu.gz")
    scores: dict[str, float] = {}
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
            wall, _ = best_times(partial(subprocess.run, run, check=True, stderr=subprocess.DEVNULL), runs)
            megabytes = Path(model).stat().st_size / 1e6
            claims.most(f"{scorer}, {kind}, MB", megabytes, 25 if bits == 16 else 8)
            claims.most(f"{scorer}, {kind}, start to finish, s", wall, 1)
            scores[kind] = las(xa.load(model), test)
            if kind == "compressed":
                claims.most(f"{scorer}, {kind}, LAS lost", scores["as saved"] - scores[kind], 0.1)
            table.add_row(f"{scorer}, {kind}", f"{megabytes:.1f}", f"{scores[kind]:.2f}", f"{wall:.2f}")
    console.print(table)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--runs", type=int, default=3)
    arguments.add_argument("--trainings", type=int, default=2, help="how often each greedy parser is trained")
    arguments.add_argument("--epochs", type=int, default=10)
    arguments.add_argument("--words", type=int, default=1_000_000)
    options = arguments.parse_args()
    console = Console(width=140)
    train, test = (xa.read(TREEBANKS / "en_ewt" / f"{part}.conllu.gz") for part in ("train", "test"))
    claims = Claims()
    parsers = train_all(console, train, options.epochs, options.trainings, claims)
    speeds = Table("parser", "search", "words/s", "words per second of processor time", box=None)
    speed_rows(speeds, parsers, repeated(test, options.words), options.runs, claims)
    peer_rows(speeds, train, test, max(1, options.runs - 1))
    console.print(speeds)
    measure_files(console, parsers, test, options.runs, claims)
    for line, held in claims.lines:
        console.print(f"{'yes' if held else 'NO '}  {line}")
    return 0 if all(held for _, held in claims.lines) else 1


if __name__ == "__main__":
    sys.exit(main())
