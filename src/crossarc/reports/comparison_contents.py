"""What a report on a comparison of systems shows, whatever it is written on. O(measures · pairs)."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from ..evaluation import Scores
from ..evaluation.comparison import MeasureComparison, PairTest
from .evaluation_contents import LATEX_HEADS, figure, latex_cells, summary
from .table import Table, table_latex
from .treebank_contents import distinct_names

_CSV_HEADS = (
    *("measure", "first", "second", "first_value", "second_value", "difference", "low", "high", "only_first"),
    *("only_second", "mcnemar_exact", "mcnemar_corrected", "shuffled", "exact", "corrected"),
)

__all__ = ["comparison_csv", "comparison_latex", "summary", "tables", "value_table"]


def tables(measures: Sequence[MeasureComparison], names: Sequence[str], samples: int) -> list[Table]:
    """All tables: the values, then the tests of each pair of systems."""
    short = distinct_names(names)
    pairs = range(len(measures[0].pairs))
    return [value_table(measures, names), *(_pair_table(measures, pair, short, samples) for pair in pairs)]


def value_table(measures: Sequence[MeasureComparison], names: Sequence[str]) -> Table:
    """The values of all systems on all measures, with the best marked."""
    rows = []
    for measure in measures:
        defined = [value for value in measure.values if not math.isnan(value)]
        best = max(defined, default=math.nan)
        values = (f"{'*' if value == best else ''}{figure(value)}" for value in measure.values)
        rows.append((measure.title, *values))
    note = "* the highest value; the tests say whether that means anything."
    return Table("Measure", ("", *distinct_names(names)), tuple(rows), note)


def _pair_table(measures: Sequence[MeasureComparison], pair: int, names: Sequence[str], samples: int) -> Table:
    test = measures[0].pairs[pair]
    title = f"{names[test.second]} minus {names[test.first]}"
    rows = tuple((measure.title, *_cells(measure.pairs[pair])) for measure in measures)
    heads = ["", "points", "95 % interval", "right alone", "McNemar", "corr.", "shuffled"]
    note = (
        f"Right alone: {names[test.first]} : {names[test.second]}. McNemar: exact, and by chi-squared corrected for "
        f"continuity. Shuffled: {samples:,} times by sentence; = where all ways were tried."
    )
    if len(measures[0].pairs) > 1:
        heads.append("Holm")
        rows = tuple(
            (*row, _probability(measure.pairs[pair].corrected)) for row, measure in zip(rows, measures, strict=True)
        )
        note += f" Holm: shuffled, corrected for {len(measures[0].pairs)} pairs."
    return Table(title, tuple(heads), rows, note, optional=(5, 3))


def _cells(test: PairTest) -> tuple[str, ...]:
    low, high = test.interval
    bounds = "–" if math.isnan(low) else f"{100 * low:+.2f} to {100 * high:+.2f}"
    only = "–" if test.only_first is None else f"{test.only_first:,} : {test.only_second:,}"
    difference = "–" if math.isnan(test.difference) else f"{100 * test.difference:+.2f}"
    exact = "= " if test.exact and not math.isnan(test.shuffled) else ""
    return (
        difference,
        bounds,
        only,
        _probability(test.mcnemar_exact),
        _probability(test.mcnemar_corrected),
        exact + _probability(test.shuffled),
    )


def _probability(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "–"
    return f"{value:.4f}" if value >= 0.00005 else "<.0001"


def comparison_csv(measures: Sequence[MeasureComparison], names: Sequence[str]) -> str:
    """Write all tests as CSV, a row for each measure and pair."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_CSV_HEADS)
    for measure in measures:
        for test in measure.pairs:
            numbers = [measure.values[test.first], measure.values[test.second], test.difference, *test.interval]
            chances = [test.mcnemar_exact, test.mcnemar_corrected, test.shuffled]
            writer.writerow(
                [measure.key, names[test.first], names[test.second], *map(_number, numbers)]
                + ["" if count is None else count for count in (test.only_first, test.only_second)]
                + [*map(_number, chances), test.exact, _number(test.corrected)]
            )
    return text.getvalue()


def _number(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.6g}"


def comparison_latex(scores: Sequence[Scores], names: Sequence[str]) -> str:
    """Write a LaTeX table with a row for each system."""
    rows = [[name, *latex_cells(one)] for name, one in zip(distinct_names(names), scores, strict=True)]
    return table_latex(["system", *LATEX_HEADS], rows)
