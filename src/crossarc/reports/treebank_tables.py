r"""Counts of treebanks as tables for other programs: CSV for spreadsheets, LaTeX for papers. A row for each treebank.

The LaTeX table is that of Table 1 of the 2010 paper and of the 2013 TACL paper, in one. O(files).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from ..structure import Coverage, percent
from .treebank_contents import BEYOND, WITHIN, distinct_names

_DISTRIBUTIONS = ("gap_degree", "planarity", "lifts")
_LATEX = {
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
}


def csv_table(names: Sequence[str], parts: Sequence[Coverage], total: Coverage) -> str:
    """Return the counts as CSV; several treebanks have a last row `total`."""
    rows = [{"file": name, **_flat(part)} for name, part in zip(names, parts, strict=True)]
    everything = {"file": "total", **_flat(total)}  # it has every value of a distribution
    if len(parts) > 1:
        rows.append(everything)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(everything), restval=0, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _flat(counts: Coverage) -> dict[str, Any]:
    plain = counts.to_dict()
    flat = {key: value for key, value in plain.items() if isinstance(value, int)}
    for name in _DISTRIBUTIONS:
        flat |= {f"{name}_{value}".replace(" ", "_"): count for value, count in plain[name].items()}
    return flat


def latex_table(names: Sequence[str], parts: Sequence[Coverage], total: Coverage) -> str:
    """Return the rows of the papers' tables as a LaTeX tabular; shares in percent of sentences, of arcs for arcs."""
    columns = (*BEYOND[:5], BEYOND[6], *WITHIN)
    firsts = ["", "", "", *(latex_text(row.heading[0]) for row in columns)]
    seconds = ["treebank", "sentences", "words", *(latex_text(row.heading[1]) for row in columns)]
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{lrr{'r' * len(columns)}}}",
        r"\toprule",
        latex_row(firsts),
        latex_row(seconds),
        r"\midrule",
    ]

    def row(name: str, counts: Coverage) -> str:
        shares = (
            percent(one.value(counts), one.whole(counts)) if one.as_share else f"{one.value(counts):,}"
            for one in columns
        )
        return latex_row([name, f"{counts.sentences:,}", f"{counts.words:,}", *shares], escape=True)

    lines += [row(name, part) for name, part in zip(distinct_names(names), parts, strict=True)]
    if len(parts) > 1:
        lines += [r"\midrule", row("total", total)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def latex_row(cells: Sequence[str], *, escape: bool = False) -> str:
    """Return a line of a LaTeX table."""
    return " & ".join(latex_text(cell) if escape else cell for cell in cells) + r" \\"


def latex_text(text: str) -> str:
    """Make a text safe for LaTeX."""
    escaped = "".join(_LATEX.get(character, character) for character in text)
    return escaped.replace(" \\%", "\\,\\%").replace("≤", r"$\le$").replace("–", "--")
