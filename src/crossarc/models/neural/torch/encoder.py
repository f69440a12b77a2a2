"""Encoders of networks in torch: the program of kernel/nn/encoders, from the same parameters.

Parameters have the names and shapes of the kernel, so that `state_dict` is what a model file holds. Matrices are inputs
× outputs, and the gates of an LSTM are in the kernel's order: input, forget, output, candidate. torch has candidate and
output the other way round; the weights are put into its order for each batch, in one buffer, as cuDNN takes them.
O(words · hidden size · (inputs + hidden size)) for each layer.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, chain
from typing import NamedTuple, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from .... import _kernel
from ....features.vocabularies import NOTHING
from ..encoders import LstmEncoder
from ..parts import Sizes

_WIDTHS = range(_kernel.NARROWEST_FILTER, _kernel.WIDEST_FILTER + 1)
#: The gates of torch, in the order of the kernel, and the other way round.
_GATES = (0, 1, 3, 2)

Module = TypeVar("Module", bound=type[nn.Module])


class Batch(NamedTuple):
    """Sentences of a batch, padded: numbers of values, of forms, and which are words. The artificial root may be first.

    It is one more word then.
    """

    values: Tensor  # sentence × word × column
    forms: Tensor  # the index of the form among `characters`, and 1; 0 for the root
    characters: Tensor  # form × character
    character_counts: Tensor
    lengths: Tensor  # with the root, on the CPU
    present: Tensor  # sentence × word
    words: Tensor  # of each word but the root, the indices of its sentence and in it
    # Of encoders of pieces, sequence × piece: a long sentence is several sequences.
    pieces: Tensor = torch.zeros(0, 0, dtype=torch.int64)
    piece_present: Tensor = torch.zeros(0, 0, dtype=torch.bool)
    piece_words: Tensor = torch.zeros(0, 0, dtype=torch.int64)  # among sentences × words; their number for none


class Dropout(NamedTuple):
    """What is left out in training."""

    inputs: float = 0.0
    groups: float = 0.0
    layers: float = 0.0
    #: Of the hidden layers of heads.
    hidden: float = 0.0
    #: Of a transformer, everywhere.
    encoder: float = 0.0


#: The kinds of encoders, by name: modules that are made of sizes and dropout, give `width`, and read a `Batch`.
ENCODERS: dict[str, type[nn.Module]] = {}
#: Those of this package that are not in this file, and the files that register them.
HOMES = {"transformer": f"{__package__}.transformer"}


def register_encoder(kind: str) -> Callable[[Module], Module]:
    """Make the module of a kind of encoder known by its name."""

    def register(module: Module) -> Module:
        ENCODERS[kind] = module
        return module

    return register


def zeros(*shape: int) -> nn.Parameter:
    """Return a parameter that gets its values later."""
    return nn.Parameter(torch.zeros(*shape))


def drop_shared(values: Tensor, share: float, training: bool) -> Tensor:
    """Dropout in training with one mask for all words of a sentence."""
    if not training or not share:
        return values
    mask = torch.rand((values.shape[0], 1, values.shape[2]), device=values.device) >= share
    return values * mask.to(values.dtype) / (1 - share)


class CharacterReader(nn.Module):
    """What the characters of forms say: filters, of each its largest value, then a linear layer."""

    def __init__(self, sizes: Sizes) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__()
        (characters,), (size,) = sizes["characters"], sizes["character_embedding_size"]
        (filters,), (outputs,) = sizes["filters"], sizes["character_size"]
        self.embeddings = zeros(characters, size)
        self.filters = nn.ParameterDict({str(width): zeros(width * size, filters) for width in _WIDTHS})
        self.filter_bias = zeros(1, len(_WIDTHS) * filters)
        self.output, self.output_bias = zeros(len(_WIDTHS) * filters, outputs), zeros(1, outputs)

    def forward(self, characters: Tensor, counts: Tensor) -> Tensor:
        """Return what the characters of each form say."""
        embedded = functional.embedding(characters, self.embeddings, padding_idx=NOTHING)
        positions = torch.arange(embedded.shape[1], device=embedded.device)
        pooled = []
        for width, bias in zip(_WIDTHS, self.filter_bias[0].chunk(len(_WIDTHS)), strict=True):
            # Products, not a convolution: that of cuDNN is planned anew for every shape, which takes milliseconds.
            windows = embedded.unfold(1, width, 1).transpose(2, 3).flatten(2)
            values = windows @ self.filters[str(width)] + bias
            valid = positions[: values.shape[1]] <= (counts - width)[:, None]
            lowest = torch.finfo(values.dtype).min
            pooled.append(functional.relu(values.masked_fill(~valid[:, :, None], lowest).amax(dim=1)))
        return torch.cat(pooled, dim=1) @ self.output + self.output_bias


class LstmDirection(nn.Module):
    """The parameters of an LSTM that reads in one direction."""

    def __init__(self, inputs: int, hidden_size: int) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__()
        self.input, self.recurrent = zeros(inputs, 4 * hidden_size), zeros(hidden_size, 4 * hidden_size)
        self.bias = zeros(1, 4 * hidden_size)

    def in_order_of_torch(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the matrices of inputs and of the last output, and the biases of both, of which torch has two."""
        input, recurrent, bias = (_exchange_gates(each.t()) for each in (self.input, self.recurrent, self.bias))
        return input, recurrent, bias[:, 0], torch.zeros_like(bias[:, 0])


