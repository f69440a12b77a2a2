"""A network as the scorer of a transition parser: its options and what they define.

It reads the whole sentence before it is parsed (kernel/nn/encoder.hpp): attributes of each word, its form and lemma,
their prefixes and suffixes, its tags and every single morphological feature, are embedded and added up, and its
characters are read if asked for; bidirectional LSTM layers read the words; transitions are scored by the LSTM outputs
of a few words of the configuration, labels by those of the two words of an arc, each through one hidden layer
(Kiperwasser & Goldberg 2016). O(words) for reading, O(1) for each configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

import numpy as np

from ... import _kernel
from ..._arrays import AnyArray, Floats
from ...errors import ParserError
from ...features import FeatureSet, Vocabularies, compile_views, default_views
from ...features.characters import Characters
from ...features.templates import MOST_TEMPLATES
from ...features.vocabularies import column_families
from ...transitions import TransitionSystem
from ...transitions.algebra import compiled
from ...transitions.oracles import Reach, knowledge_of
from ...treebank import Treebank
from ..base import SentenceInputs, TrainingData, check_numbers, check_texts, make_options, register_scorer
from ..model_file import Check, check_fields, listed, named, nullable, plain, text, whole
from ..teaching import EXPLORATION, TEACHING, check_teaching, check_teaching_of, training_oracle, without_defaults
from .learner import BY_LENGTH, PORTION, NetworkLearner, Schedule
from .weights import NetworkModel, weights_of_arrays

_NUMBERS = (
    *("features", "lexical_length", "grammatical_length", "characters", "character_dimension", "filters", "layers"),
    *("cells", "hidden", "label_hidden", "batch", "batch_words", "rate", "warm_up", "input_dropout", "group_dropout"),
    *("layer_dropout", "hidden_dropout", "word_dropout", "column_dropout"),
)
#: Options that files do not have where they are the default: models of before these options have none of them.
_LATER = (
    *("characters", "character_dimension", "filters", "batch_words", "warm_up", "group_dropout", "column_dropout"),
    *TEACHING,
)

#: Where the options of deep networks differ from the defaults: the encoder is that of graph parsers.
DEEP: Mapping[str, Any] = {
    "lexical": ("lower", "lemma"),
    "grammatical": ("upos", "xpos", "xpos:*", "feats:*"),
    "features": 100,
    "lexical_length": 125,
    "grammatical_length": 100,
    "characters": 125,
    "layers": 2,
    "cells": 200,
    "hidden": 200,
    "label_hidden": 128,
    "batch_words": 1000,
    "warm_up": 200,
    "input_dropout": 0.0,
    "group_dropout": 0.33,
    "hidden_dropout": 0.33,
    "word_dropout": 0.2,
    "column_dropout": 0.02,
}

_texts = listed(text, 1, MOST_TEMPLATES)


def _check_options(name: str, value: Any) -> None:
    """Refuse options of a model file that are of other types; `Network` has the bounds of numbers."""
    named(plain, 100)(name, value)
    check_fields(name, value, {"lexical": _texts, "grammatical": _texts, "views": nullable(_texts)})


@register_scorer
@dataclass(frozen=True)
class Network:
    """A bidirectional LSTM over the words of a sentence that scores transitions and labels.

    Parameters:
        lexical: Attributes of words whose embeddings are added up to the lexical part of a word's input.
        grammatical: Attributes whose embeddings are added up to the grammatical part. `feats:*` is each of the most
            frequent morphological features, `xpos:*` each piece of an XPOS tag.
        features: How many morphological features `feats:*` stands for.
        lexical_length: The embedding dimension of lexical attributes.
        grammatical_length: The embedding dimension of grammatical attributes.
        characters: The size of what the characters of a word say, 0 to leave them out.
        character_dimension: The embedding dimension of characters.
        filters: How many filters of each width, from 2 to 5 characters, read them.
        layers: The number of bidirectional LSTM layers.
        cells: The hidden size of each LSTM, in each direction.
        hidden: The hidden size of the layer that scores transitions.
        label_hidden: The hidden size of the layer that scores labels.
        batch: The batch size, in sentences; by default 8, 16 or 32, the fewer the smaller the treebank.
        batch_words: The batch size in words, about, in place of that in sentences: batches are then of sentences of
            similar lengths, and up to 16 threads learn from each.
        rate: The learning rate of Adam at the start; it falls linearly to a twentieth.
        warm_up: Over so many first batches, but at most a twentieth of the training, the learning rate rises.
        input_dropout: Dropout of the inputs of the first LSTM layer.
        group_dropout: Dropout of the whole lexical or grammatical part of a word, or of its characters.
        layer_dropout: Dropout of the outputs of each LSTM layer.
        hidden_dropout: Dropout of the two hidden layers.
        word_dropout: Replaces a lexical value that was seen n times by the unknown one with probability
            word_dropout / (word_dropout + n); in networks that read characters any lexical value with probability
            word_dropout.
        column_dropout: The share of training sentences that lose all or some of LEMMA, UPOS, XPOS and FEATS, so that
            input without them is parsed, too.
        views: What is looked at in a configuration: words, as `s0` or `b0.l1`, and small numbers, as `s0.left_valency`
            or `distance(s0,b0)`; by default those that suit the system.
        exploration: The share of wrong choices that training follows after the first epoch, so that it learns in
            configurations that the parser will get into (Goldberg & Nivre 2013). With 0 the oracle is static.
            Systems whose costs of transitions are only estimated never explore: they came out worse with it.
        oracle: "static": one derivation of each tree is right; "dynamic": every transition is that loses no arc. By
            default static if `exploration` is 0, else dynamic.
        planes: On two stacks: "fixed": arcs have their planes, SWITCH is right where one waits; "free": whichever plane
            an arc comes to is right; "auto": free if arcs cross in a quarter of the sentences or more.
    """

    lexical: tuple[str, ...] = ("lower", "lemma", "suffix2", "suffix3", "suffix4", "prefix2", "prefix3")
    grammatical: tuple[str, ...] = ("upos", "xpos", "feats", "feats:*")
    features: int = 24
    lexical_length: int = 96
    grammatical_length: int = 64
    characters: int = 0
    character_dimension: int = 32
    filters: int = 64
    layers: int = 1
    cells: int = 128
    hidden: int = 96
    label_hidden: int = 96
    batch: int | None = None
    batch_words: int | None = None
    rate: float = 0.002
    warm_up: int = 0
    input_dropout: float = 0.15
    group_dropout: float = 0.0
    layer_dropout: float = 0.33
    hidden_dropout: float = 0.25
    word_dropout: float = 0.25
    column_dropout: float = 0.0
    views: tuple[str, ...] | None = None
    exploration: float = EXPLORATION
    oracle: str | None = None
    planes: str = "auto"
    name: ClassVar[str] = "network"
    fields: ClassVar[Mapping[str, Check]] = {
        "views": _texts,
        "network": _check_options,
        "lexical_columns": whole(1, MOST_TEMPLATES),
    }
    depends_on_epochs: ClassVar[bool] = True
    default_prune: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        check_numbers(self, (name for name in _NUMBERS if getattr(self, name) is not None))
        check_texts(self, ("lexical", "grammatical", "views"))
        check_teaching(self)
        if self.characters and not self.word_dropout < 1:
            raise ParserError(f"word_dropout of networks that read characters is below 1, not {self.word_dropout}")
        if not self.lexical or not self.grammatical:
            raise ParserError("lexical and grammatical have at least one attribute of words each")
        if self.views is not None:
            compile_views(self.views)

    @classmethod
    def deep(cls, **options: Any) -> Network:
        """Return options of a larger network, some of them given: slower and more accurate than the default.

        It has two LSTM layers of 200 cells, reads characters, and leaves out whole parts of words in training. Batches
        are of words, so that many threads learn together.
        """
        return cls.from_options({**DEEP, **options})

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Network:
        """Make it of options by name."""
        return make_options(cls, cls.name, [one.name for one in fields(cls)], options)

    def to_dict(self) -> dict[str, Any]:
        """Return all options as plain data; later ones are not written where they are the default."""
        known = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return without_defaults(Network, known, _LATER)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Network:
        """Make it again from what `to_dict` gave."""
        missing = {one.name for one in fields(cls)} - set(data) - set(_LATER)
        if missing:
            raise ParserError(f"the options of the network lack {', '.join(sorted(missing))}")
        return cls.from_options(data)

    def record(self) -> dict[str, Any]:
        """Return all options but the views, which the definition has."""
        return {name: value for name, value in self.to_dict().items() if name != "views"}

    def batch_for(self, sentences: int) -> int:
        """Return the batch size for so many sentences."""
        return self.batch or (8 if sentences < 2500 else 16 if sentences < 8000 else 32)

    def epochs_for(self, words: int) -> int:
        """Return how many epochs training data of so many words ask for: the fewer words, the more epochs.

        Networks that read characters need twice as many.
        """
        each, least, most = (20, 12, 80) if self.characters else (10, 8, 30)
        return int(np.clip(round(each * (200_000 / max(words, 1)) ** 0.5), least, most))

    def inputs(self, system: TransitionSystem) -> dict[str, list[str]]:
        """Return the attributes of words that are read, and the views of configurations."""
        views = list(self.views or default_views(system))
        return {"words": [*self.lexical, *self.grammatical], "configuration": views}

    def definition(
        self, system: TransitionSystem, artificial_root: str, labels: int, treebank: Treebank, cutoff: int
    ) -> NetworkDefinition:
        """Return the definition of a model, with the vocabularies of training data."""
        check_teaching_of(system, self)
        lexical = Vocabularies.fit(treebank, self.lexical, cutoff=cutoff).known
        grammatical = Vocabularies.fit(treebank, self.grammatical, features=self.features).known
        if both := sorted(set(lexical) & set(grammatical)):
            raise ParserError(f"an attribute is lexical or grammatical, not both: {', '.join(both)}")
        vocabularies = Vocabularies({**lexical, **grammatical})
        views = self.views or tuple(default_views(system))
        characters = Characters.fit(treebank) if self.characters else None
        return NetworkDefinition(system, artificial_root, labels, vocabularies, views, self, len(lexical), characters)

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
        network = cls.from_dict(data["network"])
        lexical = data["lexical_columns"]
        if not 0 < lexical < len(vocabularies.names):
            raise ParserError(f"the network has {lexical} lexical of {len(vocabularies.names)} attributes")
        views = tuple(data["views"])
        characters = Characters(data["characters"]) if network.characters else None
        return NetworkDefinition(system, artificial_root, labels, vocabularies, views, network, lexical, characters)


@dataclass(frozen=True)
class NetworkDefinition:
    """The shape of a network: its options, with vocabularies, views and the number of transitions and labels."""

    system: TransitionSystem
    artificial_root: str
    labels: int
    vocabularies: Vocabularies
    views: tuple[str, ...]
    scorer: Network
    #: How many of the attributes are lexical; they come first.
    lexical_attributes: int
    characters: Characters | None = None

    def inputs(self, treebank: Treebank) -> SentenceInputs:
        """Return what the network reads of a treebank."""
        return SentenceInputs.of(treebank, self.vocabularies, self.characters)

    @property
    def features(self) -> FeatureSet:
        """The views as the kernel takes them."""
        return compile_views(self.views)

    @property
    def sizes(self) -> _kernel.NetworkSizes:
        """The sizes of the network, as the kernel takes them."""
        values, one = self.vocabularies.sizes, self.scorer
        return _kernel.NetworkSizes(
            groups=[
                (values[: self.lexical_attributes], one.lexical_length),
                (values[self.lexical_attributes :], one.grammatical_length),
            ],
            characters=0 if self.characters is None else self.characters.size,
            character_dimension=one.character_dimension,
            filters=one.filters,
            character_outputs=one.characters,
            layers=one.layers,
            cells=one.cells,
            hidden=one.hidden,
            label_hidden=one.label_hidden,
        )

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The embedding dimension of each attribute."""
        grammatical = len(self.vocabularies.names) - self.lexical_attributes
        one = self.scorer
        return (one.lexical_length,) * self.lexical_attributes + (one.grammatical_length,) * grammatical

    @property
    def group_sizes(self) -> tuple[int, ...]:
        """How many attributes are lexical and how many grammatical."""
        return self.lexical_attributes, len(self.vocabularies.names) - self.lexical_attributes

    @property
    def exploration(self) -> float:
        """The share of wrong choices that training follows after the first epoch."""
        # Easy-first, the system that chooses positions, counts its losses in its own way, exactly.
        exact = self.system.chooses_position or knowledge_of(self.system).teaching_reach is not Reach.UNKNOWN
        return self.scorer.exploration if exact else 0.0

    def learner(self, data: TrainingData, *, seed: int, epochs: int, beam: int, threads: int) -> NetworkLearner:
        """Return a learner for these data; it learns greedily, and the beam is for parsing alone."""
        native, schedule = self.native_learner(data, seed), self.schedule(data, epochs)
        return NetworkLearner(native, data, self.model_of_weights, schedule, self.exploration, threads)

    def schedule(self, data: TrainingData, epochs: int) -> Schedule:
        """Return the learning rate over the training."""
        one = self.scorer
        words, sentences = len(data.inputs.values), len(data.inputs.word_offsets) - 1
        batches = words / one.batch_words if one.batch_words else sentences / one.batch_for(sentences)
        return Schedule(one.rate, epochs, one.warm_up, batches, BY_LENGTH if one.batch_words else PORTION)

    def native_learner(self, data: TrainingData, seed: int) -> _kernel.NetworkLearner:
        """Return a network that learnt nothing yet."""
        one = self.scorer
        oracle = training_oracle(self.system, one, data)
        return _kernel.NetworkLearner(
            self._native_definition(),
            oracle,
            self.sizes,
            dropout=_kernel.EncoderDropout(
                inputs=one.input_dropout, layers=one.layer_dropout, words=one.word_dropout, groups=one.group_dropout
            ),
            hidden_dropout=one.hidden_dropout,
            columns=_kernel.ColumnDropout(
                families=column_families(self.vocabularies.names),
                empty=self.vocabularies.empty_values(),
                share=one.column_dropout,
            ),
            counts=[counts.tolist() for counts in self._lexical_counts(data.inputs)],
            sentences=one.batch_for(len(data.inputs.word_offsets) - 1),
            words=one.batch_words or 0,
            seed=seed,
        )

    def _lexical_counts(self, inputs: SentenceInputs) -> list[AnyArray]:
        """Return how often each value of each lexical attribute occurs."""
        sizes = self.vocabularies.sizes[: self.lexical_attributes]
        return [np.bincount(inputs.values[:, place], minlength=size) for place, size in enumerate(sizes)]

    def word_chances(self, inputs: SentenceInputs) -> list[AnyArray]:
        """Return how likely each value of each lexical attribute becomes the unknown one in training."""
        dropout = self.scorer.word_dropout
        if self.characters is not None:
            return [np.full(len(counts), dropout) for counts in self._lexical_counts(inputs)]
        return [dropout / np.maximum(dropout + counts, 1e-9) for counts in self._lexical_counts(inputs)]

    def _native_definition(self) -> _kernel.ParserDefinition:
        return _kernel.ParserDefinition(
            compiled(self.system),
            artificial_root=self.artificial_root,
            transition_features=self.features.as_tuple(),
            labels=self.labels,
        )

    def model_of_weights(self, weights: Sequence[Floats]) -> NetworkModel:
        """Return the model with these weights."""
        try:
            native = _kernel.NetworkModel(self._native_definition(), self.sizes, weights=list(weights))
        except (MemoryError, TypeError, ValueError) as error:
            raise ParserError(f"the weights do not fit the parser that the model describes ({error})") from error
        return NetworkModel(native, self.dimensions)

    def model(self, arrays: Mapping[str, AnyArray]) -> NetworkModel:
        """Return the model whose `arrays` these are."""
        return self.model_of_weights(weights_of_arrays(arrays))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file, without the vocabularies."""
        return {
            "scorer": self.scorer.name,
            "views": list(self.views),
            "network": self.scorer.to_dict(),
            "lexical_columns": self.lexical_attributes,
            **({} if self.characters is None else {"characters": self.characters.known}),
        }

    def summary(self) -> dict[str, Any]:
        """Return what `crossarc info` says about it."""
        return {"scorer": self.scorer.name, "looks_at": len(self.views)}
