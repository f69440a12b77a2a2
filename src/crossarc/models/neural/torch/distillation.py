"""Distributions of a teacher in torch (Hinton, Vinyals & Dean 2015): a network reads the sentences that another learns.

Where a teacher parsed sentences of raw text, who learns them may be told not only its best trees and tags but how
probable it finds every head, label and tag. They are computed batch by batch, together with learning, so that nothing
is stored. The cost is that of reading the batch with the teacher, without gradients.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from ...._arrays import Ids
from ..biaffine import Teaching
from ..heads import CrossedHead, TagHead
from .encoder import Dropout
from .heads import with_crossed
from .learner import TorchNetwork, TorchSentences


class Distributions(NamedTuple):
    """What a teacher says of the words of a batch: probabilities, a row for each; rows of zeros where it is silent."""

    arcs: Tensor
    labels: Tensor
    #: By column, of those that it has.
    tags: Mapping[str, Tensor]


def soft_loss(scores: Tensor, classes: Tensor, taught: Tensor | None) -> Tensor:
    """Return the loss of each word: of its class, 0 if that is -1, or of the distribution that it is taught."""
    hard = functional.cross_entropy(scores, classes, ignore_index=-1, reduction="none")
    if taught is None:
        return hard
    soft = -(taught * functional.log_softmax(scores, dim=1)).sum(dim=1)
    return torch.where(taught.any(dim=1), soft, hard)


class TorchTeacher:
    """A network that learns nothing, and says what it finds probable."""

    def __init__(self, teaching: Teaching, device: str) -> None:
        """Take its weights."""
        definition = teaching.definition
        self._first = teaching.first
        self._network: Any = TorchNetwork(definition.encoder, definition.heads(), Dropout()).eval()
        self._network.load_arrays(teaching.weights)
        self._network.to(device)
        self._sentences = TorchSentences(definition, teaching.inputs, device, with_root=True, dropout=False)
        self._labels = self._sentences.to_device(teaching.labels)
        self._tags = {column: self._sentences.to_device(each) for column, each in teaching.tags.items()}
        self._columns = definition.tags.columns
        self._mixed = device.startswith("cuda")

    def read(self, sentences: Ids, position: Tensor, heads: Tensor, crossed: Tensor | None) -> Distributions:
        """Return what it says of the words of sentences, at these positions of the batch, with these heads.

        `crossed`: whether their arcs are crossed or may never be (-1), if who learns scores that.
        """
        batch, _ = self._sentences.gather(sentences)
        network, device = self._network, position.device
        with torch.no_grad(), torch.autocast(device.type, torch.bfloat16, enabled=self._mixed):
            encoded = network.encoder(batch)
            roles = network.biaffine.project(encoded)
            scores = network.biaffine.score_arcs(roles, batch)[None]
            if crossed is not None and hasattr(network, CrossedHead.kind):
                crossing = getattr(network, CrossedHead.kind)
                scores = with_crossed(scores, crossing.score_crossing(crossing.project(encoded)), crossed, position)
            labels = network.biaffine.score_labels(roles, position[:, 0], position[:, 1], heads)
            tags = getattr(network, TagHead.kind, None)
            of_tags = tags(encoded[position[:, 0], position[:, 1]]) if tags is not None else ()
        speaks = torch.from_numpy(sentences >= self._first).to(device)[position[:, 0]].float()[:, None]
        arcs = scores[:, position[:, 0], position[:, 1]].transpose(0, 1).flatten(1).softmax(dim=1)
        if crossed is not None and len(scores) == 1:
            arcs = _with_given_crossings(arcs, heads, crossed)
        said = dict(zip(self._columns, of_tags, strict=True))
        by_column = {column: _among(said[column], classes) * speaks for column, classes in self._tags.items()}
        return Distributions(arcs * speaks, _among(labels, self._labels) * speaks, by_column)


def _with_given_crossings(arcs: Tensor, heads: Tensor, crossed: Tensor) -> Tensor:
    """Return probabilities of arcs that are not crossed and of such that are; of the arc of each word it is known."""
    is_crossed = torch.zeros_like(arcs)
    is_crossed.scatter_(1, heads[:, None], (crossed > 0).to(arcs.dtype)[:, None])
    return torch.cat([arcs * (1 - is_crossed), arcs * is_crossed], dim=1)


def _among(scores: Tensor, classes: Tensor) -> Tensor:
    """Return the probabilities of some classes among each other, by their numbers; -1 is a class without one."""
    chosen = scores[:, classes.clamp(min=0)].masked_fill(classes < 0, torch.finfo(scores.dtype).min)
    return chosen.softmax(dim=1)
