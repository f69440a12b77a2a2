"""How good is a system's output: every score of the papers and of the CoNLL 2018 shared task, as a report.

Nothing is computed here: `crossarc.evaluation` reads, checks and counts, `crossarc.drawing` writes the report.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from .._arrays import Ids
from ..errors import CrossarcError
from ..evaluation import Pair, Punctuation, Scores, make_pair
from ..evaluation.examples import Example, instructive_sentences, worst_sentences
from ..evaluation.punctuation import checked_punctuation
from ..evaluation.validity import read_gold, read_system, refuse_faults, tree_faults
from ..treebank import Treebank, TreebankError, read

if TYPE_CHECKING:
    from ..drawing import Picture

Source: TypeAlias = "Treebank | str | os.PathLike[str]"


class Evaluation:
    """What `evaluate` found. It prints as tables and shows itself in a notebook; `scores` has all of it.

    >>> import crossarc as xa
    >>> gold = xa.sample(50)
    >>> found = xa.evaluate(gold, gold)
    >>> found.uas, found.las, found.scores.all_words.attachment.exact_labelled.correct
    (1.0, 1.0, 50)
    """

    def __init__(self, scores: Scores, gold: str, system: str, invalid: Sequence[str] = ()) -> None:
        """Keep the scores, the names of the two files, and what is wrong with the system's trees."""
        self.scores = scores
        self.gold = gold
        self.system = system
        self.invalid = list(invalid)

    @property
    def uas(self) -> float:
        """The share of all words with the right head (F, where the words are not the same)."""
        return self.scores.all_words.attachment.uas.f1

    @property
    def las(self) -> float:
        """The share of all words with the right head and relation (F, where the words are not the same)."""
        return self.scores.all_words.attachment.las.f1

    @property
    def notes(self) -> list[str]:
        """What the reader of the figures should know."""
        notes = []
        if not self.scores.pair.same_words:
            notes.append("the two files do not have the same words or sentences; words were aligned by their place")
        if self.invalid:
            notes.append(f"the system output has {len(self.invalid):,} faults, the first: {self.invalid[0]}")
        names = [PurePath(name).name.lower() for name in (self.gold, self.system)]
        if "gold" in names[1] and "gold" not in names[0]:
            notes.append(f"{self.system} was taken for the system output: the gold standard comes first")
        return notes

    def pictures(self) -> dict[str, list[Picture]]:
        """Return what to draw: the worst sentences and an example of each common error, gold and system together."""
        pair = self.scores.pair
        return {
            "The worst sentences": [_picture(pair, one) for one in worst_sentences(pair)],
            "The most common errors": [_picture(pair, one) for one in instructive_sentences(pair)],
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"gold": self.gold, "system": self.system, "invalid": self.invalid, **self.scores.to_dict()}

    def to_text(self, width: int = 100) -> str:
        """Return the report for a terminal of so many columns; there must be room for 76."""
        from .evaluation_contents import summary, tables
        from .score_text import report_text

        title = f"{self.system} against {self.gold}: {summary(self.scores)}"
        return report_text(title, tables(self.scores), [], max(76, width))

    def to_html(self) -> str:
        """Return a page that stands alone: tables, plots, and drawings of sentences with the errors marked."""
        from .. import __version__
        from .evaluation_page import evaluation_page

        return evaluation_page(self.scores, self.gold, self.system, self.notes, self.pictures(), __version__)

    def to_csv(self) -> str:
        """Return all scores for a spreadsheet, a row each."""
        from .evaluation_contents import scores_csv

        return scores_csv(self.scores)

    def to_latex(self) -> str:
        """Return a table for a paper: one row with the columns of the papers' accuracy tables."""
        from .evaluation_contents import LATEX_HEADS, latex_cells
        from .table import table_latex

        return table_latex(["system", *LATEX_HEADS], [[PurePath(self.system).name, *latex_cells(self.scores)]])

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        """Return the report, so that an interactive session shows it."""
        return self.to_text().rstrip("\n")

    def _repr_html_(self) -> str:
        from .evaluation_contents import score_table
        from .table import table_html

        return f"<div>{table_html(score_table(self.scores))}</div>"


