"""Linear models as the scorer of a parser: the native learners (kernel/search/greedy.hpp, beam_training.hpp).

An averaged perceptron learns transitions, another one labels, in the configurations that the parser itself gets into
(Goldberg & Nivre 2013). O(transitions · templates) for each sentence.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ... import _kernel
from ...errors import ParserError
from ...features import Columns, FeatureSet, compile_templates, default_label_templates, default_templates
from ...features.templates import parse_template, word_attributes
from ...training.loop import TrainingData
from ...transitions import TransitionSystem
from ...transitions.algebra import compiled
from ...transitions.oracles import knowledge_of, roles_of
from ...treebank import Treebank
from .weights import arrays_of_rows, check_compression, prune_rows, rows_of_arrays

Ids = NDArray[np.int32]

_KINDS = ("transition", "label")
_STATE = ("features", "updates", "counts", "classes", "weights", "weighted")

#: How often, of a hundred, training follows the parser's own choice where it is wrong, after the first epoch.
EXPLORE = 90


UPDATES = ("max-violation", "early")


@dataclass(frozen=True)
class Perceptron:
    """Averaged perceptrons over feature templates (Collins 2002), in whole numbers.

    `templates` and `label_templates` replace the default features. `least_updates`: how often a feature must have
    mattered in training to be kept. `learners`: how many learn, in different orders; their average is the model.
    `update`: how a beam learns, "max-violation" or "early".
    """

    templates: tuple[str, ...] | None = None
    label_templates: tuple[str, ...] | None = None
    least_updates: int = 1
    learners: int = 1
    update: str = "max-violation"
    name: ClassVar[str] = "perceptron"

    def __post_init__(self) -> None:
        for name in ("templates", "label_templates"):
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, tuple(given))
        for template in (*(self.templates or ()), *(self.label_templates or ())):
            parse_template(template)
        if self.least_updates < 0 or self.learners < 1:
            raise ParserError("the number of learners is 1 or more, that of updates 0 or more")
        if self.update not in UPDATES:
            raise ParserError(f"the update is one of {', '.join(UPDATES)}, not {self.update!r}")

    @staticmethod
    def epochs_for(words: int) -> int:
        """Return how often to go through data of so many words."""
        return 10

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    def definition(
        self, system: TransitionSystem, artificial_root: str, labels: int, treebank: Treebank, cutoff: int
    ) -> LinearDefinition:
        """Return what a parser is made of, with the values that training data have."""
        templates = self.templates or tuple(default_templates(system))
        label_templates = self.label_templates or tuple(default_label_templates(system))
        columns = Columns.fit(treebank, word_attributes((*templates, *label_templates)), cutoff=cutoff)
        return LinearDefinition(system, artificial_root, columns, templates, label_templates, labels)

    def learner(
        self, definition: LinearDefinition, data: TrainingData, *, seed: int, epochs: int, beam: int, threads: int
    ) -> LinearLearner:
        """Return what learns from data."""
        learners = [definition.learner(seed + number) for number in range(self.learners)]
        return LinearLearner(learners, data, self.least_updates, seed, threads, beam, self.update == "early")


@dataclass(frozen=True)
class LinearDefinition:
    """What a parser with linear models is made of before it learnt anything."""

    system: TransitionSystem
    artificial_root: str
    columns: Columns
    templates: tuple[str, ...]
    label_templates: tuple[str, ...]
    labels: int

    @property
    def features(self) -> tuple[FeatureSet, FeatureSet]:
        """The templates as the kernel takes them: those of transitions and those of labels."""
        names = self.columns.names
        return compile_templates(self.templates, names), compile_templates(self.label_templates, names)

    def learner(self, seed: int) -> _kernel.PerceptronLearner:
        """Return a learner that knows nothing yet."""
        known = knowledge_of(self.system)
        transitions, labels = self.features
        return _kernel.PerceptronLearner(
            compiled(self.system),
            self.artificial_root,
            transitions.as_tuple(),
            labels.as_tuple(),
            self.labels,
            int(known.rule),
            roles_of(self.system),
            int(known.teaching_reach),
            known.guarantees,
            seed,
        )

    def model(self, arrays: Mapping[str, NDArray[Any]]) -> _kernel.PerceptronModel:
        """Return the model whose weights `arrays` gave."""
        transitions, labels = self.features
        try:
            return _kernel.make_greedy_model(
                compiled(self.system),
                self.artificial_root,
                transitions.as_tuple(),
                labels.as_tuple(),
                self.labels,
                rows_of_arrays("transition", arrays),
                rows_of_arrays("label", arrays),
            )
        except (IndexError, KeyError, MemoryError, TypeError, ValueError) as error:
            raise ParserError(f"the weights do not fit the parser that the model describes ({error})") from error

    def arrays(self, model: _kernel.PerceptronModel, bits: int = 16, prune: float = 0.0) -> dict[str, NDArray[Any]]:
        """Return the weights of a model for a file, of so many bits, without a share of the features."""
        check_compression(bits, prune)
        transitions, labels = (prune_rows(rows, prune) for rows in (model.transition_rows(), model.label_rows()))
        return arrays_of_rows("transition", transitions, bits) | arrays_of_rows("label", labels, bits)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file, without the columns."""
        return {
            "scorer": "perceptron",
            "templates": list(self.templates),
            "label_templates": list(self.label_templates),
        }


