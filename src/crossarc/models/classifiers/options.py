"""What classifiers as scorers have in common: their options, definitions and learners.

They learn from the static oracle, in one pass over the training data, and parse greedily. Kinds (svm.py, linear_svm.py,
memory.py) say how a classifier is learnt and restored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, TypeVar

import numpy as np

from ..._arrays import AnyArray, Ids
from ...errors import ParserError, shown
from ...features import Vocabularies, read_templates
from ...features.templates import EVERY_FEATURE, MOST_TEMPLATES, parse_template, word_attributes
from ...transitions import TransitionSystem
from ...treebank import Treebank
from ..base import SentenceInputs, TrainingData, check_labels, check_numbers, check_texts, make_options
from ..model_file import Arrays, Check, listed, named, plain, text, whole
from .ensemble import Classifier, Ensemble, Part, SplitRule, frequent_first
from .nominal_templates import nominal_label_templates, nominal_templates
from .parsing import Choices, ClassifierModel, Examples, LockstepMaker, arcs_of, check_classes, examples_of
from .template_values import TemplateAtoms, TemplateValues

_TEMPLATES = ("templates", "label_templates")

AnyOptions = TypeVar("AnyOptions", bound="ClassifierOptions")


@dataclass(frozen=True)
class ClassifierOptions:
    """Options of all classifiers.

    Parameters:
        templates: Feature templates by which transitions are chosen; by default those that suit system and classifier.
        label_templates: With `labels="separate"`, those by which the label of an arc is chosen.
        labels: "joint": a class is a transition with its label; "separate": transitions are classified first.
        split: The atom by whose value the training data are split, such as `b0.upos`; None for no split.
        split_least: The fewest examples that a value has a classifier of its own for; all others share one.
    """

    templates: tuple[str, ...] | None = None
    label_templates: tuple[str, ...] | None = None
    labels: str = "joint"
    split: str | None = None
    split_least: int = 1000
    name: ClassVar[str]
    fields: ClassVar[Mapping[str, Check]] = {
        "templates": listed(text, 1, MOST_TEMPLATES),
        "label_templates": listed(text, 0, MOST_TEMPLATES),
        "classifier": named(plain, 100),
        "beam": whole(1, 1),
    }
    depends_on_epochs: ClassVar[bool] = False
    default_prune: ClassVar[float] = 0.0
    #: The options that are numbers, beside those of all classifiers.
    numbers: ClassVar[tuple[str, ...]] = ()
    #: Whether to have no morphological feature is a value like others.
    with_nothing: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_texts(self, _TEMPLATES)
        check_numbers(self, ("split_least", *self.numbers))
        for template in (*(self.templates or ()), *(self.label_templates or ())):
            parse_template(template)
        check_labels(self.labels, self.label_templates)
        if self.split is not None:
            atoms = parse_template(self.split) if isinstance(self.split, str) else []
            if len(atoms) != 1 or atoms[0].attribute == EVERY_FEATURE:
                raise ParserError(f"split is one attribute of one word, as in b0.upos, not {shown(repr(self.split))}")

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
        """Return the templates that suit a system."""
        return nominal_templates(system)

    # What all have

    @classmethod
    def from_options(cls: type[AnyOptions], options: Mapping[str, Any]) -> AnyOptions:
        """Make it of options by name; `templates_file` is a file as `crossarc features` prints it."""
        given = dict(options)
        path = given.pop("templates_file", None)
        if path is not None:
            templates, label_templates = read_templates(path, labels=given.get("labels") == "separate")
            given["templates"] = templates
            if given.get("labels") == "separate":
                given["label_templates"] = label_templates
        return make_options(cls, cls.name, [*(one.name for one in fields(cls)), "templates_file"], given)

    @staticmethod
    def epochs_for(words: int) -> int:
        """Return how often the training data are gone through: once."""
        return 1

    def to_dict(self) -> dict[str, Any]:
        """Return all options as plain data."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    def record(self) -> dict[str, Any]:
        """Return all options but the templates, which the definition has."""
        return {name: value for name, value in self.to_dict().items() if name not in _TEMPLATES}

    def inputs(self, system: TransitionSystem) -> dict[str, list[str]]:
        """Return the templates, as `read_templates` reads them."""
        found = {"transitions": list(self.templates or self.default_templates(system))}
        if self.labels == "separate":
            found["labels"] = list(self.label_templates or nominal_label_templates(system))
        return found

    def definition(
        self, system: TransitionSystem, artificial_root: str, labels: int, treebank: Treebank, cutoff: int
    ) -> ClassifierDefinition:
        """Return the definition of a model, with the vocabularies of training data."""
        if system.chooses_position:
            raise ParserError(f"{self.name} chooses among transitions, {system.name} among positions too")
        found = self.inputs(system)
        templates, label_templates = tuple(found["transitions"]), tuple(found.get("labels", ()))
        every = (*templates, *label_templates, *([] if self.split is None else [self.split]))
        vocabularies = Vocabularies.fit(treebank, word_attributes(every), cutoff=cutoff)
        return ClassifierDefinition(system, artificial_root, labels, vocabularies, templates, label_templates, self)

    @classmethod
    def definition_from_dict(
        cls,
        data: Mapping[str, Any],
        system: TransitionSystem,
        artificial_root: str,
        labels: int,
        vocabularies: Vocabularies,
    ) -> ClassifierDefinition:
        """Return the definition whose `to_dict` a model file has."""
        templates, label_templates = (tuple(data[name]) for name in _TEMPLATES)
        given = {"templates": templates, **({"label_templates": label_templates} if label_templates else {})}
        scorer = cls.from_options({**data["classifier"], **given})
        return ClassifierDefinition(system, artificial_root, labels, vocabularies, templates, label_templates, scorer)