def evaluate(
    gold: Source,
    system: Source,
    *,
    punctuation: Punctuation | None = None,
    root: str | None = None,
    format: str | None = None,
    allow_invalid: bool = False,
    threads: int = 0,
) -> Evaluation:
    """Score a system's output against a gold standard; both are treebanks or paths.

    `punctuation` says what is left out of the second set of scores: "upos" (tagged PUNCT), "unicode" (all characters of
    Unicode category P, the convention of CoNLL-X) or a compiled regular expression; by default the first for CoNLL-U,
    the second for CoNLL-X. Both must have the same sentences and words; CoNLL-U may also be cut differently. Output
    that is no tree (`root` "single" or "any") is an error, unless `allow_invalid`. `threads` 0 means all cores.
    """
    if isinstance(gold, Treebank):
        ours = gold
    elif gold == system == "-":
        raise CrossarcError("standard input cannot be both the gold standard and the system output")
    else:
        ours = read_gold_standard(gold, system, format=format, root=root, threads=threads)
    return evaluate_against(ours, system, punctuation, root, format, allow_invalid, threads)


def read_gold_standard(gold: Source, system: Source, *, format: str | None, root: str | None, threads: int) -> Treebank:
    """Read a gold standard; if it is no good and the system output is, say that they may be swapped."""
    try:
        return read_gold(gold, format=format, root=root, threads=threads)
    except CrossarcError as error:
        if isinstance(error.__cause__, TreebankError) and _is_readable(system, format, root):
            raise CrossarcError(f"{error}; the system output is: are the arguments the wrong way round?") from error
        raise


def _is_readable(system: Source, format: str | None, root: str | None) -> bool:
    if isinstance(system, Treebank):
        return system.has_heads
    try:
        return system != "-" and read(system, format=format, root=root).has_heads
    except CrossarcError:
        return False


def evaluate_against(
    gold: Treebank,
    system: Source,
    punctuation: Punctuation | None,
    root: str | None,
    format: str | None,
    allow_invalid: bool,
    threads: int,
) -> Evaluation:
    """Score a system's output against a gold standard that is read already."""
    heads: Ids | None = None
    faults: list[str] = []
    if isinstance(system, Treebank):
        theirs = system
    else:
        theirs, heads, faults = read_system(
            system, format=format, root=root, threads=threads, allow_invalid=allow_invalid
        )
    if not gold.has_heads:
        headless = next(sentence for sentence in gold if not sentence.has_heads)
        swapped = ": are the arguments the wrong way round?" if theirs.has_heads else ": use a file that has them"
        raise CrossarcError(f"the gold standard has no heads: {headless.place}{swapped}")
    if heads is None:
        faults = tree_faults(theirs, root)
    if not allow_invalid:
        refuse_faults(faults)
    scores = Scores(make_pair(gold, theirs, heads), checked_punctuation(punctuation, gold), threads=threads)
    return Evaluation(scores, treebank_name(gold), treebank_name(theirs), faults)


def treebank_name(treebank: Treebank) -> str:
    """What a treebank is called in a report."""
    return treebank.sources[0] if len(treebank.sources) == 1 else f"{len(treebank.sources)} files"


def _picture(pair: Pair, example: Example) -> Picture:
    from ..drawing import Picture

    ours, theirs = pair.gold.treebank[example.index], pair.system.treebank[example.index]
    words = slice(ours.first_row, ours.last_row)
    tags = ours.texts("upos")
    return Picture(
        heads=tuple(ours.heads.tolist()),
        forms=tuple(ours.forms),
        labels=tuple(ours.deprels),
        tags=None if set(tags) <= {"_"} else tuple(tags),
        other_heads=tuple(pair.system.heads[words].tolist()),
        other_labels=tuple(theirs.deprels),
        title=f"{example.reason}: sentence {ours.id}",
    )
