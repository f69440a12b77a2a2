"""Training transition-based parsers on real treebanks, each in a process of its own, and what it comes to.

Gold words, lemmas, tags and features; scores on test over all words; the epoch is chosen on dev, or on a tenth of train
where there is none. Precision and recall are of non-projective arcs: how many of those built have the right head, how
many of those in the gold trees were found. Words per second with one thread, the best of three, sentences as arrays.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

import numpy as np

import crossarc as xa
from common import best_time, treebank_path
from crossarc.parsers import TransitionParser
from crossarc.parsers.transition.restoring import parse_arrays
from crossarc.structure import classify


@dataclass(frozen=True)
class Result:
    """What one training came to."""

    treebank: str
    system: str
    dev: float
    las: float
    uas: float
    las_without_punctuation: float
    precision: float
    recall: float
    epochs: int
    seconds: float
    words_per_second: float
    megabytes: float

    @property
    def f(self) -> float:
        return 2 * self.precision * self.recall / max(1e-9, self.precision + self.recall)


def read(treebank: str) -> tuple[xa.Treebank, xa.Treebank, xa.Treebank]:
    """Return the parts of a treebank; a tenth of train is dev if there is none."""
    found = {path.name.split(".")[0]: xa.read(path, root="any") for path in treebank_path(treebank).glob("*.gz")}
    train = found["train"]
    if "dev" in found:
        return train, found["dev"], found["test"]
    held = len(train) // 10
    return train[: len(train) - held], train[len(train) - held :], found["test"]


def make(system: str, scorer: str) -> TransitionParser:
    name, _, scheme = system.partition(" + ")
    return TransitionParser(name, encoding=xa.PseudoProjective(scheme) if scheme else None, scorer=scorer)


def measure(treebank: str, system: str, scorer: str, epochs: int | None, threads: int) -> Result:
    train, dev, test = read(treebank)
    parser = make(system, scorer)
    start = time.monotonic()
    report = parser.train(train, dev=dev, epochs=epochs, threads=threads)
    seconds = time.monotonic() - start
    parsed = parser.parse(test)
    right = parsed.head == test.head
    labelled = right & (np.array(parsed.texts("deprel")) == np.array(test.texts("deprel")))
    words = np.array([any(letter.isalnum() for letter in form) for form in test.texts("form")])
    built, gold = classify(parsed).arc_nonprojective, classify(test).arc_nonprojective
    assert parser.trained is not None
    inputs = parser.trained.definition.inputs(test)
    return Result(
        treebank,
        system,
        100 * (report.las or 0.0),
        100 * labelled.mean(),
        100 * right.mean(),
        100 * labelled[words].mean(),
        100 * float(right[built].mean()) if built.any() else 0.0,
        100 * float(right[gold].mean()) if gold.any() else 0.0,
        len(report.epochs),
        seconds,
        test.words / best_time(partial(parse_arrays, parser.trained, test, inputs, 1), 3),
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def training_options(doc: str | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebanks", nargs="*", help="only these treebanks; the claims are about all of them")
    parser.add_argument("--systems", nargs="*", help="only these systems; the claims are about all of them")
    parser.add_argument("--scorer", default="network")
    parser.add_argument("--epochs", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=1, help="trainings at a time, with one thread each if several")
    return parser.parse_args()


def train_all(pairs: list[tuple[str, str]], chosen: argparse.Namespace) -> list[Result]:
    """Train each system on its treebank, as the options say; those that they leave out are left out."""
    asked = [
        (treebank, system)
        for treebank, system in pairs
        if treebank in (chosen.treebanks or [treebank]) and system in (chosen.systems or [system])
    ]
    threads = 0 if chosen.jobs == 1 else 1
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        waiting = [pool.submit(measure, *pair, chosen.scorer, chosen.epochs, threads) for pair in asked]
        for one in waiting:
            one.add_done_callback(show_progress)
        return [one.result() for one in waiting]


def show_progress(done: Future[Result]) -> None:
    """Say on standard error what a training came to: there are many, and the tables come last."""
    if done.exception() is None:
        one = done.result()
        shown = f"{one.treebank}, {one.system}: LAS {one.las:.2f}, P / R {one.precision:.0f} / {one.recall:.0f}"
        print(f"{shown}, {one.seconds:.0f} s", file=sys.stderr, flush=True)
