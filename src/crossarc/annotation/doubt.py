"""Doubt: how likely each head of a treebank is to be wrong, as far as a parser can tell, for those who correct it.

A graph parser gives its heads calibrated probabilities. Where a head is the parser's, its doubt is what is missing to
one; where it is another, it cannot have more than what the parser's head leaves, nor more than that one. The doubt of a
sentence is the number of wrong heads to be expected. Costs what parsing costs.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from .._arrays import Doubles, Ids
from ..errors import ParserError
from ..parsers import Parser
from ..treebank import Treebank


class LikelyHeads(NamedTuple):
    """The heads that a parser finds, and how likely they are; they depend on words and tags alone."""

    heads: Ids
    probabilities: Doubles

    def doubts(self, heads: Ids) -> Doubles:
        """Return the doubt of these heads of the same words."""
        likely = self.probabilities
        doubt: Doubles = np.where(self.heads == heads, 1 - likely, np.maximum(likely, 1 - likely))
        return np.where(heads < 0, 1.0, doubt)


def doubts(parser: Parser, treebank: Treebank, *, threads: int = 0) -> Doubles:
    """Return the doubt of each word's head, from 0 to 1; a word without a head has none of its own to doubt: 1."""
    return likely_heads(parser, treebank, threads=threads).doubts(treebank.head)


def likely_heads(parser: Parser, treebank: Treebank, *, threads: int = 0) -> LikelyHeads:
    """Return what a parser finds for the words of a treebank, with its probabilities."""
    if not treebank.words:
        return LikelyHeads(np.zeros(0, np.int32), np.zeros(0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        analyses = parser.parse_scored(treebank, threads=threads)
    if not analyses.probabilities:
        raise ParserError(f"{parser.name} has no probabilities: take a graph parser, or a pipeline with one")
    likely = np.exp(np.minimum(np.nan_to_num(analyses.scores.astype(np.float64), nan=-np.inf), 0.0))
    return LikelyHeads(analyses.treebank.head, likely)


def sentence_doubts(doubt: Doubles, treebank: Treebank) -> Doubles:
    """Return the number of wrong heads to be expected in each sentence."""
    sums = np.concatenate([[0.0], np.cumsum(doubt)])
    result: Doubles = sums[treebank.word_offsets[1:]] - sums[treebank.word_offsets[:-1]]
    return result
