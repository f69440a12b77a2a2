"""What a report on a treebank shows, whatever it is written on: rows, columns, distributions; and its CSV and LaTeX.

The rows are those of Table 1 of the 2010 paper and of the 2013 TACL paper. Distributions are cut into few bins here,
for people; `Coverage` and the CSV have every value. O(files · values).

As plain text for a terminal distributions are bars of block characters; one file has its counts one below the other,
several have a row each and a total.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..drawing.text import cells, shorten
from ..parsers.advice import Recommendation
from ..structure import Coverage, PlanarityBounds, percent
from .table import Table, table_latex, table_text
from .text import bar, blocks_text, bullets, distinct_names, one_treebank, padded, plural, printable

_MOST_RELATIONS = 10
_FEWEST_ARCS, _LEAST_SHARE = 20, 0.001
_DISTRIBUTIONS = ("gap_degree", "planarity", "lifts")  # in CSV


@dataclass(frozen=True)
class Row:
    """A count of sentences or arcs: its key, its name in full, as the head of a column in two lines, what it means."""

    key: str
    title: str
    heading: tuple[str, str]
    meaning: str
    of_arcs: bool = False
    as_share: bool = True

    def value(self, counts: Coverage) -> int:
        """The count."""
        return int(getattr(counts, self.key))

    def whole(self, counts: Coverage) -> int:
        """What it is a share of."""
        return counts.arcs if self.of_arcs else counts.sentences

    def cell(self, counts: Coverage, digits: int = 2) -> str:
        """Write it into a table: as a share, or the count itself where that is small."""
        value = self.value(counts)
        return percent(value, self.whole(counts), digits) if self.as_share else f"{value:,}"


def _beyond_planes(k: int) -> Row:
    meaning = f"the arcs do not fit on {k} planes without crossings"
    return Row(f"not_{k}_planar", f"not {k}-planar", (f"not {k}-", "planar"), meaning, as_share=False)


#: The rows of the papers' tables: first what goes beyond a class, then what a class holds.
BEYOND = (
    Row(
        "nonprojective_sentences",
        "non-projective sentences",
        ("non-", "proj."),
        "a subtree is not an unbroken stretch of words",
    ),
    Row(
        "nonprojective_arcs",
        "non-projective arcs",
        ("arcs", "n.-p."),
        "a word below the arc does not descend from its head",
        of_arcs=True,
    ),
    Row("not_planar", "not planar", ("not", "planar"), "two arcs between words cross"),
    *(_beyond_planes(k) for k in (2, 3, 4)),
    Row("ill_nested", "ill-nested", ("ill-", "nested"), "two disjoint subtrees interleave", as_share=False),
)
WITHIN = (
    Row("projective", "projective", ("pro-", "jective"), "every subtree is an unbroken stretch of words"),
    Row(
        "gap_minding",
        "gap-minding",
        ("gap-", "minding"),
        "well-nested, one gap at most, and no child on both sides of it",
    ),
    Row(
        "one_endpoint_crossing",
        "1-endpoint-crossing",
        ("1-endp.-", "crossing"),
        "the arcs that cross an arc share an endpoint",
    ),
    Row(
        "one_endpoint_crossing_without_root",
        "1-endpoint-crossing without root arcs",
        ("1-e.-c.,", "no root"),
        "the same, if arcs from the artificial root do not count",
    ),
    Row(
        "well_nested_block_degree_2",
        "well-nested, block degree at most 2",
        ("nested,", "bl. ≤ 2"),
        "subtrees do not interleave and have one gap at most",
    ),
)
ROWS = (*BEYOND, *WITHIN)


@dataclass(frozen=True)
class Distribution:
    """Counts by value or range of values."""

    title: str
    unit: str
    bins: tuple[tuple[str, int], ...]

    @property
    def whole(self) -> int:
        """The sum."""
        return sum(count for _, count in self.bins)


def binned(counts: Counter[int], starts: Sequence[int]) -> tuple[tuple[str, int], ...]:
    """Count by ranges of values; the last is open. Empty ranges at the end are left out.

    >>> binned(Counter({1: 7, 3: 1, 4: 2}), (1, 2, 3, 5))
    (('1', 7), ('2', 0), ('3–4', 3))
    """
    bins: list[tuple[str, int]] = []
    for start, after in zip(starts, [*starts[1:], None], strict=True):
        inside = sum(count for value, count in counts.items() if start <= value and (after is None or value < after))
        label = f"{start}+" if after is None else str(start) if after == start + 1 else f"{start}–{after - 1}"
        bins.append((label, inside))
    while len(bins) > 1 and bins[-1][1] == 0:
        bins.pop()
    return tuple(bins)


def gap_degrees(counts: Coverage) -> Distribution:
    """Sentences by gap degree."""
    return Distribution("Gap degree", "sentences", binned(counts.gap_degree, range(7)))


def planarities(counts: Coverage) -> Distribution:
    """Sentences by the number of planes; an interval where the search ended before it was known."""
    exact = {k: counts.planarity[PlanarityBounds(k, k)] for k in range(1, _most_planes(counts) + 1)}
    bounds = sorted(bounds for bounds in counts.planarity if not bounds.exact)
    bins = [(str(k), count) for k, count in exact.items()] + [(str(one), counts.planarity[one]) for one in bounds]
    return Distribution("Planes needed", "sentences", tuple(bins))


def _most_planes(counts: Coverage) -> int:
    return max((bounds.upper for bounds in counts.planarity if bounds.exact), default=1)


def lifts(counts: Coverage) -> Distribution:
    """Lifted arcs by the number of lifts: 1, 2, 3, more, as in Table 3 of the 2005 paper."""
    return Distribution("Lifts needed", "lifted arcs", binned(counts.lifts, range(1, 5)))


def crossings(counts: Coverage) -> Distribution:
    """Sentences by the number of crossings."""
    starts = (0, 1, 2, 3, 4, 5, 10, 20, 50, 100)
    return Distribution("Crossings", "sentences", binned(counts.crossings, starts))


def arc_lengths(counts: Coverage) -> tuple[Distribution, Distribution]:
    """Arcs by length, those that cross another and the others; both with the same bins."""
    starts = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30)
    both = binned(counts.crossing_arc_length + counts.other_arc_length, starts)
    crossing, other = (
        tuple(bins) + tuple((label, 0) for label, _ in both[len(bins) :])
        for bins in (binned(counts.crossing_arc_length, starts), binned(counts.other_arc_length, starts))
    )
    return Distribution("Arc length", "crossing arcs", crossing), Distribution("Arc length", "other arcs", other)


def mean(counts: Counter[int]) -> float:
    """The mean value; 0 of nothing."""
    return sum(value * count for value, count in counts.items()) / (counts.total() or 1)


def fewest_arcs(counts: Coverage) -> int:
    """How many arcs a relation must have for its share of crossings to be shown: enough to mean something."""
    return max(_FEWEST_ARCS, round(_LEAST_SHARE * counts.arcs))


def crossing_relations(counts: Coverage) -> list[tuple[str, int, int]]:
    """Relations whose arcs cross most, as (name, crossing arcs, arcs), the largest share first."""
    found = [
        (name, crossing, counts.relation_arcs[name])
        for name, crossing in counts.relation_crossing_arcs.items()
        if counts.relation_arcs[name] >= fewest_arcs(counts)
    ]
    found.sort(key=lambda one: (-one[1] / one[2], one[0]))
    return found[:_MOST_RELATIONS]


# Several treebanks


def files_table(
    names: Sequence[str], parts: Sequence[Coverage], total: Coverage, columns: Sequence[Row], digits: int = 2
) -> Table:
    """A row for each treebank; several have a last row `total`."""

    def row(name: str, counts: Coverage) -> tuple[str, ...]:
        cells = (one.cell(counts, digits) for one in columns)
        return (name, f"{counts.sentences:,}", f"{counts.words:,}", *cells)

    rows = [row(name, part) for name, part in zip(distinct_names(names), parts, strict=True)]
    several = len(parts) > 1
    heads = ("treebank", "sentences", "words", *("\n".join(one.heading) for one in columns))
    return Table("file", heads, (*rows, *([row("total", total)] if several else [])), total=several)


def analysis_latex(names: Sequence[str], parts: Sequence[Coverage], total: Coverage) -> str:
    """Write the rows of the papers' tables as a LaTeX tabular; shares in percent of sentences, of arcs for arcs."""
    return table_latex(files_table(names, parts, total, (*BEYOND[:5], BEYOND[6], *WITHIN)))


