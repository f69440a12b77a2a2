"""How fast do parsers parse and train, and how large are their models? crossarc beside UDPipe 1 and spaCy.

en_ewt: parsers are trained on train (choosing nothing on dev), then the test part repeated to a million words is parsed
with one thread, greedily and with a beam of eight, start-up and reading excluded; and greedily with two threads. UDPipe
(`ufal.udpipe`, greedy and with a beam of five) and spaCy parse the same words: their models are trained on the spot
from few sentences, which changes what they find and not how long it takes. Then `crossarc parse` from start to finish
on the test part alone, the sizes of models as saved and compressed with their scores, and the time and memory that
training took; with a beam, which takes longest and of which every epoch takes the same, two epochs stand for ten.
Parsing is the best of several runs; processor time stands beside the clock on the wall, which other work on the machine
disturbs more.

    python benchmarks/parsing_speed.py [--runs 3] [--trainings 1] [--epochs 10] [--words 1000000]
"""

from __future__ import annotations

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

import crossarc as xa
from common import Claims, at_least, at_most, best_times, options, print_table, treebank_path
from crossarc.parsers import TransitionParser
from crossarc.parsers.transition.restoring import parse_arrays

#: System, scorer and beam in training, and the most seconds that ten epochs may take.
TRAINED = {
    ("arc-eager", "network", 1): 60,
    ("2-planar", "network", 1): 60,
    ("arc-eager", "perceptron", 1): 60,
    ("arc-eager", "perceptron", 8): 600,  # networks learn greedily, whatever the beam they parse with
}
#: Scorer, how it is saved, bits, share that is pruned, and the most megabytes.
SAVED = (
    ("network", "as saved", 16, 0.0, 25),
    ("network", "compressed", 8, 0.0, 8),
    ("perceptron", "as saved", 16, 0.0, 25),
    ("perceptron", "compressed", 8, 0.6, 8),
)
#: Epochs of training with a beam.
BEAM_EPOCHS = 2
NETWORKS = ("arc-eager, network", "2-planar, network")


def name_of(system: str, scorer: str, beam: int) -> str:
    return f"{system}, {scorer}" + ("" if beam == 1 else f", beam {beam}")


CLAIMS = Claims(
    {
        **{f"{name_of(*parser)}, training, s for ten epochs": at_most(most) for parser, most in TRAINED.items()},
        **{f"{name_of(*parser)}, memory, MB": at_most(2_000) for parser in TRAINED},
        **{f"{name}, greedy, words/s": at_least(100_000) for name in NETWORKS},
        **{f"{name}, greedy, two threads over one": at_least(1.8) for name in NETWORKS},
        **{f"{name}, beam 8, words/s": at_least(20_000) for name in NETWORKS},
        **{f"{scorer}, {kind}, MB": at_most(megabytes) for scorer, kind, *_, megabytes in SAVED},
        **{f"{scorer}, {kind}, start to finish, s": at_most(1) for scorer, kind, *_ in SAVED},
        **{f"{scorer}, compressed, LAS lost": at_most(0.1) for scorer in ("network", "perceptron")},
    }
)


def repeated(treebank: xa.Treebank, words: int) -> xa.Treebank:
    times = max(1, round(words / treebank.words))
    return treebank[np.tile(np.arange(len(treebank)), times)]


def las(parser: xa.Parser | xa.Pipeline, test: xa.Treebank) -> float:
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


def train_all(train: xa.Treebank, epochs: int, runs: int) -> dict[str, TransitionParser]:
    """Train all parsers, print what it took, and return the greedy ones."""
    rows = []
    parsers: dict[str, TransitionParser] = {}
    for system, scorer, beam in TRAINED:
        name = name_of(system, scorer, beam)
        own = epochs if beam == 1 else min(epochs, BEAM_EPOCHS)
        parser, seconds = trained(system, scorer, beam, train, own, runs if beam == 1 else 1)
        if beam == 1:
            parsers[name] = parser
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        CLAIMS.measure(f"{name}, training, s for ten epochs", seconds * 10 / own)
        CLAIMS.measure(f"{name}, memory, MB", memory)
        rows.append([name, str(own), f"{seconds:.0f}", f"{memory:,.0f}"])
    print_table(["parser", "epochs", "training, s", "memory so far, MB"], rows)
    return parsers


