"""A picture in Unicode box drawing: words in a line with arcs above and below, or one word per line with arcs beside.

Crossing arcs have heavy lines, planes from the third on broken ones. The first form is for short sentences; what does
not fit the terminal takes the second, which has room for any number of words. Lines are kept as strokes towards the
four neighbours of a cell, light or heavy, and turned into characters at the end: lines of the same word join by
themselves, and where two others cross, one passes over the other. O(cells), and what `arrange` costs.
"""

from __future__ import annotations

import shutil
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, replace

from ..errors import CrossarcError
from .arrangement import Arrangement, Measures, PlacedArc, arrange, levels
from .colours import TERMINAL
from .layout import Orientation, checked_orientation
from .picture import Arc, Picture
from .text import cells, clusters, for_terminals, shorten

_FAINT = "2"
_LONGEST_WORD = 32

CELLS = Measures(
    word=cells, tag=cells, label=cells, leg=1, least_leg=1, gap=2, room=1, root_room=1, thickness=1, unit=1
)


def terminal(
    picture: Picture, width: int | None = None, colour: bool = False, orientation: Orientation = "auto"
) -> str:
    """Draw a picture for a terminal of `width` cells (None: the width of this terminal).

    `orientation` is "horizontal", "vertical", or "auto": horizontal where that fits. Right-to-left scripts are vertical
    then, since terminals disagree on who turns the letters around.
    """
    checked_orientation(orientation)
    columns = shutil.get_terminal_size().columns if width is None else width
    if columns < 1:
        raise CrossarcError(f"the width of a terminal is a positive number of columns, not {columns}")
    picture = _for_terminals(picture)
    if orientation == "horizontal" or (orientation == "auto" and not picture.is_right_to_left):
        arrangement = arrange(picture, CELLS)
        if orientation == "horizontal" or arrangement.width <= columns:
            return _horizontal(picture, arrangement).text(width=columns, colour=colour)
    return _vertical(picture, columns).text(width=columns, colour=colour)