def count_records(
    names: Sequence[str], parts: Sequence[Coverage], total: Coverage
) -> tuple[list[str], list[list[Any]]]:
    """Return all counts under their names; several treebanks have a last row `total`."""
    rows = [{"file": name, **_flat(part)} for name, part in zip(names, parts, strict=True)]
    everything = {"file": "total", **_flat(total)}  # it has every value of a distribution
    if len(parts) > 1:
        rows.append(everything)
    return list(everything), [[row.get(key, 0) for key in everything] for row in rows]


def _flat(counts: Coverage) -> dict[str, Any]:
    plain = counts.to_dict()
    flat = {key: value for key, value in plain.items() if isinstance(value, int)}
    for name in _DISTRIBUTIONS:
        flat |= {f"{name}_{value}".replace(" ", "_"): count for value, count in plain[name].items()}
    return flat


_LONGEST_NAME = 26
_SHORTEST_NAME = 12

#: Columns of the table of several files, and in which order they are left out where it is too wide.
_COLUMNS = (*BEYOND[:4], BEYOND[6], *WITHIN[2:3], *WITHIN[1:2])
_LEAST_WANTED = ("words", "gap_minding", "nonprojective_arcs", "ill_nested", "not_planar", "one_endpoint_crossing")


def analysis_text(
    names: Sequence[str],
    parts: Sequence[Coverage],
    total: Coverage,
    advice: Recommendation,
    examples: Sequence[tuple[str, str]],
    width: int,
) -> str:
    """Write the report in lines of up to `width` cells; `examples` are rare classes and where one of each is."""
    if len(parts) == 1:
        blocks = [_summary(names[0], total), _counts(total, width), *_distributions(total, width)]
        blocks.append(_examples(examples, width))
    else:
        blocks = [_table(names, parts, total, width)]
    blocks += [_options(advice, total, width), bullets(advice.points, width)]
    return blocks_text(blocks)


