"""A transition system as a value: named transitions, a number of stacks, labels; and what can be made of it.

`constrained` adds the constraints of Section 3.3.2 of Gómez-Rodríguez & Nivre 2013 by restricting each elementary step,
`with_stacks` is the step from planar to k-planar (Section 5.1), `undirected` the transformation of Section 3 of
Gómez-Rodríguez & Fernández-González 2012. All cost O(steps).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from keyword import iskeyword
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...errors import TransitionError
from . import guards as g
from .elementary import SWITCH
from .transition import DIVISIBLE, Operation, Step, Transition

if TYPE_CHECKING:
    from ..oracles.gold import GoldTree
    from ..oracles.oracle import Oracle
    from ..running.configuration import Configuration
    from ..theory.enumeration import Arcs, Derivable
    from ..theory.properties import Properties

#: The stacks, and for each transition its steps: (operation, depth, constant, times, alternatives of the guard).
ProgramStep = tuple[int, int, int, int, list[tuple[int, int]]]
Program = tuple[int, list[list[ProgramStep]]]

_MOST_STACKS = 255
_LISTS = {Operation.SKIP, Operation.JOIN, Operation.CLEAR}
_DIRECTED_ARCS = {Operation.LEFT_ARC, Operation.RIGHT_ARC}
#: What a transition cannot be called, since it means something else in a definition.
RESERVED = {"name", "stacks", "labels", "self"}


class TransitionSystem:
    """A name and transitions, in the order in which they are given; immutable, and equal by all of its parts."""

    def __init__(
        self, name: str, *, stacks: int = 1, labels: Iterable[str] | None = None, **transitions: Transition
    ) -> None:
        """Define a system; what makes no sense is refused with the reason."""
        if not isinstance(name, str) or not re.fullmatch(r"\w[\w+.-]*", name):
            raise TransitionError(f"a system's name has letters, digits and - + . _, and starts with one; {name!r} not")
        self._name = name
        self._stacks = stacks
        self._transitions = MappingProxyType(dict(transitions))
        try:
            self._labels = None if labels is None else _listed(labels)
            self._check()
        except TransitionError as error:
            raise TransitionError(f"{name}: {error}") from None

    @property
    def name(self) -> str:
        """What it is called."""
        return self._name

    @property
    def transitions(self) -> Mapping[str, Transition]:
        """The transitions by name, in the order of definition."""
        return self._transitions

    @property
    def stacks(self) -> int:
        """The number of stacks."""
        return self._stacks

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The labels that every transition with an arc chooses from; None if arcs have none."""
        return self._labels

    @property
    def operations(self) -> frozenset[Operation]:
        """The elementary transitions that occur."""
        return frozenset(step.operation for one in self._transitions.values() for step in one.steps)

    @property
    def is_undirected(self) -> bool:
        """Whether it builds links without direction."""
        return Operation.ARC in self.operations

    @property
    def has_lists(self) -> bool:
        """Whether its configurations have Covington's second list."""
        return bool(self.operations & _LISTS)

    @property
    def chooses_position(self) -> bool:
        """Whether a transition takes a position, as those of easy-first do."""
        return any(step.repeat for one in self._transitions.values() for step in one.steps)

    @property
    def is_divisible(self) -> bool:
        """Whether it is made of the five elementary transitions of the 2013 article alone (Definition 7)."""
        deep = any(step.depth for one in self._transitions.values() for step in one.steps)
        return self.operations <= DIVISIBLE and not deep

    def renamed(self, name: str) -> TransitionSystem:
        """Return it under another name."""
        return TransitionSystem(name, stacks=self._stacks, labels=self._labels, **self._transitions)

    def extended(self, name: str, **transitions: Transition) -> TransitionSystem:
        """Return a system with further transitions, or others in the place of those with the same names."""
        taken = RESERVED & transitions.keys()
        if taken:
            raise TransitionError(f"{name}: a transition cannot be called {min(taken)}")
        return TransitionSystem(name, stacks=self._stacks, labels=self._labels, **{**self._transitions, **transitions})

    def constrained(
        self,
        *,
        single_head: bool = False,
        acyclic: bool = False,
        directed_acyclic: bool = False,
        no_covered_roots: bool = False,
    ) -> TransitionSystem:
        """Restrict every step so that only graphs with these properties are built.

        `acyclic` forbids undirected cycles, as the 2013 article does; `directed_acyclic` only directed ones.
        """
        if self.is_undirected and (single_head or directed_acyclic):
            raise TransitionError(f"{self._name}: links without direction have no heads; only acyclic makes sense")
        if no_covered_roots and not (self.is_divisible and self._stacks == 1):
            raise TransitionError(
                f"{self._name}: no_covered_roots restricts REDUCE, which is enough only for divisible systems on one "
                "stack (2013, Proposition 1); on several stacks it also forbids graphs without covered roots "
                "(Section 5.1.2)"
            )
        restrictions: dict[Operation, list[g.Guard]] = {
            Operation.LEFT_ARC: [
                *([~g.stack_has_head] if single_head else []),
                *([~g.connected] if acyclic else []),
                *([~g.stack_reaches_buffer] if directed_acyclic else []),
            ],
            Operation.RIGHT_ARC: [
                *([~g.buffer_has_head] if single_head else []),
                *([~g.connected] if acyclic else []),
                *([~g.buffer_reaches_stack] if directed_acyclic else []),
            ],
            Operation.ARC: [~g.connected] if acyclic else [],
            Operation.REDUCE: [g.stack_has_head] if no_covered_roots else [],
        }
        asked = {
            "single-head": single_head,
            "acyclic": acyclic,
            "directed-acyclic": directed_acyclic,
            "no-covered-roots": no_covered_roots,
        }
        name = "+".join([self._name, *(constraint for constraint, wanted in asked.items() if wanted)])
        restricted = {key: _restricted(one, restrictions) for key, one in self._transitions.items()}
        return TransitionSystem(name, stacks=self._stacks, labels=self._labels, **restricted)

    def with_stacks(self, stacks: int) -> TransitionSystem:
        """Return it on so many stacks, with a transition `switch` that is not done round in a circle."""
        _check_number_of_stacks(stacks)
        if stacks == 1:
            return self
        if self._stacks != 1:
            raise TransitionError(f"{self._name} has {self._stacks} stacks already")
        if "switch" in self._transitions:
            raise TransitionError(f"{self._name} has a transition called switch already; call it otherwise")
        transitions = {**self._transitions, "switch": SWITCH.where(~g.switched_round)}
        return TransitionSystem(f"{stacks}-{self._name}", stacks=stacks, labels=self._labels, **transitions)

    def undirected(self) -> TransitionSystem:
        """Collapse its two arc transitions into one, `arc`, which adds a link without direction."""
        from .undirected import collapse

        transitions = collapse(self)
        return TransitionSystem(f"undirected-{self._name}", stacks=self._stacks, labels=self._labels, **transitions)

    def labelled(self, labels: Iterable[str]) -> TransitionSystem:
        """Give every transition that adds an arc a label to choose."""
        return TransitionSystem(self._name, stacks=self._stacks, labels=labels, **self._transitions)

    def properties(self) -> Properties:
        """Derive what the system guarantees, from its composition alone."""
        from ..theory.properties import derive

        return derive(self)

    def counterexample(self, name: str, words: int = 4) -> Arcs | None:
        """Return a graph of at most so many words that shows that the system lacks a property, if there is one."""
        from ..theory.counterexamples import counterexample

        return counterexample(self, name, words)

    def require_bounded(self) -> None:
        """Refuse a system that is not known to be bounded, before anything is run with it."""
        bounded = self.properties().bounded
        if not bounded:
            raise TransitionError(f"{self._name} is not bounded: {bounded.reason}")

    def notation(self) -> str:
        """Return the definition in the notation of the papers: ⟨Σ|i, j|B, A⟩ ⇒ …."""
        from .notation import system_notation

        return system_notation(self)

    def program(self) -> Program:
        """Return what the machine executes."""
        return self._stacks, [[_program_step(step) for step in one.steps] for one in self._transitions.values()]

    def start(self, words: int, root: str = "none") -> Configuration:
        """Return the initial configuration of a sentence of so many words, to step by hand.

        The artificial root is nowhere, "first" or "last".
        """
        from ..running.configuration import Configuration

        return Configuration(self, words, root)

    def oracle(
        self,
        gold: GoldTree,
        *,
        root: str = "none",
        method: str = "auto",
        order: str = "eager",
        planes: Sequence[int] | None = None,
    ) -> Oracle:
        """Return what to do in order to build a gold tree or graph; `crossarc.transitions.derive` is for treebanks."""
        from ..oracles.oracle import Oracle

        return Oracle(self, gold, root=root, method=method, order=order, planes=planes)

    def derivable(self, words: int, root: str = "none") -> Derivable:
        """Return all graphs that it derives for a sentence of a few words."""
        from ..theory.enumeration import Derivable

        return Derivable(self, words, root)

    def to_dict(self) -> dict[str, Any]:
        """Return the definition as plain data."""
        from .serialisation import to_dict

        return to_dict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> TransitionSystem:
        """Build the system that `to_dict` described."""
        from .serialisation import from_dict

        return from_dict(data)

    def to_json(self) -> str:
        """Return the definition as JSON."""
        from .serialisation import to_json

        return to_json(self)

    @staticmethod
    def from_json(text: str) -> TransitionSystem:
        """Build the system that `to_json` described."""
        from .serialisation import from_json

        return from_json(text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TransitionSystem) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[Any, ...]:
        return self._name, self._stacks, self._labels, tuple(self._transitions.items())

    def __repr__(self) -> str:
        stacks = [f"stacks={self._stacks}"] if self._stacks != 1 else []
        labels = [f"labels={self._labels!r}"] if self._labels is not None else []
        transitions = [f"{key}={one!r}" for key, one in self._transitions.items()]
        lines = "".join(f",\n    {part}" for part in [*stacks, *labels, *transitions])
        return f'TransitionSystem("{self._name}"{lines})'

    def _check(self) -> None:
        if not self._transitions:
            raise TransitionError("a system needs transitions, such as shift=SHIFT")
        for key, one in self._transitions.items():
            if not key.isidentifier() or iskeyword(key) or key in RESERVED:
                raise TransitionError(f"a transition cannot be called {key!r}; use a word such as left_arc")
            if not isinstance(one, Transition):
                raise TransitionError(f"{key} is {one!r}, not a composition of elementary transitions such as SHIFT")
        _check_stacks(self)
        _check_lists(self)
        _check_directions(self)
        _check_labels(self)
        for key, one in self._transitions.items():
            _check_possible(self, key, one)


