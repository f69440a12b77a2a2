"""A head that predicts a number of each word, as CONTRIBUTING.md adds it: what Python says of it.

Its kernel half is tests/kernel/heads/number.cpp, its torch half tests/support/number_head_torch.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from crossarc.models.neural.parts import Part


@dataclass(frozen=True)
class NumberHead(Part):
    """A number of each word, such as its depth in the tree, from 0 to the largest."""

    kind: ClassVar[str] = "number"
    largest: int
