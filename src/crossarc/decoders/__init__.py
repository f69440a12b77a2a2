"""The best tree of a class for a matrix of arc scores, and everything about all of its trees: sums, counts, samples."""

from .batch import MarginalBatch, TreeBatch, best_batch, k_best_batch, marginals_batch, sample_batch
from .best import Decoded, best, one_endpoint_crossing, projective, spanning_tree
from .matrices import DecodingError, LongSentences, Root, TreeClass
from .sums import count_trees, k_best, log_partition, marginals, minimum_bayes_risk, sample

__all__ = [
    "Decoded",
    "DecodingError",
    "LongSentences",
    "MarginalBatch",
    "Root",
    "TreeBatch",
    "TreeClass",
    "best",
    "best_batch",
    "count_trees",
    "k_best",
    "k_best_batch",
    "log_partition",
    "marginals",
    "marginals_batch",
    "minimum_bayes_risk",
    "one_endpoint_crossing",
    "projective",
    "sample",
    "sample_batch",
    "spanning_tree",
]
