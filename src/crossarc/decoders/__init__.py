"""The best tree of a class for a matrix of arc scores, and everything about all of its trees: sums, counts, samples."""

from .best import Decoded, one_endpoint_crossing, projective, spanning_tree
from .matrices import DecodingError, Root, TreeClass
from .sums import count_trees, k_best, log_partition, marginals, minimum_bayes_risk, sample

__all__ = [
    "Decoded",
    "DecodingError",
    "Root",
    "TreeClass",
    "count_trees",
    "k_best",
    "log_partition",
    "marginals",
    "minimum_bayes_risk",
    "one_endpoint_crossing",
    "projective",
    "sample",
    "spanning_tree",
]
