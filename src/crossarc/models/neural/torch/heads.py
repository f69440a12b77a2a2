"""Heads of networks in torch: the program of kernel/nn/heads, from the same parameters.

Transitions, from the words of a configuration and small numbers of it, and labels, from the two words of an arc
(Kiperwasser & Goldberg 2016): O(words · roles · hidden size) for a batch, O(slots · hidden size) for a configuration.
Arcs by a biaffine product, and their labels (Dozat & Manning 2017): O(words² · hidden size) for a sentence. Tags of
words: O(words · classes).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from .... import _kernel
from ....features.vocabularies import FIRST_KNOWN
from .. import heads
from ..parts import Sizes
from .encoder import Batch, Dropout, Module, drop_shared, zeros

#: Values that a small number may have; larger ones count as the last.
ATOM_VALUES: int = _kernel.ATOM_VALUES
#: The first word in a slot, in the order of the batch. Before it: no word there, and the artificial root.
FIRST_WORD = FIRST_KNOWN

#: The kinds of heads, by name: modules that are made of the width of the encoder, sizes and dropout.
HEADS: dict[str, type[nn.Module]] = {}


def register_head(kind: str) -> Callable[[Module], Module]:
    """Make the module of a kind of head known by its name."""

    def register(module: Module) -> Module:
        HEADS[kind] = module
        return module

    return register


class _Labels(nn.Module):
    """The layer that scores the labels of arcs that transitions make."""

    def __init__(self, hidden_size: int, labels: int) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__()
        self.root, self.bias = zeros(1, hidden_size), zeros(1, hidden_size)
        self.output, self.output_bias = zeros(hidden_size, labels), zeros(1, labels)


@register_head(heads.TransitionHead.kind)
class TransitionHead(nn.Module):
    """Transitions and labels."""

    def __init__(self, width: int, sizes: Sizes, dropout: Dropout) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__()
        (self.slots,), (self.atom_count,), (transitions,) = sizes["slots"], sizes["atoms"], sizes["transitions"]
        (self.hidden_size,), (self.label_hidden_size,) = sizes["hidden_size"], sizes["label_hidden_size"]
        self.dropout = dropout.hidden
        hidden_size = self.hidden_size
        self.projection = zeros(width, self.slots * hidden_size + 2 * self.label_hidden_size)
        self.absent, self.artificial = zeros(self.slots, hidden_size), zeros(self.slots, hidden_size)
        self.atoms = zeros(self.atom_count * ATOM_VALUES, hidden_size)
        self.hidden_bias = zeros(1, hidden_size)
        self.output, self.output_bias = zeros(transitions, hidden_size), zeros(1, transitions)
        self.labels = _Labels(self.label_hidden_size, sizes["labels"][0])

    def project(self, encoded: Tensor, batch: Batch) -> Tensor:
        """Return the words of a batch, sentence after sentence, in all roles: words × roles."""
        return encoded[batch.present] @ self.projection

    def slot_tables(self, projected: Tensor) -> Tensor:
        """Return what each slot sees of each word: slots × (what stands for a missing word, and the words) × hidden."""
        words = projected[:, : self.slots * self.hidden_size].unflatten(1, (self.slots, -1)).transpose(0, 1)
        absent, artificial = self.absent[:, None], self.artificial[:, None]
        return torch.cat([part.to(words.dtype) for part in (absent, absent, artificial, words)], dim=1)

    def score_transitions(self, tables: Tensor, words: Tensor, numbers: Tensor) -> Tensor:
        """Return the scores of transitions, a row for each configuration.

        `words`: for each configuration and slot a row of its table. `numbers`: for each configuration its numbers.
        """
        hidden: Tensor = self.hidden_bias
        for slot in range(self.slots):
            hidden = hidden + functional.embedding(words[:, slot], tables[slot])
        if self.atom_count:
            first = torch.arange(self.atom_count, device=numbers.device) * ATOM_VALUES
            rows = numbers.clamp(max=ATOM_VALUES - 1) + first
            hidden = hidden + functional.embedding_bag(rows, self.atoms, mode="sum")
        hidden = functional.dropout(functional.relu(hidden), self.dropout, self.training)
        return (hidden @ self.output.t() + self.output_bias).float()

    def score_labels(self, projected: Tensor, heads: Tensor, dependents: Tensor) -> Tensor:
        """Return the scores of labels, a row for each arc between words of the batch; the head -1 is the root."""
        first, labels = self.slots * self.hidden_size, self.labels
        of_heads = projected[:, first : first + self.label_hidden_size]
        of_heads = torch.cat([of_heads, labels.root.to(of_heads.dtype)])
        hidden = labels.bias + of_heads[heads] + projected[dependents, first + self.label_hidden_size :]
        hidden = functional.dropout(functional.relu(hidden), self.dropout, self.training)
        return (hidden @ labels.output + labels.output_bias).float()


@register_head(heads.BiaffineHead.kind)
@register_head(heads.CrossedHead.kind)
class BiaffineHead(nn.Module):
    """Arcs and labels; without labels, what crossing adds to the scores of arcs, with a bias."""

    def __init__(self, width: int, sizes: Sizes, dropout: Dropout) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__()
        names = ("arc_hidden_size", "label_hidden_size", "labels")
        (arc,), (label,), (labels,) = (sizes.get(name, [0]) for name in names)
        self.role_sizes, self.dropout = (arc, arc, label, label), dropout.hidden
        self.projection, self.projection_bias = zeros(width, 2 * (arc + label)), zeros(1, 2 * (arc + label))
        self.arc, self.arc_bias = zeros(arc, arc), zeros(1, arc)
        if labels:
            self.label, self.label_bias = zeros(3 * label, labels), zeros(1, labels)
        else:
            self.bias = zeros(1, 1)

    def project(self, encoded: Tensor) -> Sequence[Tensor]:
        """Return words as dependents and heads of arcs, then of labels: sentence × word × hidden size."""
        roles = functional.leaky_relu(encoded @ self.projection + self.projection_bias, _kernel.LEAK)
        parts: Sequence[Tensor] = drop_shared(roles, self.dropout, self.training).split(self.role_sizes, dim=2)
        return parts

    def products(self, roles: Sequence[Tensor]) -> Tensor:
        """Return the products of words, sentence × dependent × head."""
        dependents, heads, *_ = roles
        return ((dependents @ self.arc + self.arc_bias) @ heads.transpose(1, 2)).float()

    def score_crossing(self, roles: Sequence[Tensor]) -> Tensor:
        """Return what crossing adds to the scores of arcs, sentence × dependent × head."""
        return self.products(roles) + self.bias

    def score_arcs(self, roles: Sequence[Tensor], batch: Batch) -> Tensor:
        """Return the scores of arcs, sentence × dependent × head; what is no head has the lowest."""
        scores = self.products(roles)
        itself = torch.eye(scores.shape[1], dtype=torch.bool, device=scores.device)
        return scores.masked_fill(~batch.present[:, None, :] | itself, torch.finfo(scores.dtype).min)

    def score_labels(self, roles: Sequence[Tensor], sentences: Tensor, dependents: Tensor, heads: Tensor) -> Tensor:
        """Return the scores of labels, a row for each arc."""
        dependent, head = roles[2][sentences, dependents], roles[3][sentences, heads]
        return (torch.cat([dependent * head, dependent, head], dim=1) @ self.label + self.label_bias).float()


@register_head(heads.TagHead.kind)
class TagHead(nn.Module):
    """Tags of words."""

    def __init__(self, width: int, sizes: Sizes, dropout: Dropout) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__()
        self.classes = sizes["classes"]
        self.weights, self.bias = zeros(width, sum(self.classes)), zeros(1, sum(self.classes))

    def forward(self, words: Tensor) -> Sequence[Tensor]:
        """Return the scores of the classes of each tag, from what the encoder says of words, a row for each."""
        scores: Sequence[Tensor] = (words @ self.weights + self.bias).float().split(self.classes, dim=1)
        return scores


def with_crossed(scores: Tensor, added: Tensor, marks: Tensor, position: Tensor) -> Tensor:
    """Return the scores of arcs and those of crossed ones; arcs that may never be crossed have the lowest there.

    `scores`: 1 × sentence × dependent × head. `added`: what crossing adds. `marks`: of words at these positions, -1 if
    no arc may cross theirs.
    """
    never = torch.zeros(added.shape[:2], dtype=torch.bool, device=added.device)
    never[position[:, 0], position[:, 1]] = marks < 0
    crossed = (scores[0] + added).masked_fill(never[:, :, None], torch.finfo(scores.dtype).min)
    return torch.stack([scores[0], crossed])
