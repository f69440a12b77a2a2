"""A report on scores as plain text for a terminal: tables under each other, then what may be said. O(cells)."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from .table import Table, table_text
from .treebank_text import printable


def report_text(title: str, tables: Sequence[Table], points: Sequence[str], width: int) -> str:
    """Write a report in lines of up to `width` cells."""
    blocks = [textwrap.wrap(printable(title), width)]
    for table in tables:
        block = table_text(table, width)
        if table.note:
            block += textwrap.wrap(table.note, width)
        blocks.append(block)
    if points:
        blocks.append([line for point in points for line in _bullet(printable(point), width)])
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks) + "\n"


def _bullet(point: str, width: int) -> list[str]:
    unbroken = point.replace(" %", "\xa0%")
    wrapped = textwrap.wrap(unbroken, width, initial_indent="• ", subsequent_indent="  ")
    return [line.replace("\xa0", " ") for line in wrapped]
