"""The frame of every HTML page, and pictures on such a page: no scripts, nothing to download, light or dark.

`html_document` has the head, the colours and the rules for drawings; reports add theirs (`crossarc.reports.page`). The
page is well-formed XML too. Costs what the SVG drawings cost.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from .colours import DARK, LIGHT, Theme
from .picture import Picture
from .render_svg import FONTS, svg
from .text import clean


def _colours(theme: Theme) -> str:
    return f"--paper: {theme.paper}; --ink: {theme.ink}; --faint: {theme.faint};"


_STYLE = f"""
:root {{ color-scheme: light dark; {_colours(LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_colours(DARK)} }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; padding: 2rem 1.5rem 3rem; max-width: 90rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 {FONTS}; }}
h1 {{ font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }}
figure {{ margin: 0 0 1.5rem; max-width: 100%; }}
figcaption {{ color: var(--faint); font-size: .875rem; margin-bottom: .3rem; overflow-wrap: anywhere; }}
.drawing {{ overflow-x: auto; }}
.drawing svg {{ display: block; }}
@page {{ margin: 15mm; }}
@media print {{
  :root {{ {_colours(LIGHT)} }}
  body {{ padding: 0; max-width: none; -webkit-print-color-adjust: exact; print-color-adjust: exact; }}
  figcaption {{ break-after: avoid; }}
  figure {{ break-inside: avoid; }}
  .drawing {{ overflow: visible; }}
  .drawing svg {{ max-width: 100%; height: auto; }}
}}
"""


def html_text(text: str) -> str:
    """Make a text safe for a page."""
    return escape(clean(text))


def html_document(title: str, sections: Iterable[str], style: str = "") -> str:
    """Put sections on a page that stands alone; the title is safe already, `style` adds rules to those of all pages."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{title}</title>\n<style>{_STYLE}{style}</style>\n</head>\n<body>\n{''.join(sections)}</body>\n</html>\n"
    )


def figure(picture: Picture) -> str:
    """Return a drawing under its caption; that of a right-to-left sentence begins at its right end."""
    direction = ' dir="rtl"' if picture.is_right_to_left else ""
    drawing = f'<div class="drawing"{direction} tabindex="0">{svg(picture)}</div>'
    return f'<figure>\n<figcaption dir="auto">{escape(picture.caption)}</figcaption>\n{drawing}</figure>\n'


def html_page(pictures: Iterable[Picture], title: str) -> str:
    """Draw pictures, one below the other, on a page that stands alone."""
    name = html_text(title)
    return html_document(name, [f"<h1>{name}</h1>\n", *map(figure, pictures)])
