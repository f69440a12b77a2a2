"""Training of graph parsers with torch, on a GPU or a CPU: the data, objectives and schedule of the native learner.

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
from ...decoders import Root, TreeClass
from ...errors import ParserError
from ..model_file import Arrays, array_of
from ..network.learner import EpochProgress, kept_weights
from .learner import TreesToLearn, rate_at
from .options import BiaffineDefinition
from .weights import BiaffineModel

if TYPE_CHECKING:
    import torch

    from .torch_objectives import TreeObjective

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
    #: The trees of objectives over trees, and the threads that find them.
    tree_class: TreeClass = "spanning_tree"
    root: Root = "any"
    threads: int = 0
    _progress: EpochProgress = field(default_factory=EpochProgress, init=False)
    _steps: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        import torch

        from .torch_network import TorchNetwork

        self.network = TorchNetwork(self.definition)
        self.network.set_weights(self.start)
        self.network.to(self.device)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=0.0, betas=_BETAS)
        self._objective = self._tree_objective()
        self._load()

    def _tree_objective(self) -> TreeObjective | None:
        """Return the objective over trees, or None if words learn their heads one by one."""
        name = self.definition.scorer.objective
        if name == "heads":
            return None
        from .torch_objectives import TreeObjective

        return TreeObjective(name, self.tree_class, self.root, self.threads)

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
        mistakes = 0
        for batch in self._batches(order):
            mistakes += self._step(batch, epoch)
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
        gone = self._progress.before(epoch, len(sentences), of=len(self._lengths)) / self.epochs
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
        if self._objective is None:
            loss = functional.cross_entropy(own, heads)
        else:
            loss = self._objective.loss(scores, heads, batch.lengths - 1)
        loss = loss + functional.cross_entropy(label_scores, labels, ignore_index=-1)
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
        return self.definition.model_of_weights(kept_weights(self.network.weights(), self.definition.scorer.rate))

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
        return [self._steps], arrays

    def restore(self, numbers: Sequence[Any], arrays: Mapping[str, AnyArray]) -> None:
        """Take the state that `remember` gave."""
        import torch

        (self._steps,) = numbers
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
                "step": torch.tensor(float(self._steps)),
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
