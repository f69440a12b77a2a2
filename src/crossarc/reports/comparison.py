"""Is one parser better than another: differences on every measure, tests, and a verdict that does not overclaim.

Nothing is computed here: `crossarc.evaluation` counts and tests, `crossarc.drawing` writes the report.
"""

from __future__ import annotations

from typing import Any

from ..errors import CrossarcError
from ..evaluation import Punctuation
from ..evaluation.comparison import MeasureComparison, compare_scores
from ..evaluation.measures import TITLES
from ..evaluation.verdict import verdict
from ..treebank import Treebank
from .evaluation import Evaluation, Source, evaluate_against, read_gold_standard


class Comparison:
    """What `compare` found. It prints as tables with a verdict and shows itself in a notebook."""

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
        from .treebank_contents import distinct_names

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

    def to_text(self, width: int = 100) -> str:
        """Return the report for a terminal of so many columns; there must be room for 76."""
        from . import comparison_contents as contents
        from .score_text import report_text

        title = f"{self.gold}: {contents.summary(self.evaluations[0].scores)}"
        tables = contents.tables(list(self.measures.values()), self.names, self.samples)
        return report_text(title, tables, self.verdict, max(76, width))

    def to_html(self) -> str:
        """Return a page that stands alone: the verdict, plots and tables."""
        from .. import __version__
        from .comparison_page import comparison_page

        scores = [one.scores for one in self.evaluations]
        measures = list(self.measures.values())
        return comparison_page(
            self.gold, self.names, scores, measures, self.measure, self.verdict, self.samples, __version__
        )

    def to_csv(self) -> str:
        """Return the tests for a spreadsheet: a row for each measure and pair of systems."""
        from .comparison_contents import comparison_csv

        return comparison_csv(list(self.measures.values()), self.names)

    def to_latex(self) -> str:
        """Return a table for a paper: a row for each system, with the columns of the papers' accuracy tables."""
        from .comparison_contents import comparison_latex

        return comparison_latex([one.scores for one in self.evaluations], self.names)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        """Return the report, so that an interactive session shows it."""
        return self.to_text().rstrip("\n")

    def _repr_html_(self) -> str:
        from .comparison_contents import value_table
        from .page_parts import html_text
        from .table import table_html

        points = "".join(f"<p>{html_text(point)}</p>" for point in self.verdict)
        return f"<div>{table_html(value_table(list(self.measures.values()), self.names))}{points}</div>"


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
