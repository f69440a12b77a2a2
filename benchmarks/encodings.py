"""How fast are treebanks encoded and decoded? crossarc beside spaCy's pseudo-projective transformation.

All sentences of grc_agdt train (364,053 words, 77 % of the sentences non-projective), on one thread, the best of
several runs; from treebank to treebank, texts of labels included. spaCy has the scheme Head only; it gets lists of
heads and labels, which is all that its functions take, and the first sentences only.

    python benchmarks/encodings.py [--runs 7] [--spacy-sentences 2000]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import crossarc as xa
from crossarc.encodings import SCHEMES, Encoding, PseudoProjective, Undirected

TREEBANKS = Path(os.environ.get("CROSSARC_TREEBANKS", Path(__file__).resolve().parents[2] / "shared" / "treebanks"))
LEAST_WORDS_PER_SECOND = 1_000_000


def best_time(task: Callable[[], object], runs: int) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return min(times)


def spacy_speeds(treebank: xa.Treebank) -> tuple[float, float]:
    """Words per second of spaCy's `projectivize` and `deprojectivize`; it wants the heads of roots to be themselves."""
    import spacy
    from spacy.pipeline._parser_internals import nonproj

    vocab = spacy.blank("xx").vocab
    trees = [
        ([head - 1 if head else place for place, head in enumerate(sentence.heads.tolist())], sentence.deprels)
        for sentence in treebank
    ]
    encoding = treebank.words / best_time(lambda: [nonproj.projectivize(*tree) for tree in trees], 2)
    encoded = [nonproj.projectivize(*tree) for tree in trees]

    def make_docs() -> list[Any]:
        return [
            spacy.tokens.Doc(vocab, words=sentence.forms, heads=heads, deps=labels)
            for sentence, (heads, labels) in zip(treebank, encoded, strict=True)
        ]

    times = []
    for _ in range(2):
        docs = make_docs()  # they are changed in place
        start = time.perf_counter()
        for doc in docs:
            nonproj.deprojectivize(doc)
        times.append(time.perf_counter() - start)
    return encoding, treebank.words / min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--spacy-sentences", type=int, default=2000)
    options = parser.parse_args()

    greek = xa.read(TREEBANKS / "grc_agdt" / "train.conll.gz")
    encodings: dict[str, Encoding] = {scheme: PseudoProjective(scheme) for scheme in SCHEMES}
    encodings["undirected"] = Undirected("label")
    encodings["head, then undirected"] = Undirected("label").after(PseudoProjective("head"))
    speeds = {}
    for name, encoding in encodings.items():
        encoded = encoding.encode(greek)
        speeds[name] = (
            greek.words / best_time(lambda e=encoding: e.encode(greek, threads=1), options.runs),  # type: ignore[misc]
            greek.words / best_time(lambda e=encoding, t=encoded: e.decode(t, threads=1), options.runs),  # type: ignore[misc]
        )
    peer = spacy_speeds(greek[: options.spacy_sentences])

    table = Table("one thread", "encode: words per second", "decode: words per second")
    for name, (encode, decode) in speeds.items():
        table.add_row(f"crossarc, {name}", f"{encode:,.0f}", f"{decode:,.0f}")
    table.add_row("spaCy, head", f"{peer[0]:,.0f}", f"{peer[1]:,.0f}")
    head = speeds["head"]
    table.add_row("crossarc is faster by", f"{head[0] / peer[0]:,.1f}", f"{head[1] / peer[1]:,.1f}")
    console = Console()
    console.print(table)
    good = min(speed for pair in speeds.values() for speed in pair) >= LEAST_WORDS_PER_SECOND
    console.print(f"at least {LEAST_WORDS_PER_SECOND:,} words per second, each way: {good}")
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
