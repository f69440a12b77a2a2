"""Calibration of a graph parser: the temperature under which its probabilities of heads are right most often.

Networks are surer than they are right. Dividing all scores by one number, chosen on development data so that the gold
heads become as probable as possible, mends most of that (temperature scaling; Guo et al. 2017). The
most probable tree stays the same; that of minimum risk, which weighs probabilities, may change.
O(words²) for a sentence and each temperature that is tried.
"""

from __future__ import annotations

import numpy as np

from ..._arrays import Doubles, Floats, Ids, Offsets

#: The temperatures that are tried first lie between these; the best is then found more exactly.
_LEAST, _MOST = 0.25, 4.0
_STEPS = 24
_GOLDEN = (5**0.5 - 1) / 2


def best_temperature(scores: Floats, crossed: Floats | None, word_offsets: Offsets, heads: Ids) -> float:
    """Return the temperature that makes gold heads most probable.

    `scores`: of all arcs, matrix after matrix, [head, dependent]. `crossed`: of crossed arcs, if they have scores of
    their own; a head is as probable as the arc is with and without a crossing together. Between 0.25 and 4, to three
    digits.
    """
    matrices = _by_dependent(scores, word_offsets)
    if crossed is not None:
        matrices = [np.hstack(pair) for pair in zip(matrices, _by_dependent(crossed, word_offsets), strict=True)]
    if not len(heads):
        return 1.0
    low, high = np.log(_LEAST), np.log(_MOST)
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    losses = [_loss(matrices, heads, np.exp(one)) for one in (left, right)]
    # The loss is convex in 1 / temperature, so that it falls and then rises.
    for _ in range(_STEPS):
        if losses[0] <= losses[1]:
            high, right, left = right, left, right - _GOLDEN * (right - low)
            losses = [_loss(matrices, heads, np.exp(left)), losses[0]]
        else:
            low, left, right = left, right, left + _GOLDEN * (high - left)
            losses = [losses[1], _loss(matrices, heads, np.exp(right))]
    return round(float(np.exp((low + high) / 2)), 3)


def _by_dependent(scores: Floats, word_offsets: Offsets) -> list[Doubles]:
    """Return, for each sentence, a row of scores of heads for each word; what is no head is lowest."""
    rows, start = [], 0
    for words in np.diff(word_offsets).tolist():
        width = words + 1
        own = scores[start : start + width * width].reshape(width, width).T[1:].astype(np.float64)
        own[np.arange(words), np.arange(1, width)] = -np.inf
        rows.append(own)
        start += width * width
    return rows


def _loss(matrices: list[Doubles], heads: Ids, temperature: float) -> float:
    """Return minus the logarithm of the probability of all gold heads."""
    total, first = 0.0, 0
    for rows in matrices:
        own = rows / temperature
        gold = heads[first : first + len(rows)]
        first += len(rows)
        if len(rows):
            highest = own.max(axis=1)
            sums = np.log(np.exp(own - highest[:, None]).sum(axis=1)) + highest
            # The scores of crossed arcs stand behind those of others.
            choices = own.reshape(len(rows), -1, len(rows) + 1)[np.arange(len(rows)), :, gold]
            total += float((sums - np.logaddexp.reduce(choices, axis=1)).sum())
    return total
