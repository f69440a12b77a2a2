"""Averaged perceptrons over feature templates as the scorer of a transition parser: its options and what they define.

One perceptron learns transitions, another one labels (Collins 2002), in the configurations that the parser itself gets
into (Goldberg & Nivre 2013). Weights are whole numbers, so that the same data give the same model on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from ... import _kernel
from ..._arrays import AnyArray
from ...errors import ParserError
from ...features import (
    FeatureSet,
    Vocabularies,
    compile_templates,
    default_label_templates,
    default_templates,
    read_templates,
)
from ...features.templates import MOST_TEMPLATES, parse_template, word_attributes
from ...transitions import TransitionSystem
from ...transitions.algebra import compiled
from ...treebank import Treebank
from ..base import SentenceInputs, TrainingData, check_labels, check_numbers, check_texts, make_options, register_scorer
from ..model_file import Check, listed, text
from ..teaching import EXPLORATION, TEACHING, check_teaching, check_teaching_of, training_oracle, without_defaults
from .learner import PerceptronLearner
from .weights import PerceptronModel, rows_of_arrays

UPDATES = ("max-violation", "early")
_TEMPLATES = ("templates", "label_templates")


@register_scorer
@dataclass(frozen=True)
class Perceptron:
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
        exploration: The share of wrong choices that training follows after the first epoch, so that it learns in
            configurations that the parser will get into (Goldberg & Nivre 2013). With 0 the oracle is static.
        oracle: "static": one derivation of each tree is right; "dynamic": every transition is that loses no arc. By
            default static if `exploration` is 0, else dynamic.
        planes: On two stacks: "fixed": arcs have their planes, SWITCH is right where one waits; "free": whichever plane
            an arc comes to is right; "auto": free if arcs cross in a quarter of the sentences or more.
    """

    templates: tuple[str, ...] | None = None
    label_templates: tuple[str, ...] | None = None
    least_updates: int = 1
    learners: int = 1
    update: str = "max-violation"
    labels: str = "separate"
    exploration: float = EXPLORATION
    oracle: str | None = None
    planes: str = "fixed"
    name: ClassVar[str] = "perceptron"
    fields: ClassVar[Mapping[str, Check]] = {
        "templates": listed(text, 1, MOST_TEMPLATES),
        "label_templates": listed(text, 0, MOST_TEMPLATES),
    }
    depends_on_epochs: ClassVar[bool] = False
    default_prune: ClassVar[float] = 0.6

    def __post_init__(self) -> None:
        check_texts(self, _TEMPLATES)
        for template in (*(self.templates or ()), *(self.label_templates or ())):
            parse_template(template)
        check_numbers(self, ("least_updates", "learners"))
        check_teaching(self)
        check_labels(self.labels, self.label_templates)
        if self.update not in UPDATES:
            raise ParserError(f"the update is one of {', '.join(UPDATES)}, not {self.update!r}")

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Perceptron:
        """Make it of options by name; `templates_file` is a file as `crossarc features` prints it."""
        given = dict(options)
        path = given.pop("templates_file", None)
        if path is not None:
            separate = given.get("labels", "separate") == "separate"
            found = dict(zip(_TEMPLATES, read_templates(path, labels=separate), strict=True))
            given |= found if separate else {"templates": found["templates"]}
        return make_options(cls, cls.name, [*(one.name for one in fields(cls)), "templates_file"], given)

    @staticmethod
    def epochs_for(words: int) -> int:
        """Return how many epochs training data of so many words ask for."""
        return 10

    def to_dict(self) -> dict[str, Any]:
        """Return all options as plain data, those of teaching if they are not the default ones."""
        return without_defaults(Perceptron, asdict(self), (*TEACHING, "labels"))

    def record(self) -> dict[str, Any]:
        """Return the options of training."""
        return {name: value for name, value in self.to_dict().items() if name not in _TEMPLATES}

    def inputs(self, system: TransitionSystem) -> dict[str, list[str]]:
        """Return the templates of transitions and of labels, as `read_templates` reads them."""
        found = {"transitions": list(self.templates or default_templates(system))}
        if self.labels == "separate":
            found["labels"] = list(self.label_templates or default_label_templates(system))
        return found

    def definition(
        self, system: TransitionSystem, artificial_root: str, labels: int, treebank: Treebank, cutoff: int
    ) -> PerceptronDefinition:
        """Return the definition of a model, with the vocabularies of training data."""
        check_teaching_of(system, self)
        if self.labels == "joint" and system.chooses_position:
            raise ParserError(f"{system.name} chooses positions: labels are learnt separately there")
        found = self.inputs(system)
        templates, label_templates = tuple(found["transitions"]), tuple(found.get("labels", ()))
        vocabularies = Vocabularies.fit(treebank, word_attributes((*templates, *label_templates)), cutoff=cutoff)
        return PerceptronDefinition(system, artificial_root, labels, vocabularies, templates, label_templates, self)

    @classmethod
    def definition_from_dict(
        cls,
        data: Mapping[str, Any],
        system: TransitionSystem,
        artificial_root: str,
        labels: int,
        vocabularies: Vocabularies,
    ) -> PerceptronDefinition:
        """Return the definition whose `to_dict` a model file has."""
        templates, label_templates = (tuple(data[name]) for name in _TEMPLATES)
        scorer = cls(templates, label_templates) if label_templates else cls(templates, labels="joint")
        return PerceptronDefinition(system, artificial_root, labels, vocabularies, templates, label_templates, scorer)


