"""Pictures as one self-contained HTML page: no scripts, nothing to download, light or dark as the reader prefers.

Costs what the SVG drawings cost.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from .colours import DARK, LIGHT
from .picture import Picture
from .render_svg import FONTS, svg
from .text import clean

_STYLE = f"""
:root {{ color-scheme: light dark; }}
body {{ margin: 2rem auto; padding: 0 1.5rem; max-width: 90rem; font-family: {FONTS};
  background: {LIGHT.paper}; color: {LIGHT.ink}; }}
figure {{ margin: 0 0 2.5rem; }}
figcaption {{ margin-bottom: .5rem; color: {LIGHT.faint}; }}
.drawing {{ overflow-x: auto; }}
.drawing svg {{ display: block; }}
@media (prefers-color-scheme: dark) {{
  body {{ background: {DARK.paper}; color: {DARK.ink}; }}
  figcaption {{ color: {DARK.faint}; }}
}}
@media print {{ .drawing svg {{ max-width: 100%; height: auto; }} figure {{ break-inside: avoid; }} }}
"""


def html_page(pictures: Iterable[Picture], title: str) -> str:
    """Draw pictures, one below the other, on a page that stands alone."""
    figures = "".join(_figure(picture) for picture in pictures)
    name = escape(clean(title))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{name}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{name}</h1>\n{figures}</body>\n</html>\n"
    )


def _figure(picture: Picture) -> str:
    caption = f'<figcaption dir="auto">{escape(picture.caption)}</figcaption>\n'
    # A long drawing of a right-to-left sentence begins at its right end.
    direction = ' dir="rtl"' if picture.is_right_to_left else ""
    return f'<figure>\n{caption}<div class="drawing"{direction} tabindex="0">\n{svg(picture)}</div>\n</figure>\n'
