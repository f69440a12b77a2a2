"""Charts as inline SVG for an HTML page: upright bars for distributions, lying ones for shares, lines for intervals.

Colours and fonts come from the style sheet of the page (classes `first`, `second`, `faint`, `ink`, `grid`). A value
above 0 always has a visible bar, and every bar has its figure beside it. O(bars).
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..drawing.text import clean, ems, shorten

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