def analysis_summary(names: Sequence[str], total: Coverage, advice: Recommendation, width: int) -> str:
    """Write what is most wanted in a few lines: how much there is, how non-projective it is, and the verdict."""
    name = names[0] if len(names) == 1 else one_treebank(names) or f"{len(names)} treebanks"
    sentences = percent(total.nonprojective_sentences, total.sentences)
    arcs = percent(total.nonprojective_arcs, total.arcs)
    lines = textwrap.wrap(
        f"{_summary(name, total)[0]}; {sentences} of the sentences and {arcs} of the arcs are non-projective", width
    )
    return blocks_text([lines if total.sentences else _summary(name, total), bullets(advice.points[:1], width)])


# One file


def _summary(name: str, total: Coverage) -> list[str]:
    (short,) = distinct_names([name])
    counts = ((total.sentences, "sentence"), (total.words, "word"), (total.root_arcs, "root"))
    return [f"{printable(short)}: {', '.join(plural(*pair) for pair in counts)}"]


def _counts(total: Coverage, width: int) -> list[str]:
    lines = []
    for rows in (BEYOND, WITHIN):
        lines += ["", *(_count(row, total, width) for row in rows)]
    return lines[1:]


def _count(row: Row, total: Coverage, width: int) -> str:
    value, whole = row.value(total), row.whole(total)
    line = f"{row.title:<38}{value:>9,}  {percent(value, whole):>9}"
    return f"{line}  {bar(value, whole, width - len(line) - 2)}"


def _distributions(total: Coverage, width: int) -> list[list[str]]:
    half = (width - 4) // 2
    if not total.sentences:
        return []
    left, right = (_bars(one, half) for one in (gap_degrees(total), planarities(total)))
    blocks = [_beside(left, right, half)]
    if total.lifts or total.crossing_arcs:
        left, right = (_bars(one, half) for one in (lifts(total), crossings(total)))
        blocks.append(_beside(left, right, half))
    if total.crossing_arcs:
        blocks += [_lengths(total, width), _relations(total, width)]
    return blocks


