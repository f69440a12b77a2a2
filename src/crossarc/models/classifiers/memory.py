"""Memory-based classification: the nearest training examples vote (kernel/memory/instance_base.hpp).

The IB1 of TiMBL (Daelemans & van den Bosch 2005) with the settings of Nivre & Nilsson 2005: k = 5 nearest distances,
modified value difference metric, votes by inverse distance, no weights of features, and overlap for values that occur
less than three times (Nivre, Hall & Nilsson 2004). Learning is storing; a question is O(examples · templates) at worst.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ... import _kernel
from ..._arrays import AnyArray, Doubles, Ids, Values
from ...options import bounded, one_of, option
from ..base import register_scorer
from ..model_file import Arrays, array_of
from .ensemble import Classifier, Part
from .options import ClassifierOptions

METRICS = ("mvdm", "overlap")
WEIGHTS = ("none", "gain-ratio")
VOTES = ("inverse-distance", "equal")


@register_scorer
@dataclass(frozen=True)
class MemoryBased(ClassifierOptions):
    """Nearest neighbours.

    Parameters:
        templates: Feature templates by which transitions are chosen; by default those that suit system and classifier.
        label_templates: With `labels="separate"`, those by which the label of an arc is chosen.
        labels: "joint": a class is a transition with its label; "separate": transitions are classified first.
        split: The atom by whose value the training data are split, such as `b0.upos`; None for no split.
        split_least: The fewest examples that a value has a classifier of its own for; all others share one.
        nearest: k, how many of the smallest different distances count; all examples at one of these vote.
        metric: How far apart two values are: "mvdm", as far as they differ in the classes that they occur with, or
            "overlap", 1 if they are different.
        threshold: With mvdm, values that occur less often are compared by overlap.
        weights: Of templates: "none", or "gain-ratio".
        votes: "inverse-distance", or "equal" votes of all neighbours.
    """

    nearest: int = bounded(5, 1, 1000)
    metric: str = option("mvdm", one_of(*METRICS))
    threshold: int = bounded(3, 1, 1_000_000_000)
    weights: str = option("none", one_of(*WEIGHTS))
    votes: str = option("inverse-distance", one_of(*VOTES))
    name: ClassVar[str] = "memory"
    with_nothing: ClassVar[bool] = True

    def fit(self, parts: Sequence[Part], threads: int) -> list[Classifier]:
        return [MemoryClassifier(self, part.numbers, part.classes, part.class_count) for part in parts]

    def restore(self, arrays: Mapping[str, AnyArray], classes: int, sizes: AnyArray) -> Classifier:
        numbers, own = arrays["examples"], array_of(arrays, "of_classes", np.int32)
        if numbers.dtype.kind != "u" or numbers.ndim != 2 or numbers.shape != (len(own), len(sizes)) or not len(own):
            raise ValueError(f"examples of the shape {numbers.shape} and of {numbers.dtype}")
        if own.ndim != 1 or own.min() < 0 or own.max() >= classes or (numbers.max(axis=0) >= sizes).any():
            raise ValueError("an example has an unknown class or value")
        return MemoryClassifier(self, numbers.astype(np.uint32), own, classes)


@dataclass(frozen=True, eq=False)
class MemoryClassifier(Classifier):
    """Examples, and the index over them that is made when they are first asked for."""

    options: MemoryBased
    numbers: Values
    classes: Ids
    count: int

    @property
    def weight_count(self) -> int:
        return self.numbers.size

    @cached_property
    def index(self) -> _kernel.InstanceBase:
        """The examples as the kernel asks for them: what tells most about the class is compared first."""
        gains = gain_ratios(self.numbers, self.classes)
        options = self.options
        return _kernel.InstanceBase(
            np.ascontiguousarray(self.numbers).reshape(-1),
            self.classes,
            class_count=self.count,
            order=np.argsort(-gains, kind="stable").astype(np.int32),
            weights=gains if options.weights == "gain-ratio" else np.ones(len(gains)),
            nearest=options.nearest,
            threshold=options.threshold,
            overlap=options.metric == "overlap",
            inverse_distance=options.votes == "inverse-distance",
        )

    def scores(self, numbers: Values, threads: int) -> Doubles:
        """Return 0 for the class with the most votes, -1 for the second, and so on."""
        asked = np.ascontiguousarray(numbers).reshape(-1)
        return -self.index.rank(asked, threads).reshape(-1, self.count).astype(np.float64)

    def mistakes(self, part: Part, threads: int) -> int:
        """Return how many examples have another class than most of those with the same values."""
        _, row_of = np.unique(part.numbers, axis=0, return_inverse=True)
        pairs, counts = np.unique(np.stack([row_of.reshape(-1), part.classes]), axis=1, return_counts=True)
        most = np.zeros(int(pairs[0].max()) + 1, np.int64)
        np.maximum.at(most, pairs[0], counts)
        return int(len(part.classes) - most.sum())

    def arrays(self) -> Arrays:
        largest = int(self.numbers.max(initial=0))
        return {"examples": self.numbers.astype(np.min_scalar_type(largest)), "of_classes": self.classes}


def gain_ratios(numbers: Values, classes: Ids) -> Doubles:
    """Return of each column how much its value tells about the class, over how much there is to tell it by.

    Both in bits (Quinlan 1993); 0 for a column of one value.
    """
    entropy = _entropy(np.bincount(classes))
    ratios = np.zeros(numbers.shape[1])
    for column in range(numbers.shape[1]):
        pairs = numbers[:, column].astype(np.int64) * (int(classes.max()) + 1) + classes
        values = np.bincount(numbers[:, column])
        told = _entropy(values)
        if told > 0:
            ratios[column] = max(0.0, entropy + told - _entropy(np.unique(pairs, return_counts=True)[1])) / told
    return ratios


def _entropy(counts: AnyArray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())
