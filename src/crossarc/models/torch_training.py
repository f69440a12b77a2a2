"""What training with torch shares between networks: sentences in batches, with dropout of words, and steps of Adam.

Each batch has random numbers of its own, so that training that goes on from a checkpoint draws the same ones. torch is
imported when it is used: it is optional. O(words) for a batch, O(weights) for a step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import AnyArray, Ids
from ..errors import ParserError
from ..features import Vocabularies
from ..features.vocabularies import column_families
from .base import SentenceInputs
from .model_file import Arrays, array_of

if TYPE_CHECKING:
    import torch

    from .torch_encoder import Batch

_CLIP = 5.0
_BETAS = (0.9, 0.95)
_UNKNOWN = 1
_ROOT = 2
_LEAST_CHARACTERS = 5


def check_torch(device: str) -> None:
    """Refuse a device that torch does not have, and any where torch is not installed."""
    try:
        import torch
    except ImportError as error:
        raise ParserError(
            "training on a device needs torch: pip install 'crossarc[torch]', or leave out the device"
        ) from error
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ParserError(f"torch has no device {device!r} here ({str(error).splitlines()[0]}): take cpu") from error


class TorchSentences:
    """Sentences to learn from, put where they are learnt from once."""

    def __init__(
        self,
        inputs: SentenceInputs,
        vocabularies: Vocabularies,
        device: str,
        *,
        with_root: bool,
        word_chances: Sequence[AnyArray],
        column_dropout: float,
    ) -> None:
        """Take what is read of sentences, and how much of it is left out.

        `with_root`: the artificial root is their first word. `word_chances`: for the values of the first columns, how
        likely each becomes the unknown one.
        """
        import torch

        self.device = device
        self.lengths = np.diff(inputs.word_offsets)
        self._offsets = inputs.word_offsets
        self._with_root = with_root
        self._column_dropout = column_dropout
        self._values = self.there(inputs.values)
        self._empty = torch.tensor(vocabularies.empty_values(), device=device)
        self._families = column_families(vocabularies.names)
        self._chances = [torch.from_numpy(one.astype(np.float32)).to(device) for one in word_chances]
        self._has_forms = len(inputs.forms.of_word) > 0
        if self._has_forms:
            forms = inputs.forms
            counts = np.maximum(np.diff(forms.offsets), _LEAST_CHARACTERS)
            table = np.zeros((len(counts), int(counts.max(initial=_LEAST_CHARACTERS))), np.int64)
            rows = np.repeat(np.arange(len(counts)), np.diff(forms.offsets))
            table[rows, np.arange(len(rows)) - np.repeat(forms.offsets[:-1], np.diff(forms.offsets))] = forms.characters
            self._forms, self._characters = self.there(forms.of_word), self.there(table)
            self._counts = self.there(counts)

    def there(self, array: AnyArray) -> torch.Tensor:
        """Return whole numbers where they are learnt from."""
        import torch

        return torch.from_numpy(array.astype(np.int64)).to(self.device)

    def batches(self, order: Ids, words: int, random: np.random.Generator) -> list[Ids]:
        """Return sentences of similar lengths in batches of about so many words, which come in any order."""
        # About, so that a sentence does not meet the same others in every epoch.
        about = self.lengths[order] + 3 * random.random(len(order))
        by_length = order[np.argsort(-about, kind="stable")]
        number = (np.cumsum(self.lengths[by_length]) - 1) // words
        batches = np.split(by_length, np.flatnonzero(np.diff(number)) + 1)
        return [batches[place] for place in random.permutation(len(batches))]

    def gather(self, sentences: Ids) -> tuple[Batch, torch.Tensor]:
        """Return a batch, and the rows of its words in the training data, sentence after sentence."""
        import torch

        from .torch_encoder import Batch

        before = int(self._with_root)
        lengths = torch.from_numpy(self.lengths[sentences]) + before
        starts = torch.from_numpy(self._offsets[sentences]).to(self.device)
        place = torch.arange(int(lengths.max()), device=self.device)
        present = place[None, :] < lengths.to(self.device)[:, None]
        is_word = present & (place >= before)
        rows = torch.where(is_word, starts[:, None] + place[None, :] - before, 0)
        values = torch.where(is_word[:, :, None], self._values[rows], 0)
        if self._with_root:
            values[:, 0] = _ROOT
        values = self._drop_columns(self._drop_words(values, is_word), is_word)
        forms = torch.zeros_like(rows)
        characters = counts = rows[:0]
        if self._has_forms:
            used, where = torch.unique(self._forms[rows], return_inverse=True)
            forms = torch.where(is_word, where + 1, 0)
            counts = self._counts[used]
            characters = self._characters[used][:, : int(counts.max())]
        return Batch(values, forms, characters, counts, lengths, present), rows[is_word]

    def _drop_words(self, values: torch.Tensor, is_word: torch.Tensor) -> torch.Tensor:
        import torch

        for column, chances in enumerate(self._chances):
            own = values[:, :, column]
            dropped = is_word & (torch.rand(own.shape, device=self.device) < chances[own])
            values[:, :, column] = torch.where(dropped, _UNKNOWN, own)
        return values

    def _drop_columns(self, values: torch.Tensor, is_word: torch.Tensor) -> torch.Tensor:
        import torch

        share = self._column_dropout
        if not share:
            return values
        sentences = values.shape[0]
        chosen = torch.rand(sentences, device=self.device) < share
        every = torch.rand(sentences, device=self.device) < 0.5
        for family in self._families:
            lost = chosen & (every | (torch.rand(sentences, device=self.device) < 0.5))
            for column in family:
                own = values[:, :, column]
                values[:, :, column] = torch.where(is_word & lost[:, None], self._empty[column], own)
        return values


class TorchSteps:
    """Steps of Adam for a network, which can be remembered and gone on from."""

    def __init__(self, network: torch.nn.Module, seed: int, device: str) -> None:
        """Take a network that is on the device."""
        import torch

        self.network, self.seed, self.device = network, seed, device
        self.optimiser = torch.optim.Adam(network.parameters(), lr=0.0, betas=_BETAS)
        self.done = 0

    def random(self, purpose: int = 0) -> np.random.Generator:
        """Return random numbers of the next step; of each purpose others."""
        return np.random.default_rng([self.seed, self.done, purpose][: 3 if purpose else 2])

    def begin(self, rate: float) -> None:
        """Begin a step with a learning rate and random numbers of its own."""
        import torch

        for group in self.optimiser.param_groups:
            group["lr"] = rate
        torch.manual_seed(self.seed * 1_000_003 + self.done)
        self.done += 1
        self.network.train()

    def mixed_precision(self) -> Any:
        """Return a context in which products have mixed precision (bfloat16) on a GPU."""
        import torch

        return torch.autocast(self.device.partition(":")[0], torch.bfloat16, enabled=self.device.startswith("cuda"))

    def finish(self, loss: torch.Tensor) -> None:
        """Learn from the loss."""
        import torch

        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), _CLIP)
        self.optimiser.step()

    def remember(self) -> tuple[list[Any], Arrays]:
        """Return the whole state, as numbers and arrays."""
        arrays: Arrays = {}
        for place, parameter in enumerate(self.network.parameters()):
            state = self.optimiser.state[parameter]
            for name, value in (
                ("weights", parameter.detach()),
                ("first", state["exp_avg"]),
                ("second", state["exp_avg_sq"]),
            ):
                arrays[f"{name}_{place}"] = value.cpu().numpy().copy()
        return [self.done], arrays

    def restore(self, numbers: Sequence[Any], arrays: Mapping[str, AnyArray]) -> None:
        """Take the state that `remember` gave."""
        import torch

        (self.done,) = numbers
        for place, parameter in enumerate(self.network.parameters()):
            names = [f"{name}_{place}" for name in ("weights", "first", "second")]
            own, first, second = (
                torch.from_numpy(np.array(_checked(arrays, name, tuple(parameter.shape)))).to(self.device)
                for name in names
            )
            if (second < 0).any():
                raise ValueError(f"{names[2]} has squares below 0")
            parameter.data.copy_(own)
            self.optimiser.state[parameter] = {
                "step": torch.tensor(float(self.done)),
                "exp_avg": first,
                "exp_avg_sq": second,
            }


def _checked(arrays: Mapping[str, AnyArray], name: str, shape: tuple[int, ...]) -> AnyArray:
    """Return an array of a checkpoint; a ValueError if training cannot have come to it."""
    array = array_of(arrays, name, np.float32)
    if array.shape != shape:
        raise ValueError(f"{name} has the shape {array.shape}, not {shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds what is no number")
    return array
