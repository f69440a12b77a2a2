r"""Tokens as they are written: their text, the words that they stand for, and the spaces behind them.

CoNLL-U keeps spaces in MISC: `SpaceAfter=No`, or the very characters in `SpacesAfter` (`\s` a space, `\n` a line break
and so on, as UDPipe writes them). A paragraph begins with a comment `# newpar` or `# newdoc`. O(tokens).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..treebank import Sentence, Treebank

_ESCAPES = {" ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p", "\\": "\\\\"}
_CHARACTERS = {escape: character for character, escape in _ESCAPES.items()}
_ESCAPE = re.compile(r"\\[stnrp\\]")
PARAGRAPH = "\n\n"


class SurfaceToken(NamedTuple):
    """A token: its text, its words (one, or several of a multiword token) and what stands before the next token."""

    text: str
    words: tuple[str, ...]
    spaces: str


def escaped(spaces: str) -> str:
    r"""Return spaces as a value of MISC.

    >>> escaped(" \n")
    '\\s\\n'
    """
    return "".join(_ESCAPES.get(character, character) for character in spaces)


def unescaped(value: str) -> str:
    """Return the spaces that a value of MISC stands for."""
    return _ESCAPE.sub(lambda found: _CHARACTERS[found[0]], value)


def spaces_after(misc: dict[str, str]) -> str:
    """Return what stands behind a token."""
    if "SpacesAfter" in misc:
        return unescaped(misc["SpacesAfter"])
    return "" if misc.get("SpaceAfter") == "No" else " "


def surface_tokens(sentence: Sentence) -> list[SurfaceToken]:
    """Return the tokens of a sentence as they are written."""
    forms = sentence.forms
    tokens = []
    multiword = {token.first: token for token in sentence.multiword_tokens}
    word = 1
    while word <= len(forms):
        token = multiword.get(word)
        if token is None:
            tokens.append(SurfaceToken(forms[word - 1], (forms[word - 1],), spaces_after(sentence[word - 1].misc)))
            word += 1
            continue
        tokens.append(SurfaceToken(token.form, tuple(forms[word - 1 : token.last]), spaces_after(token.misc)))
        word = token.last + 1
    return tokens


def surface_sentences(treebank: Treebank) -> Iterator[tuple[bool, list[SurfaceToken]]]:
    """Yield of each sentence whether a paragraph begins with it, and its tokens."""
    for sentence in treebank:
        begins = any(comment.lstrip("# ").startswith(("newpar", "newdoc")) for comment in sentence.comments)
        yield begins, surface_tokens(sentence)


def raw_text(treebank: Treebank) -> str:
    """Return the text of a treebank: sentences behind each other, paragraphs apart by an empty line."""
    return "".join(written(surface_sentences(treebank)))


def written(sentences: Iterable[tuple[bool, list[SurfaceToken]]]) -> Iterator[str]:
    """Yield the pieces of the text of such sentences."""
    before: str | None = None
    for begins, tokens in sentences:
        if before is not None:
            yield PARAGRAPH if begins and PARAGRAPH not in before else before
        for token in tokens[:-1]:
            yield token.text
            yield token.spaces
        yield from (token.text for token in tokens[-1:])
        before = tokens[-1].spaces if tokens else ""
    if before is not None:
        yield "\n"
