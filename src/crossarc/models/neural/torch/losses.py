"""Objectives over trees in torch: the likelihood of gold trees, and a margin between them and the best other trees.

Scores of arcs go to the CPU as one padded array, where the decoders of the kernel find the sums over all trees of the
class, with the probabilities of arcs, or the best trees if every wrong head counts one more (Taskar et al. 2005). Their
difference from the gold arcs is the gradient: the same as in kernel/parsers/graph_learner.cpp. Sentences too long for
the chart of 1-endpoint-crossing trees are compared with all trees, by the scores of uncrossed arcs where crossed ones
have others. The cost is that of the sums or the decoding, on
some threads, and of O(words²) numbers that are copied.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from .... import _kernel
from ...._arrays import AnyArray, Flags, Floats, Ids, Offsets
from ....decoders import Root, TreeClass, best_batch, marginals_batch
from ....errors import ParserError
from ....structure.batch import crossed_arcs

#: Arcs of all words: which matrix, sentence, dependent and head.
_Arcs = tuple[AnyArray, AnyArray, AnyArray, AnyArray]


class TreeObjective(NamedTuple):
    """An objective, "likelihood" or "margin", over the trees of a class."""

    name: str
    tree_class: TreeClass
    root: Root
    threads: int

    def loss(self, scores: Tensor, heads: Tensor, crossed: Tensor, lengths: Tensor) -> Tensor:
        """Return the loss, divided by the number of words.

        `scores`: of arcs and, where these have their own, of crossed arcs: one or two × sentence × dependent × head,
        padded. `heads`: of all words, sentence after sentence. `crossed`: whether these arcs are. `lengths`: the
        numbers of words, on the CPU.
        """
        total: Tensor = _TreeLoss.apply(scores, heads, crossed, lengths, self)
        return total / max(1, len(heads))

    def compared(self, scores: Floats, heads: Ids, crossed: Flags, lengths: Offsets) -> tuple[float, Floats]:
        """Return the loss of a batch and its gradient by the scores."""
        if not np.isfinite(scores).all():
            raise ParserError("training diverged, some scores are no numbers any more: take a smaller learning rate")
        sentences = np.repeat(np.arange(len(lengths)), lengths)
        words = np.arange(len(heads)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
        likelihood = self.name == "likelihood"
        most = _kernel.MOST_SUMMED_WORDS if likelihood else _kernel.MOST_CHART_WORDS
        both = len(scores) == 2 and self.tree_class == "one_endpoint_crossing"
        in_chart = (lengths <= most)[sentences] & both
        gold = (crossed & in_chart).astype(np.int64), sentences, words, heads
        gradient = np.zeros_like(scores)
        find = self._expected if likelihood else self._worst
        total = find(_forbidden(scores[: 1 + both]), gold, lengths, in_chart, gradient)
        gradient[gold] -= 1
        return total - float(scores[gold].sum(dtype=np.float64)), gradient

    def _expected(self, scores: Floats, gold: _Arcs, lengths: Offsets, in_chart: Flags, probabilities: Floats) -> float:
        """Return the sum of the logarithms of the sums over all trees, and fill in the probabilities of arcs."""
        sums = marginals_batch(scores[0].transpose(0, 2, 1), lengths, self.tree_class, **self._policy(scores))
        start = 0
        for sentence, length in enumerate(lengths.tolist()):
            width = length + 1
            end = start + len(scores) * width * width
            matrices = sums.probabilities[start:end].reshape(-1, width, width)
            probabilities[: len(scores), sentence, 1:width, :width] = matrices.transpose(0, 2, 1)[:, 1:]
            start = end
        return float(sums.log_partitions.sum())

    def _worst(self, scores: Floats, gold: _Arcs, lengths: Offsets, in_chart: Flags, arcs: Floats) -> float:
        """Return the sum of the scores of the best trees where wrong heads count one more, and fill in their arcs."""
        costly = scores + np.float64(1)
        costly[:, gold[1], gold[2], gold[3]] -= 1
        best = best_batch(costly[0].transpose(0, 2, 1), lengths, self.tree_class, **self._policy(costly))
        crossed = in_chart & crossed_arcs(best.heads, best.offsets)
        worst = crossed.astype(np.int64), gold[1], gold[2], best.heads
        arcs[worst] = 1
        return float(costly[worst].sum())

    def _policy(self, scores: AnyArray) -> dict[str, Any]:
        """Return the options of decoders, with the scores of crossed arcs if there are any."""
        crossed = scores[1].transpose(0, 2, 1) if len(scores) == 2 else None
        return {"root": self.root, "long_sentences": "unrestricted", "threads": self.threads, "crossed": crossed}


def _forbidden(scores: Floats) -> Floats:
    """Return scores in which crossed arcs that may not be are forbidden; those of a network are never so low."""
    if len(scores) == 1:
        return scores
    return np.where(scores > np.finfo(scores.dtype).min / 2, scores, -np.inf).astype(scores.dtype)


class _TreeLoss(torch.autograd.Function):
    """The loss of a batch; its gradient is found together with it."""

    @staticmethod
    def forward(
        ctx: Any, scores: Tensor, heads: Tensor, crossed: Tensor, lengths: Tensor, objective: TreeObjective
    ) -> Tensor:
        loss, gradient = objective.compared(
            scores.detach().cpu().numpy(),
            heads.cpu().numpy().astype(np.int32),
            crossed.cpu().numpy(),
            lengths.numpy(),
        )
        ctx.save_for_backward(torch.from_numpy(gradient).to(scores.device))
        return scores.new_tensor(loss)

    @staticmethod
    def backward(ctx: Any, outer: Tensor) -> tuple[Tensor, None, None, None, None]:
        (gradient,) = ctx.saved_tensors
        return outer * gradient, None, None, None, None
