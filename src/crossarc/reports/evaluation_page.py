"""A report on a system's scores as one HTML page that stands alone: tables, plots, sentences with the errors marked.

Costs what the drawings cost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ..drawing.picture import Picture
from ..evaluation import Breakdown, Scores
from . import evaluation_contents as contents
from .charts import lying_bars, upright_bars
from .evaluation_contents import figure as percent
from .page_parts import figure, html_page_of, html_text, plot, tiles
from .table import Table, table_html
from .treebank_contents import distinct_names

_UPRIGHT = ("sentence length", "arc length", "distance to root")
_LYING = ("relation", "part of speech")
_MOST_BARS = 15

_LEGEND = (
    "Above the words is the gold tree: grey arcs were found, <b class='missed'>green arcs were missed</b>, "
    "<b class='relabelled'>purple arcs have the wrong relation</b> (gold ≠ system). Below are the "
    "<b class='wrong'>arcs of the system that are wrong</b>."
)


def evaluation_page(
    scores: Scores,
    gold: str,
    system: str,
    notes: Sequence[str],
    pictures: Mapping[str, Sequence[Picture]],
    version: str,
) -> str:
    """Write the page."""
    names = distinct_names([gold, system])
    title = html_text(f"How good is {names[1]}?")
    sections = [
        f'<header><h1>{title}</h1>\n<p class="note">against {html_text(names[0])}: '
        f"{html_text(contents.summary(scores))}</p></header>\n",
        _figures(scores),
        "".join(f'<p class="verdict">Note: {html_text(note)}.</p>\n' for note in notes),
        *(_section(table) for table in _main_tables(scores)),
        _plots(scores),
        _drawings(pictures),
        "<h2>In detail</h2>\n",
        *(f"<h3>{html_text(table.title)}</h3>\n{table_html(table)}" for table in _detail_tables(scores)),
    ]
    return html_page_of(title, sections, version)


def _figures(scores: Scores) -> str:
    whole, bare = scores.all_words, scores.without_punctuation
    return tiles(
        [
            (percent(whole.attachment.las.f1), f"LAS; {percent(bare.attachment.las.f1)} without punctuation"),
            (percent(whole.attachment.uas.f1), f"UAS; {percent(bare.attachment.uas.f1)} without punctuation"),
            (percent(whole.attachment.exact_labelled.recall), "of the sentences are right as a whole"),
            (percent(whole.nonprojective.labelled.recall), "of the non-projective arcs were found"),
        ]
    )


def _main_tables(scores: Scores) -> list[Table]:
    found = [contents.score_table(scores), contents.class_table(scores)]
    more = (contents.official_table(scores), contents.graph_table(scores))
    return found + [table for table in more if table is not None]


def _detail_tables(scores: Scores) -> list[Table]:
    found = [contents.breakdown_table(name, groups) for name, groups in scores.breakdowns.items()]
    confusions = contents.confusion_table(scores)
    return found + ([] if confusions is None else [confusions])


def _section(table: Table) -> str:
    return f"<h2>{html_text(table.title)}</h2>\n{table_html(table)}"


def _plots(scores: Scores) -> str:
    plots = [_upright(name, scores.breakdowns[name]) for name in _UPRIGHT]
    plots += [_lying(name, scores.breakdowns[name]) for name in _LYING]
    return f'<h2>Where the errors are</h2>\n<div class="charts">{"".join(plots)}</div>\n'


def _upright(name: str, groups: Breakdown) -> str:
    columns = [(group, [score_bar(of.unlabelled.f1), score_bar(of.labelled.f1)]) for group, of in groups.items()]
    legend = '<span class="swatch first"></span> unlabelled, <span class="swatch second"></span> labelled F'
    return plot(f"By {name}", legend, upright_bars(columns, f"F by {name}"))


def score_bar(value: float) -> tuple[float, str]:
    """Return the height of a bar and the figure on it; what is undefined has none."""
    return (0.0, "") if math.isnan(value) else (value, f"{100 * value:.0f}")


def _lying(name: str, groups: Breakdown) -> str:
    rows = [
        (group, of.labelled.f1, f"{percent(of.labelled.f1)} of {of.labelled.gold:,}")
        for group, of in list(groups.items())[:_MOST_BARS]
        if not math.isnan(of.labelled.f1)
    ]
    return plot(f"By {name}", "labelled F, the most frequent", lying_bars(rows, f"Labelled F by {name}"))


def _drawings(pictures: Mapping[str, Sequence[Picture]]) -> str:
    parts = []
    for title, drawn in pictures.items():
        if drawn:
            figures = "".join(map(figure, drawn))
            parts.append(f'<section><h3>{html_text(title)}</h3>\n<div class="examples">{figures}</div></section>\n')
    if not parts:
        return ""
    return f'<h2>Sentences</h2>\n<p class="note legend">{_LEGEND}</p>\n{"".join(parts)}'
