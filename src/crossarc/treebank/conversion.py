"""From CoNLL-U to CoNLL-X and back; what the other format cannot hold is counted, never dropped in silence.

CoNLL-X has no comments, multiword tokens, empty nodes, enhanced graph or MISC; CoNLL-U has no PHEAD and PDEPREL. The
columns of words have the same meaning in both. O(words).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .formats import Format
from .sentence import COMMENT, EMPTY_NODE, RANGE
from .treebank import Treebank

_ASIDES = {COMMENT: "comments", RANGE: "multiword tokens", EMPTY_NODE: "empty nodes"}


@dataclass(frozen=True)
class Conversion:
    """A converted treebank and what it lost: the number of each kind of thing that the format cannot hold."""

    treebank: Treebank
    lost: dict[str, int]

    def __str__(self) -> str:
        if not self.lost:
            return "nothing was lost"
        return f"{self.treebank.format} cannot hold " + ", ".join(
            f"{count:,} {what}" for what, count in self.lost.items()
        )


def convert(treebank: Treebank, format: Format) -> Conversion:
    """Return the treebank in the other format, and what was lost."""
    if treebank.format == format:
        return Conversion(treebank, {})
    columns = ("deps", "misc")
    names = ("DEPS values", "MISC values") if treebank.format == "conllu" else ("PHEAD values", "PDEPREL values")
    lost = {}
    if format == "conllx":
        kinds = np.bincount(treebank.aside_kind, minlength=len(_ASIDES))
        lost = {what: int(kinds[kind]) for kind, what in _ASIDES.items()}
    lost |= {name: int(np.count_nonzero(treebank.column(column))) for name, column in zip(names, columns, strict=True)}
    return Conversion(treebank.in_format(format), {what: count for what, count in lost.items() if count})
