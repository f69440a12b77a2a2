"""What is never cut, and empty lines, which always cut: rules that hold whatever a segmenter learnt.

Addresses of web pages and mail and numbers as 1,234.50 are one token; nothing is cut within what belongs to one sign:
combining marks, variation selectors, skin tones, and what a zero-width joiner joins. None of it has spaces in it.
Every pattern looks at a bounded number of characters, so that no text takes long. O(characters).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_WHOLE = re.compile(
    r"(?:https?://|www\.)[^\s\0<>\"]{0,2000}[^\s\0<>\".,;:!?)\]}'’»”]"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){0,8}\.\w{2,64}"
    r"|(?<!\d)\d{1,64}(?:[.,:]\d{1,64}){1,64}"
)
#: Before these nothing is cut, nor behind a joiner.
_JOINED = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"
    "\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]|\u200d[^\\s\0]?"
)
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n|\u2029")


def kept_whole(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield where parts between two places of a text begin and end that are not cut."""
    for found in _WHOLE.finditer(text, first, last):
        yield found.span()
    for found in _JOINED.finditer(text, first, last):
        yield max(first, found.start() - 1), found.end()


def empty_lines(text: str, first: int, last: int) -> list[int]:
    """Return the places of empty lines between two places of a text."""
    return [found.start() for found in _EMPTY_LINE.finditer(text, first, last)]
