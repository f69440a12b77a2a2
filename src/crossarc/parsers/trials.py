"""Choosing a transition parser by trial: every candidate for a treebank is trained for a few epochs and compared.

The candidates are those of `crossarc.parsers.advice`, which chooses among them by what was measured on other treebanks.
The cost is that of training each candidate.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..errors import ParserError
from ..models.base import Scorer
from ..structure import coverage
from ..treebank import Treebank
from .advice import Choice, candidates
from .transition.parser import TransitionParser


def choose_by_training(
    treebank: Treebank,
    dev: Treebank,
    epochs: int,
    *,
    scorer: str | Scorer = "network",
    seed: int = 1,
    threads: int = 0,
    on_result: Callable[[Choice, float, float | None], None] | None = None,
) -> Choice:
    """Train every candidate for so many epochs and choose the one whose LAS on `dev` is best.

    Where another one has the best strict F of non-projective arcs, the reason names it. `on_result` is told the LAS of
    each and its strict F, from 0 to 1; the second is None where `dev` has hardly any such arcs.
    """
    if not treebank.words or not dev.words:
        raise ParserError("to compare systems, training and development data are needed")
    results: list[tuple[float, float | None, Choice]] = []
    for choice in candidates(coverage(treebank, threads=threads)):
        parser = TransitionParser(choice.system, encoding=choice.encoding, scorer=scorer)
        report = parser.train(treebank, dev=dev, epochs=epochs, seed=seed, threads=threads)
        las = report.las or 0.0
        results.append((las, report.strict_f, choice))
        if on_result is not None:
            on_result(choice, las, report.strict_f)
    best, best_f, choice = max(results, key=lambda result: result[0])
    reason = f"LAS {100 * best:.2f} after {epochs} epochs, the best of {len(results)}"
    _, strict_f, other = max(results, key=lambda result: result[1] or 0.0)
    if strict_f is not None and best_f is not None:
        arcs = "strict F of non-projective arcs"
        if strict_f == best_f:
            reason += f", also by {arcs}, {100 * best_f:.2f}"
        else:
            reason += f"; by {arcs} {other.name} was, {100 * strict_f:.2f} to {100 * best_f:.2f}"
    return replace(choice, reason=reason)
