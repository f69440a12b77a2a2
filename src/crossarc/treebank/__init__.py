"""Treebanks: columns, sentences, CoNLL-U and CoNLL-X files."""

from ..errors import MissingHeadsError, TreebankError, TreeError
from .conversion import Conversion, convert
from .formats import COLUMNS, detect_format
from .problems import Problem
from .reading import check, from_bytes, from_text, read, stream
from .sentence import EmptyNode, MultiwordToken, Sentence, Token
from .treebank import NO_HEAD, Treebank
from .writing import write

__all__ = [
    "COLUMNS",
    "NO_HEAD",
    "Conversion",
    "EmptyNode",
    "MissingHeadsError",
    "MultiwordToken",
    "Problem",
    "Sentence",
    "Token",
    "TreeError",
    "Treebank",
    "TreebankError",
    "check",
    "convert",
    "detect_format",
    "from_bytes",
    "from_text",
    "read",
    "stream",
    "write",
]
