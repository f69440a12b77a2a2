"""What parsers do with treebanks, whatever they learn: words into treebanks, labels into numbers, and trees compared.

O(words), beside the parser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from .. import _kernel
from .._arrays import Flags, Ids, Offsets
from ..errors import ParserError
from ..options import MOST_LABELS
from ..training.report import DevScores
from ..treebank import MissingHeadsError, Treebank
from ..treebank.writing import printed

Model = TypeVar("Model")

_FEWEST_NONPROJECTIVE = 5  # arcs of development data by which models are measured


def treebank_from_words(sentences: Sequence[Sequence[str]]) -> Treebank:
    """Return a treebank of sentences that are lists of words."""
    if isinstance(sentences, str) or not isinstance(sentences, Iterable):
        raise ParserError(f"give lists of words, or a treebank, not a {type(sentences).__name__}")
    for number, words in enumerate(sentences, start=1):
        if isinstance(words, str):
            raise ParserError(
                "give a list of words: a text has to be cut into words first, by a pipeline (xa.load) or with split(); "
                "a file is parsed as pathlib.Path(name) or xa.read(name)"
            )
        if not isinstance(words, Iterable):
            raise ParserError(f"sentence {number}: a sentence is a list of words, not a {type(words).__name__}")
        if not words or not all(isinstance(word, str) and word for word in words):
            raise ParserError(f"sentence {number}: a sentence is a list of words that are not empty")
    return Treebank.from_words(sentences)


def fingerprint(treebank: Treebank) -> str:
    """Return a checksum of a treebank as it would be written."""
    import hashlib

    digest = hashlib.blake2b(digest_size=8)
    for block in printed(treebank):
        digest.update(block)
    return digest.hexdigest()


def check_trees(treebank: Treebank, what: str) -> None:
    """Refuse data without sentences or without heads; `what` says what they are for."""
    if not treebank.words:
        raise ParserError(f"the {what} data have no sentences")
    missing = np.flatnonzero(treebank.head < 0)
    if len(missing):
        sentence = int(np.searchsorted(treebank.word_offsets, missing[0], side="right")) - 1
        raise MissingHeadsError(f"{treebank[sentence].place} has no heads: {what} data need them")


def check_label_count(count: int, what: str) -> None:
    """Refuse more labels than a model can learn; usually something else got into the column."""
    most = MOST_LABELS
    if count > most:
        raise ParserError(
            f"{what} {count:,} different labels, and a parser learns at most {most:,}: "
            "the column should hold relations such as nsubj; crossarc describe shows what it holds"
        )


def numbered(treebank: Treebank, ids: Ids, labels: Sequence[str]) -> Ids:
    """Return the numbers of texts of the pool among labels, -1 for a text that is none."""
    numbers = {label: number for number, label in enumerate(labels)}
    different, indices = np.unique(ids, return_inverse=True)
    texts = treebank.pool.texts(different.astype(np.int32))
    return np.array([numbers.get(text, -1) for text in texts], np.int32)[indices]


def with_trees(treebank: Treebank, heads: Ids, label_numbers: Ids, labels: Sequence[str]) -> Treebank:
    """Return a treebank with these heads, and labels by their numbers."""
    return treebank.replace(head=heads, deprel=treebank.pool.intern(list(labels))[label_numbers])


def attachment_evaluation(
    dev: Treebank, labels: Sequence[str], parse: Callable[[Model], tuple[Ids, Ids]]
) -> Callable[[Model], DevScores]:
    """Return a function that gives the scores of a model on development data, from 0 to 1.

    Beside LAS and UAS that is the strict F of non-projective arcs, if the data have at least five. `parse` gives the
    heads and the numbers of labels that a model finds there.
    """
    gold = numbered(dev, dev.deprel.ids, labels)
    crossing = nonprojective(dev.head, dev.word_offsets)
    few = int(crossing.sum()) < _FEWEST_NONPROJECTIVE

    def evaluate(model: Model) -> DevScores:
        heads, label_numbers = parse(model)
        right = heads == dev.head
        strict_f = share = None
        if not few:
            found = nonprojective(heads, dev.word_offsets)
            strict_f = 2 * int((found & crossing & right).sum()) / (int(found.sum()) + int(crossing.sum()))
            share = int(found.sum()) / int(crossing.sum())
        las, uas = float((right & (label_numbers == gold)).mean()), float(right.mean())
        return DevScores(las, uas, strict_f=strict_f, nonprojective=share)

    return evaluate


def nonprojective(heads: Ids, word_offsets: Offsets) -> Flags:
    """Return which arcs of trees are non-projective."""
    arrays, fault = _kernel.classify(np.ascontiguousarray(heads, np.int32), word_offsets, False, False, False, 0, 0)
    assert fault is None, fault
    flags: Flags = arrays["arc_nonprojective"].view(np.bool_)
    return flags
