"""The array types of the whole package, and offsets: where the rows of each item begin in a long array.

A treebank, a batch of trees or a list of arcs is one array for all items, one behind the other, and `offsets`: those of
item i are the rows offsets[i] to offsets[i + 1] - 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Numbers of words, heads, labels, or ids of texts in a pool.
Ids = NDArray[np.int32]
#: Where the items of each sentence begin, and where the last ones end; also rows of a table.
Offsets = NDArray[np.int64]
#: Values of attributes of words, as `crossarc.features` numbers them.
Values = NDArray[np.uint32]
#: Yes or no for each item.
Flags = NDArray[np.bool_]
#: A small code for each item: kinds of lines, sets of marks.
Codes = NDArray[np.uint8]
#: Weights and scores.
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
#: Named arrays, as model files hold them.
AnyArray = NDArray[Any]


def different(values: AnyArray) -> AnyArray:
    """Return the different values of an array, in order; `np.unique` would import `numpy.ma`, which takes long."""
    ordered = np.sort(values)
    found: AnyArray = ordered[np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]]
    return found


def offsets_of(lengths: Iterable[int] | AnyArray) -> Offsets:
    """Return where items of these lengths begin, and where the last one ends."""
    counts = lengths if isinstance(lengths, np.ndarray) else np.fromiter(lengths, np.int64)
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def items_of(offsets: Offsets) -> Offsets:
    """Return the item that each row belongs to: of each word its sentence."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def positions_of(offsets: Offsets) -> Ids:
    """Return the number of each row in its item, from 1: of each word in its sentence."""
    positions: Ids = (np.arange(1, int(offsets[-1]) + 1) - np.repeat(offsets[:-1], np.diff(offsets))).astype(np.int32)
    return positions


def rows_of(offsets: Offsets, chosen: AnyArray) -> tuple[Offsets, Offsets]:
    """Return the rows of the chosen items, one behind the other, and where each item begins among them."""
    new_offsets = offsets_of(np.diff(offsets)[chosen])
    starts = np.repeat(offsets[:-1][chosen] - new_offsets[:-1], np.diff(new_offsets))
    return starts + np.arange(new_offsets[-1]), new_offsets
