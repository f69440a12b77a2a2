"""A report on treebanks as one HTML page that stands alone: verdict, tables, plots, drawn examples.

No scripts, nothing to download, light or dark as the reader prefers, made to be printed. Costs what the drawings of the
examples cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from ..drawing.page import figure, html_text
from ..drawing.picture import Picture
from ..parsers.advice import Recommendation
from ..structure import Coverage, percent
from . import analysis_contents as contents
from .analysis_contents import BEYOND, WITHIN, Distribution, Row
from .page import lying_bars, paragraphs, plot, report_page, tiles, upright_bars
from .table import html_table
from .text import distinct_names, one_treebank, plural

_DRAWN = 2  # examples of each class
_COLUMNS = (*BEYOND[:5], BEYOND[6], WITHIN[2], WITHIN[4], WITHIN[1])


def analysis_page(
    names: Sequence[str],
    parts: Sequence[Coverage],
    total: Coverage,
    advice: Recommendation,
    examples: Mapping[str, Sequence[Picture]],
) -> str:
    """Write the page; `examples` has pictures for each rare class."""
    title = html_text(_title(names))
    sections = [
        _head(title, total),
        _advice(advice, total),
        _classes(total),
        _files(names, parts, total) if len(parts) > 1 else "",
        _plots(total),
        _drawings(examples),
    ]
    return report_page(title, sections)


def _title(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"How non-projective is {distinct_names(names)[0]}?"
    name = one_treebank(names)
    return f"How non-projective {f'is {name} ({len(names)} parts)' if name else f'are {len(names)} treebanks'}?"


def analysis_fragment(names: Sequence[str], parts: Sequence[Coverage], total: Coverage, advice: Recommendation) -> str:
    """Write the counts and the verdict for a notebook, which has a style of its own."""
    table = _files(names, parts, total) if len(parts) > 1 else _class_table(total)
    return f"<div>{table}<p>{html_text(advice.verdict)}</p></div>"


def _head(title: str, total: Coverage) -> str:
    most_planes = max((bounds.lower for bounds in total.planarity), default=1)
    figures = [
        (percent(total.nonprojective_sentences, total.sentences), "of the sentences are non-projective"),
        (percent(total.nonprojective_arcs, total.arcs), "of the arcs are non-projective"),
        (str(most_planes), "planes hold the arcs of every sentence" if most_planes > 1 else "plane holds all arcs"),
        (percent(total.one_endpoint_crossing, total.sentences), "of the sentences are 1-endpoint-crossing"),
    ]
    counts = ", ".join(plural(*pair) for pair in ((total.sentences, "sentence"), (total.words, "word")))
    shown = tiles(figures) if total.sentences else ""
    return (
        f'<header><h1>{title}</h1>\n<p class="note">{counts}, {plural(total.root_arcs, "root")}</p></header>\n{shown}'
    )


def _advice(advice: Recommendation, total: Coverage) -> str:
    verdict = f'<h2>Which parser fits</h2>\n<div class="verdict">{paragraphs(advice.points)}</div>\n'
    if not total.sentences:
        return verdict
    rows, kind = [], ""
    for option in advice.options:
        if option.kind != kind:
            kind = option.kind
            rows.append(f'<tr class="group"><td colspan="5">{html_text(kind.capitalize())}s</td></tr>')
        about = "" if option.exact else "≈ "
        shares = ((option.sentences, total.sentences), (option.words, total.words))
        cells = "".join(_share_cell(count, whole, about) for count, whole in shares)
        rows.append(
            f'<tr><td>{html_text(", ".join(option.names))}</td><td class="words">{html_text(option.trees)}</td>{cells}'
            f'<td class="words">{html_text(option.note)}</td></tr>'
        )
    heads = ("", "trees", "sentences covered", "words in them", "")
    return f"{verdict}{html_table(heads, rows, words=(1,))}"


def _classes(total: Coverage) -> str:
    return f"<h2>The classes</h2>\n{_class_table(total)}"


def _class_table(total: Coverage) -> str:
    rows = []
    for title, group in (("Beyond a class", BEYOND), ("Within a class", WITHIN)):
        rows.append(f'<tr class="group"><td colspan="4">{title}</td></tr>')
        for row in group:
            cells = f"<td>{row.value(total):,}</td>{_share_cell(row.value(total), row.whole(total))}"
            rows.append(
                f'<tr><td>{html_text(row.title)}</td><td class="words">{html_text(row.meaning)}</td>{cells}</tr>'
            )
    return html_table(("", "what it means", "count", "share"), rows, words=(1,))


def _files(names: Sequence[str], parts: Sequence[Coverage], total: Coverage) -> str:
    shares = (part.nonprojective_sentences / part.sentences for part in parts if part.sentences)
    most = max(shares, default=0.0) or 1.0

    def row(name: str, counts: Coverage, kind: str = "") -> str:
        cells = "".join(_count_cell(one, counts, most) for one in _COLUMNS)
        return f"<tr{kind}><td>{html_text(name)}</td><td>{counts.sentences:,}</td><td>{counts.words:,}</td>{cells}</tr>"

    what = "part" if one_treebank(names) else "treebank"
    heads = (what, "sentences", "words", *("<br/>".join(map(html_text, one.heading)) for one in _COLUMNS))
    rows = [row(name, part) for name, part in zip(distinct_names(names), parts, strict=True)]
    rows.append(row("total", total, ' class="total"'))
    return f"<h2>{what.capitalize()} by {what}</h2>\n{html_table(heads, rows)}"


def _count_cell(row: Row, counts: Coverage, most: float) -> str:
    value, whole = row.value(counts), row.whole(counts)
    if row is BEYOND[0]:
        return _share_cell(value, whole, most=most)
    return f"<td>{escape(row.cell(counts))}</td>"


def _share_cell(count: int, whole: int, about: str = "", most: float = 1.0) -> str:
    """A figure with a thin bar under it; the bar is SVG, so that it prints without background graphics."""
    share = 100 * count / whole / most if whole else 0.0
    bar = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{share:.2f}" height="1"/></svg>'
        if share
        else ""
    )
    return f'<td class="share">{about}{escape(percent(count, whole))}{bar}</td>'


def _plots(total: Coverage) -> str:
    if not total.sentences:
        return ""
    plots = [_distribution(contents.gap_degrees(total)), _distribution(contents.planarities(total))]
    if total.crossings.total() > total.crossings[0]:
        plots.append(_distribution(contents.crossings(total)))
    if total.lifts:
        plots.append(_distribution(contents.lifts(total)))
    if total.crossing_arcs:
        plots += [_lengths(total), _relations(total)]
    return f'<h2>Distributions</h2>\n<div class="charts">{"".join(plots)}</div>\n'


def _distribution(distribution: Distribution) -> str:
    columns = [(label, [(count, percent(count, distribution.whole, 1))]) for label, count in distribution.bins]
    of = f"{distribution.whole:,} {distribution.unit}"
    return plot(distribution.title, of, upright_bars(columns, f"{distribution.title} of {of}"))


def _lengths(total: Coverage) -> str:
    pair = contents.arc_lengths(total)
    columns = []
    for bins in zip(*(one.bins for one in pair), strict=True):
        shares = [count / (one.whole or 1) for one, (_, count) in zip(pair, bins, strict=True)]
        columns.append((bins[0][0], [(share, f"{100 * share:.0f}" if share >= 0.005 else "") for share in shares]))
    means = (contents.mean(total.crossing_arc_length), contents.mean(total.other_arc_length))
    legend = ", ".join(
        f'<span class="swatch {name}"></span> {one.whole:,} {one.unit} (mean {mean:.2f})'
        for name, one, mean in zip(("first", "second"), pair, means, strict=True)
    )
    return plot(
        "Arc length", f"percent of {legend}", upright_bars(columns, "Length of crossing arcs and of other arcs")
    )


def _relations(total: Coverage) -> str:
    relations = contents.crossing_relations(total)
    if not relations:
        return ""
    rows = [(name, crossing / arcs, f"{percent(crossing, arcs, 1)} of {arcs:,}") for name, crossing, arcs in relations]
    of = f"share of crossing arcs, of relations with {contents.fewest_arcs(total):,} arcs or more"
    chart = lying_bars(rows, "Relations whose arcs cross most", most=rows[0][1])
    return plot("Relations that cross most", of, chart)


def _drawings(examples: Mapping[str, Sequence[Picture]]) -> str:
    drawn: set[tuple[str, ...]] = set()  # a treebank may have a sentence twice, and a sentence be of two classes
    parts = []
    for title, pictures in examples.items():
        fresh = list({picture.words: picture for picture in pictures if picture.words not in drawn}.values())[:_DRAWN]
        drawn |= {picture.words for picture in fresh}
        name, _, meaning = title.partition(": ")
        if fresh:
            figures = f'<div class="examples">{"".join(map(figure, fresh))}</div>\n'
            parts.append(
                f"<section><h3>{html_text(name)} <small>{html_text(meaning)}</small></h3>\n{figures}</section>\n"
            )
    if not parts:
        return ""
    note = (
        "The shortest sentences of each rare class. The first plane is drawn above the words, the second below; "
        "further planes alternate, dashed. Arcs that cross another have a stronger line."
    )
    return f'<h2>Examples</h2>\n<p class="note">{note}</p>\n{"".join(parts)}'
