"""The frame of every HTML page, and pictures on such a page: no scripts, nothing to download, light or dark.

`html_frame` has the head and nothing else; `html_document` adds the colours and the rules for drawings, and reports
add theirs (`crossarc.reports.page`).
Drawings take the colours of the page they are on, so that they are dark where it is, and light in print. The page is
well-formed XML too. Costs what the SVG drawings cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from .colours import DARK, LIGHT, Theme
from .layout import Orientation
from .picture import Picture
from .render_svg import FONTS, page_svg
from .text import clean

#: Pixels; what would be wider is drawn vertically, so that it is seen, and printed, as a whole.
PAGE_WIDEST = 1000.0

#: How to read a picture of two analyses.
TWO_ANALYSES = (
    "Above the words, or at their left, is the gold tree: grey arcs were found, "
    "<b class='missed'>green arcs were missed</b>, <b class='relabelled'>purple arcs have the wrong relation</b> "
    "(gold ≠ system). Below, or at the right, are the <b class='wrong'>arcs of the system that are wrong</b>."
)


def colours(theme: Theme) -> str:
    """Return the colours of a theme as variables of a style sheet."""
    planes = " ".join(f"--plane{number}: {colour};" for number, colour in enumerate(theme.planes))
    return f"--paper: {theme.paper}; --ink: {theme.ink}; --faint: {theme.faint}; {planes}"


_PLANES = "\n".join(
    f".drawing .{kind}{number} {{ {what}: var(--plane{number}); }}"
    for number in range(len(LIGHT.planes))
    for kind, what in (("line", "stroke"), ("fill", "fill"))
)
#: The rules for drawings inside a page; the colours are variables of the page.
DRAWING_RULES = f""".drawing {{ overflow-x: auto; }}
.drawing svg {{ display: block; }}
.drawing .paper {{ fill: var(--paper); }}
.drawing .ink {{ fill: var(--ink); }}
.drawing .faint {{ fill: var(--faint); }}
.drawing [class^=line] {{ fill: none; stroke-width: 1.2; }}
.drawing :is(.crossing, .missed, .relabelled, .wrong) [class^=line] {{ stroke-width: 2.2; }}
.drawing .arc:hover [class^=line] {{ stroke-width: 3; }}
{_PLANES}"""
_STYLE = f"""
:root {{ color-scheme: light dark; {colours(LIGHT)} }}
@media (prefers-color-scheme: dark) {{ :root {{ {colours(DARK)} }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; padding: 2rem 1.5rem 3rem; max-width: 90rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 {FONTS}; }}
h1 {{ font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }}
figure {{ margin: 0 0 1.5rem; max-width: 100%; }}
figcaption {{ color: var(--faint); font-size: .875rem; margin-bottom: .3rem; overflow-wrap: anywhere; }}
.note {{ color: var(--faint); font-size: .875rem; margin: .4rem 0 1rem; }}
.legend .missed {{ color: var(--plane3); }}
.legend .relabelled {{ color: var(--plane4); }}
.legend .wrong {{ color: var(--plane2); }}
{DRAWING_RULES}
@page {{ margin: 15mm; }}
@media print {{
  :root {{ color-scheme: light; {colours(LIGHT)} }}
  body {{ padding: 0; max-width: none; -webkit-print-color-adjust: exact; print-color-adjust: exact; }}
  figcaption {{ break-after: avoid; }}
  figure {{ break-inside: avoid; }}
  .drawing {{ overflow: visible; }}
  .drawing svg {{ max-width: 100%; max-height: 225mm; width: auto; height: auto; }}
  .drawing svg.long {{ max-height: none; }}
}}
"""


def html_text(text: str) -> str:
    """Make a text safe for a page."""
    return escape(clean(text))


def html_document(title: str, sections: Iterable[str], style: str = "") -> str:
    """Put sections on a page that stands alone; the title is safe already, `style` adds rules to those of all pages."""
    return html_frame(title, _STYLE + style, "".join(sections))


def html_frame(title: str, style: str, body: str, head: str = "") -> str:
    """Put a body that is HTML already under a head with this title and style, and further lines for the head."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n{head}'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


def figure(picture: Picture, orientation: Orientation = "auto") -> str:
    """Return a drawing under its caption; that of a right-to-left sentence begins at its right end."""
    caption = f'<figcaption dir="auto">{escape(picture.caption)}</figcaption>'
    return f"<figure>\n{caption}\n{drawing(picture, orientation)}</figure>\n"


def drawing(picture: Picture, orientation: Orientation = "auto") -> str:
    """Return a drawing alone; it scrolls if it is wide."""
    direction = ' dir="rtl"' if picture.is_right_to_left else ""
    return f'<div class="drawing"{direction} tabindex="0">{page_svg(picture, orientation, PAGE_WIDEST)}</div>'


def html_page(pictures: Sequence[Picture], title: str, orientation: Orientation = "auto") -> str:
    """Draw pictures, one below the other, on a page that stands alone.

    With `orientation` "auto" a drawing that would be wider than 1000 pixels has one word per line.
    """
    name = html_text(title)
    compared = any(picture.other_heads is not None for picture in pictures)
    legend = f'<p class="note legend">{TWO_ANALYSES}</p>\n' if compared else ""
    return html_document(name, [f"<h1>{name}</h1>\n", legend, *(figure(picture, orientation) for picture in pictures)])
