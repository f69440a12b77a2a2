"""What is never cut, and empty lines, which always cut: rules that hold whatever a segmenter learnt.

Addresses of web pages and mail and numbers as 1,234.50 are one token. None of it has spaces in it. A stop, a comma or a
closing bracket behind an address is not part of it, unless the bracket closes one within. Every pattern looks at a
bounded number of characters, and only where a sign of what it is for stands, so that no text takes long. O(characters).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_PAGE = re.compile(r"(?:https?://|www\.)[^\s\0<>\"]{0,2000}[^\s\0<>\".,;:!?)\]}'’»”…]")
_PAGE_SIGNS = ("http://", "https://", "www.")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){0,8}\.\w{2,64}")
_NOT_MAIL = re.compile(r"[^\w.+-]")
_LONGEST_NAME = 64
_NUMBER = re.compile(r"\d{1,64}(?:[.,:]\d{1,64}){1,64}")
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n|\u2029")


class Whole(NamedTuple):
    """Where a part of a text begins and ends that is not cut, and whether a token always ends with it."""

    start: int
    end: int
    ends_token: bool


def kept_whole(text: str, first: int, last: int) -> Iterator[Whole]:
    """Yield the parts between two places of a text that are not cut."""
    if any(text.find(sign, first, last) >= 0 for sign in _PAGE_SIGNS):
        for found in _PAGE.finditer(text, first, last):
            closes = text.startswith(")", found.end(), last) and found[0].count("(") > found[0].count(")")
            yield Whole(found.start(), found.end() + closes, ends_token=True)
    yield from _mails(text, first, last)
    for found in _NUMBER.finditer(text, first, last):
        yield Whole(*found.span(), ends_token=False)


def _mails(text: str, first: int, last: int) -> Iterator[Whole]:
    sign = text.find("@", first, last)
    while sign >= 0:
        begin = max(first, sign - _LONGEST_NAME)
        before = [found.end() for found in _NOT_MAIL.finditer(text, begin, sign)]
        mail = _MAIL.match(text, before[-1] if before else begin, last)
        if mail:
            yield Whole(*mail.span(), ends_token=True)
        sign = text.find("@", mail.end() if mail else sign + 1, last)


def empty_lines(text: str, first: int, last: int) -> list[int]:
    """Return the places of empty lines between two places of a text."""
    return [found.start() for found in _EMPTY_LINE.finditer(text, first, last)]
