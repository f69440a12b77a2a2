"""The heads of networks: what is predicted from what the encoder says of words, and how large that is.

Another head is a dataclass like these, a class in kernel/nn/heads and one that `torch.heads.register_head` knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .parts import Part


@dataclass(frozen=True)
class TransitionHead(Part):
    """Transitions, from words and small numbers of a configuration, and labels, from the two words of an arc.

    Each through one hidden layer (Kiperwasser & Goldberg 2016).
    """

    kind: ClassVar[str] = "transitions"
    #: Words of a configuration that are looked at, and small numbers of it.
    slots: int
    atoms: int
    hidden_size: int
    transitions: int
    label_hidden_size: int
    labels: int


@dataclass(frozen=True)
class BiaffineHead(Part):
    """Arcs by a biaffine product of their two words, and labels by another (Dozat & Manning 2017)."""

    kind: ClassVar[str] = "biaffine"
    arc_hidden_size: int
    label_hidden_size: int
    labels: int


@dataclass(frozen=True)
class CrossedHead(Part):
    """What the score of an arc gains or loses where another arc crosses it, by a biaffine product (Pitler 2014)."""

    kind: ClassVar[str] = "crossed"
    arc_hidden_size: int


@dataclass(frozen=True)
class TagHead(Part):
    """Tags of words, each of so many classes."""

    kind: ClassVar[str] = "tags"
    classes: tuple[int, ...]
