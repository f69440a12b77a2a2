"""Native calls that would run for many minutes, each in a process that reports when it has begun.

python -m tests.support.long_calls NAME: prints "began" while the call runs; when a signal has ended it, tries the same
objects on something short and prints "usable". The process that started this one sends the signal.
"""

from __future__ import annotations

import signal
import sys
import threading
import warnings
from collections.abc import Callable
from types import FrameType

import numpy as np

import crossarc as xa
from crossarc import decoders
from crossarc.transitions import derive, load_system
from crossarc.treebank import Treebank


def sentence(heads: list[int]) -> Treebank:
    """A sentence with these heads."""
    rows = (
        f"{word}\tw{word % 50}\tw{word % 50}\t{'NVAD'[word % 4]}\t_\t_\t{head}\tx{word % 5}\t_\t_\n"
        for word, head in enumerate(heads, start=1)
    )
    return xa.from_text("".join(rows) + "\n", root="any")


def chain(words: int) -> Treebank:
    """Every word hangs on the one before it."""
    return sentence(list(range(words)))


def crossing(words: int) -> Treebank:
    """A chain, and on each of its words another one, so that all of their arcs cross."""
    return sentence([word if word < words // 2 else word - words // 2 + 1 for word in range(words)])


#: The long call, and what must work afterwards.
Calls = tuple[Callable[[], object], Callable[[], object]]


def graph_parser() -> xa.GraphParser:
    """A small network; the trees are found at once."""
    return xa.GraphParser(
        "unrestricted",
        network=xa.Biaffine(embedding_sizes=(8, 8, 8), character_size=0, hidden_size=32, label_hidden_size=16),
    )


def transition_parser(system: str, scorer: str) -> xa.TransitionParser:
    """A greedy parser."""
    return xa.TransitionParser(system, scorer=scorer)


def parsing(
    parser: xa.TrainableParser, words: int, sentences: int = 1, *, beam: int | None = None, threads: int = 1
) -> Calls:
    """Parsing of long sentences between short ones."""
    short = xa.sample(40, seed=1)
    parser.train(short, epochs=1, seed=1, threads=1)
    before = parser.parse(short).to_text()
    pieces = xa.from_text(short.to_text() + chain(words).to_text() * sentences + short.to_text(), root="any")

    def parse_again() -> None:
        assert parser.parse(short).to_text() == before

    return lambda: parser.parse(pieces, beam=beam, threads=threads), parse_again


def training(make: Callable[[], xa.TrainableParser], words: int, sentences: int = 1) -> Calls:
    """Training on long sentences: an interruption in the first epoch leaves no model, and another training works."""
    parser = make()
    treebank = xa.from_text(chain(words).to_text() * sentences, root="any")

    def train(one: xa.TrainableParser) -> None:
        one.train(xa.sample(20, seed=1), epochs=1, seed=1, threads=1)
        assert len(one.parse(xa.sample(3, seed=2))) == 3

    def train_again() -> None:
        assert parser.trained is None
        train(parser)

    train(make())  # imports everything
    return lambda: parser.train(treebank, epochs=1, seed=1, threads=2), train_again


def oracle(system: str, treebank: Treebank) -> Calls:
    """Derivation of a long sentence."""
    chosen = load_system(system)
    return lambda: derive(chosen, treebank), lambda: derive(chosen, chain(5))


def encoding(words: int) -> Calls:
    """Lifting of arcs that all cross."""
    scheme = xa.PseudoProjective("head")
    treebank = crossing(words)
    return lambda: scheme.encode(treebank), lambda: scheme.encode(crossing(10))


def decoding(call: Callable[[np.ndarray], object], words: int) -> Calls:
    """Work on a score matrix."""
    scores = np.random.default_rng(1).normal(size=(words + 1, words + 1))
    return lambda: call(scores), lambda: decoders.best(scores[:5, :5], "projective")


CALLS: dict[str, Callable[[], Calls]] = {
    "parse-covington-perceptron": lambda: parsing(transition_parser("covington", "perceptron"), 40_000),
    "parse-covington-network": lambda: parsing(transition_parser("covington", "network"), 40_000),
    "parse-covington-beam": lambda: parsing(transition_parser("covington", "perceptron"), 20_000, beam=8),
    "parse-on-threads": lambda: parsing(transition_parser("covington", "perceptron"), 40_000, threads=3),
    "parse-graph": lambda: parsing(graph_parser(), 4_000, 300),
    "train-covington-perceptron": lambda: training(lambda: transition_parser("covington", "perceptron"), 10_000),
    "train-several-perceptrons": lambda: training(
        lambda: xa.TransitionParser("covington", scorer=xa.Perceptron(learners=3)), 10_000
    ),
    "train-covington-network": lambda: training(lambda: transition_parser("covington", "network"), 60_000),
    "train-beam": lambda: training(lambda: xa.TransitionParser("covington", scorer="perceptron", beam=4), 10_000),
    "train-easy-first": lambda: training(lambda: transition_parser("easy-first", "perceptron"), 50_000),
    "train-graph": lambda: training(graph_parser, 4_000, 100),
    "oracle-covington": lambda: oracle("covington", crossing(400_000)),
    "oracle-easy-first": lambda: oracle("easy-first", crossing(9_000)),
    "encode": lambda: encoding(60_000),
    "sample": lambda: decoding(lambda scores: decoders.sample(scores, "projective", 5 * 10**7, seed=1), 20),
    "sample-spanning-trees": lambda: decoding(
        lambda scores: decoders.sample(scores, "unrestricted", 10**6, seed=1), 150
    ),
    "log-partition": lambda: decoding(
        lambda scores: decoders.log_partition([scores] * 200_000, "1-endpoint-crossing"), 30
    ),
}


class StoppedError(Exception):
    """Raised by a handler of a signal."""


def stop(number: int, frame: FrameType | None) -> None:
    """Handle a signal by an exception that is not that of Ctrl-C."""
    raise StoppedError


def main(name: str) -> None:
    """Make the call and report."""
    call, afterwards = CALLS[name]()
    signal.signal(signal.SIGUSR1, stop)
    # Python drops exceptions that come up while it reads the source line of a warning, those of handlers, too.
    warnings.simplefilter("ignore")
    begins = threading.Event()

    def report() -> None:
        begins.wait()
        print("began", flush=True)

    threading.Thread(target=report, daemon=True).start()
    sys.setswitchinterval(1000)  # the other thread runs when this one leaves the interpreter to the call
    try:
        begins.set()
        call()
    except (KeyboardInterrupt, StoppedError) as error:
        print(type(error).__name__, flush=True)
        afterwards()
        print("usable", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
