"""How fast and in how much memory are treebank files read? crossarc beside the readers people know.

en_ewt train is repeated to about 200 MB (the slow readers get one copy: their lines per second do not depend on the
length). Every reader starts from a path and ends with what it gives its user; each run has a process of its own, the
readers take turns, and the best of several runs counts. ufal.udpipe is measured twice: keeping every sentence, as the
others do, and, as it is fastest, reading into one `Sentence` that is overwritten again and again.

    python benchmarks/reading.py [--copies 14] [--runs 7]
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import Claims, at_least, options, print_table, treebank_path

CLAIMS = Claims({"one thread, times ufal.udpipe": at_least(3)})


def read_crossarc(path: str, threads: int) -> object:
    import crossarc

    return crossarc.read(path, threads=threads)


def read_udpipe(path: str, keep: bool) -> object:
    from ufal.udpipe import InputFormat, ProcessingError, Sentence

    reader = InputFormat.newConlluInputFormat()
    reader.setText(Path(path).read_text(encoding="utf-8"))
    error, sentence, kept = ProcessingError(), Sentence(), []
    while reader.nextSentence(sentence, error):
        if keep:
            kept.append(sentence)
            sentence = Sentence()
    return kept


def read_conllu(path: str) -> object:
    import conllu

    return conllu.parse(Path(path).read_text(encoding="utf-8"))


def read_pyconll(path: str) -> object:
    from importlib import import_module

    return import_module("pyconll").load_from_file(path)


def read_udapi(path: str) -> object:
    from udapi.core.document import Document

    return Document(path)


READERS = {
    "crossarc, 1 thread": lambda path: read_crossarc(path, 1),
    "crossarc, all cores": lambda path: read_crossarc(path, 0),
    "ufal.udpipe, one sentence reused": lambda path: read_udpipe(path, keep=False),
    "ufal.udpipe": lambda path: read_udpipe(path, keep=True),
    "udapi": read_udapi,
    "pyconll": read_pyconll,
    "conllu": read_conllu,
}
SLOW = ("udapi", "pyconll", "conllu")
IMPORTS = {"crossarc": "crossarc.treebank", "ufal": "ufal.udpipe", "udapi": "udapi.core.document"}


def peak_memory() -> int:
    """The most memory that this process ever held; `ru_maxrss` would count its parent at the time of the fork."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def measure(name: str, path: str) -> None:
    """Read in this process; print seconds and the memory that reading took."""
    library = name.split(",")[0].split(".")[0]
    __import__(IMPORTS.get(library, library))
    before = peak_memory()
    started = time.perf_counter()
    result = READERS[name](path)
    seconds = time.perf_counter() - started
    assert result is not None
    print(json.dumps({"seconds": seconds, "memory": peak_memory() - before}))
    sys.stdout.flush()
    os._exit(0)  # freeing millions of objects is not part of reading


def run(name: str, path: Path) -> dict[str, float]:
    command = [sys.executable, __file__, "--measure", name, str(path)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    measured: dict[str, float] = json.loads(output.splitlines()[-1])
    return measured


def main() -> int:
    chosen = options(__doc__, copies=14, runs=7)
    text = gzip.decompress(treebank_path("en_ewt", "train.conllu.gz").read_bytes())
    lines = text.count(b"\n")
    with tempfile.TemporaryDirectory() as folder:
        short, long = Path(folder) / "short.conllu", Path(folder) / "long.conllu"
        short.write_bytes(text)
        long.write_bytes(text * chosen.copies)
        best: dict[str, dict[str, float]] = {}
        for turn in range(chosen.runs):
            for name in READERS:
                if name in SLOW and turn:
                    continue
                measured = run(name, short if name in SLOW else long)
                if name not in best or measured["seconds"] < best[name]["seconds"]:
                    best[name] = measured
    report(best, lines, len(text), chosen.copies)
    return CLAIMS.finish()


def report(best: dict[str, dict[str, float]], lines: int, size: int, copies: int) -> None:
    """Print the table, and the ratio that is claimed."""
    share = {name: 1 if name in SLOW else copies for name in best}
    speed = {name: lines * share[name] / measured["seconds"] / 1e6 for name, measured in best.items()}
    ours = speed["crossarc, 1 thread"]
    print_table(
        ["reader", "million lines/s", "crossarc (1 thread) is", f"memory / file size ({size * copies / 1e6:.0f} MB)"],
        [
            [
                name,
                f"{speed[name]:.3f}",
                "" if name.startswith("crossarc") else f"{ours / speed[name]:.1f} times as fast",
                f"{measured['memory'] / (size * share[name]):.2f}",
            ]
            for name, measured in best.items()
        ],
    )
    CLAIMS.measure("one thread, times ufal.udpipe", ours / speed["ufal.udpipe"])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(*sys.argv[2:])
    sys.exit(main())
