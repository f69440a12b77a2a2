"""How does the time grow with the length of a sentence? Each exponent stays near what the theory says.

One sentence of n words and one of four times as many, for each kind of work, on one thread; the processor's time, the
best of several runs. The exponent e of time ~ n^e between the two is what is claimed. Linear: greedy parsing, beams.
n log n: easy-first, its derivations. Quadratic: Covington, parsing and derivations, which look at all pairs of words.
Lifting takes n²/8 lifts where all arcs cross, each of them O(n / 64).

    python benchmarks/growth.py [--runs 3]
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator

import crossarc as xa
from common import Claims, at_most, options, print_table
from crossarc.transitions import derive, load_system

#: What the theory says, with a margin for caches and noise.
CLAIMS = Claims(
    {
        "parse, 2-planar, perceptron": at_most(1.3),
        "parse, 2-planar, network": at_most(1.3),
        "parse, 2-planar, perceptron, beam 8": at_most(1.4),
        "parse, easy-first, perceptron": at_most(1.4),
        "parse, easy-first, network": at_most(1.4),
        "parse, Covington, perceptron": at_most(2.3),
        "parse, Covington, network": at_most(2.3),
        "derive, Covington": at_most(2.3),
        "derive, easy-first": at_most(1.4),
        "derive, 2-planar": at_most(1.4),
        "encode, all arcs cross": at_most(2.6),
    }
)

#: What is to be done with a sentence of so many words.
Work = Callable[[int], Callable[[], object]]


def sentence(heads: list[int]) -> xa.Treebank:
    rows = (
        f"{word}\tw{word % 50}\tw{word % 50}\t{'NVAD'[word % 4]}\t_\t_\t{head}\tx{word % 5}\t_\t_\n"
        for word, head in enumerate(heads, start=1)
    )
    return xa.from_text("".join(rows) + "\n", root="any")


def chain(words: int) -> xa.Treebank:
    return sentence(list(range(words)))


def crossing(words: int) -> xa.Treebank:
    """A chain, and on each of its words another one, so that all of their arcs cross."""
    return sentence([word if word < words // 2 else word - words // 2 + 1 for word in range(words)])


def parsing(system: str, scorer: str, beam: int = 1) -> Work:
    encoding = xa.PseudoProjective() if system == "easy-first" else None
    parser = xa.TransitionParser(system, scorer=scorer, encoding=encoding)
    parser.train(xa.sample(100, seed=1), epochs=1, seed=1, threads=1)

    def prepare(words: int) -> Callable[[], object]:
        treebank = chain(words)
        return lambda: parser.parse(treebank, beam=beam if beam > 1 else None, threads=1)

    return prepare


def deriving(system: str, tree: Callable[[int], xa.Treebank]) -> Work:
    chosen = load_system(system)

    def prepare(words: int) -> Callable[[], object]:
        treebank = tree(words)
        return lambda: derive(chosen, treebank, threads=1)

    return prepare


def lifting(words: int) -> Callable[[], object]:
    treebank, encoding = crossing(words), xa.PseudoProjective("head")
    return lambda: encoding.encode(treebank)


def works() -> Iterator[tuple[str, int, Work]]:
    """The names of the claims, the shorter length and the work."""
    yield "parse, 2-planar, perceptron", 5_000, parsing("2-planar", "perceptron")
    yield "parse, 2-planar, network", 2_000, parsing("2-planar", "network")
    yield "parse, 2-planar, perceptron, beam 8", 4_000, parsing("2-planar", "perceptron", 8)
    yield "parse, easy-first, perceptron", 4_000, parsing("easy-first", "perceptron")
    yield "parse, easy-first, network", 2_000, parsing("easy-first", "network")
    yield "parse, Covington, perceptron", 250, parsing("covington", "perceptron")
    yield "parse, Covington, network", 250, parsing("covington", "network")
    yield "derive, Covington", 1_000, deriving("covington", crossing)
    yield "derive, easy-first", 50_000, deriving("easy-first", chain)
    yield "derive, 2-planar", 50_000, deriving("2-planar", chain)
    yield "encode, all arcs cross", 1_000, lifting


def seconds(task: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        used = time.process_time()
        task()
        times.append(time.process_time() - used)
    return min(times)


def main() -> int:
    runs = options(__doc__, runs=3).runs
    rows = []
    for name, words, prepare in works():
        longer = 4 * words
        few, many = seconds(prepare(words), runs), seconds(prepare(longer), runs)
        exponent = math.log(many / few) / math.log(longer / words)
        CLAIMS.measure(name, exponent)
        rows.append([name, f"{words:,}", f"{few:.4f}", ""])
        rows.append(["", f"{longer:,}", f"{many:.4f}", f"{exponent:.2f}"])
    print_table(["work", "words", "seconds", "exponent"], rows)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
