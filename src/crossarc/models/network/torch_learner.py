"""Training of transition parsers with torch, on a GPU or a CPU: the oracle, data and schedule of the native learner.

A batch is read once. Its sentences then go through their configurations in lockstep (models/lockstep.py), with the
choices of the network as it is, without dropout of the hidden layer; all configurations that were met are learnt from
together, so that a GPU has few and large products. On a GPU products have mixed precision (bfloat16), and sums may be
added up in another order. O(words) for reading a sentence, O(1) for each configuration, as many calls as the longest
sentence of a batch has transitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..._arrays import AnyArray, Flags, Floats, Ids, Values
from ...features import Vocabularies
from ...features.views import view_templates
from ...transitions.oracles import GoldArcs
from ...transitions.running import NO_LABEL
from ..base import TrainingData, register_torch_learner
from ..lockstep import Lockstep
from ..model_file import Arrays
from ..teaching import exploration_percent, free_planes, is_static
from ..torch_training import TorchSentences, TorchSteps
from .learner import EpochProgress, Schedule, kept_weights
from .options import NetworkDefinition
from .weights import NetworkModel

if TYPE_CHECKING:
    import torch

#: Random numbers that choose what is followed, beside those that order batches.
_EXPLORING = 1
#: Any label: none is looked at before all arcs are made.
_LABELLED_LATER = 0


class Configurations(NamedTuple):
    """What was met on the way through sentences: a row for each configuration in which there was a choice."""

    #: What each slot and each small number of a configuration sees.
    words: Values
    numbers: Values
    legal: Flags
    right: Flags
    mistakes: int


@dataclass
class TorchTransitionLearner:
    """A network in torch with the sentences that it learns from."""

    definition: NetworkDefinition
    data: TrainingData
    #: The weights to begin with, those of a native learner.
    start: Sequence[Floats]
    schedule: Schedule
    exploration: float
    seed: int
    device: str
    threads: int
    _progress: EpochProgress = field(default_factory=EpochProgress, init=False)

    def __post_init__(self) -> None:
        from .torch_network import TransitionNetwork

        self.network = TransitionNetwork(self.definition)
        self.network.set_weights(self.start)
        self.network.to(self.device)
        self.steps = TorchSteps(self.network, self.seed, self.device)
        definition, inputs = self.definition, self.data.inputs
        self.sentences = TorchSentences(
            inputs,
            definition.vocabularies,
            self.device,
            with_root=False,
            word_chances=definition.word_chances(inputs),
            column_dropout=definition.scorer.column_dropout,
        )
        system, options = definition.system, definition.scorer
        words, numbers = view_templates(definition.views)
        templates = [*(f"{word}.form" for word in words), *numbers]
        different = {template: place for place, template in enumerate(dict.fromkeys(templates))}
        self._columns = [different[template] for template in templates]
        # The number of a word in the batch stands in the place of its form.
        self.lockstep = Lockstep(
            system,
            templates,
            Vocabularies({"form": ()}),
            root=definition.artificial_root,
            free_planes=free_planes(system, options, self.data),
            static=is_static(options),
            threads=self.threads,
        )
        self._adds_arc = np.array([one.arcs > 0 for one in system.transitions.values()])

    @property
    def portion(self) -> int:
        """How many sentences the training loop gives it at once."""
        return self.schedule.portion

    # Learning

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from sentences in this order and return the number of mistakes."""
        options = self.definition.scorer
        if options.batch_words:
            batches = self.sentences.batches(order, options.batch_words, self.steps.random())
        else:
            size = options.batch_for(len(self.sentences.lengths))
            batches = np.split(order, range(size, len(order), size))
        return sum(self._step(batch, epoch) for batch in batches)

    def _step(self, sentences: Ids, epoch: int) -> int:
        random = self.steps.random(_EXPLORING)
        gone = self._progress.before(epoch, len(sentences), of=len(self.sentences.lengths))
        self.steps.begin(self.schedule.rate_at(gone))
        kept = sentences[self.sentences.lengths[sentences] > 0]
        if not len(kept):
            return 0
        batch, _ = self.sentences.gather(kept)
        gold = self._gold(kept)
        with self.steps.mixed_precision():
            projected = self.network.project(batch)
            tables = self.network.slot_tables(projected)
            explore = exploration_percent(self.exploration, epoch) / 100
            met = self._explore(gold, tables.detach().float().cpu().numpy(), explore, random)
            loss = self._label_loss(projected, gold)
            if met is not None:
                loss = loss + self._transition_loss(tables, met)
        self.steps.finish(loss / int(gold.words.sum()))
        return 0 if met is None else met.mistakes

    def _gold(self, sentences: Ids) -> GoldArcs:
        """Return the arcs of some sentences."""
        data = self.data
        counts = np.diff(data.arc_offsets)[sentences]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        rows = np.arange(offsets[-1]) + np.repeat(data.arc_offsets[sentences] - offsets[:-1], counts)
        words = self.sentences.lengths[sentences].astype(np.int32)
        return GoldArcs(words, offsets, data.heads[rows], data.dependents[rows], data.labels[rows])

    def _explore(
        self, gold: GoldArcs, tables: Floats, explore: float, random: np.random.Generator
    ) -> Configurations | None:
        """Go through sentences by the network's own choices where they may be followed; None if there is no choice."""
        from .torch_network import FIRST_WORD

        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(gold.words)])
        numbered = np.arange(FIRST_WORD, FIRST_WORD + offsets[-1], dtype=np.uint32)
        steps = self.lockstep
        steps.start(offsets, numbered[:, None], gold=gold)
        score = self._scorer(tables)
        slots = self.network.slots
        found: list[tuple[Values, Flags, Flags]] = []
        mistakes = 0
        while not steps.finished():
            legal, right = steps.legal(), steps.costs() == 0
            actions = legal.argmax(axis=1).astype(np.int32)
            chosen = np.flatnonzero(legal.sum(axis=1) > 1)
            if len(chosen):
                seen = steps.features()[chosen][:, self._columns]
                legal, right = legal[chosen], right[chosen]
                scores = score(seen[:, :slots], seen[:, slots:])
                guess = np.where(legal, scores, -np.inf).argmax(axis=1)
                best_right = np.where(right, scores, -np.inf).argmax(axis=1)
                mistaken = ~right[np.arange(len(chosen)), guess]
                mistakes += int(mistaken.sum())
                follow = ~mistaken | (random.random(len(chosen)) < explore)
                actions[chosen] = np.where(follow & steps.explores, guess, best_right)
                found.append((seen, legal, right))
            labels = np.where(self._adds_arc[actions], _LABELLED_LATER, NO_LABEL).astype(np.int32)
            steps.apply(actions, labels)
        if not found:
            return None
        seen, legal, right = (np.concatenate(one) for one in zip(*found, strict=True))
        return Configurations(seen[:, :slots], seen[:, slots:], legal, right, mistakes)

    def _scorer(self, tables: Floats) -> Any:
        """Return a function that scores configurations on the CPU, as `score_transitions` does, without dropout."""
        from .torch_network import ATOM_VALUES

        network = self.network
        arrays = (network.hidden_bias, network.atoms, network.output, network.output_bias)
        bias, atoms, output, output_bias = (one.detach().cpu().numpy() for one in arrays)
        first = np.arange(network.atom_count) * ATOM_VALUES

        def score(words: Values, numbers: Values) -> Floats:
            hidden = bias + tables[np.arange(network.slots), words].sum(axis=1)
            if network.atom_count:
                hidden = hidden + atoms[np.minimum(numbers, ATOM_VALUES - 1) + first].sum(axis=1)
            scores: Floats = np.maximum(hidden, 0) @ output.T + output_bias
            return scores

        return score

    def _transition_loss(self, tables: torch.Tensor, met: Configurations) -> torch.Tensor:
        """Return minus the logarithms of the probabilities of all right transitions together, added up."""
        import torch

        words, numbers = self.sentences.there(met.words), self.sentences.there(met.numbers)
        scores = self.network.score_transitions(tables, words, numbers)
        legal, right = (torch.from_numpy(one).to(self.device) for one in (met.legal, met.right))
        lowest = torch.finfo(scores.dtype).min
        all_legal = scores.masked_fill(~legal, lowest).logsumexp(dim=1)
        return (all_legal - scores.masked_fill(~right, lowest).logsumexp(dim=1)).sum()

    def _label_loss(self, projected: torch.Tensor, gold: GoldArcs) -> torch.Tensor:
        """Return the sum of the cross entropies of the labels of gold arcs."""
        from torch.nn import functional

        starts = np.repeat(np.cumsum(gold.words) - gold.words, np.diff(gold.arc_offsets))
        kept = gold.labels >= 0
        if self.definition.artificial_root == "none":
            kept &= gold.heads > 0
        heads, dependents = gold.heads[kept], gold.dependents[kept]
        if self.definition.system.is_undirected:
            heads, dependents = np.minimum(heads, dependents), np.maximum(heads, dependents)
        head_rows = np.where(heads > 0, starts[kept] + heads - 1, -1)
        rows = [self.sentences.there(one) for one in (head_rows, starts[kept] + dependents - 1, gold.labels[kept])]
        return functional.cross_entropy(self.network.score_labels(projected, *rows[:2]), rows[2], reduction="sum")

    # Models and checkpoints

    def model(self) -> NetworkModel:
        """Return the network as it is now, with the weights that a file would keep."""
        return self.definition.model_of_weights(kept_weights(self.network.weights(), self.schedule.rate))

    def remember(self) -> tuple[list[Any], Arrays]:
        """Return the whole state, as numbers and arrays."""
        return self.steps.remember()

    def restore(self, numbers: Sequence[Any], arrays: Mapping[str, AnyArray]) -> None:
        """Take the state that `remember` gave."""
        self.steps.restore(numbers, arrays)


@register_torch_learner("network")
def make_torch_learner(
    definition: NetworkDefinition, data: TrainingData, *, seed: int, epochs: int, device: str, threads: int
) -> TorchTransitionLearner:
    """Return a learner that begins with the weights of the native one."""
    start, schedule = definition.native_learner(data, seed).weights(), definition.schedule(data, epochs)
    return TorchTransitionLearner(definition, data, start, schedule, definition.exploration, seed, device, threads)
