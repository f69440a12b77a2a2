"""How much of a treebank comes back when it is encoded and restored (2005, Section 4 and Table 4). O(words).

Lifted arcs are counted, as in the paper. Roots that were attached to the arc above them (`covered_roots`) are counted
apart: arcs from the artificial root cannot be lifted.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from .._arrays import items_of
from ..treebank import Treebank
from .base import Encoding


@dataclass(frozen=True)
class Recovery:
    """What encoding changed in a treebank and what restoring brought back."""

    sentences: int
    words: int
    labels: int
    encoded_labels: int
    moved: int  # lifted arcs: those that have another head in the encoded treebank
    recovered: int  # of these, arcs that have their own head again
    covered_roots: int  # roots that have a head in the encoded treebank
    changed_sentences: int  # sentences that do not come back as they were

    @property
    def share(self) -> float:
        """The share of lifted arcs that came back; 1 if none was lifted."""
        return self.recovered / self.moved if self.moved else 1.0

    def to_dict(self) -> dict[str, float | int]:
        """Return plain data."""
        return {**asdict(self), "share": self.share}

    def __add__(self, other: Recovery) -> Recovery:
        """Add up parts of a treebank; the labels are those of the part that has most."""
        sums = {name: value + getattr(other, name) for name, value in asdict(self).items()}
        labels = {name: max(getattr(self, name), getattr(other, name)) for name in ("labels", "encoded_labels")}
        return Recovery(**{**sums, **labels})


def recovery(encoding: Encoding, treebank: Treebank, *, threads: int = 0) -> Recovery:
    """Encode and restore a treebank and count what came back."""
    return compare(treebank, encoding.encode(treebank, threads=threads), encoding, threads=threads)


def compare(treebank: Treebank, encoded: Treebank, encoding: Encoding, *, threads: int = 0) -> Recovery:
    """Restore an encoded treebank and count what came back of the original."""
    restored = encoding.restore(encoded, threads=threads)
    roots = treebank.head == 0
    moved = (encoded.head != treebank.head) & ~roots
    wrong_head = restored.head != treebank.head
    wrong = wrong_head | (restored.deprel.ids != treebank.deprel.ids)
    return Recovery(
        sentences=len(treebank),
        words=treebank.words,
        labels=len(np.unique(treebank.deprel.ids)),
        encoded_labels=len(np.unique(encoded.deprel.ids)),
        moved=int(np.count_nonzero(moved)),
        recovered=int(np.count_nonzero(moved & ~wrong_head)),
        covered_roots=int(np.count_nonzero(roots & (encoded.head != 0))),
        changed_sentences=len(np.unique(items_of(treebank.word_offsets)[wrong])),
    )
