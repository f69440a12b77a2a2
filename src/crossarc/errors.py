"""The errors that crossarc raises on purpose: each says what is wrong, where, and what to do."""

from __future__ import annotations


class CrossarcError(Exception):
    """Something a user can mend; the command line prints it without a traceback."""


class FileError(CrossarcError):
    """A file that cannot be opened, read or written."""


class ParserError(CrossarcError):
    """Options that do not go together, training data that teach nothing, or a parser that was not trained."""


class TransitionError(CrossarcError):
    """A composition that makes no sense, an unknown system, or a transition that cannot be done."""
