"""Training of graph parsers with torch, on a GPU or a CPU: the same data, objective and schedule as the native learner.

On a GPU products have mixed precision (bfloat16). Each batch has random numbers of its own, so that training that goes
on from a checkpoint draws the same ones; GPUs may add up in another order, and models then differ in the last digits.
O(words² · arc size) for a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..._arrays import AnyArray, Floats, Ids
from ...errors import ParserError
from ..model_file import Arrays
from ..network.weights import rounded
from .learner import TreesToLearn, rate_at
from .options import BiaffineDefinition
from .weights import BiaffineModel

if TYPE_CHECKING:
    import torch

_CLIP = 5.0
_BETAS = (0.9, 0.95)
_UNKNOWN = 1
_ROOT = 2
_LEAST_CHARACTERS = 5


def check_torch(definition: BiaffineDefinition, device: str) -> None:
    """Refuse what torch cannot do: an objective, a device that is not there, anything where there is no torch."""
    objective = definition.scorer.objective
    if objective != "heads":
        raise ParserError(f"torch learns the objective heads, not {objective}: leave out the device")
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


@dataclass
class TorchLearner:
    """A network in torch with the sentences that it learns from."""

    #: Batches of similar lengths are made of so many sentences at a time: a GPU waits for the longest of a batch.
    portion: ClassVar[int] = 1 << 14

    definition: BiaffineDefinition
    data: TreesToLearn
    #: The weights to begin with, those of a native learner.
    start: Sequence[Floats]
    epochs: int
    seed: int
    device: str
    _epoch: int = field(default=0, init=False)
    _done: int = field(default=0, init=False)
    _steps: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        import torch

        from .torch_network import TorchNetwork

        self.network = TorchNetwork(self.definition)
        self.network.set_weights(self.start)
        self.network.to(self.device)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=0.0, betas=_BETAS)
        self._load()

    def _load(self) -> None:
        """Put the data where they are learnt from, once."""
        import torch

        inputs, heads, labels = self.data

        def there(array: AnyArray) -> torch.Tensor:
            return torch.from_numpy(array.astype(np.int64)).to(self.device)

        self._values, self._heads, self._labels = there(inputs.values), there(heads), there(labels)
        self._empty = torch.tensor(self.definition.vocabularies.empty_values(), device=self.device)
        self._offsets = inputs.word_offsets
        self._lengths = np.diff(inputs.word_offsets)
        if self.definition.characters is not None:
            forms = inputs.forms
            counts = np.maximum(np.diff(forms.offsets), _LEAST_CHARACTERS)
            table = np.zeros((len(counts), int(counts.max(initial=_LEAST_CHARACTERS))), np.int64)
            rows = np.repeat(np.arange(len(counts)), np.diff(forms.offsets))
            table[rows, np.arange(len(rows)) - np.repeat(forms.offsets[:-1], np.diff(forms.offsets))] = forms.characters
            self._forms, self._characters, self._counts = there(forms.of_word), there(table), there(counts)

    # Learning

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from sentences in this order and return the number of words whose best head was wrong."""
        if epoch != self._epoch:
            self._epoch, self._done = epoch, 0
        mistakes = 0
        for batch in self._batches(order):
            mistakes += self._step(batch, epoch)
            self._done += len(batch)
        return int(mistakes)

    def _batches(self, order: Ids) -> list[Ids]:
        """Return sentences of similar lengths in batches, which come in any order."""
        random = np.random.default_rng([self.seed, self._steps])
        # About, so that a sentence does not meet the same others in every epoch.
        about = self._lengths[order] + 3 * random.random(len(order))
        by_length = order[np.argsort(-about, kind="stable")]
        number = (np.cumsum(self._lengths[by_length]) - 1) // self.definition.scorer.batch
        batches = np.split(by_length, np.flatnonzero(np.diff(number)) + 1)
        return [batches[place] for place in random.permutation(len(batches))]

    def _step(self, sentences: Ids, epoch: int) -> Any:
        import torch
        from torch.nn import functional

        options = self.definition.scorer
        gone = (epoch - 1 + self._done / (len(self._offsets) - 1)) / self.epochs
        total = self.epochs * len(self.data.heads) / options.batch
        for group in self.optimiser.param_groups:
            group["lr"] = options.rate * rate_at(gone, gone * total, total)
        torch.manual_seed(self.seed * 1_000_003 + self._steps)
        self._steps += 1
        self.network.train()
        batch, words = self._gather(sentences)
        with torch.autocast(self.device.partition(":")[0], torch.bfloat16, enabled=self.device.startswith("cuda")):
            roles = self.network.encode(batch)
            scores = self.network.score_arcs(roles, batch)
            places = torch.nonzero(batch.present[:, 1:]) + torch.tensor([0, 1], device=self.device)
            heads, labels = self._heads[words], self._labels[words]
            own = scores[places[:, 0], places[:, 1]]
            label_scores = self.network.score_labels(roles, places[:, 0], places[:, 1], heads)
        loss = functional.cross_entropy(own, heads) + functional.cross_entropy(label_scores, labels, ignore_index=-1)
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), _CLIP)
        self.optimiser.step()
        return (own.detach().argmax(dim=1) != heads).sum()

    def _gather(self, sentences: Ids) -> tuple[Any, Any]:
        """Return a batch, and the rows of its words in the training data."""
        import torch

        from .torch_network import Batch

        lengths = torch.from_numpy(self._lengths[sentences])
        starts = torch.from_numpy(self._offsets[sentences]).to(self.device)
        there = lengths.to(self.device)
        place = torch.arange(int(lengths.max()) + 1, device=self.device)
        present = place[None, :] <= there[:, None]
        is_word = present & (place > 0)
        rows = torch.where(is_word, starts[:, None] + place[None, :] - 1, 0)
        values = torch.where(is_word[:, :, None], self._values[rows], 0)
        values[:, 0] = _ROOT
        values = self._drop_columns(self._drop_words(values, is_word), is_word)
        forms = torch.zeros_like(rows)
        characters = counts = rows[:0]
        if self.definition.characters is not None:
            used, where = torch.unique(self._forms[rows], return_inverse=True)
            forms = torch.where(is_word, where + 1, 0)
            counts = self._counts[used]
            characters = self._characters[used][:, : int(counts.max())]
        return Batch(values, forms, characters, counts, lengths + 1, present), rows[is_word]

    def _drop_words(self, values: Any, is_word: Any) -> Any:
        import torch

        lexical, share = self.definition.lexical_columns, self.definition.scorer.word_dropout
        own = values[:, :, :lexical]
        dropped = is_word[:, :, None] & (torch.rand(own.shape, device=self.device) < share)
        values[:, :, :lexical] = torch.where(dropped, _UNKNOWN, own)
        return values

    def _drop_columns(self, values: Any, is_word: Any) -> Any:
        import torch

        share = self.definition.scorer.column_dropout
        if not share:
            return values
        sentences = values.shape[0]
        chosen = torch.rand(sentences, device=self.device) < share
        every = torch.rand(sentences, device=self.device) < 0.5
        for family in self.definition.columns():
            lost = chosen & (every | (torch.rand(sentences, device=self.device) < 0.5))
            for column in family:
                own = values[:, :, column]
                values[:, :, column] = torch.where(is_word & lost[:, None], self._empty[column], own)
        return values

    # Models and checkpoints

    def model(self) -> BiaffineModel:
        """Return the network as it is now, with the weights that a file would keep."""
        return self.definition.model_of_weights([rounded(weights) for weights in self.network.weights()])

    def remember(self) -> tuple[list[Any], Arrays]:
        """Return the whole state, as numbers and arrays."""
        arrays: Arrays = {}
        for place, parameter in enumerate(self.network.parameters()):
            state = self.optimiser.state.get(parameter, {})
            arrays[f"weights_{place}"] = parameter.detach().cpu().numpy().copy()
            for name, key in (("first", "exp_avg"), ("second", "exp_avg_sq")):
                found = state.get(key)
                arrays[f"{name}_{place}"] = np.zeros(0, np.float32) if found is None else found.cpu().numpy().copy()
        return [self._steps], arrays

    def restore(self, numbers: Sequence[Any], arrays: Mapping[str, AnyArray]) -> None:
        """Take the state that `remember` gave."""
        import torch

        (self._steps,) = numbers
        for place, parameter in enumerate(self.network.parameters()):
            own = torch.from_numpy(np.array(arrays[f"weights_{place}"])).to(self.device)
            if own.shape != parameter.shape:
                raise ValueError(f"weights {place} have the shape {tuple(own.shape)}, not {tuple(parameter.shape)}")
            parameter.data.copy_(own)
            found = (arrays[f"{name}_{place}"] for name in ("first", "second"))
            moments = [torch.from_numpy(np.array(one)).to(self.device) for one in found]
            if any(one.shape != parameter.shape for one in moments):
                continue
            self.optimiser.state[parameter] = {
                "step": torch.tensor(float(self._steps)),
                "exp_avg": moments[0],
                "exp_avg_sq": moments[1],
            }
