"""Treebanks: columns, sentences, CoNLL-U and CoNLL-X files."""

from .formats import COLUMNS, detect_format
from .problems import Problem, TreebankError
from .reading import check, from_bytes, from_text, read, stream
from .sentence import EmptyNode, MissingHeadsError, MultiwordToken, Sentence, Token
from .tree import Tree, TreeError
from .treebank import NO_HEAD, Treebank
from .writing import write

__all__ = [
    "COLUMNS",
    "NO_HEAD",
    "EmptyNode",
    "MissingHeadsError",
    "MultiwordToken",
    "Problem",
    "Sentence",
    "Token",
    "Tree",
    "TreeError",
    "Treebank",
    "TreebankError",
    "check",
    "detect_format",
    "from_bytes",
    "from_text",
    "read",
    "stream",
    "write",
]
