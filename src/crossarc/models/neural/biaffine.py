"""The network of a graph parser: its options and what they define.

An encoder reads the sentence (`encoders`); every arc is scored by a biaffine product of its two words, and its label by
another (Dozat & Manning 2017; kernel/nn/heads/biaffine.hpp). A third says what an arc gains or loses where another arc
of the tree crosses it (Pitler 2014). Tags and rules of lemmas may be predicted of the same encoder, together with trees
(kernel/nn/heads/tags.hpp). O(words) for reading, O(words²) for the arcs of a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ... import _kernel
from ..._arrays import AnyArray, Doubles, Flags, Floats, Ids, Offsets
from ...errors import ParserError
from ...features import Vocabularies
from ...features.tags import ANY_TAGS, NO_TAGS, Tags, TagSearch
from ...features.vocabularies import column_of, with_normal_forms
from ...options import Check, bounded, later, one_of, option, share
from ...treebank import Treebank
from ..base import Learner, SentenceInputs, torch_learner
from .encoders import AFFIXES, FIELDS, EncoderOptions, encoder_kinds
from .heads import BiaffineHead, CrossedHead, TagHead
from .network import NeuralDefinition, NeuralLearner, NeuralModel
from .parts import Part
from .schedule import Schedule

#: What is read of words where tags and lemmas are to be predicted.
_WORD_GROUPS = (("lower",), AFFIXES)
_WORD_EMBEDDING_SIZES = (125, 100)
#: Columns that may be given though they are predicted, and their embedding size.
_GIVEN = ("upos", "xpos")
_GIVEN_EMBEDDING_SIZE = 64
#: What parsers learn: heads of words one by one, or trees.
OBJECTIVES = tuple(_kernel.GraphObjective.__members__)
_NO_HEADS: Ids = np.zeros(0, np.int32)
_NO_FLAGS: NDArray[np.uint8] = np.zeros(0, np.uint8)
#: The hidden size of the layer for crossed arcs, where they have scores of their own and nothing else is said.
_CROSSED_HIDDEN_SIZE = 64


class TreesToLearn(NamedTuple):
    """Sentences to learn from: what is read of them, and of each word its head and the numbers of label and tags."""

    inputs: SentenceInputs
    heads: Ids
    labels: Ids
    #: A row for each word, -1 for none.
    tags: Ids = np.zeros((0, 0), np.int32)
    #: Whether the arc into each word is crossed, 1 or 0, or may never be, -1; only where the network scores that.
    crossed: Ids = np.zeros(0, np.int32)


class Teaching(NamedTuple):
    """A network whose distributions over heads, labels and tags are learnt in some of the sentences."""

    definition: BiaffineDefinition
    weights: Mapping[str, Floats]
    #: What it reads of all sentences.
    inputs: SentenceInputs
    #: The number of the first of the sentences in which it teaches; those before it have gold trees.
    first: int
    #: For each label of who learns, its number among those of the teacher, -1 for none.
    labels: Ids
    #: The same for classes of tags, by column, of those that both have.
    tags: Mapping[str, Ids]


@dataclass(frozen=True)
class Biaffine(EncoderOptions):
    """A network that reads the words of a sentence and scores arcs and labels.

    Parameters:
        arc_hidden_size: The hidden size of the layer that scores arcs.
        label_hidden_size: The hidden size of the layer that scores labels.
        objective: "heads", the probability of each word's head; "likelihood", that of the tree among all of the class;
            "margin", a margin between the right tree and the best wrong one.
        batch_words: The batch size in words, about. Native training shares a batch among two threads, from 1,024 words
            on among four, from 1,536 on among one for each 256 words, an even number up to 16.
        learning_rate: The learning rate of Adam; after it rose, it falls linearly to nothing.
        hidden_dropout: Dropout of the layers that score arcs and labels.
        tag_weight: By which the loss of each predicted tag is multiplied; those of heads and labels count one.
        given_tags: The share of training sentences in which some words show the UPOS and XPOS that are predicted
            elsewhere, so that trees follow tags that a person gives. Of torch only.
        crossed_hidden_size: The hidden size of the layer that says what an arc gains or loses where another arc crosses
            it, 0 for none; by default 64 for 1-endpoint-crossing trees where at most 2 % of the arcs of the training
            data are crossed, and 0 for others.
        taught_words: So many of the most frequent words of the sentences that a teacher parsed are known beside those
            of the treebank.
    """

    arc_hidden_size: int = bounded(256, 1, 4096)
    label_hidden_size: int = bounded(128, 1, 4096)
    objective: str = option("heads", one_of(*OBJECTIVES))
    batch_words: int = bounded(1000, 1, 100_000)
    tag_weight: float = bounded(1.0, 0, 100)
    given_tags: float = later(share(0.0))
    crossed_hidden_size: int | None = later(bounded(None, 0, 4096))
    taught_words: int = later(bounded(0, 0, 1_000_000))
    name: ClassVar[str] = "biaffine"
    fields: ClassVar[Mapping[str, Check]] = FIELDS

    def predicting(self, columns: Sequence[str]) -> Biaffine:
        """Return options for a network that predicts these columns: the default groups become words and affixes.

        An encoder that has read needs neither. Other groups that read a predicted column are refused, but for tags that
        may be given.
        """
        read = {column_of(attribute) for group in self.groups for attribute in group} & set(columns)
        if (self.groups, self.embedding_sizes) == (type(self).groups, type(self).embedding_sizes):
            options, read = self._for_words(), set()
        else:
            options = self
        if self.given_tags and not read:
            given = tuple(column for column in _GIVEN if column in columns)
            sizes = (*options.embedding_sizes, _GIVEN_EMBEDDING_SIZE)
            return replace(options, groups=(*options.groups, given), embedding_sizes=sizes) if given else options
        if read.difference(_GIVEN if self.given_tags else ()):
            names = ", ".join(sorted(read))
            raise ParserError(f"a column is predicted or read, not both: leave {names} out of the groups")
        return options

    def _for_words(self) -> Biaffine:
        """Return options with groups for words without tags, in place of the default ones."""
        if self.encoder in encoder_kinds():
            return replace(self, groups=_WORD_GROUPS, embedding_sizes=_WORD_EMBEDDING_SIZES)
        return self.beside_pieces() if self.given_tags else self

    @staticmethod
    def epochs_for(words: int) -> int:
        """Return how many epochs training data of so many words ask for: the fewer words, the more epochs."""
        return int(np.clip(round(20 * (200_000 / max(words, 1)) ** 0.5), 12, 80))

    def definition(
        self,
        labels: int,
        treebank: Treebank,
        cutoff: int,
        tags: Tags = NO_TAGS,
        *,
        crossing: bool = False,
        taught: Treebank | None = None,
    ) -> BiaffineDefinition:
        """Return the definition of a model for so many labels and these tags, with the vocabularies of training data.

        `cutoff`: how often forms, lemmas and affixes must occur. `crossing`: whether crossed arcs have scores of their
        own where `crossed_hidden_size` does not say it. `taught`: sentences that a teacher parsed, for `taught_words`.
        """
        treebank = with_normal_forms(treebank) if tags else treebank
        options = self
        if self.crossed_hidden_size is None:
            options = replace(self, crossed_hidden_size=_CROSSED_HIDDEN_SIZE if crossing else 0)
        known = options.fitted(treebank, cutoff)
        if self.taught_words and taught is not None:
            more = with_normal_forms(taught) if tags else taught
            known["vocabularies"] = known["vocabularies"].with_words(more, self.taught_words)
        return BiaffineDefinition(labels=labels, tags=tags, **known)

    @classmethod
    def definition_from_dict(
        cls, data: Mapping[str, Any], labels: int, vocabularies: Vocabularies, tags: Tags = NO_TAGS
    ) -> BiaffineDefinition:
        """Return the definition whose `to_dict` a model file has; networks of older files do not score crossed arcs."""
        return BiaffineDefinition(labels=labels, tags=tags, **cls.stored(data, vocabularies))


@dataclass(frozen=True)
class BiaffineDefinition(NeuralDefinition[Biaffine]):
    """The shape of a network: its options, with vocabularies and the number of labels."""

    labels: int
    #: What is predicted of words beside their heads.
    tags: Tags = NO_TAGS

    def inputs(self, treebank: Treebank) -> SentenceInputs:
        """Return what the network reads of a treebank; where it predicts tags, forms in one spelling."""
        if self.tags:
            treebank = with_normal_forms(treebank, elisions=self.vocabularies.writes_elisions_alike)
        return super().inputs(treebank)

    def bare_inputs(self, treebank: Treebank) -> SentenceInputs:
        """Return what the network reads of a treebank whose words have nothing of what it predicts."""
        read = {column_of(name) for name in self.vocabularies.names} & set(self.tags.columns)
        return self.inputs(treebank.replace(**{column: ["_"] * treebank.words for column in read}))

    @property
    def given_columns(self) -> tuple[dict[str, int], float]:
        names = self.vocabularies.names
        given = {column: names.index(column) for column in self.tags.columns if column in names}
        return given, self.scorer.given_tags

    def check_native(self) -> None:
        super().check_native()
        if self.scorer.given_tags:
            raise ParserError("tags that may be given are learnt with torch alone: give a device, as --device cpu")

    def heads(self) -> Sequence[Part]:
        heads: list[Part] = [BiaffineHead(self.scorer.arc_hidden_size, self.scorer.label_hidden_size, self.labels)]
        if self.scores_crossed:
            heads.append(CrossedHead(self.scorer.crossed_hidden_size or 0))
        return [*heads, TagHead(self.tags.sizes)] if self.tags else heads

    @property
    def scores_crossed(self) -> bool:
        """Whether crossed arcs have scores of their own."""
        return bool(self.scorer.crossed_hidden_size)

    def schedule(self, data: TreesToLearn, epochs: int) -> Schedule:
        """Return the learning rate over the training."""
        options = self.scorer
        return Schedule(options.learning_rate, epochs, options.warm_up, len(data.heads) / options.batch_words)

    def native_learner(self, tree_class: _kernel.TreeClass, *, single_root: bool, seed: int) -> _kernel.GraphLearner:
        """Return a network that learnt nothing yet; the class of trees is for objectives over trees."""
        self.check_native()
        options = self.scorer
        return _kernel.GraphLearner(
            self.new_network(seed, parts=_kernel.GraphLearner.most_parts(options.batch_words)),
            dropout=self.encoder_dropout(),
            word_dropout=options.word_dropout,
            hidden_dropout=options.hidden_dropout,
            columns=self.column_dropout(),
            tag_weight=options.tag_weight,
            objective=_kernel.GraphObjective.__members__[options.objective],
            tree_class=tree_class,
            single_root=single_root,
            lexical_columns=self.lexical_columns,
            words=options.batch_words,
            seed=seed,
        )

    def learner(
        self,
        data: TreesToLearn,
        tree_class: _kernel.TreeClass,
        *,
        single_root: bool,
        seed: int,
        epochs: int,
        threads: int,
        device: str | None = None,
        teaching: Teaching | None = None,
    ) -> Learner[BiaffineModel]:
        """Return a learner in the kernel, or in torch on a device; both begin with the same weights.

        `teaching`: whose distributions are learnt; of torch only.
        """
        if device is not None:
            make = torch_learner(self.scorer.name)
            assert make is not None  # its home is in this package
            start, trees = self.new_network(seed, device=device).parameters(), (tree_class, single_root, threads)
            return make(self, data, start, self.schedule(data, epochs), seed, device, *trees, teaching)
        native = self.native_learner(tree_class, single_root=single_root, seed=seed)
        inputs, heads, labels, tags, crossed = data

        def step(order: Ids, epoch: int, rate: float) -> int:
            return native.learn(order, *inputs, heads, labels, tags.reshape(-1), crossed, rate=rate, threads=threads)

        sentences, schedule = len(inputs.word_offsets) - 1, self.schedule(data, epochs)
        return NeuralLearner(native, step, sentences, schedule, self.kept_model)

    def model_with(self, network: _kernel.Network) -> BiaffineModel:
        """Return the model that has this network."""
        return BiaffineModel(network, _kernel.GraphModel(network), self.tags.sizes)

    def kept_model(self, weights: Mapping[str, Floats]) -> BiaffineModel:
        return self.model_with(self.kept_network(weights))

    def model(self, arrays: Mapping[str, AnyArray]) -> BiaffineModel:
        return self.model_with(self.network(arrays))

    def summary(self) -> dict[str, Any]:
        options = self.scorer
        predicted = {"predicts": [column.upper() for column in self.tags.columns]} if self.tags else {}
        sizes = {} if self.pretrained else {"layers": options.layers, "hidden_size": options.hidden_size}
        return {"scorer": options.name, **sizes, **predicted, **self.encoder_summary()}


class FoundTrees(NamedTuple):
    """Trees of sentences, best first: how many of each sentence, of each tree its score, of each word the rest.

    `scores` are logarithms of the probabilities of heads, `margins` how much better each is than the best other head.
    `tags`: of each word of the sentences, a row, the class of each tag. `fallbacks`: sentences too long for the chart
    of the class, which got their best projective tree.
    """

    counts: Offsets
    totals: Doubles
    heads: Ids
    labels: Ids
    scores: Floats
    margins: Floats
    tags: Ids
    fallbacks: int

    def moved(self, heads: Ids) -> FoundTrees:
        """Return the same trees with other heads; those that differ have no scores."""
        if heads is self.heads:
            return self
        kept = heads == self.heads
        scores, margins = (np.where(kept, each, np.float32(np.nan)) for each in (self.scores, self.margins))
        return self._replace(heads=heads, scores=scores, margins=margins)


@dataclass(frozen=True, eq=False)
class BiaffineModel(NeuralModel):
    """A network that scores arcs and labels."""

    native: _kernel.GraphModel
    #: How many classes each tag has.
    tags: tuple[int, ...] = ()

    def parse(
        self,
        inputs: SentenceInputs,
        *,
        tree_class: _kernel.TreeClass,
        single_root: bool,
        root_label: int,
        most: int = 1,
        temperature: float = 1.0,
        minimum_risk: bool = False,
        heads: Ids | None = None,
        crossing: tuple[float, float] = (1.0, 0.0),
        never_crossed: Flags | None = None,
        tags: TagSearch = ANY_TAGS,
        threads: int = 0,
    ) -> FoundTrees:
        """Return the best trees of a class, at most so many of each sentence.

        `root_label`: the label that arcs from the root have, and no others; -1 for any. `heads`: those that words have
        in every tree, -1 for any; where no tree of the class has them, there is an error. `crossing`: how much the
        probability of being crossed or not counts beside that of the head, and what crossed arcs lose. No arc crosses
        those into the words that are `never_crossed`; in unrestricted trees, for which that is a search, hardly any.
        `tags`: what tags words may have.
        """
        try:
            arrays = self.native.parse(
                *inputs,
                tree_class=tree_class,
                single_root=single_root,
                most=most,
                temperature=temperature,
                minimum_risk=minimum_risk,
                root_label=root_label,
                heads=_NO_HEADS if heads is None else heads,
                crossing_weight=crossing[0],
                crossing_penalty=crossing[1],
                never_crossed=_NO_FLAGS if never_crossed is None else never_crossed.view(np.uint8),
                combinations=tags.combinations,
                given_tags=tags.given,
                evidence=tags.evidence,
                kinds=tags.kinds,
                threads=threads,
            )
        except ValueError as error:
            raise ParserError(str(error)) from error
        trees = FoundTrees(*arrays)
        return trees._replace(tags=trees.tags.reshape(len(inputs.values), len(self.tags)))

    def compare_crossings(
        self,
        inputs: SentenceInputs,
        ways: Sequence[tuple[float, float]],
        *,
        tree_class: _kernel.TreeClass,
        single_root: bool,
        root_label: int,
        temperature: float = 1.0,
        minimum_risk: bool = False,
        never_crossed: Flags | None = None,
        threads: int = 0,
    ) -> list[tuple[Ids, Ids]]:
        """Return the heads and labels that `parse` finds with each of these `crossing`; sentences are scored once."""
        return self.native.compare_crossings(
            *inputs,
            [weight for weight, _ in ways],
            [penalty for _, penalty in ways],
            tree_class=tree_class,
            single_root=single_root,
            temperature=temperature,
            minimum_risk=minimum_risk,
            root_label=root_label,
            never_crossed=_NO_FLAGS if never_crossed is None else never_crossed.view(np.uint8),
            threads=threads,
        )

    @property
    def scores_crossed(self) -> bool:
        """Whether crossed arcs have scores of their own."""
        return self.native.scores_crossed

    def joint_scores(self, inputs: SentenceInputs, threads: int = 0) -> tuple[Floats, Floats | None]:
        """Return the logarithms of the probabilities of arcs that are not crossed, and of crossed ones.

        Matrix after matrix, as decoders take them; None where crossed arcs have no scores of their own.
        """
        uncrossed, crossed = self.native.arc_scores(*inputs, threads=threads)
        return uncrossed, crossed if self.scores_crossed else None

    def arc_scores(self, inputs: SentenceInputs, threads: int = 0) -> Floats:
        """Return the logarithms of the probabilities of all arcs, crossed or not, matrix after matrix."""
        uncrossed, crossed = self.joint_scores(inputs, threads)
        return uncrossed if crossed is None else np.logaddexp(uncrossed, crossed)

    def label_scores(self, inputs: SentenceInputs, heads: Ids, threads: int = 0) -> Floats:
        """Return the scores of the labels of arcs, a row for each word, for these heads."""
        scores = self.native.label_scores(*inputs, heads, threads=threads)
        return scores.reshape(len(heads), -1) if len(heads) else np.zeros((0, 0), np.float32)

    def tag_scores(self, inputs: SentenceInputs, threads: int = 0) -> Floats:
        """Return the scores of the classes of all tags, a row for each word, those of one tag after the other."""
        return self.native.tag_scores(*inputs, threads=threads).reshape(len(inputs.values), sum(self.tags))
