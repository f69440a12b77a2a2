"""Is crossarc there at once, and does it cost little inside spaCy?

`import crossarc` and `crossarc --help` in processes of their own, the fastest of several runs, without the start of
Python itself for the first. The component `crossarc` on documents of spaCy beside what `crossarc parse` does with the
same words: read, parse and write CoNLL-U, with the embedded English model and with a perceptron, one thread; the time
of the processor.

    python benchmarks/habits.py [--runs 5] [--sentences 1000]
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import spacy

import crossarc as xa
from common import Claims, at_most, best_times, options, print_table
from crossarc.spacy import CrossarcParser

CLAIMS = Claims(
    {
        "import crossarc, ms": at_most(30),
        "crossarc --help, s": at_most(0.3),
        "spaCy component with en, times crossarc parse": at_most(1.2),
        "spaCy component with a perceptron, times crossarc parse": at_most(1.2),
    }
)
COMMAND = "from crossarc.cli.main import main; main()"


def process_seconds(*arguments: str) -> float:
    """Seconds of the processor that a Python process takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=os.environ)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_start(runs: int) -> list[list[str]]:
    bare = min(process_seconds("-c", "") for _ in range(runs))
    imported = min(process_seconds("-c", "import crossarc") for _ in range(runs)) - bare
    shown = min(process_seconds("-c", COMMAND, "--help") for _ in range(runs))
    CLAIMS.measure("import crossarc, ms", 1000 * imported)
    CLAIMS.measure("crossarc --help, s", shown)
    return [["import crossarc, ms", f"{1000 * imported:.1f}"], ["crossarc --help, s", f"{shown:.2f}"]]


def measure_component(name: str, model: xa.Parser | xa.Pipeline, treebank: xa.Treebank, runs: int) -> list[list[str]]:
    nlp = spacy.blank("xx")
    component = CrossarcParser(model, threads=1)
    batches = iter([treebank.to_spacy(nlp.vocab) for _ in range(runs)])
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "words.conllu", Path(folder) / "parsed.conllu"
        xa.write(treebank, source)

        def parse() -> None:
            xa.write(model.parse(xa.read(source, threads=1), threads=1), target)

        alone, inside = best_times([parse, lambda: list(component.pipe(next(batches)))], runs)
    CLAIMS.measure(f"spaCy component with {name}, times crossarc parse", inside.processor / alone.processor)
    return [
        [f"crossarc parse, {name}, words/s", f"{treebank.words / alone.processor:,.0f}"],
        [f"spaCy component, {name}, words/s", f"{treebank.words / inside.processor:,.0f}"],
    ]


def main() -> int:
    chosen = options(__doc__, runs=5, sentences=1000)
    rows = measure_start(chosen.runs)
    words = xa.sample(chosen.sentences, seed=3)
    pipeline = xa.load("en")
    bare = words.replace(lemma=["_"] * words.words, upos=["_"] * words.words, xpos=["_"] * words.words)
    rows += measure_component("en", pipeline, bare, chosen.runs)
    parser = xa.TransitionParser("2-planar", scorer="perceptron", root="single")
    parser.train(xa.sample(500, seed=1), epochs=1, progress=False)
    rows += measure_component("a perceptron", parser, words, chosen.runs)
    print_table(["", "measured"], rows)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
