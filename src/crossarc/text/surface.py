r"""Tokens as they are written: their text, the words that they stand for, and the spaces behind them.

CoNLL-U keeps spaces in MISC: `SpaceAfter=No`, or the very characters in `SpacesAfter` (`\s` a space, `\n` a line break
and so on, as UDPipe writes them; here also `\0` for NUL, and `\s\*5000;` for five thousand spaces). A paragraph begins
with a comment `# newpar` or `# newdoc`.

Treebanks that do not know their texts (CoNLL-X; CoNLL-U without `# text` and spaces in MISC) get spaces by rules: none
before closing marks and behind opening ones. O(tokens).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .. import _kernel
from ..treebank import Sentence, Treebank

_ESCAPES = {"\0": "\\0", " ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p", "\\": "\\\\"}
_ESCAPED = str.maketrans(_ESCAPES)
_CHARACTERS = {escape: character for character, escape in _ESCAPES.items()}
_ESCAPE = re.compile(r"(\\[stnrp0\\]|\\u[0-9A-Fa-f]{4}|.)(?:\\\*(\d{1,5});)?", re.DOTALL)
#: So many spaces at most are written together. A long run of one character is written once, with a count behind it.
SPACES_TOGETHER = 1 << 14
_LONG_RUN = re.compile(r"(.)\1{999,}", re.DOTALL)
PARAGRAPH = "\n\n"
#: Marks before which, and behind which, there is no space, besides those that Unicode calls opening and closing.
_CLOSING = ".,;:!?…·‧،؛؟。、！？；："
_OPENING = "¿¡'’ʼ᾽\u0313"


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
    if len(spaces) > SPACES_TOGETHER:
        return "".join(
            escaped(spaces[start : start + SPACES_TOGETHER]) for start in range(0, len(spaces), SPACES_TOGETHER)
        )
    parts: list[str] = []
    end = 0
    for run in _LONG_RUN.finditer(spaces):
        parts += (spaces[end : run.start()].translate(_ESCAPED), f"{run[1].translate(_ESCAPED)}\\*{len(run[0])};")
        end = run.end()
    return "".join([*parts, spaces[end:].translate(_ESCAPED)])


def unescaped(value: str) -> str:
    """Return the spaces that a value of MISC stands for."""

    def characters(match: re.Match[str]) -> str:
        escape, count = match.groups()
        character = chr(int(escape[2:], 16)) if escape.startswith("\\u") else _CHARACTERS.get(escape, escape)
        return character * int(count or 1)

    return _ESCAPE.sub(characters, value)


def spaces_after(misc: dict[str, str]) -> str:
    """Return what stands behind a token."""
    if "SpacesAfter" in misc:
        return unescaped(misc["SpacesAfter"])
    return "" if misc.get("SpaceAfter") == "No" else " "


def surface_tokens(sentence: Sentence) -> list[SurfaceToken]:
    """Return the tokens of a sentence as they are written."""
    forms = sentence.forms
    tokens = []
    multiword = {token.first - 1: token for token in sentence.multiword_tokens}
    end = 0
    for index, form in enumerate(forms):
        token = multiword.get(index)
        if token is not None:
            end = token.last
            tokens.append(SurfaceToken(token.form, tuple(forms[index:end]), spaces_after(token.misc)))
        elif index >= end:
            tokens.append(SurfaceToken(form, (form,), spaces_after(sentence[index].misc)))
    return tokens


def surface_sentences(treebank: Treebank) -> Iterator[tuple[bool, list[SurfaceToken]]]:
    """Yield of each sentence whether a paragraph begins with it, and its tokens."""
    known = knows_texts(treebank)
    for sentence in treebank:
        begins = any(comment.lstrip("# ").startswith(("newpar", "newdoc")) for comment in sentence.comments)
        yield begins, surface_tokens(sentence) if known else guessed_tokens(sentence.forms)


def knows_texts(treebank: Treebank) -> bool:
    """Whether a treebank says how its sentences are written: in CoNLL-U, by `# text` or by spaces in MISC."""
    if treebank.format != "conllu":
        return False
    comments = treebank.aside_text[treebank.aside_kind == int(_kernel.AsideKind.comment)]
    ranges = treebank.aside_text[treebank.aside_kind == int(_kernel.AsideKind.range)]
    misc = treebank.pool.texts(np.unique(np.concatenate([treebank.column("misc"), ranges])))
    return any("Space" in value for value in misc) or any(
        text.startswith("# text") for text in treebank.pool.texts(np.unique(comments))
    )


def guessed_tokens(forms: Sequence[str]) -> list[SurfaceToken]:
    """Return words as they may have been written."""
    tokens: list[SurfaceToken] = []
    quoted = False
    for text in forms:
        opens = unicodedata.category(text[0]) in ("Ps", "Pi") or text[0] in _OPENING
        closes = unicodedata.category(text[0]) in ("Pe", "Pf") or text[0] in _CLOSING
        if text[0] == '"':
            opens, closes = not quoted and len(tokens) < len(forms) - 1, quoted or len(tokens) == len(forms) - 1
            quoted = opens
        if closes and tokens:
            tokens[-1] = tokens[-1]._replace(spaces="")
        alone = not any(map(str.isalnum, text))
        tokens.append(SurfaceToken(text, (text,), "" if opens and alone else " "))
    return [*tokens[:-1], *(token._replace(spaces=" ") for token in tokens[-1:])]


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
