"""GraphParser: a network scores every arc of a sentence, and the best tree of a class is found exactly.

The class is that of 1-Endpoint-Crossing trees (Pitler, Kannan & Marcus 2013), of projective trees (Eisner 1996), or of
all trees (Chu & Liu 1965, Edmonds 1967); see `crossarc.decoders`. A single root is a constraint of the decoder, and so
are heads that are given. Tags and lemmas may be predicted by the same network, from words alone.
O(words²) for each sentence, and its decoding.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ... import _kernel
from ..._arrays import Flags, Ids, offsets_of
from ...errors import CountedWarning, ParserError
from ...features.lemma_rules import Dictionary
from ...features.tags import NO_TAGS, Tags, checked_columns
from ...models.base import check_torch
from ...models.model_file import Arrays, ModelFile
from ...models.neural.biaffine import Biaffine, BiaffineDefinition, BiaffineModel, FoundTrees, TreesToLearn
from ...options import Check, checked_threads, number, one_of, truth
from ...training.report import DevScores, TrainingReport
from ...treebank import Treebank, opened
from ...treebank.reading import Source
from ..analyses import Analyses
from ..base import Abilities, ParseOptions
from ..candidates import Candidates
from ..crossing_options import check_penalty, checked_penalty, checked_punctuation
from ..punctuation import keeps_punctuation_projective, punctuation_words, reads_tags
from ..root_policy import RootPolicy
from ..trainable import StoredParts, TrainableParser, Trained, register_parser, required
from ..trees import attachment_evaluation, check_label_count, check_trees, numbered, with_trees
from .candidates import candidates_of
from .crossing import PLAIN, Crossing, crossings_are_rare, leaves_punctuation_uncrossed
from .teaching import teaching_by
from .trained import GraphTrained
from .trees import AUTO, TREE_CLASSES, checked_trees, fitting_trees, nearest_trees, tree_class
from .unique_relations import with_unique_relations

if TYPE_CHECKING:
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
#: And where several trees were asked for.
_FEWER = ("it got fewer trees, the best ones", "they got fewer trees, the best ones")
#: The class in which crossed arcs have scores of their own, unless options say otherwise.
_CROSSING = "1-endpoint-crossing"
#: The id of "_" in every pool.
_NO_LABEL = 0
#: The array of a model file that holds the classes of predicted columns.
_TAGS = "tags"


def _check_lengths(treebank: Treebank, name: str) -> None:
    """Refuse sentences whose matrix of arcs would not fit into memory, before anything is learnt."""
    lengths, most = np.diff(treebank.word_offsets), _kernel.MOST_GRAPH_WORDS
    if (lengths > most).any():
        sentence = int(np.argmax(lengths > most))
        said = f"sentence {sentence + 1} of the {name} data has {lengths[sentence]} words"
        raise ParserError(f"{said}: a graph parser takes at most {most}")


@register_parser
class GraphParser(TrainableParser):
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
        crossing_penalty: What the score of an arc loses where another arc crosses it, a number, which may be changed
            after training; "auto": that with the best strict F of non-projective arcs on development data, 0 without
            such data or where they have fewer than five such arcs. With it, how much the network's probabilities of
            crossed arcs count. Unrestricted trees are then searched for, which is
            not exact.
        crossing_punctuation: Whether punctuation may make arcs non-projective; where not, it is attached anew where it
            does. "auto": not if that of the training data does not, but for 0.2 %. Where at most 0.2 % of the arcs into
            punctuation are crossed there, no arc crosses any of them in 1-endpoint-crossing trees, exactly.
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
    later_fields: ClassVar[Mapping[str, Check]] = {
        "crossing_punctuation": truth,
        "uncrossed_punctuation": truth,
        "crossing_weight": number(0, 1),
        "crossing_penalty": check_penalty,
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
        crossing_penalty: float | str = AUTO,
        crossing_punctuation: bool | str = AUTO,
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
        if self.scorer.crossed_hidden_size and self.scorer.objective != "heads" and trees not in (AUTO, _CROSSING):
            raise ParserError(f"crossed arcs of {trees} trees are learnt head by head: leave out crossed_hidden_size")
        self.outside = outside
        self.minimum_risk = minimum_risk
        self._crossing_penalty = checked_penalty(crossing_penalty)
        self._crossing_punctuation = checked_punctuation(crossing_punctuation)

    @property
    def name(self) -> str:
        return f"graph, {self.trees if self.trained is None else self.trained.trees}"

    @property
    def predict(self) -> tuple[str, ...]:
        """The columns that are predicted together with trees; of a trained parser those that its data had."""
        return self._predict if self.trained is None else self.trained.tags.columns

    @property
    def crossing_penalty(self) -> float | str:
        """What crossed arcs lose: as the option says; of a trained parser a number, which may be changed."""
        return self._crossing_penalty if self.trained is None else self.trained.crossing.penalty

    @crossing_penalty.setter
    def crossing_penalty(self, penalty: float) -> None:
        self._crossing_penalty = float(check_penalty("crossing_penalty", penalty))
        if self.trained is not None:
            crossing = self.trained.crossing._replace(penalty=self._crossing_penalty)
            self.trained = replace(self.trained, crossing=crossing)

    @property
    def crossing_punctuation(self) -> bool | str:
        """Whether punctuation may make arcs non-projective; of a trained parser it can be changed, too."""
        return self._crossing_punctuation if self.trained is None else self.trained.crossing_punctuation

    @crossing_punctuation.setter
    def crossing_punctuation(self, crossing: bool) -> None:
        self._crossing_punctuation = bool(truth("crossing_punctuation", crossing))
        if self.trained is not None:
            uncrossed = self.trained.uncrossed_punctuation and not crossing
            self.trained = replace(self.trained, crossing_punctuation=crossing, uncrossed_punctuation=uncrossed)

    def set_crossing_penalty(self, penalty: float) -> None:
        self.crossing_penalty = penalty

    def choose_crossing_penalty(self, dev: Treebank | Source, *, threads: int = 0) -> float:
        """Take the penalty that is best for the non-projective arcs of development data, as training does.

        With it, the weight of crossings of a network that scores them. For a parser that was trained without such data,
        or by an older version. With fewer than five such arcs the penalty is 0.
        """
        trained = required(self.trained)
        chosen = trained.choose_crossing(opened(dev, threads=checked_threads(threads)), threads)
        self.trained = replace(trained, crossing=PLAIN if chosen is None else chosen[0])
        self._crossing_penalty = self.trained.crossing.penalty
        return self._crossing_penalty

    def calibrate(self, dev: Treebank | Source, *, threads: int = 0) -> None:
        """Have probabilities hold on development data, and take the best penalty of crossed arcs there.

        Training with such data does so; this is for a parser that was trained without.
        """
        data = opened(dev, threads=checked_threads(threads))
        self.trained, _ = required(self.trained).calibrated(data, threads, crossing=True)

    # Training

    def _learn(
        self, train: Treebank, dev: Treebank | None, settings: TrainingSettings
    ) -> tuple[TrainingReport, Trained]:
        from ...structure.batch import crossed_arcs
        from ...training.loop import train_model

        for treebank, name in ((train, "training"), (dev, "development")):
            if treebank is not None:
                check_trees(treebank, name)
                _check_lengths(treebank, name)
        # What is decided before learning is decided by gold trees alone.
        gold = train if settings.gold is None else settings.gold
        labels = tuple(gold.inventory("deprel"))
        check_label_count(len(labels), "DEPREL of the training data has")
        label_of = numbered(train, train.deprel.ids, labels)
        of_gold = numbered(gold, gold.deprel.ids, labels)
        policy = RootPolicy.fit(self._without_predicted(gold), of_gold, len(labels), self.root)
        trees = fitting_trees(gold, settings.threads) if self.trees == AUTO else self.trees
        nearest = nearest_trees(train, trees, policy.kind, settings.threads)
        lost = int((nearest.heads != train.head).sum())
        report = TrainingReport(len(train), train.words, train.words, lost)
        tags = Tags.fit(gold, self._predict)
        if self._predict and not tags:
            raise ParserError(f"the training data have no {', '.join(self._predict)} to predict")
        crossed = crossed_arcs(train.head, train.word_offsets, settings.threads)
        crossing = trees == _CROSSING and crossings_are_rare(crossed)
        taught = train[len(train) - settings.taught :] if settings.taught else None
        definition = self.scorer.definition(len(labels), gold, self.cutoff, tags, crossing=crossing, taught=taught)
        heads = nearest.heads if self.outside == "nearest" else train.head
        free, uncrossed, punctuation = self._punctuation(train, trees, definition, crossed, settings.threads)
        data = TreesToLearn(definition.inputs(train), heads, label_of, tags.classes(train))
        if definition.scores_crossed:
            if lost and self.outside == "nearest":
                crossed = crossed_arcs(heads, train.word_offsets, settings.threads)
            data = data._replace(crossed=np.where(uncrossed & punctuation, -1, crossed).astype(np.int32))
        if settings.device is not None:
            check_torch(settings.device)
        teaching = None
        if settings.teacher is not None:
            teaching = teaching_by(settings.teacher, definition, labels, train, len(train) - settings.taught)
        learner = definition.learner(
            data,
            tree_class(trees),
            single_root=policy.kind == "single",
            seed=settings.seed,
            epochs=settings.epochs,
            threads=settings.threads,
            device=settings.device,
            teaching=teaching,
        )

        def trained(model: BiaffineModel) -> GraphTrained:
            given = 0.0 if self._crossing_penalty == AUTO else float(self._crossing_penalty)
            options: dict[str, Any] = {"crossing": Crossing(penalty=given), "uncrossed_punctuation": uncrossed}
            options["crossing_punctuation"] = free
            return GraphTrained(definition, model, labels, policy, trees, self.minimum_risk, **options)

        inputs = None if dev is None else definition.bare_inputs(dev)
        evaluate = None
        if dev is not None and inputs is not None:
            attachment = attachment_evaluation(dev, labels, _heads_and_labels)

            def evaluate(model: BiaffineModel) -> DevScores:
                parser = trained(model)
                parsed = parser.find(inputs, settings.threads, never_crossed=parser.never_crossed(dev))
                parsed = parsed.moved(parser.placed(dev, parsed.heads, settings.threads))
                return attachment(parsed)._replace(tags=tags.accuracies(dev, parsed.tags) if tags else {})

        model = train_model(
            definition, learner, evaluate, report, settings, lambda: self._identity(train, dev, settings)
        )
        if dev is None:
            return report, trained(model)
        calibrated, best = trained(model).calibrated(dev, settings.threads, crossing=self._crossing_penalty == AUTO)
        if best is not None:
            kept = report.epochs[report.best - 1]
            report.epochs[report.best - 1] = replace(kept, las=best.las, uas=best.uas, strict_f=best.strict_f)
        return report, calibrated

    def _punctuation(
        self, train: Treebank, trees: str, definition: BiaffineDefinition, crossed: Flags, threads: int
    ) -> tuple[bool, bool, Flags]:
        """Whether punctuation may make arcs non-projective, as option or data say; whether none crosses; its words."""
        tags = reads_tags(definition, definition.tags.columns)
        words = punctuation_words(train, tags=tags)
        crossing = self._crossing_punctuation
        if crossing == AUTO:
            crossing = trees == "projective" or not keeps_punctuation_projective(train, tags=tags, threads=threads)
        uncrossed = not crossing and trees == _CROSSING and leaves_punctuation_uncrossed(crossed, words)
        return bool(crossing), uncrossed, words

    def _without_predicted(self, train: Treebank) -> Treebank:
        """Return training data without parts of speech if they are predicted, so that nothing else asks for them."""
        return train.replace(upos=np.zeros(train.words, np.int32)) if "upos" in self._predict else train

    def _identity(self, train: Treebank, dev: Treebank | None, settings: TrainingSettings) -> dict[str, Any]:
        trainer = "native" if settings.device is None else "torch"
        return {**super()._identity(train, dev, settings), "trainer": trainer}

    def _options(self) -> dict[str, Any]:
        return {
            "trees": self.trees,
            "outside": self.outside,
            "minimum risk": self.minimum_risk,
            "crossing penalty": self._crossing_penalty,
            "crossing punctuation": self._crossing_punctuation,
            **({"predict": list(self._predict)} if self._predict else {}),
        }

    def learn_lemmas(self, treebank: Treebank | Source, dictionary: Dictionary | None = None) -> None:
        """Learn a lemmatiser for words that training data do not have; the network stays as it is.

        For a trained parser that predicts lemmas, also one of an older version. `treebank`: what it was trained on,
        with the tags that it predicts; its memory of lemmas becomes that of this treebank. `dictionary`: known lemmas.
        """
        trained = required(self.trained)
        tags = trained.tags.with_lemmatiser(opened(treebank), dictionary)
        self.trained = replace(trained, definition=replace(trained.definition, tags=tags))

    def learn_combinations(self, treebank: Treebank | Source) -> None:
        """Have UPOS, XPOS and FEATS predicted together, by the combinations that a treebank has; all else stays.

        For a trained parser of an older version: others learnt them.
        """
        trained = required(self.trained)
        tags = trained.tags.with_combinations(opened(treebank))
        self.trained = replace(trained, definition=replace(trained.definition, tags=tags))

    # Parsing

    @property
    def abilities(self) -> Abilities:
        return Abilities(predicts=self.predict, several_trees=True, keeps_heads=True)

    def _parsed(self, treebank: Treebank, options: ParseOptions) -> Treebank:
        trained = self._without_beam(options.beam)
        given = treebank.head if options.keep_heads else None
        inputs, never_crossed = trained.definition.inputs(treebank), trained.never_crossed(treebank)
        tags = trained.tags.search(treebank)
        trees = trained.find(inputs, options.threads, heads=given, never_crossed=never_crossed, tags=tags)
        self._warn(trees)
        if given is None:
            trees = trees.moved(trained.placed(treebank, trees.heads, options.threads))
        labels, kept = trees.labels, np.zeros(treebank.words, bool)
        if given is not None:
            kept = (given >= 0) & (treebank.deprel.ids != _NO_LABEL)
            known = numbered(treebank, treebank.deprel.ids, trained.labels)
            labels = np.where(kept & (known >= 0), known, labels)
        labels = with_unique_relations(trained, treebank, trees.heads, labels, kept, options.threads)
        parsed = with_trees(trained.tags.filled(treebank, trees.tags), trees.heads, labels, trained.labels)
        parsed = trained.tags.decided_by_trees(parsed, treebank)
        return parsed.replace(deprel=np.where(kept, treebank.deprel.ids, parsed.deprel.ids)) if kept.any() else parsed

    def candidates(self, sentence: Treebank, heads: int, labels: int, *, threads: int = 0) -> Candidates:
        return candidates_of(required(self.trained), sentence, heads, labels, checked_threads(threads))

    def _analyses(self, treebank: Treebank, n: int, options: ParseOptions) -> Analyses:
        trained = self._without_beam(options.beam)
        if n > _kernel.MOST_RANKED_TREES:
            most = _kernel.MOST_RANKED_TREES
            raise ParserError(f"a graph parser gives at most {most} trees of a sentence, not {n}")
        inputs = trained.definition.inputs(treebank)
        never_crossed, tags = trained.never_crossed(treebank), trained.tags.search(treebank)
        trees = trained.find(inputs, options.threads, n, never_crossed=never_crossed, tags=tags)
        self._warn(trees, n)
        if n == 1:
            trees = trees.moved(trained.placed(treebank, trees.heads, options.threads))
        each = np.repeat(np.arange(len(treebank)), trees.counts)
        copies, every = treebank[each], trained.tags.filled(treebank, trees.tags)[each]
        none_given = np.zeros(copies.words, bool)
        labels = with_unique_relations(trained, copies, trees.heads, trees.labels, none_given, options.threads)
        parsed = with_trees(every, trees.heads, labels, trained.labels)
        parsed = trained.tags.decided_by_trees(parsed, copies)
        return Analyses(
            parsed,
            offsets_of(trees.counts),
            trees.totals,
            trees.scores,
            trees.margins,
            probabilities=True,
            marginals=partial(trained.marginals, inputs, trees, options.threads) if self._learns_trees else None,
        )

    @property
    def _learns_trees(self) -> bool:
        """Whether the network learnt the probabilities of whole trees."""
        return self.scorer.objective == "likelihood"

    def _without_beam(self, beam: int | None) -> GraphTrained:
        if beam is not None:
            raise ParserError("a graph parser searches exactly: it has no beam")
        return required(self.trained)

    def _warn(self, trees: FoundTrees, n: int = 1) -> None:
        if trees.fallbacks:
            risk = required(self.trained).minimum_risk
            one, several = _FEWER if n > 1 and not risk else _INSTEAD[risk]
            warnings.warn(
                CountedWarning(
                    trees.fallbacks,
                    f"1 sentence was too long for an exact search: {one}",
                    f"{{}} sentences were too long for an exact search: {several}",
                ),
                stacklevel=4,
            )

    # Files

    def model_file(self, bits: int = 16, prune: float = 0.0) -> ModelFile:
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
            "crossing_punctuation": trained.crossing_punctuation,
            "uncrossed_punctuation": trained.uncrossed_punctuation,
            "crossing_weight": trained.crossing.weight,
            "crossing_penalty": trained.crossing.penalty,
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
            crossing_penalty=data.get("crossing_penalty", 0.0),
            crossing_punctuation=data.get("crossing_punctuation", True),
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
            data.get("crossing_punctuation", True),
            data.get("uncrossed_punctuation", False),
            Crossing(data.get("crossing_weight", 1.0), data.get("crossing_penalty", 0.0)),
            record=parts.record,
        )
        return parser

    def _summary(self) -> dict[str, Any]:
        trained = required(self.trained)
        return {
            "trees": trained.trees,
            "objective": self.scorer.objective,
            "scores_crossed": trained.model.scores_crossed,
            "crossing_weight": trained.crossing.weight,
            "crossing_penalty": trained.crossing.penalty,
            "crossing_punctuation": trained.crossing_punctuation,
            "minimum_risk": self.minimum_risk,
            "temperature": trained.temperature,
            "arithmetic": trained.model.arithmetic,
        }


def _heads_and_labels(trees: FoundTrees) -> tuple[Ids, Ids]:
    return trees.heads, trees.labels
