"""How fast are treebanks encoded and decoded? crossarc beside spaCy's pseudo-projective transformation.

All sentences of grc_agdt train (364,053 words, 77 % of the sentences non-projective), on one thread, the best of
several runs; from treebank to treebank, texts of labels included. spaCy has the scheme Head only; it gets lists of
heads and labels, which is all that its functions take, and the first sentences only.

    python benchmarks/encodings.py [--runs 7] [--spacy-sentences 2000]
"""

from __future__ import annotations

import sys
import time
from functools import partial
from typing import Any

import crossarc as xa
from common import Claims, at_least, best_time, best_times, options, print_table, treebank_path
from crossarc.encodings import SCHEMES, Encoding, PseudoProjective, Undirected

ENCODINGS: dict[str, Encoding] = {
    **{scheme: PseudoProjective(scheme) for scheme in SCHEMES},
    "undirected": Undirected("label"),
    "head, then undirected": Undirected("label").after(PseudoProjective("head")),
}
WAYS = ("encode", "decode")
CLAIMS = Claims({f"{name}, {way}, words per second": at_least(1_000_000) for name in ENCODINGS for way in WAYS})


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


def main() -> int:
    chosen = options(__doc__, runs=7, spacy_sentences=2000)
    greek = xa.read(treebank_path("grc_agdt", "train.conll.gz"))
    peer = spacy_speeds(greek[: chosen.spacy_sentences])
    rows = []
    for name, encoding in ENCODINGS.items():
        encoded = encoding.encode(greek)
        tasks = [partial(encoding.encode, greek, threads=1), partial(encoding.restore, encoded, threads=1)]
        speeds = [greek.words / times.wall for times in best_times(tasks, chosen.runs)]
        for way, speed in zip(WAYS, speeds, strict=True):
            CLAIMS.measure(f"{name}, {way}, words per second", speed)
        rows.append([f"crossarc, {name}", *(f"{speed:,.0f}" for speed in speeds)])
        if name == "head":
            faster = ["crossarc, head, is faster by", *(f"{a / b:,.1f}" for a, b in zip(speeds, peer, strict=True))]
    rows += [["spaCy, head", *(f"{speed:,.0f}" for speed in peer)], faster]
    print_table(["one thread", "encode: words per second", "decode: words per second"], rows)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
