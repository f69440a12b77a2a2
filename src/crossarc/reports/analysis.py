"""How non-projective is a treebank: every structural class counted, the rare ones shown, a parser recommended.

`crossarc.structure` counts, `crossarc.parsers.advice` recommends, and the `analysis_…` files write the report.
Treebanks are taken one at a time, and of each only counts and a few short sentences are kept: O(words).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..drawing import Picture
from ..errors import CrossarcError, SourceError
from ..parsers.advice import Recommendation, recommend
from ..structure import (
    RARE_CLASSES,
    Coverage,
    classify,
    coverage,
    crossings,
    plane_numbers,
    rare_sentences,
)
from ..structure.planes import BUDGET
from ..treebank import Sentence, Treebank, opened
from .analysis_contents import analysis_latex, analysis_summary, analysis_text, count_records
from .analysis_page import analysis_fragment, analysis_page
from .table import Report
from .text import distinct_names, treebank_name

_SHOWN = 3  # examples of each rare class
_LOOKED_AT = 12  # to find that many with different words


@dataclass(frozen=True)
class Example:
    """A sentence of a rare class: `treebank[index]` of the treebank called `file`."""

    file: str
    index: int
    id: str
    line: int
    heads: tuple[int, ...]
    forms: tuple[str, ...]
    labels: tuple[str, ...]
    tags: tuple[str, ...]

    @classmethod
    def from_sentence(cls, sentence: Sentence, file: str) -> Example:
        """Copy what is needed to draw a sentence."""
        line = sentence.treebank.origin(sentence.index)[1]
        columns = (tuple(sentence.texts(column)) for column in ("form", "deprel", "upos"))
        return cls(file, sentence.index, sentence.id, line, tuple(sentence.heads.tolist()), *columns)

    def picture(self, name: str | None = None) -> Picture:
        """Return what to draw, with its planes; `name` stands for the file in the title."""
        planes = plane_numbers(self.heads)[0]
        crossing = {arc for pair in crossings(self.heads) for arc in pair}
        return Picture(
            heads=self.heads,
            forms=self.forms,
            labels=self.labels,
            tags=None if set(self.tags) <= {"_"} else self.tags,
            planes=tuple(np.maximum(planes, 0).tolist()),
            crossing=tuple((head, word) in crossing for word, head in enumerate(self.heads, start=1)),
            title=f"{name}: {self.place}" if name else self.place,
        )

    @property
    def place(self) -> str:
        """Which sentence it is, in words."""
        line = f", line {self.line:,}" if self.line else ""
        return f"sentence {self.id}{line}, {len(self.heads)} words"

    def to_dict(self) -> dict[str, Any]:
        """Return where the sentence is; its words are in the treebank."""
        return {"file": self.file, "index": self.index, "id": self.id, "line": self.line, "words": len(self.heads)}


@dataclass(frozen=True)
class FileAnalysis:
    """The counts of one treebank, and the shortest sentences of each rare class."""

    name: str
    coverage: Coverage
    examples: dict[str, list[Example]]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"file": self.name, **self.coverage.to_dict(), "examples": _plain(self.examples)}


class Analysis(Report):
    """What `analyze` found. It prints as a table and shows itself in a notebook.

    >>> import crossarc as xa
    >>> found = xa.analyze(xa.sample(200))
    >>> found.total.sentences, found.total.projective, found.total.not_2_planar
    (200, 150, 2)
    """

    def __init__(self, files: Iterable[FileAnalysis]) -> None:
        """Take the counts of each file together."""
        self.files = list(files)
        if not self.files:
            raise CrossarcError("no treebanks to analyze")
        self._parts = [file.coverage for file in self.files]
        self.total = Coverage.total(self._parts)

    @property
    def names(self) -> list[str]:
        """The names of the treebanks."""
        return [file.name for file in self.files]

    @cached_property
    def recommendation(self) -> Recommendation:
        """What `crossarc train` would take for all treebanks together and why; what covers what share of them."""
        return recommend(self.total)

    @cached_property
    def examples(self) -> dict[str, list[Example]]:
        """The shortest sentences of each rare class, of all treebanks."""
        found = {}
        for name in RARE_CLASSES:
            members = [example for file in self.files for example in file.examples[name]]
            found[name] = _distinct(sorted(members, key=lambda example: len(example.heads)))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: `files`, one entry each, and `total`."""
        total = {
            **self.total.to_dict(),
            "examples": _plain(self.examples),
            "recommendation": self.recommendation.to_dict(),
        }
        return {"files": [file.to_dict() for file in self.files], "total": total}

    def to_text(self, width: int = 100, *, full: bool = True) -> str:
        """Return the report for a terminal of so many columns; there must be room for 76.

        The short form has the share of non-projective sentences and the verdict.
        """
        if not full:
            return analysis_summary(self.names, self.total, self.recommendation, max(76, width))
        places = [
            (RARE_CLASSES[name].partition(":")[0], found[0].place) for name, found in self.examples.items() if found
        ]
        return analysis_text(self.names, self._parts, self.total, self.recommendation, places, max(76, width))

    def to_html(self) -> str:
        """Return a page that stands alone: the verdict, tables, plots, and drawings of the examples."""
        short = dict(zip(self.names, distinct_names(self.names), strict=True)) if len(self.files) > 1 else {}
        pictures = {
            RARE_CLASSES[name]: [example.picture(short.get(example.file)) for example in found]
            for name, found in self.examples.items()
        }
        return analysis_page(self.names, self._parts, self.total, self.recommendation, pictures)

    def records(self) -> tuple[list[str], list[list[Any]]]:
        """Return all counts, a row for each treebank; several have a last row `total`."""
        return count_records(self.names, self._parts, self.total)

    def to_latex(self) -> str:
        """Return a table for a paper: a row for each treebank; several have a last row `total`."""
        return analysis_latex(self.names, self._parts, self.total)

    def _repr_html_(self) -> str:
        return analysis_fragment(self.names, self._parts, self.total, self.recommendation)


