"""A table of a report, and how it is written: for a terminal, for a page, for a paper. O(cells)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..drawing.text import cells
from .page_parts import html_text
from .treebank_tables import latex_row, latex_text
from .treebank_text import bar, padded, printable

_LEAST_BAR = 6  # cells
_SHORTEST_NAME = 10


@dataclass(frozen=True)
class Table:
    """Rows under heads. The first column and others without a head hold words and are set to the left.

    `shares` has for each row how long its bar is, from 0 to 1, where bars are wanted; `groups` are the numbers of the
    rows that begin a new block; `optional` are columns that a narrow terminal goes without, the first first.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    shares: tuple[float, ...] | None = None
    groups: tuple[int, ...] = ()
    optional: tuple[int, ...] = ()


def table_text(table: Table, width: int) -> list[str]:
    """Write a table in lines of up to `width` cells; the first column gives way, bars take what is left."""
    kept = list(range(len(table.heads)))
    every = [(table.title, *table.heads[1:]), *table.rows]
    room_for = {place: max(cells(printable(line[place])) for line in every) for place in kept}
    for place in table.optional:
        if sum(room_for[one] + 2 for one in kept) - 2 > width:
            kept.remove(place)
    lines = [tuple(line[place] for place in kept) for line in every]
    heads = [table.heads[place] for place in kept]
    widths = [room_for[place] for place in kept]
    rest = sum(widths[1:]) + 2 * len(widths[1:])
    widths[0] = max(_SHORTEST_NAME, min(widths[0], width - rest))
    room = width - rest - widths[0] - 2
    text = []
    for number, line in enumerate(lines):
        if number > 1 and number - 1 in table.groups:
            text.append("")
        shown = padded(line[0], widths[0])
        for cell, wide, head in zip(line[1:], widths[1:], heads[1:], strict=True):
            shown += "  " + (_right(cell, wide) if head else padded(cell, wide))
        if number and table.shares is not None and room >= _LEAST_BAR:
            shown += "  " + bar(table.shares[number - 1], 1.0, room)
        text.append(shown)
        if not number:
            text.append("─" * cells(shown))
    return text


def _right(text: str, width: int) -> str:
    shown = printable(text)
    return " " * (width - cells(shown)) + shown


def table_html(table: Table) -> str:
    """Write a table for a page, without its title."""
    heads = "".join(f"<th>{html_text(head)}</th>" for head in table.heads)
    words = ' class="words"'
    rows = []
    for number, row in enumerate(table.rows):
        if number in table.groups and number:
            rows.append(f'<tr class="gap"><td colspan="{len(row)}"></td></tr>')
        cells_of_row = (
            f"<td{'' if head or not place else words}>{html_text(cell)}</td>"
            for place, (head, cell) in enumerate(zip(table.heads, row, strict=True))
        )
        rows.append(f"<tr>{''.join(cells_of_row)}</tr>")
    body = "\n".join(rows)
    note = f'<p class="note">{html_text(table.note)}</p>\n' if table.note else ""
    return f'{note}<div class="wide"><table><thead><tr>{heads}</tr></thead>\n<tbody>{body}</tbody></table></div>\n'


def table_latex(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a LaTeX tabular; the first column is set to the left, the others to the right."""
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
        r"\toprule",
        latex_row([latex_text(head) for head in heads]),
        r"\midrule",
        *(latex_row(row, escape=True) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"
