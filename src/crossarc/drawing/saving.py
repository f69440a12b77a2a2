"""Drawings as files: the suffix says which kind. A file appears whole or not at all.

PNG and PDF go through CairoSVG, which is not installed with crossarc unless asked for.
"""

from __future__ import annotations

import importlib
import os
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import CrossarcError
from ..files import open_output
from .layout import Orientation, checked_orientation, layout
from .page import html_page
from .picture import Picture
from .render_svg import FONTS, svg
from .render_terminal import terminal
from .render_tikz import tikz
from .text import needs_shaping

_TEXT_FILE_WIDTH = 120
_LAST_CYRILLIC = "\u052f"
_PNG_SCALE = 2.0  # sharp on paper and on dense screens
_LARGEST_PNG, _LEAST_PNG_SCALE = 32_000, 0.75  # pixels that cairo can take, and when letters can still be read

AnyPath = str | os.PathLike[str]


def png(picture: Picture, path: AnyPath, orientation: Orientation = "auto") -> None:
    """Draw a picture as a PNG file; needs `crossarc[drawing]`."""
    _write(path, _png(picture, orientation))


def pdf(picture: Picture, path: AnyPath, orientation: Orientation = "auto") -> None:
    """Draw a picture as a PDF file; needs `crossarc[drawing]`."""
    _write(path, _pdf(picture, orientation))


def save(picture: Picture, path: AnyPath, orientation: Orientation = "auto") -> None:
    """Draw a picture into a file of the kind that its suffix says.

    `orientation` "vertical" has one word per line, "horizontal" all words in one; "auto" chooses by the width.
    """
    name = os.fspath(path)
    suffix = Path(name).suffix.lower()
    if suffix not in _KINDS:
        what = f"suffix {suffix!r}" if suffix else "a name without a suffix"
        raise CrossarcError(f"{name}: cannot draw into {what}: known are {', '.join(_KINDS)}")
    _write(path, render(picture, suffix, orientation))


def render(picture: Picture, kind: str, orientation: Orientation = "auto") -> bytes:
    """Return the bytes that `save` writes; `kind` is a suffix, with or without its dot."""
    draw = _KINDS.get("." + kind.lower().removeprefix("."))
    if draw is None:
        raise CrossarcError(f"unknown kind of drawing {kind!r}: known are {', '.join(_KINDS)}")
    return draw(picture, checked_orientation(orientation))


def _write(path: AnyPath, content: bytes) -> None:
    with open_output(path) as file:
        file.write(content)


def _png(picture: Picture, orientation: Orientation) -> bytes:
    converter, places = _converter(picture), layout(picture, orientation)
    scale = min(_PNG_SCALE, _LARGEST_PNG / max(places.width, places.height))
    if scale < _LEAST_PNG_SCALE:
        size = f"{places.width:,.0f} by {places.height:,.0f} pixels"
        raise CrossarcError(f"the drawing of {len(picture):,} words, {size}, is too large for PNG: draw into .svg")
    return bytes(converter.svg2png(bytestring=_plain(picture, orientation), scale=scale))


def _pdf(picture: Picture, orientation: Orientation) -> bytes:
    return bytes(_converter(picture).svg2pdf(bytestring=_plain(picture, orientation)))


def _plain(picture: Picture, orientation: Orientation) -> bytes:
    """Return the drawing on light paper, in the one font that CairoSVG will use."""
    drawing = svg(picture, dark=False, orientation=orientation)
    return drawing.replace(FONTS, _font("".join(picture.words)), 1).encode()


def _font(text: str) -> str:
    """Choose a font by the script: CairoSVG takes only the first of a list, without a substitute for a letter."""
    if any(unicodedata.east_asian_width(character) in "WF" for character in text):
        return "Noto Sans CJK SC"
    if any(character > _LAST_CYRILLIC and character.isalpha() and not _is_greek(character) for character in text):
        return "DejaVu Sans"
    return "Helvetica"


def _is_greek(character: str) -> bool:
    return "\u1e00" <= character <= "\u1fff"  # with Latin Extended Additional before it


def _converter(picture: Picture) -> Any:
    if any(map(needs_shaping, picture.words)):
        raise CrossarcError(
            "PNG and PDF cannot show this script, whose letters join or change places: "
            "draw into .svg or .html and print that from a browser"
        )
    try:
        return importlib.import_module("cairosvg")
    except (ImportError, OSError) as error:  # OSError: the package is there and the library cairo is not
        raise CrossarcError(
            f"PNG and PDF drawings need CairoSVG ({error}): pip install 'crossarc[drawing]', or draw into .svg"
        ) from error


def _html(picture: Picture, orientation: Orientation) -> bytes:
    return html_page([picture], picture.caption, orientation).encode()


def _tikz(picture: Picture, orientation: Orientation) -> bytes:
    if orientation == "vertical":
        raise CrossarcError("LaTeX drawings are horizontal: draw one word per line into .svg or .pdf")
    return tikz(picture).encode()


def _text(picture: Picture, orientation: Orientation) -> bytes:
    return terminal(picture, width=_TEXT_FILE_WIDTH, orientation=orientation).encode()


_KINDS: dict[str, Callable[[Picture, Orientation], bytes]] = {
    ".svg": lambda picture, orientation: svg(picture, orientation=orientation).encode(),
    ".html": _html,
    ".tex": _tikz,
    ".txt": _text,
    ".png": _png,
    ".pdf": _pdf,
}
SUFFIXES = tuple(_KINDS)
