"""One configuration to look at and to step by hand: stacks, buffer, arcs (Gómez-Rodríguez & Nivre 2013, Definition 3).

For teaching and notebooks; whole treebanks go through `Machine` and the oracles. Each call costs O(n).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TransitionError
from .machine import NO_LABEL, LabelledArc, Machine, active_first, described, labelled_arcs

if TYPE_CHECKING:
    from ..algebra.system import TransitionSystem


class Configuration:
    """A configuration of a system for one sentence.

    >>> from crossarc.transitions import systems
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
        """Where the artificial root stands: "none", "first" or "last"."""
        return self.machine.root

    @property
    def words(self) -> int:
        """How many words the sentence has."""
        return int(self.describe()["words"])

    @property
    def stacks(self) -> list[list[int]]:
        """All stacks from bottom to top, the active one first."""
        return active_first(self.describe())

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
        return labelled_arcs(self.system, self.describe())

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
        """Return stacks, buffer, arcs and so on as plain data."""
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
