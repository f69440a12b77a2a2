"""Scores as every function of this folder takes them: `scores[head, dependent]`, one row and column more than words.

Word 0 is the artificial root; `-inf` forbids an arc. What points at 0 or at the word itself is never looked at. Several
sentences are a list of matrices, or one array of them, padded, with the number of words of each; a batch is one flat
array, matrix after matrix, or a padded one. What has the right type is not copied.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple, ParamSpec, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _kernel
from .._arrays import Offsets
from ..errors import CrossarcError

#: The last two names of a class mean the same: all trees. So do the two of 1-endpoint-crossing trees.
TreeClass: TypeAlias = Literal[
    "projective", "one_endpoint_crossing", "1-endpoint-crossing", "spanning_tree", "unrestricted"
]
Root: TypeAlias = Literal["any", "single"]
#: What sentences get that are too long for the chart of 1-endpoint-crossing trees, whose memory grows with n³: the
#: chart all the same, projective trees (or the best tree of all, if it is of the class; of several best trees those
#: that are found without a chart), or any trees. Too long are more than 120 words for the best tree, 56 for several, 64
#: for sums.
LongSentences: TypeAlias = Literal["exact", "projective", "unrestricted"]
Scores: TypeAlias = NDArray[np.floating[Any]]
Matrix: TypeAlias = "NDArray[Any] | Sequence[Sequence[float]]"
#: The sentence, from 0, what is wrong with its scores, and the head and the dependent it concerns.
Fault: TypeAlias = "tuple[int, _kernel.ScoreFault, int, int] | None"

_TREE_CLASSES: dict[str, _kernel.TreeClass] = {
    "projective": _kernel.TreeClass.projective,
    "one_endpoint_crossing": _kernel.TreeClass.one_endpoint_crossing,
    "1-endpoint-crossing": _kernel.TreeClass.one_endpoint_crossing,
    "spanning_tree": _kernel.TreeClass.spanning_tree,
    "unrestricted": _kernel.TreeClass.spanning_tree,
}
_TREE_NAMES = {
    _kernel.TreeClass.projective: "projective tree",
    _kernel.TreeClass.one_endpoint_crossing: "1-endpoint-crossing tree",
    _kernel.TreeClass.spanning_tree: "tree",
}
_LONG_SENTENCES = {
    "exact": _kernel.LongSentences.exact,
    "projective": _kernel.LongSentences.projective,
    "unrestricted": _kernel.LongSentences.spanning_tree,
}
_PRECISIONS = (np.dtype(np.float32), np.dtype(np.float64))
Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class DecodingError(CrossarcError):
    """Scores that cannot be used, or that allow no tree."""


def call_kernel(function: Callable[Given, Answer], *given: Given.args, **named: Given.kwargs) -> Answer:
    """Call the kernel; what it refuses, such as a chart that takes too much memory, is an error of decoding."""
    try:
        return function(*given, **named)
    except (MemoryError, ValueError) as error:
        raise refusal(error) from error


def refusal(error: MemoryError | ValueError) -> DecodingError:
    """Return what the kernel refuses as an error of decoding."""
    if isinstance(error, MemoryError):
        return DecodingError("there is not enough memory for sentences of so many words")
    return DecodingError(str(error))


@lru_cache
def decode_options(
    tree_class: str, root: str, root_arcs: bool, *, pruned: bool = True, long_sentences: str = "exact"
) -> _kernel.DecodeOptions:
    """Return which trees are meant; a class or a policy that does not exist is an error."""
    if tree_class not in _TREE_CLASSES:
        raise DecodingError(f"there is no class of trees {tree_class!r}: take one of {', '.join(_TREE_CLASSES)}")
    if root not in ("any", "single"):
        raise DecodingError(f"the root is 'any' or 'single', not {root!r}")
    if long_sentences not in _LONG_SENTENCES:
        raise DecodingError(f"long sentences are one of {', '.join(_LONG_SENTENCES)}, not {long_sentences!r}")
    instead = _LONG_SENTENCES[long_sentences]
    return _kernel.DecodeOptions(_TREE_CLASSES[tree_class], root == "single", root_arcs, pruned, instead)


# Objects of the kernel that are alive when Python ends would be reported as leaks.
atexit.register(decode_options.cache_clear)


class Batch(NamedTuple):
    """The matrices of some sentences, and whether the caller gave a single one."""

    matrices: list[Scores]
    single: bool
    #: The number of axes of a matrix.
    axes: int = 2
    #: Scores of the same arcs where they are crossed; None if they are the same.
    crossed: list[Scores] | None = None

    @classmethod
    def from_scores(
        cls,
        scores: ArrayLike | Sequence[ArrayLike],
        lengths: ArrayLike | None = None,
        axes: int = 2,
        crossed: ArrayLike | Sequence[ArrayLike] | None = None,
    ) -> Batch:
        """Return the matrices; all are float32, or all are float64.

        Their shapes are checked where the kernel takes them (`kernel`), or by `check_shapes`.
        """
        if crossed is not None:
            batch, others = cls.from_scores(scores, lengths, axes), cls.from_scores(crossed, lengths, axes)
            return batch._with_crossed(others)
        if isinstance(scores, (list, tuple)) and (not scores or np.ndim(scores[0]) == axes):
            if lengths is not None:
                raise DecodingError("lengths go with one padded array; the matrices of a list have their own")
            matrices = [numbers(matrix) for matrix in scores]
            if any(matrix.dtype != matrices[0].dtype for matrix in matrices):
                matrices = [matrix.astype(np.float64) for matrix in matrices]
            return cls(matrices, False, axes)
        array = numbers(scores)
        if lengths is None:
            if array.ndim == axes + 1:
                raise DecodingError("the matrices of several sentences in one array need the lengths of the sentences")
            return cls([array], True, axes)
        if array.ndim != axes + 1 or array.shape[1] == 0:
            raise DecodingError(f"with lengths, scores have {axes + 1} axes, the first for the sentences")
        return cls(_unpadded(array, lengths), False, axes)

    def _with_crossed(self, others: Batch) -> Batch:
        """Return the same with scores of crossed arcs."""
        if self.single != others.single or len(self.matrices) != len(others.matrices):
            raise DecodingError("crossed arcs are scored for as many sentences as arcs are")
        if self.matrices and self.matrices[0].dtype != others.matrices[0].dtype:  # the kernel would take the lower one
            matrices: list[Scores] = [matrix.astype(np.float64) for matrix in self.matrices]
            crossed: list[Scores] = [matrix.astype(np.float64) for matrix in others.matrices]
            return self._replace(matrices=matrices, crossed=crossed)
        return self._replace(crossed=others.matrices)

    def _aligned(self, crossed: list[Scores]) -> Batch:
        """Return the same with scores of crossed arcs that lie in memory as the scores do."""
        matrices, others = ([np.ascontiguousarray(each) for each in some] for some in (self.matrices, crossed))
        return self._replace(matrices=matrices, crossed=others)

    def sentence_name(self, index: int) -> str:
        """Return how an error names a sentence."""
        return "the scores" if self.single else f"sentence {index + 1}"

    @property
    def kernel(self) -> _kernel.ScoreMatrices:
        """The same for the kernel, which looks at the shapes; what it refuses is said in the words of the caller.

        Scores of crossed arcs are copied only if it refuses them as they are.
        """
        try:
            return _kernel.ScoreMatrices(self.matrices, self.crossed)
        except (TypeError, ValueError) as error:
            self.check_shapes()
            if self.crossed is None:
                raise DecodingError(str(error)) from error
            aligned = self._aligned(self.crossed)
        try:
            return _kernel.ScoreMatrices(aligned.matrices, aligned.crossed)
        except (TypeError, ValueError) as error:
            raise DecodingError(str(error)) from error

    def check_shapes(self) -> None:
        """Refuse matrices that are not square or have another number of axes, and other shapes for crossed arcs."""
        for index, matrix in enumerate(self.matrices):
            shape = matrix.shape
            if len(shape) != self.axes or shape[0] != shape[1] or shape[0] == 0:
                expected = "(n + 1) × (n + 1)" + " × labels" * (self.axes - 2)
                given = " × ".join(map(str, shape))
                name = self.sentence_name(index)
                raise DecodingError(f"{name}: a matrix of scores is {expected} for n words, not {given}")
        for index, (matrix, other) in enumerate(zip(self.matrices, self.crossed or self.matrices, strict=True)):
            if matrix.shape != other.shape:
                raise DecodingError(f"{self.sentence_name(index)}: scores of crossed arcs have the shape of the scores")


def check_crossed(batch: Batch, tree_class: str) -> None:
    """Refuse scores of crossed arcs for unrestricted trees: the best one cannot be found exactly."""
    if batch.crossed is not None and tree_class in ("spanning_tree", "unrestricted"):
        raise DecodingError(
            "crossed arcs have scores of their own in 1-endpoint-crossing trees; among unrestricted trees the best "
            "one cannot be found exactly then"
        )


def _unpadded(array: Scores, lengths: ArrayLike) -> list[Scores]:
    most = min(array.shape[1:3]) - 1
    words = word_counts(lengths)
    if len(words) != len(array):
        raise DecodingError(f"lengths are {len(array)} whole numbers, the numbers of words of the sentences")
    for index, count in enumerate(words.tolist()):
        if not 0 <= count <= most:
            raise DecodingError(f"sentence {index + 1}: {count} words do not fit into scores for {most}")
    return [matrix[: count + 1, : count + 1] for matrix, count in zip(array, words.tolist(), strict=True)]


def word_counts(lengths: ArrayLike) -> Offsets:
    """Return the numbers of words of sentences."""
    words = np.asarray(lengths)
    if words.ndim != 1 or (words.size and words.dtype.kind not in "iu"):
        raise DecodingError("lengths are whole numbers, the numbers of words of the sentences")
    return np.ascontiguousarray(words, np.int64)


def numbers(scores: Any) -> Scores:
    """Return scores as float32 or float64, without a copy where they are that already."""
    try:
        array = scores if type(scores) is np.ndarray else np.asarray(scores)
    except ValueError as error:
        raise DecodingError("scores are a square matrix of numbers") from error
    if array.dtype in _PRECISIONS:
        return array
    if array.dtype.kind not in "iuf":
        raise DecodingError(f"scores are numbers, not {array.dtype}")
    return array.astype(np.float32 if array.dtype == np.float16 else np.float64)


def raise_fault(fault: Fault, sentence_name: Callable[[int], str], options: _kernel.DecodeOptions) -> None:
    """Say why the kernel could not use the scores of a sentence, where it could not."""
    if fault is None:
        return
    sentence, kind, head, dependent = fault
    if kind is _kernel.ScoreFault.infeasible:
        trees = _TREE_NAMES[options.tree_class] + " with a single root" * options.single_root
        raise DecodingError(f"{sentence_name(sentence)}: no {trees} has allowed arcs only; allow more arcs")
    value = "NaN" if kind is _kernel.ScoreFault.not_a_number else "+inf"
    raise DecodingError(
        f"{sentence_name(sentence)}: the score of the arc from {head} to {dependent} is {value}; -inf forbids an arc"
    )
