"""The network of a graph parser in torch, for training on a GPU: the same program as kernel/nn, from the same weights.

The encoder is that of all networks (models/torch_encoder.py); here are the heads: a biaffine product for every arc,
labels (Dozat & Manning 2017; kernel/nn/biaffine.hpp) and, if there are any, tags (kernel/nn/tags.hpp).
O(words² · arc size) for a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from ... import _kernel
from ..._arrays import Floats
from ..torch_encoder import Batch, TorchEncoder, kernel_arrays, take_linear, taker
from .options import BiaffineDefinition


class TorchNetwork(TorchEncoder):
    """A network with the shape of a definition."""

    def __init__(self, definition: BiaffineDefinition) -> None:
        """Make a network; its weights mean nothing before `set_weights`."""
        super().__init__(definition)
        self.options = definition.scorer
        options = self.options
        self.projection = nn.Linear(2 * options.cells, 2 * (options.arc + options.label))
        self.arc = nn.Parameter(torch.zeros(options.arc, options.arc))
        self.arc_bias = nn.Parameter(torch.zeros(options.arc))
        self.label = nn.Linear(3 * options.label, definition.labels)
        #: How many classes each tag has; those of all tags are one layer.
        self.tag_sizes = definition.tags.sizes
        self.tags = nn.Linear(2 * options.cells, sum(self.tag_sizes)) if self.tag_sizes else None

    def weights(self) -> list[Floats]:
        """Return the weights as the kernel has them."""
        heads = [self.projection.weight.t(), self.projection.bias, self.arc, self.arc_bias]
        tags = [] if self.tags is None else [self.tags.weight.t(), self.tags.bias]
        return kernel_arrays([*self.encoder_weights(), *heads, self.label.weight.t(), self.label.bias, *tags])

    def set_weights(self, weights: Sequence[Floats]) -> None:
        """Take weights as the kernel has them."""
        take = taker(weights)
        with torch.no_grad():
            self.take_encoder(take)
            take_linear(self.projection, take)
            self.arc.copy_(take(self.arc, *self.arc.shape))
            self.arc_bias.copy_(take(self.arc_bias, *self.arc_bias.shape))
            take_linear(self.label, take)
            if self.tags is not None:
                take_linear(self.tags, take)

    def encode(self, batch: Batch) -> Tensor:
        """Return what the heads see of each word: sentence × word × roles."""
        return self.project(self.read(batch))

    def project(self, said: Tensor) -> Tensor:
        """Return what the heads see, from what the encoder says of each word."""
        roles = functional.leaky_relu(self.projection(said), _kernel.LEAK)
        return self.drop_shared(roles, self.options.hidden_dropout)

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

    def score_tags(self, said: Tensor) -> Sequence[Tensor]:
        """Return the scores of the classes of each tag, from what the encoder says of words, a row for each."""
        return [] if self.tags is None else self.tags(said).float().split(self.tag_sizes, dim=1)
