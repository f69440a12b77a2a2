"""All graphs that a system derives for a few words, by visiting every configuration it can reach.

Soundness and completeness (Gómez-Rodríguez & Nivre 2013, Definition 5), robustness and boundedness (Definitions 11, 12)
can so be settled for small sentences. What `properties` cannot derive may hold all the same; a counterexample among
these graphs settles that it does not. Exponential in the number of words: enough for five or six.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from ... import _kernel
from ...errors import TransitionError
from ...structure import Graph
from ..algebra.serialisation import compiled
from ..algebra.system import checked_root

if TYPE_CHECKING:
    from ..algebra.system import TransitionSystem

Arcs = frozenset[tuple[int, int]]
Item = TypeVar("Item")

_MOST_NODES = _kernel.MOST_ENUMERATED_NODES
_MOST_CONFIGURATIONS = 40_000_000


class Derivable(Set[Arcs]):
    """The graphs that a system derives for a sentence of so many words, each a set of arcs (head, dependent)."""

    def __init__(self, system: TransitionSystem, words: int, root: str = "none") -> None:
        """Visit all configurations."""
        self.system = system
        self.words = words
        self.root = checked_root(root)
        nodes = words + (root != "none")
        if words < 0 or nodes > _MOST_NODES:
            raise TransitionError(f"all graphs are enumerated for at most {_MOST_NODES} nodes, not {nodes}")
        graphs = _kernel.enumerate_graphs(compiled(system), words, root, _MOST_CONFIGURATIONS)
        if graphs["exhausted"]:
            raise TransitionError(
                f"{system.name} has more than {_MOST_CONFIGURATIONS:,} configurations for {words} words; take fewer"
            )
        #: One number for each graph, sorted: bit _MOST_NODES · h + d for an arc from position h to d in reading order.
        self.codes: NDArray[np.uint64] = graphs["graphs"]
        #: How many configurations can be reached.
        self.configurations: int = graphs["configurations"]
        #: Whether some transition is legal in every configuration that is not terminal.
        self.robust: bool = not graphs["stuck"]
        #: Whether no sequence of transitions leads back to where it began.
        self.bounded: bool = not graphs["looping"]

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[Arcs]:
        return (self._decode(int(code)) for code in self.codes)

    def __contains__(self, graph: object) -> bool:
        if not isinstance(graph, Iterable):
            return False
        code = self.encode(graph)
        index = int(np.searchsorted(self.codes, np.uint64(code)))
        return index < len(self.codes) and int(self.codes[index]) == code

    def encode(self, arcs: Iterable[tuple[int, int]]) -> int:
        """Return the number of a graph."""
        code = 0
        for head, dependent in arcs:
            ends = self._position(head), self._position(dependent)
            if self.system.is_undirected:
                ends = min(ends), max(ends)
            code |= 1 << (_MOST_NODES * ends[0] + ends[1])
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
        bits = [bit for bit in range(_MOST_NODES**2) if code >> bit & 1]
        return frozenset((self._word(bit // _MOST_NODES), self._word(bit % _MOST_NODES)) for bit in bits)

    @classmethod
    def _from_iterable(cls, it: Iterable[Item]) -> frozenset[Item]:
        return frozenset(it)

    def __repr__(self) -> str:
        return f"<{len(self):,} graphs that {self.system.name} derives for {self.words} words>"


def counterexample(system: TransitionSystem, name: str, words: int = 4) -> Arcs | None:
    """Return a graph of at most so many words that a system derives and that lacks a property, if there is one."""
    if not can_be_refuted(system, name):
        names = ", ".join(known for known in _HOLDS if can_be_refuted(system, known))
        raise TransitionError(f"{system.name}: there are no counterexamples to {name!r}; ask for one of {names}")
    for number in range(1, words + 1):
        for arcs in Derivable(system, number):
            if not _HOLDS[name](Graph(number, arcs)):
                return arcs
    return None


def can_be_refuted(system: TransitionSystem, name: str) -> bool:
    """Whether a property is one that a graph of the system may have or not."""
    return name in ("acyclic", "planar") if system.is_undirected else name in _HOLDS


def _without_undirected_cycles(graph: Graph) -> bool:
    """Whether nothing is left when arcs are taken away that end in a word without other arcs."""
    left = graph.arcs
    while left:
        ends = Counter(end for arc in left for end in arc)
        within = [arc for arc in left if min(ends[end] for end in arc) > 1]
        if len(within) == len(left):
            return False
        left = within
    return True


_HOLDS: dict[str, Callable[[Graph], bool]] = {
    "single_head": lambda graph: graph.single_head,
    "acyclic": _without_undirected_cycles,
    "directed_acyclic": lambda graph: graph.acyclic,
    "no_covered_roots": lambda graph: graph.no_covered_roots,
    "planar": lambda graph: graph.planar,
}
