"""The parts that all HTML reports are made of: the page with its style sheet, figures shown large, charts.

The frame is that of all pages (`crossarc.drawing.page`); made to be printed, always light on paper. Charts are inline
SVG in the colours of the page: upright bars for distributions and reliability, lying ones for shares, lines for
intervals; a value above 0 always has a visible bar, and every bar has its figure beside it. O(length).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from .. import __version__
from ..drawing.colours import DARK, LIGHT, Theme
from ..drawing.page import html_document, html_text
from ..drawing.render_svg import FONTS
from ..drawing.text import clean, ems, shorten


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


# Charts

_WIDTH = 480.0
_SIZE = 12.0  # of letters
_PLOT_HEIGHT = 150.0
_LEAST = 0.7  # the height of a bar above 0
_LONGEST_LABEL = 30

#: A label, and for each series the height of its bar and the figure on it.
Column = tuple[str, Sequence[tuple[float, str]]]


def upright_bars(columns: Sequence[Column], description: str) -> str:
    """Draw groups of upright bars, one for each series; heights are relative to the highest."""
    most = max((height for _, bars in columns for height, _ in bars), default=0.0) or 1.0
    base = 1.6 * _SIZE + _PLOT_HEIGHT
    step = _WIDTH / max(4, len(columns))
    start = (_WIDTH - step * len(columns)) / 2
    parts = [f'<line class="grid" x1="0" x2="{_WIDTH:.0f}" y1="{base:.1f}" y2="{base:.1f}"/>']
    for place, (label, bars) in enumerate(columns):
        width = min(64.0, 0.82 * step) / len(bars)
        left = start + place * step + (step - width * len(bars)) / 2
        for series, (height, figure) in enumerate(bars):
            drawn = max(_LEAST, _PLOT_HEIGHT * height / most) if height else 0.0
            x = left + series * width
            parts.append(_rectangle(x, base - drawn, 0.94 * width, drawn, series))
            size = min(_SIZE, 1.25 * width / max(1.0, ems(figure)), 0.95 * step / len(bars) / max(1.0, ems(figure)))
            parts.append(_text(x + 0.47 * width, base - drawn - 4, figure, "faint", "middle", max(7.5, size)))
        parts.append(_text(start + (place + 0.5) * step, base + 1.3 * _SIZE, label, "ink", "middle"))
    return _drawing(base + 1.9 * _SIZE, description, parts)


def reliability(bars: Sequence[tuple[float, float, float, float]], description: str) -> str:
    """Draw a reliability diagram: of each bin its ends, the mean probability in it and the share that came true.

    A bin is a bar as high as its share, with a dot at its mean probability; on the diagonal the two are the same.
    """
    side, top = 1.6 * _PLOT_HEIGHT, 1.6 * _SIZE
    left, base = (_WIDTH - side) / 2, 1.6 * _SIZE + 1.6 * _PLOT_HEIGHT
    parts = [f'<line class="grid" x1="{left:.1f}" x2="{left + side:.1f}" y1="{base:.1f}" y2="{base:.1f}"/>']
    for low, high, _, share in bars:
        height = max(_LEAST, side * share) if share else 0.0
        parts.append(_rectangle(left + side * low + 0.5, base - height, side * (high - low) - 1, height, 0))
    parts.append(
        f'<line class="grid" x1="{left:.1f}" x2="{left + side:.1f}" y1="{base:.1f}" y2="{top:.1f}" '
        'stroke-dasharray="4 3"/>'
    )
    for low, high, probability, share in bars:
        x, y = left + side * probability, base - side * share
        parts.append(f'<circle class="second" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>')
        parts.append(_text(left + side * (low + high) / 2, y - 7, f"{100 * share:.0f}", "faint", "middle", 9))
    for mark in (0.0, 0.5, 1.0):
        parts.append(_text(left + side * mark, base + 1.3 * _SIZE, f"{mark:g}", "ink", "middle"))
        parts.append(_text(left - 8, base - side * mark + 0.35 * _SIZE, f"{100 * mark:.0f} %", "ink", "end"))
    return _drawing(base + 1.9 * _SIZE, description, parts)


def lying_bars(rows: Sequence[tuple[str, float, str]], description: str, most: float = 1.0) -> str:
    """Draw a row for each label: a bar of a share of `most`, and its figure."""
    height = 1.75 * _SIZE
    labels = [shorten(clean(label), _LONGEST_LABEL) for label, _, _ in rows]
    left = max((ems(label) for label in labels), default=0.0) * _SIZE + 8
    room = max((ems(figure) for _, _, figure in rows), default=0.0) * _SIZE + 8
    parts = []
    for place, (label, (_, share, figure)) in enumerate(zip(labels, rows, strict=True)):
        y = place * height
        width = max(_LEAST, (_WIDTH - left - room) * min(1.0, share / (most or 1.0))) if share else 0.0
        parts.append(_text(left - 8, y + 1.2 * _SIZE, label, "ink", "end"))
        parts.append(_rectangle(left, y + 0.25 * _SIZE, width, 1.25 * _SIZE, 0))
        parts.append(_text(left + width + 5, y + 1.2 * _SIZE, figure, "faint", "start"))
    return _drawing(len(rows) * height + 2, description, parts)


def intervals(rows: Sequence[tuple[str, float, float, float]], description: str) -> str:
    """Draw a row for each label: a value as a dot, an interval around it as a line; and a line at 0.

    The axis holds all values. An interval that is much longer than most ends in an arrow at the edge.
    """
    height = 1.75 * _SIZE
    labels = [shorten(clean(label), _LONGEST_LABEL) for label, *_ in rows]
    left = max((ems(label) for label in labels), default=0.0) * _SIZE + 12
    room = 5.2 * _SIZE  # for the figures
    # A single very long interval would leave no room for the others: it is cut.
    reach = sorted(max(abs(end) for end in row[1:]) for row in rows)
    values = [value for _, value, _, _ in rows]
    most = max([3 * reach[len(reach) // 2], *(1.1 * abs(value) for value in values)]) if reach else 1.0
    low = max(-most, min([0.0, *(min(row[1:]) for row in rows)]))
    high = min(most, max([0.0, *(max(row[1:]) for row in rows)]))
    scale = (_WIDTH - left - room) / ((high - low) or 1.0)

    def x(value: float) -> float:
        return left + (min(max(value, low), high) - low) * scale

    bottom = len(rows) * height
    parts = [f'<line class="grid" x1="{x(0):.1f}" x2="{x(0):.1f}" y1="0" y2="{bottom:.1f}"/>']
    for place, (label, (_, value, start, end)) in enumerate(zip(labels, rows, strict=True)):
        y = (place + 0.5) * height
        parts.append(_text(left - 12, y + 0.35 * _SIZE, label, "ink", "end"))
        parts.append(_rectangle(x(start), y - 1, x(end) - x(start), 2, 0))
        parts += [_cut(x(edge), y, way) for edge, way, cut in ((low, -1, start < low), (high, 1, end > high)) if cut]
        parts.append(f'<circle class="first" cx="{x(value):.1f}" cy="{y:.1f}" r="4"/>')
        parts.append(_text(_WIDTH, y + 0.35 * _SIZE, f"{value:+.2f}", "faint", "end"))
    return _drawing(bottom + 2, description, parts)


def _cut(x: float, y: float, way: int) -> str:
    """An arrow at the end of a line that goes on."""
    return f'<path class="first cut" d="M{x + 7 * way:.1f} {y:.1f}L{x:.1f} {y - 4:.1f}V{y + 4:.1f}Z"/>'


def _rectangle(x: float, y: float, width: float, height: float, series: int) -> str:
    name = ("first", "second")[series]
    return f'<rect class="{name}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'


def _text(x: float, y: float, text: str, name: str, anchor: str, size: float = _SIZE) -> str:
    return (
        f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:.1f}">'
        f"{escape(clean(text))}</text>"
    )


def _drawing(height: float, description: str, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" viewBox="0 0 {_WIDTH:.0f} {height:.0f}">'
        f"<title>{escape(description)}</title>{''.join(parts)}</svg>"
    )
