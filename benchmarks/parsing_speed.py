"""How fast do parsers parse and train, and how large are their models? crossarc beside UDPipe 1, spaCy and numpy.

en_ewt: parsers are trained on train (choosing nothing on dev), then the test part repeated to half a million words is
parsed with one thread and with two, start-up and reading excluded; with a beam of eight a fifth of it. UDPipe
(`ufal.udpipe`, greedy and with a beam of five) and spaCy parse the same words: their models are trained on the spot
from few sentences, which changes what they find and not how long it takes. Then `crossarc parse` from start to finish
on the test part alone, the sizes of models as saved and compressed with their scores, and the time and memory that
training took; with a beam, which takes longest and of which every epoch takes the same, two epochs stand for ten.

Speeds are claimed as ratios to what is measured in the same run, each the best of several. Greedy parsing with a
network is nearly all products of matrices: how many words it parses depends on how wide the processor's vectors are,
and UDPipe, which looks most of its sums up, gains little by them. So it is claimed beside the same products by numpy.
Training and beams are claimed beside UDPipe's, and a whole command beside a program that does the same with UDPipe.
Ratios are of processor time, which other work on the machine disturbs less; those of whole commands and of two threads
are of time on the wall.

    python benchmarks/parsing_speed.py [--runs 3] [--trainings 1] [--epochs 10] [--words 500000]
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import crossarc as xa
from common import Claims, Times, at_least, at_most, best_times, options, print_table, treebank_path
from crossarc.models.neural.transitions import NetworkModel
from crossarc.parsers import TransitionParser
from crossarc.parsers.transition.restoring import parse_arrays

#: System, scorer and beam in training, and how many times as many words a second as UDPipe's they learn from at least.
TRAINED = {
    ("arc-eager", "network", 1): 18,
    ("2-planar", "network", 1): 18,
    ("arc-eager", "perceptron", 1): 70,
    ("arc-eager", "perceptron", 8): 8,  # networks learn greedily, whatever the beam they parse with
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
        **{f"{name_of(*parser)}, training, times UDPipe": at_least(least) for parser, least in TRAINED.items()},
        **{f"{name_of(*parser)}, memory, MB": at_most(2_000) for parser in TRAINED},
        **{f"{name}, greedy, time over numpy's for its products": at_most(1.3) for name in NETWORKS},
        **{f"{name}, greedy, two threads over one": at_least(1.8) for name in NETWORKS},
        **{f"{name}, beam 8, times UDPipe with beam 5": at_least(1.8) for name in NETWORKS},
        **{f"{scorer}, {kind}, MB": at_most(megabytes) for scorer, kind, *_, megabytes in SAVED},
        **{f"{scorer}, {kind}, start to finish, times UDPipe's": at_most(2.6) for scorer, kind, *_ in SAVED},
        **{f"{scorer}, compressed, LAS lost": at_most(0.1) for scorer in ("network", "perceptron")},
    }
)
#: Prints how many multiplications numpy does in a second, best of many, with matrices as large as a network's.
WITH_NUMPY = """
import time
import numpy as np
left, right, out = (np.full((256, 256), 0.5, np.float32) for _ in range(3))
def product():
    used = time.perf_counter()
    np.matmul(left, right, out=out)
    return time.perf_counter() - used
print(256**3 / min(product() for _ in range(1000)))
"""
#: Reads, parses and writes a file with UDPipe: model, input, output.
WITH_UDPIPE = """
import gzip, sys
from ufal.udpipe import Model, Pipeline, ProcessingError
model, error, text = Model.load(sys.argv[1]), ProcessingError(), gzip.open(sys.argv[2], "rt", encoding="utf-8").read()
parsed = Pipeline(model, "conllu", "none", "beam_search=1", "conllu").process(text, error)
open(sys.argv[3], "w", encoding="utf-8").write(parsed)
"""


def repeated(treebank: xa.Treebank, words: int) -> xa.Treebank:
    times = max(1, round(words / treebank.words))
    return treebank[np.tile(np.arange(len(treebank)), times)]


def las(parser: xa.Parser | xa.Pipeline, test: xa.Treebank) -> float:
    return 100 * xa.evaluate(test, parser.parse(test)).las


@dataclass(frozen=True)
class UDPipe:
    """A parser of UDPipe, as a file, and how many words it learned from in a second of the processor."""

    path: Path
    trained: float


def train_udpipe(train: xa.Treebank, folder: Path) -> UDPipe:
    """Train on a few sentences, with UDPipe's usual sizes: one iteration, which takes as long as every other."""
    from ufal import udpipe

    few = train[:400]
    sentences, error = udpipe_sentences(few), udpipe.ProcessingError()
    sizes = "embedding_upostag=20;embedding_feats=20;embedding_xpostag=0;embedding_form=50;embedding_lemma=0;"
    used = time.process_time()
    model = udpipe.Trainer.train(
        "morphodita_parsito",
        sentences,
        udpipe.Sentences(),
        "none",
        "none",
        f"iterations=1;{sizes}embedding_deprel=20;hidden_layer=200;transition_system=projective;transition_oracle=dynamic",
        error,
    )
    used = time.process_time() - used
    if error.occurred():
        raise RuntimeError(error.message)
    path = folder / "few.udpipe"
    path.write_bytes(model)
    return UDPipe(path, few.words / used)


