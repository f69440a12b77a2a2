"""The crossing penalty of a transition parser: what transitions and labels lose that let arcs cross.

A parser that may cross arcs does so where it is in doubt, and many of these crossings are wrong; asking for a margin
makes it surer (`kernel/search/crossing_penalty.hpp` says which transitions lose, the encoding which labels). The margin
is chosen on development data: that with the best strict F of non-projective arcs, which are found if they are
non-projective in both trees and have the right head, among those that cost next to no attachment score. One parse of
the data for each amount that is tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ... import _kernel
from ...encodings import Encoding
from ...models.base import Penalisable, TransitionDefinition, TransitionModel
from ...training.report import DevScores
from ...transitions import TransitionSystem
from ...transitions.algebra import compiled
from ...treebank import Treebank
from ..trees import attachment_evaluation
from .enhanced import builds_enhanced_graphs
from .restoring import TransitionTrained, parse_arrays

#: What is tried, in logarithms of probabilities; of other scores, in usual differences between the best two. A parser
#: that crosses too seldom gets less than nothing.
AMOUNTS = (0.0, 0.5, 1.0, 2.0, 4.0, -0.5, -1.0, -2.0)
#: How much attachment score the best F may cost.
MOST_LOST = 0.0005
#: So many sentences say how far scores lie apart.
_SENTENCES = 20


def may_be_penalised(system: TransitionSystem, encoding: Encoding | None) -> bool:
    """Whether a parser has transitions or labels that a penalty is for."""
    lifted = encoding is not None and bool(encoding.lifted_labels.any())
    return lifted or _kernel.lets_arcs_cross(compiled(system))


def choose_penalty(trained: TransitionTrained, dev: Treebank, threads: int) -> tuple[float, DevScores] | None:
    """Return the penalty that is best on development data, and what it comes to; None where they cannot tell."""
    system = trained.definition.system
    if builds_enhanced_graphs(system) or not may_be_penalised(system, trained.encoding):
        return None
    if system.chooses_position or not isinstance(trained.model, Penalisable):  # no scores to measure, or no penalty
        return None
    inputs = trained.definition.inputs(dev)
    evaluate: Callable[[float], DevScores] = attachment_evaluation(
        dev,
        trained.labels,
        lambda amount: parse_arrays(replace(trained, crossing_penalty=amount), dev, inputs, threads),
    )
    if evaluate(0.0).strict_f is None:  # too few non-projective arcs
        return None
    return best_penalty(evaluate, unit_of_scores(trained.definition, trained.model, dev))


def best_penalty(evaluate: Callable[[float], DevScores], unit: float) -> tuple[float, DevScores]:
    """Return the best penalty, of so many units, and what it comes to.

    Of equals the attachment score decides, then what is nearer to 0.
    """
    tried = {step * unit: evaluate(step * unit) for step in AMOUNTS}
    least = (tried[0.0].las or 0.0) - MOST_LOST

    def rank(amount: float) -> tuple[float, float, float]:
        scores = tried[amount]
        return scores.strict_f or 0.0, scores.las or 0.0, -abs(amount)

    best = max((amount for amount, scores in tried.items() if (scores.las or 0.0) >= least), key=rank)
    return best, tried[best]


def unit_of_scores(definition: TransitionDefinition, model: TransitionModel, treebank: Treebank) -> float:
    """Return how far the scores of the two best transitions usually lie apart; 1 for logarithms of probabilities."""
    gaps: list[float] = []
    for sentence in range(min(_SENTENCES, len(treebank))):
        trace = model.trace(definition.inputs(treebank[sentence : sentence + 1]))
        if trace.probabilities:
            return 1.0
        ranked = np.sort(np.where(np.isnan(trace.scores), -np.inf, trace.scores), axis=1)[:, -2:]
        gaps += (ranked[:, 1] - ranked[:, 0])[np.isfinite(ranked).all(axis=1)].tolist()
    return float(np.median(gaps)) if gaps else 1.0
