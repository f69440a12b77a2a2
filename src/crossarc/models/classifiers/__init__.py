"""Classifiers as scorers: support vector machines with kernels and linear ones, and memory-based classification."""

from .linear_svm import LinearSvm
from .memory import MemoryBased
from .svm import Svm

__all__ = ["LinearSvm", "MemoryBased", "Svm"]
