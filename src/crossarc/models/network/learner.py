"""A network as the scorer of a parser: it reads the whole sentence (kernel/nn/network.hpp) before it is parsed.

What is known of a word, its form and lemma, their ends, its tags and every single morphological feature, is embedded
and added up; long short-term memories read the words in both directions; transitions are scored by what these say of a
few words of the configuration, labels by what they say of the two words of an arc (Kiperwasser & Goldberg 2016).
Training follows the parser's own mistakes (Goldberg & Nivre 2013). O(words) for reading, O(1) for each configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ... import _kernel
from ...errors import ParserError
from ...features import Columns, FeatureSet
from ...features.default_views import default_views
from ...features.views import compile_views
from ...features.vocabularies import FIRST_KNOWN
from ...training.loop import TrainingData
from ...transitions import TransitionSystem
from ...transitions.algebra import compiled
from ...transitions.oracles import Reach, knowledge_of, roles_of
from ...treebank import Treebank
from .weights import arrays_of_weights, rounded, weights_of_arrays

Ids = NDArray[np.int32]

#: How often, of a hundred, training follows the parser's own choice where it is wrong, after the first epoch. Where the
#: costs of transitions are only guessed it never does: systems that were taught so came out worse.
EXPLORE = 90
#: The share of sentences with crossing arcs from which on parsers with two stacks learn to keep both in order: they
#: gain about a point on la_circse (0.62), and nothing but more transitions on en_ewt (0.02).
_OFTEN = 0.25
#: The share of the learning rate that is left at the end.
_LAST_RATE = 0.05


@dataclass(frozen=True)
class Network:
    """How large a network is, what it reads and how it learns."""

    #: Attributes of words whose embeddings are added up, first those of the words themselves.
    lexical: tuple[str, ...] = ("lower", "lemma", "suffix2", "suffix3", "suffix4", "prefix2", "prefix3")
    grammatical: tuple[str, ...] = ("upos", "xpos", "feats", "feats:*")
    #: How many single morphological features, the most frequent, `feats:*` stands for.
    features: int = 24
    lexical_length: int = 96
    grammatical_length: int = 64
    layers: int = 1
    #: Of the memory, in each direction.
    cells: int = 128
    hidden: int = 96
    label_hidden: int = 96
    #: Sentences between two updates; by default fewer where there are few.
    batch: int | None = None
    rate: float = 0.002
    #: What is left out at random in training: of inputs, of what the memories say, of hidden values.
    input_dropout: float = 0.15
    layer_dropout: float = 0.33
    hidden_dropout: float = 0.25
    #: A value that was seen n times is taken for unknown with the chance w / (w + n).
    word_dropout: float = 0.25
    #: What is looked at in a configuration: words as `s0` or `b0.l1`, and numbers as `s0.left_valency` or
    #: `distance(s0,b0)`; by default what suits the system.
    views: tuple[str, ...] | None = None
    name: ClassVar[str] = "network"

    def __post_init__(self) -> None:
        sizes = (self.lexical_length, self.grammatical_length, self.layers, self.cells, self.hidden, self.label_hidden)
        if min(sizes) < 1 or max(sizes) > 4096 or self.layers > 8 or (self.batch is not None and self.batch < 1):
            raise ParserError("the sizes of a network are 1 or more, up to 4096, and it has at most 8 layers")
        if not all(0 <= share < 1 for share in (self.input_dropout, self.layer_dropout, self.hidden_dropout)):
            raise ParserError("what is dropped is a share from 0 to below 1")
        if self.views is not None:
            object.__setattr__(self, "views", tuple(self.views))
            compile_views(self.views)
        if self.rate <= 0 or self.word_dropout < 0 or not self.lexical or not self.grammatical:
            raise ParserError("a network learns at a rate above 0 and reads something")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Network:
        """Make it again from what `to_dict` gave."""
        known = {one.name for one in fields(cls)}
        if set(data) != known:
            raise ParserError("the network of the model has other options")
        options: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**options)

    def batch_for(self, sentences: int) -> int:
        """Return how many sentences to take at once."""
        return self.batch or (8 if sentences < 2500 else 16 if sentences < 8000 else 32)

    @staticmethod
    def epochs_for(words: int) -> int:
        """Return how often to go through data of so many words: the fewer, the more often."""
        return int(np.clip(round(10 * (200_000 / max(words, 1)) ** 0.5), 8, 30))

    def definition(
        self, system: TransitionSystem, artificial_root: str, labels: int, treebank: Treebank, cutoff: int
    ) -> NetworkDefinition:
        """Return what a parser is made of, with the values that training data have."""
        lexical = Columns.fit(treebank, self.lexical, cutoff=cutoff).vocabularies
        grammatical = Columns.fit(treebank, self.grammatical, features=self.features).vocabularies
        if set(lexical) & set(grammatical):
            raise ParserError("an attribute is lexical or grammatical, not both")
        columns = Columns({**lexical, **grammatical})
        views = self.views or tuple(default_views(system))
        return NetworkDefinition(system, artificial_root, columns, views, labels, self, len(lexical))

    def learner(
        self, definition: NetworkDefinition, data: TrainingData, *, seed: int, epochs: int, beam: int, threads: int
    ) -> NetworkLearner:
        """Return what learns from data; the beam is for parsing alone."""
        return NetworkLearner(definition, definition.learner(seed, data), data, epochs, threads)


@dataclass(frozen=True)
class NetworkDefinition:
    """What a parser with a network is made of before it learnt anything."""

    system: TransitionSystem
    artificial_root: str
    columns: Columns
    views: tuple[str, ...]
    labels: int
    network: Network
    #: How many of the columns are lexical; they come first.
    lexical_columns: int

    @property
    def features(self) -> FeatureSet:
        """What is looked at in a configuration, as the kernel takes it."""
        return compile_views(self.views)

    @property
    def shape(self) -> tuple[list[int], list[int], int, int, int, int, int, int]:
        """The sizes of the network, as the kernel takes them."""
        values = [len(known) + FIRST_KNOWN for known in self.columns.vocabularies.values()]
        one = self.network
        lengths = (one.lexical_length, one.grammatical_length, one.layers, one.cells, one.hidden, one.label_hidden)
        return values[: self.lexical_columns], values[self.lexical_columns :], *lengths

    def learner(self, seed: int, data: TrainingData) -> _kernel.NetworkLearner:
        """Return a learner that knows nothing yet, for these data."""
        known = knowledge_of(self.system)
        one = self.network
        lexical = self.shape[0]
        counts = [np.bincount(data.values[:, place], minlength=size).tolist() for place, size in enumerate(lexical)]
        return _kernel.NetworkLearner(
            compiled(self.system),
            self.artificial_root,
            self.features.as_tuple(),
            self.labels,
            int(known.rule),
            roles_of(self.system),
            int(known.teaching_reach),
            known.guarantees,
            self.system.stacks == 2 and _often_cross(data),
            self.shape,
            counts,
            one.batch_for(len(data.word_offsets) - 1),
            (one.input_dropout, one.layer_dropout, one.hidden_dropout, one.word_dropout),
            seed,
        )

    def model_of_weights(self, weights: Sequence[NDArray[np.float32]]) -> _kernel.NetworkModel:
        """Return the model with these weights."""
        try:
            return _kernel.make_network_model(
                compiled(self.system),
                self.artificial_root,
                self.features.as_tuple(),
                self.labels,
                self.shape,
                list(weights),
            )
        except (MemoryError, TypeError, ValueError) as error:
            raise ParserError(f"the weights do not fit the parser that the model describes ({error})") from error

    def model(self, arrays: Mapping[str, NDArray[Any]]) -> _kernel.NetworkModel:
        """Return the model whose weights `arrays` gave."""
        try:
            weights = weights_of_arrays(arrays)
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise ParserError(f"the weights of the model make no sense ({error})") from error
        return self.model_of_weights(weights)

    def arrays(self, model: _kernel.NetworkModel, bits: int = 16, prune: float = 0.0) -> dict[str, NDArray[Any]]:
        """Return the weights of a model for a file, of so many bits."""
        if bits not in (8, 16) or prune:
            raise ParserError("the weights of a network have 8 or 16 bits, and none is left out")
        lengths = [self.network.lexical_length] * self.lexical_columns
        lengths += [self.network.grammatical_length] * (len(self.columns.names) - self.lexical_columns)
        return arrays_of_weights(model.weights(), lengths, bits)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file, without the columns."""
        return {
            "scorer": "network",
            "views": list(self.views),
            "network": self.network.to_dict(),
            "lexical_columns": self.lexical_columns,
        }


