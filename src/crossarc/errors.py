"""The errors that crossarc raises on purpose: each says what is wrong, where, and what to do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

_MOST_PROBLEMS_SHOWN = 20
_LONGEST_VALUE = 40


class CrossarcError(Exception):
    """An error that the user can correct; the command line prints it without a traceback."""


class FileError(CrossarcError):
    """A file that cannot be opened, read or written."""


def shown(value: str) -> str:
    """Shorten a value of a file and make invisible characters visible."""
    if len(value) > _LONGEST_VALUE:
        value = value[:_LONGEST_VALUE] + "…"
    return json.dumps(value, ensure_ascii=False)[1:-1].replace('\\"', '"')


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a treebank file; `crossarc.treebank.problems` has the messages."""

    file: str
    line: int
    sentence: int
    sentence_id: str
    name: str
    details: tuple[str, ...]
    #: What is wrong.
    message: str
    #: What to do.
    remedy: str
    #: The number of the word where there are no lines: in words and columns that were not read from a file. Else 0.
    word: int = 0

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        sentence = shown(self.sentence_id) if self.sentence_id else str(self.sentence)
        word = f", word {self.word}" if self.word else ""
        return f"{place}: {self.message} (sentence {sentence}{word}): {self.remedy}"

    def to_dict(self) -> dict[str, object]:
        """Return the problem as plain data, for programs."""
        place = {"word": self.word} if self.word else {"line": self.line}
        return {
            "file": self.file,
            **place,
            "sentence": self.sentence,
            "sentence_id": self.sentence_id or None,
            "problem": self.name,
            "message": self.message,
            "remedy": self.remedy,
        }


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
