"""A picture as a standalone SVG drawing, or as one inside an HTML page beside others.

Of a standalone drawing light colours are attributes, which every program understands; dark ones are a style sheet that
browsers apply when their user prefers dark pages, and it reaches only its own drawing. A drawing inside a page has no
colours of its own: it takes those of the page (`crossarc.drawing.page`). There are no ids. Costs what `layout` costs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import Literal

from ..errors import CrossarcError
from .colours import DARK, LIGHT, Theme, dash, plane_class
from .layout import LABEL_SIZE, TAG_SIZE, WIDEST, WORD_SIZE, ArcPlace, Layout, Orientation, WordPlace, layout
from .picture import Picture

FONTS = "Helvetica, Arial, 'Liberation Sans', 'Noto Sans', sans-serif"
_CORNER = 8.0
_SHEET = 2200.0  # pixels of height that can still be read if they are printed on one sheet
_ARROW_LENGTH, _ARROW_HALF_WIDTH = 6.5, 3.2


def svg(
    picture: Picture,
    *,
    width: float | None = None,
    dark: bool | Literal["auto"] = "auto",
    orientation: Orientation = "auto",
) -> str:
    """Draw a picture as SVG.

    `width` scales the drawing to so many pixels. `dark` is True, False, or "auto": as the reader's browser prefers.
    `orientation` is "horizontal", "vertical" (one word per line), or "auto": vertical where the drawing would be wider
    than 1400 pixels.
    """
    if dark not in (True, False, "auto"):
        raise CrossarcError(f'dark is True, False or "auto", not {dark!r}')
    if width is not None and not width > 0:
        raise CrossarcError(f"the width of a drawing is a positive number of pixels, not {width!r}")
    places = layout(picture, orientation)
    return _standalone(picture, places, dark, 1.0 if width is None else width / places.width)


def svg_column(
    pictures: Sequence[Picture], *, dark: bool | Literal["auto"] = "auto", orientation: Orientation = "auto"
) -> str:
    """Draw pictures as one SVG drawing, one below the other; see `svg`."""
    if len(pictures) == 1:
        return svg(pictures[0], dark=dark, orientation=orientation)
    every = [layout(picture, orientation) for picture in pictures]
    width = max((places.width for places in every), default=0.0)
    parts, height = [], 0.0
    for picture, places in zip(pictures, every, strict=True):
        drawn = _standalone(picture, replace(places, width=width), dark)
        parts.append(drawn.replace("<svg ", f'<svg y="{_number(height)}" ', 1))
        height += places.height
    opening = _opening(Layout(width, height, (), ()), "crossarc")
    return f"{opening}>\n{''.join(parts)}</svg>\n"


def _standalone(picture: Picture, places: Layout, dark: bool | Literal["auto"], scale: float = 1.0) -> str:
    body = _body(picture, places, DARK if dark is True else LIGHT)
    # The class carries the content's hash, so that the same input gives the same bytes and two drawings stay apart.
    name = "crossarc-" + hashlib.sha256(f"{dark}{body}".encode()).hexdigest()[:10]
    style = f"<style>{_style(name, picture, with_dark=dark == 'auto')}</style>"
    opening = _opening(places, name, scale)
    return "\n".join([f'{opening} font-family="{FONTS}">', _about(picture), style, body, "</svg>\n"])


def page_svg(picture: Picture, orientation: Orientation = "auto", widest: float = WIDEST) -> str:
    """Draw a picture for a page that has the rules for drawings."""
    places = layout(picture, orientation, widest)
    name = "tree long" if places.height > _SHEET else "tree"  # is cut where a sheet of paper ends, not made smaller
    return "\n".join([_opening(places, name) + ">", _about(picture), _body(picture, places, None), "</svg>"])


def _opening(places: Layout, name: str, scale: float = 1.0) -> str:
    width, height = _number(places.width), _number(places.height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" role="img" width="{_number(places.width * scale)}" '
        f'height="{_number(places.height * scale)}" viewBox="0 0 {width} {height}"'
    )


def _about(picture: Picture) -> str:
    title, description = escape(picture.caption, quote=False), escape(_description(picture), quote=False)
    return f"<title>{title}</title>\n<desc>{description}</desc>"


def _body(picture: Picture, places: Layout, theme: Theme | None) -> str:
    # From the highest level down: a label is drawn over every leg that may pass it.
    ordered = sorted(places.arcs, key=lambda place: (-place.level, place.arc.dependent))
    anchor = "start" if places.is_vertical else "middle"
    direction = ' direction="rtl"' if picture.is_right_to_left else ""
    paper = f'<rect{_painted("paper", theme)} width="{_number(places.width)}" height="{_number(places.height)}"/>'
    parts = [
        *([paper] if theme else []),
        f'<g font-size="{_number(LABEL_SIZE)}" text-anchor="{anchor}"{direction if places.is_vertical else ""}>',
        *(_arc(picture, place, theme, places.is_vertical) for place in ordered),
        "</g>",
        f'<g{_painted("ink", theme)} font-size="{_number(WORD_SIZE)}" text-anchor="{anchor}"{direction}>',
        *(_word(place, number, word, theme) for number, (place, word) in _numbered(places, picture)),
        "</g>",
    ]
    direction = direction if places.is_vertical else ""
    for number, line in enumerate(picture.text_lines):
        parts += [
            f'<g{_painted("faint", theme)} font-size="{_number(TAG_SIZE)}" text-anchor="{anchor}"{direction}>',
            *_line(places, line, number, theme),
            "</g>",
        ]
    return "\n".join(parts)


def _numbered(places: Layout, picture: Picture) -> Iterator[tuple[int, tuple[WordPlace, str]]]:
    return enumerate(zip(places.words, picture.words, strict=True), start=1)


def _word(place: WordPlace, number: int, word: str, theme: Theme | None) -> str:
    """A word; on a page, where scripts may look for it, with its number."""
    return _text(place.x, place.baseline, word, "" if theme else f' data-word="{number}"')


def _line(places: Layout, line: Sequence[str], number: int, theme: Theme | None) -> Iterator[str]:
    """Give the texts of a line under the words; on a page with the number of the line, from 0, and of the word."""
    for word, (place, text) in enumerate(zip(places.words, line, strict=True), start=1):
        if text:
            yield _text(*place.lines[number], text, "" if theme else f' data-line="{number}" data-of="{word}"')


def _painted(part: Literal["paper", "ink", "faint"], theme: Theme | None) -> str:
    return f' class="{part}"' + (f' fill="{getattr(theme, part)}"' if theme else "")


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text{more} x="{_number(x)}" y="{_number(y)}">{escape(text, quote=False)}</text>'


def _arc(picture: Picture, place: ArcPlace, theme: Theme | None, vertical: bool) -> str:
    arc, number, pattern = place.arc, plane_class(place.arc.colour), dash(place.arc.plane)
    line, fill = f' class="line{number}"', f' class="fill{number}"'
    if theme:
        colour = theme.plane(arc.colour)
        line += f' fill="none" stroke="{colour}" stroke-width="{2.2 if arc.is_heavy else 1.2}"'
        fill += f' fill="{colour}"'
    if pattern and not arc.is_root:
        line += f' stroke-dasharray="{pattern}"'
    kinds = (" crossing" if arc.crossing else "") + (f" {arc.mark}" if arc.mark else "")
    ends = "" if theme else f' data-head="{arc.head}" data-dependent="{arc.dependent}"'
    parts = [
        f'<g class="arc{kinds}"{ends}><title>{escape(_arc_in_words(picture, place), quote=False)}</title>',
        f'<path{line} d="{_run(place, vertical)}"/>',
        f'<path{fill} d="{_arrow(place, vertical)}"/>',
    ]
    if place.label is not None:
        parts += _label(picture, place, theme, fill, vertical)
    return "".join(parts) + "</g>"


def _label(picture: Picture, place: ArcPlace, theme: Theme | None, fill: str, vertical: bool) -> list[str]:
    box = place.label
    if box is None:
        return []
    baseline = box.y + 0.77 * box.height
    if vertical:
        # At the end of its arc: on the first side that is where the column begins, on the other where it ends.
        inset = 2.0 if place.arc.is_above != picture.is_right_to_left else box.width - 2.0
        anchor = "" if place.arc.is_above else ' text-anchor="end"'
        return [_text(box.x + inset, baseline, place.arc.label, fill + anchor)]
    return [
        f'<rect{_painted("paper", theme)} x="{_number(box.x)}" y="{_number(box.y)}" width="{_number(box.width)}" '
        f'height="{_number(box.height)}"/>',
        _text(box.x + box.width / 2, baseline, place.arc.label, fill),
    ]


def _run(place: ArcPlace, vertical: bool) -> str:
    """The line of an arc; it stops inside its arrowhead, whose point would otherwise be blunt."""
    across, along = ("H", "V") if vertical else ("V", "H")
    towards = 1.0 if place.foot > place.line else -1.0
    tip = f"{across}{_number(place.foot - 4 * towards)}"
    if place.arc.is_root:
        return f"M{_point(place.dependent, place.line, vertical)}{tip}"
    onwards = 1.0 if place.dependent > place.head else -1.0
    radius = min(_CORNER, abs(place.dependent - place.head) / 2)
    bend = _number(place.line + towards * radius)

    def corner(at: float, to: str) -> str:
        return f"Q{_point(at, place.line, vertical)} {to}"

    first = corner(place.head, _point(place.head + onwards * radius, place.line, vertical))
    last = corner(place.dependent, _point(place.dependent, place.line + towards * radius, vertical))
    start = f"M{_point(place.head, place.foot - towards, vertical)}{across}{bend}"
    return f"{start}{first}{along}{_number(place.dependent - onwards * radius)}{last}{tip}"


def _arrow(place: ArcPlace, vertical: bool) -> str:
    towards = 1.0 if place.foot > place.line else -1.0
    base = place.foot - towards * _ARROW_LENGTH
    tip, corner = ((place.dependent, place.foot), (place.dependent - _ARROW_HALF_WIDTH, base))
    other = f"{'V' if vertical else 'H'}{_number(place.dependent + _ARROW_HALF_WIDTH)}"
    return f"M{_point(*tip, vertical)}L{_point(*corner, vertical)}{other}Z"


def _point(along: float, across: float, vertical: bool) -> str:
    """A point along the sentence and away from it, as x and y."""
    return f"{_number(across)} {_number(along)}" if vertical else f"{_number(along)} {_number(across)}"


def _arc_in_words(picture: Picture, place: ArcPlace) -> str:
    arc = place.arc
    word = f"{picture.words[arc.dependent - 1]} ({arc.dependent})"
    head = "root" if arc.is_root else f"{picture.words[arc.head - 1]} ({arc.head})"
    label = f" {arc.label}" if arc.label else ""
    plane = f", {arc.mark}" if arc.mark else f", plane {arc.plane + 1}" if arc.plane else ""
    return f"{head} →{label} {word}{plane}{', crossing' if arc.crossing else ''}"


def _description(picture: Picture) -> str:
    if picture.other_heads is not None:
        marks = [arc.mark for arc in picture.arcs]
        return (
            f"Two analyses of {len(picture)} word{'' if len(picture) == 1 else 's'}: {marks.count('missed')} arcs of "
            f"the first are missed by the second, {marks.count('relabelled')} have another relation."
        )
    crossing = sum(arc.crossing for arc in picture.arcs)
    planes = len({arc.plane for arc in picture.arcs if not arc.is_root})
    return (
        f"Dependency tree of {len(picture)} word{'' if len(picture) == 1 else 's'}: {crossing} crossing "
        f"arc{'' if crossing == 1 else 's'}, {planes} plane{'' if planes == 1 else 's'}."
    )


def _style(name: str, picture: Picture, *, with_dark: bool) -> str:
    rules = [f".{name} .arc:hover path{{stroke-width:3}}"]
    if with_dark:
        dark = [f".{name} .{part}{{fill:{getattr(DARK, part)}}}" for part in ("paper", "ink", "faint")]
        for number in sorted({plane_class(arc.colour) for arc in picture.arcs}):
            dark.append(f".{name} .line{number}{{stroke:{DARK.plane(number)}}}")
            dark.append(f".{name} .fill{number}{{fill:{DARK.plane(number)}}}")
        rules.append("@media (prefers-color-scheme: dark){" + "".join(dark) + "}")
    return "".join(rules)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
