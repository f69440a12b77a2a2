"""Where words stand and arcs run, in whatever unit a drawing has (pixels or cells): levels, legs and spacing.

An arc is a bracket: a leg up from each of its two words and a line between them at the arc's level. Arcs whose spans
overlap have different levels, the longer the higher. Every arc has a leg of its own at each word, the longest nearest
the middle, so that arcs meet only where they truly cross. Words move apart until every label fits between the legs of
its arc. Costs O(n²) for n words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .picture import Arc, Picture


@dataclass(frozen=True)
class Measures:
    """How wide things are in a drawing."""

    word: Callable[[str], float]
    tag: Callable[[str], float]
    label: Callable[[str], float]
    leg: float  # from one leg to the next at the same word
    gap: float  # between neighbouring words
    room: float  # on both sides of a label, up to the legs of its arc
    root_room: float  # on both sides of the label of a root
    thickness: float  # of a leg, where it takes room of its own
    unit: float  # all positions are multiples of it
    near: float = math.inf  # how far from the dependent the label of a long arc may be

    def up(self, value: float) -> float:
        """Round up to a whole number of units."""
        return math.ceil(value / self.unit - 1e-9) * self.unit

    def down(self, value: float) -> float:
        """Round down to a whole number of units."""
        return math.floor(value / self.unit + 1e-9) * self.unit


@dataclass(frozen=True)
class Span:
    """An interval on the line of the sentence."""

    start: float
    width: float

    @property
    def end(self) -> float:
        """Where it ends."""
        return self.start + self.width

    @property
    def middle(self) -> float:
        """Half way between its ends."""
        return self.start + self.width / 2


@dataclass(frozen=True)
class PlacedWord:
    """The room of a word and its legs, and where in it the middle of the text is."""

    room: Span
    middle: float


@dataclass(frozen=True)
class PlacedArc:
    """An arc, its level (from 1), the places of its two legs, and the place of its label, if it has one."""

    arc: Arc
    level: int
    head: float
    dependent: float
    label: Span | None


@dataclass(frozen=True)
class Arrangement:
    """The places of all words and arcs, from left to right as they are seen."""

    width: float
    words: tuple[PlacedWord, ...]
    arcs: tuple[PlacedArc, ...]

    def levels(self, above: bool) -> int:
        """The number of levels on one side of the sentence."""
        return max((placed.level for placed in self.arcs if placed.arc.is_above == above), default=0)


def levels(arcs: Sequence[Arc]) -> dict[Arc, int]:
    """Give every arc of one side a level: the least one that is above all shorter arcs with an overlapping span."""
    found: dict[Arc, int] = {}
    for arc in sorted(arcs, key=lambda arc: (arc.right - arc.left, arc.left, arc.dependent)):
        below = (level for other, level in found.items() if arc.left < other.right and other.left < arc.right)
        found[arc] = 1 + max(below, default=0)
    return found


def arrange(picture: Picture, measures: Measures) -> Arrangement:
    """Place the words and arcs of a picture; right-to-left scripts are mirrored."""
    widths, legs = _word_widths_and_legs(picture, measures)
    gaps = _gaps(picture.arcs, widths, legs, measures)
    starts = [0.0]
    for width, gap in zip(widths, gaps, strict=True):
        starts.append(starts[-1] + width + gap)
    total = starts[-1] - (gaps[-1] if gaps else 0.0)
    rooms = [Span(start, width) for start, width in zip(starts, widths, strict=False)]

    level_of = levels([arc for arc in picture.arcs if arc.is_above])
    level_of |= levels([arc for arc in picture.arcs if not arc.is_above])
    feet = {
        arc: (rooms[arc.left - 1].start + legs[arc, arc.left], rooms[arc.right - 1].start + legs[arc, arc.right])
        for arc in picture.arcs
    }
    placed: list[PlacedArc] = []
    for arc in picture.arcs:
        left, right = feet[arc]
        head, dependent = (left, right) if arc.head == arc.left else (right, left)
        label = _label_place(arc, feet, level_of, measures) if arc.label else None
        placed.append(PlacedArc(arc, level_of[arc], head, dependent, label))
    arrows = {arc.arc.dependent: arc.dependent for arc in placed}
    words = tuple(
        PlacedWord(room, _text_middle(picture, word, room, arrows.get(word), measures))
        for word, room in enumerate(rooms, start=1)
    )
    arrangement = Arrangement(total, words, tuple(placed))
    return _mirrored(arrangement, measures) if picture.is_right_to_left else arrangement


Legs = dict[tuple[Arc, int], float]


def _text_width(picture: Picture, word: int, measures: Measures) -> float:
    tag = picture.tag_line[word - 1] if picture.tag_line else ""
    return measures.up(max(measures.word(picture.words[word - 1]), measures.tag(tag)))


def _text_middle(picture: Picture, word: int, room: Span, arrow: float | None, measures: Measures) -> float:
    """Where many legs make the room wider than the text, the text stands where the arrow points."""
    if arrow is None:
        return room.middle
    half = _text_width(picture, word, measures) / 2
    return min(max(arrow + measures.thickness / 2, room.start + half), room.end - half)


def _word_widths_and_legs(picture: Picture, measures: Measures) -> tuple[list[float], Legs]:
    """Find the width of every word, and where on it every leg stands."""
    widths: list[float] = []
    legs: Legs = {}
    rows: dict[tuple[int, bool], list[Arc]] = {}
    for arc in picture.arcs:
        for word in {arc.left, arc.right}:
            rows.setdefault((word, arc.is_above), []).append(arc)
    for word in range(1, len(picture) + 1):
        sides = [_in_order(rows.get((word, above), []), word) for above in (True, False)]
        slots = [[_slot_width(arc, measures) for arc in row] for row in sides]
        width = max(_text_width(picture, word, measures), *map(sum, slots))
        widths.append(width)
        for row, slot_widths in zip(sides, slots, strict=True):
            start = measures.down((width - sum(slot_widths)) / 2)
            for arc, slot in zip(row, slot_widths, strict=True):
                legs[arc, word] = start + measures.up((slot - measures.thickness) / 2)
                start += slot
    return widths, legs


def _in_order(arcs: list[Arc], word: int) -> list[Arc]:
    """Sort the arcs of a word so that their legs do not cross: the longest nearest the middle, on both sides."""

    def key(arc: Arc) -> tuple[int, int, int]:
        length = arc.right - arc.left
        if arc.is_root:
            return (1, 0, 0)
        return (0, length, arc.dependent) if arc.right == word else (2, -length, -arc.dependent)

    return sorted(arcs, key=key)


def _slot_width(arc: Arc, measures: Measures) -> float:
    return measures.up(measures.label(arc.label) + 2 * measures.root_room) if arc.is_root else measures.leg


def _gaps(arcs: Sequence[Arc], widths: list[float], legs: Legs, measures: Measures) -> list[float]:
    """Find the gap behind every word: wide enough for all labels, and widened evenly along each arc."""
    gaps = [measures.gap] * len(widths)
    for arc in sorted(arcs, key=lambda arc: (arc.right - arc.left, arc.left)):
        if arc.is_root:
            continue
        behind, before = arc.left - 1, arc.right - 1  # places in the lists
        distance = sum(widths[behind:before]) + sum(gaps[behind:before]) - legs[arc, arc.left] + legs[arc, arc.right]
        missing = measures.label(arc.label) + 2 * measures.room + measures.thickness - distance
        if missing > 0:
            more = measures.up(missing / (before - behind))
            gaps[behind:before] = [gap + more for gap in gaps[behind:before]]
    return gaps


def _label_place(arc: Arc, feet: dict[Arc, tuple[float, float]], level_of: dict[Arc, int], measures: Measures) -> Span:
    """Put a label in the middle of its arc, or beside it where the leg of a crossing arc is in the way.

    In an arc too long to be seen at once, the label stays near the dependent, where a reader looks for it.
    """
    left, right = feet[arc]
    width = measures.up(measures.label(arc.label))
    middle = (left + measures.thickness + right - width) / 2  # of the places where the label may begin
    if arc.is_root:
        return Span(measures.down(middle), width)
    if arc.dependent == arc.right:
        middle = max(middle, right - measures.near - width)
    else:
        middle = min(middle, left + measures.near)
    obstacles = [
        foot
        for other, both in feet.items()
        if other.is_above == arc.is_above and level_of[other] > level_of[arc]
        for foot in both
        if left < foot < right
    ]
    if not obstacles:
        return Span(measures.down(middle), width)
    edges = sorted([left, *obstacles, right])
    free = [
        (start + measures.thickness + measures.room, end - measures.room - width)
        for start, end in pairwise(edges)
        if end - start >= width + 2 * measures.room + measures.thickness
    ]
    places = [min(max(middle, first), last) for first, last in free]
    return Span(measures.down(min(places, key=lambda place: abs(place - middle), default=middle)), width)


def _mirrored(arrangement: Arrangement, measures: Measures) -> Arrangement:
    """Turn left and right around; a leg with a thickness keeps its own cell."""
    total = arrangement.width

    def turn(span: Span) -> Span:
        return Span(total - span.end, span.width)

    def turn_leg(place: float) -> float:
        return total - place - measures.thickness

    arcs = tuple(
        PlacedArc(
            placed.arc,
            placed.level,
            turn_leg(placed.head),
            turn_leg(placed.dependent),
            None if placed.label is None else turn(placed.label),
        )
        for placed in arrangement.arcs
    )
    words = tuple(PlacedWord(turn(word.room), total - word.middle) for word in arrangement.words)
    return Arrangement(total, words, arcs)
