"""One configuration to look at and to step by hand: stacks, buffer, arcs (Gómez-Rodríguez & Nivre 2013, Definition 3).

What a teacher shows and a notebook tries; whole treebanks go through `Machine` and the oracles. Each call costs O(n).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import TransitionError
from .machine import NO_LABEL, Machine

if TYPE_CHECKING:
    from ..algebra.system import TransitionSystem

_SHOWN_AT_ENDS = 3


class LabelledArc(NamedTuple):
    """An arc from head to dependent; of a link without direction, from its left word to its right one."""

    head: int
    dependent: int
    label: str | None = None

    def __str__(self) -> str:
        middle = f", {self.label}" if self.label is not None else ""
        return f"({self.head}{middle}, {self.dependent})"


class Configuration:
    """A configuration of a system for one sentence.

    >>> from crossarc.transitions.algebra import systems
    >>> configuration = Configuration(systems.get("arc-standard"), 3)
    >>> print(configuration.apply("shift").apply("left_arc"))
    ([ ], [2, 3], {(2, 1)})
    """

    def __init__(self, system: TransitionSystem, words: int, root: str = "none") -> None:
        """Make the initial configuration of a sentence of so many words."""
        self.system = system
        #: The machine that runs it, with this one sentence.
        self.machine = Machine(system, [words], root)

    @property
    def root(self) -> str:
        """Where the artificial root stands."""
        return self.machine.root

    @property
    def words(self) -> int:
        """How many words the sentence has."""
        return int(self.describe()["words"])

    @property
    def stacks(self) -> list[list[int]]:
        """All stacks from bottom to top, the active one first."""
        state = self.describe()
        active = state["active"]
        return [*state["stacks"][active:], *state["stacks"][:active]]

    @property
    def active(self) -> int:
        """Which stack is the active one, from 0."""
        return int(self.describe()["active"])

    @property
    def stack(self) -> list[int]:
        """The active stack from bottom to top; for Covington the list λ1."""
        return self.stacks[0]

    @property
    def aside(self) -> list[int]:
        """Covington's list λ2."""
        return list(self.describe()["aside"])

    @property
    def buffer(self) -> list[int]:
        """The buffer, first word first."""
        return list(self.describe()["buffer"])

    @property
    def arcs(self) -> list[LabelledArc]:
        """The arcs in the order in which they were added."""
        return _arcs(self.system, self.describe())

    @property
    def is_terminal(self) -> bool:
        """Whether the buffer is empty."""
        return self.machine.is_terminal(0)

    def legal(self) -> list[str]:
        """Return the names of the transitions that are legal here."""
        return list(dict.fromkeys(name for name, _ in self.legal_actions()))

    def legal_actions(self) -> list[tuple[str, int]]:
        """Return the legal transitions with their positions, 0 for those that take none."""
        return [self.machine.name_of(int(action)) for action in np.flatnonzero(self.machine.legal()[0])]

    def apply(self, transition: str, label: str | None = None, position: int = 0) -> Configuration:
        """Do a transition and return this configuration; what is not legal is an error and changes nothing."""
        action = self.machine.action_of(transition, position)
        self.machine.apply([action], [label_number(self.system, transition, label)])
        return self

    def copy(self) -> Configuration:
        """Return an independent copy."""
        other = object.__new__(Configuration)
        other.system = self.system
        other.machine = self.machine.copy()
        return other

    def describe(self) -> dict[str, Any]:
        """Return everything there is to see as plain data."""
        return self.machine.describe(0)

    def __str__(self) -> str:
        return described(self.system, self.describe())

    def __repr__(self) -> str:
        return f"<Configuration of {self.system.name}: {self}>"


def label_number(system: TransitionSystem, transition: str, label: str | None) -> int:
    """Return the number of a label; a transition without arcs, or a system without labels, takes none."""
    takes_label = system.labels is not None and system.transitions[transition].arcs > 0
    if not takes_label:
        if label is not None:
            raise TransitionError(f"{transition} of {system.name} takes no label")
        return NO_LABEL
    assert system.labels is not None
    if label not in system.labels:
        known = ", ".join(system.labels[:10]) + (", …" if len(system.labels) > 10 else "")
        raise TransitionError(f"{system.name} has no label {label!r} for {transition}; it has {known}")
    return system.labels.index(label)


def described(system: TransitionSystem, state: dict[str, Any]) -> str:
    """Return a configuration in the notation of the papers."""
    parts = structures(system, state)
    arcs = ", ".join(str(arc) for arc in _arcs(system, state))
    return f"({', '.join(parts)}, {{{arcs}}})" if arcs else f"({', '.join(parts)}, ∅)"


def structures(system: TransitionSystem, state: dict[str, Any]) -> list[str]:
    """Return the stacks, the active one first, Covington's second list and the buffer as text."""
    active = state["active"]
    stacks = [*state["stacks"][active:], *state["stacks"][:active]]
    shown = [listed(stack) for stack in stacks]
    if system.has_lists:
        shown.append(listed(state["aside"]))
    return [*shown, listed(state["buffer"])]


def listed(nodes: Sequence[int]) -> str:
    """Return a list of words; a long run of neighbours is shortened as the papers do."""
    if not nodes:
        return "[ ]"
    runs: list[list[int]] = []
    for node in nodes:
        if runs and runs[-1][-1] + 1 == node:
            runs[-1].append(node)
        else:
            runs.append([node])
    shown = (
        f"{run[0]}, …, {run[-1]}" if len(run) > _SHOWN_AT_ENDS else ", ".join(str(node) for node in run) for run in runs
    )
    return f"[{', '.join(shown)}]"


def _arcs(system: TransitionSystem, state: dict[str, Any]) -> list[LabelledArc]:
    labels = system.labels or ()
    named = [(head, dependent, labels[label] if label >= 0 else None) for head, dependent, label in state["arcs"]]
    if system.is_undirected:
        named = [(min(head, dependent), max(head, dependent), label) for head, dependent, label in named]
    return [LabelledArc(*arc) for arc in named]