def udpipe_sentences(treebank: xa.Treebank) -> Any:
    from ufal import udpipe

    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(treebank.to_text())
    sentences, error, sentence = udpipe.Sentences(), udpipe.ProcessingError(), udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.push_back(sentence)
        sentence = udpipe.Sentence()
    return sentences


def with_udpipe(peer: UDPipe, test: xa.Treebank, beam: int) -> Callable[[], None]:
    from ufal import udpipe

    model, error = udpipe.Model.load(str(peer.path)), udpipe.ProcessingError()
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


def numpy_times(parser: TransitionParser, words: int) -> Times:
    """How long numpy takes, on one thread, for as many multiplications as there are words times weights of layers."""
    assert parser.trained is not None and isinstance(parser.trained.model, NetworkModel)
    model = parser.trained.model
    weights = model.network.parameters().items()
    layers = sum(values.size for name, values in weights if not name.startswith("encoder.embeddings"))
    program = [sys.executable, "-c", WITH_NUMPY]
    one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "VECLIB_MAXIMUM_THREADS": "1"}
    a_second = float(subprocess.run(program, env=one_thread, check=True, capture_output=True, text=True).stdout)
    return Times(*2 * (words * layers / a_second,))


def trained(
    system: str, scorer: str, beam: int, train: xa.Treebank, epochs: int, runs: int
) -> tuple[TransitionParser, Times]:
    """Return a parser and the least times that training it took; every training gives the same one."""
    parser = TransitionParser(system, scorer=scorer, beam=beam)
    (times,) = best_times([lambda: parser.train(train, epochs=epochs)], runs)
    return parser, times


def train_all(train: xa.Treebank, peer: UDPipe, epochs: int, runs: int) -> dict[str, TransitionParser]:
    """Train all parsers, print what it took, and return the greedy ones."""
    rows = []
    parsers: dict[str, TransitionParser] = {}
    for (system, scorer, beam), _ in TRAINED.items():
        name = name_of(system, scorer, beam)
        own = epochs if beam == 1 else min(epochs, BEAM_EPOCHS)
        parser, times = trained(system, scorer, beam, train, own, runs if beam == 1 else 1)
        if beam == 1:
            parsers[name] = parser
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        learned = train.words * own / times.processor
        CLAIMS.measure(f"{name}, training, times UDPipe", learned / peer.trained)
        CLAIMS.measure(f"{name}, memory, MB", memory)
        rows.append([name, str(own), f"{times.wall:.0f}", f"{learned:,.0f}", f"{memory:,.0f}"])
    rows.append(["UDPipe 1", "1", "", f"{peer.trained:,.0f}", ""])
    learning = "words learned from per second of processor time"
    print_table(["parser", "epochs", "training, s", learning, "memory so far, MB"], rows)
    return parsers


