"""Training with torch, what all networks share: a network, its sentences in batches with dropout, and steps of Adam.

Each batch has random numbers of its own, so that training that goes on from a checkpoint draws the same ones. On a GPU
products have mixed precision (bfloat16), and sums may be added up in another order: models then differ in the last
digits. O(words) for a batch, O(weights) for a step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from .... import _kernel
from ...._arrays import AnyArray, Floats, Ids
from ....features.vocabularies import NOTHING, UNKNOWN, column_families
from ...base import SentenceInputs, registered
from ...model_file import Arrays, array_of, count_array, count_from
from ..network import STATE, NeuralDefinition
from ..parts import Part
from ..schedule import EpochProgress, Schedule
from .encoder import ENCODERS, HOMES, Batch, Dropout
from .heads import HEADS
from .sequences import PieceSequences

_CLIP = 5.0
_BETAS = (0.9, 0.95)
_MOMENTS = ("exp_avg", "exp_avg_sq")
#: What the names of parameters begin with that an encoder that has read brings with it.
_PRETRAINED = ("transformer.", "pieces", "positions", "token_type", "norm.")

Definition = TypeVar("Definition", bound=NeuralDefinition[Any])


class TorchNetwork(nn.Module):
    """An encoder and heads, each under the name of its kind."""

    encoder: Any

    def __init__(self, encoder: Part, heads: Sequence[Part], dropout: Dropout) -> None:
        """Make the parameters; they mean nothing before `load_state_dict`."""
        super().__init__()
        kind, sizes = encoder.described
        module = registered(ENCODERS, kind, HOMES)
        assert module is not None  # torch has all kinds that the kernel has
        self.encoder = module(sizes, dropout)
        for kind, sizes in (head.described for head in heads):
            self.add_module(kind, HEADS[kind](self.encoder.width, sizes, dropout))

    def arrays(self) -> dict[str, Floats]:
        """Return the parameters as the kernel takes them."""
        return {name: values.detach().cpu().numpy().copy() for name, values in self.state_dict().items()}

    def load_arrays(self, arrays: Mapping[str, Floats]) -> None:
        """Take the parameters of the kernel, or a file, by name."""
        self.load_state_dict({name: torch.from_numpy(np.array(values)) for name, values in arrays.items()})


class TorchSentences:
    """Sentences to learn from, put where they are learnt from once."""

    def __init__(
        self,
        definition: NeuralDefinition[Any],
        inputs: SentenceInputs,
        device: str,
        *,
        with_root: bool,
        dropout: bool = True,
    ) -> None:
        """Take what is read of sentences.

        `with_root`: the artificial root is their first word. `dropout`: whether words, columns and tags that may be
        given are left out at random.
        """
        vocabularies = definition.vocabularies
        self.device = device
        self.lengths = np.diff(inputs.word_offsets)
        self._offsets = inputs.word_offsets
        self._with_root = with_root
        self._column_dropout = definition.scorer.column_dropout if dropout else 0.0
        #: Columns that are predicted, and given in so large a share of the sentences.
        self.given, self._given_share = definition.given_columns if dropout else ({}, 0.0)
        self._values = self.to_device(inputs.values)
        self._empty = torch.tensor(vocabularies.empty_values(), device=device)
        self._families = column_families(vocabularies.names)
        chances = definition.word_chances(inputs) if dropout else []
        self._chances = [torch.from_numpy(chance.astype(np.float32)).to(device) for chance in chances]
        self._has_forms = len(inputs.forms.offsets) > 1
        self._pieces = None
        if definition.pretrained is not None:
            self._pieces = PieceSequences(definition.pretrained.shape, inputs, device, with_root=with_root)
        if self._has_forms:
            forms, least = inputs.forms, _kernel.WIDEST_FILTER
            self._forms = forms.of_word
            self._counts = counts = np.maximum(np.diff(forms.offsets), least)
            table = np.full((len(counts), int(counts.max(initial=least))), NOTHING, np.int64)
            rows = np.repeat(np.arange(len(counts)), np.diff(forms.offsets))
            table[rows, np.arange(len(rows)) - np.repeat(forms.offsets[:-1], np.diff(forms.offsets))] = forms.characters
            self._characters = self.to_device(table)

    def to_device(self, array: AnyArray) -> Tensor:
        """Return whole numbers where they are learnt from."""
        return torch.from_numpy(array.astype(np.int64)).to(self.device)

    def batches(self, order: Ids, words: int, random: np.random.Generator) -> list[Ids]:
        """Return sentences of similar lengths in batches of about so many words, which come in any order."""
        # About, so that a sentence does not meet the same others in every epoch.
        about = self.lengths[order] + 3 * random.random(len(order))
        by_length = order[np.argsort(-about, kind="stable")]
        number = (np.cumsum(self.lengths[by_length]) - 1) // words
        batches = np.split(by_length, np.flatnonzero(np.diff(number)) + 1)
        return [batches[index] for index in random.permutation(len(batches))]

    def gather(self, sentences: Ids) -> tuple[Batch, Tensor]:
        """Return a batch, and the rows of its words in the training data, sentence after sentence.

        Which words these are is found on the CPU: where the GPU is asked for a number, it has to be waited for.
        """
        before = int(self._with_root)
        lengths = self.lengths[sentences] + before
        position = np.arange(int(lengths.max()))
        is_word = (position >= before) & (position < lengths[:, None])
        rows = np.where(is_word, self._offsets[sentences][:, None] + position - before, 0)
        words = torch.from_numpy(np.argwhere(is_word)).to(self.device)
        forms = np.zeros_like(rows)
        characters = counts = words[:0, 0]
        if self._has_forms:
            used, where = np.unique(self._forms[rows], return_inverse=True)
            forms = np.where(is_word, where.reshape(rows.shape) + 1, 0)
            longest = int(self._counts[used].max())
            characters = self._characters[:, :longest][self.to_device(used)]
            counts = self.to_device(self._counts[used])
        there = torch.from_numpy(is_word).to(self.device)
        values = torch.where(there[:, :, None], self._values[self.to_device(rows)], NOTHING)
        present = there.clone()
        if self._with_root:
            values[:, 0] = _kernel.ROOT_VALUE
            present[:, 0] = True
        self._drop_words(values, there)
        self._drop_columns(values, there)
        self._drop_given(values, there)
        batch = Batch(
            values,
            self.to_device(forms),
            characters,
            counts,
            torch.from_numpy(lengths.astype(np.int64)),
            present,
            words,
        )
        if self._pieces is not None:
            pieces, piece_present, piece_words = self._pieces.gather(sentences, present.shape[1])
            batch = batch._replace(pieces=pieces, piece_present=piece_present, piece_words=piece_words)
        return batch, self.to_device(rows[is_word])

    def _drop_words(self, values: Tensor, is_word: Tensor) -> None:
        for column, chances in enumerate(self._chances):
            known = values[:, :, column]
            dropped = is_word & (torch.rand(known.shape, device=self.device) < chances[known])
            values[:, :, column] = torch.where(dropped, UNKNOWN, known)

    def _drop_columns(self, values: Tensor, is_word: Tensor) -> None:
        if not self._column_dropout:
            return
        sentences = values.shape[0]
        chosen = torch.rand(sentences, device=self.device) < self._column_dropout
        every = torch.rand(sentences, device=self.device) < 0.5
        for family in self._families:
            lost = chosen & (every | (torch.rand(sentences, device=self.device) < 0.5))
            for column in family:
                known = values[:, :, column]
                values[:, :, column] = torch.where(is_word & lost[:, None], self._empty[column], known)

    def _drop_given(self, values: Tensor, is_word: Tensor) -> None:
        """Leave few, many or nearly all words of some sentences what is given of them, and nothing in the others."""
        shares = torch.rand(values.shape[0], 1, device=self.device) if self.given else values[:0]
        for column in self.given.values():
            chosen = torch.rand(shares.shape, device=self.device) < self._given_share
            shown = chosen & (torch.rand(is_word.shape, device=self.device) < shares)
            values[:, :, column] = torch.where(is_word & ~shown, self._empty[column], values[:, :, column])

    def is_shown(self, values: Tensor, column: str) -> Tensor | None:
        """Return which words show a column; None if it is one that no word ever does."""
        if column not in self.given:
            return None
        return values[..., self.given[column]] != self._empty[self.given[column]]


class TorchLearner(Generic[Definition]):
    """A network in torch with the sentences that it learns from, and the state of its training."""

    #: Whether the artificial root is the first word of each sentence.
    with_root: ClassVar[bool]
    portion: int

    def __init__(
        self,
        definition: Definition,
        inputs: SentenceInputs,
        start: Mapping[str, Floats],
        schedule: Schedule,
        seed: int,
        device: str,
    ) -> None:
        """Begin with the weights of a native learner."""
        options = definition.scorer
        self.definition, self.schedule, self.seed, self.device = definition, schedule, seed, device
        dropout = Dropout(
            inputs=options.input_dropout,
            groups=options.group_dropout,
            layers=options.layer_dropout,
            hidden=options.hidden_dropout,
            encoder=options.encoder_dropout,
        )
        self.network: Any = TorchNetwork(definition.encoder, definition.heads(), dropout)
        self.network.load_arrays(start)
        self.network.to(device)
        # Attention of cuDNN is planned anew for every shape of a batch, which takes longer than all else.
        torch.backends.cuda.enable_cudnn_sdp(False)
        fused = device.startswith("cuda")
        self.optimiser = torch.optim.Adam(self._parameter_groups(), lr=0.0, betas=_BETAS, fused=fused)
        self._accumulated = 0  # batches since the last change of weights
        self.sentences = TorchSentences(definition, inputs, device, with_root=self.with_root)
        self.steps = self.changes = 0  # batches, and changes of weights
        self._progress = EpochProgress()

    def _parameter_groups(self) -> list[dict[str, Any]]:
        """Return the parameters, those that were pretrained in a group of their own, unless they stay as they are.

        `share`: the learning rate of a group, as a share of that of all others.
        """
        options, pretrained = self.definition.scorer, self.definition.pretrained
        of_encoder = [] if pretrained is None else [f"encoder.{name}" for name in _PRETRAINED]
        encoder: list[nn.Parameter] = []
        others: list[nn.Parameter] = []
        for name, parameter in self.network.named_parameters():
            (encoder if name.startswith(tuple(of_encoder)) else others).append(parameter)
        if not options.encoder_learning_rate:
            for parameter in encoder:
                parameter.requires_grad_(False)
            encoder = []
        share = options.encoder_learning_rate / options.learning_rate
        return [{"params": params, "share": each} for params, each in ((others, 1.0), (encoder, share)) if params]

    # Learning

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from sentences in this order and return the number of mistakes."""
        mistakes = int(sum(self._step(batch, epoch) for batch in self._batches(order)))
        if self._accumulated:  # a checkpoint has no gradients
            self._change_weights()
        return mistakes

    def _batches(self, order: Ids) -> list[Ids]:
        return self.sentences.batches(order, self.definition.scorer.batch_words, self.random())

    def _loss(self, sentences: Ids, epoch: int) -> tuple[Tensor | None, Any]:
        """Return the loss of a batch, None if there is nothing to learn, and the number of mistakes."""
        raise NotImplementedError

    def _step(self, sentences: Ids, epoch: int) -> Any:
        done = self._progress.before(epoch, len(sentences), total=len(self.sentences.lengths))
        for group in self.optimiser.param_groups:
            group["lr"] = group["share"] * self.schedule.rate_at(done)
        torch.manual_seed(self.seed * 1_000_003 + self.steps)
        self.network.train()
        loss, mistakes = self._loss(sentences, epoch)
        if loss is not None:
            (loss / self.definition.scorer.accumulated_batches).backward()
            self._accumulated += 1
        if self._accumulated == self.definition.scorer.accumulated_batches:
            self._change_weights()
        self.steps += 1
        return mistakes

    def _change_weights(self) -> None:
        nn.utils.clip_grad_norm_(self.network.parameters(), _CLIP)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self._accumulated = 0
        self.changes += 1

    def random(self, *purpose: int) -> np.random.Generator:
        """Return random numbers of the step at hand; of each purpose others."""
        return np.random.default_rng([self.seed, self.steps, *purpose])

    def mixed_precision(self) -> Any:
        """Return a context in which products have mixed precision (bfloat16), as the options say."""
        precision = self.definition.scorer.precision
        mixed = self.device.startswith("cuda") if precision == "auto" else precision == "bfloat16"
        return torch.autocast(self.device.partition(":")[0], torch.bfloat16, enabled=mixed)

    # Models and checkpoints

    def model(self) -> Any:
        """Return the network as it is now, with the weights that a file would keep."""
        return self.definition.kept_model(self.network.arrays())

    def state_dict(self) -> Arrays:
        arrays: Arrays = {"steps": count_array(self.steps), "changes": count_array(self.changes)}
        for name, parameter in self.network.named_parameters():
            # What is not learnt has no moments.
            moments = self.optimiser.state.get(parameter) or dict.fromkeys(_MOMENTS, torch.zeros_like(parameter))
            for state, values in zip(STATE, (parameter, *(moments[each] for each in _MOMENTS)), strict=True):
                arrays[f"{state}.{name}"] = values.detach().cpu().numpy().copy()
        return arrays

    def load_state_dict(self, arrays: Mapping[str, AnyArray]) -> None:
        self.steps, self.changes = count_from(arrays, "steps"), count_from(arrays, "changes")
        for name, parameter in self.network.named_parameters():
            names = [f"{state}.{name}" for state in STATE]
            checked = (_checked(arrays, array, tuple(parameter.shape)) for array in names)
            weights, first, second = (torch.from_numpy(np.array(array)).to(self.device) for array in checked)
            if (second < 0).any():
                raise ValueError(f"{names[2]} has squares below 0")
            parameter.data.copy_(weights)
            if parameter.requires_grad:
                changes = torch.tensor(float(self.changes))
                self.optimiser.state[parameter] = {"step": changes, "exp_avg": first, "exp_avg_sq": second}


def _checked(arrays: Mapping[str, AnyArray], name: str, shape: tuple[int, ...]) -> AnyArray:
    """Return an array of a checkpoint; a ValueError if training cannot have come to it."""
    array = array_of(arrays, name, np.float32)
    if array.shape != shape:
        raise ValueError(f"{name} has the shape {array.shape}, not {shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds what is no number")
    return array
