"""A decision by classifiers: the classes to choose from, and one classifier for each part of the training data.

Training data may be split by the value of one atom, such as the tag of the next word, as MaltParser does: values with
too few examples share one classifier. What is learnt then are many small problems in place of a large one, which is
what makes training with kernels possible. The cost is that of the classifiers. What the learners of scikit-learn share
is here, too: only training imports it; models are arrays that numpy reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..._arrays import AnyArray, Doubles, Ids, Values, offsets_of
from ...errors import ParserError
from ..model_file import Arrays, array_of
from .template_values import TemplateAtoms, TemplateValues

#: The score of a class that a part of the training data does not have; lower for rarer ones.
_NEVER = -1e30


class Classifier(Protocol):
    """Scores classes by the numbers of the values of templates."""

    @property
    def weight_count(self) -> int:
        """How many numbers it learnt."""

    def scores(self, numbers: Values, threads: int) -> Doubles:
        """Return the scores of its classes: rows × classes."""

    def mistakes(self, part: Part, threads: int) -> int:
        """Return how many examples of what it learnt it gets wrong."""
        return int((self.scores(part.numbers, threads).argmax(axis=1) != part.classes).sum())

    def arrays(self) -> Arrays:
        """Return what a file keeps of it."""


class Part(NamedTuple):
    """A problem to be learnt: rows of numbers, their classes from 0 on, the most frequent first, and how many."""

    numbers: Values
    classes: Ids
    class_count: int
    #: How many numbers each column has, with 0.
    sizes: AnyArray


#: Learns problems, on some threads.
Fit = Callable[[Sequence[Part], int], list[Classifier]]
#: Makes a classifier of so many classes of its arrays.
Restore = Callable[[Mapping[str, AnyArray], int, AnyArray], Classifier]


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Classes, and the classifiers of the parts of the training data."""

    values: TemplateValues
    #: The action and the label of each class, the most frequent first; label -1 for none.
    classes: Ids
    column: int | None
    #: The values of the column with a part of their own, ascending.
    split: Values
    #: The part of values without one.
    rest: int
    #: For each part, its classes among all, and its classifier.
    own_classes: tuple[Ids, ...]
    classifiers: tuple[Classifier, ...]

    @property
    def weight_count(self) -> int:
        return sum(one.weight_count for one in self.classifiers)

    @classmethod
    def fit(
        cls,
        atoms: Values,
        classes: Ids,
        every: Ids,
        column: int | None,
        least: int,
        values: TemplateValues,
        fit: Fit,
        threads: int,
    ) -> tuple[Ensemble, int]:
        """Learn from rows of atoms and their classes (numbers of rows of `every`), and count what it gets wrong.

        Examples are split by a column of atoms, unless it is None, into parts of at least so many.
        """
        numbers = values.numbers(atoms)
        part_of, split, rest = _parts(atoms, column, least)
        parts, own_classes = [], []
        for part in range(int(part_of.max()) + 1):
            rows = part_of == part
            own, inverse = np.unique(classes[rows], return_inverse=True)
            own_classes.append(own.astype(np.int32))
            parts.append(Part(numbers[rows], inverse.astype(np.int32), len(own), values.sizes))
        classifiers = fit(parts, threads)
        mistakes = sum(one.mistakes(part, threads) for one, part in zip(classifiers, parts, strict=True))
        return cls(values, every, column, split, rest, tuple(own_classes), tuple(classifiers)), mistakes

    def scores(self, atoms: Values, threads: int) -> Doubles:
        """Return the scores of all classes, rows × classes; what a part does not know comes last."""
        rows, count = len(atoms), len(self.classes)
        scores = np.empty((rows, count))
        scores[:] = _NEVER * (1 + np.arange(count) / count)
        numbers = self.values.numbers(atoms)
        part_of = self._part_of(atoms)
        for part in np.unique(part_of).tolist():
            own = np.flatnonzero(part_of == part)
            found = self.classifiers[part].scores(numbers[own], threads)
            scores[np.ix_(own, self.own_classes[part])] = found
        return scores

    def _part_of(self, atoms: Values) -> Ids:
        if self.column is None or not len(self.split):
            return np.full(len(atoms), self.rest, np.int32)
        found = atoms[:, self.column]
        places = np.minimum(np.searchsorted(self.split, found), len(self.split) - 1)
        return np.where(self.split[places] == found, places, self.rest).astype(np.int32)

    def arrays(self, name: str) -> Arrays:
        """Return the arrays of a file, whose names begin with this one."""
        arrays: Arrays = {
            **self.values.arrays(name),
            f"{name}_classes": self.classes,
            f"{name}_split": self.split,
            f"{name}_rest": np.array([self.rest], np.int32),
        }
        for part, (own, classifier) in enumerate(zip(self.own_classes, self.classifiers, strict=True)):
            arrays[f"{name}_{part}_classes"] = own
            arrays |= {f"{name}_{part}_{key}": array for key, array in classifier.arrays().items()}
        return arrays

    @classmethod
    def from_arrays(
        cls,
        name: str,
        arrays: Mapping[str, AnyArray],
        atoms: TemplateAtoms,
        column: int | None,
        with_nothing: bool,
        restore: Restore,
    ) -> Ensemble:
        """Make it again from its arrays; a KeyError or ValueError if they cannot be those."""
        values = TemplateValues.from_arrays(atoms, name, arrays, with_nothing)
        classes = array_of(arrays, f"{name}_classes", np.int32)
        split = array_of(arrays, f"{name}_split", np.uint32)
        (rest,) = array_of(arrays, f"{name}_rest", np.int32).tolist()
        if classes.ndim != 2 or classes.shape[1] != 2 or split.ndim != 1 or (split[1:] <= split[:-1]).any():
            raise ValueError(f"{name}: the classes or the parts are not those of a classifier")
        own_classes: list[Ids] = []
        classifiers: list[Classifier] = []
        while f"{name}_{len(classifiers)}_classes" in arrays:
            prefix = f"{name}_{len(classifiers)}_"
            own = array_of(arrays, f"{prefix}classes", np.int32)
            if own.ndim != 1 or not len(own) or own[0] < 0 or own[-1] >= len(classes) or (own[1:] <= own[:-1]).any():
                raise ValueError(f"{name}: a part has other classes than there are")
            held = {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
            classifiers.append(restore(held, len(own), values.sizes))
            own_classes.append(own)
        if not 0 <= rest < len(classifiers) or len(classifiers) not in (max(1, len(split)), len(split) + 1):
            raise ValueError(f"{name}: {len(classifiers)} parts where there should be {len(split)} and a rest")
        return cls(values, classes, column, split, rest, tuple(own_classes), tuple(classifiers))


def _parts(atoms: Values, column: int | None, least: int) -> tuple[Ids, Values, int]:
    """Return the part of each row, the values that have one of their own, and the part of all others.

    Where no row is left for a rest, the largest part is there for values that training did not have.
    """
    if column is None:
        return np.zeros(len(atoms), np.int32), np.zeros(0, np.uint32), 0
    different, inverse, counts = np.unique(atoms[:, column], return_inverse=True, return_counts=True)
    frequent = counts >= least
    number = np.where(frequent, np.cumsum(frequent) - 1, frequent.sum()).astype(np.int32)
    rest = int(frequent.sum()) if not frequent.all() else int(counts.argmax())
    return number[inverse], different[frequent].astype(np.uint32), rest


def frequent_first(pairs: Ids) -> tuple[Ids, Ids]:
    """Return different rows of actions and labels, the most frequent first, and which of them each row is."""
    different, inverse, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    order = np.lexsort((np.arange(len(different)), -counts))
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return np.ascontiguousarray(different[order], np.int32), place[inverse.reshape(-1)]


def scikit_learn(name: str) -> None:
    """Refuse to train where scikit-learn is not installed."""
    if find_spec("sklearn") is None:
        raise ParserError(
            f"the scorer {name} is trained by scikit-learn, which is not installed: pip install 'crossarc[svm]'"
        )


def one_hot(numbers: Values, sizes: AnyArray) -> Any:
    """Return a sparse matrix with a column for each value of each template; 0 has none."""
    from scipy.sparse import csr_matrix

    starts = offsets_of(sizes - 1)
    known = numbers > 0
    columns = (numbers.astype(np.int64) - 1 + starts[:-1])[known]
    ends = offsets_of(known.sum(axis=1))
    shape = (len(numbers), int(starts[-1]))
    return csr_matrix((np.ones(len(columns)), columns.astype(np.int32), ends.astype(np.int32)), shape=shape)


def run_all(
    fit: Callable[[Part], Classifier], parts: Sequence[Part], threads: int, *, processes: bool
) -> list[Classifier]:
    """Learn all parts, the largest first, as many at a time as there are threads; 0 for one on each core."""
    from joblib import Parallel, delayed

    order = sorted(range(len(parts)), key=lambda part: -len(parts[part].numbers))
    at_once = min(threads or -1, len(parts)) if threads else -1
    backend = "loky" if processes and len(parts) > 1 and at_once != 1 else "threading"
    found = Parallel(n_jobs=at_once, backend=backend)(delayed(fit)(parts[part]) for part in order)
    by_part = dict(zip(order, found, strict=True))
    return [by_part[part] for part in range(len(parts))]
