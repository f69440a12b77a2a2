"""A picture as code for the LaTeX package tikz-dependency, to be pasted into a paper.

It is the layout of the SVG drawing, scaled to a font of 10 points: heights, legs and the gaps between words are written
out. The second plane is drawn below the words, further planes alternate, in colours and dashes. The cost is
that of `layout`.
"""

from __future__ import annotations

from itertools import chain, pairwise

from .arrangement import text_width
from .colours import LIGHT, dash, plane_class
from .layout import PIXELS, WORD_SIZE, ArcPlace, Layout, layout
from .picture import Picture

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\symbol{38}",  # \& separates the words
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "[": "{[}",  # would be taken for options at the beginning of a row
    "]": "{]}",
    "-": "{-}",  # two of them would melt into a dash
    "\xa0": "~",
}


_STYLE = "edge slant = 0pt, edge horizontal padding = 0pt, label style = {draw = none, inner sep = 2pt}"
_POINTS = 10.0 / WORD_SIZE  # for each pixel of the layout
_ROOT_MORE = 6.0
_PADDING = 4.3  # around a word, in points, that tikz-dependency adds itself


def tikz(picture: Picture) -> str:
    """Draw a picture as a `dependency` environment of tikz-dependency."""
    places = layout(picture, "horizontal")
    lines = _comments(picture)
    numbers = sorted({plane_class(arc.colour) for arc in picture.arcs if arc.colour})
    lines += [rf"\definecolor{{crossarc{number}}}{{HTML}}{{{LIGHT.plane(number)[1:].upper()}}}" for number in numbers]
    lines += [
        rf"\begin{{dependency}}[{_STYLE}]",
        r"  \begin{deptext}[column sep = 0pt]",
        _row(picture, places, [escaped(word) for word in picture.words]),
    ]
    for line in picture.text_lines:
        lines.append(_row(picture, places, [r"\scriptsize " + escaped(text) for text in line]))
    lines.append(r"  \end{deptext}")
    lines += [_edge(picture, places, place) for place in places.arcs]
    lines.append(r"\end{dependency}")
    return "\n".join(lines) + "\n"


def _comments(picture: Picture) -> list[str]:
    texts = (*picture.words, *(arc.label for arc in picture.arcs), *chain(*picture.text_lines))
    packages = [r"\usepackage{tikz-dependency}"]
    if any('"' in text for text in texts):
        packages.append(r"\usepackage[T1]{fontenc}")
    lines = [f"% Needs in the preamble: {' '.join(packages)}"]
    if not all(text.isascii() for text in texts):
        lines.append("% Not all letters are ASCII: LuaLaTeX or XeLaTeX with a font that has them is safest.")
    return lines


def escaped(text: str) -> str:
    """Make a text safe for LaTeX.

    >>> print(escaped("50%_{a}"))
    50\\%\\_\\{a\\}
    """
    return "".join(_SPECIAL.get(character, character) for character in text)


def _row(picture: Picture, places: Layout, texts: list[str]) -> str:
    cells = ["{" + text + "}" for text in texts] or ["{}"]
    order = list(range(len(texts)))
    if picture.is_right_to_left:
        order.reverse()
        cells.reverse()
    row = cells[0]
    for (left, right), cell in zip(pairwise(order), cells[1:], strict=True):
        row += rf" \&[{_points(_gap(picture, places, left, right) * _POINTS - _PADDING)}] {cell}"
    return "    " + row + r" \\"


def _gap(picture: Picture, places: Layout, left: int, right: int) -> float:
    """The pixels between the texts of two neighbours."""
    halves = (text_width(picture, left + 1, PIXELS) + text_width(picture, right + 1, PIXELS)) / 2
    return places.words[right].x - places.words[left].x - halves


def _points(value: float) -> str:
    return f"{value:.1f}pt"


def _column(picture: Picture, word: int) -> int:
    return len(picture) + 1 - word if picture.is_right_to_left else word


def _edge(picture: Picture, places: Layout, place: ArcPlace) -> str:
    arc = place.arc
    dependent, label = _column(picture, arc.dependent), "{" + escaped(arc.label) + "}"
    # The height of a root is counted from the middle of the word, that of an arc from its edge.
    height = f"edge height = {_points(abs(place.foot - place.line) * _POINTS + (_ROOT_MORE if arc.is_root else 0.0))}"
    if arc.is_root:
        side = "" if arc.is_above else "edge below, "
        return rf"  \deproot[{side}{height}]{{{dependent}}}{label}"
    options = [height] if arc.is_above else ["edge below", height]
    for end, word, x in (("start", arc.head, place.head), ("end", arc.dependent, place.dependent)):
        offset = (x - places.words[word - 1].x) * _POINTS
        if abs(offset) >= 0.1:
            options.append(f"edge {end} x offset = {_points(offset)}")
    look = [f"crossarc{plane_class(arc.colour)}"] if arc.colour else []
    options += [f"label style = {{text = {look[0]}}}"] if look else []
    look += ["thick"] if arc.is_heavy else []
    look += ["dashed"] if dash(arc.plane) else []
    options += ["edge style = {" + ", ".join(look) + "}"] if look else []
    return rf"  \depedge[{', '.join(options)}]{{{_column(picture, arc.head)}}}{{{dependent}}}{label}"
