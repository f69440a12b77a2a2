"""Transformer encoders of networks, as the kernel takes them (kernel/nn/encoders/transformer.hpp). O(1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import ParserError
from .encoders import ReadsWords, WordInputs, register_encoder
from .pretrained import ACTIVATIONS, TransformerShape

#: The kernel's sizes are whole numbers.
_EPSILON_UNIT = 1e-15


@dataclass(frozen=True)
class TransformerEncoder(WordInputs):
    """A transformer over pieces; what else is read of words is put beside what it says of them.

    LSTM layers may read both.
    """

    kind: ClassVar[str] = "transformer"
    layers: int = 1
    hidden_size: int = 2
    attention_heads: int = 1
    feed_forward_size: int = 1
    pieces: int = 3
    begin: int = 1
    end: int = 2
    norm_before: bool = True
    #: None: rotary ones.
    positions: int = 0
    first_position: int = 0
    rotary_base: int = 10_000
    activation: int = 0
    token_types: bool = False
    #: In units of 1e-15.
    norm_epsilon: int = 10**10
    first_pieces: bool = False
    window: int = 256
    overlap: int = 64
    lstm_layers: int = 0
    #: In each direction.
    lstm_hidden_size: int = 0

    @staticmethod
    def sizes_of(shape: TransformerShape) -> dict[str, Any]:
        """Return the sizes that a shape has, without those of what else is read of words."""
        same = ("layers", "hidden_size", "attention_heads", "feed_forward_size", "pieces", "begin", "end")
        return {
            **{name: getattr(shape, name) for name in (*same, "first_position", "rotary_base", "window", "overlap")},
            "norm_before": shape.norm == "before",
            "positions": shape.most_positions,
            "activation": ACTIVATIONS.index(shape.activation),
            "token_types": shape.token_types,
            "norm_epsilon": round(shape.norm_epsilon / _EPSILON_UNIT),
            "first_pieces": shape.words == "first",
        }

    @classmethod
    def alone(cls, shape: TransformerShape) -> TransformerEncoder:
        """Return an encoder that reads nothing but pieces."""
        return cls(columns=(), group_sizes=(), embedding_sizes=(), **cls.sizes_of(shape))


@register_encoder(TransformerEncoder.kind)
def make_transformer(definition: ReadsWords) -> TransformerEncoder:
    """Return the transformer of a definition, with what else it reads of words."""
    if definition.pretrained is None:
        raise ParserError("the encoder transformer is read from a folder: say which, not transformer")
    options, sizes = definition.scorer, TransformerEncoder.sizes_of(definition.pretrained.shape)
    if options.lstm_layers:
        sizes |= {"lstm_layers": options.lstm_layers, "lstm_hidden_size": options.hidden_size}
    return TransformerEncoder.from_definition(definition, **sizes)
