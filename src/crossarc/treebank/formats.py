"""The two file formats, CoNLL-U and CoNLL-X: their columns, and how to tell them apart by content.

Both have ten columns separated by tabs and an empty line after each sentence. CoNLL-U (version 2) also has comments,
multiword tokens, empty nodes, an enhanced graph and MISC; CoNLL-X (shared tasks of 2006 and 2007) has PHEAD and
PDEPREL. The other columns of words have the same meaning in both.
"""

from __future__ import annotations

import re
from typing import Literal, cast, get_args

from .. import _kernel
from ..errors import CrossarcError

Format = Literal["conllu", "conllx"]
RootPolicy = Literal["single", "any"]

#: How the columns of a word are called, in both formats, in the order of the file and without ID.
COLUMNS = tuple(column.name for column in _kernel.Column)
#: The head of a word that has none.
NO_HEAD: int = _kernel.NO_HEAD

_FORMATS = get_args(Format)
_ROOT_POLICIES = get_args(RootPolicy)
DEFAULT_ROOT: dict[str, RootPolicy] = {"conllu": "single", "conllx": "any"}

_UNIVERSAL_TAGS = frozenset(
    b"ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X _".split()
)
#: How much of a file the format is recognised by.
BYTES_LOOKED_AT = 1 << 16
_RANGE_OR_EMPTY_NODE = re.compile(rb"^\d+[-.]\d+$")


def checked_format(format: str) -> Format:
    """Return `format` if it is one, or say which there are."""
    if format not in _FORMATS:
        raise CrossarcError(f'unknown format "{format}": use one of {", ".join(_FORMATS)}')
    return cast(Format, format)


def checked_root(root: str) -> RootPolicy:
    """Return `root` if it is a root policy, or say which there are."""
    if root not in _ROOT_POLICIES:
        raise CrossarcError(f'unknown root policy "{root}": use one of {", ".join(_ROOT_POLICIES)}')
    return cast(RootPolicy, root)


def detect_format(text: bytes) -> Format:
    """Tell CoNLL-U from CoNLL-X by the first 64 kB.

    In this order: a number in column 9 is a PHEAD (CoNLL-X); a colon there is an enhanced arc, a comment, a range or an
    empty node is CoNLL-U; then tags in column 4 that are all universal speak for CoNLL-U, any other for CoNLL-X.
    """
    comment, universal = False, True
    for line in text[:BYTES_LOOKED_AT].splitlines():
        if line.startswith(b"#"):
            comment = True
            continue
        fields = line.split(b"\t")
        if len(fields) != 10:
            continue
        if fields[8].isdigit():
            return "conllx"
        if b":" in fields[8] or _RANGE_OR_EMPTY_NODE.match(fields[0]):
            return "conllu"
        universal = universal and fields[3] in _UNIVERSAL_TAGS
    return "conllu" if comment or universal else "conllx"
