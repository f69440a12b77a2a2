"""What is to be drawn: the words of one sentence and an arc for each of them, with its plane.

A `Picture` is plain data, checked once; every drawing function takes one. Planes and crossings are taken as given, so
that a picture can show any assignment of arcs to planes. Checking costs O(n).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from ..errors import CrossarcError
from .text import clean, is_right_to_left

ROOT_LABEL = "root"
NO_HEAD = -1


@dataclass(frozen=True, eq=False)
class Arc:
    """One arc of a picture, equal only to itself; `head` is 0 for the arrow that marks a root."""

    head: int
    dependent: int
    label: str
    plane: int
    crossing: bool

    @property
    def left(self) -> int:
        """The endpoint that comes first in the sentence; an arrow from the root has both ends at its word."""
        return min(self.head, self.dependent) if self.head else self.dependent

    @property
    def right(self) -> int:
        """The endpoint that comes last in the sentence."""
        return max(self.head, self.dependent)

    @property
    def is_root(self) -> bool:
        """Whether this is the arrow of a root."""
        return self.head == 0

    @property
    def is_above(self) -> bool:
        """Whether the arc is drawn above the sentence: planes alternate, arrows of roots are always above."""
        return self.is_root or self.plane % 2 == 0


@dataclass(frozen=True)
class Picture:
    """A sentence to draw. All sequences have one entry for each word 1…n; `heads` has -1 for a word without an arc.

    >>> picture = Picture(heads=(2, 0, 2), forms=("Ann", "sees", "Bo"), labels=("nsubj", "root", "obj"))
    >>> [(arc.head, arc.dependent, arc.label) for arc in picture.arcs]
    [(2, 1, 'nsubj'), (0, 2, 'root'), (2, 3, 'obj')]
    """

    heads: tuple[int, ...]
    forms: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    planes: tuple[int, ...] | None = None
    crossing: tuple[bool, ...] | None = None
    title: str | None = None

    def __post_init__(self) -> None:
        """Turn lists and arrays into tuples and refuse what cannot be drawn."""
        converters = {"heads": int, "forms": str, "labels": str, "tags": str, "planes": int, "crossing": bool}
        for name, convert in converters.items():
            values: Sequence[object] | None = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, tuple(convert(value) for value in values))
        for field in fields(self):
            values = getattr(self, field.name)
            if isinstance(values, tuple) and len(values) != len(self.heads):
                raise CrossarcError(f"cannot draw: {len(values)} {field.name} for {len(self.heads)} words")
        for word, head in enumerate(self.heads, start=1):
            if not NO_HEAD <= head <= len(self.heads):
                raise CrossarcError(f"cannot draw: the head of word {word} is {head}; heads are 0 to {len(self.heads)}")
            if head == word:
                raise CrossarcError(f"cannot draw: word {word} is its own head")
        for word, plane in enumerate(self.planes or (), start=1):
            if plane < 0:
                raise CrossarcError(f"cannot draw: the plane of word {word} is {plane}; planes are counted from 0")

    def __len__(self) -> int:
        """Count the words."""
        return len(self.heads)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The forms, fit to print; without forms, the numbers of the words."""
        if self.forms is None:
            return tuple(str(number) for number in range(1, len(self) + 1))
        return tuple(clean(form) for form in self.forms)

    @cached_property
    def tag_line(self) -> tuple[str, ...] | None:
        """The tags, fit to print."""
        return None if self.tags is None else tuple(clean(tag) for tag in self.tags)

    @cached_property
    def arcs(self) -> tuple[Arc, ...]:
        """The arcs, by dependent."""
        return tuple(self._arc(word, head) for word, head in enumerate(self.heads, start=1) if head != NO_HEAD)

    def _arc(self, word: int, head: int) -> Arc:
        label = clean(self.labels[word - 1]) if self.labels else ""
        if head == 0 and not label:
            label = ROOT_LABEL
        plane = self.planes[word - 1] if self.planes else 0
        return Arc(head, word, label, plane, bool(self.crossing and self.crossing[word - 1]))

    @cached_property
    def is_right_to_left(self) -> bool:
        """Whether most letters of the words belong to a right-to-left script."""
        return is_right_to_left(self.words)

    @property
    def caption(self) -> str:
        """The title, or else the words."""
        return clean(self.title) if self.title else " ".join(self.words)
