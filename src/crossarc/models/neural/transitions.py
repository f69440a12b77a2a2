"""A network as the scorer of a transition parser: its options and what they define.

It reads the whole sentence before it is parsed (`encoders`); transitions are scored by what the encoder says of a few
words of the configuration, labels by that of the two words of an arc, each through one hidden layer (Kiperwasser &
Goldberg 2016; kernel/nn/heads/transitions.hpp). Training follows the parser's own mistakes (Goldberg & Nivre 2013)
where the costs of transitions are known. O(words) for reading, O(1) for each configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ... import _kernel
from ..._arrays import AnyArray, Flags, Floats, Ids
from ...errors import ParserError
from ...features import FeatureSet, Vocabularies, compile_views, default_views
from ...options import MOST_TEMPLATES, Check, bounded, listed, option, redefined, text, truth
from ...structure.arcs import Arcs
from ...transitions import TransitionSystem
from ...transitions.algebra import compiled
from ...transitions.oracles import OracleSupport, Reach
from ...treebank import Treebank
from ..base import SearchResult, SentenceInputs, Trace, TrainingData, register_scorer
from ..oracle_options import OracleOptions, exploration_percent
from .encoders import FIELDS, EncoderOptions
from .heads import TransitionHead
from .network import PORTION, PORTION_BY_LENGTH, NeuralDefinition, NeuralLearner, NeuralModel
from .schedule import Schedule

_texts = listed(text, 1, MOST_TEMPLATES, "texts")
#: The share of the learning rate that is left at the end.
_LAST_RATE = 0.05

#: Where the options of deep networks differ from the defaults: the encoder is that of graph parsers.
DEEP: Mapping[str, Any] = {
    "groups": (("lower", "lemma"), ("upos", "xpos", "xpos:*", "feats:*")),
    "embedding_sizes": (125, 100),
    "features": 100,
    "unit_embeddings": True,
    "character_size": 125,
    "layers": 2,
    "hidden_size": 200,
    "transition_hidden_size": 200,
    "label_hidden_size": 128,
    "batch_words": 1000,
    "warm_up": 200,
    "input_dropout": 0.0,
    "group_dropout": 0.33,
    "hidden_dropout": 0.33,
    "word_dropout": 0.2,
    "rare_word_dropout": False,
    "column_dropout": 0.02,
    "long_training": True,
}


@register_scorer
@dataclass(frozen=True)
class Network(EncoderOptions, OracleOptions):
    """A network that reads the words of a sentence and scores transitions and labels.

    Parameters:
        transition_hidden_size: The hidden size of the layer that scores transitions.
        label_hidden_size: The hidden size of the layer that scores labels.
        batch_sentences: The batch size in sentences; by default 8, 16 or 32, the fewer the smaller the treebank.
        batch_words: The batch size in words, about, in place of that in sentences: batches are then of sentences of
            similar lengths, and up to 16 threads learn from each.
        learning_rate: The learning rate of Adam at the start; it falls linearly to a twentieth.
        hidden_dropout: Dropout of the two hidden layers that score transitions and labels.
        rare_word_dropout: Whether it is rather values that are rare, those of affixes, too: one that was seen n times
            is replaced with probability word_dropout / (word_dropout + n).
        long_training: Whether training takes about twice as many epochs where their number is not given.
        views: What is looked at in a configuration: words, as `s0` or `b0.l1`, and small numbers, as `s0.left_valency`
            or `distance(s0,b0)`; by default those that suit the system.
        exploration: The share of wrong choices that training follows after the first epoch, so that it learns in
            configurations that the parser will get into (Goldberg & Nivre 2013). With 0 the oracle is static.
            Systems whose costs of transitions are only estimated never explore: they came out worse with it.
    """

    groups: tuple[tuple[str, ...], ...] = redefined(
        EncoderOptions,
        "groups",
        (
            ("lower", "lemma", "suffix2", "suffix3", "suffix4", "prefix2", "prefix3"),
            ("upos", "xpos", "feats", "feats:*"),
        ),
    )
    embedding_sizes: tuple[int, ...] = redefined(EncoderOptions, "embedding_sizes", (96, 64))
    features: int = redefined(EncoderOptions, "features", 24)
    unit_embeddings: bool = redefined(EncoderOptions, "unit_embeddings", False)
    character_size: int = redefined(EncoderOptions, "character_size", 0)
    layers: int = redefined(EncoderOptions, "layers", 1)
    hidden_size: int = redefined(EncoderOptions, "hidden_size", 128)
    warm_up: int = redefined(EncoderOptions, "warm_up", 0)
    input_dropout: float = redefined(EncoderOptions, "input_dropout", 0.15)
    group_dropout: float = redefined(EncoderOptions, "group_dropout", 0.0)
    hidden_dropout: float = redefined(EncoderOptions, "hidden_dropout", 0.25)
    word_dropout: float = bounded(0.25, 0, 1000)
    column_dropout: float = redefined(EncoderOptions, "column_dropout", 0.0)
    transition_hidden_size: int = bounded(96, 1, 4096)
    label_hidden_size: int = bounded(96, 1, 4096)
    batch_sentences: int | None = bounded(None, 1, 100_000)
    batch_words: int | None = bounded(None, 1, 100_000)
    rare_word_dropout: bool = option(True, truth)
    long_training: bool = option(False, truth)
    views: tuple[str, ...] | None = option(None, _texts)
    planes: str = redefined(OracleOptions, "planes", "auto")
    name: ClassVar[str] = "network"
    fields: ClassVar[Mapping[str, Check]] = {**FIELDS, "views": _texts}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.rare_word_dropout and not self.word_dropout < 1:
            raise ParserError(f"word_dropout is a share of words, below 1, not {self.word_dropout}")
        if self.views is not None:
            compile_views(self.views)

    @classmethod
    def deep(cls, **options: Any) -> Network:
        """Return options of a larger network, some of them given: slower and more accurate than the default.

        It has two LSTM layers of hidden size 200, reads characters, and leaves out whole groups of a word in training.
        Batches are of words, so that many threads learn together.
        """
        return cls.from_dict({**DEEP, **options})

    @property
    def drops_rare_words(self) -> bool:
        return self.rare_word_dropout

    def batch_for(self, sentences: int) -> int:
        """Return the batch size for so many sentences."""
        return self.batch_sentences or (8 if sentences < 2500 else 16 if sentences < 8000 else 32)

    def epochs_for(self, words: int) -> int:
        """Return how many epochs training data of so many words ask for: the fewer words, the more epochs."""
        each, least, most = (20, 12, 80) if self.long_training else (10, 8, 30)
        return int(np.clip(round(each * (200_000 / max(words, 1)) ** 0.5), least, most))

    def inputs(self, system: TransitionSystem) -> dict[str, list[str]]:
        """Return the attributes of words that are read, and the views of configurations."""
        words = [attribute for group in self.groups for attribute in group]
        return {"words": words, "configuration": list(self.views or default_views(system))}

    def definition(
        self, system: TransitionSystem, artificial_root: str, labels: int, treebank: Treebank, cutoff: int
    ) -> NetworkDefinition:
        """Return the definition of a model, with the vocabularies of training data."""
        self.check_oracle(system)
        views = self.views or tuple(default_views(system))
        known = self.fitted(treebank, cutoff)
        return NetworkDefinition(system=system, artificial_root=artificial_root, labels=labels, views=views, **known)

    @classmethod
    def definition_from_dict(
        cls,
        data: Mapping[str, Any],
        system: TransitionSystem,
        artificial_root: str,
        labels: int,
        vocabularies: Vocabularies,
    ) -> NetworkDefinition:
        """Return the definition whose `to_dict` a model file has."""
        views, known = tuple(data["views"]), cls.stored(data, vocabularies)
        return NetworkDefinition(system=system, artificial_root=artificial_root, labels=labels, views=views, **known)


@dataclass(frozen=True)
class NetworkDefinition(NeuralDefinition[Network]):
    """The shape of a network: its options, with vocabularies, views and the number of transitions and labels."""

    system: TransitionSystem
    artificial_root: str
    labels: int
    views: tuple[str, ...]

    @property
    def features(self) -> FeatureSet:
        """The views as the kernel takes them."""
        return compile_views(self.views)

    def heads(self) -> Sequence[TransitionHead]:
        options, features = self.scorer, self.features
        head = TransitionHead(
            slots=len(features.addresses),
            atoms=len(features.atoms),
            hidden_size=options.transition_hidden_size,
            transitions=len(self.system.transitions),
            label_hidden_size=options.label_hidden_size,
            labels=self.labels,
        )
        return [head]

    @property
    def exploration(self) -> float:
        """The share of wrong choices that training follows after the first epoch."""
        # Easy-first, the system that chooses positions, counts its losses in its own way, exactly.
        support = OracleSupport.from_system(self.system)
        exact = self.system.chooses_position or support.training_reach is not Reach.UNKNOWN
        return self.scorer.exploration if exact else 0.0

    def schedule(self, data: TrainingData, epochs: int) -> Schedule:
        """Return the learning rate over the training."""
        options = self.scorer
        words, sentences = len(data.inputs.values), len(data.inputs.word_offsets) - 1
        batches = words / options.batch_words if options.batch_words else sentences / options.batch_for(sentences)
        return Schedule(options.learning_rate, epochs, options.warm_up, batches, _LAST_RATE)

    @property
    def portion(self) -> int:
        """How many sentences learners take at once."""
        return PORTION_BY_LENGTH if self.scorer.batch_words else PORTION

    def native_learner(self, data: TrainingData, seed: int) -> _kernel.TransitionLearner:
        """Return a network that learnt nothing yet, with the data that it learns from."""
        self.check_native()
        options = self.scorer
        return _kernel.TransitionLearner(
            self._native_definition(),
            options.training_oracle(self.system, data),
            self.new_network(seed, parts=_kernel.TransitionLearner.most_parts(options.batch_words or 0)),
            dropout=self.encoder_dropout(),
            word_dropout=options.word_dropout,
            hidden_dropout=options.hidden_dropout,
            rare_words=options.rare_word_dropout,
            columns=self.column_dropout(),
            counts=[counts.tolist() for counts in self.lexical_counts(data.inputs)],
            sentences=options.batch_for(len(data.inputs.word_offsets) - 1),
            words=options.batch_words or 0,
            seed=seed,
        )

    def learner(
        self, data: TrainingData, *, seed: int, epochs: int, beam: int, threads: int
    ) -> NeuralLearner[NetworkModel]:
        """Return a learner for these data; it learns greedily, and the beam is for parsing alone."""
        native = self.native_learner(data, seed)
        inputs, offsets, heads, dependents, labels = data

        def step(order: Ids, epoch: int, rate: float) -> int:
            explore = exploration_percent(self.exploration, epoch)
            gold = {"arc_offsets": offsets, "heads": heads, "dependents": dependents, "labels": labels}
            rest: Any = {**gold, "explore": explore, "rate": rate, "threads": threads}
            return native.learn(order, *inputs, **rest)

        sentences, schedule = len(inputs.word_offsets) - 1, self.schedule(data, epochs)
        return NeuralLearner(native, step, sentences, schedule, self.kept_model, self.portion)

    def _native_definition(self) -> _kernel.ParserDefinition:
        return _kernel.ParserDefinition(
            compiled(self.system),
            artificial_root=self.artificial_root,
            transition_features=self.features,
            labels=self.labels,
        )

    def model_with(self, network: _kernel.Network) -> NetworkModel:
        """Return the model that has this network."""
        return NetworkModel(network, _kernel.TransitionModel(self._native_definition(), network))

    def kept_model(self, weights: Mapping[str, Floats]) -> NetworkModel:
        return self.model_with(self.kept_network(weights))

    def model(self, arrays: Mapping[str, AnyArray]) -> NetworkModel:
        return self.model_with(self.network(arrays))

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "views": list(self.views)}

    def summary(self) -> dict[str, Any]:
        return {"scorer": self.scorer.name, "looks_at": len(self.views), **self.encoder_summary()}


@dataclass(frozen=True, eq=False)
class NetworkModel(NeuralModel):
    """A network that chooses transitions and labels."""

    native: _kernel.TransitionModel

    def parse_arcs(self, inputs: SentenceInputs, threads: int) -> Arcs:
        return Arcs(*self.native.parse_arcs(*inputs, threads), inputs.word_offsets)

    def search(self, inputs: SentenceInputs, width: int, kept: int, threads: int) -> SearchResult:
        return SearchResult.from_arrays(inputs.word_offsets, *self.native.search(*inputs, width, kept, threads))

    def trace(self, inputs: SentenceInputs, given: Ids | None = None) -> Trace:
        transitions, scores = self.native.trace(*inputs, np.zeros(0, np.int32) if given is None else given)
        return Trace(transitions, scores.reshape(len(transitions), -1), probabilities=True)

    def penalised(self, amount: float, labels: Flags) -> NetworkModel:
        return replace(self, native=self.native.penalised(amount, labels.view(np.uint8)))
