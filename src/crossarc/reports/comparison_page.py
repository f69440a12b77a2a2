"""A comparison of systems as one HTML page that stands alone: the verdict, intervals, plots and tables. O(measures)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..evaluation import Scores
from ..evaluation.comparison import MeasureComparison
from .charts import intervals, upright_bars
from .comparison_contents import summary, tables
from .evaluation_contents import figure as percent
from .evaluation_page import score_bar
from .page_parts import html_page_of, html_text, plot, tiles
from .table import table_html
from .treebank_contents import distinct_names

_BREAKDOWNS = ("sentence length", "arc length", "distance to root")


def comparison_page(
    gold: str,
    names: Sequence[str],
    scores: Sequence[Scores],
    measures: Sequence[MeasureComparison],
    chosen: str,
    verdict: Sequence[str],
    samples: int,
    version: str,
) -> str:
    """Write the page; `chosen` is the key of the measure that the verdict is about."""
    short = distinct_names(names)
    title = html_text(f"Is one better? {', '.join(short)}")
    main = next(measure for measure in measures if measure.key == chosen)
    points = "".join(f"<p>{html_text(point).replace(' %', '&#160;%')}</p>" for point in verdict)
    figures = [
        (percent(value), f"{main.title}: {html_text(name)}") for name, value in zip(short, main.values, strict=True)
    ]
    sections = [
        f'<header><h1>{title}</h1>\n<p class="note">{html_text(distinct_names([gold])[0])}: '
        f"{html_text(summary(scores[0]))}</p></header>\n",
        tiles(figures),
        f'<h2>Verdict</h2>\n<div class="verdict">{points}</div>\n',
        _plots(short, scores, measures),
        *(f"<h2>{html_text(table.title)}</h2>\n{table_html(table)}" for table in tables(measures, names, samples)),
    ]
    return html_page_of(title, sections, version)


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
