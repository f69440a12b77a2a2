"""GraphParser: a network scores every arc of a sentence, and the best tree of a class is found exactly.

The class is that of 1-Endpoint-Crossing trees (Pitler, Kannan & Marcus 2013), of projective trees (Eisner 1996), or of
all trees (Chu & Liu 1965, Edmonds 1967); see `crossarc.decoders`. A single root is a constraint of the decoder, and so
are heads that are given. Tags and lemmas may be predicted by the same network, from words alone.
O(words²) for each sentence, and its decoding.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np

from ... import _kernel
from ..._arrays import Ids, offsets_of
from ...errors import CountedWarning, ParserError, checked_threads
from ...features.tags import NO_TAGS, Tags, checked_columns
from ...models.base import SentenceInputs
from ...models.biaffine import Biaffine
from ...models.biaffine.options import BiaffineDefinition
from ...models.biaffine.weights import BiaffineModel, FoundTrees
from ...models.model_file import Arrays, Check, ModelFile, number, one_of, truth
from ...training.report import DevScores, TrainingReport
from ...treebank import Sentence, Treebank, opened
from ..analyses import Analyses
from ..base import Parser, StoredParts, Trained, register_parser, required
from ..root_policy import RootPolicy
from ..trees import attachment_evaluation, check_label_count, check_trees, numbered, treebank_of, with_trees
from .calibration import best_temperature
from .trees import AUTO, TREE_CLASSES, checked_trees, class_of, nearest_trees, tree_class

if TYPE_CHECKING:
    from ...models.biaffine.learner import BiaffineLearner, TreesToLearn
    from ...models.biaffine.torch_learner import TorchLearner
    from ...training.loop import TrainingSettings

#: How gold trees outside the class are learnt from: as they are, or as the nearest tree of the class.
OUTSIDE = ("gold", "nearest")
#: What sentences too long for the chart of their class get: without and with the least risk, one and several.
_INSTEAD = (
    ("it got its best projective tree", "they got their best projective trees"),
    (
        "it got its most probable tree instead of that of the least risk",
        "they got their most probable trees instead of those of the least risk",
    ),
)
#: The id of "_" in every pool.
_NO_LABEL = 0
#: The array of a model file that holds the classes of predicted columns.
_TAGS = "tags"


def _check_lengths(treebank: Treebank, name: str) -> None:
    """Refuse sentences whose matrix of arcs would not fit into memory, before anything is learnt."""
    lengths, most = np.diff(treebank.word_offsets), _kernel.MOST_GRAPH_WORDS
    if (lengths > most).any():
        place = int(np.argmax(lengths > most))
        said = f"sentence {place + 1} of the {name} data has {lengths[place]} words"
        raise ParserError(f"{said}: a graph parser takes at most {most}")


@dataclass(frozen=True)
class GraphTrained(Trained):
    """What training gives a graph parser."""

    definition: BiaffineDefinition
    model: BiaffineModel
    trees: str
    minimum_risk: bool
    #: By which scores are divided, so that they are logarithms of probabilities that hold on development data.
    temperature: float = 1.0

    @property
    def tags(self) -> Tags:
        """The predicted columns with their classes."""
        return self.definition.tags

    def find(self, inputs: SentenceInputs, threads: int, most: int = 1, heads: Ids | None = None) -> FoundTrees:
        """Return the best trees, with the root policy as a constraint, and heads that are given if there are any."""
        single = self.policy.kind == "single"
        return self.model.parse(
            inputs,
            tree_class=tree_class(self.trees),
            single_root=single,
            root_label=self.policy.root_label if single else -1,
            most=most,
            temperature=self.temperature,
            minimum_risk=self.minimum_risk,
            heads=heads,
            threads=threads,
        )


@register_parser
class GraphParser(Parser):
    """A parser that scores all arcs of a sentence and finds the best tree of a class, exactly.

    Parameters:
        trees: The class: "1-endpoint-crossing", "projective" or "unrestricted"; "auto" for that which fits the training
            data: projective trees if all are, 1-endpoint-crossing ones if 97 % are, else all trees.
        root: The root policy, "single" or "any" number of roots; by default what the training data keep.
        network: The options of the network, `Biaffine(…)`.
        cutoff: How often a form, a lemma or an affix must occur to be known.
        outside: How gold trees outside the class are learnt from: "gold", as they are, or "nearest", the tree of the
            class with the most gold arcs, which objectives over trees ask for.
        minimum_risk: Find the tree with the most expected heads (minimum Bayes risk) instead of the most probable one.
        predict: Columns that are predicted together with trees, of "upos", "xpos", "feats" and "lemma". The network
            then reads words, affixes and characters instead of its default groups. Parsing fills these columns where a
            word has nothing.
    """

    type = "graph parser"
    fields: ClassVar[Mapping[str, Check]] = {
        **Biaffine.fields,
        "scorer": one_of(Biaffine.name),
        "trees": one_of(*TREE_CLASSES),
        "minimum_risk": truth,
        "outside": one_of(*OUTSIDE),
        "temperature": number(0.01, 100),
    }

    scorer: Biaffine
    trained: GraphTrained | None

    def __init__(
        self,
        trees: str = "1-endpoint-crossing",
        *,
        root: str | None = None,
        network: Biaffine | None = None,
        cutoff: int = 2,
        outside: str | None = None,
        minimum_risk: bool = False,
        predict: Sequence[str] = (),
    ) -> None:
        """Choose a class of trees and options; those that do not go together are refused."""
        self._predict = checked_columns(predict)
        network = network or Biaffine()
        super().__init__(network.predicting(self._predict) if self._predict else network, root=root, cutoff=cutoff)
        self.trees = trees if trees == AUTO else checked_trees(trees)
        if outside is None:
            outside = "gold" if self.scorer.objective == "heads" else "nearest"
        if outside not in OUTSIDE:
            raise ParserError(f"outside is one of {', '.join(OUTSIDE)}, not {outside!r}")
        if outside == "gold" and self.scorer.objective == "likelihood" and trees != "unrestricted":
            raise ParserError('a tree outside the class has no likelihood: learn from the nearest, outside="nearest"')
        self.outside = outside
        self.minimum_risk = minimum_risk

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"graph, {self.trees if self.trained is None else self.trained.trees}"

    @property
    def predict(self) -> tuple[str, ...]:
        """The columns that are predicted together with trees; of a trained parser those that its data had."""
        return self._predict if self.trained is None else self.trained.tags.columns

    # Training

    def _learn(
        self, train: Treebank, dev: Treebank | None, settings: TrainingSettings
    ) -> tuple[TrainingReport, Trained]:
        from ...models.biaffine.learner import TreesToLearn
        from ...training.loop import train_model

        for treebank, name in ((train, "training"), (dev, "development")):
            if treebank is not None:
                check_trees(treebank, name)
                _check_lengths(treebank, name)
        labels = tuple(train.inventory("deprel"))
        check_label_count(len(labels), "DEPREL of the training data has")
        label_of = numbered(train, train.deprel.ids, labels)
        policy = RootPolicy.fit(self._without_predicted(train), label_of, len(labels), self.root)
        trees = class_of(train, settings.threads) if self.trees == AUTO else self.trees
        nearest = nearest_trees(train, trees, policy.kind, settings.threads)
        lost = int((nearest.heads != train.head).sum())
        report = TrainingReport(len(train), train.words, train.words, lost)
        tags = Tags.fit(train, self._predict)
        if self._predict and not tags:
            raise ParserError(f"the training data have no {', '.join(self._predict)} to predict")
        definition = self.scorer.definition(len(labels), train, self.cutoff, tags)
        heads = nearest.heads if self.outside == "nearest" else train.head
        data = TreesToLearn(definition.inputs(train), heads, label_of, tags.classes(train))
        learner = self._learner(definition, data, trees, policy, settings)

        def trained(model: BiaffineModel) -> GraphTrained:
            return GraphTrained(definition, model, labels, policy, trees, self.minimum_risk)

        inputs = None if dev is None else definition.inputs(dev)
        evaluate = None
        if dev is not None and inputs is not None:
            attachment = attachment_evaluation(dev, labels, _heads_and_labels)

            def evaluate(model: BiaffineModel) -> DevScores:
                found = trained(model).find(inputs, settings.threads)
                return DevScores(*attachment(found), tags.accuracies(dev, found.tags) if tags else {})

        model = train_model(
            definition, learner, evaluate, report, settings, lambda: self._identity(train, dev, settings)
        )
        if dev is None or inputs is None:
            return report, trained(model)
        scores = model.arc_scores(inputs, settings.threads)
        return report, replace(trained(model), temperature=best_temperature(scores, dev.word_offsets, dev.head))

    def _learner(
        self,
        definition: BiaffineDefinition,
        data: TreesToLearn,
        trees: str,
        policy: RootPolicy,
        settings: TrainingSettings,
    ) -> BiaffineLearner | TorchLearner:
        """Return a native learner, or that of torch on a device; both begin with the same weights."""
        from ...models.biaffine.learner import BiaffineLearner, native_learner
        from ...models.biaffine.torch_learner import TorchLearner
        from ...models.torch_training import check_torch

        if settings.device is not None:
            check_torch(settings.device)
        single = policy.kind == "single"
        native = native_learner(definition, data, tree_class=tree_class(trees), single_root=single, seed=settings.seed)
        if settings.device is None:
            return BiaffineLearner(definition, native, data, settings.epochs, settings.threads)
        return TorchLearner(
            definition,
            data,
            native.weights(),
            settings.epochs,
            settings.seed,
            settings.device,
            TREE_CLASSES[trees],
            "single" if single else "any",
            settings.threads,
        )

    def _without_predicted(self, train: Treebank) -> Treebank:
        """Return training data without parts of speech if they are predicted, so that nothing else asks for them."""
        return train.replace(upos=np.zeros(train.words, np.int32)) if "upos" in self._predict else train

    def _identity(self, train: Treebank, dev: Treebank | None, settings: TrainingSettings) -> dict[str, Any]:
        trainer = "native" if settings.device is None else "torch"
        return {**super()._identity(train, dev, settings), "trainer": trainer}

    def _options(self) -> dict[str, Any]:
        predicted = {"predict": list(self._predict)} if self._predict else {}
        return {"trees": self.trees, "outside": self.outside, "minimum risk": self.minimum_risk, **predicted}

    # Parsing

    @overload
    def parse(
        self,
        source: Treebank | os.PathLike[str],
        *,
        beam: int | None = None,
        threads: int = 0,
        keep_heads: bool = False,
    ) -> Treebank: ...
    @overload
    def parse(
        self, source: Sequence[str], *, beam: int | None = None, threads: int = 0, keep_heads: bool = False
    ) -> Sentence: ...
    def parse(
        self,
        source: Treebank | os.PathLike[str] | Sequence[str],
        *,
        beam: int | None = None,
        threads: int = 0,
        keep_heads: bool = False,
    ) -> Treebank | Sentence:
        """Return a treebank with the heads and labels that the parser finds, or for a list of words a sentence.

        Columns that are predicted are filled where a word has nothing; FEATS that any word of a sentence has are those
        of all its words. With `keep_heads`, words that have a head keep it, and their label if they have one; the other
        words get the best heads of all trees of the class that have these; where there is no such tree, that is an
        error, unless all words have heads. Everything else stays as it is, but for arcs
        in DEPS, which follow HEAD and DEPREL.
        """
        threads = checked_threads(threads)
        source = opened(source) if isinstance(source, os.PathLike) else source
        treebank = self._noticed(source if isinstance(source, Treebank) else treebank_of([source]))
        parsed = self._completed(treebank, beam, threads, keep_heads)
        return parsed if isinstance(source, Treebank) else parsed[0]

    def _parsed(self, treebank: Treebank, beam: int | None, threads: int) -> Treebank:
        return self._completed(treebank, beam, threads, keep_heads=False)

    def _completed(self, treebank: Treebank, beam: int | None, threads: int, keep_heads: bool) -> Treebank:
        """Return a treebank with trees and predicted columns."""
        trained = self._without_beam(beam)
        given = treebank.head if keep_heads else None
        found = trained.find(trained.definition.inputs(treebank), threads, heads=given)
        self._warn(found)
        parsed = with_trees(trained.tags.filled(treebank, found.tags), found.heads, found.labels, trained.labels)
        if given is None:
            return parsed
        kept = (given >= 0) & (treebank.deprel.ids != _NO_LABEL)
        return parsed.replace(deprel=np.where(kept, treebank.deprel.ids, parsed.deprel.ids)) if kept.any() else parsed

    def _analyses(self, treebank: Treebank, n: int, beam: int | None, threads: int) -> Analyses:
        trained = self._without_beam(beam)
        if n > _kernel.MOST_RANKED_TREES:
            most = _kernel.MOST_RANKED_TREES
            raise ParserError(f"a graph parser gives at most {most} trees of a sentence, not {n}")
        found = trained.find(trained.definition.inputs(treebank), threads, n)
        self._warn(found)
        every = trained.tags.filled(treebank, found.tags)[np.repeat(np.arange(len(treebank)), found.counts)]
        parsed = with_trees(every, found.heads, found.labels, trained.labels)
        return Analyses(parsed, offsets_of(found.counts), found.totals, found.scores, found.margins, probabilities=True)

    def _without_beam(self, beam: int | None) -> GraphTrained:
        if beam is not None:
            raise ParserError("a graph parser searches exactly: it has no beam")
        return required(self.trained)

    def _warn(self, found: FoundTrees) -> None:
        if found.fallbacks:
            one, several = _INSTEAD[required(self.trained).minimum_risk]
            warnings.warn(
                CountedWarning(
                    found.fallbacks,
                    f"1 sentence was too long for an exact search: {one}",
                    f"{{}} sentences were too long for an exact search: {several}",
                ),
                stacklevel=4,
            )

    # Files

    def model_file(self, bits: int = 16, prune: float = 0.0) -> ModelFile:
        """Return the description and the arrays of the trained parser."""
        file = super().model_file(bits, prune)
        tags = required(self.trained).tags
        if not tags:
            return file
        arrays: Arrays = {_TAGS: np.frombuffer(tags.to_bytes(), np.uint8)}
        return ModelFile(file.description, file.arrays | arrays)

    def _description(self) -> dict[str, Any]:
        trained = required(self.trained)
        return {
            "trees": trained.trees,
            "minimum_risk": trained.minimum_risk,
            "outside": self.outside,
            "temperature": trained.temperature,
            **({"predict": list(trained.tags.columns)} if trained.tags else {}),
        }

    @classmethod
    def _restored(cls, file: ModelFile, parts: StoredParts) -> GraphParser:
        data = file.description
        tags = Tags.from_bytes(file.arrays[_TAGS].tobytes()) if _TAGS in file.arrays else NO_TAGS
        definition = Biaffine.definition_from_dict(data, len(parts.labels), parts.vocabularies, tags)
        parser = cls(
            data["trees"],
            root=parts.policy.kind,
            network=definition.scorer,
            outside=data["outside"],
            minimum_risk=data["minimum_risk"],
            predict=tags.columns,
        )
        model = definition.model(file.arrays)
        parser.trained = GraphTrained(
            definition,
            model,
            parts.labels,
            parts.policy,
            parser.trees,
            parser.minimum_risk,
            data["temperature"],
            record=parts.record,
        )
        return parser

    def _summary(self) -> dict[str, Any]:
        trained = required(self.trained)
        return {
            "trees": trained.trees,
            "objective": self.scorer.objective,
            "minimum_risk": self.minimum_risk,
            "temperature": trained.temperature,
            "arithmetic": trained.model.arithmetic,
        }


def _heads_and_labels(found: FoundTrees) -> tuple[Ids, Ids]:
    return found.heads, found.labels
