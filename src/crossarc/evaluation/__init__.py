"""Scores of parsers, and whether a difference between them means anything."""

from .agreement import Agreement, agreement
from .alignment import PairError
from .arc_classes import ArcClassScores
from .attachment import (
    Attachment,
    AttachmentScores,
    Score,
    UndirectedAttachment,
    attachment_scores,
    undirected_attachment,
)
from .calibration import Calibration, calibrated
from .constructions import construction
from .enhanced_graphs import GraphScores, graph_scores
from .error_analysis import Breakdown, Confusion, Group
from .pair import Pair, make_pair
from .scores import Punctuation, Scores, WordScores, is_punctuation
from .strict import StrictScore, StrictScores
from .validity import InvalidTreeError

__all__ = [
    "Agreement",
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
    "StrictScore",
    "StrictScores",
    "UndirectedAttachment",
    "WordScores",
    "agreement",
    "attachment_scores",
    "calibrated",
    "construction",
    "graph_scores",
    "is_punctuation",
    "make_pair",
    "undirected_attachment",
]
