"""A transformer that learns words that it does not see, in torch: masked language modelling (Devlin et al. 2019).

Whole words are masked, and as many as a quarter of them (Wettig et al. 2023); of their pieces, eight of ten become the
mask, one another piece, one stays. A layer and the embeddings of pieces say what stands there; the layer is not kept.
Texts lie on the device as one row of pieces, from which batches are cut; masks are drawn there. Whatever is drawn at a
step depends on the seed and the number of the step alone. O(pieces · (window + hidden size) · hidden size) a layer.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from ...._arrays import AnyArray, Flags, Floats, Ids
from ...model_file import Arrays, array_of, count_array, count_from
from ..network import STATE
from ..pretrained import TransformerShape
from ..transformer import TransformerEncoder
from .encoder import Dropout, zeros
from .transformer import Norm, TorchTransformer

_BETAS = 0.9, 0.98
_DECAY = 0.01
_CLIP = 1.0
#: Of masked pieces, those that become the mask, and those that become any other.
_MASKED, _OTHER = 0.8, 0.1
#: Room for masked pieces beyond the share that is expected; and the piece that is wanted where there is none.
_ROOM, _NONE = 1.25, -100
#: Keeps the numbers of steps and of what is held out apart.
_HELD_OUT = 1 << 40


class PackedText(NamedTuple):
    """Texts as one row of pieces, and what is known of pieces."""

    pieces: Ids
    #: Rows of so many pieces, from the first on: which of them are held out.
    held_out: Flags
    #: Whether each piece of the vocabulary begins a word.
    begins_word: Flags
    mask: int
    #: Those with lower numbers are special ones.
    first_piece: int


class MaskedLearner:
    """A transformer in pretraining, its texts, and the state of its training."""

    def __init__(
        self,
        shape: TransformerShape,
        text: PackedText,
        *,
        share: float,
        batch: int,
        seed: int,
        device: str,
        compile: bool,
    ) -> None:
        """Begin with random weights of the seed; `share`: of words, how many are masked; `batch`: rows in one."""
        self.shape, self.share, self.batch, self.seed, self.device = shape, share, batch, seed, device
        self.network: Any = _MaskedWords(shape)
        self.network.initialise(torch.Generator().manual_seed(seed))
        self.network.to(device)
        on_gpu = device.startswith("cuda")
        parameters = list(self.network.parameters())
        matrices = [each for each in parameters if each.shape[0] > 1]
        vectors = [each for each in parameters if each.shape[0] == 1]
        groups = [{"params": matrices, "weight_decay": _DECAY}, {"params": vectors, "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(groups, lr=0.0, betas=_BETAS, fused=on_gpu)
        self._loss = torch.compile(self.network) if compile else self.network
        self._pieces = torch.from_numpy(text.pieces).to(device)
        self._begins = torch.from_numpy(text.begins_word).to(device)
        self._text = text
        self._held_out = np.flatnonzero(text.held_out)
        # Rows of later epochs begin a little behind these, and what is held out is none of theirs.
        self._rows = np.flatnonzero(~text.held_out & ~np.roll(text.held_out, -1))
        self._epoch, self._order, self._shift = -1, self._rows, 0
        self._places = torch.arange(self.row, device=device)
        self.steps = 0

    @property
    def row(self) -> int:
        """How many pieces of the text a row has: all but the two around it."""
        return self.shape.window - 2

    @property
    def steps_of_epoch(self) -> int:
        """How many batches the texts have."""
        return max(1, math.ceil(len(self._rows) / self.batch))

    def learn(self, rate: float) -> Tensor:
        """Learn from the next batch and return its loss, which stays on the device."""
        epoch, index = divmod(self.steps, self.steps_of_epoch)
        if epoch != self._epoch:
            random = np.random.default_rng([self.seed, epoch])
            self._epoch, self._order = epoch, random.permutation(self._rows)
            self._shift = int(random.integers(self.row)) if epoch else 0
        # All batches are of one size, so that torch compiles one program: the last one begins anew.
        rows = self._order.take(index * self.batch + np.arange(self.batch), mode="wrap")
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.network.train()
        self.optimiser.zero_grad(set_to_none=True)
        loss = self._loss_of(self._loss, rows, self._shift, self.steps)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), _CLIP)
        self.optimiser.step()
        self.steps += 1
        return loss.detach()

    def time(self) -> float:
        """Return the time when the device has done what it was asked to do, in seconds."""
        if self.device.startswith("cuda"):
            torch.cuda.synchronize(self.device)
        return time.monotonic()

    def held_out_loss(self) -> float:
        """Return the loss on what is held out, whose masks are always the same."""
        self.network.eval()
        total = 0.0
        with torch.no_grad():
            for start in range(0, len(self._held_out), self.batch):
                rows = self._held_out[start : start + self.batch]
                total += float(self._loss_of(self.network, rows, 0, _HELD_OUT + start)) * len(rows)
        return total / max(1, len(self._held_out))

    def _loss_of(self, network: Any, rows: Any, shift: int, number: int) -> Tensor:
        """Return the loss of a network on rows, with the masks of this number."""
        starts = torch.from_numpy(rows * self.row + shift).to(self.device)
        # A row that is shifted may reach behind the last piece.
        places = (starts[:, None] + self._places) % len(self._pieces)
        pieces = self._pieces[places].long()
        generator = torch.Generator(self.device).manual_seed((self.seed << 44) % (1 << 63) + number)
        masked = self._masked_words(pieces, generator)
        seen = self._masked_pieces(pieces, masked, generator)
        ends = torch.tensor([self.shape.begin, self.shape.end], device=self.device).expand(len(rows), 2)
        whole = torch.cat([ends[:, :1], seen, ends[:, 1:]], dim=1)
        # As many in every batch of a size, again for the sake of compiling; what is too much is not learnt.
        most = min(pieces.numel(), int(_ROOM * self.share * pieces.numel()) + self.row)
        chosen = functional.pad(masked, (1, 1)).flatten().nonzero()[:most, 0]
        wanted = pieces[masked][:most]
        missing = most - len(wanted)
        chosen, wanted = functional.pad(chosen, (0, missing)), functional.pad(wanted, (0, missing), value=_NONE)
        with torch.autocast(self.device.partition(":")[0], torch.bfloat16, enabled=self.device.startswith("cuda")):
            loss: Tensor = network(whole, chosen, wanted)
        return loss

    def _masked_words(self, pieces: Tensor, generator: torch.Generator) -> Tensor:
        """Return which pieces are masked: those of whole words, never special ones."""
        words = self._begins[pieces].cumsum(1)
        chances = torch.rand(pieces.shape[0], pieces.shape[1] + 1, device=self.device, generator=generator)
        return (chances.gather(1, words) < self.share) & (pieces >= self._text.first_piece)

    def _masked_pieces(self, pieces: Tensor, masked: Tensor, generator: torch.Generator) -> Tensor:
        """Return what is read in place of pieces."""
        chances = torch.rand(pieces.shape, device=self.device, generator=generator)
        others = torch.randint(
            self._text.first_piece, self.shape.pieces, pieces.shape, device=self.device, generator=generator
        )
        seen = torch.where(masked & (chances < _MASKED), self._text.mask, pieces)
        return torch.where(masked & (chances >= 1 - _OTHER), others, seen)

    # Weights and checkpoints

    def weights(self) -> dict[str, Floats]:
        """Return the parameters of the encoder, as the kernel names them."""
        own = self.network.encoder.state_dict()
        return {f"encoder.{name}": values.detach().cpu().numpy().copy() for name, values in own.items()}

    def state_dict(self) -> Arrays:
        """Return what training needs in order to go on."""
        arrays: Arrays = {"steps": count_array(self.steps)}
        for name, parameter in self.network.named_parameters():
            moments = self.optimiser.state[parameter]
            first, second = (moments.get(key, torch.zeros_like(parameter)) for key in ("exp_avg", "exp_avg_sq"))
            for state, values in zip(STATE, (parameter, first, second), strict=True):
                arrays[f"{state}.{name}"] = values.detach().cpu().numpy().copy()
        return arrays

    def load_state_dict(self, arrays: Mapping[str, AnyArray]) -> None:
        """Go on from such a state."""
        self.steps = count_from(arrays, "steps")
        for name, parameter in self.network.named_parameters():
            values = [array_of(arrays, f"{state}.{name}", np.float32) for state in STATE]
            if any(each.shape != tuple(parameter.shape) or not np.isfinite(each).all() for each in values):
                raise ValueError(f"{name} does not fit the encoder")
            weights, first, second = (torch.from_numpy(np.array(each)).to(self.device) for each in values)
            parameter.data.copy_(weights)
            steps = torch.tensor(float(self.steps), device=self.device if self.device.startswith("cuda") else "cpu")
            self.optimiser.state[parameter] = {"step": steps, "exp_avg": first, "exp_avg_sq": second}


class _MaskedWords(nn.Module):
    """An encoder, and what says which pieces are masked."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        _, sizes = TransformerEncoder.alone(shape).described
        self.encoder = TorchTransformer(sizes, Dropout())
        size = shape.hidden_size
        self.hidden, self.hidden_bias = zeros(size, size), zeros(1, size)
        self.norm, self.bias = Norm(size, shape.norm_epsilon), zeros(1, shape.pieces)

    def initialise(self, generator: torch.Generator) -> None:
        self.encoder.initialise(generator)
        with torch.no_grad():
            self.hidden.normal_(0.0, 0.02, generator=generator)
            self.norm.scale.fill_(1.0)

    def forward(self, pieces: Tensor, chosen: Tensor, wanted: Tensor) -> Tensor:
        """Return the mean loss of the pieces that stand at chosen places."""
        states = self.encoder.layers(pieces)[-1].flatten(0, 1)[chosen]
        hidden = self.norm(functional.gelu(functional.linear(states, self.hidden.t(), self.hidden_bias[0])))
        scores = functional.linear(hidden, self.encoder.pieces, self.bias[0])
        return functional.cross_entropy(scores.float(), wanted, ignore_index=_NONE)
