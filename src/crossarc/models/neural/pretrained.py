"""Encoders that have read: the shape of a transformer, the pieces into which it cuts words, its weights.

A transformer (Vaswani et al. 2017; kernel/nn/encoders/transformer.hpp) reads the pieces of all words of a sentence
between two special ones. A word is the mean of the states of its pieces, or that of its first one; of the layers a
mixture is taken whose weights are learnt (Peters et al. 2018). The artificial root is the first special piece. A
sentence with more pieces than a window has is read in windows that overlap, and each word is taken from the window in
which it is farthest from an edge. `shape` says what BERT (Devlin et al. 2019), RoBERTa (Liu et al. 2019) and our own
encoders (norm before, rotary positions: Su et al. 2021) differ in. O(pieces · window · hidden size) for each layer.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._arrays import Floats, Offsets
from ...errors import CountedWarning, ParserError
from ...options import Options, bounded, named, one_of, option, plain, structure, truth
from ...treebank import Treebank
from ..base import SentenceInputs
from ..model_file import check_fields
from .pieces import Pieces

#: Where layers are normed, what places pieces, what a hidden layer computes, and what a word is: in the kernel's order.
NORMS = ("after", "before")
POSITIONS = ("learnt", "rotary")
ACTIVATIONS = ("gelu", "gelu-tanh", "relu")
WORDS = ("mean", "first")
#: The share of words with unknown pieces that an encoder of the language does not come to.
_STRANGERS = 0.1
#: More facts about an encoder are no card.
MOST_FACTS = 100


@dataclass(frozen=True)
class TransformerShape(Options):
    """The shape of a transformer.

    Parameters:
        layers: The number of layers.
        hidden_size: The size of the state of a piece.
        attention_heads: The number of attention heads, each of an equal part of the state.
        feed_forward_size: The size of the hidden layer between two attentions.
        pieces: How many different pieces there are.
        begin: The number of the piece that stands before a sentence.
        end: The number of the piece that stands behind it.
        norm: "after" each part of a layer, as in BERT, or "before" it, with another norm behind the last layer.
        positions: "learnt" embeddings, or "rotary": queries and keys are turned by the place of their piece.
        most_positions: How many positions have an embedding.
        first_position: The number of the first position of a sentence among them: 2 in RoBERTa.
        rotary_base: The base of the wave lengths of rotary positions.
        activation: "gelu", "gelu-tanh" or "relu".
        token_types: Whether an embedding is added to all pieces, as BERT does for its first kind of sentence.
        norm_epsilon: What is added to a variance.
        words: The "mean" of the pieces of a word, or its "first" piece.
        window: So many pieces, with the two special ones, are read together.
        overlap: How many pieces of a window are read in the next one again.
    """

    layers: int = bounded(8, 1, 64)
    hidden_size: int = bounded(384, 2, 8192)
    attention_heads: int = bounded(8, 1, 256)
    feed_forward_size: int = bounded(1536, 1, 16_384)
    pieces: int = bounded(16_000, 3, 1 << 21)
    begin: int = bounded(1, 0, 1 << 21)
    end: int = bounded(2, 0, 1 << 21)
    norm: str = option("before", one_of(*NORMS))
    positions: str = option("rotary", one_of(*POSITIONS))
    most_positions: int = bounded(0, 0, 1 << 16)
    first_position: int = bounded(0, 0, 1 << 10)
    rotary_base: int = bounded(10_000, 1, 1 << 24)
    activation: str = option("gelu", one_of(*ACTIVATIONS))
    token_types: bool = option(False, truth)
    norm_epsilon: float = bounded(1e-5, 1e-15, 0.1)
    words: str = option("mean", one_of(*WORDS))
    window: int = bounded(256, 4, 1 << 14)
    overlap: int = bounded(64, 0, 1 << 13)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hidden_size % self.attention_heads:
            raise ParserError(
                f"a hidden size of {self.hidden_size} cannot be shared among {self.attention_heads} attention heads"
            )
        if max(self.begin, self.end) >= self.pieces:
            raise ParserError(f"begin and end are pieces: numbers below {self.pieces}, not {self.begin}, {self.end}")
        if 2 * self.overlap > self.window - 2:
            raise ParserError(f"an overlap of {self.overlap} leaves nothing of a window of {self.window}")
        if self.positions == "rotary":
            if self.hidden_size // self.attention_heads % 2:
                raise ParserError("rotary positions ask for attention heads of an even size")
            if self.most_positions or self.first_position:
                raise ParserError("rotary positions have no embeddings: leave most_positions and first_position at 0")
        elif self.first_position + self.window > self.most_positions:
            raise ParserError(
                f"a window of {self.window} has more pieces than there are positions from "
                f"{self.first_position} to {self.most_positions}"
            )


@dataclass(frozen=True, eq=False)
class PretrainedEncoder:
    """A transformer that has read: its shape, its pieces, its weights, and what is known of it."""

    shape: TransformerShape
    pieces: Pieces
    #: By the names of parameters (`encoder.transformer.0.attention.query`); empty where a network holds them.
    weights: Mapping[str, Floats] = field(default_factory=dict, repr=False)
    #: What it was made of: texts, licences, figures. Shown by `crossarc info`.
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.pieces.size > self.shape.pieces:
            raise ParserError(f"{self.pieces.size} pieces do not fit the embeddings, which are {self.shape.pieces}")

    def with_pieces(self, inputs: SentenceInputs, treebank: Treebank) -> SentenceInputs:
        """Return what is read of a treebank with the pieces of its words."""
        texts, of_word = treebank.distinct_texts("form")
        offsets, pieces = self.pieces.cut(texts)
        self._warn_of_windows(np.diff(offsets)[of_word], treebank)
        forms = inputs.forms._replace(
            of_word=of_word.astype(np.int32), piece_offsets=offsets, pieces=pieces.astype(np.uint32)
        )
        return inputs._replace(forms=forms)

    def _warn_of_windows(self, counts: Offsets, treebank: Treebank) -> None:
        """Say how many sentences have more pieces than are read together; `counts`: of the pieces of each word."""
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])[treebank.word_offsets]
        if long := int((np.diff(before) > self.shape.window - 2).sum()):
            most = f"more than {self.shape.window - 2} pieces of words"
            several = f"{{}} sentences have {most} and were read in windows that overlap"
            warnings.warn(
                CountedWarning(long, f"1 sentence has {most} and was read in windows that overlap", several),
                stacklevel=2,
            )

    def warn_of_strangers(self, treebank: Treebank) -> None:
        """Warn if many words have pieces that the encoder does not know: it may be one of another language."""
        texts, of_word = treebank.distinct_texts("form")
        offsets, pieces = self.pieces.cut(texts)
        unknown = np.add.reduceat(pieces == self.pieces.unknown, offsets[:-1]) > 0 if len(texts) else np.zeros(0, bool)
        share = float(unknown[of_word].mean()) if len(of_word) else 0.0
        if share > _STRANGERS:
            warnings.warn(
                f"of {100 * share:.0f} % of the words the encoder does not know a piece: is it of another language?",
                stacklevel=2,
            )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file, without the weights."""
        return {"shape": self.shape.to_dict(), "pieces": self.pieces.to_dict(), "about": dict(self.about)}

    @classmethod
    def from_dict(cls, data: Any, weights: Mapping[str, Floats] | None = None) -> PretrainedEncoder:
        """Make it again of what `to_dict` gave."""
        known = {"shape": structure, "pieces": structure, "about": named(plain, MOST_FACTS)}
        check_fields("the transformer", data, known)
        shape = TransformerShape.from_dict(data["shape"], complete=True)
        return cls(shape, Pieces.from_dict(data["pieces"]), weights or {}, data["about"])
