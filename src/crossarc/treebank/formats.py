"""The two file formats, CoNLL-U and CoNLL-X: their columns, and how to tell them, and what is neither, by content.

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
#: "partial": any number of roots, and words without heads beside others that have them.
RootPolicy = Literal["single", "any", "partial"]

#: How the columns of a word are called, in both formats, in the order of the file and without ID.
COLUMNS = tuple(column.name for column in _kernel.Column)
#: The head of a word that has none.
NO_HEAD: int = _kernel.NO_HEAD

_FORMATS = get_args(Format)
_ROOT_POLICIES = get_args(RootPolicy)

UNIVERSAL_TAGS = frozenset(
    b"ADJ ADP ADV AUX CCONJ CONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X _".split()
)
#: How much of a file the format is recognised by.
BYTES_LOOKED_AT = 1 << 16
_RANGE_OR_EMPTY_NODE = re.compile(rb"^\d+[-.]\d+$")
_TABS = 9
_SPACED_COLUMNS = re.compile(rb"\d+([-.]\d+)? +\S+( +\S+){5,}")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WIDE_MARKS = {  # those of UTF-32 first, which begins like UTF-16
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_BYTES_FOR_ENCODING = 4096
_MOST_ARE_LATIN = 0.4  # of a treebank in UTF-16: its tabs, numbers, tags and line ends
_FEW = 0.1
_MODEL_START = re.compile(rb'\{"__metadata__":\{"crossarc"')
_MARKUP = {b"{": "JSON", b"[": "JSON", b"<": "XML or HTML"}


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
        universal = universal and fields[3] in UNIVERSAL_TAGS
    return "conllu" if comment or universal else "conllx"


def foreign_content(text: bytes) -> tuple[str, str] | None:
    """Return what a file is if it is no treebank at all, a name of `problems.FOREIGN` and a detail; else None.

    It goes by the first 64 kB. What may be a treebank with faults is none of these: the reader says what is wrong.
    """
    text = text[:BYTES_LOOKED_AT]
    encoding = _wide_encoding(text)
    if encoding is not None:
        return "wide_characters", encoding
    if _MODEL_START.match(text, 8) and not any(text[4:8]):
        return "model_file", ""
    lines = [line for line in text.removeprefix(_BYTE_ORDER_MARK).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(b"#")]
    if not lines or any(line.count(b"\t") == _TABS for line in lines):
        return None
    start = lines[0].lstrip()[:1]
    if start in _MARKUP:
        return "markup", _MARKUP[start]
    if any(b"\t" in line or _SPACED_COLUMNS.match(line) for line in lines):
        return None
    return ("plain_text", "") if 2 * sum(b" " in line.strip() for line in lines) >= len(lines) else None


def looks_like_treebank(text: bytes) -> bool:
    """Whether some line of the first 64 kB has ten columns."""
    return any(line.count(b"\t") == _TABS for line in text[:BYTES_LOOKED_AT].splitlines())


def _wide_encoding(text: bytes) -> str | None:
    """Return the name of UTF-16 or UTF-32, by the byte order mark or by the zero bytes of its Latin characters."""
    for mark, name in _WIDE_MARKS.items():
        if text.startswith(mark):
            return name
    sample = text[:_BYTES_FOR_ENCODING]
    zeros = [sample[place::2].count(0) / max(1, len(sample) // 2) for place in range(2)]
    if max(zeros) < _MOST_ARE_LATIN or min(zeros) > 1 - _MOST_ARE_LATIN:
        return None
    if min(zeros) > _FEW:  # a column of NULs in both places: four bytes for each character
        return "UTF-32LE" if sample[:1] != b"\0" else "UTF-32BE"
    return "UTF-16LE" if zeros[1] > zeros[0] else "UTF-16BE"
