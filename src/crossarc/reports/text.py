"""What reports for a terminal are made of: names that fit, bars of block characters, points, blocks of lines.

Widths are in cells, so that wide characters come out right. O(length of the text).
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from ..drawing.text import cells, clean, for_terminals, shorten
from ..treebank import Treebank

if TYPE_CHECKING:
    from ..evaluation import Score

#: The name of a file that is a part of a treebank, up to the word that says which.
_PART = re.compile(
    r"(.*?)(?:^|(?<=[-_.]))(?:train|training|dev|devel|development|valid|validation|test)(?![^\W_])", re.IGNORECASE
)
_EIGHTHS = " ▏▎▍▌▋▊▉"


def blocks_text(blocks: Iterable[Sequence[str]]) -> str:
    """Join blocks of lines, an empty line between them; empty blocks are left out."""
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block) + "\n"


def bullets(points: Iterable[str], width: int) -> list[str]:
    """Write each point as a paragraph with a bullet; no line ends between a number and its percent sign."""
    lines = []
    for point in points:
        unbroken = printable(point).replace(" %", "\xa0%")
        wrapped = textwrap.wrap(unbroken, width, initial_indent="• ", subsequent_indent="  ")
        lines += [line.replace("\xa0", " ") for line in wrapped]
    return lines


def bar(value: float, most: float, width: int) -> str:
    """A bar of up to `width` cells, in eighths of a cell; a value above 0 is always visible."""
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


def plural(count: int, what: str) -> str:
    """Put a number before a noun.

    >>> plural(1, "sentence"), plural(1200, "word")
    ('1 sentence', '1,200 words')
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def percentage(value: float) -> str:
    """Write a share in percent, as papers do.

    >>> percentage(0.83456), percentage(float("nan"))
    ('83.46', '–')
    """
    return "–" if math.isnan(value) else f"{100 * value:.2f}"


def ratios(score: Score) -> tuple[str, str, str]:
    """Write precision, recall and F."""
    return percentage(score.precision), percentage(score.recall), percentage(score.f1)


def treebank_name(treebank: Treebank) -> str:
    """What a treebank is called in a report."""
    return treebank.sources[0] if len(treebank.sources) == 1 else f"{len(treebank.sources)} files"


def distinct_names(files: Sequence[str]) -> list[str]:
    """Shorten names of files to what tells them apart; a single one to its last two parts.

    >>> distinct_names(["ud/Danish-DDT.conllu.gz", "ud/Dutch-Alpino.conllu.gz"])
    ['Danish-DDT', 'Dutch-Alpino']
    """
    if len(set(files)) < 2:
        return ["/".join(PurePath(file).parts[-2:]) for file in files]
    start = _common_start(files).rfind("/") + 1
    end = _common_start([file[start:][::-1] for file in files])[::-1]
    cut = min((place for mark in ".-_/" if (place := end.find(mark)) >= 0), default=len(end))
    length = len(end) - cut
    names = [file[start : len(file) - length] for file in files]
    return names if all(names) else [file[start:] for file in files]


def one_treebank(files: Sequence[str]) -> str | None:
    """Return the name of the treebank that files are the parts of, such as training and test; None if they are not.

    >>> one_treebank(["ud/en_ewt-ud-train.conllu", "ud/en_ewt-ud-dev.conllu"])
    'en_ewt'
    >>> one_treebank(["la_circse/train.conllu.gz", "la_circse/test.conllu.gz"])
    'la_circse'
    """
    paths = [PurePath(file) for file in files]
    parts = [_PART.match(path.name) for path in paths]
    starts = {(path.parent, part[1]) for path, part in zip(paths, parts, strict=True) if part}
    if len(set(files)) < 2 or len(starts) != 1 or None in parts:
        return None
    ((folder, start),) = starts
    return re.sub("([-_.]ud)?[-_.]?$", "", start) or folder.name or None


def _common_start(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    length = next((place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), None)
    return first[:length] if length is not None else min(first, last, key=len)
