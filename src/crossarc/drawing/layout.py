"""The whole SVG drawing in pixels, as data: where every word, label and line is.

Horizontal: words in a line, arcs of the first plane above them, of the second below, further planes alternating, each
label on its arc. Vertical, for long sentences: one word per line, the first plane at the left and the second at the
right, each label beside its word at the end of its arc. Costs what `arrange` costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from ..errors import CrossarcError
from .arrangement import Measures, PlacedArc, arrange, in_order
from .picture import Arc, Picture
from .text import ems

Orientation = Literal["auto", "horizontal", "vertical"]
ORIENTATIONS = ("auto", "horizontal", "vertical")
#: Pixels; a drawing that would be wider is vertical, unless told otherwise.
WIDEST = 1400.0

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
    """The room of a word, and where its text is: its middle, in a vertical drawing its beginning.

    `lines` has the same points, x and baseline, of the lines below it, which are columns in a vertical drawing.
    """

    box: Box
    x: float
    baseline: float
    lines: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class ArcPlace:
    """The run of an arc, out to its line, along it, and back: `head` and `dependent` are along the sentence.

    In a horizontal drawing these are x, and the arc goes from (`head`, `foot`) to the height `line` and on to
    (`dependent`, `foot`). In a vertical one they are y, and `foot` and `line` are x. The arrow of a root comes straight
    from its label, or to it.
    """

    arc: Arc
    level: int
    head: float
    dependent: float
    foot: float
    line: float
    label: Box | None


@dataclass(frozen=True)
class Layout:
    """The whole drawing."""

    width: float
    height: float
    words: tuple[WordPlace, ...]
    arcs: tuple[ArcPlace, ...]
    is_vertical: bool = False


def layout(picture: Picture, orientation: Orientation = "auto", widest: float = WIDEST) -> Layout:
    """Compute the geometry of the SVG drawing of a picture.

    `orientation` is "horizontal", "vertical", or "auto": vertical where the other would be wider than `widest` pixels.
    """
    if checked_orientation(orientation) == "vertical":
        return _vertical(picture)
    # The words alone may be too wide already.
    least = sum(PIXELS.word(word) + PIXELS.gap for word in picture.words)
    flat = _horizontal(picture) if orientation == "horizontal" or least <= widest else None
    if flat is not None and (orientation == "horizontal" or flat.width <= widest):
        return flat
    upright = _vertical(picture)
    # A single word is as wide on a line of its own.
    return upright if upright.width < (least if flat is None else flat.width) else flat or _horizontal(picture)


def checked_orientation(orientation: str) -> Orientation:
    """Refuse what is no orientation."""
    if orientation not in ORIENTATIONS:
        raise CrossarcError(f"unknown orientation {orientation!r}: known are {', '.join(ORIENTATIONS)}")
    return cast(Orientation, orientation)


def _horizontal(picture: Picture) -> Layout:
    arrangement = arrange(picture, PIXELS)
    above, below = (_depth(arrangement.levels(side)) for side in (True, False))
    top = _MARGIN + above
    block = _WORD_HEIGHT + _TAG_HEIGHT * len(picture.text_lines)
    baselines = [top + _WORD_HEIGHT + (line + 0.6) * _TAG_HEIGHT for line in range(len(picture.text_lines))]
    words = tuple(
        WordPlace(
            Box(word.room.start + _MARGIN, top, word.room.width, block),
            word.middle + _MARGIN,
            top + 0.75 * _WORD_HEIGHT,
            tuple((word.middle + _MARGIN, baseline) for baseline in baselines),
        )
        for word in arrangement.words
    )
    arcs = tuple(_arc_place(placed, top, top + block) for placed in arrangement.arcs)
    return Layout(arrangement.width + 2 * _MARGIN, top + block + below + _MARGIN, words, arcs)


def _depth(levels: int) -> float:
    return _FIRST_LEVEL + (levels - 1) * _LEVEL + LABEL_HEIGHT / 2 if levels else 0.0


def _arc_place(placed: PlacedArc, top: float, bottom: float) -> ArcPlace:
    distance = _FIRST_LEVEL + (placed.level - 1) * _LEVEL
    foot, line = (top, top - distance) if placed.arc.is_above else (bottom, bottom + distance)
    label = None
    if placed.label is not None:
        label = Box(placed.label.start + _MARGIN, line - LABEL_HEIGHT / 2, placed.label.width, LABEL_HEIGHT)
    return ArcPlace(placed.arc, placed.level, placed.head + _MARGIN, placed.dependent + _MARGIN, foot, line, label)


# One word per line

_ROW = 20.0
_ROOT_ARROW, _FIRST_COLUMN, _COLUMN = 13.0, 20.0, 9.0  # from the labels outwards
_WIDEST_SIDE = 600.0  # where there are more levels than fit, their lines are closer
_BETWEEN = 8.0  # columns of text
_AT_THE_TIP = 2.0  # between an arrow and its label

#: Along the lines: words are as high as a row, and labels take no room of their own there.
ROWS = replace(
    PIXELS,
    word=lambda text: _ROW,
    tag=lambda text: 0.0,
    label=lambda text: 0.0,
    least_leg=4.0,
    gap=2.0,
    room=0.0,
    root_room=3.0,
)


def _vertical(picture: Picture) -> Layout:
    """From left to right: arcs of the first plane, labels, words, lines, labels of the second plane, its arcs."""
    rows = in_order(picture, ROWS)
    sides = {side: _Side([placed for placed in rows.arcs if placed.arc.is_above == side]) for side in (True, False)}
    left = _MARGIN + sides[True].depth
    words_at = left + sides[True].labels
    columns_at = [words_at + max(map(PIXELS.word, picture.words), default=0.0) + _BETWEEN]
    for line in picture.text_lines:
        columns_at.append(columns_at[-1] + max(map(PIXELS.tag, line), default=0.0) + _BETWEEN)
    right = columns_at.pop() - (_BETWEEN if picture.text_lines else 0.0) + sides[False].labels
    words = tuple(
        WordPlace(
            Box(words_at, _MARGIN + row.middle - _ROW / 2, PIXELS.word(text), _ROW),
            words_at,
            _MARGIN + row.middle + 0.34 * WORD_SIZE,
            tuple((x, _MARGIN + row.middle + 0.34 * WORD_SIZE) for x in columns_at),
        )
        for row, text in zip(rows.words, picture.words, strict=True)
    )
    arcs = tuple(
        _upright_arc(placed, sides[placed.arc.is_above], words[placed.arc.dependent - 1], (left, right))
        for placed in rows.arcs
    )
    width = right + sides[False].depth + _MARGIN
    found = Layout(width, rows.width + 2 * _MARGIN, words, arcs, is_vertical=True)
    return _turned(found) if picture.is_right_to_left else found


class _Side:
    """The arcs at one side of the words: how wide their labels are, and how far out their lines."""

    def __init__(self, arcs: Sequence[PlacedArc]) -> None:
        levels = max((placed.level for placed in arcs), default=0)
        labels = max((PIXELS.label(placed.arc.label) for placed in arcs if placed.arc.label), default=0.0)
        self._step = min(_COLUMN, _WIDEST_SIDE / max(1, levels))
        self.labels = _AT_THE_TIP + labels + _BETWEEN if labels else 0.0
        self.depth = self.distance(levels) if levels else 0.0

    def distance(self, level: int) -> float:
        """How far from the labels the line of a level is."""
        return _FIRST_COLUMN + (level - 1) * self._step


def _upright_arc(placed: PlacedArc, side: _Side, word: WordPlace, edges: tuple[float, float]) -> ArcPlace:
    arc, (left, right) = placed.arc, edges
    distance = _ROOT_ARROW if arc.is_root else side.distance(placed.level)
    foot, line = (left, left - distance) if arc.is_above else (right, right + distance)
    label = None
    if arc.label:
        width, top = PIXELS.label(arc.label), word.box.y + (word.box.height - LABEL_HEIGHT) / 2
        x = left + _AT_THE_TIP if arc.is_above else right - _AT_THE_TIP - width
        label = Box(x, top, width, LABEL_HEIGHT)
    return ArcPlace(arc, placed.level, placed.head + _MARGIN, placed.dependent + _MARGIN, foot, line, label)


def _turned(places: Layout) -> Layout:
    """Turn left and right around, for scripts that are written from right to left."""

    def turn(box: Box) -> Box:
        return replace(box, x=places.width - box.x - box.width)

    words = tuple(
        replace(
            word,
            box=turn(word.box),
            x=places.width - word.x,
            lines=tuple((places.width - x, baseline) for x, baseline in word.lines),
        )
        for word in places.words
    )
    arcs = tuple(
        replace(
            place,
            foot=places.width - place.foot,
            line=places.width - place.line,
            label=None if place.label is None else turn(place.label),
        )
        for place in places.arcs
    )
    return replace(places, words=words, arcs=arcs)
