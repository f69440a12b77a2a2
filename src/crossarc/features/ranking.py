"""A log-linear ranker: which of several candidates is right, by weights of features that stand in one hashed table.

A candidate is rows of numbers: each number is a feature (any text or combination, hashed), whose weight is looked up in
a table of a power of two of 8-bit weights. Learnt as the likelihood of the right candidate among those of its word, by
L-BFGS: the same data give the same weights. O(candidates · features).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from .._arrays import Doubles, Flags, Floats, Ids

#: Hashes of features.
Hashes = npt.NDArray[np.uint32]

_LARGEST = 127


@lru_cache(maxsize=1 << 18)
def hashed(text: str) -> int:
    """Return the hash of a text, the same on every machine."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def hashes(texts: Iterable[str]) -> Hashes:
    """Return the hashes of texts."""
    return np.fromiter(map(hashed, texts), np.uint32)


def crossed(one: Hashes, other: Hashes) -> Hashes:
    """Return the hashes of pairs."""
    mixed = one * np.uint32(0x9E3779B1) ^ other * np.uint32(0x85EBCA77)
    mixed ^= mixed >> np.uint32(15)
    mixed *= np.uint32(0x2C1B3C6D)
    found: Hashes = mixed ^ (mixed >> np.uint32(13))
    return found


class Ranker:
    """Weights of hashed features."""

    def __init__(self, weights: npt.NDArray[np.int8], scale: float) -> None:
        """Take a table of weights, a power of two of them, in units of the scale."""
        self.weights, self.scale = weights, scale
        self._mask = np.uint32(len(weights) - 1)

    def scores(self, features: Hashes) -> Floats:
        """Return the scores of candidates, of which each is a row of features."""
        total = self.weights[features & self._mask].sum(axis=1, dtype=np.int32)
        return np.asarray(total * np.float32(self.scale), np.float32)

    @classmethod
    def learn(cls, features: Hashes, of_word: Ids, right: Flags, *, bits: int, decay: float, steps: int = 60) -> Ranker:
        """Learn from candidates in the order of their words, each with its features and whether it is right.

        `decay`: what large weights cost, half of it times their squares.
        """
        every = (features & np.uint32((1 << bits) - 1)).astype(np.int32)
        used = np.zeros(1 << bits, bool)
        used[every.reshape(-1)] = True
        columns = (np.cumsum(used, dtype=np.int32) - 1)[every]
        begins = np.flatnonzero(np.append(True, of_word[1:] != of_word[:-1]))
        lengths = np.diff(np.append(begins, len(of_word)))

        def cost(weights: Doubles) -> tuple[float, Doubles]:
            scores = weights[columns].sum(axis=1)
            scores -= np.repeat(np.maximum.reduceat(scores, begins), lengths)
            powers = np.exp(scores)
            wanted = powers * right
            total, good = np.add.reduceat(powers, begins), np.add.reduceat(wanted, begins)
            errors = powers / np.repeat(total, lengths) - wanted / np.repeat(good, lengths)
            gradient = decay * weights
            for column in columns.T:
                gradient += np.bincount(column, errors, len(weights))
            return float((np.log(total) - np.log(good)).sum() + decay / 2 * weights @ weights), gradient

        weights = np.zeros(1 << bits)
        weights[used] = minimised(cost, np.zeros(int(used.sum())), steps)
        scale = float(np.abs(weights).max()) / _LARGEST or 1.0
        return cls(np.round(weights / scale).astype(np.int8), scale)


def minimised(cost: Callable[[Doubles], tuple[float, Doubles]], start: Doubles, steps: int, kept: int = 6) -> Doubles:
    """Return where a convex function is least, by L-BFGS (Liu & Nocedal 1989): at most so many steps."""
    here, (value, gradient) = start, cost(start)
    moves: list[tuple[Doubles, Doubles]] = []
    for _ in range(steps):
        direction = -gradient
        shares = []
        for moved, turned in reversed(moves):
            shares.append(moved @ direction / (moved @ turned))
            direction -= shares[-1] * turned
        if moves:
            moved, turned = moves[-1]
            direction *= moved @ turned / (turned @ turned)
        else:
            direction /= np.sqrt(gradient @ gradient) or 1.0
        for (moved, turned), share in zip(moves, reversed(shares), strict=True):
            direction += (share - turned @ direction / (moved @ turned)) * moved
        slope, length = gradient @ direction, 1.0
        while True:
            there = here + length * direction
            lower, steeper = cost(there)
            if lower <= value + 1e-4 * length * slope or length < 1e-6:
                break
            length /= 2
        if length < 1e-6 or value - lower < 1e-5 * abs(value):
            break
        if (there - here) @ (steeper - gradient) > 1e-12:
            moves = [*moves[-kept + 1 :], (there - here, steeper - gradient)]
        here, value, gradient = there, lower, steeper
    return here
