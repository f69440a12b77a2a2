"""Objectives over trees in torch: the likelihood of gold trees, and a margin between them and the best other trees.

Scores of arcs go to the CPU as one padded array, where the decoders of the kernel find the sums over all trees of the
class, with the probabilities of arcs, or the best trees if every wrong head counts one more (Taskar et al. 2005). Their
difference from the gold arcs is the gradient: the same as in kernel/parsers/graph_learner.cpp. Sentences too long for
the chart of 1-endpoint-crossing trees are compared with all trees. The cost is that of the sums or the decoding, on
some threads, and of O(words²) numbers that are copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ... import _kernel
from ..._arrays import AnyArray, Floats, Ids, Offsets
from ...decoders import Root, TreeClass, best_batch, marginals_batch
from ...errors import ParserError


class TreeObjective(NamedTuple):
    """An objective, "likelihood" or "margin", over the trees of a class."""

    name: str
    tree_class: TreeClass
    root: Root
    threads: int

    def loss(self, scores: Tensor, heads: Tensor, lengths: Tensor) -> Tensor:
        """Return the loss, divided by the number of words.

        `scores`: sentence × dependent × head, padded. `heads`: of all words, sentence after sentence. `lengths`: the
        numbers of words, on the CPU.
        """
        total: Tensor = _TreeLoss.apply(scores, heads, lengths, self)
        return total / max(1, len(heads))

    def compared(self, scores: Floats, heads: Ids, lengths: Offsets) -> tuple[float, Floats]:
        """Return the loss of a batch and its gradient by the scores."""
        if not np.isfinite(scores).all():
            raise ParserError("training diverged, some scores are no numbers any more: take a smaller learning rate")
        sentences = np.repeat(np.arange(len(lengths)), lengths)
        words = np.arange(len(heads)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
        gold = sentences, words, heads
        find = self._expected if self.name == "likelihood" else self._worst
        total, gradient = find(scores, gold, lengths)
        gradient[gold] -= 1
        return total - float(scores[gold].sum(dtype=np.float64)), gradient

    def _expected(self, scores: Floats, gold: tuple[AnyArray, ...], lengths: Offsets) -> tuple[float, Floats]:
        """Return the sum of the logarithms of the sums over all trees, and the probabilities of arcs."""
        probabilities = np.zeros_like(scores)
        total = 0.0
        for places, tree_class in self._parts(lengths, _kernel.MOST_SUMMED_WORDS):
            matrices, own_lengths = scores[places].transpose(0, 2, 1), lengths[places]
            found = marginals_batch(matrices, own_lengths, tree_class, root=self.root, threads=self.threads)
            start = 0
            for sentence, length in zip(places.tolist(), own_lengths.tolist(), strict=True):
                width = length + 1
                own = found.probabilities[start : start + width * width].reshape(width, width)
                probabilities[sentence, 1:width, :width] = own.T[1:]
                start += width * width
            total += float(found.log_partitions.sum())
        return total, probabilities

    def _worst(self, scores: Floats, gold: tuple[AnyArray, ...], lengths: Offsets) -> tuple[float, Floats]:
        """Return the sum of the scores of the best trees where wrong heads count one more, and their arcs."""
        costly = scores + np.float64(1)
        costly[gold] -= 1
        arcs = np.zeros_like(scores)
        total = 0.0
        for places, tree_class in self._parts(lengths, _kernel.MOST_CHART_WORDS):
            matrices, own_lengths = costly[places].transpose(0, 2, 1), lengths[places]
            found = best_batch(matrices, own_lengths, tree_class, root=self.root, threads=self.threads)
            of_part = np.isin(gold[0], places)
            arcs[gold[0][of_part], gold[1][of_part], found.heads] = 1
            total += float(found.totals.sum())
        return total, arcs

    def _parts(self, lengths: Offsets, most: int) -> Iterator[tuple[Offsets, TreeClass]]:
        """Return the sentences that the chart of the class takes, those too long for it, and the trees of each."""
        charted = self.tree_class == "one_endpoint_crossing"
        long = lengths > most if charted else np.zeros(len(lengths), bool)
        parts: list[tuple[AnyArray, TreeClass]] = [(~long, self.tree_class), (long, "spanning_tree")]
        return ((np.flatnonzero(which), trees) for which, trees in parts if which.any())


class _TreeLoss(torch.autograd.Function):
    """The loss of a batch; its gradient is found together with it."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, heads: Tensor, lengths: Tensor, objective: TreeObjective) -> Tensor:
        loss, gradient = objective.compared(
            scores.detach().cpu().numpy(), heads.cpu().numpy().astype(np.int32), lengths.numpy()
        )
        ctx.save_for_backward(torch.from_numpy(gradient).to(scores.device))
        return scores.new_tensor(loss)

    @staticmethod
    def backward(ctx: Any, outer: Tensor) -> tuple[Tensor, None, None, None]:
        (gradient,) = ctx.saved_tensors
        return outer * gradient, None, None, None
