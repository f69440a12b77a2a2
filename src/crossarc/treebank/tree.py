"""What makes heads a dependency tree: words 1…n, rooted at the artificial word 0, labels and forms optional.

The value does not change, it can be compared and hashed, and it always is a tree. Checking costs O(n). What can be
asked of a tree beyond its arcs is further down the stream; `crossarc.Tree` puts all of it on one class.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _kernel
from ..errors import CrossarcError

Heads = NDArray[np.int32]


class TreeError(CrossarcError, ValueError):
    """Heads that are not a tree."""


def describe_fault(kind: str, words: Sequence[int], heads: Heads) -> str:
    """Put what the kernel found wrong with the heads of a sentence into words."""
    word = words[0]
    if kind == "out_of_range":
        return f"the head of word {word} is {heads[word - 1]}; heads are 0 (the root) to {len(heads)}"
    if kind == "own_head":
        return f"word {word} is its own head"
    return "the heads form a cycle: " + " ← ".join(map(str, [*words, word]))


class BareTree:
    """A dependency tree over words 1…n: its arcs, and nothing that needs thought."""

    __slots__ = ("forms", "heads", "labels")

    heads: Heads
    labels: tuple[str, ...] | None
    forms: tuple[str, ...] | None

    def __init__(
        self, heads: ArrayLike, labels: Sequence[str] | None = None, forms: Sequence[str] | None = None
    ) -> None:
        """Check that `heads[i]`, the head of word i + 1, make a tree."""
        array = np.array(heads)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise TreeError("heads are a list of whole numbers, one for each word")
        if array.size and (array.min() < -(2**31) or array.max() >= 2**31):
            raise TreeError("heads are word numbers")
        array = array.astype(np.int32)
        fault = _kernel.find_tree_fault(array, np.array([0, len(array)], np.int64))
        if fault is not None:
            raise TreeError(describe_fault(fault[1], fault[2], array))
        for name, values in (("labels", labels), ("forms", forms)):
            if values is not None and len(values) != len(array):
                raise TreeError(f"{len(values)} {name} for {len(array)} words")
        array.flags.writeable = False
        object.__setattr__(self, "heads", array)
        object.__setattr__(self, "labels", None if labels is None else tuple(labels))
        object.__setattr__(self, "forms", None if forms is None else tuple(forms))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Tree does not change: make a new one")

    def __len__(self) -> int:
        return len(self.heads)

    @property
    def arcs(self) -> list[tuple[int, int]]:
        """All arcs (head, dependent), by dependent."""
        return [(int(head), word) for word, head in enumerate(self.heads, start=1)]

    @property
    def roots(self) -> list[int]:
        """The words whose head is 0."""
        return self.children(0)

    def children(self, word: int) -> list[int]:
        """The words whose head is `word`, from left to right."""
        return [int(child) + 1 for child in np.flatnonzero(self.heads == word)]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BareTree):
            return NotImplemented
        return np.array_equal(self.heads, other.heads) and self.labels == other.labels and self.forms == other.forms

    def __hash__(self) -> int:
        return hash((self.heads.tobytes(), self.labels, self.forms))

    def __repr__(self) -> str:
        labels = "" if self.labels is None else f", labels={list(self.labels)!r}"
        forms = "" if self.forms is None else f", forms={list(self.forms)!r}"
        return f"{type(self).__name__}({self.heads.tolist()!r}{labels}{forms})"
