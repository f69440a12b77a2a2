"""The errors that crossarc raises on purpose: each says what is wrong, where, and what to do."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

_MOST_LINES_SHOWN = 20
_MOST_ALIKE_SHOWN = 5
_MOST_PLACES_SHOWN = 3
_LONGEST_VALUE = 40
_REPLACEMENT = "\ufffd"


def clean(text: str) -> str:
    """Replace what no output can hold: control characters (so no escape sequence reaches a terminal) and surrogates."""
    if text.isprintable():
        return text
    return "".join(_REPLACEMENT if _is_unprintable(character) else character for character in text)


def is_broken(text: str) -> bool:
    """Whether a text holds half a surrogate pair, which no file in UTF-8 can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def clean_lines(text: str) -> str:
    """Do the same to a text of several lines, whose line ends stay."""
    return "\n".join(map(clean, text.split("\n")))


def _is_unprintable(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in "\ufffe\uffff"


class CrossarcError(Exception):
    """An error that the user can correct; the command line prints it without a traceback."""

    def __str__(self) -> str:
        """Return the message without the control characters that names and values of files may have brought in."""
        return clean_lines(BaseException.__str__(self))  # `KeyError` would put it in quotes


class CountedWarning(UserWarning):
    """A warning about so many things of a kind, so that those of many pieces of a file can be said as one.

    `several` has {} in the place of the number.
    """

    def __init__(self, count: int, one: str, several: str) -> None:
        """Say it of so many."""
        super().__init__(one if count == 1 else several.format(f"{count:,}"))
        self.count, self.one, self.several = count, one, several

    def __reduce__(self) -> tuple[Any, tuple[object, ...]]:
        return type(self), (self.count, self.one, self.several)


class FileError(CrossarcError, OSError):
    """A file that cannot be opened, read or written; an `OSError`, so that programs catch it as they catch others."""

    def __reduce__(self) -> tuple[Any, tuple[object, ...]]:
        """Keep the number and the name of the file, which `OSError` loses."""
        return _file_error, (type(self), str(self), self.errno, self.strerror, self.filename)


class MissingFileError(FileError, FileNotFoundError):
    """A file or a folder that does not exist."""


class ForbiddenFileError(FileError, PermissionError):
    """A file that may not be read or written."""


class DirectoryError(FileError, IsADirectoryError):
    """A directory where a file is needed."""


_KINDS_OF_FILE_ERROR: tuple[tuple[type[OSError], type[FileError]], ...] = (
    (FileNotFoundError, MissingFileError),
    (PermissionError, ForbiddenFileError),
    (IsADirectoryError, DirectoryError),
)


def file_error(message: str, error: OSError, name: str) -> FileError:
    """Return an error for what the system said about a file: of the same kind, with our message."""
    kind = next((ours for theirs, ours in _KINDS_OF_FILE_ERROR if isinstance(error, theirs)), FileError)
    return _file_error(kind, message, error.errno, error.strerror, name)


def _file_error(kind: type[FileError], message: str, number: int | None, text: str | None, name: Any) -> FileError:
    error = kind(message)
    error.errno, error.strerror, error.filename = number, text, name
    return error


class PackageError(CrossarcError, ImportError):
    """A package that something optional needs is not installed."""


def imported(module: str, extra: str) -> Any:
    """Return a module of a package that is optional; `extra` is what of crossarc installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise PackageError(f"{package} cannot be imported ({error}): pip install 'crossarc[{extra}]'") from error


class ColumnError(CrossarcError, KeyError):
    """A column that a treebank does not have."""


class SourceError(CrossarcError, TypeError):
    """Something that is no treebank, file or path where one is needed."""


class WordError(CrossarcError, IndexError):
    """A number that no word of a sentence has."""


def shown(value: str) -> str:
    """Shorten a value of a file and make invisible characters visible."""
    if len(value) > _LONGEST_VALUE:
        value = value[:_LONGEST_VALUE] + "…"
    return json.dumps(value, ensure_ascii=False)[1:-1].replace('\\"', '"')


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a treebank file; `crossarc.treebank.problems` has the messages."""

    file: str
    #: From 1; 0 where the file as a whole is meant, or where there are no lines.
    line: int
    #: From 1; 0 where the file as a whole is meant.
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
        where = f" (sentence {sentence}{word})" if self.sentence else ""
        return clean(f"{place}: {self.message}{where}: {self.remedy}")

    def to_dict(self) -> dict[str, object]:
        """Return the problem as plain data, for programs."""
        place = {"word": self.word} if self.word else {"line": self.line or None}
        return {
            "file": self.file,
            **place,
            "sentence": self.sentence or None,
            "sentence_id": self.sentence_id or None,
            "problem": self.name,
            "message": self.message,
            "remedy": self.remedy,
        }


@dataclass(frozen=True)
class Cause(Problem):
    """A mistake made throughout a file, from which many of its problems follow."""

    #: The names of these problems.
    explains: frozenset[str] = frozenset()


class TreebankError(CrossarcError, ValueError):
    """A treebank file that is not well-formed: `problems` has them all, `causes` what many come from.

    The message is short: problems of one kind in one line where they are many, and none that follow from a cause.
    """

    def __init__(self, problems: Sequence[Problem], count: int | None = None, causes: Sequence[Cause] = ()) -> None:
        """Keep the problems; `count` is their number where not all were kept."""
        self.problems = tuple(problems)
        self.count = len(self.problems) if count is None else count
        self.causes = tuple(causes)
        lines = self.summary()
        if len(lines) > _MOST_LINES_SHOWN:
            lines = [*lines[:_MOST_LINES_SHOWN], "… and more; `crossarc check` lists them"]
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type[TreebankError], tuple[object, ...]]:
        return type(self), (self.problems, self.count, self.causes)

    def summary(self) -> list[str]:
        """Return a line for each cause, and for each other problem or, where they are many, for each kind."""
        lines = list(self._lines())
        if self.count > len(self.problems):
            lines.append(f"… and {self.count - len(self.problems):,} more problems")
        return lines

    def _lines(self) -> Iterator[str]:
        alike: dict[tuple[str, str], list[Problem]] = {}
        for problem in self.problems:
            alike.setdefault((problem.file, problem.name), []).append(problem)
        explained = {(cause.file, name) for cause in self.causes for name in cause.explains}
        for cause in self.causes:
            follow = sum(len(alike.get((cause.file, name), ())) for name in cause.explains)
            yield f"{cause} ({follow:,} problems: `crossarc check --all` lists them)"
        for problem in self.problems:
            others = alike[problem.file, problem.name]
            if (problem.file, problem.name) in explained:
                continue
            if len(others) <= _MOST_ALIKE_SHOWN:
                yield str(problem)
            elif problem is others[0]:
                yield f"{problem} (and {len(others) - 1:,} more like this: {_places(others[1:])})"


def _places(problems: Sequence[Problem]) -> str:
    """Name the first places."""
    kind = "lines" if problems[0].line else "sentences"
    numbers = dict.fromkeys(problem.line or problem.sentence for problem in problems)
    first = ", ".join(map(str, list(numbers)[:_MOST_PLACES_SHOWN]))
    return f"{kind} {first}{' …' if len(numbers) > _MOST_PLACES_SHOWN else ''}"


class TreeError(CrossarcError, ValueError):
    """Heads that are not a tree."""


class MissingHeadsError(CrossarcError, ValueError):
    """Gold heads are needed where the file has "_"."""


class ParserError(CrossarcError):
    """Options that do not go together, training data that teach nothing, or a parser that was not trained."""


class TransitionError(CrossarcError):
    """A composition that is not possible, an unknown system, or a transition that is not permitted."""


class OptionError(ParserError, ValueError):
    """A value that an option does not take."""
