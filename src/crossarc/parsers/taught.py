"""Sentences that another parser parsed, beside those of a treebank: distillation and self-training.

What a large parser knows passes to a small one by way of raw text: the small one learns the trees that the large one
finds there, together with gold ones (Kim & Rush 2016, sequence-level distillation). Vocabularies, labels, tags and the
tables of lemmas are those of the gold trees alone, so that the model is no larger. O(words).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._arrays import Offsets
from ..errors import ParserError
from ..treebank import Treebank

#: Sentences of which little is to be learnt, and such as are hardly any.
FEWEST_WORDS, MOST_WORDS = 3, 120


def check_share(share: float) -> None:
    """Refuse what is no share of an epoch."""
    if not 0 < share < 1:
        raise ParserError(f"taught_share is a share between 0 and 1, not {share}")


class Mixture(NamedTuple):
    """What an epoch learns from: gold sentences, and behind them so many taught ones."""

    treebank: Treebank
    taught: int


def mixture(gold: Treebank, taught: Treebank, share: float) -> Mixture:
    """Return what an epoch learns from: gold sentences as often as the share asks for, and taught ones.

    `share`: that of the words of an epoch that are taught, about: gold sentences come once at least. Taught sentences
    with relations that the gold ones do not have are left out.
    """
    check_share(share)
    taught = taught.in_format(gold.format)[_learnable(gold, taught)]
    if not len(taught):
        raise ParserError(f"no taught sentence of {FEWEST_WORDS} to {MOST_WORDS} words has relations of the treebank")
    copies = max(1, round(taught.words * (1 - share) / share / max(1, gold.words)))
    return Mixture(Treebank.concatenate([*[gold] * copies, taught]), len(taught))


def _learnable(gold: Treebank, taught: Treebank) -> Offsets:
    """Return the sentences of a fitting length, each once, whose words have heads and relations of the gold ones."""
    known = set(gold.inventory("deprel"))
    labels, of_word = taught.distinct_texts("deprel")
    fits = np.array([label in known for label in labels], bool)[of_word] & (taught.head >= 0)
    lengths = np.diff(taught.word_offsets)
    bad = np.add.reduceat(~fits, taught.word_offsets[:-1]) if len(lengths) else lengths
    chosen = np.flatnonzero((bad == 0) & (lengths >= FEWEST_WORDS) & (lengths <= MOST_WORDS))
    seen: dict[bytes, int] = {}
    for sentence in chosen.tolist():
        start, stop = taught.word_offsets[sentence : sentence + 2]
        seen.setdefault(taught.form.ids[start:stop].tobytes(), sentence)
    return np.fromiter(seen.values(), np.int64, len(seen))