@dataclass(frozen=True)
class ClassifierDefinition:
    """Options with templates, vocabularies, and the number of labels."""

    system: TransitionSystem
    artificial_root: str
    labels: int
    vocabularies: Vocabularies
    templates: tuple[str, ...]
    label_templates: tuple[str, ...]
    scorer: ClassifierOptions

    @property
    def make_lockstep(self) -> LockstepMaker:
        """What shows configurations to the classifiers: all atoms of all templates, and that of the split."""
        split = [] if self.scorer.split is None else [self.scorer.split]
        every = (*self.templates, *self.label_templates, *split)
        return LockstepMaker(self.system, every, self.vocabularies, self.artificial_root)

    def atoms_of(self, templates: Sequence[str]) -> TemplateAtoms:
        """Return where templates find their atoms."""
        return TemplateAtoms.of(templates, self.make_lockstep(1).atoms, self.vocabularies.names)

    @property
    def split_column(self) -> int | None:
        """The place of the split among the atoms."""
        if self.scorer.split is None:
            return None
        (members,) = self.atoms_of([self.scorer.split]).members
        return members[0]

    def inputs(self, treebank: Treebank) -> SentenceInputs:
        """Return what its models read of a treebank."""
        return SentenceInputs.of(treebank, self.vocabularies)

    def learner(self, data: TrainingData, *, seed: int, epochs: int, beam: int, threads: int) -> ClassifierLearner:
        """Return a learner for these data."""
        if beam > 1:
            raise ParserError(f"{self.scorer.name} parses greedily: there is no beam but 1")
        if epochs > 1:
            raise ParserError(f"{self.scorer.name} learns in one pass over the training data: leave out the epochs")
        return ClassifierLearner(self, data, threads)

    def model(self, arrays: Mapping[str, AnyArray]) -> ClassifierModel:
        """Return the model whose `arrays` these are."""
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
        found = Ensemble.of_arrays(
            name, arrays, self.atoms_of(templates), self.split_column, scorer.with_nothing, scorer.restore
        )
        check_classes(name, found.classes, self.system, self.labels)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file, without the vocabularies."""
        return {
            "scorer": self.scorer.name,
            "templates": list(self.templates),
            "label_templates": list(self.label_templates),
            "classifier": self.scorer.record(),
        }

    def summary(self) -> dict[str, Any]:
        """Return what `crossarc info` says about it."""
        return {"scorer": self.scorer.name, "looks_at": len(self.templates) + len(self.label_templates)}


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
        rule = SplitRule(definition.split_column, scorer.split_least)
        return Ensemble.fit(examples.atoms, classes, every, rule, values, scorer.fit, self.threads)

    def model(self) -> ClassifierModel:
        """Return the model that was learnt."""
        if self._learnt is None:
            raise ParserError("nothing was learnt yet")
        return self._learnt

    def remember(self) -> tuple[list[Any], Arrays]:
        """Return the model: there is no other state."""
        return [], self.model().arrays()

    def restore(self, numbers: Sequence[Any], arrays: Mapping[str, AnyArray]) -> None:
        """Take the model that `remember` gave."""
        self._learnt = self.definition.model(arrays)
