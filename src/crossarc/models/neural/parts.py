"""The parts of a network, encoder and heads, as the kernel takes them: a kind by name and whole numbers by name.

A part is a dataclass of its sizes. The kernel (kernel/nn/encoders, kernel/nn/heads) and torch (`torch.encoder`,
`torch.heads`) have a class for each kind; its parameters have the same names and shapes in both, and in files. O(1).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

#: Whole numbers by name.
Sizes = dict[str, list[int]]


@dataclass(frozen=True)
class Part:
    """An encoder or a head; its fields are its sizes, each a whole number or several."""

    kind: ClassVar[str]

    @property
    def described(self) -> tuple[str, Sizes]:
        """The kind and the sizes, as the kernel takes them."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return self.kind, {name: list(value) if isinstance(value, tuple) else [int(value)] for name, value in values}
