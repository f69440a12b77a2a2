"""The errors that crossarc raises on purpose: each says what is wrong, where, and what to do."""

from __future__ import annotations


class CrossarcError(Exception):
    """Something a user can mend; the command line prints it without a traceback."""


class FileError(CrossarcError):
    """A file that cannot be opened, read or written."""
