"""The tree that people hold in their hands: heads and labels, and every question that crossarc can answer about them.

Nothing is computed here; each method hands the heads to the module that knows (`crossarc.structure`,
`crossarc.drawing`). Arcs from the artificial root 0 count where the papers count them: crossings and
planes do not, 1-endpoint-crossing does. Where both make sense, the functions of `crossarc.structure` take
`root_arcs=True` or `False`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .treebank.tree import BareTree

if TYPE_CHECKING:
    from .drawing import Picture
    from .structure import Arc


class Tree(BareTree):
    """A dependency tree over words 1…n, rooted at the artificial word 0.

    >>> tree = Tree([3, 4, 0, 3], labels=["obj", "det", "root", "obl"])
    >>> tree.is_projective, tree.planarity, tree.gap_degree
    (False, 2, 1)
    >>> tree.crossings()
    [((3, 1), (4, 2))]
    """

    __slots__ = ()

    # How arcs cross

    def crossings(self, *, root_arcs: bool = False) -> list[tuple[Arc, Arc]]:
        """Return the pairs of arcs that cross."""
        from . import structure

        return structure.crossings(self.heads, root_arcs=root_arcs)

    def crossings_graph(self, *, root_arcs: bool = False) -> dict[Arc, list[Arc]]:
        """Return for every arc the arcs that cross it."""
        from . import structure

        return structure.crossings_graph(self.heads, root_arcs=root_arcs)

    @property
    def is_projective(self) -> bool:
        """Whether every word and all below it are an interval."""
        from . import structure

        return structure.is_projective(self.heads)

    @property
    def is_planar(self) -> bool:
        """Whether no two arcs cross, arcs from the root not counted."""
        from . import structure

        return structure.is_planar(self.heads)

    @property
    def planarity(self) -> int:
        """The least number of planes on which no two arcs cross."""
        from . import structure

        return structure.planarity(self.heads)

    def planes(self, k: int | None = None, *, root_arcs: bool = False) -> list[list[Arc]]:
        """Return the arcs on each plane, on as few planes as possible or on k; the second has as few as can be."""
        from . import structure

        return structure.planes(self.heads, k, root_arcs=root_arcs)

    @property
    def is_one_endpoint_crossing(self) -> bool:
        """Whether for every arc all arcs that cross it share an endpoint, arcs from the root counted."""
        from . import structure

        return structure.is_one_endpoint_crossing(self.heads)

    def pencil(self, arc: Arc, *, root_arcs: bool = True) -> list[Arc]:
        """Return the arcs that cross an arc."""
        from . import structure

        return structure.pencil(self.heads, arc, root_arcs=root_arcs)

    # Gaps and nesting

    def blocks(self, word: int) -> list[tuple[int, int]]:
        """Return the intervals, first and last word, that a word and all below it make up."""
        from . import structure

        return structure.blocks(self.heads, word)

    @property
    def gap_degree(self) -> int:
        """The most gaps of a word's projection."""
        from . import structure

        return structure.gap_degree(self.heads)

    @property
    def block_degree(self) -> int:
        """The most blocks of a word's projection: gap degree and one."""
        from . import structure

        return structure.block_degree(self.heads)

    @property
    def gap_inheritance_degree(self) -> int:
        """The most children of one word that have descendants in several of its blocks."""
        from . import structure

        return structure.gap_inheritance_degree(self.heads)

    @property
    def is_well_nested(self) -> bool:
        """Whether no two disjoint subtrees interleave."""
        from . import structure

        return structure.is_well_nested(self.heads)

    @property
    def is_gap_minding(self) -> bool:
        """Whether the tree is well-nested with gap degree at most 1 and no child spans a gap of its parent."""
        from . import structure

        return structure.is_gap_minding(self.heads)

    # Projectivity, arc by arc

    @property
    def edge_degree(self) -> int:
        """The most subtrees strictly inside an arc that do not hang below its head (Nivre 2006)."""
        from . import structure

        return structure.edge_degree(self.heads)

    def nonprojective_arcs(self) -> list[Arc]:
        """Return the arcs over a word that is not below their head."""
        from . import structure

        return structure.nonprojective_arcs(self.heads)

    def covered_roots(self) -> list[int]:
        """Return the roots that an arc passes over."""
        from . import structure

        return structure.covered_roots(self.heads)

    def lifts_needed(self) -> dict[Arc, int]:
        """Return for every arc that projectivisation moves how often it is lifted (Nivre & Nilsson 2005)."""
        from . import structure

        return structure.lifts_needed(self.heads)

    # Drawing

    def picture(self, *, tags: Sequence[str] | None = None, title: str | None = None) -> Picture:
        """Return what is to be drawn: arcs on their planes, the first above the words, the second below."""
        from . import drawing, structure

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
        )

    def draw(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        tags: Sequence[str] | None = None,
        title: str | None = None,
    ) -> str | None:
        """Draw the tree into a file (.svg .html .tex .txt .png .pdf), or return it as SVG if no path is given."""
        from . import drawing

        picture = self.picture(tags=tags, title=title)
        if path is None:
            return drawing.svg(picture)
        drawing.save(picture, path)
        return None

    def _repr_svg_(self) -> str:
        return str(self.draw())
