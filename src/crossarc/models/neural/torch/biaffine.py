"""Training of graph parsers with torch, on a GPU or a CPU: the data, objectives and schedule of the native learner.

O(words² · hidden size) for a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import torch
from torch import Tensor

from .... import _kernel
from ...._arrays import Floats, Ids
from ....decoders import Root, TreeClass
from ...base import register_torch_learner
from ..biaffine import Biaffine, BiaffineDefinition, Teaching, TreesToLearn
from ..heads import CrossedHead, TagHead
from ..schedule import Schedule
from .distillation import TorchTeacher, soft_loss
from .heads import with_crossed
from .learner import TorchLearner
from .losses import TreeObjective


@register_torch_learner(Biaffine.name)
class TorchGraphLearner(TorchLearner[BiaffineDefinition]):
    """A network in torch with the trees that it learns from."""

    with_root = True
    #: Batches of similar lengths are made of so many sentences at a time: a GPU waits for the longest of a batch.
    portion = 1 << 14

    def __init__(
        self,
        definition: BiaffineDefinition,
        data: TreesToLearn,
        start: Mapping[str, Floats],
        schedule: Schedule,
        seed: int,
        device: str,
        tree_class: _kernel.TreeClass = _kernel.TreeClass.spanning_tree,
        single_root: bool = False,
        threads: int = 0,
        teaching: Teaching | None = None,
    ) -> None:
        """Take also the class of trees for objectives over trees, the threads that find them, and a teacher."""
        super().__init__(definition, data.inputs, start, schedule, seed, device)
        self._heads, self._labels, self._tags, self._crossed = map(self.sentences.to_device, data[1:])
        name = definition.scorer.objective
        trees = cast(TreeClass, tree_class.name)
        root: Root = "single" if single_root else "any"
        #: None if words learn their heads one by one.
        self._objective = None if name == "heads" else TreeObjective(name, trees, root, threads)
        self._teacher = None if teaching is None else TorchTeacher(teaching, device)

    def _loss(self, sentences: Ids, epoch: int) -> tuple[Tensor, Any]:
        batch, words = self.sentences.gather(sentences)
        head, heads, labels = self.network.biaffine, self._heads[words], self._labels[words]
        position = batch.words
        with self.mixed_precision():
            encoded = self.network.encoder(batch)
            roles = head.project(encoded)
            scores = head.score_arcs(roles, batch)[None]
            crossing = getattr(self.network, CrossedHead.kind, None)
            if crossing is not None:
                added = crossing.score_crossing(crossing.project(encoded))
                scores = with_crossed(scores, added, self._crossed[words], position)
            label_scores = head.score_labels(roles, position[:, 0], position[:, 1], heads)
            tags = getattr(self.network, TagHead.kind, None)
            tag_scores = tags(encoded[position[:, 0], position[:, 1]]) if tags is not None else ()
        # What a word chooses among: its heads and, where crossed arcs have scores, whether the arc is crossed.
        of_words = scores[:, position[:, 0], position[:, 1]].transpose(0, 1).flatten(1)
        crossed = self._crossed[words] > 0 if crossing is not None else torch.zeros_like(heads, dtype=torch.bool)
        said = None
        if self._teacher is not None:
            said = self._teacher.read(sentences, position, heads, self._crossed[words] if crossing else None)
        if self._objective is None:
            loss = soft_loss(of_words, heads + crossed * scores.shape[3], said and said.arcs).mean()
        else:
            loss = self._objective.loss(scores, heads, crossed, batch.lengths - 1)
        loss = loss + soft_loss(label_scores, labels, said and said.labels).sum() / (labels >= 0).sum().clamp(min=1)
        for tag, (column, of_tag) in enumerate(zip(self.definition.tags.columns, tag_scores, strict=True)):
            losses = soft_loss(of_tag, self._tags[words, tag], said and said.tags.get(column))
            shown = self.sentences.is_shown(batch.values[position[:, 0], position[:, 1]], column)
            if shown is not None:  # what is given is not to be predicted
                losses = losses.masked_fill(shown, 0.0)
            # Words without a class count, too, as natively.
            loss = loss + self.definition.scorer.tag_weight * losses.mean()
        return loss, (of_words.detach().argmax(dim=1) % scores.shape[3] != heads).sum()
