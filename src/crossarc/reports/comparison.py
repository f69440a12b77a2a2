"""Is one parser better than another: differences on every measure, tests, and a verdict that does not overclaim.

`crossarc.evaluation` counts and tests; here the report is put together, with its tables and its page.
O(measures · pairs) after the tests.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ..drawing.page import html_text
from ..errors import CrossarcError
from ..evaluation import Punctuation, Scores
from ..evaluation.comparison import TITLES, MeasureComparison, PairTest, compare_scores, verdict
from ..options import checked
from ..treebank import Treebank
from .evaluation import Evaluation, Source, evaluate_against, read_gold_standard, score_bar
from .evaluation_tables import scores_latex, summary
from .page import intervals, paragraphs, plot, report_page, tiles, upright_bars
from .table import Report, Table, table_html, tables_text
from .text import distinct_names, percentage

_CSV_HEADS = (
    *("measure", "first", "second", "first_value", "second_value", "difference", "low", "high", "only_first"),
    *("only_second", "mcnemar_exact", "mcnemar_corrected", "shuffled", "exact", "corrected"),
)
_BREAKDOWNS = ("sentence length", "arc length", "distance to root")


class Comparison(Report):
    """What `compare` found. It prints as tables with a verdict and shows itself in a notebook."""

    _ratios = ".6g"

    def __init__(
        self, evaluations: list[Evaluation], measures: list[MeasureComparison], measure: str, samples: int, seed: int
    ) -> None:
        """Keep what was found; `measure` is the key of the one that the verdict is about."""
        self.evaluations = evaluations
        self.measures = {one.key: one for one in measures}
        self.samples = samples
        self.seed = seed
        if measure not in self.measures:
            raise CrossarcError(f'no measure "{measure}" here: there are {", ".join(self.measures)}')
        self.measure = measure

    @property
    def names(self) -> list[str]:
        """The names of the systems; those that are called the same are numbered."""
        names = [one.system for one in self.evaluations]
        return [name if names.count(name) == 1 else f"{name} ({number})" for number, name in enumerate(names, start=1)]

    @property
    def gold(self) -> str:
        """The name of the gold standard."""
        return self.evaluations[0].gold

    @property
    def notes(self) -> list[str]:
        """What the reader of the figures should know."""
        return list(dict.fromkeys(f"{one.system}: {note}" for one in self.evaluations for note in one.notes))

    @property
    def verdict(self) -> list[str]:
        """What may be said, in words: first about the chosen measure, then what it does not mean."""
        sentences = self.evaluations[0].scores.sentences
        return verdict(self.measures[self.measure], distinct_names(self.names), sentences)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "gold": self.gold,
            "systems": self.names,
            "samples": self.samples,
            "seed": self.seed,
            "measure": self.measure,
            "verdict": self.verdict,
            "measures": {key: one.to_dict() for key, one in self.measures.items()},
        }

    def to_text(self, width: int = 100, *, full: bool = True) -> str:
        """Return the report for a terminal of so many columns; there must be room for 76.

        The short form has the measure that was chosen and the verdict.
        """
        title = f"{self.gold}: {summary(self.evaluations[0].scores)}"
        shown = _tables(list(self.measures.values()), self.names, self.samples) if full else [self._main_values()]
        return tables_text(title, shown, self.verdict, max(76, width))

    def _main_values(self) -> Table:
        """The values of the systems on the measure that was chosen."""
        return _value_table([self.measures[self.measure]], self.names)

    def to_html(self) -> str:
        """Return a page that stands alone: the verdict, plots and tables."""
        return _page(self)

    def records(self) -> tuple[Sequence[str], Iterator[list[Any]]]:
        """Return the tests, a row for each measure and pair of systems."""
        return _CSV_HEADS, _records(list(self.measures.values()), self.names)

    def to_latex(self) -> str:
        """Return a table for a paper: a row for each system, with the columns of the papers' accuracy tables."""
        return scores_latex(distinct_names(self.names), [one.scores for one in self.evaluations])

    def _repr_html_(self) -> str:
        points = "".join(f"<p>{html_text(point)}</p>" for point in self.verdict)
        return f"<div>{table_html(_value_table(list(self.measures.values()), self.names))}{points}</div>"


