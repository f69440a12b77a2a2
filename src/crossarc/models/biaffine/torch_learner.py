"""Training of graph parsers with torch, on a GPU or a CPU: the data, objectives and schedule of the native learner.

On a GPU products have mixed precision (bfloat16). GPUs may add up in another order, and models then differ in the last
digits. O(words² · arc size) for a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..._arrays import AnyArray, Floats, Ids
from ...decoders import Root, TreeClass
from ..model_file import Arrays
from ..network.learner import EpochProgress, kept_weights
from ..torch_training import TorchSentences, TorchSteps
from .learner import TreesToLearn, rate_at
from .options import BiaffineDefinition
from .weights import BiaffineModel

if TYPE_CHECKING:
    from .torch_objectives import TreeObjective


@dataclass
class TorchLearner:
    """A network in torch with the sentences that it learns from."""

    #: Batches of similar lengths are made of so many sentences at a time: a GPU waits for the longest of a batch.
    portion: ClassVar[int] = 1 << 14

    definition: BiaffineDefinition
    data: TreesToLearn
    #: The weights to begin with, those of a native learner.
    start: Sequence[Floats]
    epochs: int
    seed: int
    device: str
    #: The trees of objectives over trees, and the threads that find them.
    tree_class: TreeClass = "spanning_tree"
    root: Root = "any"
    threads: int = 0
    _progress: EpochProgress = field(default_factory=EpochProgress, init=False)

    def __post_init__(self) -> None:
        from .torch_network import TorchNetwork

        self.network = TorchNetwork(self.definition)
        self.network.set_weights(self.start)
        self.network.to(self.device)
        self.steps = TorchSteps(self.network, self.seed, self.device)
        self._objective = self._tree_objective()
        definition, options = self.definition, self.definition.scorer
        sizes = definition.vocabularies.sizes[: definition.lexical_columns]
        self.sentences = TorchSentences(
            self.data.inputs,
            definition.vocabularies,
            self.device,
            with_root=True,
            word_chances=[np.full(size, options.word_dropout) for size in sizes],
            column_dropout=options.column_dropout,
        )
        self._heads, self._labels = self.sentences.there(self.data.heads), self.sentences.there(self.data.labels)
        self._tags = self.sentences.there(self.data.tags)

    def _tree_objective(self) -> TreeObjective | None:
        """Return the objective over trees, or None if words learn their heads one by one."""
        name = self.definition.scorer.objective
        if name == "heads":
            return None
        from .torch_objectives import TreeObjective

        return TreeObjective(name, self.tree_class, self.root, self.threads)

    # Learning

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from sentences in this order and return the number of words whose best head was wrong."""
        batches = self.sentences.batches(order, self.definition.scorer.batch, self.steps.random())
        return int(sum(self._step(batch, epoch) for batch in batches))

    def _step(self, sentences: Ids, epoch: int) -> Any:
        import torch
        from torch.nn import functional

        options = self.definition.scorer
        gone = self._progress.before(epoch, len(sentences), of=len(self.sentences.lengths)) / self.epochs
        total = self.epochs * len(self.data.heads) / options.batch
        self.steps.begin(options.rate * rate_at(gone, gone * total, total))
        batch, words = self.sentences.gather(sentences)
        with self.steps.mixed_precision():
            said = self.network.read(batch)
            roles = self.network.project(said)
            scores = self.network.score_arcs(roles, batch)
            places = torch.nonzero(batch.present[:, 1:]) + torch.tensor([0, 1], device=self.device)
            heads, labels = self._heads[words], self._labels[words]
            own = scores[places[:, 0], places[:, 1]]
            label_scores = self.network.score_labels(roles, places[:, 0], places[:, 1], heads)
            tag_scores = self.network.score_tags(said[places[:, 0], places[:, 1]])
        if self._objective is None:
            loss = functional.cross_entropy(own, heads)
        else:
            loss = self._objective.loss(scores, heads, batch.lengths - 1)
        loss = loss + functional.cross_entropy(label_scores, labels, ignore_index=-1)
        for place, found in enumerate(tag_scores):
            # Words without a class count, too, as natively.
            total = functional.cross_entropy(found, self._tags[words, place], ignore_index=-1, reduction="sum")
            loss = loss + options.tag_weight * total / len(words)
        self.steps.finish(loss)
        return (own.detach().argmax(dim=1) != heads).sum()

    # Models and checkpoints

    def model(self) -> BiaffineModel:
        """Return the network as it is now, with the weights that a file would keep."""
        return self.definition.model_of_weights(kept_weights(self.network.weights(), self.definition.scorer.rate))

    def remember(self) -> tuple[list[Any], Arrays]:
        """Return the whole state, as numbers and arrays."""
        return self.steps.remember()

    def restore(self, numbers: Sequence[Any], arrays: Mapping[str, AnyArray]) -> None:
        """Take the state that `remember` gave."""
        self.steps.restore(numbers, arrays)
