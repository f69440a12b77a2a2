"""What is to be drawn: the words of one sentence and an arc for each of them, with its plane.

A `Picture` is plain data, checked once; every drawing function takes one. Planes and crossings are taken as given, so
that a picture can show any assignment of arcs to planes. With the heads of a second analysis it shows where that
differs: its own arcs are below the words. Checking costs O(n).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Literal

from ..errors import CrossarcError
from .text import clean, is_right_to_left

ROOT_LABEL = "root"
NO_HEAD = -1

#: What a second analysis makes of an arc: does not have it, has another relation on it, or is the only one to have it.
Mark = Literal["", "missed", "relabelled", "wrong"]
_MARK_COLOURS: dict[Mark, int] = {"missed": 3, "relabelled": 4, "wrong": 2}


@dataclass(frozen=True, eq=False)
class Arc:
    """One arc of a picture, equal only to itself; `head` is 0 for the arrow that marks a root."""

    head: int
    dependent: int
    label: str
    plane: int
    crossing: bool
    mark: Mark = ""

    @property
    def colour(self) -> int:
        """The number of its colour: that of its plane, or of its mark."""
        return _MARK_COLOURS.get(self.mark, self.plane)

    @property
    def is_heavy(self) -> bool:
        """Whether its line is stronger than others: it crosses another or is marked."""
        return self.crossing or bool(self.mark)

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
        """Whether the arc is drawn above the sentence: planes alternate, arrows of roots are above unless wrong."""
        return (self.is_root and self.mark != "wrong") or self.plane % 2 == 0


@dataclass(frozen=True)
class Picture:
    """A sentence to draw. All sequences have one entry for each word 1…n; `heads` has -1 for a word without an arc.

    `other_heads` and `other_labels` are a second analysis. All arcs of the first are above the words then, and below
    them are those of the second that the first does not have; planes do not count. `lines` are further lines of text
    under the tags, such as lemmas and glosses, each with a text for every word; empty texts are not seen.

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
    other_heads: tuple[int, ...] | None = None
    other_labels: tuple[str, ...] | None = None
    lines: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        """Turn lists and arrays into tuples and refuse what cannot be drawn."""
        converters = {"heads": int, "forms": str, "labels": str, "tags": str, "planes": int, "crossing": bool}
        converters |= {"other_heads": int, "other_labels": str}
        for name, convert in converters.items():
            values: Sequence[object] | None = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, tuple(convert(value) for value in values))
        object.__setattr__(self, "lines", tuple(tuple(map(str, line)) for line in self.lines))
        sequences = [(field.name, getattr(self, field.name)) for field in fields(self) if field.name != "lines"]
        sequences += [("texts in a line", line) for line in self.lines]
        for name, values in sequences:
            if isinstance(values, tuple) and len(values) != len(self.heads):
                raise CrossarcError(f"cannot draw: {len(values)} {name} for {len(self.heads)} words")
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
    def text_lines(self) -> tuple[tuple[str, ...], ...]:
        """The lines under the words, fit to print: the tags, if there are any, and the others."""
        every = self.lines if self.tags is None else (self.tags, *self.lines)
        return tuple(tuple(map(clean, line)) for line in every)

    @cached_property
    def arcs(self) -> tuple[Arc, ...]:
        """The arcs, by dependent."""
        if self.other_heads is not None:
            return tuple(self._compared_arcs(self.other_heads))
        return tuple(self._arc(word, head) for word, head in enumerate(self.heads, start=1) if head != NO_HEAD)

    def _arc(self, word: int, head: int) -> Arc:
        plane = self.planes[word - 1] if self.planes else 0
        return Arc(head, word, self._label(self.labels, word, head), plane, self._crosses(word))

    def _crosses(self, word: int) -> bool:
        return bool(self.crossing and self.crossing[word - 1])

    @staticmethod
    def _label(labels: tuple[str, ...] | None, word: int, head: int) -> str:
        label = clean(labels[word - 1]) if labels else ""
        return ROOT_LABEL if head == 0 and not label else label

    def _compared_arcs(self, other_heads: tuple[int, ...]) -> Iterator[Arc]:
        for word, (head, other) in enumerate(zip(self.heads, other_heads, strict=True), start=1):
            label = self._label(self.labels, word, head)
            other_label = self._label(self.other_labels, word, other) if self.other_labels else label
            if head == other and label != other_label:
                yield Arc(head, word, f"{label} ≠ {other_label}", 0, self._crosses(word), "relabelled")
            elif head != NO_HEAD:
                yield Arc(head, word, label, 0, self._crosses(word), "" if head == other else "missed")
            # What is no arc at all, in a system's output that is no tree, cannot be drawn.
            if other not in (head, word) and 0 <= other <= len(self):
                yield Arc(other, word, other_label, 1, False, "wrong")

    @cached_property
    def is_right_to_left(self) -> bool:
        """Whether most letters of the words belong to a right-to-left script."""
        return is_right_to_left(self.words)

    @property
    def caption(self) -> str:
        """The title, or else the words."""
        return clean(self.title) if self.title else " ".join(self.words)
