"""The weights of the hints of *fix and re-parse*, `crossarc.annotation.reparsing`, from corrections of dev parts.

The embedded models parse the gold words of the development parts of EWT and AGDT without tags. At each wrong word of a
sentence, with it and all before it as in the treebank, the next words choose among the candidates with the hints there
are; weights make the right heads and labels as likely as possible, for both treebanks together, and stay near to those
of a parser that gets no hints (Newton's method, in steps that are halved until they help). "read before" says nothing
where all before is kept, and is not learnt. `--half` learns from every second sentence, for a trial on the others.

    python pretrained/correction_weights.py [--half]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

import crossarc as xa
from crossarc.annotation import Reparser
from crossarc.annotation.reparsing import WEIGHTS, Evidence

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from common import treebank_path
from correcting import TREEBANKS, plain, read_sentences

#: So many words behind a mended one are looked at.
NEXT_WORDS = 10
#: Weights of the scores without hints, and what leaving them costs.
NO_HINTS, COST = {"head": 0.8, "label": 0.8}, 4.0
NAMES = [name for name in WEIGHTS if name != "read before"]
START = np.array([NO_HINTS.get(name, 0.0) for name in NAMES])


def choices(reparser: Reparser, heads: np.ndarray, labels: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """Return for words behind each wrong word the hints of all candidates, and which is right."""
    choices_of_words = []
    now_heads, now_labels = reparser.heads.copy(), reparser.labels.copy()
    for word in np.flatnonzero((now_heads != heads) | (now_labels != labels)).tolist():
        now_heads[word], now_labels[word] = heads[word], labels[word]
        evidence = Evidence(reparser, np.arange(len(heads)) <= word, now_heads, now_labels)
        shape = evidence.label.shape
        hints = dict(evidence.hints())
        table = np.stack(
            [
                np.broadcast_to(hints[name] if hints[name].ndim == 3 else hints[name][..., None], shape)
                for name in NAMES
            ],
            axis=-1,
        ).astype(np.float32)
        free = evidence.free[:NEXT_WORDS]
        right = evidence.to[:NEXT_WORDS, :, None] == heads[free, None, None]
        right = (right & (evidence.label[:NEXT_WORDS] == labels[free, None, None])).reshape(
            len(free), shape[1] * shape[2]
        )
        for row in np.flatnonzero(right.any(axis=1)).tolist():
            choices_of_words.append((table[row].reshape(-1, len(NAMES)), int(right[row].argmax())))
    return choices_of_words


def cost(every: list[tuple[np.ndarray, int]], weights: np.ndarray) -> float:
    """Return how unlikely the right candidates are."""
    total = COST / 2 * float(((weights - START) ** 2).sum())
    for table, right in every:
        scores = table @ weights
        total += float(np.logaddexp.reduce(scores) - scores[right])
    return total


def learnt(every: list[tuple[np.ndarray, int]]) -> np.ndarray:
    """Return the weights under which the right candidates are likeliest."""
    weights, least = START.copy(), cost(every, START)
    for _ in range(6):
        gradient, curvature = COST * (weights - START), COST * np.eye(len(NAMES))
        for table, right in every:
            scores = table @ weights
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            expected = shares @ table
            gradient += expected - table[right]
            curvature += (table * shares[:, None]).T @ table - np.outer(expected, expected)
        step = np.linalg.solve(curvature, gradient)
        while cost(every, weights - step) > least and np.abs(step).max() > 1e-3:
            step /= 2
        weights = weights - step
        least = cost(every, weights)
    return weights


def main() -> None:
    """Print the weights as the module has them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--sentences", type=int, help="take the first so many sentences of each treebank")
    asked = parser.parse_args()
    every = []
    for name, (model, ending) in TREEBANKS.items():
        gold = xa.read(treebank_path(name, f"dev.{ending}.gz"), root="any")[: asked.sentences]
        pipeline = xa.load(model)
        reparsers = read_sentences(pipeline, pipeline.parse(plain(gold)))
        numbers = {label: number for number, label in enumerate(reparsers[0].candidates.names)}
        labels = np.array([numbers.get(label, -1) for label in gold.texts("deprel")], np.int32)
        for index in range(0, len(gold), 2 if asked.half else 1):
            rows = slice(*gold.word_offsets[index : index + 2].tolist())
            every += choices(reparsers[index], gold.head[rows], labels[rows])
    for name, weight in zip(NAMES, learnt(every), strict=True):
        print(f'    "{name}": {weight:.2f},')


if __name__ == "__main__":
    main()
