"""A picture as a standalone SVG drawing, which may also stand inside an HTML page beside others.

Light colours are attributes, which every program understands; dark ones are a style sheet that browsers apply when
their user prefers dark pages. There are no ids, and the style sheet reaches only its own drawing. O(n²), as `layout`.
"""

from __future__ import annotations

import hashlib
from html import escape
from typing import Literal

from ..errors import CrossarcError
from .colours import DARK, LIGHT, Theme, dash, plane_class
from .layout import LABEL_SIZE, TAG_SIZE, WORD_SIZE, ArcPlace, Layout, WordPlace, layout
from .picture import Picture

FONTS = "Helvetica, Arial, 'Liberation Sans', 'Noto Sans', sans-serif"
_CORNER = 8.0
_ARROW_LENGTH, _ARROW_HALF_WIDTH = 6.5, 3.2


def svg(picture: Picture, *, width: float | None = None, dark: bool | Literal["auto"] = "auto") -> str:
    """Draw a picture as SVG.

    `width` scales the drawing to so many pixels. `dark` is True, False, or "auto": as the reader's browser prefers.
    """
    if dark not in (True, False, "auto"):
        raise CrossarcError(f'dark is True, False or "auto", not {dark!r}')
    if width is not None and not width > 0:
        raise CrossarcError(f"the width of a drawing is a positive number of pixels, not {width!r}")
    places = layout(picture)
    theme = DARK if dark is True else LIGHT
    body = _body(picture, places, theme)
    # The class carries the content's hash, so that the same input gives the same bytes and two drawings stay apart.
    name = "crossarc-" + hashlib.sha256(f"{dark}{body}".encode()).hexdigest()[:10]
    scale = 1.0 if width is None else width / places.width
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" role="img" '
        f'width="{_number(places.width * scale)}" height="{_number(places.height * scale)}" '
        f'viewBox="0 0 {_number(places.width)} {_number(places.height)}" font-family="{FONTS}">'
    )
    return "\n".join(
        [
            opening,
            f"<title>{escape(picture.caption, quote=False)}</title>",
            f"<desc>{escape(_description(picture), quote=False)}</desc>",
            f"<style>{_style(name, picture, with_dark=dark == 'auto')}</style>",
            body,
            "</svg>\n",
        ]
    )


def _body(picture: Picture, places: Layout, theme: Theme) -> str:
    # From the highest level down: a label is drawn over every leg that may pass it.
    ordered = sorted(places.arcs, key=lambda place: (-place.level, place.arc.dependent))
    direction = ' direction="rtl"' if picture.is_right_to_left else ""
    parts = [
        f'<rect class="paper" width="{_number(places.width)}" height="{_number(places.height)}" fill="{theme.paper}"/>',
        *(_arc(picture, place, theme) for place in ordered),
        f'<g class="ink" font-size="{_number(WORD_SIZE)}" text-anchor="middle" fill="{theme.ink}"{direction}>',
        *(_text(place.x, place.baseline, word) for place, word in zip(places.words, picture.words, strict=True)),
        "</g>",
    ]
    if picture.tag_line:
        parts += [
            f'<g class="faint" font-size="{_number(TAG_SIZE)}" text-anchor="middle" fill="{theme.faint}">',
            *(_tag(place, tag) for place, tag in zip(places.words, picture.tag_line, strict=True)),
            "</g>",
        ]
    return "\n".join(parts)


def _tag(place: WordPlace, tag: str) -> str:
    return _text(place.x, place.tag_baseline or 0.0, tag)


def _text(x: float, y: float, text: str) -> str:
    return f'<text x="{_number(x)}" y="{_number(y)}">{escape(text, quote=False)}</text>'


def _arc(picture: Picture, place: ArcPlace, theme: Theme) -> str:
    arc = place.arc
    colour = theme.plane(arc.colour)
    number = plane_class(arc.colour)
    pattern = dash(arc.plane)
    dashes = f' stroke-dasharray="{pattern}"' if pattern and not arc.is_root else ""
    kinds = (" crossing" if arc.crossing else "") + (f" {arc.mark}" if arc.mark else "")
    parts = [
        f'<g class="arc{kinds}"><title>{escape(_arc_in_words(picture, place), quote=False)}</title>',
        f'<path class="line{number}" fill="none" stroke="{colour}" stroke-width="{2.2 if arc.is_heavy else 1.2}"'
        f'{dashes} d="{_run(place)}"/>',
        f'<path class="fill{number}" fill="{colour}" d="{_arrow(place)}"/>',
    ]
    if place.label is not None:
        box = place.label
        x, y = box.x + box.width / 2, box.y + 0.77 * box.height
        parts += [
            f'<rect class="paper" x="{_number(box.x)}" y="{_number(box.y)}" width="{_number(box.width)}" '
            f'height="{_number(box.height)}" fill="{theme.paper}"/>',
            f'<text class="fill{number}" font-size="{_number(LABEL_SIZE)}" text-anchor="middle" fill="{colour}"'
            f' x="{_number(x)}" y="{_number(y)}">{escape(arc.label, quote=False)}</text>',
        ]
    return "".join(parts) + "</g>"


def _run(place: ArcPlace) -> str:
    """The line of an arc; it stops inside its arrowhead, whose point would otherwise be blunt."""
    towards = 1.0 if place.foot > place.y else -1.0
    start, end, tip, line = map(_number, (place.head, place.dependent, place.foot - 4 * towards, place.y))
    if place.arc.is_root:
        return f"M{end} {line}V{tip}"
    along = 1.0 if place.dependent > place.head else -1.0
    radius = min(_CORNER, abs(place.dependent - place.head) / 2)
    bend = _number(place.y + towards * radius)
    return (
        f"M{start} {_number(place.foot - towards)}V{bend}Q{start} {line} {_number(place.head + along * radius)} {line}"
        f"H{_number(place.dependent - along * radius)}Q{end} {line} {end} {bend}V{tip}"
    )


def _arrow(place: ArcPlace) -> str:
    towards = 1.0 if place.foot > place.y else -1.0
    base = place.foot - towards * _ARROW_LENGTH
    return (
        f"M{_number(place.dependent)} {_number(place.foot)}L{_number(place.dependent - _ARROW_HALF_WIDTH)} "
        f"{_number(base)}H{_number(place.dependent + _ARROW_HALF_WIDTH)}Z"
    )


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
