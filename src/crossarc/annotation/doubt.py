"""Doubt: how likely each head of a treebank is to be wrong, as far as a parser can tell, for those who correct it.

A graph parser gives its heads calibrated probabilities. Where a head is the parser's, its doubt is what is missing to
one; where it is another, it cannot have more than what the parser's head leaves, nor more than that one. The doubt of a
sentence is the number of wrong heads to be expected. Costs what parsing costs.
"""

from __future__ import annotations

import warnings

import numpy as np

from .._arrays import Doubles
from ..errors import ParserError
from ..parsers import Parser
from ..treebank import Treebank


def doubts(parser: Parser, treebank: Treebank, *, threads: int = 0) -> Doubles:
    """Return the doubt of each word's head, from 0 to 1; a word without a head has none of its own to doubt: 1."""
    if not treebank.words:
        return np.zeros(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        analyses = parser.parse_scored(treebank, threads=threads)
    if not analyses.probabilities:
        raise ParserError(f"{parser.name} has no probabilities: take a graph parser, or a pipeline with one")
    likely = np.exp(np.minimum(np.nan_to_num(analyses.scores.astype(np.float64), nan=-np.inf), 0.0))
    same = analyses.treebank.head == treebank.head
    doubt: Doubles = np.where(same, 1 - likely, np.maximum(likely, 1 - likely))
    return np.where(treebank.head < 0, 1.0, doubt)


def sentence_doubts(doubt: Doubles, treebank: Treebank) -> Doubles:
    """Return the number of wrong heads to be expected in each sentence."""
    sums = np.concatenate([[0.0], np.cumsum(doubt)])
    result: Doubles = sums[treebank.word_offsets[1:]] - sums[treebank.word_offsets[:-1]]
    return result
