"""The network of a transition parser in torch, for training on a GPU: the program of kernel/nn, from the same weights.

The encoder is that of all networks (models/torch_encoder.py); here are the heads: transitions, from the words of a
configuration and small numbers of it, and labels, from the two words of an arc (Kiperwasser & Goldberg 2016;
kernel/nn/heads.hpp). O(words · roles · hidden) for a batch, O(slots · hidden) for each configuration.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from ... import _kernel
from ..._arrays import Floats
from ...features.vocabularies import FIRST_KNOWN, NOTHING
from ..torch_encoder import Batch, TorchEncoder, kernel_arrays, taker
from .options import NetworkDefinition

#: Values that a small number may have; larger ones count as the last.
ATOM_VALUES: int = _kernel.ATOM_VALUES
#: In place of a word in a slot: no word there, and the artificial root. Words follow, in the order of the batch.
ABSENT, ARTIFICIAL, FIRST_WORD = NOTHING, int(_kernel.ROOT_VALUE), FIRST_KNOWN


class TransitionNetwork(TorchEncoder):
    """A network with the shape of a definition."""

    def __init__(self, definition: NetworkDefinition) -> None:
        """Make a network; its weights mean nothing before `set_weights`."""
        options = definition.scorer
        super().__init__(definition, options.input_dropout)
        self.slots, self.atom_count = len(definition.features.addresses), len(definition.features.atoms)
        self.hidden, self.label_hidden = options.hidden, options.label_hidden
        self.hidden_dropout = options.hidden_dropout
        transitions = len(definition.system.transitions)

        def zeros(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.zeros(*shape))

        self.projection = zeros(2 * options.cells, self.slots * self.hidden + 2 * self.label_hidden)
        self.absent, self.artificial = zeros(self.slots, self.hidden), zeros(self.slots, self.hidden)
        self.atoms = zeros(self.atom_count * ATOM_VALUES, self.hidden)
        self.hidden_bias = zeros(self.hidden)
        self.output, self.output_bias = zeros(transitions, self.hidden), zeros(transitions)
        self.label_root, self.label_bias = zeros(self.label_hidden), zeros(self.label_hidden)
        self.label_output = zeros(self.label_hidden, definition.labels)
        self.label_output_bias = zeros(definition.labels)

    def _heads(self) -> list[nn.Parameter]:
        """The weights of the heads, in the order of the kernel."""
        return [
            self.projection,
            *(self.absent, self.artificial, self.atoms, self.hidden_bias, self.output, self.output_bias),
            *(self.label_root, self.label_bias, self.label_output, self.label_output_bias),
        ]

    def weights(self) -> list[Floats]:
        """Return the weights as the kernel has them."""
        return kernel_arrays([*self.encoder_weights(), *self._heads()])

    def set_weights(self, weights: Sequence[Floats]) -> None:
        """Take weights as the kernel has them."""
        take = taker(weights)
        with torch.no_grad():
            self.take_encoder(take)
            for one in self._heads():
                one.copy_(take(one, *one.shape))

    def project(self, batch: Batch) -> Tensor:
        """Return the words of a batch, sentence after sentence, in all roles: words × roles."""
        return self.read(batch)[batch.present] @ self.projection

    def slot_tables(self, projected: Tensor) -> Tensor:
        """Return what each slot sees of each word: slots × (what stands for a missing word, and the words) × hidden."""
        words = projected[:, : self.slots * self.hidden].reshape(-1, self.slots, self.hidden).transpose(0, 1)
        absent, artificial = self.absent[:, None], self.artificial[:, None]
        return torch.cat([one.to(words.dtype) for one in (absent, absent, artificial, words)], dim=1)

    def score_transitions(self, tables: Tensor, words: Tensor, numbers: Tensor) -> Tensor:
        """Return the scores of transitions, a row for each configuration.

        `words`: for each configuration and slot a row of its table. `numbers`: for each configuration its numbers.
        """
        hidden = self.hidden_bias
        for slot in range(self.slots):
            hidden = hidden + functional.embedding(words[:, slot], tables[slot])
        if self.atom_count:
            first = torch.arange(self.atom_count, device=numbers.device) * ATOM_VALUES
            rows = numbers.clamp(max=ATOM_VALUES - 1) + first
            hidden = hidden + functional.embedding_bag(rows, self.atoms, mode="sum")
        hidden = functional.dropout(functional.relu(hidden), self.hidden_dropout, self.training)
        return (hidden @ self.output.t() + self.output_bias).float()

    def score_labels(self, projected: Tensor, heads: Tensor, dependents: Tensor) -> Tensor:
        """Return the scores of labels, a row for each arc between words of the batch; the head -1 is the root."""
        first = self.slots * self.hidden
        of_heads = projected[:, first : first + self.label_hidden]
        of_heads = torch.cat([of_heads, self.label_root[None].to(of_heads.dtype)])
        hidden = self.label_bias + of_heads[heads] + projected[dependents, first + self.label_hidden :]
        hidden = functional.dropout(functional.relu(hidden), self.hidden_dropout, self.training)
        return (hidden @ self.label_output + self.label_output_bias).float()
