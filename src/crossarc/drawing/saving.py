"""Drawings as files: the suffix says which kind. A file appears whole or not at all.

Several pictures in one file stand one below the other; in a PDF each has its page.

PNG and PDF go through CairoSVG, which is not installed with crossarc unless asked for.
"""

from __future__ import annotations

import importlib
import io
import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from ..errors import CrossarcError
from ..files import open_output
from .layout import Orientation, checked_orientation, layout
from .page import html_page
from .picture import Picture
from .render_svg import FONTS, svg_column
from .render_terminal import terminal
from .render_tikz import tikz
from .text import needs_shaping

_TEXT_FILE_WIDTH = 120
_LAST_CYRILLIC = "\u052f"
_PNG_SCALE = 2.0  # sharp on paper and on dense screens
_DOTS_PER_INCH = 96
_LARGEST_PNG, _LEAST_PNG_SCALE = 32_000, 0.75  # pixels that cairo can take, and when letters can still be read

AnyPath = str | os.PathLike[str]


def png(picture: Picture, path: AnyPath, orientation: Orientation = "auto") -> None:
    """Draw a picture as a PNG file; needs `crossarc[drawing]`."""
    _write(path, _png([picture], orientation))


def pdf(picture: Picture, path: AnyPath, orientation: Orientation = "auto") -> None:
    """Draw a picture as a PDF file; needs `crossarc[drawing]`."""
    _write(path, _pdf([picture], orientation))


def save(picture: Picture, path: AnyPath, orientation: Orientation = "auto") -> None:
    """Draw a picture into a file of the kind that its suffix says.

    `orientation` "vertical" has one word per line, "horizontal" all words in one; "auto" chooses by the width.
    """
    save_all([picture], path, orientation)


def save_all(pictures: Iterable[Picture], path: AnyPath, orientation: Orientation = "auto", title: str = "") -> None:
    """Draw pictures into one file of the kind that its suffix says; `title` is that of an HTML page."""
    name = os.fspath(path)
    suffix = Path(name).suffix.lower()
    if suffix not in _KINDS:
        what = f"suffix {suffix!r}" if suffix else "a name without a suffix"
        raise CrossarcError(f"{name}: cannot draw into {what}: known are {', '.join(_KINDS)}")
    if suffix in (".png", ".pdf"):
        _converter(())  # before pictures are made
    pictures = list(pictures)
    if not pictures:
        raise CrossarcError(f"{name}: no sentence to draw")
    if suffix == ".html" and title:
        _write(path, html_page(pictures, title, orientation).encode())
    else:
        _write(path, _KINDS[suffix](pictures, checked_orientation(orientation)))


def render(picture: Picture, kind: str, orientation: Orientation = "auto") -> bytes:
    """Return the bytes that `save` writes; `kind` is a suffix, with or without its dot."""
    draw = _KINDS.get("." + kind.lower().removeprefix("."))
    if draw is None:
        raise CrossarcError(f"unknown kind of drawing {kind!r}: known are {', '.join(_KINDS)}")
    return draw([picture], checked_orientation(orientation))


def _write(path: AnyPath, content: bytes) -> None:
    with open_output(path) as file:
        file.write(content)


def _png(pictures: Sequence[Picture], orientation: Orientation) -> bytes:
    converter, every = _converter(pictures), [layout(picture, orientation) for picture in pictures]
    width, height = max(places.width for places in every), sum(places.height for places in every)
    scale = min(_PNG_SCALE, _LARGEST_PNG / max(width, height))
    if scale < _LEAST_PNG_SCALE:
        words, size = sum(map(len, pictures)), f"{width:,.0f} by {height:,.0f} pixels"
        raise CrossarcError(f"the drawing of {words:,} words, {size}, is too large for PNG: draw into .svg")
    return bytes(converter.svg2png(bytestring=_plain(pictures, orientation), scale=scale))


def _pdf(pictures: Sequence[Picture], orientation: Orientation) -> bytes:
    """Return a PDF with a page for each picture, as large as that."""
    _converter(pictures)
    cairo, surface, parser = map(importlib.import_module, ("cairocffi", "cairosvg.surface", "cairosvg.parser"))
    target = io.BytesIO()
    pages = cairo.PDFSurface(target, 1, 1)

    def next_page(drawing: Any, width: float, height: float) -> tuple[Any, float, float]:
        pages.set_size(width, height)
        return pages, width, height

    # CairoSVG would begin a file for each drawing.
    page: Any = type("Page", (surface.PDFSurface,), {"_create_surface": next_page})
    for picture in pictures:
        page(parser.Tree(bytestring=_plain([picture], orientation)), None, _DOTS_PER_INCH)
        pages.show_page()
    pages.finish()
    return target.getvalue()


def _plain(pictures: Sequence[Picture], orientation: Orientation) -> bytes:
    """Return the drawing on light paper, in the one font that CairoSVG will use."""
    drawing = svg_column(pictures, dark=False, orientation=orientation)
    return drawing.replace(FONTS, _font("".join(_texts(pictures)))).encode()


def _texts(pictures: Sequence[Picture]) -> Iterator[str]:
    for picture in pictures:
        yield from chain(picture.words, *picture.text_lines)


def _font(text: str) -> str:
    """Choose a font by the script: CairoSVG takes only the first of a list, without a substitute for a letter."""
    if any(unicodedata.east_asian_width(character) in "WF" for character in text):
        return "Noto Sans CJK SC"
    if any(character > _LAST_CYRILLIC and character.isalpha() and not _is_greek(character) for character in text):
        return "DejaVu Sans"
    return "Helvetica"


def _is_greek(character: str) -> bool:
    return "\u1e00" <= character <= "\u1fff"  # with Latin Extended Additional before it


def _converter(pictures: Sequence[Picture]) -> Any:
    if any(map(needs_shaping, _texts(pictures))):
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


def _html(pictures: Sequence[Picture], orientation: Orientation) -> bytes:
    return html_page(pictures, pictures[0].caption, orientation).encode()


def _tikz(pictures: Sequence[Picture], orientation: Orientation) -> bytes:
    if orientation == "vertical":
        raise CrossarcError("LaTeX drawings are horizontal: draw one word per line into .svg or .pdf")
    return "\n".join(map(tikz, pictures)).encode()


def _text(pictures: Sequence[Picture], orientation: Orientation) -> bytes:
    drawings = [terminal(picture, width=_TEXT_FILE_WIDTH, orientation=orientation) for picture in pictures]
    if len(pictures) > 1:
        drawings = [f"{picture.caption}\n{drawn}" for picture, drawn in zip(pictures, drawings, strict=True)]
    return "\n".join(drawings).encode()


_KINDS: dict[str, Callable[[Sequence[Picture], Orientation], bytes]] = {
    ".svg": lambda pictures, orientation: svg_column(pictures, orientation=orientation).encode(),
    ".html": _html,
    ".tex": _tikz,
    ".txt": _text,
    ".png": _png,
    ".pdf": _pdf,
}
SUFFIXES = tuple(_KINDS)
