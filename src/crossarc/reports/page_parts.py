"""The parts that all HTML reports are made of: the page, tables' texts, charts with titles, drawings with captions.

No scripts, nothing to download, light or dark as the reader prefers, made to be printed. O(length).
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ..drawing.picture import Picture
from ..drawing.render_svg import svg
from ..drawing.text import clean
from .style import STYLE


def html_text(text: str) -> str:
    """Make a text safe for a page."""
    return escape(clean(text))


def html_page_of(title: str, sections: Iterable[str], version: str) -> str:
    """Put sections on a page that stands alone; the title is safe already."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{''.join(sections)}"
        f"<footer>Written by crossarc {html_text(version)}.</footer>\n</body>\n</html>\n"
    )


def tiles(figures: Iterable[tuple[str, str]]) -> str:
    """Show a few figures large, each with what it means."""
    shown = "".join(f"<div><b>{value}</b><span>{meaning}</span></div>" for value, meaning in figures)
    return f'<div class="figures">{shown}</div>\n'


def plot(title: str, of: str, chart: str) -> str:
    """Return a chart under its title; `of` says what it counts."""
    return f"<section><h3>{title} <small>{of}</small></h3>{chart}</section>\n"


def figure(picture: Picture) -> str:
    """Return a drawing under its caption."""
    direction = ' dir="rtl"' if picture.is_right_to_left else ""
    drawing = f'<div class="drawing"{direction} tabindex="0">{svg(picture)}</div>'
    return f"<figure>\n<figcaption>{escape(picture.caption)}</figcaption>\n{drawing}</figure>\n"
