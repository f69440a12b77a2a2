"""The encoder of networks in torch, for training on a GPU: the program of kernel/nn/encoder, from the same weights.

Weights come in and go out as the list of arrays that the kernel has, so that a model that torch trained is a model file
like any other. The order of gates is the one thing that differs: torch has input, forget, candidate and output, the
kernel input, forget, output and candidate. O(words · cells · (inputs + cells)) for each layer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from .. import _kernel
from .._arrays import Floats
from ..features import Vocabularies
from ..features.characters import Characters
from ..features.vocabularies import NOTHING

_WIDTHS = range(_kernel.NARROWEST_FILTER, _kernel.WIDEST_FILTER + 1)
_GATES = (0, 1, 3, 2)  # of torch, in the order of the kernel, and the other way round

#: Gives the next weights of the kernel, in some shape, for a parameter.
Take = Callable[..., Tensor]


class EncoderOptions(Protocol):
    """The options of a network that its encoder has."""

    @property
    def characters(self) -> int:
        """The size of what the characters of a word say."""

    @property
    def character_dimension(self) -> int:
        """The embedding dimension of characters."""

    @property
    def filters(self) -> int:
        """How many filters of each width there are."""

    @property
    def layers(self) -> int:
        """The number of LSTM layers."""

    @property
    def cells(self) -> int:
        """The hidden size of each LSTM, in each direction."""

    @property
    def group_dropout(self) -> float:
        """Dropout of whole groups of a word."""

    @property
    def layer_dropout(self) -> float:
        """Dropout of the outputs of each LSTM layer."""


class EncoderDefinition(Protocol):
    """What definitions of networks say of their encoder."""

    @property
    def vocabularies(self) -> Vocabularies:
        """What is read of words."""

    @property
    def characters(self) -> Characters | None:
        """The characters that are known, if they are read."""

    @property
    def group_sizes(self) -> tuple[int, ...]:
        """How many attributes each group has; those of a group follow each other."""

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The embedding dimension of each attribute."""

    @property
    def scorer(self) -> EncoderOptions:
        """The options of the network."""


class Batch(NamedTuple):
    """Sentences of a batch, padded: numbers of values, of forms, and which are words. The artificial root may be first.

    It is one more word then.
    """

    values: Tensor  # sentence × word × column
    forms: Tensor  # the place of the form among `characters`, and 1; 0 for the root
    characters: Tensor  # form × character
    character_counts: Tensor
    lengths: Tensor  # with the root, on the CPU
    present: Tensor  # sentence × word


