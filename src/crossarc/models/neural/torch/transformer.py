"""Transformer encoders in torch: the program of kernel/nn/encoders/transformer.hpp, from the same parameters.

`TorchTransformer.layers` gives the states of all layers for rows of pieces, which is what pretraining needs; `forward`
makes words of them. Dropout is that of BERT: of embeddings, of what each part of a layer says, and of attention.
O(pieces · window · hidden size) for each layer.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from ..parts import Sizes
from ..pretrained import ACTIVATIONS
from ..transformer import TransformerEncoder
from .encoder import Batch, Dropout, WordReader, lstm_layers, read_lstm_layers, register_encoder, zeros

#: Weights begin with this standard deviation.
_START = 0.02


class Norm(nn.Module):
    """A layer norm (Ba et al. 2016)."""

    def __init__(self, size: int, epsilon: float) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__()
        self.scale, self.bias = zeros(1, size), zeros(1, size)
        self.epsilon = epsilon

    def forward(self, values: Tensor) -> Tensor:
        """Return values with a mean of zero and a variance of one, times the scale and with the bias."""
        return functional.layer_norm(values, self.scale.shape[1:], self.scale[0], self.bias[0], self.epsilon)


class Attention(nn.Module):
    """Attention of every piece to all pieces of its sequence."""

    def __init__(self, size: int, heads: int, dropout: float) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query, self.query_bias = zeros(size, size), zeros(1, size)
        self.key, self.key_bias = zeros(size, size), zeros(1, size)
        self.value, self.value_bias = zeros(size, size), zeros(1, size)
        self.output, self.output_bias = zeros(size, size), zeros(1, size)

    def forward(self, states: Tensor, mask: Tensor | None, turns: tuple[Tensor, Tensor] | None) -> Tensor:
        """Return what attention says of each piece; `mask`: which are there; `turns`: cosines and sines of places."""
        # One product is faster than three.
        matrix = torch.cat([self.query, self.key, self.value], dim=1)
        bias = torch.cat([self.query_bias, self.key_bias, self.value_bias], dim=1)
        query, key, value = map(self._in_heads, _linear(states, matrix, bias).chunk(3, dim=2))
        if turns is not None:
            query, key = _turned(query, *turns), _turned(key, *turns)
        dropout = self.dropout if self.training else 0.0
        said = functional.scaled_dot_product_attention(query, key, value, mask, dropout)
        return _linear(said.transpose(1, 2).flatten(2), self.output, self.output_bias)

    def _in_heads(self, values: Tensor) -> Tensor:
        return values.unflatten(2, (self.heads, -1)).transpose(1, 2)


class FeedForward(nn.Module):
    """A hidden layer, for each piece alone."""

    def __init__(self, size: int, hidden_size: int, activation: str) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__()
        self.activation = activation
        self.input, self.input_bias = zeros(size, hidden_size), zeros(1, hidden_size)
        self.output, self.output_bias = zeros(hidden_size, size), zeros(1, size)

    def forward(self, states: Tensor) -> Tensor:
        """Return what the hidden layer says of each piece."""
        hidden = _linear(states, self.input, self.input_bias)
        if self.activation == "relu":
            hidden = functional.relu(hidden)
        else:
            hidden = functional.gelu(hidden, approximate="tanh" if self.activation == "gelu-tanh" else "none")
        return _linear(hidden, self.output, self.output_bias)


class Layer(nn.Module):
    """Attention and a hidden layer, each added to what was there, with a norm before or after it."""

    def __init__(self, sizes: Sizes, dropout: float) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__()
        (size,), epsilon = sizes["hidden_size"], _epsilon(sizes)
        self.before, self.dropout = bool(sizes["norm_before"][0]), dropout
        self.attention = Attention(size, sizes["attention_heads"][0], dropout)
        self.attention_norm = Norm(size, epsilon)
        self.feed_forward = FeedForward(size, sizes["feed_forward_size"][0], ACTIVATIONS[sizes["activation"][0]])
        self.feed_forward_norm = Norm(size, epsilon)

    def forward(self, states: Tensor, mask: Tensor | None, turns: tuple[Tensor, Tensor] | None) -> Tensor:
        """Return the states behind this layer."""
        if self.before:
            states = states + self._drop(self.attention(self.attention_norm(states), mask, turns))
            return states + self._drop(self.feed_forward(self.feed_forward_norm(states)))
        states = self.attention_norm(states + self._drop(self.attention(states, mask, turns)))
        read: Tensor = self.feed_forward_norm(states + self._drop(self.feed_forward(states)))
        return read

    def _drop(self, values: Tensor) -> Tensor:
        return functional.dropout(values, self.dropout, self.training)


@register_encoder(TransformerEncoder.kind)
class TorchTransformer(WordReader):
    """A transformer over pieces; what else is read of words is put beside what it says of them.

    LSTM layers may read both.
    """

    def __init__(self, sizes: Sizes, dropout: Dropout) -> None:
        """Make the parameters; they mean nothing before `load_state_dict` or `initialise`."""
        super().__init__(sizes, dropout)
        (size,), (layers,), (positions,) = sizes["hidden_size"], sizes["layers"], sizes["positions"]
        (upper,), (upper_size,) = sizes["lstm_layers"], sizes["lstm_hidden_size"]
        self.width = 2 * upper_size if upper else size + self.inputs
        self.before, self.first_position = bool(sizes["norm_before"][0]), sizes["first_position"][0]
        self.head_size, self.rotary_base = size // sizes["attention_heads"][0], sizes["rotary_base"][0]
        self.pieces = zeros(sizes["pieces"][0], size)
        self.positions = zeros(positions, size) if positions else None
        self.token_type = zeros(1, size) if sizes["token_types"][0] else None
        #: That of embeddings, or behind the last layer.
        self.norm = Norm(size, _epsilon(sizes))
        self.transformer = nn.ModuleList(Layer(sizes, dropout.encoder) for _ in range(layers))
        #: Of the embeddings and of each layer, before they become shares.
        self.mixture = zeros(1, layers + 1)
        self.lstm = lstm_layers(size + self.inputs, upper, upper_size)

    def initialise(self, generator: torch.Generator | None = None) -> None:
        """Give all parameters the values that pretraining begins with."""
        with torch.no_grad():
            for name, values in self.named_parameters():
                if name.endswith("scale"):
                    values.fill_(1.0)
                elif "bias" in name or name == "mixture":
                    values.zero_()
                else:
                    values.normal_(0.0, _START, generator=generator)

    def layers(self, pieces: Tensor, present: Tensor | None = None) -> list[Tensor]:
        """Return the states of the embeddings and of each layer: sequence × piece × hidden size.

        `present`: which pieces are there, sequence × piece; None: all are. Where norms are before the parts of layers,
        every state is one behind the last norm.
        """
        states = functional.embedding(pieces, self.pieces)
        positions = torch.arange(pieces.shape[1], device=pieces.device)
        if self.positions is not None:
            states = states + self.positions[positions + self.first_position]
        if self.token_type is not None:
            states = states + self.token_type[0]
        if not self.before:
            states = self.norm(states)
        states = functional.dropout(states, self.dropout.encoder, self.training)
        turns = self._turns(positions) if self.positions is None else None
        mask = None if present is None else present[:, None, None, :]
        outputs = [states]
        for layer in self.transformer:
            outputs.append(layer(outputs[-1], mask, turns))
        return [self.norm(each) for each in outputs] if self.before else outputs

    def forward(self, batch: Batch) -> Tensor:
        """Return what is said of each word: sentence × word × outputs."""
        layers, shares = self.layers(batch.pieces, batch.piece_present), self.mixture[0].softmax(0)
        mixed = sum(share * states for share, states in zip(shares, layers, strict=True))
        words = _words(mixed.float(), batch)
        if not self.lstm:
            beside = self.read_inputs(batch)
            return words if beside is None else torch.cat([words, beside], dim=2)
        # Words are left out now and then, too, where tags stand beside them: else these would hardly be looked at.
        read = self.read_inputs(batch, words) if self.inputs else words
        assert read is not None
        return read_lstm_layers(self.lstm, read, batch.lengths, self.dropout.layers, self.training)

    def _turns(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Return the cosines and sines of the angles by which pairs of values are turned: position × pair."""
        pairs = torch.arange(0, self.head_size, 2, device=positions.device, dtype=torch.float32)
        angles = positions[:, None] * self.rotary_base ** (-pairs / self.head_size)
        return angles.cos(), angles.sin()


def _linear(values: Tensor, matrix: Tensor, bias: Tensor) -> Tensor:
    """Return the product with a matrix and a bias added; in mixed precision both have 16 bits, at once."""
    return functional.linear(values, matrix.t(), bias[0])


def _turned(values: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Turn pairs of values: one of the first half of a head with one of the second."""
    first, second = values.chunk(2, dim=3)
    cosines, sines = cosines.to(values.dtype), sines.to(values.dtype)
    return torch.cat([first * cosines - second * sines, second * cosines + first * sines], dim=3)


def _words(states: Tensor, batch: Batch) -> Tensor:
    """Return the mean of the pieces of each word; pieces of no word are added up behind the last one."""
    sentences, words = batch.present.shape
    rows = batch.piece_words.flatten()
    total = states.new_zeros(sentences * words + 1, states.shape[2]).index_add(0, rows, states.flatten(0, 1))
    # Not by bincount, which a GPU has to be waited for.
    counts = states.new_zeros(sentences * words + 1).index_add(0, rows, states.new_ones(len(rows))).clamp(min=1)
    return (total / counts[:, None])[:-1].unflatten(0, (sentences, words))


def _epsilon(sizes: Sizes) -> float:
    return sizes["norm_epsilon"][0] * 1e-15
