"""Correcting treebanks: sentences as text that is edited, files that are saved without loss, words in doubt."""

from .block import Block, EditError, split_blocks, version
from .document import ConflictError, Document, Workspace
from .doubt import doubts, sentence_doubts
from .edits import KINDS, Edit, edited, faults, with_arcs
from .reparsing import Habits, Reparsed, Reparser

__all__ = [
    "KINDS",
    "Block",
    "ConflictError",
    "Document",
    "Edit",
    "EditError",
    "Habits",
    "Reparsed",
    "Reparser",
    "Workspace",
    "doubts",
    "edited",
    "faults",
    "sentence_doubts",
    "split_blocks",
    "version",
    "with_arcs",
]
