"""Where words stand and arcs run along the line of a sentence: levels, legs and spacing, in any unit.

An arc is a bracket: a leg up from each of its two words and a line between them at the arc's level. Arcs whose spans
overlap have different levels, the longer the higher. Every arc has a leg of its own at each word, the longest nearest
the middle, so that arcs meet only where they truly cross. Words move apart until every label fits between the legs of
its arc. O(n log n) for n words, and for each arc one pass of numpy over the words below it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .._arrays import Ids
from .picture import Arc, Picture


@dataclass(frozen=True)
class Measures:
    """How wide things are in a drawing."""

    word: Callable[[str], float]
    tag: Callable[[str], float]
    label: Callable[[str], float]
    leg: float  # from one leg to the next at the same word
    least_leg: float  # the same where there are many
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


def levels(arcs: Sequence[Arc], *, apart: bool = False) -> dict[Arc, int]:
    """Give every arc of one side a level: the least one that is above all shorter arcs with an overlapping span.

    With `apart`, two arcs that end at the same word from different sides do not share a level either.
    """
    found: dict[Arc, int] = {}
    # The highest level so far over each word (2 · word) and between it and the next (2 · word + 1).
    heights = np.zeros(2 * max((arc.right for arc in arcs), default=0) + 1, np.int32)
    begin: defaultdict[int, set[int]] = defaultdict(set)  # levels of the arcs that begin at a word
    end: defaultdict[int, set[int]] = defaultdict(set)
    for arc in sorted(arcs, key=lambda arc: (arc.right - arc.left, arc.left, arc.dependent)):
        left, right = arc.left, arc.right
        inside = heights[2 * left : 2 * left + 1] if arc.is_root else heights[2 * left + 1 : 2 * right]
        level = 1 + int(inside.max())
        while apart and (level in end[left] or level in begin[right]):
            level += 1
        inside[:] = level
        found[arc] = level
        begin[left].add(level)
        end[right].add(level)
    return found


def arrange(picture: Picture, measures: Measures) -> Arrangement:
    """Place the words and arcs of a picture; right-to-left scripts are mirrored."""
    arrangement = in_order(picture, measures)
    return _mirrored(arrangement, measures) if picture.is_right_to_left else arrangement


def in_order(picture: Picture, measures: Measures) -> Arrangement:
    """Place the words and arcs of a picture, the first word first."""
    at_words = _arcs_at_words(picture)
    frames = [_frame(picture, word, at_words[word - 1], measures) for word in range(1, len(picture) + 1)]
    gaps = _gaps(picture.arcs, frames, measures)
    words: list[PlacedWord] = []
    start = 0.0
    for frame, gap in zip(frames, gaps, strict=True):
        words.append(PlacedWord(Span(start, frame.width), start + frame.middle))
        start += frame.width + gap
    total = words[-1].room.end if words else 0.0

    def place(arc: Arc, word: int) -> float:
        return words[word - 1].room.start + frames[word - 1].legs[arc]

    level_of = levels([arc for arc in picture.arcs if arc.is_above])
    level_of |= levels([arc for arc in picture.arcs if not arc.is_above])
    feet = {arc: (place(arc, arc.left), place(arc, arc.right)) for arc in picture.arcs}
    legs = {side: _Legs(feet, level_of, side) for side in (True, False)}
    placed: list[PlacedArc] = []
    for arc in picture.arcs:
        left, right = feet[arc]
        head, dependent = (left, right) if arc.head == arc.left else (right, left)
        label = _label_place(arc, left, right, legs[arc.is_above].passing(left, right, level_of[arc]), measures)
        placed.append(PlacedArc(arc, level_of[arc], head, dependent, label))
    return Arrangement(total, tuple(words), tuple(placed))


@dataclass(frozen=True)
class _Frame:
    """The room that a word and its legs need, and where in it the text and the legs are."""

    width: float
    middle: float
    legs: dict[Arc, float]


def _arcs_at_words(picture: Picture) -> list[list[Arc]]:
    found: list[list[Arc]] = [[] for _ in picture.heads]
    for arc in picture.arcs:
        for word in {arc.left, arc.right}:
            found[word - 1].append(arc)
    return found


def text_width(picture: Picture, word: int, measures: Measures) -> float:
    """The width of a word or of the texts under it, whichever is widest."""
    below = (measures.tag(line[word - 1]) for line in picture.text_lines)
    return measures.up(max(measures.word(picture.words[word - 1]), *below, 0.0))


def _frame(picture: Picture, word: int, arcs: list[Arc], measures: Measures) -> _Frame:
    text = text_width(picture, word, measures)
    legs: dict[Arc, float] = {}  # counted from where the text begins
    start, end = 0.0, text
    for above in (True, False):
        row = _in_order([arc for arc in arcs if arc.is_above == above], word)
        slots = _slots(row, word, text, measures)
        first = _first_slot(row, slots, word, text, measures)
        start, end = min(start, first), max(end, first + sum(slots))
        for arc, slot in zip(row, slots, strict=True):
            legs[arc] = first + measures.up((slot - measures.thickness) / 2)
            first += slot
    return _Frame(end - start, text / 2 - start, {arc: leg - start for arc, leg in legs.items()})


def _slots(row: list[Arc], word: int, text: float, measures: Measures) -> list[float]:
    """How much room each leg on one side of a word takes; many legs stand closer, to stay with a short word."""
    arrows = [arc for arc in row if arc.dependent == word]
    fixed = dict.fromkeys(arrows, measures.leg)
    fixed |= {arc: measures.up(measures.label(arc.label) + 2 * measures.root_room) for arc in arrows if arc.is_root}
    others = len(row) - len(fixed)
    share = (text - sum(fixed.values())) / others if others else 0.0
    leg = min(measures.leg, max(measures.least_leg, measures.down(share)))
    return [fixed.get(arc, leg) for arc in row]


def _first_slot(row: list[Arc], slots: list[float], word: int, text: float, measures: Measures) -> float:
    """Where the legs of one side begin, counted from the text: around its middle, or with the arrow over it."""
    total = sum(slots)
    arrow = next((place for place, arc in enumerate(row) if arc.dependent == word), None)
    if total <= text or arrow is None:
        return measures.down((text - total) / 2)
    on_the_middle = text / 2 - sum(slots[:arrow]) - slots[arrow] / 2
    return measures.down(min(0.0, max(text - total, on_the_middle)))


def _in_order(arcs: list[Arc], word: int) -> list[Arc]:
    """Sort the arcs of a word so that their legs do not cross: the longest nearest the middle, on both sides."""

    def key(arc: Arc) -> tuple[int, int, int]:
        length = arc.right - arc.left
        if arc.is_root:
            return (1, 0, 0)
        return (0, length, arc.dependent) if arc.right == word else (2, -length, -arc.dependent)

    return sorted(arcs, key=key)


def _gaps(arcs: Sequence[Arc], frames: list[_Frame], measures: Measures) -> list[float]:
    """Find the gap behind every word: wide enough for all labels, and widened evenly along each arc."""
    gaps = np.full(len(frames), float(measures.gap))
    starts = np.cumsum([0.0, *(frame.width for frame in frames)])  # as if there were no gaps
    for arc in sorted(arcs, key=lambda arc: (arc.right - arc.left, arc.left)):
        if arc.is_root:
            continue
        first, last = arc.left - 1, arc.right - 1  # places in the lists
        distance = float(starts[last] - starts[first] + gaps[first:last].sum())
        distance += frames[last].legs[arc] - frames[first].legs[arc]
        missing = measures.label(arc.label) + 2 * measures.room + measures.thickness - distance
        if missing > 0:
            gaps[first:last] += measures.up(missing / (last - first))
    found: list[float] = gaps.tolist()
    return found


class _Legs:
    """All legs of one side, from left to right."""

    def __init__(self, feet: dict[Arc, tuple[float, float]], level_of: dict[Arc, int], above: bool) -> None:
        legs = sorted((foot, level_of[arc]) for arc, both in feet.items() if arc.is_above == above for foot in both)
        self._places = np.array([place for place, _ in legs], float)
        self._levels: Ids = np.array([level for _, level in legs], np.int32)

    def passing(self, left: float, right: float, level: int) -> list[float]:
        """The places between the two legs of an arc where a leg of a crossing arc goes up through it."""
        first, last = np.searchsorted(self._places, left, "right"), np.searchsorted(self._places, right, "left")
        found: list[float] = self._places[first:last][self._levels[first:last] > level].tolist()
        return found


def _label_place(arc: Arc, left: float, right: float, obstacles: list[float], measures: Measures) -> Span | None:
    """Put a label in the middle of its arc, or beside it where the leg of a crossing arc is in the way.

    In an arc too long to be seen at once, the label stays near the dependent, where a reader looks for it.
    """
    if not arc.label:
        return None
    width = measures.up(measures.label(arc.label))
    middle = (left + measures.thickness + right - width) / 2  # of the places where the label may begin
    if not arc.is_root:
        near_right, near_left = right - measures.near - width, left + measures.near
        middle = max(middle, near_right) if arc.dependent == arc.right else min(middle, near_left)
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