def _restricted(transition: Transition, restrictions: dict[Operation, list[g.Guard]]) -> Transition:
    steps = list(transition.steps)
    for index, step in enumerate(steps):
        for guard in restrictions.get(step.operation, []):
            steps[index] = steps[index].where(guard)
    return Transition(tuple(steps))


def _program_step(step: Step) -> ProgramStep:
    constant, times = (step.repeat.constant, 1) if step.repeat else (1, 0)
    alternatives = [] if step.guard is None else list(step.guard.alternatives)
    return int(step.operation), step.depth, constant, times, alternatives


def _check_possible(system: TransitionSystem, name: str, transition: Transition) -> None:
    from .symbolic import NoClosedForm, carry_out

    try:
        carry_out(transition, system)
    except TransitionError as error:
        raise TransitionError(f"{name}: {error}") from None
    except NoClosedForm:
        pass


def _listed(labels: Iterable[str]) -> tuple[str, ...]:
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise TransitionError(f"labels are a list of texts, not {labels!r}")
    return tuple(labels)


def _check_number_of_stacks(stacks: int) -> None:
    if not isinstance(stacks, int) or not 1 <= stacks <= _MOST_STACKS:
        raise TransitionError(f"the number of stacks must be from 1 to {_MOST_STACKS}, not {stacks!r}")


