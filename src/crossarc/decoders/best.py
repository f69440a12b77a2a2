"""The best tree of a class, exactly: 1-endpoint-crossing (Pitler, Kannan & Marcus 2013), projective (Eisner 1996) and
unrestricted (Chu & Liu 1965, Edmonds 1967).

The best unrestricted tree costs O(n²). If it is of the class that was asked for, it is the answer. Otherwise a search
over trees that lack one of a few conflicting arcs finds it, or else a chart, of O(n⁴), over the arcs that can still be
in the answer; for projective trees there is a chart of O(n³) at once. `pruned=False` fills the chart of all arcs at
once; the answer has the same score. Of trees with equal scores the same one comes out every time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypedDict, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._arrays import Ids
from ..options import checked_threads
from .matrices import (
    Batch,
    DecodingError,
    Matrix,
    Root,
    Scores,
    TreeClass,
    check_crossed,
    decode_options,
    raise_fault,
    refusal,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

Labels: TypeAlias = "ArrayLike | Sequence[ArrayLike] | None"


class Decoded(NamedTuple):
    """A tree: the head of each word, its score, and the number of each arc's label if labels were scored."""

    heads: Ids
    score: float
    labels: Ids | None = None


class _TreeOptions(TypedDict, total=False):
    root: Root
    labels: Labels
    threads: int


class _ChartOptions(_TreeOptions, total=False):
    pruned: bool


class _Options(_ChartOptions, total=False):
    root_arcs: bool
    crossed: Matrix | Sequence[NDArray[Any]] | None


@overload
def best(scores: Matrix, tree_class: TreeClass, lengths: None = None, **options: Unpack[_Options]) -> Decoded: ...
@overload
def best(
    scores: NDArray[Any], tree_class: TreeClass, lengths: ArrayLike, **options: Unpack[_Options]
) -> list[Decoded]: ...
@overload
def best(
    scores: Sequence[NDArray[Any]], tree_class: TreeClass, lengths: None = None, **options: Unpack[_Options]
) -> list[Decoded]: ...
def best(
    scores: ArrayLike | Sequence[ArrayLike],
    tree_class: TreeClass,
    lengths: ArrayLike | None = None,
    *,
    root: Root = "any",
    labels: Labels = None,
    root_arcs: bool = True,
    pruned: bool = True,
    crossed: ArrayLike | Sequence[ArrayLike] | None = None,
    threads: int = 0,
) -> Decoded | list[Decoded]:
    """Return the best tree of a class, or a list of them for several sentences.

    `scores[head, dependent]` is a square matrix, -inf forbids an arc; several are a list, or one padded array with the
    `lengths` of the sentences. With root="single" exactly one word hangs on 0. `labels[head, dependent, label]` scores
    labels; an arc gains the score of its best one. Without `root_arcs`, arcs from 0 do not count for crossings in
    1-endpoint-crossing trees (footnote 1 of the paper). `crossed` scores arcs where another arc of the tree crosses
    them, as `scores` does where none does (Pitler 2014). `threads` 0 means all cores.

    >>> best([[0, 9, 1], [0, 0, 8], [0, 20, 0]], "unrestricted").heads.tolist()
    [2, 0]
    """
    return _decode(tree_class, scores, lengths, root, labels, root_arcs, pruned, threads, crossed)


@overload
def spanning_tree(scores: Matrix, lengths: None = None, **options: Unpack[_TreeOptions]) -> Decoded: ...
@overload
def spanning_tree(scores: NDArray[Any], lengths: ArrayLike, **options: Unpack[_TreeOptions]) -> list[Decoded]: ...
@overload
def spanning_tree(
    scores: Sequence[NDArray[Any]], lengths: None = None, **options: Unpack[_TreeOptions]
) -> list[Decoded]: ...
def spanning_tree(
    scores: ArrayLike | Sequence[ArrayLike],
    lengths: ArrayLike | None = None,
    *,
    root: Root = "any",
    labels: Labels = None,
    threads: int = 0,
) -> Decoded | list[Decoded]:
    """Return the best tree of all. Arguments are those of `best`. O(n²)."""
    return _decode("spanning_tree", scores, lengths, root, labels, True, True, threads)