class LstmLayer(nn.Module):
    """LSTMs in both directions."""

    def __init__(self, inputs: int, hidden_size: int) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__()
        # Not by attributes: a module has a method `forward`.
        self._modules.update({name: LstmDirection(inputs, hidden_size) for name in ("forward", "backward")})
        self.hidden_size = hidden_size

    def forward(self, words: PackedSequence) -> PackedSequence:
        """Read sentences."""
        weights = [direction.in_order_of_torch() for direction in self.children()]
        flat = _in_one_buffer([*chain(*(both[:2] for both in weights)), *chain(*(both[2:] for both in weights))])
        matrices, biases = flat[:4], flat[4:]
        in_turn = [*matrices[:2], *biases[:2], *matrices[2:], *biases[2:]]
        start = words.data.new_zeros(2, int(words.batch_sizes[0]), self.hidden_size)
        # Has biases, one layer, no dropout, both directions.
        options = True, 1, 0.0, self.training, True
        read, *_ = torch._VF.lstm(words.data, words.batch_sizes, (start, start), in_turn, *options)
        return PackedSequence(read, words.batch_sizes, words.sorted_indices, words.unsorted_indices)


def lstm_layers(inputs: int, layers: int, hidden_size: int) -> nn.ModuleList:
    """Return layers one upon the other."""
    return nn.ModuleList(LstmLayer(2 * hidden_size if layer else inputs, hidden_size) for layer in range(layers))


def read_lstm_layers(layers: nn.ModuleList, words: Tensor, lengths: Tensor, dropout: float, training: bool) -> Tensor:
    """Return what the last layer says of each word, with dropout behind each in training."""
    for layer in layers:
        packed = pack_padded_sequence(words, lengths, batch_first=True, enforce_sorted=False)
        words = pad_packed_sequence(layer(packed), batch_first=True)[0]
        words = drop_shared(words, dropout, training)
    return words


class WordReader(nn.Module):
    """What encoders read of words: embeddings, added up in groups, and characters."""

    def __init__(self, sizes: Sizes, dropout: Dropout) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__()
        ends = list(accumulate(sizes["group_sizes"]))
        groups = [range(end - size, end) for end, size in zip(ends, sizes["group_sizes"], strict=True)]
        #: Of each group, its columns and its embedding size.
        self.groups = list(zip(groups, sizes["embedding_sizes"], strict=True))
        self.dropout = dropout
        of_column = (size for columns, size in self.groups for _ in columns)
        self.embeddings = nn.ParameterList(map(zeros, sizes["columns"], of_column))
        self.characters = CharacterReader(sizes) if sizes["characters"][0] else None
        self.inputs = sum(size for _, size in self.groups) + sizes["character_size"][0]

    def read_inputs(self, batch: Batch, *before: Tensor) -> Tensor | None:
        """Return what is read of each word, sentence × word × inputs; None if that is nothing.

        `before`: what stands before it, and is a group, too, when groups are left out in training.
        """
        parts = list(before)
        for columns, size in self.groups:
            total = torch.zeros((*batch.present.shape, size), device=batch.present.device)
            for column in columns:
                values = batch.values[:, :, column]
                total = total + functional.embedding(values, self.embeddings[column], padding_idx=NOTHING)
            parts.append(total)
        if self.characters is not None:
            forms = self.characters(batch.characters, batch.character_counts)
            parts.append(torch.cat([torch.zeros_like(forms[:1]), forms])[batch.forms])
        if not parts:
            return None
        return functional.dropout(torch.cat(self._drop_groups(parts), dim=2), self.dropout.inputs, self.training)

    def _drop_groups(self, parts: list[Tensor]) -> list[Tensor]:
        """Leave out whole groups of words in training; those that stay make up for the others."""
        share = self.dropout.groups
        if not self.training or not share:
            return parts
        kept = (torch.rand((*parts[0].shape[:2], len(parts)), device=parts[0].device) >= share).float()
        kept = kept * (len(parts) / kept.sum(dim=2, keepdim=True).clamp(min=1))
        return [part * kept[:, :, index : index + 1] for index, part in enumerate(parts)]


@register_encoder(LstmEncoder.kind)
class TorchLstm(WordReader):
    """Embeddings, characters and bidirectional LSTM layers."""

    def __init__(self, sizes: Sizes, dropout: Dropout) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__(sizes, dropout)
        (layers,), (hidden_size,) = sizes["layers"], sizes["hidden_size"]
        self.width = 2 * hidden_size
        self.lstm = lstm_layers(self.inputs, layers, hidden_size)

    def forward(self, batch: Batch) -> Tensor:
        """Return what the last layer says of each word: sentence × word × outputs."""
        words = self.read_inputs(batch)
        assert words is not None  # it has at least one group
        return read_lstm_layers(self.lstm, words, batch.lengths, self.dropout.layers, self.training)


def _exchange_gates(values: Tensor) -> Tensor:
    """Bring the gates, the first axis in four parts, into the order of torch."""
    parts = values.chunk(4)
    return torch.cat([parts[gate] for gate in _GATES])


def _in_one_buffer(tensors: list[Tensor]) -> list[Tensor]:
    """Return the same numbers one behind the other in memory: cuDNN copies weights that lie apart at every call."""
    flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
    parts = flat.split([tensor.numel() for tensor in tensors])
    return [part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True)]
