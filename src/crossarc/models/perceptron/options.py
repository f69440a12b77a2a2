"""Averaged perceptrons over feature templates as the scorer of a transition parser: options, what they define, learner.

One perceptron learns transitions, another one labels (Collins 2002), in the configurations that the parser itself gets
into (Goldberg & Nivre 2013). Weights are whole numbers, so that the same data give the same model on every machine.
Several native learners (kernel/parsers/perceptron.hpp) may learn, each in an order of its own; the model is their
average. One is enough; several are better, most of all if there are few sentences. O(transitions · templates) for each
sentence and learner.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from ... import _kernel
from ..._arrays import AnyArray, Ids
from ...errors import ParserError
from ...features import FeatureSet, Vocabularies, compile_templates
from ...options import bounded, one_of, option
from ...transitions import TransitionSystem
from ...transitions.algebra import compiled
from ...treebank import Treebank
from ..base import TrainingData, register_scorer
from ..model_file import Arrays, array_of, count_array, count_from
from ..oracle_options import OracleOptions, exploration_percent
from ..template_scorer import TemplateDefinition, TemplateOptions
from .weights import PerceptronModel, rows_from_arrays

UPDATES = ("max-violation", "early")


@register_scorer
@dataclass(frozen=True)
class Perceptron(TemplateOptions, OracleOptions):
    """Averaged perceptrons over feature templates.

    Parameters:
        templates: Feature templates by which transitions are chosen; by default those that suit the system.
        label_templates: Feature templates by which the label of an arc is chosen; by default likewise.
        least_updates: The number of updates that a feature must have taken part in to be kept.
        learners: How many perceptrons learn, from the sentences in different orders; the model is their average.
        update: How weights are updated in a beam search: "max-violation" (Huang et al. 2012) where the search is ahead
            of every right sequence by most, or "early" (Collins & Roark 2004) where the last right one falls out.
        labels: "separate": one perceptron chooses transitions and another one labels; "joint": one perceptron chooses a
            transition with its label, by the templates of transitions. It learns greedily.
    """

    least_updates: int = bounded(1, 0, 1_000_000_000)
    learners: int = bounded(1, 1, 1000)
    update: str = option("max-violation", one_of(*UPDATES))
    name: ClassVar[str] = "perceptron"
    depends_on_epochs: ClassVar[bool] = False
    default_prune: ClassVar[float] = 0.6

    @staticmethod
    def epochs_for(words: int) -> int:
        return 10

    def definition(
        self, system: TransitionSystem, artificial_root: str, labels: int, treebank: Treebank, cutoff: int
    ) -> PerceptronDefinition:
        self.check_oracle(system)
        if self.labels == "joint" and system.chooses_position:
            raise ParserError(f"{system.name} chooses positions: labels are learnt separately there")
        return PerceptronDefinition(system, artificial_root, labels, *self.fitted(system, treebank, cutoff), self)

    @classmethod
    def definition_from_dict(
        cls,
        data: Mapping[str, Any],
        system: TransitionSystem,
        artificial_root: str,
        labels: int,
        vocabularies: Vocabularies,
    ) -> PerceptronDefinition:
        templates, label_templates = tuple(data["templates"]), tuple(data["label_templates"])
        scorer = cls(templates, label_templates) if label_templates else cls(templates, labels="joint")
        return PerceptronDefinition(system, artificial_root, labels, vocabularies, templates, label_templates, scorer)


@dataclass(frozen=True)
class PerceptronDefinition(TemplateDefinition):
    """Two perceptrons, with the templates and vocabularies that make their features."""

    scorer: Perceptron

    @property
    def features(self) -> tuple[FeatureSet, FeatureSet]:
        """The templates as the kernel takes them: those of transitions and those of labels."""
        names = self.vocabularies.names
        return compile_templates(self.templates, names), compile_templates(self.label_templates, names)

    def learner(self, data: TrainingData, *, seed: int, epochs: int, beam: int, threads: int) -> PerceptronLearner:
        options = self.scorer
        if beam > 1 and options.labels == "joint":
            raise ParserError("perceptrons learn joint labels greedily: there is no beam but 1")
        return PerceptronLearner(
            [self._native_learner(data, seed + number) for number in range(options.learners)],
            data,
            options.least_updates,
            options.exploration,
            beam,
            options.update == "early",
            seed,
            threads,
        )

    def _native_learner(self, data: TrainingData, seed: int) -> _kernel.PerceptronLearner:
        oracle = self.scorer.training_oracle(self.system, data)
        return _kernel.PerceptronLearner(self._native_definition(), oracle, seed=seed)

    def _native_definition(self) -> _kernel.ParserDefinition:
        transitions, labels = self.features
        return _kernel.ParserDefinition(
            compiled(self.system),
            artificial_root=self.artificial_root,
            transition_features=transitions,
            label_features=labels,
            labels=self.labels,
            joint=self.scorer.labels == "joint",
        )

    def model(self, arrays: Mapping[str, AnyArray]) -> PerceptronModel:
        try:
            native = _kernel.PerceptronModel(
                self._native_definition(),
                transition_rows=rows_from_arrays("transition", arrays),
                label_rows=rows_from_arrays("label", arrays),
            )
        except (IndexError, KeyError, MemoryError, TypeError, ValueError) as error:
            raise ParserError(f"the weights do not fit the parser that the model describes ({error})") from error
        return PerceptronModel(native)


_KINDS = ("transition", "label")
#: The arrays of a perceptron's state, and what they hold.
_STATE: dict[str, type[np.generic]] = {
    "features": np.uint64,
    "updates": np.int32,
    "counts": np.uint16,
    "classes": np.uint16,
    "weights": np.int32,
    "weighted": np.int64,
}


@dataclass
class PerceptronLearner:
    """Learners with the sentences that they learn from."""

    learners: list[_kernel.PerceptronLearner]
    data: TrainingData
    #: Features that took part in fewer updates are left out of models.
    least_updates: int
    exploration: float
    #: How many states the search keeps, and whether it updates early.
    beam: int
    early: bool
    seed: int
    threads: int

    def __post_init__(self) -> None:
        sentences = np.arange(len(self.data.inputs.word_offsets) - 1, dtype=np.int32)
        numbers = range(1, len(self.learners))
        self._orders = [sentences, *(np.random.default_rng([self.seed, 0, n]).permutation(sentences) for n in numbers)]

    def learn(self, order: Ids, epoch: int) -> int:
        return _kernel.PerceptronLearner.learn(
            self.learners,
            [own[order] for own in self._orders],
            self.data.inputs.values,
            self.data.inputs.word_offsets,
            *self.data[1:],
            explore=exploration_percent(self.exploration, epoch),
            beam=self.beam,
            early=self.early,
            threads=self.threads,
        )

    def model(self) -> PerceptronModel:
        first, *others = self.learners
        return PerceptronModel(first.average(others, self.least_updates))

    def state_dict(self) -> Arrays:
        arrays: Arrays = {}
        for index, learner in enumerate(self.learners):
            *states, random = learner.state_dict()
            arrays[f"{index}_random"] = count_array(random)
            for kind, (step, *state) in zip(_KINDS, states, strict=True):
                arrays[f"{index}_{kind}_step"] = count_array(step)
                names = (f"{index}_{kind}_{name}" for name in _STATE)
                arrays |= dict(zip(names, cast(list[AnyArray], state), strict=True))
        return arrays

    def load_state_dict(self, arrays: Mapping[str, AnyArray]) -> None:
        for index, learner in enumerate(self.learners):
            transitions, labels = (_state_from(arrays, f"{index}_{kind}_") for kind in _KINDS)
            learner.load_state_dict(transitions, labels, count_from(arrays, f"{index}_random", most=2**64 - 1))


def _state_from(arrays: Mapping[str, AnyArray], prefix: str) -> Any:
    """Return the state of one perceptron, as the kernel takes it."""
    step = count_from(arrays, f"{prefix}step")
    return step, *(array_of(arrays, prefix + name, held) for name, held in _STATE.items())