def _check_stacks(system: TransitionSystem) -> None:
    _check_number_of_stacks(system.stacks)
    switches = Operation.SWITCH in system.operations
    if switches and system.stacks == 1:
        raise TransitionError("SWITCH needs more than one stack: leave it out, and use with_stacks(2)")
    if system.stacks > 1 and Operation.SWAP in system.operations:
        raise TransitionError("SWAP exchanges the top of one stack with the first buffer word; use it on one stack")
    if not switches and system.stacks > 1:
        raise TransitionError("more than one stack needs a SWITCH: use with_stacks, which adds it")


def _check_lists(system: TransitionSystem) -> None:
    if system.has_lists and system.stacks > 1:
        raise TransitionError("SKIP, JOIN and CLEAR are about the one second list of Covington; use them on one stack")
    used = system.operations & _LISTS
    if used and Operation.SKIP not in used:
        raise TransitionError(f"{min(used).name} does nothing without SKIP, which fills the second list")
    if used == {Operation.SKIP}:
        raise TransitionError("SKIP needs JOIN or CLEAR, which empty the second list that it fills")


def _check_directions(system: TransitionSystem) -> None:
    if not system.is_undirected:
        return
    if system.operations & _DIRECTED_ARCS:
        raise TransitionError("ARC adds links without direction; LEFT_ARC and RIGHT_ARC cannot go with it")
    for key, one in system.transitions.items():
        for step in one.steps:
            directed = g.DIRECTED & (step.guard.facts if step.guard is not None else frozenset())
            if directed:
                raise TransitionError(f"{key} asks {min(directed).name}, but links of ARC have no direction")


def _check_labels(system: TransitionSystem) -> None:
    if system.labels is None:
        return
    if not system.labels or not all(isinstance(label, str) and label for label in system.labels):
        raise TransitionError("labels are one or more non-empty strings")
    label, times = Counter(system.labels).most_common(1)[0]
    if times > 1:
        raise TransitionError(f"the label {label!r} is there {times} times")
    for key, one in system.transitions.items():
        if one.arcs > 1:
            raise TransitionError(f"{key} adds {one.arcs} arcs at once, so that one label is not enough for it")
