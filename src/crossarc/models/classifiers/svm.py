"""Support vector machines with a polynomial kernel, LIBSVM (Chang & Lin 2001), as the papers of 2010 and 2012 use them.

The features are the values of templates, each yes or no, so that the product of two examples is the number of templates
of which they have the same value: the kernel is a table over a few whole numbers. Training is that of scikit-learn, one
classifier for each pair of classes; parsing needs numpy alone. The defaults are settings of MaltParser: polynomial
kernel of degree 2, γ = 0.2, r = 0, C = 0.5, ε = 1. A question is O(support vectors · (templates + classes)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..._arrays import AnyArray, Doubles, Floats, Ids, Values
from ...options import bounded, nullable, option, text
from ..base import register_scorer
from ..model_file import Arrays, array_of
from .ensemble import Classifier, Part, one_hot, run_all, scikit_learn
from .options import ClassifierOptions

#: Numbers in the table of a batch of questions and the support vectors that is made at once.
_MOST = 1 << 24


@register_scorer
@dataclass(frozen=True)
class Svm(ClassifierOptions):
    """Support vector machines with a polynomial kernel: (γ · x·y + r)^degree.

    Parameters:
        templates: Feature templates by which transitions are chosen; by default those that suit system and classifier.
        label_templates: With `labels="separate"`, those by which the label of an arc is chosen.
        labels: "joint": a class is a transition with its label; "separate": transitions are classified first.
        split: The atom by whose value the training data are split, such as `b0.upos`; None for no split.
        split_least: The fewest examples that a value has a classifier of its own for; all others share one.
        degree: The degree of the kernel.
        gamma: γ of the kernel.
        coefficient: r of the kernel.
        cost: C, the cost of an example on the wrong side.
        tolerance: ε, how exactly the optimum is found.
        cache: Megabytes for values of the kernel while a classifier is learnt.
    """

    split: str | None = option("b0.upos", nullable(text))
    degree: int = bounded(2, 1, 10)
    gamma: float = bounded(0.2, 0, 1000, open_least=True)
    coefficient: float = bounded(0.0, 0, 1000)
    cost: float = bounded(0.5, 0, 1_000_000, open_least=True)
    tolerance: float = bounded(1.0, 0, 100, open_least=True)
    cache: int = bounded(1000, 1, 1_000_000)
    name: ClassVar[str] = "svm"

    def fit(self, parts: Sequence[Part], threads: int) -> list[Classifier]:
        scikit_learn(self.name)
        return run_all(self._fit_one, parts, threads, processes=False)

    def _fit_one(self, part: Part) -> Classifier:
        from sklearn.svm import SVC

        table = self.kernel_table(part.numbers.shape[1])
        if part.class_count == 1:
            nothing = part.numbers[:0]
            return SvmClassifier(nothing, np.zeros(1, np.int32), np.zeros((0, 0), np.float32), np.zeros(0), table)
        machine = SVC(
            C=self.cost,
            kernel="poly",
            degree=self.degree,
            gamma=self.gamma,
            coef0=self.coefficient,
            tol=self.tolerance,
            cache_size=self.cache,
        )
        machine.fit(one_hot(part.numbers, part.sizes), part.classes)
        # Of two classes scikit-learn turns the signs around.
        sign = -1.0 if part.class_count == 2 else 1.0
        coefficients = machine.dual_coef_
        dense = coefficients.toarray() if hasattr(coefficients, "toarray") else np.asarray(coefficients)
        return SvmClassifier(
            np.ascontiguousarray(part.numbers[machine.support_]),
            machine.n_support_.astype(np.int32),
            (sign * dense).astype(np.float32),
            sign * machine.intercept_,
            table,
        )

    def kernel_table(self, templates: int) -> Doubles:
        """Return the value of the kernel for examples that agree in 0, 1, … templates."""
        return (self.gamma * np.arange(templates + 1, dtype=np.float64) + self.coefficient) ** self.degree

    def restore(self, arrays: Mapping[str, AnyArray], classes: int, sizes: AnyArray) -> Classifier:
        vectors = arrays["vectors"]
        counts = array_of(arrays, "counts", np.int32)
        coefficients = array_of(arrays, "coefficients", np.float32)
        intercepts = array_of(arrays, "intercepts", np.float64)
        if vectors.dtype.kind != "u" or vectors.ndim != 2 or vectors.shape[1] != len(sizes):
            raise ValueError(f"support vectors of the shape {vectors.shape} and of {vectors.dtype}")
        pairs = classes * (classes - 1) // 2
        if counts.shape != (classes,) or counts.min() < 0 or counts.sum() != len(vectors):
            raise ValueError("the numbers of support vectors of the classes are wrong")
        if intercepts.shape != (pairs,):
            raise ValueError(f"the support vectors are not those of {classes} classes")
        if coefficients.shape != (classes - 1, len(vectors)) and classes > 1:
            raise ValueError(f"coefficients of the shape {coefficients.shape}")
        if not (np.isfinite(coefficients).all() and np.isfinite(intercepts).all()):
            raise ValueError("a coefficient is no number")
        return SvmClassifier(
            vectors.astype(np.uint32), counts, coefficients, intercepts, self.kernel_table(vectors.shape[1])
        )


@dataclass(frozen=True, eq=False)
class SvmClassifier(Classifier):
    """One machine for each pair of classes, over common support vectors."""

    #: The support vectors: those of the first class, of the second, and so on.
    vectors: Values
    counts: Ids
    #: (classes - 1) × vectors: the coefficient of a vector of class i against class j is in row j, or j - 1 if j > i.
    coefficients: Floats
    #: Of each pair of classes: (0, 1), (0, 2), … (1, 2) …
    intercepts: Doubles
    kernel: Doubles

    @property
    def weight_count(self) -> int:
        return int(np.count_nonzero(self.coefficients))

    def scores(self, numbers: Values, threads: int) -> Doubles:
        """Return the votes of the pairs for each class; of equal votes the first class wins, as in LIBSVM."""
        classes = len(self.counts)
        scores = np.zeros((len(numbers), classes))
        if classes == 1:
            return scores
        step = max(1, _MOST // max(len(self.vectors), classes * classes))
        for start in range(0, len(numbers), step):
            rows = slice(start, start + step)
            scores[rows] = _votes(self._decisions(numbers[rows]))
        return scores

    def _decisions(self, numbers: Values) -> Doubles:
        """Return the decision of each two classes, rows × classes × classes: positive for the lower of the two."""
        classes = len(self.counts)
        kernel = self.kernel.astype(np.float32)[self._common(numbers)]
        said = np.zeros((len(numbers), classes, classes))  # by the vectors of one class against every other
        ends = np.cumsum(self.counts).tolist()
        for one, (end, count) in enumerate(zip(ends, self.counts.tolist(), strict=True)):
            others = np.delete(np.arange(classes), one)
            said[:, one, others] = kernel[:, end - count : end] @ self.coefficients[:, end - count : end].T
        first, second = np.triu_indices(classes, 1)
        said[:, first, second] += self.intercepts
        return said + said.transpose(0, 2, 1)

    def _common(self, numbers: Values) -> AnyArray:
        """Return of how many templates each row has the same value as each vector."""
        common = np.zeros((len(numbers), len(self.vectors)), np.uint8 if numbers.shape[1] < 256 else np.uint16)
        for column, values in enumerate(self._columns):
            asked = np.where(numbers[:, column] > 0, numbers[:, column], np.iinfo(np.uint32).max)
            common += asked[:, np.newaxis] == values
        return common

    @cached_property
    def _columns(self) -> list[Values]:
        """The values of each template one behind the other."""
        return [np.ascontiguousarray(column) for column in self.vectors.T]

    def arrays(self) -> Arrays:
        largest = int(self.vectors.max(initial=0))
        return {
            "vectors": self.vectors.astype(np.min_scalar_type(largest)),
            "counts": self.counts,
            "coefficients": self.coefficients,
            "intercepts": self.intercepts,
        }


def _votes(decisions: Doubles) -> Doubles:
    """Return the votes for each class: of two, the first has one where the decision is positive, else the second."""
    above = np.triu(np.ones(decisions.shape[1:], bool), 1)
    first = decisions > 0
    votes: Doubles = ((first & above).sum(axis=2) + (~first & above.T).sum(axis=2)).astype(np.float64)
    return votes