def _bars(distribution: Distribution, width: int) -> list[str]:
    label_width = max(len(label) for label, _ in distribution.bins)
    most = max(count for _, count in distribution.bins)
    lines = [f"{distribution.title} ({distribution.unit})"]
    for label, count in distribution.bins:
        line = f"  {label:>{label_width}}{count:>9,}  {percent(count, distribution.whole):>9}"
        lines.append(f"{line}  {bar(count, most, width - len(line) - 2)}")
    return lines


def _lengths(total: Coverage, width: int) -> list[str]:
    crossing, other = arc_lengths(total)
    bar_width = max(0, (width - 31) // 2)
    lines = ["Arc length: crossing arcs, and other arcs"]
    most = max(count / one.whole for one in (crossing, other) for _, count in one.bins if one.whole)
    for (label, first), (_, second) in zip(crossing.bins, other.bins, strict=True):
        shares = [
            f"{percent(count, one.whole):>9}  {bar(count, most * one.whole, bar_width):<{bar_width}}"
            for count, one in ((first, crossing), (second, other))
        ]
        lines.append(f"  {label:>5}{shares[0]}  {shares[1]}")
    means = (mean(total.crossing_arc_length), mean(total.other_arc_length))
    return [*lines, f"   mean{means[0]:>7.2f}{'':{bar_width + 4}}{means[1]:>9.2f}"]


def _relations(total: Coverage, width: int) -> list[str]:
    relations = crossing_relations(total)
    if not relations:
        return []
    name_width = min(24, max(cells(printable(name)) for name, _, _ in relations))
    most = relations[0][1] / relations[0][2]
    lines = [f"Relations that cross most (of those with {fewest_arcs(total):,} arcs or more)"]
    for name, crossing, arcs in relations:
        line = f"  {padded(name, name_width)}{crossing:>8,} of {arcs:>7,}  {percent(crossing, arcs):>9}"
        lines.append(f"{line}  {bar(crossing, most * arcs, width - cells(line) - 2)}")
    return lines


def _examples(examples: Sequence[tuple[str, str]], width: int) -> list[str]:
    if not examples:
        return []
    name_width = max(len(name) for name, _ in examples)
    lines = [shorten(f"  {name:<{name_width}}  {printable(place)}", width) for name, place in examples]
    return ["The shortest sentence of each rare class", *lines]


def _beside(left: list[str], right: list[str], width: int) -> list[str]:
    height = max(len(left), len(right))
    pairs = zip(left + [""] * (height - len(left)), right + [""] * (height - len(right)), strict=True)
    return [f"{one:<{width}}    {other}" for one, other in pairs]


# Several files


def _table(names: Sequence[str], parts: Sequence[Coverage], total: Coverage, width: int) -> list[str]:
    table = files_table(names, parts, total, _COLUMNS, digits=1)
    keys = ["file", "sentences", "words", *(row.key for row in _COLUMNS)]
    optional = tuple(keys.index(key) for key in _LEAST_WANTED)
    return table_text(replace(table, optional=optional, names=(_LONGEST_NAME, _SHORTEST_NAME)), width)


# Both


def _options(advice: Recommendation, total: Coverage, width: int) -> list[str]:
    if not total.sentences:
        return []
    lines = [f"{'What covers how much of it':50}{'sentences':>12}{'words':>12}"]
    kind = ""
    for option in advice.options:
        if option.kind != kind:
            kind = option.kind
            lines.append(f"{kind}s")
        shares = [percent(option.sentences, total.sentences), percent(option.words, total.words)]
        if not option.exact:
            shares = [f"≈ {share}" for share in shares]
        line = f"  {', '.join(option.names):<48}{shares[0]:>12}{shares[1]:>12}"
        if option.note:
            fits = len(line) + 2 + len(option.note) <= width
            line = f"{line}  {option.note}" if fits else f"{line}\n    ({option.note})"
        lines.append(line)
    return lines
