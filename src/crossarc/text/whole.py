"""What is never cut, and empty lines, which always cut: rules that hold whatever a segmenter learnt.

Addresses of web pages and mail and numbers as 1,234.50 are one token. None of it has spaces in it. Every pattern looks
at a bounded number of characters, so that no text takes long. O(characters).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_WHOLE = re.compile(
    r"(?:https?://|www\.)[^\s\0<>\"]{0,2000}[^\s\0<>\".,;:!?)\]}'’»”]"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){0,8}\.\w{2,64}"
    r"|(?<!\d)\d{1,64}(?:[.,:]\d{1,64}){1,64}"
)
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n|\u2029")


def kept_whole(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield where parts between two places of a text begin and end that are not cut."""
    for found in _WHOLE.finditer(text, first, last):
        yield found.span()


def empty_lines(text: str, first: int, last: int) -> list[int]:
    """Return the places of empty lines between two places of a text."""
    return [found.start() for found in _EMPTY_LINE.finditer(text, first, last)]
