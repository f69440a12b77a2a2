"""Treebanks: columns, sentences, CoNLL-U and CoNLL-X files."""

from ..errors import MissingHeadsError, Problem, TreebankError, TreeError
from .columns import TextColumn
from .export import EXPORTS, export
from .formats import COLUMNS, NO_HEAD, detect_format
from .reading import check, from_bytes, from_text, opened, read, stream
from .sentence import EmptyNode, MultiwordToken, Sentence, Token
from .treebank import Treebank
from .writing import Conversion, convert, write

__all__ = [
    "COLUMNS",
    "EXPORTS",
    "NO_HEAD",
    "Conversion",
    "EmptyNode",
    "MissingHeadsError",
    "MultiwordToken",
    "Problem",
    "Sentence",
    "TextColumn",
    "Token",
    "TreeError",
    "Treebank",
    "TreebankError",
    "check",
    "convert",
    "detect_format",
    "export",
    "from_bytes",
    "from_text",
    "opened",
    "read",
    "stream",
    "write",
]
