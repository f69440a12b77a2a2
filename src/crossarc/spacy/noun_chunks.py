"""`doc.noun_chunks` for relations of Universal Dependencies: nouns with what stands before them and belongs to them.

A chunk is a noun, proper noun or pronoun with its determiners, adjectives, numbers, compounds and possessors, as far as
they stand beside each other, and with the further words of a name behind it; prepositions, conjunctions and relative
clauses do not belong to it. What crossing arcs tear away is left out. O(tokens), and O(subtree) for each modifier.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spacy.tokens import Doc, Span, Token

_NOUNS = frozenset(("NOUN", "PROPN", "PRON"))
#: Relations of modifiers before a noun; `nmod` is one if it is a possessor.
_BEFORE = frozenset(("det", "amod", "nummod", "compound", "flat", "nmod:poss", "goeswith"))
#: Relations of the further words of a name or a fixed expression.
_BEHIND = frozenset(("flat", "compound", "fixed", "goeswith"))
#: Nouns with these relations are parts of others, or of something else than a noun phrase.
_NO_HEADS = _BEFORE | _BEHIND | {"case", "mark", "cc", "expl", "discourse"}


def noun_chunks(doclike: Doc | Span) -> Iterator[tuple[int, int, int]]:
    """Yield the first token of each chunk, the one behind its last, and the label NP; chunks do not overlap."""
    label = doclike.vocab.strings.add("NP")
    last = -1
    found = (_chunk(token) for token in doclike if token.pos_ in _NOUNS and not _is(token, _NO_HEADS))
    # A noun within a modifier of another, as in "a state-run bank", is part of that chunk.
    for start, end in sorted(found, key=lambda chunk: (chunk[0], -chunk[1])):
        if end > last:
            yield start, end, label
            last = end


def _is(token: Any, relations: frozenset[str]) -> bool:
    return token.dep_ in relations or token.dep_.partition(":")[0] in relations


def _chunk(noun: Token) -> tuple[int, int]:
    start, end = noun.i, noun.i + 1
    for child in reversed(list(noun.lefts)):
        first, behind = _extent(child)
        if not _is(child, _BEFORE) or behind != start:
            break
        start = first
    for child in noun.rights:
        first, behind = _extent(child)
        if not _is(child, _BEHIND) or first != end:
            break
        end = behind
    return start, end


def _extent(token: Any) -> tuple[int, int]:
    """Return where a word and all below it begin and end; what has a gap ends nowhere."""
    below = sorted(word.i for word in token.subtree)
    return below[0], below[-1] + 1 if below[-1] - below[0] + 1 == len(below) else -1
