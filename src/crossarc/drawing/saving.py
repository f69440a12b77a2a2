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
from ..treebank.files import open_output
from .page import html_page
from .picture import Picture
from .render_svg import FONTS, svg
from .render_terminal import terminal
from .render_tikz import tikz
from .text import needs_shaping

_TEXT_FILE_WIDTH = 120
_LAST_CYRILLIC = "\u052f"
_PNG_SCALE = 2.0  # sharp on paper and on dense screens

AnyPath = str | os.PathLike[str]


def png(picture: Picture, path: AnyPath) -> None:
    """Draw a picture as a PNG file; needs `crossarc[drawing]`."""
    _write(path, _png(picture))


def pdf(picture: Picture, path: AnyPath) -> None:
    """Draw a picture as a PDF file; needs `crossarc[drawing]`."""
    _write(path, _pdf(picture))


def save(picture: Picture, path: AnyPath) -> None:
    """Draw a picture into a file of the kind that its suffix says."""
    name = os.fspath(path)
    suffix = Path(name).suffix.lower()
    if suffix not in _KINDS:
        what = f"suffix {suffix!r}" if suffix else "a name without a suffix"
        raise CrossarcError(f"{name}: cannot draw into {what}: known are {', '.join(_KINDS)}")
    _write(path, render(picture, suffix))


def render(picture: Picture, kind: str) -> bytes:
    """Return the bytes that `save` writes; `kind` is a suffix, with or without its dot."""
    draw = _KINDS.get("." + kind.lower().removeprefix("."))
    if draw is None:
        raise CrossarcError(f"unknown kind of drawing {kind!r}: known are {', '.join(_KINDS)}")
    return draw(picture)


def _write(path: AnyPath, content: bytes) -> None:
    with open_output(path) as file:
        file.write(content)


def _png(picture: Picture) -> bytes:
    return bytes(_converter(picture).svg2png(bytestring=_plain(picture), scale=_PNG_SCALE))


def _pdf(picture: Picture) -> bytes:
    return bytes(_converter(picture).svg2pdf(bytestring=_plain(picture)))


def _plain(picture: Picture) -> bytes:
    """Return the drawing on light paper, in the one font that CairoSVG will use."""
    return svg(picture, dark=False).replace(FONTS, _font("".join(picture.words)), 1).encode()


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


def _html(picture: Picture) -> bytes:
    return html_page([picture], picture.caption).encode()


def _text(picture: Picture) -> bytes:
    return terminal(picture, width=_TEXT_FILE_WIDTH).encode()


_KINDS: dict[str, Callable[[Picture], bytes]] = {
    ".svg": lambda picture: svg(picture).encode(),
    ".html": _html,
    ".tex": lambda picture: tikz(picture).encode(),
    ".txt": _text,
    ".png": _png,
    ".pdf": _pdf,
}
SUFFIXES = tuple(_KINDS)
