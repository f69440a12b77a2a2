"""A table of a report, and how it is written: for a terminal, a page, a paper, a spreadsheet. O(cells)."""

from __future__ import annotations

import csv
import io
import math
import re
import textwrap
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..drawing.page import html_text
from ..drawing.text import cells, clean
from ..errors import imported
from .text import bar, blocks_text, bullets, padded, printable

_LEAST_BAR = 6  # cells
_SHORTEST_NAME = 10
_WORDS = ' class="words"'  # cells set to the left
_FORMULA = frozenset("=+-@")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?")
_LATEX = {
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
}


@dataclass(frozen=True)
class Table:
    r"""Rows under heads, which may have several lines ("\n"); names are in the first column, set to the left.

    In a terminal the title stands over the names. Other columns without a head hold words and are set to the left, too.
    `shares` has for each row how long its bar is, from 0 to 1, where bars are wanted; `groups` are the numbers of the
    rows that begin a new block; `total` sets off the last row. A narrow terminal leaves out the columns `optional`,
    in that order; `names` is how many cells names take at most, and to how many they are cut before a column goes.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    shares: tuple[float, ...] | None = None
    groups: tuple[int, ...] = ()
    optional: tuple[int, ...] = ()
    names: tuple[int, int] | None = None
    total: bool = False

    def head_lines(self) -> list[tuple[str, ...]]:
        """The lines of the heads; a head of fewer lines stands at the bottom."""
        lines = [head.split("\n") for head in self.heads]
        most = max(map(len, lines))
        return list(zip(*([""] * (most - len(own)) + own for own in lines), strict=True))


# For a terminal


def table_text(table: Table, width: int) -> list[str]:
    """Write a table in lines of up to `width` cells; names give way, bars take what is left."""
    heads = [("", *line[1:]) for line in table.head_lines()]
    heads[-1] = (table.title, *heads[-1][1:])
    kept, widths = _columns(table, [*heads, *table.rows], width)
    room = width - sum(widths) - 2 * len(widths)

    def line(row: Sequence[str]) -> str:
        shown = padded(row[0], widths[0])
        for place, wide in zip(kept[1:], widths[1:], strict=True):
            shown += "  " + (_right(row[place], wide) if table.heads[place] else padded(row[place], wide))
        return shown

    text = [line(row) for row in heads]
    rule = "─" * cells(text[-1])
    text.append(rule)
    for number, row in enumerate(table.rows):
        if number and number in table.groups:
            text.append("")
        if table.total and number == len(table.rows) - 1:
            text.append(rule)
        drawn = "" if table.shares is None or room < _LEAST_BAR else bar(table.shares[number], 1.0, room)
        text.append(f"{line(row)}  {drawn}")
    return text


def tables_text(title: str, tables: Iterable[Table], points: Iterable[str], width: int) -> str:
    """Write a report in lines of up to `width` cells: a title, tables with their notes, what may be said."""
    blocks = [textwrap.wrap(printable(title), width)]
    blocks += [table_text(table, width) + textwrap.wrap(table.note, width) for table in tables]
    return blocks_text([*blocks, bullets(points, width)])


def _columns(table: Table, lines: Sequence[Sequence[str]], width: int) -> tuple[list[int], list[int]]:
    """Choose the columns that fit, and how wide each is."""
    room = {place: max(cells(printable(line[place])) for line in lines) for place in range(len(table.heads))}
    most, least = table.names or (room[0], room[0])
    room[0] = min(room[0], most)
    kept = list(room)
    for place in table.optional:
        if min(room[0], least) + sum(room[one] + 2 for one in kept[1:]) > width:
            kept.remove(place)
    rest = sum(room[place] + 2 for place in kept[1:])
    shortest = table.names[1] if table.names else _SHORTEST_NAME
    room[0] = min(room[0], max(shortest, width - rest))
    return kept, [room[place] for place in kept]


def _right(text: str, width: int) -> str:
    shown = printable(text)
    return " " * (width - cells(shown)) + shown


# For a page


def table_html(table: Table) -> str:
    """Write a table for a page, without its title."""
    rows = []
    for number, row in enumerate(table.rows):
        if number in table.groups and number:
            rows.append(f'<tr class="gap"><td colspan="{len(row)}"></td></tr>')
        cells_of_row = (
            f"<td{'' if head or not place else _WORDS}>{html_text(cell)}</td>"
            for place, (head, cell) in enumerate(zip(table.heads, row, strict=True))
        )
        rows.append(f"<tr>{''.join(cells_of_row)}</tr>")
    note = f'<p class="note">{html_text(table.note)}</p>\n' if table.note else ""
    return note + html_table(map(html_text, table.heads), rows)


def html_table(heads: Iterable[str], rows: Iterable[str], words: Collection[int] = ()) -> str:
    """Put heads and whole rows, as HTML, into a table that scrolls if it is wide; `words` are columns of words."""
    head = "".join(f"<th{_WORDS if place in words else ''}>{text}</th>" for place, text in enumerate(heads))
    body = "\n".join(rows)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>\n'


# For a paper


def table_latex(table: Table) -> str:
    """Write a LaTeX tabular; the first column is set to the left, the others to the right."""
    rows = [_latex_row(row) for row in table.rows]
    if table.total:
        rows.insert(-1, r"\midrule")
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{l{'r' * (len(table.heads) - 1)}}}",
        r"\toprule",
        *map(_latex_row, table.head_lines()),
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(row: Sequence[str]) -> str:
    return " & ".join(map(_latex_text, row)) + r" \\"


def _latex_text(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in clean(text))
    return escaped.replace(" \\%", "\\,\\%").replace("≤", r"$\le$").replace("–", "--")


# For a spreadsheet


class Report:
    """What all reports are: text for a terminal, which prints; a page; records for spreadsheets and data frames."""

    #: How ratios are written in CSV.
    _ratios = ".6f"

    def to_text(self, width: int = 100, *, full: bool = True) -> str:
        """Return the report for a terminal of so many columns, there must be room for 76; or its short form."""
        raise NotImplementedError

    def records(self) -> tuple[Sequence[str], Iterable[Sequence[Any]]]:
        """Return the names of the columns and the rows of the CSV and the data frame."""
        raise NotImplementedError

    def to_csv(self) -> str:
        """Return the records for a spreadsheet."""
        heads, rows = self.records()
        return csv_text(heads, ([self._written(cell) for cell in row] for row in rows))

    def to_pandas(self) -> Any:
        """Return the records as a data frame, ratios as shares from 0 to 1. Needs pandas."""
        heads, rows = self.records()
        return imported("pandas", "pandas").DataFrame(list(rows), columns=list(heads))

    def _written(self, cell: Any) -> Any:
        if cell is None:
            return ""
        if isinstance(cell, float):
            return "" if math.isnan(cell) else format(cell, self._ratios)
        return cell

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        """Return the report, so that an interactive session shows it."""
        return self.to_text().rstrip("\n")


def csv_text(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Write rows under heads as CSV; a spreadsheet takes no text for a formula, a terminal none for a command."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def _harmless(cell: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would compute; numbers stay as they are.

    >>> _harmless("=1+1"), _harmless("-0.25"), _harmless("-LRB-")
    ("'=1+1", '-0.25', "'-LRB-")
    """
    if not isinstance(cell, str):
        return cell
    cell = clean(cell)
    return f"'{cell}" if cell[:1] in _FORMULA and not _NUMBER.fullmatch(cell) else cell
