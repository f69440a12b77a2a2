"""All trees of a class together: the sum of exp(score), the probability of each arc, random trees, the k best, a count.

Each is the chart of the class in another algebra, over a grammar with exactly one derivation for each tree: O(n³) for
projective trees (Eisner 1996), O(n⁴) for 1-endpoint-crossing ones; for unrestricted trees there is the matrix-tree
theorem (Koo et al. 2007), O(n³). Sums are doubles, and logarithms where the range of doubles does not suffice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._arrays import Doubles, Ids
from ..errors import checked_threads
from .best import Decoded, best
from .matrices import Batch, DecodingError, Matrix, Root, TreeClass, asked, batch_of, raise_fault, wanted

MOST_BEST = 64


@overload
def log_partition(
    scores: Matrix,
    tree_class: TreeClass,
    lengths: None = None,
    *,
    root: Root = ...,
    root_arcs: bool = ...,
    threads: int = ...,
) -> float: ...
@overload
def log_partition(
    scores: NDArray[Any],
    tree_class: TreeClass,
    lengths: ArrayLike,
    *,
    root: Root = ...,
    root_arcs: bool = ...,
    threads: int = ...,
) -> Doubles: ...
@overload
def log_partition(
    scores: Sequence[NDArray[Any]],
    tree_class: TreeClass,
    lengths: None = None,
    *,
    root: Root = ...,
    root_arcs: bool = ...,
    threads: int = ...,
) -> Doubles: ...
def log_partition(
    scores: ArrayLike | Sequence[ArrayLike],
    tree_class: TreeClass,
    lengths: ArrayLike | None = None,
    *,
    root: Root = "any",
    root_arcs: bool = True,
    threads: int = 0,
) -> float | Doubles:
    """Return the logarithm of the sum of exp(score) over all trees of a class, -inf if there is none.

    >>> round(log_partition([[0, 0, 0], [0, 0, 0], [0, 0, 0]], "projective"), 4)  # log 3
    1.0986
    """
    batch = batch_of(scores, lengths)
    trees = wanted(tree_class, root, root_arcs)
    sums, _, fault = asked(batch.kernel.sum, *trees, False, checked_threads(threads))
    raise_fault(fault, batch.place, trees)
    return float(sums[0]) if batch.single else sums


@overload
def marginals(
    scores: Matrix,
    tree_class: TreeClass,
    lengths: None = None,
    *,
    root: Root = ...,
    root_arcs: bool = ...,
    threads: int = ...,
) -> Doubles: ...
@overload
def marginals(
    scores: NDArray[Any],
    tree_class: TreeClass,
    lengths: ArrayLike,
    *,
    root: Root = ...,
    root_arcs: bool = ...,
    threads: int = ...,
) -> list[Doubles]: ...
@overload
def marginals(
    scores: Sequence[NDArray[Any]],
    tree_class: TreeClass,
    lengths: None = None,
    *,
    root: Root = ...,
    root_arcs: bool = ...,
    threads: int = ...,
) -> list[Doubles]: ...
def marginals(
    scores: ArrayLike | Sequence[ArrayLike],
    tree_class: TreeClass,
    lengths: ArrayLike | None = None,
    *,
    root: Root = "any",
    root_arcs: bool = True,
    threads: int = 0,
) -> Doubles | list[Doubles]:
    """Return the probability of each arc, `[head, dependent]`, if trees have probabilities proportional to exp(score).

    These are the derivatives of `log_partition` by the scores. Each column but that of 0 adds up to 1.
    """
    batch = batch_of(scores, lengths)
    trees = wanted(tree_class, root, root_arcs)
    _, flat, fault = asked(batch.kernel.sum, *trees, True, checked_threads(threads))
    raise_fault(fault, batch.place, trees)
    found = []
    start = 0
    for matrix in batch.matrices:
        found.append(flat[start : start + matrix.size].reshape(matrix.shape))
        start += matrix.size
    return found[0] if batch.single else found


def sample(
    scores: Matrix, tree_class: TreeClass, count: int = 1, *, seed: int, root: Root = "any", root_arcs: bool = True
) -> Ids:
    """Return random trees, a row of heads each, drawn independently with probabilities proportional to exp(score)."""
    check_sampling(count, seed)
    batch = _one(scores)
    trees = wanted(tree_class, root, root_arcs)
    heads, _, _, fault = asked(batch.kernel.sample, *trees, count, seed, 1)
    raise_fault(fault, batch.place, trees)
    return heads.reshape(count, len(batch.matrices[0]) - 1)


def k_best(
    scores: Matrix, tree_class: TreeClass, k: int, *, root: Root = "any", root_arcs: bool = True
) -> list[Decoded]:
    """Return the k best trees of a class, best first; fewer if there are fewer. k is at most 64."""
    check_k(k)
    batch = _one(scores)
    trees = wanted(tree_class, root, root_arcs)
    heads, totals, _, fault = asked(batch.kernel.k_best, *trees, k, 1)
    raise_fault(fault, batch.place, trees)
    rows = heads.reshape(len(totals), len(batch.matrices[0]) - 1)
    return [Decoded(row, score) for row, score in zip(rows, totals.tolist(), strict=True)]


def count_trees(scores: Matrix | int, tree_class: TreeClass, *, root: Root = "any", root_arcs: bool = True) -> int:
    """Return the number of trees of a class over n words, or those whose arcs all have finite scores. It is exact.

    >>> count_trees(12, "one_endpoint_crossing")
    7789956343
    """
    if isinstance(scores, int):
        if scores < 0:
            raise DecodingError(f"the number of words is 0 or more, not {scores}")
        scores = np.zeros((scores + 1, scores + 1))
    batch = _one(scores)
    trees, matrices = wanted(tree_class, root, root_arcs), batch.kernel
    words = len(batch.matrices[0]) - 1
    most = (words + 1) ** max(0, words - 1)  # trees over n words and 0, by Cayley's formula
    # Remainders by enough primes tell the number (Chinese remainder theorem).
    count, product, prime = 0, 1, 2**31
    while product <= most:
        prime = _prime_below(prime)
        remainder, fault = asked(matrices.count, *trees, prime)
        raise_fault(fault, batch.place, trees)
        count += product * ((remainder - count) * pow(product, -1, prime) % prime)
        product *= prime
    return count


def minimum_bayes_risk(
    scores: Matrix,
    tree_class: TreeClass,
    *,
    root: Root = "any",
    root_arcs: bool = True,
) -> Decoded:
    """Return the tree of a class with the most right heads to be expected: the best by the probabilities of the arcs.

    Its score is the expected number of right heads.
    """
    probabilities = marginals(scores, tree_class, root=root, root_arcs=root_arcs)
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


def _one(scores: Matrix) -> Batch:
    batch = batch_of(scores)
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
