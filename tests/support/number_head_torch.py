"""The head of tests/support/number_head.py in torch: the same parameters, by the same names, as in the kernel."""

from __future__ import annotations

from torch import Tensor, nn

from crossarc.models.neural.parts import Sizes
from crossarc.models.neural.torch.encoder import Dropout, zeros
from crossarc.models.neural.torch.heads import register_head


@register_head("number")
class TorchNumberHead(nn.Module):
    """A linear layer; half the squared error is its loss."""

    def __init__(self, width: int, sizes: Sizes, dropout: Dropout) -> None:
        super().__init__()
        self.weights, self.bias = zeros(width, 1), zeros(1, 1)

    def forward(self, words: Tensor) -> Tensor:
        """Return the number of each word, from what the encoder says of it."""
        return words @ self.weights + self.bias