@dataclass
class LinearLearner:
    """Learners with the sentences they learn from, each in an order of its own; the model is their average.

    One is enough; the average of several is better, most of all if there are few sentences.
    """

    learners: list[_kernel.PerceptronLearner]
    data: TrainingData
    #: Features that took part in fewer updates are left out of models.
    least_updates: int
    seed: int
    threads: int
    #: How many states the search keeps, and whether it updates early.
    beam: int
    early: bool

    def __post_init__(self) -> None:
        sentences = np.arange(len(self.data.word_offsets) - 1, dtype=np.int32)
        numbers = range(1, len(self.learners))
        self._orders = [sentences, *(np.random.default_rng([self.seed, 0, n]).permutation(sentences) for n in numbers)]

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from as many sentences as the order has, and return the number of mistakes."""
        explore = EXPLORE if epoch > 1 else 0

        def learn_one(learner: _kernel.PerceptronLearner, own: Ids) -> int:
            return learner.learn(own[order], *self.data, explore, self.beam, self.early)

        if len(self.learners) == 1:
            return learn_one(self.learners[0], self._orders[0])
        with ThreadPoolExecutor(self.threads or os.cpu_count()) as pool:
            return sum(pool.map(learn_one, self.learners, self._orders))

    def model(self) -> _kernel.PerceptronModel:
        """Return the averaged model."""
        first, *others = self.learners
        return first.average(others, self.least_updates)

    def remember(self) -> tuple[list[Any], dict[str, NDArray[Any]]]:
        """Return everything that going on another time needs, as numbers and arrays."""
        arrays: dict[str, NDArray[Any]] = {}
        numbers: list[Any] = []
        for place, learner in enumerate(self.learners):
            *memories, random = learner.remember()
            numbers.append([*(memory[0] for memory in memories), random])
            for kind, (_, *state) in zip(_KINDS, memories, strict=True):
                names = (_name(place, kind, name) for name in _STATE)
                arrays |= dict(zip(names, cast(list[NDArray[Any]], state), strict=True))
        return numbers, arrays

    def restore(self, numbers: Sequence[Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `remember` gave."""
        for place, (learner, own) in enumerate(zip(self.learners, numbers, strict=True)):
            transitions, labels = (
                (step, *(arrays[_name(place, kind, name)] for name in _STATE))
                for kind, step in zip(_KINDS, own[:2], strict=True)
            )
            learner.restore(transitions, labels, own[2])


def _name(place: int, kind: str, name: str) -> str:
    return f"learner_{place}_{kind}_{name}"
