"""A report on a treebank as plain text for a terminal: tables, and distributions as bars of block characters.

One file has its counts one below the other; several have a row each and a total. O(files).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import replace

from ..drawing.text import cells, shorten
from ..parsers.advice import Recommendation
from ..structure import Coverage, percent
from . import analysis_contents as contents
from .analysis_contents import BEYOND, WITHIN, Distribution, Row, files_table
from .table import table_text
from .text import bar, blocks_text, bullets, distinct_names, one_treebank, padded, plural, printable

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
    left, right = (_bars(one, half) for one in (contents.gap_degrees(total), contents.planarities(total)))
    blocks = [_beside(left, right, half)]
    if total.lifts or total.crossing_arcs:
        left, right = (_bars(one, half) for one in (contents.lifts(total), contents.crossings(total)))
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
    crossing, other = contents.arc_lengths(total)
    bar_width = max(0, (width - 31) // 2)
    lines = ["Arc length: crossing arcs, and other arcs"]
    most = max(count / one.whole for one in (crossing, other) for _, count in one.bins if one.whole)
    for (label, first), (_, second) in zip(crossing.bins, other.bins, strict=True):
        shares = [
            f"{percent(count, one.whole):>9}  {bar(count, most * one.whole, bar_width):<{bar_width}}"
            for count, one in ((first, crossing), (second, other))
        ]
        lines.append(f"  {label:>5}{shares[0]}  {shares[1]}")
    means = (contents.mean(total.crossing_arc_length), contents.mean(total.other_arc_length))
    return [*lines, f"   mean{means[0]:>7.2f}{'':{bar_width + 4}}{means[1]:>9.2f}"]


def _relations(total: Coverage, width: int) -> list[str]:
    relations = contents.crossing_relations(total)
    if not relations:
        return []
    name_width = min(24, max(cells(printable(name)) for name, _, _ in relations))
    most = relations[0][1] / relations[0][2]
    lines = [f"Relations that cross most (of those with {contents.fewest_arcs(total):,} arcs or more)"]
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
