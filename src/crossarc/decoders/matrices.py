"""Scores as every function of this folder takes them: `scores[head, dependent]`, one row and column more than words.

Word 0 is the artificial root; `-inf` forbids an arc. What points at 0 or at the word itself is never looked at. Several
sentences are a list of matrices, or one array of them, padded, with the number of words of each. What has the right
type is not copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import CrossarcError

TreeClass: TypeAlias = Literal["projective", "one_endpoint_crossing", "spanning_tree"]
Root: TypeAlias = Literal["any", "single"]
Scores: TypeAlias = NDArray[np.floating[Any]]
Matrix: TypeAlias = "NDArray[Any] | Sequence[Sequence[float]]"
Fault: TypeAlias = "tuple[int, str, int, int] | None"

# The numbers of the kernel.
TREE_CLASSES = {"projective": 0, "one_endpoint_crossing": 1, "spanning_tree": 2}


class DecodingError(CrossarcError):
    """Scores that cannot be used, or that allow no tree."""


class Batch(NamedTuple):
    """The matrices of some sentences, and whether the caller gave a single one."""

    matrices: list[Scores]
    single: bool

    def place(self, index: int) -> str:
        """Return how an error names a sentence."""
        return "the scores" if self.single else f"sentence {index + 1}"


def batch_of(scores: ArrayLike | Sequence[ArrayLike], lengths: ArrayLike | None = None, axes: int = 2) -> Batch:
    """Return the matrices; all are float32, or all are float64. `axes` is the number of axes of one matrix."""
    if isinstance(scores, (list, tuple)) and (not scores or np.ndim(scores[0]) == axes):
        if lengths is not None:
            raise DecodingError("lengths go with one padded array; the matrices of a list have their own")
        matrices = [_numbers(matrix) for matrix in scores]
        if len({matrix.dtype for matrix in matrices}) > 1:
            matrices = [matrix.astype(np.float64) for matrix in matrices]
        return _checked(Batch(matrices, single=False), axes)
    array = _numbers(scores)
    if lengths is None:
        if array.ndim == axes + 1:
            raise DecodingError("the matrices of several sentences in one array need the lengths of the sentences")
        return _checked(Batch([array], single=True), axes)
    if array.ndim != axes + 1 or array.shape[1] == 0:
        raise DecodingError(f"with lengths, scores have {axes + 1} axes, the first for the sentences")
    return _checked(Batch(_unpadded(array, lengths), single=False), axes)


def _unpadded(array: Scores, lengths: ArrayLike) -> list[Scores]:
    most = min(array.shape[1:3]) - 1
    words = np.asarray(lengths)
    if words.shape != (len(array),) or (words.size and words.dtype.kind not in "iu"):
        raise DecodingError(f"lengths are {len(array)} whole numbers, the numbers of words of the sentences")
    for index, count in enumerate(words.tolist()):
        if not 0 <= count <= most:
            raise DecodingError(f"sentence {index + 1}: {count} words do not fit into scores for {most}")
    return [matrix[: count + 1, : count + 1] for matrix, count in zip(array, words.tolist(), strict=True)]


def _numbers(scores: Any) -> Scores:
    try:
        array = np.asarray(scores)
    except ValueError as error:
        raise DecodingError("scores are a square matrix of numbers") from error
    if array.dtype == np.float32 or array.dtype == np.float64:
        return array
    if array.dtype.kind not in "iuf":
        raise DecodingError(f"scores are numbers, not {array.dtype}")
    return array.astype(np.float32 if array.dtype == np.float16 else np.float64)


def _checked(batch: Batch, axes: int) -> Batch:
    for index, matrix in enumerate(batch.matrices):
        shape = matrix.shape
        if matrix.ndim != axes or shape[0] != shape[1] or shape[0] == 0:
            expected = "(n + 1) × (n + 1)" + " × labels" * (axes - 2)
            found = " × ".join(map(str, shape))
            raise DecodingError(f"{batch.place(index)}: a matrix of scores is {expected} for n words, not {found}")
    return batch


def class_number(tree_class: str) -> int:
    """Return the kernel's number of a class of trees."""
    if tree_class not in TREE_CLASSES:
        raise DecodingError(f"there is no class of trees {tree_class!r}: take one of {', '.join(TREE_CLASSES)}")
    return TREE_CLASSES[tree_class]


def wants_single_root(root: str) -> bool:
    """Return whether exactly one word may hang on 0."""
    if root not in ("any", "single"):
        raise DecodingError(f"the root is 'any' or 'single', not {root!r}")
    return root == "single"


def raise_fault(fault: Fault, batch: Batch, what: str) -> None:
    """Say why the kernel could not use the scores of a sentence; `what` names the trees that were asked for."""
    if fault is None:
        return
    sentence, kind, head, dependent = fault
    place = batch.place(sentence)
    if kind == "infeasible":
        raise DecodingError(f"{place}: no {what} has allowed arcs only; allow more arcs")
    value = "NaN" if kind == "nan" else "+inf"
    raise DecodingError(f"{place}: the score of the arc from {head} to {dependent} is {value}; -inf forbids an arc")


def tree_name(tree_class: str, single_root: bool) -> str:
    """Return how an error names the trees of a class."""
    names = {"projective": "projective tree", "one_endpoint_crossing": "1-endpoint-crossing tree"}
    return names.get(tree_class, "tree") + (" with a single root" if single_root else "")
