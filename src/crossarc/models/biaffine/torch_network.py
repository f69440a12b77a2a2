"""The network of a graph parser in torch, for training on a GPU: the same program as kernel/nn, from the same weights.

Weights come in and go out as the list of arrays that the kernel has (kernel/parsers/graph.hpp), so that a model that
torch trained is a model file like any other. The order of gates is the one thing that differs: torch has input, forget,
candidate and output, the kernel input, forget, output and candidate. O(words² · arc size) for a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ..._arrays import Floats
from .options import BiaffineDefinition

_LEAK = 0.1
_WIDTHS = (2, 3, 4, 5)
_NO_VALUE = 0
_GATES = (0, 1, 3, 2)  # of torch, in the order of the kernel, and the other way round


class Batch(NamedTuple):
    """Sentences of a batch, padded, the artificial root first: numbers of values, of forms, and which are words."""

    values: Tensor  # sentence × word × column
    forms: Tensor  # the place of the form among `characters`, and 1; 0 for the root
    characters: Tensor  # form × character
    character_counts: Tensor
    lengths: Tensor  # with the root, on the CPU
    present: Tensor  # sentence × word


class TorchNetwork(nn.Module):
    """A network with the shape of a definition."""

    def __init__(self, definition: BiaffineDefinition) -> None:
        """Make a network; its weights mean nothing before `set_weights`."""
        super().__init__()
        self.options = definition.scorer
        options, sizes = self.options, definition.vocabularies.sizes
        self.groups = [size for size in definition.group_sizes if size]
        self.group_dimensions = [
            dimension for dimension, size in zip(options.dimensions, definition.group_sizes, strict=True) if size
        ]
        dimensions = definition.dimensions
        self.embeddings = nn.ModuleList(
            nn.Embedding(size, dimension, padding_idx=_NO_VALUE)
            for size, dimension in zip(sizes, dimensions, strict=True)
        )
        inputs = sum(self.group_dimensions)
        if definition.characters is not None:
            inputs += options.characters
            self.characters = nn.Embedding(
                definition.characters.size, options.character_dimension, padding_idx=_NO_VALUE
            )
            self.filters = nn.ModuleList(
                nn.Conv1d(options.character_dimension, options.filters, width) for width in _WIDTHS
            )
            self.character_output = nn.Linear(len(_WIDTHS) * options.filters, options.characters)
        self.layers = nn.ModuleList(
            nn.LSTM(inputs if layer == 0 else 2 * options.cells, options.cells, bidirectional=True, batch_first=True)
            for layer in range(options.layers)
        )
        self.projection = nn.Linear(2 * options.cells, 2 * (options.arc + options.label))
        self.arc = nn.Parameter(torch.zeros(options.arc, options.arc))
        self.arc_bias = nn.Parameter(torch.zeros(options.arc))
        self.label = nn.Linear(3 * options.label, definition.labels)

    # Weights

    def weights(self) -> list[Floats]:
        """Return the weights as the kernel has them."""
        arrays = [one.weight for one in self.embeddings]
        for layer in self.layers:
            for suffix in ("", "_reverse"):
                for name in ("weight_ih_l0", "weight_hh_l0"):
                    arrays.append(_exchange_gates(getattr(layer, name + suffix)).t())
                arrays.append(
                    _exchange_gates(getattr(layer, "bias_ih_l0" + suffix) + getattr(layer, "bias_hh_l0" + suffix))
                )
        if self.options.characters:
            arrays.append(self.characters.weight)
            arrays += [one.weight.permute(2, 1, 0) for one in self.filters]
            arrays.append(torch.cat([one.bias for one in self.filters]))
            arrays += [self.character_output.weight.t(), self.character_output.bias]
        arrays += [self.projection.weight.t(), self.projection.bias, self.arc, self.arc_bias]
        arrays += [self.label.weight.t(), self.label.bias]
        return [array.detach().float().cpu().contiguous().numpy().reshape(-1).copy() for array in arrays]

    def set_weights(self, weights: Sequence[Floats]) -> None:
        """Take weights as the kernel has them."""
        with torch.no_grad():
            self._take(iter(weights))

    def _take(self, rest: Iterator[Floats]) -> None:

        def take(parameter: Tensor, *shape: int) -> Tensor:
            return torch.from_numpy(np.array(next(rest))).reshape(shape).to(parameter)

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
        if self.options.characters:
            self.characters.weight.copy_(take(self.characters.weight, *self.characters.weight.shape))
            for one in self.filters:
                filters, dimension, width = one.weight.shape
                one.weight.copy_(take(one.weight, width, dimension, filters).permute(2, 1, 0))
            biases = take(self.filters[0].bias, len(_WIDTHS), -1)
            for one, bias in zip(self.filters, biases, strict=True):
                one.bias.copy_(bias)
            _take_linear(self.character_output, take)
        _take_linear(self.projection, take)
        self.arc.copy_(take(self.arc, *self.arc.shape))
        self.arc_bias.copy_(take(self.arc_bias, *self.arc_bias.shape))
        _take_linear(self.label, take)

    # Scores

    def encode(self, batch: Batch) -> Tensor:
        """Return what the heads see of each word: sentence × word × roles."""
        options = self.options
        parts, first = [], 0
        for size, dimension in zip(self.groups, self.group_dimensions, strict=True):
            columns = range(first, first + size)
            total = torch.zeros((*batch.present.shape, dimension), device=batch.present.device)
            for column in columns:
                total = total + self.embeddings[column](batch.values[:, :, column])
            parts.append(total)
            first += size
        if options.characters:
            found = self.read_characters(batch)
            found = torch.cat([torch.zeros_like(found[:1]), found])
            parts.append(found[batch.forms])
        said = torch.cat(self._drop_groups(parts), dim=2)
        for layer in self.layers:
            packed = pack_padded_sequence(said, batch.lengths, batch_first=True, enforce_sorted=False)
            said = pad_packed_sequence(layer(packed)[0], batch_first=True)[0]
            said = self._drop_shared(said, options.layer_dropout)
        return self._drop_shared(functional.leaky_relu(self.projection(said), _LEAK), options.hidden_dropout)

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

    def score_arcs(self, roles: Tensor, batch: Batch) -> Tensor:
        """Return the scores of arcs, sentence × dependent × head; what is no head has the lowest."""
        arc = self.options.arc
        dependents, heads = roles[:, :, :arc], roles[:, :, arc : 2 * arc]
        scores = ((dependents @ self.arc + self.arc_bias) @ heads.transpose(1, 2)).float()
        itself = torch.eye(scores.shape[1], dtype=torch.bool, device=scores.device)
        return scores.masked_fill(~batch.present[:, None, :] | itself, torch.finfo(scores.dtype).min)

    def score_labels(self, roles: Tensor, sentences: Tensor, dependents: Tensor, heads: Tensor) -> Tensor:
        """Return the scores of labels, a row for each arc."""
        arc, label = self.options.arc, self.options.label
        dependent = roles[sentences, dependents, 2 * arc : 2 * arc + label]
        head = roles[sentences, heads, 2 * arc + label :]
        scores: Tensor = self.label(torch.cat([dependent * head, dependent, head], dim=1)).float()
        return scores

    def _drop_groups(self, parts: list[Tensor]) -> list[Tensor]:
        """Leave out whole groups of words in training; those that stay make up for the others."""
        share = self.options.group_dropout
        if not self.training or not share:
            return parts
        kept = (torch.rand((*parts[0].shape[:2], len(parts)), device=parts[0].device) >= share).float()
        kept = kept * (len(parts) / kept.sum(dim=2, keepdim=True).clamp(min=1))
        return [part * kept[:, :, place : place + 1] for place, part in enumerate(parts)]

    def _drop_shared(self, said: Tensor, share: float) -> Tensor:
        """Dropout in training with one mask for all words of a sentence."""
        if not self.training or not share:
            return said
        mask = torch.rand((said.shape[0], 1, said.shape[2]), device=said.device) >= share
        return said * mask.to(said.dtype) / (1 - share)


def _exchange_gates(values: Tensor) -> Tensor:
    """Bring the gates, the first axis in four parts, into the order of the other side."""
    parts = values.chunk(4)
    return torch.cat([parts[gate] for gate in _GATES])


def _take_linear(layer: nn.Linear, take: Callable[..., Tensor]) -> None:
    outputs, inputs = layer.weight.shape
    layer.weight.copy_(take(layer.weight, inputs, outputs).t())
    layer.bias.copy_(take(layer.bias, outputs))