def speed_rows(parsers: dict[str, TransitionParser], long: xa.Treebank, runs: int) -> list[list[str]]:
    rows = []
    for name, parser in parsers.items():
        assert parser.trained is not None
        inputs = parser.trained.definition.inputs(long)
        greedy, beam = (replace(parser.trained, beam=width) for width in (1, 8))
        alone, together = best_times([partial(parse_arrays, greedy, long, inputs, threads) for threads in (1, 2)], runs)
        (wide,) = best_times([partial(parse_arrays, beam, long, inputs, 1)], 1)
        if name in NETWORKS:
            CLAIMS.measure(f"{name}, greedy, words/s", long.words / alone.wall)
            CLAIMS.measure(f"{name}, greedy, two threads over one", alone.wall / together.wall)
            CLAIMS.measure(f"{name}, beam 8, words/s", long.words / wide.wall)
        for search, times in (("greedy", alone), ("greedy, 2 threads", together), ("beam 8", wide)):
            rows.append([name, search, f"{long.words / times.wall:,.0f}", f"{long.words / times.processor:,.0f}"])
    return rows


def peer_rows(train: xa.Treebank, test: xa.Treebank, runs: int) -> list[list[str]]:
    short = repeated(test, 100_000)
    peers: dict[str, tuple[Callable[[], Callable[[], None]], int]] = {
        "UDPipe 1, greedy": (partial(with_udpipe, train, short, 1), short.words),
        "UDPipe 1, beam 5": (partial(with_udpipe, train, test, 5), test.words),
        "spaCy": (partial(with_spacy, train, short), short.words),
    }
    rows = []
    for name, (make, words) in peers.items():
        try:
            task = make()
        except ImportError as error:
            rows.append([name, f"not installed ({error})", "", ""])
            continue
        (times,) = best_times([task], runs)
        rows.append([name, "", f"{words / times.wall:,.0f}", f"{words / times.processor:,.0f}"])
    return rows


def measure_files(parsers: dict[str, TransitionParser], test: xa.Treebank, runs: int) -> None:
    """Print how large models are, how good, and how long `crossarc parse` takes with them."""
    rows = []
    command = str(Path(sys.executable).parent / "crossarc")
    source = str(treebank_path("en_ewt", "test.conllu.gz"))
    scores: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        model, output = str(Path(folder) / "m.crossarc"), str(Path(folder) / "out.conllu")
        for scorer, kind, bits, prune, _ in SAVED:
            parsers[f"arc-eager, {scorer}"].save(model, bits=bits, prune=prune)
            run = [command, "parse", model, source, "-o", output, "--threads", "1"]
            (times,) = best_times([partial(subprocess.run, run, check=True, stderr=subprocess.DEVNULL)], runs)
            megabytes = Path(model).stat().st_size / 1e6
            scores[kind] = las(xa.load(model), test)
            CLAIMS.measure(f"{scorer}, {kind}, MB", megabytes)
            CLAIMS.measure(f"{scorer}, {kind}, start to finish, s", times.wall)
            if kind == "compressed":
                CLAIMS.measure(f"{scorer}, compressed, LAS lost", scores["as saved"] - scores[kind])
            rows.append([f"{scorer}, {kind}", f"{megabytes:.1f}", f"{scores[kind]:.2f}", f"{times.wall:.2f}"])
    print_table(["model of arc-eager", "MB", "LAS on test", "crossarc parse, start to finish, s"], rows)


def main() -> int:
    chosen = options(__doc__, runs=3, trainings=1, epochs=10, words=1_000_000)
    train, test = (xa.read(treebank_path("en_ewt", f"{part}.conllu.gz")) for part in ("train", "test"))
    parsers = train_all(train, chosen.epochs, chosen.trainings)
    rows = speed_rows(parsers, repeated(test, chosen.words), chosen.runs)
    rows += peer_rows(train, test, max(1, chosen.runs - 1))
    print_table(["parser", "search", "words/s", "words per second of processor time"], rows)
    measure_files(parsers, test, chosen.runs)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
