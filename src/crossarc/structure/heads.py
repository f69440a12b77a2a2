"""Heads as every function of this folder takes them: word i + 1's head at i, the root's is 0.

Anything else is refused with the errors of `crossarc.errors`. O(n).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike

from .. import _kernel
from .._arrays import AnyArray, Ids
from ..errors import MissingHeadsError, TreeError
from ..tree import describe_fault, head_array
from ..treebank import NO_HEAD


def tree_heads(heads: ArrayLike) -> Ids:
    """Return heads that make a tree, as the kernel wants them."""
    array = head_array(heads)
    fault = _kernel.find_tree_fault(array, np.array([0, len(array)], np.int64))
    if fault is not None:
        raise_fault(fault[1], fault[2], array, lambda: "the tree")
    return array


def classify_one(heads: ArrayLike, *, root_arcs: bool = False, lifts: bool = False) -> dict[str, AnyArray]:
    """Return the kernel's arrays for one tree, without its planarity. They are described in `Classification`."""
    array = head_array(heads)
    offsets = np.array([0, len(array)], np.int64)
    classes, fault = _kernel.classify(array, offsets, root_arcs, False, lifts, 0, 1)
    if fault is not None:
        raise_fault(fault[1], fault[2], array, lambda: "the tree")
    return classes


def raise_fault(kind: _kernel.TreeFault, words: Sequence[int], heads: Ids, name: Callable[[], str]) -> NoReturn:
    """Say why the heads of a sentence are no tree; `name` names the sentence."""
    if kind is _kernel.TreeFault.out_of_range and heads[words[0] - 1] == NO_HEAD:
        raise MissingHeadsError(f"{name()} has no heads: parse it first, or use a file that has them")
    raise TreeError(f"{name()}: {describe_fault(kind, words, heads)}")
