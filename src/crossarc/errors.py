"""The errors that crossarc raises on purpose: each says what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .treebank.problems import Problem

_MOST_PROBLEMS_SHOWN = 20


class CrossarcError(Exception):
    """An error that the user can correct; the command line prints it without a traceback."""


class FileError(CrossarcError):
    """A file that cannot be opened, read or written."""


class TreebankError(CrossarcError, ValueError):
    """A treebank file that is not well-formed: `problems` has them all, the message the first few."""

    def __init__(self, problems: Sequence[Problem], count: int | None = None) -> None:
        """Keep the problems; `count` is their number where not all were kept."""
        self.problems = tuple(problems)
        self.count = len(self.problems) if count is None else count
        lines = [str(problem) for problem in self.problems[:_MOST_PROBLEMS_SHOWN]]
        if self.count > len(lines):
            lines.append(f"… and {self.count - len(lines):,} more problems; `crossarc check` lists them")
        super().__init__("\n".join(lines))


class TreeError(CrossarcError, ValueError):
    """Heads that are not a tree."""


class MissingHeadsError(CrossarcError, ValueError):
    """Gold heads are needed where the file has "_"."""


class ParserError(CrossarcError):
    """Options that do not go together, training data that teach nothing, or a parser that was not trained."""


class TransitionError(CrossarcError):
    """A composition that is not possible, an unknown system, or a transition that is not permitted."""
