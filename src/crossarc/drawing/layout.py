"""The geometry of a drawing in pixels, as data: where every word, tag, arc and label of a picture is.

First plane above the sentence, second below, further planes alternate. O(n²), as `arrangement`.
"""

from __future__ import annotations

from dataclasses import dataclass

from .arrangement import Measures, PlacedArc, arrange
from .picture import Arc, Picture
from .text import ems

WORD_SIZE, LABEL_SIZE, TAG_SIZE = 16.0, 11.0, 10.5
LABEL_HEIGHT = 13.0
_WORD_HEIGHT, _TAG_HEIGHT = 22.0, 14.0
_FIRST_LEVEL, _LEVEL = 25.0, 19.0  # from the words to the first level, and from each level to the next
_MARGIN = 14.0

#: Pixels; a label keeps 7 of them from the legs of its arc, which leaves room for the rounded corners.
PIXELS = Measures(
    word=lambda text: ems(text) * WORD_SIZE,
    tag=lambda text: ems(text) * TAG_SIZE,
    label=lambda text: ems(text) * LABEL_SIZE + 4,
    leg=6.0,
    least_leg=4.5,
    gap=13.0,
    room=7.0,
    root_room=2.5,
    thickness=0.0,
    unit=0.5,
    near=220.0,
)


@dataclass(frozen=True)
class Box:
    """A rectangle; y grows downwards."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Box) -> bool:
        """Whether two boxes share more than an edge."""
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )


@dataclass(frozen=True)
class WordPlace:
    """The room of a word with its tag, and the baselines of both."""

    box: Box
    x: float  # the middle of the text
    baseline: float
    tag_baseline: float | None


@dataclass(frozen=True)
class ArcPlace:
    """The run of an arc: from (`head`, `foot`) to the height `y`, along to `dependent`, and to (`dependent`, `foot`).

    The arrow of a root comes straight from its label.
    """

    arc: Arc
    level: int
    head: float
    dependent: float
    foot: float
    y: float
    label: Box | None


@dataclass(frozen=True)
class Layout:
    """The whole drawing."""

    width: float
    height: float
    words: tuple[WordPlace, ...]
    arcs: tuple[ArcPlace, ...]


def layout(picture: Picture) -> Layout:
    """Compute the geometry of the SVG drawing of a picture."""
    arrangement = arrange(picture, PIXELS)
    above, below = (_depth(arrangement.levels(side)) for side in (True, False))
    top = _MARGIN + above
    block = _WORD_HEIGHT + (_TAG_HEIGHT if picture.tag_line else 0.0)
    words = tuple(
        WordPlace(
            Box(word.room.start + _MARGIN, top, word.room.width, block),
            word.middle + _MARGIN,
            top + 0.75 * _WORD_HEIGHT,
            top + _WORD_HEIGHT + 0.6 * _TAG_HEIGHT if picture.tag_line else None,
        )
        for word in arrangement.words
    )
    arcs = tuple(_arc_place(placed, top, top + block) for placed in arrangement.arcs)
    return Layout(arrangement.width + 2 * _MARGIN, top + block + below + _MARGIN, words, arcs)


def _depth(levels: int) -> float:
    return _FIRST_LEVEL + (levels - 1) * _LEVEL + LABEL_HEIGHT / 2 if levels else 0.0


def _arc_place(placed: PlacedArc, top: float, bottom: float) -> ArcPlace:
    distance = _FIRST_LEVEL + (placed.level - 1) * _LEVEL
    foot, y = (top, top - distance) if placed.arc.is_above else (bottom, bottom + distance)
    label = None
    if placed.label is not None:
        label = Box(placed.label.start + _MARGIN, y - LABEL_HEIGHT / 2, placed.label.width, LABEL_HEIGHT)
    return ArcPlace(placed.arc, placed.level, placed.head + _MARGIN, placed.dependent + _MARGIN, foot, y, label)