def measure_speed(
    parsers: dict[str, TransitionParser],
    peer: UDPipe,
    train: xa.Treebank,
    test: xa.Treebank,
    long: xa.Treebank,
    runs: int,
) -> None:
    """Print how fast all of them parse; what is compared takes turns."""
    short = repeated(test, 100_000)
    greedy_udpipe, spacy, wide_udpipe = best_times(
        [with_udpipe(peer, short, 1), with_spacy(train, short), with_udpipe(peer, test, 5)], runs
    )
    peers = (
        ("UDPipe 1", "greedy", greedy_udpipe, short),
        ("spaCy", "", spacy, short),
        ("UDPipe 1", "beam 5", wide_udpipe, test),
    )
    rows = []
    for name, parser in parsers.items():
        assert parser.trained is not None
        inputs = parser.trained.definition.inputs(long)
        greedy, beam = (replace(parser.trained, beam=width) for width in (1, 8))
        tasks = [partial(parse_arrays, greedy, long, inputs, threads) for threads in (1, 2)]
        alone, together = best_times(tasks, runs)
        inputs = parser.trained.definition.inputs(short)
        (wide,) = best_times([partial(parse_arrays, beam, short, inputs, 1)], runs)
        if name in NETWORKS:
            products = numpy_times(parser, long.words)
            ratio = short.words / wide.processor / (test.words / wide_udpipe.processor)
            CLAIMS.measure(f"{name}, beam 8, times UDPipe with beam 5", ratio)
            CLAIMS.measure(f"{name}, greedy, time over numpy's for its products", alone.processor / products.processor)
            CLAIMS.measure(f"{name}, greedy, two threads over one", alone.wall / together.wall)
            rows.append(speed_row("numpy, the products of " + name, "", products, long))
        rows.append(speed_row(name, "greedy", alone, long))
        rows.append(speed_row(name, "greedy, 2 threads", together, long))
        rows.append(speed_row(name, "beam 8", wide, short))
    rows += [speed_row(*one) for one in peers]
    print_table(["parser", "search", "words/s", "words per second of processor time"], rows)


def speed_row(name: str, search: str, times: Times, parsed: xa.Treebank) -> list[str]:
    return [name, search, f"{parsed.words / times.wall:,.0f}", f"{parsed.words / times.processor:,.0f}"]


def measure_files(
    parsers: dict[str, TransitionParser], peer: UDPipe, test: xa.Treebank, folder: Path, runs: int
) -> None:
    """Print how large models are, how good, and how long `crossarc parse` takes with them."""
    rows = []
    command = str(Path(sys.executable).parent / "crossarc")
    source = str(treebank_path("en_ewt", "test.conllu.gz"))
    scores: dict[str, float] = {}
    output = str(folder / "out.conllu")
    programs, models = [[sys.executable, "-c", WITH_UDPIPE, str(peer.path), source, output]], []
    for scorer, _, bits, prune, _ in SAVED:
        models.append(folder / f"{scorer}.{bits}.crossarc")
        parsers[f"arc-eager, {scorer}"].save(models[-1], bits=bits, prune=prune)
        programs.append([command, "parse", str(models[-1]), source, "-o", output, "--threads", "1"])
    tasks = [partial(subprocess.run, program, check=True, stderr=subprocess.DEVNULL) for program in programs]
    udpipe_times, *own_times = best_times(tasks, runs)
    for (scorer, kind, *_), model, times in zip(SAVED, models, own_times, strict=True):
        megabytes = model.stat().st_size / 1e6
        scores[kind] = las(xa.load(model), test)
        CLAIMS.measure(f"{scorer}, {kind}, MB", megabytes)
        CLAIMS.measure(f"{scorer}, {kind}, start to finish, times UDPipe's", times.wall / udpipe_times.wall)
        if kind == "compressed":
            CLAIMS.measure(f"{scorer}, compressed, LAS lost", scores["as saved"] - scores[kind])
        rows.append([f"{scorer}, {kind}", f"{megabytes:.1f}", f"{scores[kind]:.2f}", f"{times.wall:.2f}"])
    rows.append(["UDPipe 1", "", "", f"{udpipe_times.wall:.2f}"])
    print_table(["model of arc-eager", "MB", "LAS on test", "from start to finish, s"], rows)


def main() -> int:
    chosen = options(__doc__, runs=3, trainings=1, epochs=10, words=500_000)
    train, test = (xa.read(treebank_path("en_ewt", f"{part}.conllu.gz")) for part in ("train", "test"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        peer = train_udpipe(train, folder)
        parsers = train_all(train, peer, chosen.epochs, chosen.trainings)
        measure_speed(parsers, peer, train, test, repeated(test, chosen.words), chosen.runs)
        measure_files(parsers, peer, test, folder, chosen.runs)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
