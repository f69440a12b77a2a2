"""The machine that executes a system (kernel/transitions): many sentences stepped in lockstep.

For scorers in Python: `legal()` says what each sentence may do next, `apply(actions)` does it. An elementary transition
costs O(1), but for those that `kernel/transitions/machine/configuration.hpp` lists. An action is a number: of a
transition, or of a transition and a position where the system has such (easy-first).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ... import _kernel
from ...errors import TransitionError
from ...structure.projections import runs
from ..algebra.serialisation import compiled
from ..algebra.system import checked_root
from ..algebra.transition import Definition

if TYPE_CHECKING:
    from ..algebra.system import TransitionSystem

#: Leaves a sentence as it is.
NO_ACTION: int = _kernel.NO_ACTION
NO_LABEL: int = _kernel.NO_LABEL

_SHOWN_AT_ENDS = 3


class LabelledArc(NamedTuple):
    """An arc from head to dependent; of a link without direction, from its left word to its right one."""

    head: int
    dependent: int
    label: str | None = None

    def __str__(self) -> str:
        middle = f", {self.label}" if self.label is not None else ""
        return f"({self.head}{middle}, {self.dependent})"


class Machine:
    """Configurations of many sentences under one system.

    >>> from crossarc.transitions import systems
    >>> machine = Machine(systems.get("planar"), [2, 3])
    >>> machine.legal().astype(int).tolist()
    [[1, 0, 0, 0], [1, 0, 0, 0]]
    """

    def __init__(self, system: TransitionSystem, words: Sequence[int] | NDArray[np.int32], root: str = "none") -> None:
        """Put sentences of so many words into their initial configurations."""
        lengths = np.ascontiguousarray(words, dtype=np.int32)
        if lengths.ndim != 1 or (lengths < 0).any():
            raise TransitionError("the lengths of sentences are a list of numbers, 0 or more")
        self.system = system
        self.root = checked_root(root)
        self._names = list(system.transitions)
        self._program = compiled(system)
        self._machine = _kernel.make_machine(self._program, lengths, self.root)
        self._sentences = len(lengths)

    def __len__(self) -> int:
        return self._sentences

    @property
    def actions(self) -> int:
        """How many actions there are for the longest sentence."""
        return self._machine.actions

    def name_of(self, action: int) -> tuple[str, int]:
        """Return the transition and the position that an action stands for; 0 where it takes none."""
        if not 0 <= action < self.actions:
            raise TransitionError(f"{self.system.name} has actions 0 to {self.actions - 1}, not {action}")
        transition, position = self._program.transition_of(action)
        return self._names[transition], position

    def action_of(self, transition: str, position: int = 0) -> int:
        """Return the action of a transition, with a position where it takes one."""
        if transition not in self.system.transitions:
            known = ", ".join(self._names)
            raise TransitionError(f"{self.system.name} has no transition {transition!r}; it has {known}")
        takes_position = self.system.transitions[transition].takes_position
        if takes_position != (position > 0):
            need = "takes a position, 1 or more" if takes_position else "takes no position"
            raise TransitionError(f"{transition} of {self.system.name} {need}")
        return self._program.action_of(self._names.index(transition), position)

    def legal(self) -> NDArray[np.bool_]:
        """Return a row for each sentence: which actions are legal in its configuration."""
        return self._machine.legal().view(np.bool_).reshape(len(self), self.actions)

    def apply(self, actions: ArrayLike, labels: ArrayLike | None = None) -> None:
        """Do one action in each sentence, NO_ACTION for none; all of them or, if one is not legal, none."""
        chosen = np.ascontiguousarray(actions, dtype=np.int32)
        named = np.full(len(self), NO_LABEL, np.int32) if labels is None else np.ascontiguousarray(labels, np.int32)
        if chosen.shape != (len(self),) or named.shape != (len(self),):
            raise TransitionError(f"there are {len(self)} sentences: one action and one label for each are needed")
        if chosen.size and not NO_ACTION <= chosen.min() <= chosen.max() < self.actions:
            raise TransitionError(f"{self.system.name} has actions 0 to {self.actions - 1}")
        if named.size and not NO_LABEL <= named.min() <= named.max() < max(1, len(self.system.labels or ())):
            raise TransitionError(f"{self.system.name} has {len(self.system.labels or ())} labels")
        refused = self._machine.apply(chosen, named)
        if refused >= 0:
            self._refuse(int(chosen[refused]), refused)

    def _refuse(self, action: int, sentence: int) -> None:
        name, position = self.name_of(action)
        legal = np.flatnonzero(self.legal()[sentence])
        options = ", ".join(dict.fromkeys(self.name_of(int(option))[0] for option in legal)) or "nothing"
        shown = f"{name}({position})" if position else name
        here = described(self.system, self.describe(sentence))
        raise TransitionError(f"{shown} is not legal in {here}; {self.system.name} allows {options} there")

    def is_terminal(self, sentence: int) -> bool:
        """Whether the buffer of a sentence is empty (2013, Definition 3)."""
        return self._machine.terminal(sentence)

    def describe(self, sentence: int) -> dict[str, Any]:
        """Return the stacks, the buffer, the arcs and so on of a sentence as plain data."""
        return self._machine.describe(sentence)

    def look(
        self,
        sentence: int,
        addresses: list[tuple[int, int, int, int]],
        atoms: list[tuple[int, int, int]],
    ) -> tuple[list[int], list[int]]:
        """Return the words at addresses of a sentence, -1 for none, and the values of atoms, as parsers see them."""
        return self._machine.look(sentence, (addresses, atoms, []))

    def count_costs(
        self, heads: NDArray[np.int32], dependents: NDArray[np.int32], oracle: _kernel.TrainingOracle, width: int
    ) -> NDArray[np.int32]:
        """Return the cost of each action in the first sentence for a gold graph, -1 where it is not legal."""
        return _kernel.count_costs(self._machine, 0, heads, dependents, oracle, width)

    def right_transitions(
        self, heads: NDArray[np.int32], dependents: NDArray[np.int32], oracle: _kernel.TrainingOracle
    ) -> list[bool]:
        """Return whether each transition is right in the first sentence for a parser that learns a gold graph."""
        return _kernel.right_transitions(self._machine, 0, heads, dependents, oracle)

    def copy(self) -> Machine:
        """Return an independent copy."""
        other = copy(self)
        other._machine = self._machine.copy()
        return other


def described(system: Definition, state: dict[str, Any]) -> str:
    """Return a configuration in the notation of the papers."""
    parts = structures(system, state)
    arcs = ", ".join(str(arc) for arc in labelled_arcs(system, state))
    return f"({', '.join(parts)}, {{{arcs}}})" if arcs else f"({', '.join(parts)}, ∅)"


def active_first(state: dict[str, Any]) -> list[list[int]]:
    """Return the stacks of a configuration, the active one first."""
    return [*state["stacks"][state["active"] :], *state["stacks"][: state["active"]]]


def structures(system: Definition, state: dict[str, Any]) -> list[str]:
    """Return the stacks, the active one first, Covington's second list and the buffer as text."""
    shown = [_listed(stack) for stack in active_first(state)]
    if system.has_lists:
        shown.append(_listed(state["aside"]))
    return [*shown, _listed(state["buffer"])]


def _listed(nodes: Sequence[int]) -> str:
    """Return a list of words; a long run of neighbours is shortened as the papers do."""
    if not nodes:
        return "[ ]"
    shown = (
        f"{run[0]}, …, {run[-1]}" if len(run) > _SHOWN_AT_ENDS else ", ".join(map(str, run)) for run in runs(nodes)
    )
    return f"[{', '.join(shown)}]"


def labelled_arcs(system: Definition, state: dict[str, Any]) -> list[LabelledArc]:
    """Return the arcs of a configuration in the order in which they were added."""
    labels = system.labels or ()
    named = [(head, dependent, labels[label] if label >= 0 else None) for head, dependent, label in state["arcs"]]
    if system.is_undirected:
        named = [(min(head, dependent), max(head, dependent), label) for head, dependent, label in named]
    return [LabelledArc(*arc) for arc in named]
