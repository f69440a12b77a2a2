"""A kind of scorer and a kind of parser that live in Python alone, as another package may have them.

`TagPairs` chooses a transition by how often it was right for the tags of the top of the stack and the first word of the
buffer. `LeftNeighbours` attaches every word to the one before it and labels it as its tag is labelled most often.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from crossarc._arrays import AnyArray, Ids, Offsets
from crossarc.errors import ParserError
from crossarc.features import Vocabularies
from crossarc.models.base import SearchResult, SentenceInputs, Trace, TrainingData, register_scorer
from crossarc.models.model_file import Arrays, ModelFile
from crossarc.options import Check, Options, bounded
from crossarc.parsers.base import ParseOptions
from crossarc.parsers.root_policy import RootPolicy
from crossarc.parsers.trainable import StoredParts, TrainableParser, Trained, register_parser, required
from crossarc.parsers.transition.targets import right_transitions
from crossarc.parsers.trees import attachment_evaluation, check_trees, numbered, with_trees
from crossarc.structure.arcs import Arcs
from crossarc.training.loop import TrainingSettings, train_model
from crossarc.training.report import TrainingReport
from crossarc.transitions import Configuration, TransitionSystem
from crossarc.treebank import Treebank


@dataclass(frozen=True)
class Counting(Options):
    """Options of both."""

    least: int = bounded(0, 0, 1000)
    depends_on_epochs: ClassVar[bool] = False
    default_prune: ClassVar[float] = 0.0
    fields: ClassVar[Mapping[str, Check]] = {}

    def epochs_for(self, words: int) -> int:
        return 2


@dataclass(frozen=True)
class Tables:
    """A model of counts, and the learner of such a model is one that counts."""

    tables: list[AnyArray]

    @property
    def weight_count(self) -> int:
        return sum(table.size for table in self.tables)

    def arrays(self, bits: int = 16, prune: float = 0.0) -> Arrays:
        return {f"table_{place}": table for place, table in enumerate(self.tables)}

    def state_dict(self) -> Arrays:
        return self.arrays()

    def load_state_dict(self, arrays: Mapping[str, AnyArray]) -> None:
        for place, table in enumerate(self.tables):
            table[...] = arrays[f"table_{place}"]


# A scorer


@register_scorer
@dataclass(frozen=True)
class TagPairs(Counting):
    name: ClassVar[str] = "tag-pairs"

    def inputs(self, system: TransitionSystem) -> dict[str, list[str]]:
        return {"pairs": ["s0.upos+b0.upos"]}

    def definition(
        self, system: TransitionSystem, artificial_root: str, labels: int, treebank: Treebank, cutoff: int
    ) -> TagPairsDefinition:
        vocabularies = Vocabularies.fit(treebank, ["upos"], cutoff=cutoff)
        return TagPairsDefinition(system, artificial_root, labels, vocabularies, self)

    @classmethod
    def definition_from_dict(
        cls,
        data: Mapping[str, Any],
        system: TransitionSystem,
        artificial_root: str,
        labels: int,
        vocabularies: Vocabularies,
    ) -> TagPairsDefinition:
        return TagPairsDefinition(system, artificial_root, labels, vocabularies, cls.from_dict(data["tag_pairs"]))


@dataclass(frozen=True)
class TagPairsDefinition:
    system: TransitionSystem
    artificial_root: str
    labels: int
    vocabularies: Vocabularies
    scorer: TagPairs

    def inputs(self, treebank: Treebank) -> SentenceInputs:
        return SentenceInputs.from_treebank(treebank, self.vocabularies)

    def learner(self, data: TrainingData, *, seed: int, epochs: int, beam: int, threads: int) -> TagPairsLearner:
        if beam > 1:
            raise ParserError("tag-pairs are greedy: there is no beam but 1")
        tags = self.vocabularies.sizes[0]
        shapes = ((tags, tags, len(self.system.transitions)), (tags, tags, self.labels))
        return TagPairsLearner([np.zeros(shape, np.int32) for shape in shapes], self, data)

    def model(self, arrays: Mapping[str, AnyArray]) -> TagPairsModel:
        return TagPairsModel([arrays["table_0"], arrays["table_1"]], self)

    def to_dict(self) -> dict[str, Any]:
        return {"scorer": self.scorer.name, "tag_pairs": self.scorer.to_dict()}

    def summary(self) -> dict[str, Any]:
        return {"scorer": self.scorer.name}

    def pair(self, configuration: Configuration, tags: AnyArray) -> tuple[int, int]:
        stack, buffer = configuration.stack, configuration.buffer
        return int(tags[stack[-1] - 1]) if stack else 0, int(tags[buffer[0] - 1]) if buffer else 0


@dataclass(frozen=True)
class TagPairsLearner(Tables):
    definition: TagPairsDefinition
    data: TrainingData

    def learn(self, order: Ids, epoch: int) -> int:
        transitions, labels = self.tables
        names = list(self.definition.system.transitions)
        data, mistakes = self.data, 0
        for sentence in order.tolist():
            own = slice(data.arc_offsets[sentence], data.arc_offsets[sentence + 1])
            words = slice(data.inputs.word_offsets[sentence], data.inputs.word_offsets[sentence + 1])
            tags = data.inputs.values[words, 0]
            heads = np.zeros(len(tags), np.int32)
            heads[data.dependents[own] - 1] = data.heads[own]
            for head, dependent, label in zip(data.heads[own], data.dependents[own], data.labels[own], strict=True):
                labels[tags[head - 1] if head else 0, tags[dependent - 1], label] += 1
            configuration = Configuration(self.definition.system, len(tags), self.definition.artificial_root)
            while not configuration.is_terminal:
                right = right_transitions(configuration, heads.tolist())
                counts = transitions[self.definition.pair(configuration, tags)]
                mistakes += names[int(counts.argmax())] not in right
                counts[names.index(right[0])] += 1
                configuration.apply(right[0])
        return mistakes

    def model(self) -> TagPairsModel:
        return TagPairsModel([table.copy() for table in self.tables], self.definition)


@dataclass(frozen=True)
class TagPairsModel(Tables):
    definition: TagPairsDefinition

    def parse_arcs(self, inputs: SentenceInputs, threads: int) -> Arcs:
        transitions, labels = self.tables
        names = list(self.definition.system.transitions)
        found: list[tuple[int, int, int]] = []
        offsets = [0]
        for first, last in pairwise(inputs.word_offsets.tolist()):
            tags = inputs.values[first:last, 0]
            configuration = Configuration(self.definition.system, len(tags), self.definition.artificial_root)
            while not configuration.is_terminal:
                counts = transitions[self.definition.pair(configuration, tags)]
                configuration.apply(max(configuration.legal(), key=lambda name: counts[names.index(name)]))
            for arc in configuration.arcs:
                pair = tags[arc.head - 1] if arc.head else 0, tags[arc.dependent - 1]
                found.append((arc.head, arc.dependent, int(labels[pair].argmax())))
            offsets.append(len(found))
        heads, dependents, numbers = np.array(found, np.int32).reshape(-1, 3).T
        return Arcs(heads, dependents, numbers, np.array(offsets, np.int64), inputs.word_offsets)

    def search(self, inputs: SentenceInputs, width: int, kept: int, threads: int) -> SearchResult:
        raise ParserError("tag-pairs are greedy: there is no beam but 1")

    def trace(self, inputs: SentenceInputs, given: Ids | None = None) -> Trace:
        raise ParserError("tag-pairs keep no scores")


# A parser


@dataclass(frozen=True)
class LabelCounts(Counting):
    name: ClassVar[str] = "label counts"


@dataclass(frozen=True)
class LabelDefinition:
    labels: int
    vocabularies: Vocabularies

    def model(self, arrays: Mapping[str, AnyArray]) -> Tables:
        return Tables([arrays["table_0"]])

    def to_dict(self) -> dict[str, Any]:
        return {"scorer": LabelCounts.name}

    def summary(self) -> dict[str, Any]:
        return {"scorer": LabelCounts.name}


@dataclass(frozen=True)
class LabelLearner(Tables):
    tags: Ids
    label_of: Ids
    word_offsets: Offsets

    def learn(self, order: Ids, epoch: int) -> int:
        for sentence in order.tolist():
            own = slice(self.word_offsets[sentence], self.word_offsets[sentence + 1])
            np.add.at(self.tables[0], (self.tags[own], self.label_of[own]), 1)
        return 0

    def model(self) -> Tables:
        return Tables([self.tables[0].copy()])


@dataclass(frozen=True)
class NeighboursTrained(Trained):
    model: Tables


@register_parser
class LeftNeighbours(TrainableParser):
    type = "left neighbours"

    trained: NeighboursTrained | None

    def __init__(self, *, root: str | None = None, cutoff: int = 1) -> None:
        super().__init__(LabelCounts(), root=root, cutoff=cutoff)

    @property
    def name(self) -> str:
        return "left neighbours"

    def _learn(
        self, train: Treebank, dev: Treebank | None, settings: TrainingSettings
    ) -> tuple[TrainingReport, Trained]:
        check_trees(train, "training")
        labels = tuple(train.inventory("deprel"))
        label_of = numbered(train, train.deprel.ids, labels)
        definition = LabelDefinition(len(labels), Vocabularies.fit(train, ["upos"], cutoff=self.cutoff))
        tags = definition.vocabularies.values(train)[:, 0].astype(np.int32)
        table = np.zeros((definition.vocabularies.sizes[0], len(labels)), np.int32)
        policy = RootPolicy.fit(train, label_of, len(labels), self.root)

        def trained(model: Tables) -> NeighboursTrained:
            return NeighboursTrained(definition, model, labels, policy)

        report = TrainingReport(len(train), train.words, train.words, 0)
        model = train_model(
            definition,
            LabelLearner([table], tags, label_of, train.word_offsets),
            None if dev is None else attachment_evaluation(dev, labels, lambda model: self._found(trained(model), dev)),
            report,
            settings,
            lambda: self._identity(train, dev, settings),
        )
        return report, trained(model)

    @staticmethod
    def _found(trained: NeighboursTrained, treebank: Treebank) -> tuple[Ids, Ids]:
        starts = np.repeat(treebank.word_offsets[:-1], np.diff(treebank.word_offsets))
        heads = (np.arange(treebank.words) - starts).astype(np.int32)
        tags = trained.definition.vocabularies.values(treebank)[:, 0]
        labels = trained.model.tables[0].argmax(axis=1).astype(np.int32)[tags]
        return trained.policy.apply(treebank, heads, labels, np.ones(len(heads), bool))

    def _parsed(self, treebank: Treebank, options: ParseOptions) -> Treebank:
        trained = required(self.trained)
        return with_trees(treebank, *self._found(trained, treebank), trained.labels)

    def _options(self) -> dict[str, Any]:
        return {}

    def _description(self) -> dict[str, Any]:
        return {}

    @classmethod
    def _restored(cls, file: ModelFile, parts: StoredParts) -> LeftNeighbours:
        parser = cls(root=parts.policy.kind)
        definition = LabelDefinition(len(parts.labels), parts.vocabularies)
        parser.trained = NeighboursTrained(
            definition, definition.model(file.arrays), parts.labels, parts.policy, record=parts.record
        )
        return parser

    def _summary(self) -> dict[str, Any]:
        return {"heads": "the word before"}