def _for_terminals(picture: Picture) -> Picture:
    def plain(texts: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if texts is None else tuple(map(for_terminals, texts))

    return replace(
        picture,
        forms=plain(picture.forms),
        labels=plain(picture.labels),
        tags=plain(picture.tags),
        lines=tuple(tuple(map(for_terminals, line)) for line in picture.lines),
        other_labels=plain(picture.other_labels),
        title=None,
    )


def _style(arc: Arc) -> str:
    return ("1;" if arc.is_heavy else "") + TERMINAL[arc.colour % len(TERMINAL)]


def _weight(arc: Arc) -> int:
    return HEAVY if arc.is_heavy else LIGHT


def _is_dashed(arc: Arc) -> bool:
    return arc.plane >= 2


# One line of words.


def _horizontal(picture: Picture, arrangement: Arrangement) -> Canvas:
    canvas = Canvas()
    above = arrangement.levels(above=True)
    words_row = above + 1 if above else 0
    last_row = words_row + len(picture.text_lines)
    for number, place in enumerate(arrangement.words):
        lines = [(picture.words[number], ""), *((line[number], _FAINT) for line in picture.text_lines)]
        for row, (text, style) in enumerate(lines, start=words_row):
            canvas.write(row, int(place.middle - cells(text) / 2 + 0.5), text, style)
    rows = {
        placed.arc: words_row - 1 - placed.level if placed.arc.is_above else last_row + 1 + placed.level
        for placed in arrangement.arcs
    }
    for placed in arrangement.arcs:
        _draw_bracket(canvas, placed, rows[placed.arc])
    # Legs go over the lines that they cross.
    for placed in arrangement.arcs:
        _draw_legs(canvas, placed, rows[placed.arc], words_row - 1 if placed.arc.is_above else last_row + 1)
    for placed in arrangement.arcs:
        if placed.label is not None:
            canvas.write(rows[placed.arc], int(placed.label.start), placed.arc.label, _style(placed.arc))
    return canvas


def _draw_bracket(canvas: Canvas, placed: PlacedArc, row: int) -> None:
    arc, weight = placed.arc, _weight(placed.arc)
    if arc.is_root:
        return
    left, right = sorted((int(placed.head), int(placed.dependent)))
    up, down = (0, weight) if arc.is_above else (weight, 0)
    for column in range(left + 1, right):
        canvas.stroke(row, column, (0, weight, 0, weight), _style(arc), dashed=_is_dashed(arc))
    canvas.stroke(row, left, (up, weight, down, 0), _style(arc))
    canvas.stroke(row, right, (up, 0, down, weight), _style(arc))


def _draw_legs(canvas: Canvas, placed: PlacedArc, row: int, arrow_row: int) -> None:
    arc, weight = placed.arc, _weight(placed.arc)
    step = 1 if arrow_row > row else -1
    for column in {int(placed.head), int(placed.dependent)}:
        for between in range(row + step, arrow_row + step, step):
            canvas.bridge(between, column, (weight, 0, weight, 0), _style(arc), dashed=_is_dashed(arc))
    canvas.write(arrow_row, int(placed.dependent), "▼" if arc.is_above else "▲", _style(arc))


# One word per line: first plane at the left, second plane at the right.


def _vertical(picture: Picture, columns: int) -> Canvas:
    longest = min(_LONGEST_WORD, max(4, columns // 3))
    forms = [shorten(word, longest) for word in picture.words]
    # Arcs that go up and down from a word in one column would look like a single arc past it.
    real_arcs = [arc for arc in picture.arcs if not arc.is_root]
    left, right = (levels([arc for arc in real_arcs if arc.is_above == above], apart=True) for above in (True, False))
    words_column = 2 * max(left.values(), default=0) + 2
    words_end = words_column + max(map(cells, forms), default=0)
    labels_column = words_end + (2 * max(right.values()) + 2 if right else 0) + 2
    labels = _labels(picture)
    tags_column = labels_column + max((cells(label) for label, _ in labels.values()), default=0) + 2
    if tags_column - 2 > columns:
        return _list(picture, forms)
    canvas = Canvas()
    for row, form in enumerate(forms):
        canvas.write(row, words_column, form)
    for word, (label, style) in labels.items():
        canvas.write(word - 1, labels_column, label, style)
    for arc in picture.arcs:
        if arc.is_root:
            canvas.write(arc.dependent - 1, words_column - 2, "●", _style(arc))
    for line in picture.text_lines:
        line_end = tags_column + max(map(cells, line), default=0)
        if line_end > columns:
            break
        for row, text in enumerate(line):
            canvas.write(row, tags_column, text, _FAINT)
        tags_column = line_end + 2
    # The column beside the words comes first; levels follow towards the outside.
    _draw_side(canvas, left, words_column - 2, -1)
    _draw_side(canvas, right, words_end + 1, 1)
    return canvas


def _labels(picture: Picture) -> dict[int, tuple[str, str]]:
    """The label of each word and its style; of two analyses both labels, in the style of the last."""
    labels: dict[int, tuple[str, str]] = {}
    for arc in picture.arcs:
        before = f"{labels[arc.dependent][0]} / " if arc.dependent in labels else ""
        labels[arc.dependent] = before + arc.label, _style(arc)
    return labels


def _list(picture: Picture, forms: list[str]) -> Canvas:
    """Where not even one word per line leaves room for the arcs: the words, their labels and their heads."""
    canvas = Canvas()
    digits = len(str(len(picture)))
    labels_column = digits + 2 + max(map(cells, forms), default=0) + 2
    labels = _labels(picture)
    heads_column = labels_column + max((cells(label) for label, _ in labels.values()), default=0) + 2
    for row, form in enumerate(forms):
        canvas.write(row, 0, str(row + 1).rjust(digits), _FAINT)
        canvas.write(row, digits + 2, form)
    for word, (label, style) in labels.items():
        canvas.write(word - 1, labels_column, label, style)
    heads: dict[int, str] = {}
    for arc in picture.arcs:
        head = "●" if arc.is_root else f"← {arc.head} {forms[arc.head - 1]}"
        heads[arc.dependent] = f"{heads[arc.dependent]} / {head}" if arc.dependent in heads else head
        canvas.write(arc.dependent - 1, heads_column, heads[arc.dependent], _style(arc))
    return canvas


def _draw_side(canvas: Canvas, level_of: dict[Arc, int], first: int, outwards: int) -> None:
    columns = {arc: first + outwards * 2 * level for arc, level in level_of.items()}
    joining: defaultdict[int, list[int]] = defaultdict(list)  # the columns of the arcs at each word
    for arc, column in columns.items():
        joining[arc.head].append(column)
        joining[arc.dependent].append(column)
    for arc, column in columns.items():
        for word, other in ((arc.head, arc.dependent), (arc.dependent, arc.head)):
            _draw_turn(canvas, arc, word - 1, column, first, goes_down=other > word)
    for arc, column in columns.items():
        for row in range(arc.left, arc.right - 1):
            weight = _weight(arc)
            canvas.bridge(row, column, (weight, 0, weight, 0), _style(arc), dashed=_is_dashed(arc))
    for arc, column in columns.items():
        # The arrowhead stands before the next line that joins, so that it is clear which arc it belongs to.
        nearer = [place for place in joining[arc.dependent] if abs(place - first) < abs(column - first)]
        nearest = max(nearer, key=lambda place: abs(place - first), default=None)
        place = first if nearest is None else nearest + outwards
        canvas.write(arc.dependent - 1, place, "▶" if outwards < 0 else "◀", _style(arc))


def _draw_turn(canvas: Canvas, arc: Arc, row: int, column: int, first: int, *, goes_down: bool) -> None:
    """Draw the end of an arc: a corner in the arc's column and a line from there to the word."""
    weight, style = _weight(arc), _style(arc)
    up, down = (0, weight) if goes_down else (weight, 0)
    inwards = 1 if column < first else -1
    right, left = (weight, 0) if inwards > 0 else (0, weight)
    strokes: Strokes = (up, right, down, left)
    canvas.stroke(row, column, strokes, style)
    for place in range(column + inwards, first + inwards, inwards):
        canvas.stroke(row, place, (0, weight, 0, weight), style, dashed=_is_dashed(arc))


# The sheet of cells

LIGHT, HEAVY = 1, 2
_WEIGHTS = {"LIGHT": LIGHT, "HEAVY": HEAVY}
_SIDES = {"UP": (0,), "RIGHT": (1,), "DOWN": (2,), "LEFT": (3,), "VERTICAL": (0, 2), "HORIZONTAL": (1, 3)}
_ROUND = {(0, 1, 1, 0): "╭", (0, 0, 1, 1): "╮", (1, 1, 0, 0): "╰", (1, 0, 0, 1): "╯"}
_DASHED = {"─": "╌", "│": "╎", "━": "╍", "┃": "╏"}

Strokes = tuple[int, int, int, int]  # up, right, down, left: 0, LIGHT or HEAVY


def _box_characters() -> dict[Strokes, str]:
    """Read the box-drawing characters from their Unicode names, such as "DOWN HEAVY AND RIGHT LIGHT"."""
    found: dict[Strokes, str] = {}
    for code in range(0x2500, 0x2580):
        words = unicodedata.name(chr(code)).split()[2:]
        if not set(words) <= {*_SIDES, *_WEIGHTS, "AND"}:
            continue
        strokes = [0, 0, 0, 0]
        if words[0] not in _WEIGHTS:  # the weight stands behind its sides: turn the name around
            words = words[::-1]
        weight = LIGHT
        for word in words:
            weight = _WEIGHTS.get(word, weight)
            for side in _SIDES.get(word, ()):
                strokes[side] = weight
        found[strokes[0], strokes[1], strokes[2], strokes[3]] = chr(code)
    return found | _ROUND


BOXES = _box_characters()


@dataclass
class _Cell:
    text: str = ""
    strokes: Strokes = (0, 0, 0, 0)
    style: str = ""
    dashed: bool = False
    covered: bool = False  # by the wide character to its left

    def shown(self) -> str:
        if self.text or self.covered:
            return self.text
        character = BOXES.get(self.strokes, " ")
        return _DASHED.get(character, character) if self.dashed else character


class Canvas:
    """A sheet that grows as it is drawn on; rows and columns count from 0."""

    def __init__(self) -> None:
        """Start with an empty sheet."""
        self._rows: list[list[_Cell]] = []

    def _cell(self, row: int, column: int) -> _Cell:
        while len(self._rows) <= row:
            self._rows.append([])
        cells = self._rows[row]
        while len(cells) <= column:
            cells.append(_Cell())
        return cells[column]

    def write(self, row: int, column: int, text: str, style: str = "") -> None:
        """Write a text over whatever is there; `style` is an SGR code."""
        self._cell(row, column)
        for cluster, width in clusters(text):
            for place in range(width):
                cell = self._cell(row, column + place)
                cell.text, cell.style, cell.covered = ("", style, True) if place else (cluster, style, False)
            column += width

    def stroke(self, row: int, column: int, strokes: Strokes, style: str = "", *, dashed: bool = False) -> None:
        """Add strokes to those of a cell."""
        cell = self._cell(row, column)
        up, right, down, left = (max(pair) for pair in zip(cell.strokes, strokes, strict=True))
        cell.dashed = dashed and (cell.dashed or not any(cell.strokes))
        cell.strokes, cell.style = (up, right, down, left), style

    def bridge(self, row: int, column: int, strokes: Strokes, style: str = "", *, dashed: bool = False) -> None:
        """Put strokes over those of a cell: a line that passes another without touching it."""
        cell = self._cell(row, column)
        cell.strokes, cell.style, cell.dashed = strokes, style, dashed

    def text(self, *, width: int | None = None, colour: bool = False) -> str:
        """Return the sheet as lines, cut to `width` cells if it is wider."""
        return "".join(_line(cells, width, colour) + "\n" for cells in self._rows)


def _line(cells: list[_Cell], width: int | None, colour: bool) -> str:
    while cells and cells[-1].shown() in ("", " ") and not cells[-1].covered:
        cells = cells[:-1]
    if width is not None and len(cells) > width:
        cut = max(0, width - 1)
        while cut and cells[cut].covered:
            cut -= 1
        cells = [*cells[:cut], _Cell(text="…")] if width else []
    pieces: list[str] = []
    style = ""
    for cell in cells:
        shown = cell.shown()
        wanted = cell.style if colour and shown != " " else ""
        if wanted != style:
            pieces.append("\x1b[0m" if not wanted else f"\x1b[0;{wanted}m")
            style = wanted
        pieces.append(shown)
    return "".join(pieces) + ("\x1b[0m" if style else "")
