"""All graphs that a system derives for a few words, by visiting every configuration it can reach.

Soundness and completeness (Gómez-Rodríguez & Nivre 2013, Definition 5), robustness and boundedness (Definitions 11, 12)
can so be settled for small sentences, whoever invented the system. Exponential: five or six words are the use of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ... import _kernel
from ...errors import TransitionError
from ..running.machine import checked_root, compiled

if TYPE_CHECKING:
    from ..algebra.system import TransitionSystem

Arcs = frozenset[tuple[int, int]]

MOST_NODES = 8
_MOST_CONFIGURATIONS = 40_000_000


class Derivable(Set[Arcs]):
    """The graphs that a system derives for a sentence of so many words, each a set of arcs (head, dependent)."""

    def __init__(self, system: TransitionSystem, words: int, root: str = "none") -> None:
        """Visit all configurations."""
        self.system = system
        self.words = words
        self.root = checked_root(root)
        nodes = words + (root != "none")
        if words < 0 or nodes > MOST_NODES:
            raise TransitionError(f"all graphs are enumerated for at most {MOST_NODES} nodes, not {nodes}")
        found = _kernel.enumerate_graphs(compiled(system), words, root, _MOST_CONFIGURATIONS)
        if found["exhausted"]:
            raise TransitionError(
                f"{system.name} has more than {_MOST_CONFIGURATIONS:,} configurations for {words} words; take fewer"
            )
        #: One number for each graph, sorted: bit 8 h + d for an arc from position h to d in the order of reading.
        self.codes: NDArray[np.uint64] = found["graphs"]
        #: How many configurations can be reached.
        self.configurations: int = found["configurations"]
        #: Whether some transition is legal in every configuration that is not terminal.
        self.robust: bool = not found["stuck"]
        #: Whether no sequence of transitions leads back to where it began.
        self.bounded: bool = not found["looping"]

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[Arcs]:
        return (self._decode(int(code)) for code in self.codes)

    def __contains__(self, graph: object) -> bool:
        if not isinstance(graph, Iterable):
            return False
        code = self.encode(graph)
        place = int(np.searchsorted(self.codes, np.uint64(code)))
        return place < len(self.codes) and int(self.codes[place]) == code

    def encode(self, arcs: Iterable[tuple[int, int]]) -> int:
        """Return the number of a graph."""
        code = 0
        for head, dependent in arcs:
            ends = self._position(head), self._position(dependent)
            if self.system.is_undirected:
                ends = min(ends), max(ends)
            code |= 1 << (8 * ends[0] + ends[1])
        return code

    def _position(self, word: int) -> int:
        if self.root == "first":
            return word
        return self.words if word == 0 else word - 1

    def _word(self, position: int) -> int:
        if self.root == "first":
            return position
        return 0 if self.root == "last" and position == self.words else position + 1

    def _decode(self, code: int) -> Arcs:
        bits = [bit for bit in range(64) if code >> bit & 1]
        return frozenset((self._word(bit // 8), self._word(bit % 8)) for bit in bits)

    @classmethod
    def _from_iterable(cls, it: Iterable[Arcs]) -> frozenset[Arcs]:  # type: ignore[override]
        return frozenset(it)

    def __repr__(self) -> str:
        return f"<{len(self):,} graphs that {self.system.name} derives for {self.words} words>"