class TorchEncoder(nn.Module):
    """Embeddings, characters and LSTM layers with the shape of a definition."""

    def __init__(self, definition: EncoderDefinition, input_dropout: float = 0.0) -> None:
        """Make an encoder; its weights mean nothing before `take_encoder`."""
        super().__init__()
        options, dimensions = definition.scorer, definition.dimensions
        self.encoder_options = options
        self.input_dropout = input_dropout
        ends = list(accumulate(definition.group_sizes))
        #: Of each group, its columns and its dimension.
        self.groups = [
            (range(end - size, end), dimensions[end - 1])
            for end, size in zip(ends, definition.group_sizes, strict=True)
            if size
        ]
        self.embeddings = nn.ModuleList(
            nn.Embedding(size, dimension, padding_idx=NOTHING)
            for size, dimension in zip(definition.vocabularies.sizes, dimensions, strict=True)
        )
        inputs = sum(dimension for _, dimension in self.groups)
        if definition.characters is not None:
            inputs += options.characters
            self.characters = nn.Embedding(definition.characters.size, options.character_dimension, padding_idx=NOTHING)
            self.filters = nn.ModuleList(
                nn.Conv1d(options.character_dimension, options.filters, width) for width in _WIDTHS
            )
            self.character_output = nn.Linear(len(_WIDTHS) * options.filters, options.characters)
        self.layers = nn.ModuleList(
            nn.LSTM(inputs if layer == 0 else 2 * options.cells, options.cells, bidirectional=True, batch_first=True)
            for layer in range(options.layers)
        )

    # Weights

    def encoder_weights(self) -> list[Tensor]:
        """Return the weights in the order and shapes of the kernel."""
        tensors = [one.weight for one in self.embeddings]
        for layer in self.layers:
            for suffix in ("", "_reverse"):
                for name in ("weight_ih_l0", "weight_hh_l0"):
                    tensors.append(_exchange_gates(getattr(layer, name + suffix)).t())
                tensors.append(
                    _exchange_gates(getattr(layer, "bias_ih_l0" + suffix) + getattr(layer, "bias_hh_l0" + suffix))
                )
        if self.encoder_options.characters:
            tensors.append(self.characters.weight)
            tensors += [one.weight.permute(2, 1, 0) for one in self.filters]
            tensors.append(torch.cat([one.bias for one in self.filters]))
            tensors += [self.character_output.weight.t(), self.character_output.bias]
        return tensors

    def take_encoder(self, take: Take) -> None:
        """Take weights as the kernel has them."""
        for one in self.embeddings:
            one.weight.copy_(take(one.weight, *one.weight.shape))
        for layer in self.layers:
            for suffix in ("", "_reverse"):
                for name in ("weight_ih_l0", "weight_hh_l0"):
                    own = getattr(layer, name + suffix)
                    own.copy_(_exchange_gates(take(own, *reversed(own.shape)).t()))
                bias = getattr(layer, "bias_ih_l0" + suffix)
                bias.copy_(_exchange_gates(take(bias, *bias.shape)))
                getattr(layer, "bias_hh_l0" + suffix).zero_()
        if self.encoder_options.characters:
            self.characters.weight.copy_(take(self.characters.weight, *self.characters.weight.shape))
            for one in self.filters:
                filters, dimension, width = one.weight.shape
                one.weight.copy_(take(one.weight, width, dimension, filters).permute(2, 1, 0))
            biases = take(self.filters[0].bias, len(_WIDTHS), -1)
            for one, bias in zip(self.filters, biases, strict=True):
                one.bias.copy_(bias)
            take_linear(self.character_output, take)

    # What it says of words

    def read(self, batch: Batch) -> Tensor:
        """Return what the last layer says of each word: sentence × word × outputs."""
        parts = []
        for columns, dimension in self.groups:
            total = torch.zeros((*batch.present.shape, dimension), device=batch.present.device)
            for column in columns:
                total = total + self.embeddings[column](batch.values[:, :, column])
            parts.append(total)
        if self.encoder_options.characters:
            found = self.read_characters(batch)
            found = torch.cat([torch.zeros_like(found[:1]), found])
            parts.append(found[batch.forms])
        said = functional.dropout(torch.cat(self._drop_groups(parts), dim=2), self.input_dropout, self.training)
        for layer in self.layers:
            packed = pack_padded_sequence(said, batch.lengths, batch_first=True, enforce_sorted=False)
            said = pad_packed_sequence(layer(packed)[0], batch_first=True)[0]
            said = self.drop_shared(said, self.encoder_options.layer_dropout)
        return said

    def read_characters(self, batch: Batch) -> Tensor:
        """Return what the characters of each form say."""
        embedded = self.characters(batch.characters).transpose(1, 2)
        places = torch.arange(embedded.shape[2], device=embedded.device)
        pooled = []
        for width, filters in zip(_WIDTHS, self.filters, strict=True):
            found = filters(embedded)
            valid = places[: found.shape[2]] <= (batch.character_counts - width)[:, None]
            lowest = torch.finfo(found.dtype).min
            pooled.append(functional.relu(found.masked_fill(~valid[:, None, :], lowest).amax(dim=2)))
        said: Tensor = self.character_output(torch.cat(pooled, dim=1))
        return said

    def drop_shared(self, said: Tensor, share: float) -> Tensor:
        """Dropout in training with one mask for all words of a sentence."""
        if not self.training or not share:
            return said
        mask = torch.rand((said.shape[0], 1, said.shape[2]), device=said.device) >= share
        return said * mask.to(said.dtype) / (1 - share)

    def _drop_groups(self, parts: list[Tensor]) -> list[Tensor]:
        """Leave out whole groups of words in training; those that stay make up for the others."""
        share = self.encoder_options.group_dropout
        if not self.training or not share:
            return parts
        kept = (torch.rand((*parts[0].shape[:2], len(parts)), device=parts[0].device) >= share).float()
        kept = kept * (len(parts) / kept.sum(dim=2, keepdim=True).clamp(min=1))
        return [part * kept[:, :, place : place + 1] for place, part in enumerate(parts)]


def kernel_arrays(tensors: Iterable[Tensor]) -> list[Floats]:
    """Return weights as the kernel takes them."""
    return [one.detach().float().cpu().contiguous().numpy().reshape(-1).copy() for one in tensors]


def taker(weights: Sequence[Floats]) -> Take:
    """Return a function that gives one of the kernel's weights after the other."""
    rest = iter(weights)

    def take(parameter: Tensor, *shape: int) -> Tensor:
        return torch.from_numpy(np.array(next(rest))).reshape(shape).to(parameter)

    return take


def take_linear(layer: nn.Linear, take: Take) -> None:
    """Give a linear layer its weights and its bias."""
    outputs, inputs = layer.weight.shape
    layer.weight.copy_(take(layer.weight, inputs, outputs).t())
    layer.bias.copy_(take(layer.bias, outputs))


def _exchange_gates(values: Tensor) -> Tensor:
    """Bring the gates, the first axis in four parts, into the order of the other side."""
    parts = values.chunk(4)
    return torch.cat([parts[gate] for gate in _GATES])
