"""How fast is an output scored? crossarc beside the official evaluation as in PyPI's udtools.

The test part of en_ewt, 20 times over (501,880 words, 36 MB), against the same trees with every sixth head or so wrong.
Both tools read both files and compute the measures of the CoNLL 2018 shared task and scores of graphs;
crossarc also with everything else it knows (punctuation, arc classes, breakdowns, confusions). One thread, the best of
several runs, in seconds of processor time, which other work on the machine disturbs less than the clock on the wall.
The tools must agree on every measure.

    python benchmarks/evaluation.py [--runs 5] [--peer-runs 2] [--copies 20]
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import crossarc as xa
from common import Claims, at_least, best_times, options, print_table, treebank_path

CLAIMS = Claims({"both agree on every measure": at_least(1), "times udtools": at_least(50)})


def with_mistakes(gold: xa.Treebank) -> xa.Treebank:
    """Attach some words to the head of their head, and exchange some relations: still trees."""
    choose = random.Random(1)
    heads: list[int] = []
    for sentence in gold:
        own = sentence.heads.tolist()
        for word, head in enumerate(own):
            if head and own[head - 1] and choose.random() < 1 / 6:
                own[word] = own[head - 1]
        heads += own
    relations = gold.texts("deprel")
    for place in choose.sample(range(len(relations)), len(relations) // 10):
        if relations[place] != "root":
            relations[place] = choose.choice(("obl", "nmod", "conj", "advmod"))
    return gold.replace(head=heads, deprel=relations)


def with_udtools(gold: Path, system: Path) -> Any:
    from udtools import udeval

    return udeval.evaluate(udeval.load_conllu_file(str(gold)), udeval.load_conllu_file(str(system)))


def official_measures(gold: Path, system: Path) -> Any:
    scores = xa.evaluate(gold, system, threads=1).scores
    return scores.conll2018, scores.graph


def everything(gold: Path, system: Path) -> Any:
    return xa.evaluate(gold, system, threads=1).to_dict()


def agree(ours: Any, theirs: Any) -> bool:
    return all((score.correct, score.f1) == (theirs[name].correct, theirs[name].f1) for name, score in ours.items())


def main() -> int:
    chosen = options(__doc__, runs=5, peer_runs=2, copies=20)
    test = xa.read(treebank_path("en_ewt", "test.conllu.gz"))
    with tempfile.TemporaryDirectory() as folder:
        gold, system = Path(folder, "gold.conllu"), Path(folder, "system.conllu")
        for path, treebank in ((gold, test), (system, with_mistakes(test))):
            path.write_bytes(treebank.to_bytes() * chosen.copies)
        tasks = [lambda: official_measures(gold, system), lambda: everything(gold, system)]
        ours, whole = (times.processor for times in best_times(tasks, chosen.runs))
        theirs = best_times([lambda: with_udtools(gold, system)], chosen.peer_runs)[0].processor
        (measures, _), expected = official_measures(gold, system), with_udtools(gold, system)
    rows = {"crossarc, the measures of udtools": ours, "crossarc, everything": whole, "udtools": theirs}
    words = chosen.copies * test.words
    print_table(
        ["", "CPU seconds", "words per second", "udtools takes so many times as long"],
        [[name, f"{used:.2f}", f"{words / used:,.0f}", f"{theirs / used:.1f}"] for name, used in rows.items()],
    )
    CLAIMS.agree("both agree on every measure", agree(measures, expected))
    CLAIMS.measure("times udtools", theirs / ours)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