def analyze(
    source: Treebank | str | os.PathLike[str] | Mapping[str, Treebank] | Iterable[tuple[str, Treebank]],
    *,
    budget: int = BUDGET,
    threads: int = 0,
) -> Analysis:
    """Count every structural class of a treebank, of the file of a path, or of several treebanks with their names.

    Pairs of name and treebank may come one by one: each treebank is let go before the next is asked for. `threads` 0
    means all cores; `budget` bounds the search for the planes of a sentence. A sentence without heads is a
    `MissingHeadsError` that names it.
    """
    pairs: Iterable[tuple[str, Treebank]]
    if isinstance(source, (Treebank, str, os.PathLike)):
        treebank = opened(source, threads=threads)
        pairs = [(treebank_name(treebank), treebank)]
    elif isinstance(source, Iterable):
        pairs = source.items() if isinstance(source, Mapping) else source
    else:
        raise SourceError(f"a treebank, a path, or treebanks by name are needed, not a {type(source).__name__}")
    return Analysis([_analyzed(name, treebank, budget, threads) for name, treebank in pairs])


def _analyzed(name: str, treebank: Treebank, budget: int, threads: int) -> FileAnalysis:
    classes = classify(treebank, budget=budget, threads=threads)
    chosen = rare_sentences(classes, _LOOKED_AT)
    examples = {
        key: _distinct([Example.from_sentence(treebank[index], name) for index in found])
        for key, found in chosen.items()
    }
    return FileAnalysis(name, coverage(treebank, classes), examples)


def _distinct(examples: Iterable[Example]) -> list[Example]:
    """Return the first few, of those with the same words one."""
    found: dict[tuple[str, ...], Example] = {}
    for example in examples:
        found.setdefault(example.forms, example)
    return list(found.values())[:_SHOWN]


def _plain(examples: dict[str, list[Example]]) -> dict[str, list[dict[str, Any]]]:
    return {name: [example.to_dict() for example in found] for name, found in examples.items()}