def compare(
    gold: Source,
    *systems: Source,
    measure: str = "las",
    samples: int = 10_000,
    seed: int = 1,
    punctuation: Punctuation | None = None,
    root: str | None = None,
    format: str | None = None,
    allow_invalid: bool = False,
    threads: int = 0,
) -> Comparison:
    """Compare the outputs of two systems or more with each other; all are treebanks or paths.

    `measure` is what the verdict is about; all measures are tested. `samples` is the number of shuffles and of
    resamplings; the same `seed` gives the same answer. The others are as for `crossarc.evaluate`.
    """
    if len(systems) < 2:
        raise CrossarcError(f"{len(systems)} system to compare: give the outputs of two or more")
    if measure not in TITLES:
        raise CrossarcError(f'unknown measure "{measure}": use one of {", ".join(TITLES)}')
    samples, seed = checked("samples", samples), checked("seed", seed)
    if sum(isinstance(one, str) and one == "-" for one in (gold, *systems)) > 1:
        raise CrossarcError("standard input can be only one of the files")
    if isinstance(gold, Treebank):
        ours = gold
    else:
        ours = read_gold_standard(gold, systems[0], format=format, root=root, threads=threads)
    evaluations = [
        evaluate_against(ours, system, punctuation, root, format, allow_invalid, threads) for system in systems
    ]
    compared = compare_scores([one.scores for one in evaluations], samples, seed)
    return Comparison(evaluations, compared, measure, samples, seed)


# The tables


def _tables(measures: Sequence[MeasureComparison], names: Sequence[str], samples: int) -> list[Table]:
    """All tables: the values, then the tests of each pair of systems."""
    short = distinct_names(names)
    pairs = range(len(measures[0].pairs))
    return [_value_table(measures, names), *(_pair_table(measures, pair, short, samples) for pair in pairs)]


def _value_table(measures: Sequence[MeasureComparison], names: Sequence[str]) -> Table:
    """The values of all systems on all measures, with the best marked."""
    rows = []
    for measure in measures:
        defined = [value for value in measure.values if not math.isnan(value)]
        best = max(defined, default=math.nan)
        values = (f"{'*' if value == best else ''}{percentage(value)}" for value in measure.values)
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


def _records(measures: Sequence[MeasureComparison], names: Sequence[str]) -> Iterator[list[Any]]:
    for measure in measures:
        for test in measure.pairs:
            values = [measure.values[test.first], measure.values[test.second], test.difference, *test.interval]
            counts = [test.only_first, test.only_second, test.mcnemar_exact, test.mcnemar_corrected, test.shuffled]
            yield [measure.key, names[test.first], names[test.second], *values, *counts, test.exact, test.corrected]


# The page


def _page(found: Comparison) -> str:
    names, scores = distinct_names(found.names), [one.scores for one in found.evaluations]
    measures, main = list(found.measures.values()), found.measures[found.measure]
    title = html_text(f"Is one better? {', '.join(names)}")
    figures = [
        (percentage(value), f"{main.title}: {html_text(name)}") for name, value in zip(names, main.values, strict=True)
    ]
    shown = _tables(measures, found.names, found.samples)
    sections = [
        f'<header><h1>{title}</h1>\n<p class="note">{html_text(distinct_names([found.gold])[0])}: '
        f"{html_text(summary(scores[0]))}</p></header>\n",
        tiles(figures),
        f'<h2>Verdict</h2>\n<div class="verdict">{paragraphs(found.verdict)}</div>\n',
        _plots(names, scores, measures),
        *(f"<h2>{html_text(table.title)}</h2>\n{table_html(table)}" for table in shown),
    ]
    return report_page(title, sections)


def _plots(names: Sequence[str], scores: Sequence[Scores], measures: Sequence[MeasureComparison]) -> str:
    plots = []
    for pair, test in enumerate(measures[0].pairs):
        rows = []
        for measure in measures:
            low, high = measure.pairs[pair].interval
            if not math.isnan(measure.pairs[pair].difference):
                rows.append((measure.title, 100 * measure.pairs[pair].difference, 100 * low, 100 * high))
        title = html_text(f"{names[test.second]} minus {names[test.first]}")
        plots.append(plot(title, "points, with 95 % intervals", intervals(rows, f"Differences: {title}")))
    if len(scores) == 2:
        plots += [_breakdown(name, names, scores) for name in _BREAKDOWNS]
    return f'<h2>Differences</h2>\n<div class="charts">{"".join(plots)}</div>\n'


def _breakdown(name: str, names: Sequence[str], scores: Sequence[Scores]) -> str:
    both = [one.breakdowns[name] for one in scores]
    columns = [
        (group, [score_bar(own[group].labelled.f1 if group in own else math.nan) for own in both])
        for group in dict.fromkeys([*both[0], *both[1]])
    ]
    legend = ", ".join(
        f'<span class="swatch {swatch}"></span> {html_text(own)}'
        for swatch, own in zip(("first", "second"), names, strict=True)
    )
    return plot(f"LAS by {name}", legend, upright_bars(columns, f"LAS by {name}"))
