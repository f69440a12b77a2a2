"""A sheet of terminal cells to write text and draw box lines on.

Lines are kept as strokes towards the four neighbours of a cell, light or heavy, and turned into characters at the end,
so that lines that meet join by themselves. Wide characters take two cells. O(cells).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from .text import clusters

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
