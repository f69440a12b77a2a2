"""Is one parser better than another over several seeds: means, deviations, tests, and a verdict.

`crossarc.evaluation.seeds` counts and tests; here the report is put together. O(measures · pairs) after the tests.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..drawing.page import html_text
from ..errors import CrossarcError
from ..evaluation import Punctuation
from ..evaluation.comparison import TITLES
from ..evaluation.seeds import SeedMeasure, SeedTest, compare_seeds, seed_verdict
from ..treebank import Treebank
from .evaluation import Evaluation, Source, evaluate_against, read_gold_standard
from .evaluation_tables import summary
from .page import paragraphs, report_page
from .table import Report, Table, table_html, table_latex, tables_text
from .text import percentage

_CSV_HEADS = (
    *("measure", "first", "second", "first_value", "second_value", "first_deviation", "second_deviation"),
    *("difference", "low", "high", "seed_error", "sentence_error", "freedom", "probability", "corrected"),
    "corrected_all",
)
_FEWEST_SEEDS = 2


class SeedComparison(Report):
    """What `compare_over_seeds` found. It prints as tables with a verdict."""

    _ratios = ".6g"

    def __init__(self, groups: Mapping[str, list[Evaluation]], measures: list[SeedMeasure], measure: str) -> None:
        """Keep what was found; `measure` is the key of the one that the verdict is about."""
        self.groups = dict(groups)
        self.measures = {each.key: each for each in measures}
        if measure not in self.measures:
            raise CrossarcError(f'no measure "{measure}" here: there are {", ".join(self.measures)}')
        self.measure = measure

    @property
    def names(self) -> list[str]:
        """The names of the parsers."""
        return list(self.groups)

    @property
    def evaluations(self) -> list[Evaluation]:
        """The evaluations of all outputs."""
        return [evaluation for group in self.groups.values() for evaluation in group]

    @property
    def notes(self) -> list[str]:
        """What the reader of the figures should know."""
        notes = [f"{evaluation.system}: {note}" for evaluation in self.evaluations for note in evaluation.notes]
        return list(dict.fromkeys(notes))

    @property
    def verdict(self) -> list[str]:
        """What may be said, in words, about the chosen measure."""
        sentences = self.evaluations[0].scores.sentences
        seeds = [len(group) for group in self.groups.values()]
        return seed_verdict(self.measures[self.measure], self.names, seeds, sentences)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "gold": self.evaluations[0].gold,
            "systems": {name: [evaluation.system for evaluation in group] for name, group in self.groups.items()},
            "measure": self.measure,
            "verdict": self.verdict,
            "measures": {key: measure.to_dict() for key, measure in self.measures.items()},
        }

    def to_text(self, width: int = 100, *, full: bool = True) -> str:
        """Return the report for a terminal of so many columns; there must be room for 76."""
        title = f"{self.evaluations[0].gold}: {summary(self.evaluations[0].scores)}"
        return tables_text(title, self._tables() if full else self._tables()[:1], self.verdict, max(76, width))

    def to_html(self) -> str:
        """Return a page that stands alone: the verdict and the tables."""
        title = html_text(f"Is one better? {', '.join(self.names)}")
        tables = (f"<h2>{html_text(table.title)}</h2>\n{table_html(table)}" for table in self._tables())
        verdict = f'<h2>Verdict</h2>\n<div class="verdict">{paragraphs(self.verdict)}</div>\n'
        return report_page(title, [f"<header><h1>{title}</h1></header>\n", verdict, *tables])

    def to_latex(self) -> str:
        """Return a table for a paper: the means of all parsers, with standard deviations."""
        return table_latex(self._values())

    def records(self) -> tuple[Sequence[str], Iterator[list[Any]]]:
        """Return the tests, a row for each measure and pair of parsers."""
        return _CSV_HEADS, (
            [
                *(measure.key, self.names[test.first], self.names[test.second]),
                *(measure.values[test.first], measure.values[test.second]),
                *(measure.deviations[test.first], measure.deviations[test.second]),
                *(test.difference, *test.interval, test.seed_error, test.sentence_error, test.freedom),
                *(test.probability, test.corrected, test.corrected_all),
            ]
            for measure in self.measures.values()
            for test in measure.pairs
        )

    def _tables(self) -> list[Table]:
        pairs = range(len(self.measures[self.measure].pairs))
        return [self._values(), *(self._tests(pair) for pair in pairs)]

    def _values(self) -> Table:
        rows = tuple(
            (
                measure.title,
                *(
                    f"{percentage(value)} ± {100 * deviation:.2f}"
                    for value, deviation in zip(measure.values, measure.deviations, strict=True)
                ),
            )
            for measure in self.measures.values()
        )
        heads = ("", *(f"{name} ({len(group)})" for name, group in self.groups.items()))
        return Table("Measure", heads, rows, "Mean and standard deviation over seeds, whose number is in brackets.")

    def _tests(self, pair: int) -> Table:
        test = self.measures[self.measure].pairs[pair]
        rows = tuple((measure.title, *_cells(measure.pairs[pair])) for measure in self.measures.values())
        heads = ("", "points", "95 % interval", "seeds", "sentences", "p", "Holm")
        note = (
            "Seeds, sentences: standard errors of the difference that either alone would give. p: by t, both together. "
            "Holm: corrected for all measures and pairs."
        )
        return Table(f"{self.names[test.second]} minus {self.names[test.first]}", heads, rows, note, optional=(3, 4))


def _cells(test: SeedTest) -> tuple[str, ...]:
    if math.isnan(test.difference):
        return ("–",) * 6
    low, high = (100 * end for end in test.interval)
    errors = (f"{100 * error:.2f}" for error in (test.seed_error, test.sentence_error))
    chances = (f"{value:.4f}" if value >= 0.00005 else "<.0001" for value in (test.probability, test.corrected_all))
    return (f"{100 * test.difference:+.2f}", f"{low:+.2f} to {high:+.2f}", *errors, *chances)


def compare_over_seeds(
    gold: Source,
    groups: Mapping[str, Sequence[Source]],
    *,
    measure: str = "las",
    punctuation: Punctuation | None = None,
    root: str | None = None,
    format: str | None = None,
    allow_invalid: bool = False,
    threads: int = 0,
) -> SeedComparison:
    """Compare parsers that were trained several times; `groups` has the outputs of each, one for each seed.

    Outputs are treebanks or paths. `measure` is what the verdict is about; all measures are tested. The others are as
    for `crossarc.evaluate`.
    """
    if len(groups) < 2:
        raise CrossarcError(f"{len(groups)} parser to compare: give the outputs of two or more")
    for name, outputs in groups.items():
        if len(outputs) < _FEWEST_SEEDS:
            raise CrossarcError(f"{name}: {len(outputs)} output: give those of two seeds or more, as many as you can")
    if measure not in TITLES:
        raise CrossarcError(f'unknown measure "{measure}": use one of {", ".join(TITLES)}')
    first = next(iter(groups.values()))[0]
    if isinstance(gold, Treebank):
        ours = gold
    else:
        ours = read_gold_standard(gold, first, format=format, root=root, threads=threads)
    evaluations = {
        name: [evaluate_against(ours, output, punctuation, root, format, allow_invalid, threads) for output in outputs]
        for name, outputs in groups.items()
    }
    compared = compare_seeds([[evaluation.scores for evaluation in group] for group in evaluations.values()])
    return SeedComparison(evaluations, compared, measure)
