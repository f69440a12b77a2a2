"""Scores of parsers, and whether a difference between them means anything."""

from .alignment import PairError
from .arc_classes import ArcClassScores
from .attachment import Attachment, AttachmentScores, Score, attachment_scores
from .calibration import Calibration, calibrated
from .enhanced_graphs import GraphScores, graph_scores
from .error_analysis import Breakdown, Confusion, Group
from .pair import Pair, make_pair
from .scores import Punctuation, Scores, WordScores, is_punctuation
from .undirected import UndirectedAttachment, undirected_attachment
from .validity import InvalidTreeError

__all__ = [
    "ArcClassScores",
    "Attachment",
    "AttachmentScores",
    "Breakdown",
    "Calibration",
    "Confusion",
    "GraphScores",
    "Group",
    "InvalidTreeError",
    "Pair",
    "PairError",
    "Punctuation",
    "Score",
    "Scores",
    "UndirectedAttachment",
    "WordScores",
    "attachment_scores",
    "calibrated",
    "graph_scores",
    "is_punctuation",
    "make_pair",
    "undirected_attachment",
]