@dataclass(frozen=True)
class PerceptronDefinition:
    """Two perceptrons, with the templates and vocabularies that make their features."""

    system: TransitionSystem
    artificial_root: str
    labels: int
    vocabularies: Vocabularies
    templates: tuple[str, ...]
    label_templates: tuple[str, ...]
    scorer: Perceptron

    @property
    def features(self) -> tuple[FeatureSet, FeatureSet]:
        """The templates as the kernel takes them: those of transitions and those of labels."""
        names = self.vocabularies.names
        return compile_templates(self.templates, names), compile_templates(self.label_templates, names)

    def inputs(self, treebank: Treebank) -> SentenceInputs:
        """Return what its models read of a treebank."""
        return SentenceInputs.of(treebank, self.vocabularies)

    def learner(self, data: TrainingData, *, seed: int, epochs: int, beam: int, threads: int) -> PerceptronLearner:
        """Return a learner for these data."""
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
        oracle = training_oracle(self.system, self.scorer, data)
        return _kernel.PerceptronLearner(self._native_definition(), oracle, seed=seed)

    def _native_definition(self) -> _kernel.ParserDefinition:
        transitions, labels = self.features
        return _kernel.ParserDefinition(
            compiled(self.system),
            artificial_root=self.artificial_root,
            transition_features=transitions.as_tuple(),
            label_features=labels.as_tuple(),
            labels=self.labels,
            joint=self.scorer.labels == "joint",
        )

    def model(self, arrays: Mapping[str, AnyArray]) -> PerceptronModel:
        """Return the model whose `arrays` these are."""
        try:
            native = _kernel.PerceptronModel(
                self._native_definition(),
                transition_rows=rows_of_arrays("transition", arrays),
                label_rows=rows_of_arrays("label", arrays),
            )
        except (IndexError, KeyError, MemoryError, TypeError, ValueError) as error:
            raise ParserError(f"the weights do not fit the parser that the model describes ({error})") from error
        return PerceptronModel(native)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file, without the vocabularies."""
        return {
            "scorer": self.scorer.name,
            "templates": list(self.templates),
            "label_templates": list(self.label_templates),
        }

    def summary(self) -> dict[str, Any]:
        """Return what `crossarc info` says about it."""
        return {"scorer": self.scorer.name, "looks_at": len(self.templates) + len(self.label_templates)}