@overload
def projective(scores: Matrix, lengths: None = None, **options: Unpack[_ChartOptions]) -> Decoded: ...
@overload
def projective(scores: NDArray[Any], lengths: ArrayLike, **options: Unpack[_ChartOptions]) -> list[Decoded]: ...
@overload
def projective(
    scores: Sequence[NDArray[Any]], lengths: None = None, **options: Unpack[_ChartOptions]
) -> list[Decoded]: ...
def projective(
    scores: ArrayLike | Sequence[ArrayLike],
    lengths: ArrayLike | None = None,
    *,
    root: Root = "any",
    labels: Labels = None,
    pruned: bool = True,
    threads: int = 0,
) -> Decoded | list[Decoded]:
    """Return the best projective tree. Arguments are those of `best`. At most O(n³)."""
    return _decode("projective", scores, lengths, root, labels, True, pruned, threads)


@overload
def one_endpoint_crossing(scores: Matrix, lengths: None = None, **options: Unpack[_Options]) -> Decoded: ...
@overload
def one_endpoint_crossing(scores: NDArray[Any], lengths: ArrayLike, **options: Unpack[_Options]) -> list[Decoded]: ...
@overload
def one_endpoint_crossing(
    scores: Sequence[NDArray[Any]], lengths: None = None, **options: Unpack[_Options]
) -> list[Decoded]: ...
def one_endpoint_crossing(
    scores: ArrayLike | Sequence[ArrayLike],
    lengths: ArrayLike | None = None,
    *,
    root: Root = "any",
    labels: Labels = None,
    root_arcs: bool = True,
    pruned: bool = True,
    crossed: ArrayLike | Sequence[ArrayLike] | None = None,
    threads: int = 0,
) -> Decoded | list[Decoded]:
    """Return the best 1-endpoint-crossing tree. Arguments are those of `best`. At most O(n⁴)."""
    return _decode("one_endpoint_crossing", scores, lengths, root, labels, root_arcs, pruned, threads, crossed)


def _decode(
    tree_class: TreeClass,
    scores: ArrayLike | Sequence[ArrayLike],
    lengths: ArrayLike | None,
    root: Root,
    labels: Labels,
    root_arcs: bool,
    pruned: bool,
    threads: int,
    crossed: ArrayLike | Sequence[ArrayLike] | None = None,
) -> Decoded | list[Decoded]:
    batch = Batch.from_scores(scores, lengths, crossed=crossed)
    check_crossed(batch, tree_class)
    options = decode_options(tree_class, root, root_arcs, pruned=pruned)
    label_batch = None if labels is None else Batch.from_scores(labels, lengths, axes=3)
    if label_batch is not None:
        batch = _with_labels(batch, label_batch)
    matrices, threads = batch.kernel, checked_threads(threads)
    try:  # not by `call_kernel`, whose call takes a twentieth of the time of a short sentence
        heads, totals, fault = matrices.decode(options, threads)
    except (MemoryError, ValueError) as error:
        raise refusal(error) from error
    if fault is not None:
        raise_fault(fault, batch.sentence_name, options)
    if batch.single and label_batch is None:
        return Decoded(heads, float(totals[0]))
    ends = list(accumulate((len(matrix) - 1 for matrix in batch.matrices), initial=0))
    trees = [heads[start:end] for start, end in pairwise(ends)]
    best_labels = repeat(None) if label_batch is None else map(_best_labels, label_batch.matrices, trees)
    decoded = [*map(Decoded, trees, totals.tolist(), best_labels)]
    return decoded[0] if batch.single else decoded


def _best_labels(scores: Scores, heads: Ids) -> Ids:
    """Return the label with the best score of each arc."""
    labels: Ids = scores[heads, np.arange(1, len(scores))].argmax(axis=-1).astype(np.int32)
    return labels


def _with_labels(batch: Batch, labels: Batch) -> Batch:
    """Add to each arc the score of its best label."""
    if len(labels.matrices) != len(batch.matrices) or labels.single != batch.single:
        raise DecodingError("labels are scored for as many sentences as arcs are")
    batch.check_shapes()
    labels.check_shapes()
    matrices: list[Scores] = []
    crossed: list[Scores] = []
    for index, (matrix, of_labels) in enumerate(zip(batch.matrices, labels.matrices, strict=True)):
        if of_labels.shape[:2] != matrix.shape or of_labels.shape[2] == 0:
            raise DecodingError(
                f"{batch.sentence_name(index)}: scores of labels are (n + 1) × (n + 1) × labels as those of arcs"
            )
        best_labels = of_labels.max(axis=-1).astype(matrix.dtype)
        matrices.append(matrix + best_labels)
        if batch.crossed is not None:
            crossed.append(batch.crossed[index] + best_labels)
    return batch._replace(matrices=matrices, crossed=None if batch.crossed is None else crossed)
