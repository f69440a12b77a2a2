"""The configurations that transitions lead to, each looked at once, whichever gold tree is asked about."""

from __future__ import annotations

from functools import cached_property

from crossarc.transitions import Configuration


class Explored:
    """Configurations by what can be told apart of them."""

    def __init__(self) -> None:
        self.known: dict[str, Place] = {}

    def place(self, configuration: Configuration) -> Place:
        """Return what is known of a configuration."""
        told = repr(sorted(configuration.describe().items())) + repr(configuration.legal())
        if told not in self.known:
            self.known[told] = Place(self, configuration.copy())
        return self.known[told]


class Place:
    """A configuration among others."""

    def __init__(self, explored: Explored, configuration: Configuration) -> None:
        self._explored = explored
        self._configuration = configuration
        self.arcs = frozenset((arc.head, arc.dependent) for arc in configuration.arcs)
        self.is_terminal = configuration.is_terminal

    @cached_property
    def steps(self) -> list[tuple[str, Place]]:
        """Every legal transition, and where it leads."""
        return [
            (name, self._explored.place(self._configuration.copy().apply(name, position=position)))
            for name, position in self._configuration.legal_actions()
        ]
