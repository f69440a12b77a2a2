"""What networks of all kinds share: definitions, models, and learners that train in the kernel.

A definition is the options of a network with what the training data had: vocabularies, characters, labels. It makes
networks of the kernel, with the weights that training begins with or with those of a file. A model holds such a
network; a learner changes one in place (kernel/nn/training.hpp), batch by batch, at the learning rate of a schedule.
The cost is that of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from ... import _kernel
from ..._arrays import AnyArray, Floats, Ids
from ...errors import ParserError
from ...features import Vocabularies
from ...features.vocabularies import Characters, column_families
from ...treebank import Treebank
from ..base import SentenceInputs, check_bits
from ..model_file import Arrays, array_of, count_array, count_from
from .encoders import EncoderOptions, make_encoder
from .memory import check_training_memory
from .parts import Part
from .schedule import EpochProgress, Schedule
from .weights import arrays_from_network, kept_network, make_network, network_from_arrays

if TYPE_CHECKING:
    from .pretrained import PretrainedEncoder

#: Sentences that are learnt from at once: as they come, and to be put into batches by their length.
PORTION = 256
PORTION_BY_LENGTH = 1024
#: The state of a learner: weights, and the two moments of their gradients.
STATE = ("weights", "first", "second")

Model = TypeVar("Model", covariant=True)
SomeOptions = TypeVar("SomeOptions", bound=EncoderOptions, covariant=True)


@dataclass(frozen=True)
class NeuralDefinition(Generic[SomeOptions]):
    """The shape of a network: its options, with what the training data had."""

    scorer: SomeOptions
    vocabularies: Vocabularies
    #: How many attributes each group has; those of a group follow each other.
    group_sizes: tuple[int, ...]
    characters: Characters | None
    #: An encoder that has read, if it is one of pieces.
    pretrained: PretrainedEncoder | None = field(default=None, kw_only=True)

    def heads(self) -> Sequence[Part]:
        """Return what is predicted."""
        raise NotImplementedError

    @property
    def encoder(self) -> Part:
        """What reads sentences."""
        return make_encoder(self)

    def inputs(self, treebank: Treebank) -> SentenceInputs:
        """Return what the network reads of a treebank."""
        inputs = SentenceInputs.from_treebank(treebank, self.vocabularies, self.characters)
        return inputs if self.pretrained is None else self.pretrained.with_pieces(inputs, treebank)

    def new_network(self, seed: int, *, parts: int = 0, device: str | None = None) -> _kernel.Network:
        """Return a network that learnt nothing yet but what its encoder has read.

        One whose training does not fit into memory is refused.
        """
        check_training_memory(self.encoder, self.heads(), parts=parts, device=device)
        network = make_network(self.encoder, self.heads(), seed=seed)
        if self.pretrained is None or not self.pretrained.weights:
            return network
        return self.network_with({**network.parameters(), **self.pretrained.weights})

    def encoder_summary(self) -> dict[str, Any]:
        """Return what `crossarc info` says of an encoder that has read; nothing of another."""
        if self.pretrained is None:
            return {}
        shape = self.pretrained.shape
        sizes = {name: getattr(shape, name) for name in ("layers", "hidden_size", "pieces")}
        return {"encoder": {**sizes, **self.pretrained.about}}

    def check_native(self) -> None:
        """Refuse to train in the kernel what it cannot."""
        if self.pretrained is not None:
            raise ParserError(
                "an encoder that has read goes on learning with torch alone: give a device, as --device cpu"
            )

    def network_with(self, weights: Mapping[str, Floats]) -> _kernel.Network:
        """Return a network with weights by name."""
        return make_network(self.encoder, self.heads(), weights=weights)

    def kept_network(self, weights: Mapping[str, Floats]) -> _kernel.Network:
        """Return a network with weights as a file would keep them."""
        return kept_network(self.encoder, self.heads(), weights, self.scorer.learning_rate)

    def kept_model(self, weights: Mapping[str, Floats]) -> Any:
        """Return the model with weights as a file would keep them."""
        raise NotImplementedError

    def network(self, arrays: Mapping[str, AnyArray]) -> _kernel.Network:
        """Return the network whose weights the arrays of a file are."""
        return network_from_arrays(self.encoder, self.heads(), arrays)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file, without the vocabularies."""
        return {
            "scorer": self.scorer.name,
            "network": self.scorer.to_dict(),
            "group_sizes": list(self.group_sizes),
            "characters": "" if self.characters is None else self.characters.known,
            **({} if self.pretrained is None else {"transformer": self.pretrained.to_dict()}),
        }

    # What is left out in training

    @property
    def lexical_columns(self) -> int:
        """How many of the first attributes become unknown in training now and then."""
        names, lexical = self.vocabularies.names, self.scorer.lexical
        return next((index for index, name in enumerate(names) if name not in lexical), len(names))

    def lexical_counts(self, inputs: SentenceInputs) -> list[AnyArray]:
        """Return how often each value of each of these attributes occurs."""
        sizes = self.vocabularies.sizes[: self.lexical_columns]
        return [np.bincount(inputs.values[:, column], minlength=size) for column, size in enumerate(sizes)]

    def word_chances(self, inputs: SentenceInputs) -> list[AnyArray]:
        """Return how likely each value of each of these attributes becomes the unknown one in training."""
        share, counts = self.scorer.word_dropout, self.lexical_counts(inputs)
        if not self.scorer.drops_rare_words:
            return [np.full(len(values), share) for values in counts]
        return [share / np.maximum(share + values, 1e-9) for values in counts]

    def encoder_dropout(self) -> _kernel.EncoderDropout:
        """Return the dropout of the encoder, as the kernel takes it."""
        options = self.scorer
        return _kernel.EncoderDropout(
            inputs=options.input_dropout, layers=options.layer_dropout, groups=options.group_dropout
        )

    @property
    def given_columns(self) -> tuple[dict[str, int], float]:
        """The attributes that are predicted and may be given, by column, and in what share of sentences they are."""
        return {}, 0.0

    def column_dropout(self) -> _kernel.ColumnDropout:
        """Return the dropout of whole columns, as the kernel takes it."""
        names, empty = self.vocabularies.names, self.vocabularies.empty_values()
        return _kernel.ColumnDropout(families=column_families(names), empty=empty, share=self.scorer.column_dropout)


