"""Dependency trees: words 1…n under the artificial root 0, labels and forms optional.

A `Tree` does not change, can be compared and hashed, and always is a tree; checking that costs O(n). It computes
nothing else itself: each question hands the heads to the folder that answers it, `crossarc.structure` or
`crossarc.drawing`. Arcs from the artificial root 0 count where the papers count them: not for crossings and planes, but
for 1-endpoint-crossing. The functions of `crossarc.structure` take `root_arcs=True` or `False` for the other choice.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import _kernel
from ._arrays import Ids
from .errors import TreeError, is_broken


class _Folder:
    """A folder that is imported when it is first used.

    `Tree` stands above all folders, and its methods call two of them. This is the one place where data does not flow
    down: importing them above would be a circle, since both import `Tree` through `crossarc.treebank`.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(f".{self._name}", __package__), attribute)


Self = TypeVar("Self")


class Unchanging:
    """What does not change, so that it is its own copy."""

    __slots__ = ()

    def __copy__(self: Self) -> Self:
        return self

    def __deepcopy__(self: Self, memo: object) -> Self:
        return self


def head_array(heads: ArrayLike) -> Ids:
    """Return heads as the kernel wants them; whether they make a tree is not checked."""
    array = np.asarray(heads)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TreeError("heads are a list of whole numbers, one for each word")
    if array.dtype != np.int32:
        if array.size and (array.min() < -(2**31) or array.max() >= 2**31):
            raise TreeError("heads are word numbers")
        array = array.astype(np.int32)
    return np.ascontiguousarray(array)


if TYPE_CHECKING:
    from . import drawing, structure
    from .drawing import Picture
    from .structure import Arc
else:
    drawing, structure = _Folder("drawing"), _Folder("structure")


def describe_fault(kind: _kernel.TreeFault, words: Sequence[int], heads: Ids) -> str:
    """Put what the kernel found wrong with the heads of a sentence into words."""
    word = words[0]
    if kind is _kernel.TreeFault.out_of_range:
        return f"the head of word {word} is {heads[word - 1]}; heads are 0 (the root) to {len(heads)}"
    if kind is _kernel.TreeFault.own_head:
        return f"word {word} is its own head"
    return "the heads form a cycle: " + " ← ".join(map(str, [*words, word]))


def _check_texts(name: str, texts: Sequence[str], words: int) -> None:
    if isinstance(texts, str):
        raise TreeError(f"{name} are a list of texts, one for each word, not one text")
    if len(texts) != words:
        raise TreeError(f"{len(texts)} {name} for {words} words")
    try:
        "".join(texts).encode()
    except (TypeError, UnicodeEncodeError) as error:
        wrong = (word for word, text in enumerate(texts, start=1) if not isinstance(text, str) or is_broken(text))
        word = next(wrong)
        raise TreeError(f"{name} are texts that UTF-8 can hold; that of word {word} is {texts[word - 1]!r}") from error


