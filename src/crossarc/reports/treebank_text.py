"""A report on a treebank as plain text for a terminal: tables, and distributions as bars of block characters.

One file has its counts one below the other; several have a row each and a total. O(files).
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from ..drawing.text import cells, clean, for_terminals, shorten
from ..structure import Coverage, Recommendation, percent
from . import treebank_contents as contents
from .treebank_contents import BEYOND, ROWS, WITHIN, Distribution, Row, plural

_EIGHTHS = " ▏▎▍▌▋▊▉"
_LONGEST_NAME = 26
_SHORTEST_NAME = 12
_GAP = 2

#: Columns of the table of several files, and in which order they are left out where it is too wide.
_COLUMNS = (*BEYOND[:4], BEYOND[6], *WITHIN[2:3], *WITHIN[1:2])
_LEAST_WANTED = ("words", "gap_minding", "nonprojective_arcs", "ill_nested", "not_planar", "one_endpoint_crossing")


def report_text(
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
    blocks += [_options(advice, total, width), _points(advice, width)]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block) + "\n"


# One file


def _summary(name: str, total: Coverage) -> list[str]:
    (short,) = contents.distinct_names([name])
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
    shown = [printable(name) for name in contents.distinct_names(names)]
    columns = {key: [cell] for key, cell in (("sentences", ("", "sentences")), ("words", ("", "words")))}
    columns |= {row.key: [row.heading] for row in _COLUMNS}
    texts = {key: [_cell(key, one) for one in (*parts, total)] for key in columns}
    widths = {key: max(map(len, (*columns[key][0], *texts[key]))) for key in columns}
    name_width = min(_LONGEST_NAME, max(cells(name) for name in (*shown, "total")))
    for key in _LEAST_WANTED:
        if min(name_width, _SHORTEST_NAME) + sum(widths.values()) + _GAP * len(widths) > width:
            del widths[key]
    name_width = min(name_width, max(_SHORTEST_NAME, width - sum(widths.values()) - _GAP * len(widths)))

    def line(name: str, row: dict[str, str]) -> str:
        return padded(name, name_width) + "".join(f"{'':{_GAP}}{row[key]:>{widths[key]}}" for key in widths)

    heads = [line(("", "file")[place], {key: columns[key][0][place] for key in widths}) for place in (0, 1)]
    rows = [line(name, {key: texts[key][place] for key in widths}) for place, name in enumerate([*shown, "total"])]
    rule = "─" * cells(heads[1])
    return [*heads, rule, *rows[:-1], rule, rows[-1]]


def _cell(key: str, counts: Coverage) -> str:
    row = next((row for row in ROWS if row.key == key), None)
    if row is None:
        return f"{getattr(counts, key):,}"
    return percent(row.value(counts), row.whole(counts), 1) if row.as_share else f"{row.value(counts):,}"


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


def _points(advice: Recommendation, width: int) -> list[str]:
    lines = []
    for point in advice.points:
        unbroken = point.replace(" %", "\xa0%")
        wrapped = textwrap.wrap(unbroken, width, initial_indent="• ", subsequent_indent="  ")
        lines += [line.replace("\xa0", " ") for line in wrapped]
    return lines


def bar(value: float, most: float, width: int) -> str:
    """A bar of up to `width` cells, in eighths of a cell; what is not nothing is visible."""
    if width <= 0 or not value or not most:
        return ""
    eighths = max(1, round(8 * width * min(1.0, value / most)))
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def printable(name: str) -> str:
    """Change what a terminal cannot show or would obey."""
    return for_terminals(clean(name))


def padded(name: str, width: int) -> str:
    """Cut or fill a text to a number of cells."""
    text = shorten(printable(name), width)
    return text + " " * (width - cells(text))
