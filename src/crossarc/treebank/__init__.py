"""Treebanks: columns, sentences, CoNLL-U and CoNLL-X files."""

from .conversion import Conversion, convert
from .formats import COLUMNS, detect_format
from .problems import Problem, TreebankError
from .reading import check, from_bytes, from_text, read, stream
from .sentence import EmptyNode, MissingHeadsError, MultiwordToken, Sentence, Token
from .tree import BareTree, TreeError
from .treebank import NO_HEAD, Treebank
from .writing import write

__all__ = [
    "COLUMNS",
    "NO_HEAD",
    "BareTree",
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