class Tree(Unchanging):
    """A dependency tree over words 1…n, rooted at the artificial word 0.

    >>> tree = Tree([3, 4, 0, 3], labels=["obj", "det", "root", "obl"])
    >>> tree.is_projective, tree.planarity, tree.gap_degree
    (False, 2, 1)
    >>> tree.crossings()
    [((3, 1), (4, 2))]
    """

    __slots__ = ("forms", "heads", "labels")

    heads: Ids
    labels: tuple[str, ...] | None
    forms: tuple[str, ...] | None

    def __init__(
        self, heads: ArrayLike, labels: Sequence[str] | None = None, forms: Sequence[str] | None = None
    ) -> None:
        """Check that `heads[i]`, the head of word i + 1, make a tree."""
        array = head_array(heads).copy()
        fault = _kernel.find_tree_fault(array, np.array([0, len(array)], np.int64))
        if fault is not None:
            raise TreeError(describe_fault(fault[1], fault[2], array))
        for name, values in (("labels", labels), ("forms", forms)):
            if values is not None:
                _check_texts(name, values, len(array))
        array.flags.writeable = False
        object.__setattr__(self, "heads", array)
        object.__setattr__(self, "labels", None if labels is None else tuple(labels))
        object.__setattr__(self, "forms", None if forms is None else tuple(forms))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Tree does not change: make a new one")

    def __reduce__(self) -> tuple[type[Tree], tuple[object, ...]]:
        return type(self), (self.heads, self.labels, self.forms)

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
        if not isinstance(other, Tree):
            return NotImplemented
        return np.array_equal(self.heads, other.heads) and self.labels == other.labels and self.forms == other.forms

    def __hash__(self) -> int:
        return hash((self.heads.tobytes(), self.labels, self.forms))

    def __repr__(self) -> str:
        labels = "" if self.labels is None else f", labels={list(self.labels)!r}"
        forms = "" if self.forms is None else f", forms={list(self.forms)!r}"
        return f"{type(self).__name__}({self.heads.tolist()!r}{labels}{forms})"

    # How arcs cross

    def crossings(self, *, root_arcs: bool = False) -> list[tuple[Arc, Arc]]:
        """Return the pairs of arcs that cross."""
        return structure.crossings(self.heads, root_arcs=root_arcs)

    def crossings_graph(self, *, root_arcs: bool = False) -> dict[Arc, list[Arc]]:
        """Return for every arc the arcs that cross it."""
        return structure.crossings_graph(self.heads, root_arcs=root_arcs)

    @property
    def is_projective(self) -> bool:
        """Whether every word and all below it are an interval."""
        return structure.is_projective(self.heads)

    @property
    def is_planar(self) -> bool:
        """Whether no two arcs cross, arcs from the root not counted."""
        return structure.is_planar(self.heads)

    @property
    def planarity(self) -> int:
        """The least number of planes on which no two arcs cross."""
        return structure.planarity(self.heads)

    def planes(self, k: int | None = None, *, root_arcs: bool = False) -> list[list[Arc]]:
        """Return the arcs on each plane, on as few planes as possible or on k; the second has as few as can be."""
        return structure.planes(self.heads, k, root_arcs=root_arcs)

    @property
    def is_one_endpoint_crossing(self) -> bool:
        """Whether for every arc all arcs that cross it share an endpoint, arcs from the root counted."""
        return structure.is_one_endpoint_crossing(self.heads)

    def pencil(self, arc: Arc, *, root_arcs: bool = True) -> list[Arc]:
        """Return the arcs that cross an arc."""
        return structure.pencil(self.heads, arc, root_arcs=root_arcs)

    # Gaps and nesting

    def blocks(self, word: int) -> list[tuple[int, int]]:
        """Return the intervals, first and last word, that a word and all below it make up."""
        return structure.blocks(self.heads, word)

    @property
    def gap_degree(self) -> int:
        """The most gaps of a word's projection."""
        return structure.gap_degree(self.heads)

    @property
    def block_degree(self) -> int:
        """The most blocks of a word's projection: gap degree and one."""
        return structure.block_degree(self.heads)

    @property
    def gap_inheritance_degree(self) -> int:
        """The most children of one word that have descendants in several of its blocks."""
        return structure.gap_inheritance_degree(self.heads)

    @property
    def is_well_nested(self) -> bool:
        """Whether no two disjoint subtrees interleave."""
        return structure.is_well_nested(self.heads)

    @property
    def is_gap_minding(self) -> bool:
        """Whether the tree is well-nested with gap degree at most 1 and no child spans a gap of its parent."""
        return structure.is_gap_minding(self.heads)

    # Projectivity, arc by arc

    @property
    def edge_degree(self) -> int:
        """The most subtrees strictly inside an arc that do not hang below its head (Nivre 2006)."""
        return structure.edge_degree(self.heads)

    @property
    def nonprojective_arcs(self) -> list[Arc]:
        """The arcs over a word that is not below their head."""
        return structure.nonprojective_arcs(self.heads)

    @property
    def covered_roots(self) -> list[int]:
        """The roots that an arc passes over."""
        return structure.covered_roots(self.heads)

    @property
    def lifts_needed(self) -> dict[Arc, int]:
        """For every arc that projectivisation moves, how often it is lifted (Nivre & Nilsson 2005)."""
        return structure.lifts_needed(self.heads)

    # Drawing

    def picture(
        self, *, tags: Sequence[str] | None = None, lines: Sequence[Sequence[str]] = (), title: str | None = None
    ) -> Picture:
        """Return what is to be drawn: arcs on their planes, the first above the words, the second below.

        `lines` are further lines of text under the words, each with a text for every word.
        """
        numbers, _ = structure.plane_numbers(self.heads)
        crossing = structure.classify([self.heads]).arc_crossings > 0
        return drawing.Picture(
            heads=tuple(self.heads.tolist()),
            forms=self.forms,
            labels=self.labels,
            tags=None if tags is None else tuple(tags),
            planes=tuple(max(0, plane) for plane in numbers.tolist()),
            crossing=tuple(crossing.tolist()),
            title=title,
            lines=tuple(map(tuple, lines)),
        )

    def draw(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        tags: Sequence[str] | None = None,
        lines: Sequence[Sequence[str]] = (),
        title: str | None = None,
    ) -> str | None:
        """Draw the tree into a file (.svg .html .tex .txt .png .pdf), or return it as SVG if no path is given."""
        picture = self.picture(tags=tags, lines=lines, title=title)
        if path is None:
            return drawing.svg(picture)
        drawing.save(picture, path)
        return None

    def _repr_svg_(self) -> str:
        return str(self.draw())
