"""Options of all parsers whose arcs may cross: what a crossing costs, and whether punctuation may make any. O(1)."""

from __future__ import annotations

from typing import Any

from ..errors import ParserError
from ..options import number

#: A penalty that is chosen on development data, and whether punctuation crosses that is learnt from training data.
AUTO = "auto"
#: In model files, and of a number that is given.
check_penalty = number(-1e8, 1e8)


def checked_penalty(penalty: Any) -> float | str:
    """Return a crossing penalty: a number, or "auto"."""
    if penalty == AUTO:
        return AUTO
    if isinstance(penalty, str):
        raise ParserError(f'the crossing penalty is a number, or "auto", not {penalty!r}')
    return float(check_penalty("crossing_penalty", penalty))


def given_penalty(text: str) -> float | str:
    """Return a crossing penalty that is given as a text."""
    try:
        return checked_penalty(float(text))
    except ValueError:
        return checked_penalty(text)


def checked_punctuation(crossing: Any) -> bool | str:
    """Return whether punctuation may cross: True, False, or "auto"."""
    if isinstance(crossing, bool):
        return crossing
    if crossing == AUTO:
        return AUTO
    raise ParserError(f'crossing_punctuation is True, False or "auto", not {crossing!r}')
