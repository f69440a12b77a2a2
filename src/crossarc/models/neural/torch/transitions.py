"""Training of transition parsers with torch, on a GPU or a CPU: the oracle, data and schedule of the native learner.

A batch is read once. Its sentences then go through their configurations in lockstep (models/lockstep.py), with the
choices of the network as it is, without dropout of the hidden layer; all configurations that were met are learnt from
together, so that a GPU has few and large products. O(words) for reading a sentence, O(1) for each configuration, as
many calls as the longest sentence of a batch has transitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ...._arrays import Flags, Floats, Ids, Values, offsets_of
from ....features import Vocabularies
from ....features.views import view_templates
from ....transitions.oracles import GoldArcs
from ....transitions.running import NO_LABEL
from ...base import TrainingData, register_torch_learner
from ...lockstep import Lockstep
from ...oracle_options import exploration_percent
from ..schedule import Schedule
from ..transitions import NetworkDefinition
from .heads import ATOM_VALUES, FIRST_WORD, TransitionHead
from .learner import TorchLearner

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


class TorchTransitionLearner(TorchLearner[NetworkDefinition]):
    """A network in torch with the arcs that it learns from."""

    with_root = False

    def __init__(
        self,
        definition: NetworkDefinition,
        data: TrainingData,
        start: Mapping[str, Floats],
        schedule: Schedule,
        seed: int,
        device: str,
        threads: int,
    ) -> None:
        """Take also the threads that go through configurations."""
        super().__init__(definition, data.inputs, start, schedule, seed, device)
        self.data, self.portion = data, definition.portion
        self.head: TransitionHead = self.network.transitions
        system, options = definition.system, definition.scorer
        words, numbers = view_templates(definition.views)
        templates = [*(f"{word}.form" for word in words), *numbers]
        different = {template: index for index, template in enumerate(dict.fromkeys(templates))}
        self._columns = [different[template] for template in templates]
        # The number of a word in the batch stands in the place of its form.
        self.lockstep = Lockstep(
            system,
            templates,
            Vocabularies({"form": ()}),
            root=definition.artificial_root,
            free_planes=options.free_planes(system, data),
            static=options.is_static,
            threads=threads,
        )
        self._adds_arc = np.array([transition.arcs > 0 for transition in system.transitions.values()])

    def _batches(self, order: Ids) -> list[Ids]:
        options = self.definition.scorer
        if options.batch_words:
            return super()._batches(order)
        size = options.batch_for(len(self.sentences.lengths))
        return np.split(order, range(size, len(order), size))

    def _loss(self, sentences: Ids, epoch: int) -> tuple[Tensor | None, int]:
        kept = sentences[self.sentences.lengths[sentences] > 0]
        if not len(kept):
            return None, 0
        batch, _ = self.sentences.gather(kept)
        gold = self._gold(kept)
        with self.mixed_precision():
            projected = self.head.project(self.network.encoder(batch), batch)
            tables = self.head.slot_tables(projected)
            explore = exploration_percent(self.definition.exploration, epoch) / 100
            met = self._explore(gold, tables.detach().float().cpu().numpy(), explore)
            loss = self._label_loss(projected, gold)
            if met is not None:
                loss = loss + self._transition_loss(tables, met)
        return loss / int(gold.words.sum()), 0 if met is None else met.mistakes

    def _gold(self, sentences: Ids) -> GoldArcs:
        """Return the arcs of some sentences."""
        data = self.data
        counts = np.diff(data.arc_offsets)[sentences]
        offsets = offsets_of(counts)
        rows = np.arange(offsets[-1]) + np.repeat(data.arc_offsets[sentences] - offsets[:-1], counts)
        words = self.sentences.lengths[sentences].astype(np.int32)
        return GoldArcs(words, offsets, data.heads[rows], data.dependents[rows], data.labels[rows])

    def _explore(self, gold: GoldArcs, tables: Floats, explore: float) -> Configurations | None:
        """Go through sentences by the network's own choices where they may be followed; None if there is no choice."""
        offsets, random = offsets_of(gold.words), self.random(_EXPLORING)
        numbered = np.arange(FIRST_WORD, FIRST_WORD + offsets[-1], dtype=np.uint32)
        steps = self.lockstep
        steps.start(offsets, numbered[:, None], gold=gold)
        score = self._scorer(tables)
        slots = self.head.slots
        met: list[tuple[Values, Flags, Flags]] = []
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
                met.append((seen, legal, right))
            labels = np.where(self._adds_arc[actions], _LABELLED_LATER, NO_LABEL).astype(np.int32)
            steps.apply(actions, labels)
        if not met:
            return None
        seen, legal, right = (np.concatenate(arrays) for arrays in zip(*met, strict=True))
        return Configurations(seen[:, :slots], seen[:, slots:], legal, right, mistakes)

    def _scorer(self, tables: Floats) -> Any:
        """Return a function that scores configurations on the CPU, as `score_transitions` does, without dropout."""
        head = self.head
        parameters = (head.hidden_bias, head.atoms, head.output, head.output_bias)
        bias, atoms, output, output_bias = (values.detach().cpu().numpy() for values in parameters)
        first = np.arange(head.atom_count) * ATOM_VALUES

        def score(words: Values, numbers: Values) -> Floats:
            hidden = bias + tables[np.arange(head.slots), words].sum(axis=1)
            if head.atom_count:
                hidden = hidden + atoms[np.minimum(numbers, ATOM_VALUES - 1) + first].sum(axis=1)
            scores: Floats = np.maximum(hidden, 0) @ output.T + output_bias
            return scores

        return score

    def _transition_loss(self, tables: Tensor, met: Configurations) -> Tensor:
        """Return minus the logarithms of the probabilities of all right transitions together, added up."""
        words, numbers = self.sentences.to_device(met.words), self.sentences.to_device(met.numbers)
        scores = self.head.score_transitions(tables, words, numbers)
        legal, right = (torch.from_numpy(flags).to(self.device) for flags in (met.legal, met.right))
        lowest = torch.finfo(scores.dtype).min
        all_legal = scores.masked_fill(~legal, lowest).logsumexp(dim=1)
        return (all_legal - scores.masked_fill(~right, lowest).logsumexp(dim=1)).sum()

    def _label_loss(self, projected: Tensor, gold: GoldArcs) -> Tensor:
        """Return the sum of the cross entropies of the labels of gold arcs."""
        starts = np.repeat(np.cumsum(gold.words) - gold.words, np.diff(gold.arc_offsets))
        kept = gold.labels >= 0
        if self.definition.artificial_root == "none":
            kept &= gold.heads > 0
        heads, dependents = gold.heads[kept], gold.dependents[kept]
        if self.definition.system.is_undirected:
            heads, dependents = np.minimum(heads, dependents), np.maximum(heads, dependents)
        head_rows = np.where(heads > 0, starts[kept] + heads - 1, -1)
        arrays = head_rows, starts[kept] + dependents - 1, gold.labels[kept]
        head, dependent, label = map(self.sentences.to_device, arrays)
        return functional.cross_entropy(self.head.score_labels(projected, head, dependent), label, reduction="sum")


@register_torch_learner("network")
def make_torch_learner(
    definition: NetworkDefinition, data: TrainingData, *, seed: int, epochs: int, device: str, threads: int
) -> TorchTransitionLearner:
    """Return a learner that begins with the weights of the native one."""
    start = definition.new_network(seed, device=device).parameters()
    schedule = definition.schedule(data, epochs)
    return TorchTransitionLearner(definition, data, start, schedule, seed, device, threads)
