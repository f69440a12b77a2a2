"""What the learners of scikit-learn share: that it is there, features as a sparse matrix, several trainings at a time.

Only training imports it; models are arrays that numpy reads. O(examples · templates).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from ..._arrays import AnyArray, Values
from ...errors import ParserError
from .ensemble import Classifier, Part


def scikit_learn(name: str) -> None:
    """Refuse to train where scikit-learn is not installed."""
    if find_spec("sklearn") is None:
        raise ParserError(
            f"the scorer {name} is trained by scikit-learn, which is not installed: pip install 'crossarc[svm]'"
        )


def one_hot(numbers: Values, sizes: AnyArray) -> Any:
    """Return a sparse matrix with a column for each value of each template; 0 has none."""
    from scipy.sparse import csr_matrix

    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes - 1)])
    known = numbers > 0
    columns = (numbers.astype(np.int64) - 1 + starts[:-1])[known]
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(known.sum(axis=1))])
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
