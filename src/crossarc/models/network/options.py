"""A network as the scorer of a transition parser: its options and what they define.

It reads the whole sentence before it is parsed (kernel/nn/encoder.hpp): attributes of each word, its form and lemma,
their prefixes and suffixes, its tags and every single morphological feature, are embedded and added up; bidirectional
LSTM layers read the words; transitions are scored by the LSTM outputs of a few words of the configuration, labels by
those of the two words of an arc, each through one hidden layer (Kiperwasser & Goldberg 2016). O(words) for reading,
O(1) for each configuration.
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
from ...features.templates import MOST_TEMPLATES
from ...transitions import TransitionSystem
from ...transitions.algebra import compiled
from ...transitions.oracles import Reach, knowledge_of
from ...treebank import Treebank
from ..base import TrainingData, check_numbers, check_texts, make_options
from ..model_file import Check, check_fields, listed, named, nullable, plain, text, whole
from ..teaching import EXPLORATION, TEACHING, check_teaching, check_teaching_of, training_oracle, without_defaults
from .learner import NetworkLearner
from .weights import NetworkModel, weights_of_arrays

_NUMBERS = (
    *("features", "lexical_length", "grammatical_length", "layers", "cells", "hidden", "label_hidden", "batch"),
    *("rate", "input_dropout", "layer_dropout", "hidden_dropout", "word_dropout"),
)


_texts = listed(text, 1, MOST_TEMPLATES)


def _check_options(name: str, value: Any) -> None:
    """Refuse options of a model file that are of other types; `Network` has the bounds of numbers."""
    named(plain, 100)(name, value)
    check_fields(name, value, {"lexical": _texts, "grammatical": _texts, "views": nullable(_texts)})


@dataclass(frozen=True)
class Network:
    """A bidirectional LSTM over the words of a sentence that scores transitions and labels.

    Parameters:
        lexical: Attributes of words whose embeddings are added up to the lexical part of a word's input.
        grammatical: Attributes whose embeddings are added up to the grammatical part. `feats:*` is each of the most
            frequent morphological features.
        features: How many morphological features `feats:*` stands for.
        lexical_length: The embedding dimension of lexical attributes.
        grammatical_length: The embedding dimension of grammatical attributes.
        layers: The number of bidirectional LSTM layers.
        cells: The hidden size of each LSTM, in each direction.
        hidden: The hidden size of the layer that scores transitions.
        label_hidden: The hidden size of the layer that scores labels.
        batch: The batch size, in sentences; by default 8, 16 or 32, the fewer the smaller the treebank.
        rate: The learning rate of Adam at the start; it falls linearly to a twentieth.
        input_dropout: Dropout of the inputs of the first LSTM layer.
        layer_dropout: Dropout of the outputs of each LSTM layer.
        hidden_dropout: Dropout of the two hidden layers.
        word_dropout: Replaces a lexical value that was seen n times by the unknown one with probability
            word_dropout / (word_dropout + n).
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
    layers: int = 1
    cells: int = 128
    hidden: int = 96
    label_hidden: int = 96
    batch: int | None = None
    rate: float = 0.002
    input_dropout: float = 0.15
    layer_dropout: float = 0.33
    hidden_dropout: float = 0.25
    word_dropout: float = 0.25
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
        check_numbers(self, (name for name in _NUMBERS if name != "batch" or self.batch is not None))
        check_texts(self, ("lexical", "grammatical", "views"))
        check_teaching(self)
        if not self.lexical or not self.grammatical:
            raise ParserError("lexical and grammatical have at least one attribute of words each")
        if self.views is not None:
            compile_views(self.views)

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Network:
        """Make it of options by name."""
        return make_options(cls, cls.name, [one.name for one in fields(cls)], options)

    def to_dict(self) -> dict[str, Any]:
        """Return all options as plain data, those of teaching if they are not the default ones."""
        known = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}
        return without_defaults(Network, known)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Network:
        """Make it again from what `to_dict` gave."""
        missing = {one.name for one in fields(cls)} - set(data) - set(TEACHING)
        if missing:
            raise ParserError(f"the options of the network lack {', '.join(sorted(missing))}")
        return cls.from_options(data)

    def record(self) -> dict[str, Any]:
        """Return all options but the views, which the definition has."""
        return {name: value for name, value in self.to_dict().items() if name != "views"}

    def batch_for(self, sentences: int) -> int:
        """Return the batch size for so many sentences."""
        return self.batch or (8 if sentences < 2500 else 16 if sentences < 8000 else 32)

    @staticmethod
    def epochs_for(words: int) -> int:
        """Return how many epochs training data of so many words ask for: the fewer words, the more epochs."""
        return int(np.clip(round(10 * (200_000 / max(words, 1)) ** 0.5), 8, 30))

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
        return NetworkDefinition(system, artificial_root, labels, vocabularies, views, self, len(lexical))

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
        return NetworkDefinition(system, artificial_root, labels, vocabularies, views, network, lexical)


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

    @property
    def features(self) -> FeatureSet:
        """The views as the kernel takes them."""
        return compile_views(self.views)

    @property
    def sizes(self) -> _kernel.NetworkSizes:
        """The sizes of the network, as the kernel takes them."""
        values, one = self.vocabularies.sizes, self.scorer
        return _kernel.NetworkSizes(
            lexical_columns=values[: self.lexical_attributes],
            grammatical_columns=values[self.lexical_attributes :],
            lexical_dimension=one.lexical_length,
            grammatical_dimension=one.grammatical_length,
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

    def learner(self, data: TrainingData, *, seed: int, epochs: int, beam: int, threads: int) -> NetworkLearner:
        """Return a learner for these data; it learns greedily, and the beam is for parsing alone."""
        # Easy-first, the system that chooses positions, counts its losses in its own way, exactly.
        exact = self.system.chooses_position or knowledge_of(self.system).teaching_reach is not Reach.UNKNOWN
        one = self.scorer
        exploration = one.exploration if exact else 0.0
        native = self._native_learner(data, seed)
        return NetworkLearner(native, data, self.model_of_weights, one.rate, exploration, epochs, threads)

    def _native_learner(self, data: TrainingData, seed: int) -> _kernel.NetworkLearner:
        one = self.scorer
        oracle = training_oracle(self.system, one, data)
        dropout = _kernel.NetworkDropout(
            inputs=one.input_dropout, layers=one.layer_dropout, hidden=one.hidden_dropout, words=one.word_dropout
        )
        lexical = self.vocabularies.sizes[: self.lexical_attributes]
        counts = [np.bincount(data.values[:, place], minlength=size).tolist() for place, size in enumerate(lexical)]
        batch = one.batch_for(len(data.word_offsets) - 1)
        definition = self._native_definition()
        return _kernel.NetworkLearner(definition, oracle, self.sizes, dropout, counts=counts, batch=batch, seed=seed)

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
        }

    def summary(self) -> dict[str, Any]:
        """Return what `crossarc info` says about it."""
        return {"scorer": self.scorer.name, "looks_at": len(self.views)}