@dataclass(frozen=True, eq=False)
class NeuralModel:
    """A trained network."""

    network: _kernel.Network

    @property
    def weight_count(self) -> int:
        return self.network.weight_count

    @property
    def arithmetic(self) -> str:
        """What its matrices are multiplied in: "int8" if they were saved with 8 bits, else "float32"."""
        return "int8" if self.network.scales() else "float32"

    def arrays(self, bits: int = 16, prune: float = 0.0) -> Arrays:
        """Return the weights for a file, of so many bits; none can be left out. What is int8 stays so."""
        check_bits(bits)
        if prune:
            raise ParserError(f"prune is of features, and a network has none: leave it out, not {prune}")
        return arrays_from_network(self.network, bits)


class KernelLearner(Protocol):
    """What the kernel's learners of networks have in common."""

    @property
    def network(self) -> _kernel.Network:
        """What is learnt, in place."""

    def state_dict(self) -> tuple[int, dict[str, Floats], dict[str, Floats], dict[str, Floats]]:
        """Return the number of steps, the weights and the two moments of their gradients."""

    def load_state_dict(
        self, steps: int, weights: dict[str, Floats], first: dict[str, Floats], second: dict[str, Floats]
    ) -> None:
        """Take what `state_dict` gave."""


@dataclass
class NeuralLearner(Generic[Model]):
    """A network that learns in the kernel."""

    native: KernelLearner
    #: Learns from sentences in an order, in an epoch and at a learning rate, and returns the number of mistakes.
    step: Callable[[Ids, int, float], int]
    #: How many sentences there are to learn from.
    sentences: int
    schedule: Schedule
    #: Makes a model of the weights that were learnt.
    make_model: Callable[[Mapping[str, Floats]], Model]
    #: How many sentences the training loop gives it at once.
    portion: int = PORTION_BY_LENGTH
    _progress: EpochProgress = field(default_factory=EpochProgress, init=False)

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from sentences in this order and return the number of mistakes."""
        done = self._progress.before(epoch, len(order), total=self.sentences)
        return self.step(order, epoch, self.schedule.rate_at(done))

    def model(self) -> Model:
        """Return the network as it is now, with the weights that a file would keep."""
        return self.make_model(self.native.network.parameters())

    def state_dict(self) -> Arrays:
        return native_state_dict(self.native)

    def load_state_dict(self, arrays: Mapping[str, AnyArray]) -> None:
        load_native_state(self.native, arrays)


def native_state_dict(native: KernelLearner) -> Arrays:
    """Return the state of a learner of the kernel as arrays by name."""
    steps, *states = native.state_dict()
    arrays: Arrays = {"steps": count_array(steps)}
    for name, state in zip(STATE, states, strict=True):
        arrays |= {f"{name}.{parameter}": values for parameter, values in state.items()}
    return arrays


def load_native_state(native: KernelLearner, arrays: Mapping[str, AnyArray]) -> None:
    """Give a learner of the kernel the state that `native_state_dict` returned."""
    names = native.network.parameters()
    weights, first, second = (
        {name: array_of(arrays, f"{state}.{name}", np.float32) for name in names} for state in STATE
    )
    native.load_state_dict(count_from(arrays, "steps"), weights, first, second)