def _often_cross(data: TrainingData) -> bool:
    """Whether arcs between words cross in so many sentences that a second stack is worth its own transitions."""
    ends = data.arc_offsets.tolist()
    crossing = 0
    for start, end in pairwise(ends):
        kept = np.flatnonzero(data.heads[start:end] > 0) + start
        longest = max(data.heads[kept].max(initial=0), data.dependents[kept].max(initial=0))
        crossing += len(_kernel.find_crossings(data.heads[kept], data.dependents[kept], int(longest))[0]) > 0
    return crossing >= _OFTEN * (len(ends) - 1)


@dataclass
class NetworkLearner:
    """A network with the sentences that it learns from."""

    definition: NetworkDefinition
    learner: _kernel.NetworkLearner
    data: TrainingData
    epochs: int
    threads: int
    _epoch: int = field(default=0, init=False)
    _done: int = field(default=0, init=False)

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from sentences in this order and return the number of mistakes."""
        if epoch != self._epoch:
            self._epoch, self._done = epoch, 0
        sentences = len(self.data.word_offsets) - 1
        gone = min(1.0, (epoch - 1 + self._done / sentences) / self.epochs)
        rate = self.definition.network.rate * (1 - (1 - _LAST_RATE) * gone)
        self._done += len(order)
        system = self.definition.system
        # Easy-first, the system that chooses positions, counts its losses in its own way, exactly.
        known = system.chooses_position or knowledge_of(system).teaching_reach is not Reach.UNKNOWN
        explore = EXPLORE if known and epoch > 1 else 0
        return self.learner.learn(order, *self.data, explore, rate, self.threads)

    def model(self) -> _kernel.NetworkModel:
        """Return the network as it is now, with the weights that a file would keep."""
        return self.definition.model_of_weights([rounded(weights) for weights in self.learner.weights()])

    def remember(self) -> tuple[list[Any], dict[str, NDArray[Any]]]:
        """Return everything that going on another time needs, as numbers and arrays."""
        steps, *states = self.learner.remember()
        names = ("weights", "first", "second")
        arrays = {
            f"{name}_{place}": array
            for name, state in zip(names, states, strict=True)
            for place, array in enumerate(state)
        }
        return [steps], arrays

    def restore(self, numbers: Sequence[Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `remember` gave."""
        count = len(arrays) // 3
        states = [[arrays[f"{name}_{place}"] for place in range(count)] for name in ("weights", "first", "second")]
        self.learner.restore(int(numbers[0]), *states)
