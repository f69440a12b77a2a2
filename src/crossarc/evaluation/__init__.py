"""Scores of parsers, and whether a difference between them means anything."""

from .arc_classes import ArcClassScores
from .attachment import Attachment, AttachmentScores, attachment_scores
from .breakdowns import Breakdown, Confusion, Group
from .disagreement import PairError
from .graphs import GraphScores, graph_scores
from .pair import Pair, make_pair
from .punctuation import Punctuation, is_punctuation
from .score import Score
from .scores import Scores, WordScores
from .validity import InvalidTreeError

__all__ = [
    "ArcClassScores",
    "Attachment",
    "AttachmentScores",
    "Breakdown",
    "Confusion",
    "GraphScores",
    "Group",
    "InvalidTreeError",
    "Pair",
    "PairError",
    "Punctuation",
    "Score",
    "Scores",
    "WordScores",
    "attachment_scores",
    "graph_scores",
    "is_punctuation",
    "make_pair",
]
