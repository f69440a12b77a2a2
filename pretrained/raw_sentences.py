"""Cuts well-edited texts into tokens and sentences by rules, for networks that are to learn where sentences end.

Tokens are words, numbers, addresses and marks, without regard to a treebank; sentences end behind full stops, question
and exclamation marks before a capital, but for abbreviations and initials. O(characters).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from crossarc.text.surface import SurfaceToken

_TOKEN = re.compile(
    r"https?://\S+[\w/]|[\w.+-]+@[\w-]+\.[\w.]+\w|\d+(?:[.,:]\d+)+|(?:[A-Za-z]\.){2,}|\w+(?:[-'’]\w+)*|\.{2,}|-{2,}|[^\w\s]"
)
_CLITIC = re.compile(r"(?i)^(.+)(n['’]t|['’](?:s|re|ve|ll|d|m))$")
_SHORTENED = (
    "mr mrs ms dr prof st jr sr inc ltd co corp vs etc e.g i.e no vol fig gen col lt sgt capt rev hon gov sen rep "
    "jan feb mar apr aug sept oct nov dec u.s u.k d.c a.m p.m mt ft al cf ca c p pp"
)
_ABBREVIATIONS = frozenset(_SHORTENED.split())
_STOPS = (".", "!", "?")
_CLOSING, _OPENING = ('"', "”", ")", "'", "’"), '"“(‘'


def token_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the tokens of a text begin and end."""
    for token in _TOKEN.finditer(text):
        begin, end = token.span()
        clitic = _CLITIC.match(token[0])
        middle = begin + len(clitic[1]) if clitic else end
        yield begin, middle
        if middle < end:
            yield middle, end


def sentences(paragraph: str) -> list[list[SurfaceToken]]:
    """Return the sentences of a paragraph."""
    spans = list(token_spans(paragraph))
    begins = [*(begin for begin, _ in spans[1:]), len(paragraph)]
    tokens = [
        SurfaceToken(paragraph[begin:end], (paragraph[begin:end],), paragraph[end:following])
        for (begin, end), following in zip(spans, begins, strict=True)
    ]
    cut: list[list[SurfaceToken]] = [[]]
    for index, token in enumerate(tokens):
        cut[-1].append(token)
        if index + 1 < len(tokens) and len(cut[-1]) > 1 and _ends(tokens, index):
            cut.append([])
    return [sentence for sentence in cut if sentence]


def _ends(tokens: Sequence[SurfaceToken], index: int) -> bool:
    """Whether a sentence ends with a token that is not the last one."""
    token, following, before = tokens[index], tokens[index + 1].text[0], tokens[index - 1]
    if not token.spaces or not (following.isupper() or following in _OPENING):
        return False
    if token.text in _CLOSING:
        return before.text in _STOPS and not before.spaces
    word = before.text.lower()
    shortened = token.text == "." and (word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha()))
    return token.text in (*_STOPS, "...") and not shortened
