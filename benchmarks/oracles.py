"""How fast the oracles turn a treebank into transitions: words per second on one thread, best of five.

The claim: 2-planar by rule at 300,000 words/s or more, any system by search at 50,000 or more. The treebank is
`grc_agdt` train, the one with the most crossing arcs; CROSSARC_TREEBANKS says where the treebanks are.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from crossarc import Treebank, read
from crossarc.transitions import Derivations, TransitionSystem, derive
from crossarc.transitions.algebra import systems

TREEBANKS = Path(os.environ.get("CROSSARC_TREEBANKS", Path(__file__).resolve().parents[2] / "shared" / "treebanks"))
RUNS = 5
SYSTEMS = ("2-planar", "planar", "3-planar", "arc-eager", "arc-standard", "arc-hybrid", "covington", "swap")
BY_SEARCH_ALONE = ("easy-first", "attardi-2")


def measure(system: TransitionSystem, treebank: Treebank, method: str) -> tuple[float, Derivations]:
    best = float("inf")
    for _ in range(RUNS):
        started = time.perf_counter()
        derivations = derive(system, treebank, method=method, threads=1)
        best = min(best, time.perf_counter() - started)
    return treebank.words / best, derivations


def main() -> None:
    file = TREEBANKS / "grc_agdt" / "train.conll.gz"
    if not file.exists():
        sys.exit(f"no treebanks at {TREEBANKS}: set CROSSARC_TREEBANKS")
    treebank = read(file)
    print(
        f"{file.parent.name} train: {len(treebank):,} sentences, {treebank.words:,} words; one thread, best of {RUNS}\n"
    )
    print("| system | rule, words/s | search, words/s | sentences derived | arcs built | transitions a word |")
    print("|---|---:|---:|---:|---:|---:|")
    for name in (*SYSTEMS, *BY_SEARCH_ALONE):
        by_rule = f"{measure(systems.get(name), treebank, 'rule')[0]:,.0f}" if name in SYSTEMS else "–"
        speed, derivations = measure(systems.get(name), treebank, "search")
        data = derivations.to_dict()
        shares = f"{data['derivable_sentences_share']:.2%} | {data['built_arcs_share']:.2%}"
        print(f"| {name} | {by_rule} | {speed:,.0f} | {shares} | {data['transitions_per_word']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
