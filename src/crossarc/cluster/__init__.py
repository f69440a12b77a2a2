"""Corpora on many processes and machines, with Dask: shards, workers, and a manifest of what was done."""

from .corpus import CorpusReport, parse_corpus
from .reports import analyze_files, evaluate_files
from .running import ClusterError, connected
from .shards import Shard, plan

__all__ = [
    "ClusterError",
    "CorpusReport",
    "Shard",
    "analyze_files",
    "connected",
    "evaluate_files",
    "parse_corpus",
    "plan",
]
