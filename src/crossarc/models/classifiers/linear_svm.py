"""Linear support vector machines, LIBLINEAR (Fan et al. 2008), over conjunctions of features.

Training is that of scikit-learn: multi-class by Crammer & Singer (MaltParser's default) or one class against the rest.
Parsing adds up the weights of the features of a configuration: O(templates · weights of a feature), in numpy alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..._arrays import AnyArray, Doubles, Floats, Ids, Values, offsets_of, rows_of
from ...features import default_templates
from ...options import bounded, nullable, one_of, option, text
from ...transitions import TransitionSystem
from ..base import register_scorer
from ..model_file import Arrays, array_of
from .ensemble import Classifier, Part, one_hot, run_all, scikit_learn
from .options import ClassifierOptions

#: Rows whose weights are looked up at once.
_ROWS = 1024

METHODS = ("crammer-singer", "one-vs-rest")


@register_scorer
@dataclass(frozen=True)
class LinearSvm(ClassifierOptions):
    """Linear support vector machines.

    Parameters:
        templates: Feature templates by which transitions are chosen; by default those that suit system and classifier.
        label_templates: With `labels="separate"`, those by which the label of an arc is chosen.
        labels: "joint": a class is a transition with its label; "separate": transitions are classified first.
        split: The atom by whose value the training data are split, such as `b0.upos`; None for no split.
        split_least: The fewest examples that a value has a classifier of its own for; all others share one.
        method: "crammer-singer", all classes in one problem, or "one-vs-rest", a problem for each class.
        cost: C, the cost of an example on the wrong side.
        tolerance: ε, how exactly the optimum is found.
        least_count: How often a feature must occur in the training data to have weights.
    """

    split: str | None = option("b0.upos", nullable(text))
    method: str = option("crammer-singer", one_of(*METHODS))
    cost: float = bounded(0.1, 0, 1_000_000, open_least=True)
    tolerance: float = bounded(0.1, 0, 100, open_least=True)
    least_count: int = bounded(2, 1, 1_000_000_000)
    name: ClassVar[str] = "linear-svm"

    def default_templates(self, system: TransitionSystem) -> list[str]:
        """Return the templates of perceptrons, which are linear too."""
        return default_templates(system)

    def least_occurrences(self) -> int:
        return self.least_count

    def fit(self, parts: Sequence[Part], threads: int) -> list[Classifier]:
        scikit_learn(self.name)
        # LIBLINEAR shuffles with one random generator for all threads of a process.
        return run_all(self._fit_one, parts, threads, processes=True)

    def _fit_one(self, part: Part) -> Classifier:
        from sklearn.svm import LinearSVC

        if part.class_count == 1:
            nothing = np.zeros(0, np.int32)
            return LinearClassifier(part.sizes, 1, nothing, nothing, np.zeros(0, np.uint16), np.zeros(0, np.float32))
        machine = LinearSVC(
            C=self.cost,
            multi_class="crammer_singer" if self.method == "crammer-singer" else "ovr",
            dual=True,
            tol=self.tolerance,
            fit_intercept=False,
            random_state=0,
        )
        table = one_hot(part.numbers, part.sizes)
        # Features of other parts would have no weights, and take memory.
        own = np.unique(table.indices).astype(np.int32)
        machine.fit(table[:, own], part.classes)
        weights = machine.coef_.T.astype(np.float32)
        if part.class_count == 2:
            weights = np.concatenate([-weights, weights], axis=1)
        rows, classes = np.nonzero(weights)
        counts = np.bincount(rows, minlength=len(own)).astype(np.int32)
        weighted = counts > 0
        return LinearClassifier(
            part.sizes,
            part.class_count,
            own[weighted],
            counts[weighted],
            classes.astype(np.uint16),
            weights[rows, classes],
        )

    def restore(self, arrays: Mapping[str, AnyArray], classes: int, sizes: AnyArray) -> Classifier:
        features = array_of(arrays, "features", np.int32)
        counts = array_of(arrays, "counts", np.int32)
        chosen = array_of(arrays, "of_classes", np.uint16)
        weights = array_of(arrays, "weights", np.float32)
        if features.ndim != 1 or counts.shape != features.shape or counts.min(initial=0) < 0:
            raise ValueError("the weights are those of other features")
        if (np.diff(features) <= 0).any() or not 0 <= features.min(initial=0) <= features.max(initial=0) < sizes.sum():
            raise ValueError("the features are not in order")
        if chosen.shape != (counts.sum(),) or weights.shape != chosen.shape or chosen.max(initial=0) >= classes:
            raise ValueError("the weights are those of other classes")
        if not np.isfinite(weights).all():
            raise ValueError("a weight is no number")
        return LinearClassifier(sizes, classes, features, counts, chosen, weights)


@dataclass(frozen=True, eq=False)
class LinearClassifier(Classifier):
    """The weights of features that are not zero."""

    sizes: AnyArray
    count: int
    #: The features that have weights, ascending, how many each has, their classes, and the weights.
    features: Ids
    counts: Ids
    classes: AnyArray
    weights: Floats

    @property
    def weight_count(self) -> int:
        return len(self.weights)

    def scores(self, numbers: Values, threads: int) -> Doubles:
        """Return the sum of the weights for each class."""
        blocks = [self._sums(numbers[start : start + _ROWS]) for start in range(0, len(numbers), _ROWS)]
        return np.concatenate(blocks) if blocks else np.zeros((0, self.count))

    def _sums(self, numbers: Values) -> Doubles:
        starts = offsets_of(self.sizes - 1)[:-1]
        known = numbers > 0
        asked = (numbers.astype(np.int64) - 1 + starts)[known]
        of_row = np.repeat(np.arange(len(numbers)), known.sum(axis=1))
        found = np.searchsorted(self.features, asked)
        weighted = found < len(self.features)
        weighted[weighted] = self.features[found[weighted]] == asked[weighted]
        of_row = of_row[weighted]
        places, offsets = rows_of(offsets_of(self.counts), found[weighted])
        cells = np.repeat(of_row, np.diff(offsets)) * self.count + self.classes[places]
        sums = np.bincount(cells, self.weights[places], len(numbers) * self.count)
        return sums.astype(np.float64).reshape(len(numbers), self.count)

    def arrays(self) -> Arrays:
        return {"features": self.features, "counts": self.counts, "of_classes": self.classes, "weights": self.weights}
