"""The parts that all HTML reports are made of: the page with its style sheet, figures shown large, titled charts.

The frame is that of all pages (`crossarc.drawing.page`); made to be printed, always light on paper. O(length).
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import __version__
from ..drawing.colours import DARK, LIGHT, Theme
from ..drawing.page import html_document, html_text
from ..drawing.render_svg import FONTS


def _colours(theme: Theme, soft: str, second: str) -> str:
    return f"--first: {theme.planes[1]}; --second: {second}; --soft: {soft};"


_LIGHT = _colours(LIGHT, "#e4e8ee", "#d98b4a")
_DARK = _colours(DARK, "#2a313c", DARK.planes[2])

_STYLE = f"""
:root {{ {_LIGHT} }}
@media (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}
@media screen {{ body {{ max-width: 66rem; }} }}
h2 {{ font-size: 1.3rem; margin: 2.5rem 0 .8rem; padding-bottom: .3rem; border-bottom: 2px solid var(--soft); }}
h3 {{ font-size: 1rem; margin: 2rem 0 .5rem; }}
h2 + h3, .charts h3 {{ margin-top: 0; }}
h3 small {{ color: var(--faint); font-weight: normal; font-size: .875rem; }}
details {{ margin: .3rem 0; }}
details.group {{ margin: .8rem 0; }}
details > :not(summary) {{ margin-left: 1.1rem; }}
summary {{ cursor: pointer; overflow-wrap: anywhere; }}
details.group > summary {{ font-weight: 600; }}
a {{ color: var(--first); }}
.figures {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1rem; margin: 1.5rem 0; }}
.figures div {{ border: 1px solid var(--soft); border-radius: .5rem; padding: .8rem 1rem; }}
.figures b {{ display: block; font-size: 1.6rem; line-height: 1.3; }}
.figures span {{ color: var(--faint); font-size: .875rem; }}
.verdict {{ border-left: 4px solid var(--first); padding: .1rem 0 .1rem 1rem; margin: 1rem 0 1.5rem; }}
.verdict p {{ margin: .5rem 0; max-width: 52rem; }}
.charts {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 2rem; }}
.charts section {{ break-inside: avoid; min-width: 0; }}
.chart {{ display: block; width: 100%; height: auto; font-family: {FONTS}; }}
.chart .first, .swatch.first {{ fill: var(--first); background: var(--first); }}
.chart .second, .swatch.second {{ fill: var(--second); background: var(--second); }}
.chart .ink {{ fill: var(--ink); }}
.chart .faint {{ fill: var(--faint); }}
.chart .grid {{ stroke: var(--faint); stroke-width: 1; }}
.swatch {{ display: inline-block; width: .8em; height: .8em; border-radius: .15em; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .28rem .5rem; text-align: right; border-bottom: 1px solid var(--soft); vertical-align: baseline; }}
th {{ font-weight: 600; }}
thead th {{ vertical-align: bottom; border-bottom: 2px solid var(--faint); }}
td {{ white-space: nowrap; }}
th:first-child, td:first-child, th.words, td.words {{ text-align: left; white-space: normal; }}
td:first-child {{ overflow-wrap: break-word; }}
.words {{ color: var(--faint); }}
tbody tr.group td {{ padding-top: .9rem; font-weight: 600; border-bottom: 1px solid var(--faint); }}
tbody tr.total td {{ font-weight: 600; border-top: 2px solid var(--faint); border-bottom: 0; }}
.share {{ position: relative; white-space: nowrap; min-width: 6rem; }}
.share svg {{ position: absolute; inset: auto .5rem 0 .5rem; width: calc(100% - 1rem); height: 3px; }}
.share rect {{ fill: var(--first); }}
tbody tr.gap td {{ padding: .35rem 0 0; }}
.examples {{ display: flex; flex-wrap: wrap; gap: 0 3rem; }}
footer {{ margin-top: 3rem; color: var(--faint); font-size: .875rem; }}
@media print {{
  :root {{ {_LIGHT} font-size: 11px; }}
  h2, h3, .note {{ break-after: avoid; }}
  tr, .figures div, .verdict {{ break-inside: avoid; }}
  .charts {{ grid-template-columns: 1fr 1fr; }}
  .figures {{ grid-template-columns: repeat(4, 1fr); }}
  th, td {{ padding: .25rem .4rem; }}
  footer {{ margin-top: 1rem; }}
  .drawing svg {{ zoom: .8; }}
  .wide {{ overflow: visible; }}
}}
"""


def report_page(title: str, sections: Iterable[str]) -> str:
    """Put the sections of a report on a page that stands alone; the title is safe already."""
    footer = f"<footer>Written by crossarc {html_text(__version__)}.</footer>\n"
    return html_document(title, [*sections, footer], _STYLE)


def tiles(figures: Iterable[tuple[str, str]]) -> str:
    """Show a few figures large, each with what it means."""
    shown = "".join(f"<div><b>{value}</b><span>{meaning}</span></div>" for value, meaning in figures)
    return f'<div class="figures">{shown}</div>\n'


def plot(title: str, of: str, chart: str) -> str:
    """Return a chart under its title; `of` says what it counts."""
    return f"<section><h3>{title} <small>{of}</small></h3>{chart}</section>\n"


def paragraphs(points: Iterable[str]) -> str:
    """Return what is said in words, a paragraph for each point; no line ends between a number and its percent sign."""
    return "".join(f"<p>{html_text(point).replace(' %', '&#160;%')}</p>" for point in points)
