"""What classifiers as scorers have in common: their options, definitions and learners.

They learn from the static oracle, in one pass over the training data, and parse greedily. Kinds (svm.py, linear_svm.py,
memory.py) say how a classifier is learnt and restored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..._arrays import AnyArray, Ids
from ...errors import ParserError
from ...features import Vocabularies
from ...features.defaults import nominal_label_templates, nominal_templates
from ...features.templates import parse_template
from ...features.vocabularies import EVERY_FEATURE
from ...options import Check, bounded, named, one_of, option, plain, refusal, text, whole
from ...transitions import TransitionSystem
from ...treebank import Treebank
from ..base import TrainingData
from ..model_file import Arrays
from ..template_scorer import LABELS, TemplateDefinition, TemplateOptions
from .ensemble import Classifier, Ensemble, Part, frequent_first
from .parsing import Choices, ClassifierModel, Examples, LockstepMaker, arcs_of, check_classes, examples_of
from .template_values import TemplateAtoms, TemplateValues


@dataclass(frozen=True)
class ClassifierOptions(TemplateOptions):
    """Options of all classifiers.

    Parameters:
        templates: Feature templates by which transitions are chosen; by default those that suit system and classifier.
        label_templates: With `labels="separate"`, those by which the label of an arc is chosen.
        labels: "joint": a class is a transition with its label; "separate": transitions are classified first.
        split: The atom by whose value the training data are split, such as `b0.upos`; None for no split.
        split_least: The fewest examples that a value has a classifier of its own for; all others share one.
    """

    labels: str = option("joint", one_of(*LABELS))
    split: str | None = option(None, text)
    split_least: int = bounded(1000, 1, 1_000_000_000)
    fields: ClassVar[Mapping[str, Check]] = {
        **TemplateOptions.fields,
        "classifier": named(plain, 100),
        "beam": whole(1, 1),
    }
    depends_on_epochs: ClassVar[bool] = False
    default_prune: ClassVar[float] = 0.0
    #: Whether to have no morphological feature is a value like others.
    with_nothing: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.split is not None:
            atoms = parse_template(self.split)
            if len(atoms) != 1 or atoms[0].attribute == EVERY_FEATURE:
                raise refusal("split", "one attribute of one word, as in b0.upos", self.split)

    # What differs from kind to kind

    def fit(self, parts: Sequence[Part], threads: int) -> list[Classifier]:
        """Learn a classifier for each part."""
        raise NotImplementedError

    def restore(self, arrays: Mapping[str, AnyArray], classes: int, sizes: AnyArray) -> Classifier:
        """Make a classifier of its arrays; a KeyError or ValueError if they cannot be those."""
        raise NotImplementedError

    def least_occurrences(self) -> int:
        """Return how often the value of a template must occur in training to be known."""
        return 1

    def default_templates(self, system: TransitionSystem) -> list[str]:
        return nominal_templates(system)

    def default_label_templates(self, system: TransitionSystem) -> list[str]:
        return nominal_label_templates(system)

    # What all have

    @staticmethod
    def epochs_for(words: int) -> int:
        return 1

    def definition(
        self, system: TransitionSystem, artificial_root: str, labels: int, treebank: Treebank, cutoff: int
    ) -> ClassifierDefinition:
        if system.chooses_position:
            raise ParserError(f"{self.name} chooses among transitions, {system.name} among positions too")
        fitted = self.fitted(system, treebank, cutoff, [] if self.split is None else [self.split])
        return ClassifierDefinition(system, artificial_root, labels, *fitted, self)

    @classmethod
    def definition_from_dict(
        cls,
        data: Mapping[str, Any],
        system: TransitionSystem,
        artificial_root: str,
        labels: int,
        vocabularies: Vocabularies,
    ) -> ClassifierDefinition:
        templates, label_templates = tuple(data["templates"]), tuple(data["label_templates"])
        given = {"templates": templates, **({"label_templates": label_templates} if label_templates else {})}
        scorer = cls.from_dict({**data["classifier"], **given})
        return ClassifierDefinition(system, artificial_root, labels, vocabularies, templates, label_templates, scorer)


@dataclass(frozen=True)
class ClassifierDefinition(TemplateDefinition):
    """Options with templates, vocabularies, and the number of labels."""

    scorer: ClassifierOptions

    @property
    def make_lockstep(self) -> LockstepMaker:
        """What shows configurations to the classifiers: all atoms of all templates, and that of the split."""
        split = [] if self.scorer.split is None else [self.scorer.split]
        every = (*self.templates, *self.label_templates, *split)
        return LockstepMaker(self.system, every, self.vocabularies, self.artificial_root)

    def atoms_of(self, templates: Sequence[str]) -> TemplateAtoms:
        """Return where templates find their atoms."""
        return TemplateAtoms.from_templates(templates, self.make_lockstep(1).atoms, self.vocabularies.names)

    @property
    def split_column(self) -> int | None:
        """The place of the split among the atoms."""
        if self.scorer.split is None:
            return None
        (members,) = self.atoms_of([self.scorer.split]).members
        return members[0]

    def learner(self, data: TrainingData, *, seed: int, epochs: int, beam: int, threads: int) -> ClassifierLearner:
        if beam > 1:
            raise ParserError(f"{self.scorer.name} parses greedily: there is no beam but 1")
        if epochs > 1:
            raise ParserError(f"{self.scorer.name} learns in one pass over the training data: leave out the epochs")
        return ClassifierLearner(self, data, threads)

    def model(self, arrays: Mapping[str, AnyArray]) -> ClassifierModel:
        try:
            return ClassifierModel(self.scorer.name, self._choices(arrays), self.make_lockstep)
        except (KeyError, IndexError, MemoryError, TypeError, ValueError) as error:
            raise ParserError(f"the arrays do not fit the parser that the model describes ({error})") from error

    def _choices(self, arrays: Mapping[str, AnyArray]) -> Choices:
        if self.scorer.labels == "joint":
            return Choices(self._ensemble("joint", arrays, self.templates), None)
        labels = {
            action: self._ensemble(f"labels{action}", arrays, self.label_templates)
            for action in np.flatnonzero(arcs_of(self.system)).tolist()
            if f"labels{action}_classes" in arrays
        }
        return Choices(self._ensemble("transitions", arrays, self.templates), labels)

    def _ensemble(self, name: str, arrays: Mapping[str, AnyArray], templates: Sequence[str]) -> Ensemble:
        scorer = self.scorer
        found = Ensemble.from_arrays(
            name, arrays, self.atoms_of(templates), self.split_column, scorer.with_nothing, scorer.restore
        )
        check_classes(name, found.classes, self.system, self.labels)
        return found

    def to_dict(self) -> dict[str, Any]:
        options = {name: value for name, value in self.scorer.to_dict().items() if name not in TemplateOptions.fields}
        return {**super().to_dict(), "classifier": options}


@dataclass
class ClassifierLearner:
    """Learns from all sentences at once."""

    definition: ClassifierDefinition
    data: TrainingData
    threads: int
    _learnt: ClassifierModel | None = field(default=None, init=False)

    @property
    def portion(self) -> int:
        """How many sentences it takes at once: all."""
        return max(1, len(self.data.inputs.word_offsets) - 1)

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from sentences, whose order does not matter, and return how many examples it gets wrong itself."""
        definition = self.definition
        batch = definition.make_lockstep(self.threads, static=True)
        examples = examples_of(batch, self.data, np.sort(order))
        if not len(examples.actions):
            raise ParserError("there is nothing to choose in the training data: they have no tree of several words")
        choices, mistakes = self._choices(examples)
        self._learnt = ClassifierModel(definition.scorer.name, choices, definition.make_lockstep)
        return mistakes

    def _choices(self, examples: Examples) -> tuple[Choices, int]:
        """Learn all ensembles, and return how many examples those of transitions get wrong."""
        definition = self.definition
        adds_arc = arcs_of(definition.system)
        joint = definition.scorer.labels == "joint"
        transitions, mistakes = self._fit(examples, definition.templates, adds_arc, joint=joint)
        if joint:
            return Choices(transitions, None), mistakes
        labels = {}
        for action in np.unique(examples.actions[adds_arc[examples.actions]]).tolist():
            own = Examples(*(column[examples.actions == action] for column in examples))
            labels[action], _ = self._fit(own, definition.label_templates, None, joint=True)
        return Choices(transitions, labels), mistakes

    def _fit(
        self, examples: Examples, templates: Sequence[str], adds_arc: AnyArray | None, joint: bool
    ) -> tuple[Ensemble, int]:
        """Learn an ensemble; with `adds_arc`, every transition is in a class of it, the examples have it or not."""
        definition, scorer = self.definition, self.definition.scorer
        labels = examples.labels if joint else np.full_like(examples.labels, -1)
        every, classes = frequent_first(np.stack([examples.actions, labels], axis=1))
        if adds_arc is not None:
            missing = np.setdiff1d(np.arange(len(adds_arc)), every[:, 0])
            never = np.stack([missing, np.where(adds_arc[missing] & joint, 0, -1)], axis=1)
            every = np.concatenate([every, never]).astype(np.int32)
        atoms, least = definition.atoms_of(templates), scorer.least_occurrences()
        values = TemplateValues.fit(atoms, examples.atoms, least=least, with_nothing=scorer.with_nothing)
        if not any(len(keys) for keys in values.keys):
            raise ParserError("no template has a value in the training data")
        split = definition.split_column, scorer.split_least
        return Ensemble.fit(examples.atoms, classes, every, *split, values, scorer.fit, self.threads)

    def model(self) -> ClassifierModel:
        if self._learnt is None:
            raise ParserError("nothing was learnt yet")
        return self._learnt

    def state_dict(self) -> Arrays:
        """Return the model: there is no other state."""
        return self.model().arrays()

    def load_state_dict(self, arrays: Mapping[str, AnyArray]) -> None:
        self._learnt = self.definition.model(arrays)
