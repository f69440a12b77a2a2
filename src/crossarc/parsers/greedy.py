"""Greedy transition-based parsing: the native learner and model (kernel/parsers/greedy.hpp) behind plain arrays.

An averaged perceptron learns transitions, another one labels, in the configurations that the parser itself gets into
(Goldberg & Nivre 2013). O(transitions · templates) for each sentence.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _kernel
from ..models import Columns, FeatureSet, compile_templates
from ..transitions import TransitionSystem
from ..transitions.machine import compiled
from ..transitions.rules import knowledge_of, roles_of
from .errors import ParserError

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]
Values = NDArray[np.uint32]

#: How often, of a hundred, training follows the parser's own choice where it is wrong, after the first epoch.
EXPLORE = 90


@dataclass(frozen=True)
class Definition:
    """What a greedy parser is made of before it learnt anything."""

    system: TransitionSystem
    artificial_root: str
    columns: Columns
    templates: tuple[str, ...]
    label_templates: tuple[str, ...]
    labels: int

    @property
    def features(self) -> tuple[FeatureSet, FeatureSet]:
        """The templates as the kernel takes them: those of transitions and those of labels."""
        names = self.columns.names
        return compile_templates(self.templates, names), compile_templates(self.label_templates, names)

    def learner(self, seed: int) -> _kernel.GreedyLearner:
        """Return a learner that knows nothing yet."""
        known = knowledge_of(self.system)
        transitions, labels = self.features
        return _kernel.GreedyLearner(
            compiled(self.system),
            self.artificial_root,
            transitions.as_tuple(),
            labels.as_tuple(),
            self.labels,
            int(known.rule),
            roles_of(self.system),
            int(known.teaching_reach),
            known.guarantees,
            seed,
        )

    def model(self, arrays: Mapping[str, NDArray[Any]]) -> _kernel.GreedyModel:
        """Return the model whose weights `arrays_of` gave."""
        transitions, labels = self.features
        try:
            return _kernel.make_greedy_model(
                compiled(self.system),
                self.artificial_root,
                transitions.as_tuple(),
                labels.as_tuple(),
                self.labels,
                arrays["transition_features"],
                arrays["transition_weights"],
                arrays["label_features"],
                _dense(arrays, self.labels),
            )
        except (IndexError, KeyError, MemoryError, TypeError, ValueError) as error:
            raise ParserError(f"the weights do not fit the parser that the model describes ({error})") from error


def arrays_of(model: _kernel.GreedyModel) -> dict[str, NDArray[Any]]:
    """Return the weights of a model for a file: of labels only those that are not 0, since most are."""
    transition_features, transition_weights = model.transition_weights()
    label_features, dense = model.label_weights()
    labels = len(dense) // max(1, len(label_features))
    places = np.flatnonzero(dense)
    counts = np.bincount(places // max(1, labels), minlength=len(label_features))
    return {
        "transition_features": transition_features,
        "transition_weights": transition_weights,
        "label_features": label_features,
        "label_counts": counts.astype(np.uint16),
        "label_numbers": (places % max(1, labels)).astype(np.min_scalar_type(max(1, labels) - 1)),
        "label_weights": dense[places],
    }


def _dense(arrays: Mapping[str, NDArray[Any]], labels: int) -> NDArray[np.int16]:
    """Return a weight for each feature and label from what `arrays_of` kept of them."""
    rows = np.repeat(np.arange(len(arrays["label_counts"])), arrays["label_counts"])
    dense = np.zeros((len(arrays["label_counts"]), labels), np.int16)
    dense[rows, arrays["label_numbers"]] = arrays["label_weights"]
    return dense.reshape(-1)


@dataclass
class GreedyLearner:
    """Learners with the sentences they learn from, each in an order of its own; the model is their average.

    One is enough; the average of several is better, most of all if there are few sentences.
    """

    learners: list[_kernel.GreedyLearner]
    values: Values
    word_offsets: Offsets
    heads: Ids
    labels: Ids
    #: Features that took part in fewer updates are left out of models.
    least_updates: int
    seed: int
    threads: int

    def __post_init__(self) -> None:
        sentences = np.arange(len(self.word_offsets) - 1, dtype=np.int32)
        numbers = range(1, len(self.learners))
        self._orders = [sentences, *(np.random.default_rng([self.seed, 0, n]).permutation(sentences) for n in numbers)]

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from as many sentences as the order has, and return the number of mistakes."""
        explore = EXPLORE if epoch > 1 else 0

        def learn_one(learner: _kernel.GreedyLearner, own: Ids) -> int:
            return learner.learn(own[order], self.values, self.word_offsets, self.heads, self.labels, explore)

        if len(self.learners) == 1:
            return learn_one(self.learners[0], self._orders[0])
        with ThreadPoolExecutor(self.threads or os.cpu_count()) as pool:
            return sum(pool.map(learn_one, self.learners, self._orders))

    def model(self) -> _kernel.GreedyModel:
        """Return the averaged model."""
        first, *others = self.learners
        return first.average(others, self.least_updates)
