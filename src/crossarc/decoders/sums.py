"""All trees of a class together: the sum of exp(score), the probability of each arc, random trees, the k best, a count.

Each is the chart of the class in another algebra, over a grammar with exactly one derivation for each tree: O(n³) for
projective trees (Eisner 1996), O(n⁴) for 1-endpoint-crossing ones; for unrestricted trees there is the matrix-tree
theorem (Koo et al. 2007), O(n³). Sums are doubles, and logarithms where the range of doubles does not suffice.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import TYPE_CHECKING, Any, TypedDict, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._arrays import Doubles, Ids
from ..options import checked_threads
from .best import Decoded, best
from .matrices import (
    Batch,
    DecodingError,
    Matrix,
    Root,
    TreeClass,
    call_kernel,
    check_crossed,
    decode_options,
    raise_fault,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

MOST_BEST = 64


class _Options(TypedDict, total=False):
    root: Root
    root_arcs: bool
    threads: int
    crossed: Matrix | Sequence[NDArray[Any]] | None


@overload
def log_partition(
    scores: Matrix, tree_class: TreeClass, lengths: None = None, **options: Unpack[_Options]
) -> float: ...
@overload
def log_partition(
    scores: NDArray[Any], tree_class: TreeClass, lengths: ArrayLike, **options: Unpack[_Options]
) -> Doubles: ...
@overload
def log_partition(
    scores: Sequence[NDArray[Any]], tree_class: TreeClass, lengths: None = None, **options: Unpack[_Options]
) -> Doubles: ...
def log_partition(
    scores: ArrayLike | Sequence[ArrayLike],
    tree_class: TreeClass,
    lengths: ArrayLike | None = None,
    *,
    root: Root = "any",
    root_arcs: bool = True,
    threads: int = 0,
    crossed: ArrayLike | Sequence[ArrayLike] | None = None,
) -> float | Doubles:
    """Return the logarithm of the sum of exp(score) over all trees of a class, -inf if there is none.

    With `crossed`, arcs that another arc of the tree crosses have those scores (Pitler 2014).

    >>> round(log_partition([[0, 0, 0], [0, 0, 0], [0, 0, 0]], "projective"), 4)  # log 3
    1.0986
    """
    batch = Batch.from_scores(scores, lengths, crossed=crossed)
    check_crossed(batch, tree_class)
    options = decode_options(tree_class, root, root_arcs)
    sums, _, fault = call_kernel(batch.kernel.sum, options, False, checked_threads(threads))
    raise_fault(fault, batch.sentence_name, options)
    return float(sums[0]) if batch.single else sums


@overload
def marginals(scores: Matrix, tree_class: TreeClass, lengths: None = None, **options: Unpack[_Options]) -> Doubles: ...
@overload
def marginals(
    scores: NDArray[Any], tree_class: TreeClass, lengths: ArrayLike, **options: Unpack[_Options]
) -> list[Doubles]: ...
@overload
def marginals(
    scores: Sequence[NDArray[Any]], tree_class: TreeClass, lengths: None = None, **options: Unpack[_Options]
) -> list[Doubles]: ...
def marginals(
    scores: ArrayLike | Sequence[ArrayLike],
    tree_class: TreeClass,
    lengths: ArrayLike | None = None,
    *,
    root: Root = "any",
    root_arcs: bool = True,
    threads: int = 0,
    crossed: ArrayLike | Sequence[ArrayLike] | None = None,
) -> Doubles | list[Doubles]:
    """Return the probability of each arc, `[head, dependent]`, if trees have probabilities proportional to exp(score).

    These are the derivatives of `log_partition` by the scores. Each column but that of 0 adds up to 1. With `crossed`,
    the scores of arcs that another arc crosses, there are two matrices: of arcs that are not crossed, then of crossed
    ones.
    """
    batch = Batch.from_scores(scores, lengths, crossed=crossed)
    check_crossed(batch, tree_class)
    options = decode_options(tree_class, root, root_arcs)
    _, flat, fault = call_kernel(batch.kernel.sum, options, True, checked_threads(threads))
    raise_fault(fault, batch.sentence_name, options)
    shapes = [matrix.shape if batch.crossed is None else (2, *matrix.shape) for matrix in batch.matrices]
    ends = accumulate(map(prod, shapes), initial=0)
    probabilities = [flat[start:end].reshape(shape) for (start, end), shape in zip(pairwise(ends), shapes, strict=True)]
    return probabilities[0] if batch.single else probabilities


def sample(
    scores: Matrix,
    tree_class: TreeClass,
    count: int = 1,
    *,
    seed: int,
    root: Root = "any",
    root_arcs: bool = True,
    crossed: Matrix | None = None,
) -> Ids:
    """Return random trees, a row of heads each, drawn independently with probabilities proportional to exp(score)."""
    check_sampling(count, seed)
    batch = _single(scores, tree_class, crossed)
    options = decode_options(tree_class, root, root_arcs)
    heads, _, _, fault = call_kernel(batch.kernel.sample, options, count, seed, 1)
    raise_fault(fault, batch.sentence_name, options)
    return heads.reshape(count, len(batch.matrices[0]) - 1)


def k_best(
    scores: Matrix,
    tree_class: TreeClass,
    k: int,
    *,
    root: Root = "any",
    root_arcs: bool = True,
    crossed: Matrix | None = None,
) -> list[Decoded]:
    """Return the k best trees of a class, best first; fewer if there are fewer. k is at most 64."""
    check_k(k)
    batch = _single(scores, tree_class, crossed)
    options = decode_options(tree_class, root, root_arcs)
    heads, totals, _, fault = call_kernel(batch.kernel.k_best, options, k, 1)
    raise_fault(fault, batch.sentence_name, options)
    rows = heads.reshape(len(totals), len(batch.matrices[0]) - 1)
    return [Decoded(row, score) for row, score in zip(rows, totals.tolist(), strict=True)]


def count_trees(
    scores: Matrix | int,
    tree_class: TreeClass,
    *,
    root: Root = "any",
    root_arcs: bool = True,
    crossed: Matrix | None = None,
) -> int:
    """Return the number of trees of a class over n words, or those whose arcs all have finite scores. It is exact.

    >>> count_trees(12, "one_endpoint_crossing")
    7789956343
    """
    if isinstance(scores, int):
        if scores < 0:
            raise DecodingError(f"the number of words is 0 or more, not {scores}")
        scores = np.zeros((scores + 1, scores + 1))
    batch = _single(scores, tree_class, crossed)
    options, matrices = decode_options(tree_class, root, root_arcs), batch.kernel
    words = len(batch.matrices[0]) - 1
    most = (words + 1) ** max(0, words - 1)  # trees over n words and 0, by Cayley's formula
    # Remainders by enough primes tell the number (Chinese remainder theorem).
    count, product, prime = 0, 1, 2**31
    while product <= most:
        prime = _prime_below(prime)
        remainder, fault = call_kernel(matrices.count, options, prime)
        raise_fault(fault, batch.sentence_name, options)
        count += product * ((remainder - count) * pow(product, -1, prime) % prime)
        product *= prime
    return count


def minimum_bayes_risk(
    scores: Matrix,
    tree_class: TreeClass,
    *,
    root: Root = "any",
    root_arcs: bool = True,
    crossed: Matrix | None = None,
) -> Decoded:
    """Return the tree of a class with the most right heads to be expected: the best by the probabilities of the arcs.

    Its score is the expected number of right heads.
    """
    probabilities = marginals(scores, tree_class, root=root, root_arcs=root_arcs, crossed=crossed)
    if crossed is not None:
        probabilities = probabilities.sum(axis=0)
    # An arc of probability 0 is in no tree of the class.
    gains = np.where(probabilities > 0, probabilities, -np.inf)
    return best(gains, tree_class, root=root, root_arcs=root_arcs)


def check_sampling(count: int, seed: int) -> None:
    """Refuse numbers of random trees and seeds that cannot be used."""
    if count < 0:
        raise DecodingError(f"the number of trees is 0 or more, not {count}")
    if not 0 <= seed < 2**64:
        raise DecodingError(f"a seed is a whole number from 0 to 2^64 - 1, not {seed}")


def check_k(k: int) -> None:
    """Refuse to look for no tree, or for too many."""
    if not 1 <= k <= MOST_BEST:
        raise DecodingError(f"k is from 1 to {MOST_BEST}, not {k}")


def _single(scores: Matrix, tree_class: TreeClass, crossed: Matrix | None = None) -> Batch:
    batch = Batch.from_scores(scores, crossed=crossed)
    check_crossed(batch, tree_class)
    if not batch.single:
        raise DecodingError("this works on one sentence at a time; for many there are functions of batches")
    return batch


def _prime_below(number: int) -> int:
    """Return the largest prime below a number up to 2^31 (Miller & Rabin; the four bases suffice there)."""
    while True:
        number -= 1
        odd, twos = number - 1, 0
        while odd % 2 == 0:
            odd, twos = odd // 2, twos + 1
        if number % 2 and all(_passes(number, base, odd, twos) for base in (2, 3, 5, 7)):
            return number


def _passes(number: int, base: int, odd: int, twos: int) -> bool:
    power = pow(base, odd, number)
    if power in (1, number - 1):
        return True
    return any((power := power * power % number) == number - 1 for _ in range(twos - 1))
