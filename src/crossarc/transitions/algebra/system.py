"""A transition system as a value that checks itself, and what can be made of it.

`constrained` adds the constraints of Section 3.3.2 of Gómez-Rodríguez & Nivre 2013 by restricting each elementary step,
`with_stacks` is the step from planar to k-planar (Section 5.1), `undirected` the transformation of Section 3 of
Gómez-Rodríguez & Fernández-González 2012. All cost O(steps). What the folders above do with a system (properties,
enumeration, running, oracles) are methods here all the same: see `METHODS`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, Literal, cast

from ... import _kernel
from ...errors import TransitionError
from . import guards as g
from . import serialisation
from .notation import system_notation
from .symbolic import NoClosedForm, carry_out
from .transition import LISTS, SWITCH, Definition, Operation, Step, Transition

if TYPE_CHECKING:
    from ..oracles.gold import GoldTree
    from ..oracles.oracle import Oracle
    from ..running.configuration import Configuration
    from ..theory.enumeration import Arcs, Derivable
    from ..theory.properties import Properties

#: Where the artificial root stands among the words: nowhere, before the first or behind the last.
Root = Literal["none", "first", "last"]
ROOTS: tuple[Root, ...] = ("none", "first", "last")

#: The methods of systems that are defined in folders above this one, by name. `crossarc.transitions` fills it: so the
#: algebra imports nothing that is built on it, and defining a system stays cheap.
METHODS: dict[str, Callable[..., Any]] = {}

_DIRECTED_ARCS = {Operation.LEFT_ARC, Operation.RIGHT_ARC}
#: What an arc may ask to be false and a link need not: that the dependent has a head, since links have none, and that
#: there is an arc between the two words already, since ARC itself asks that.
_IMPLIED = {
    Operation.LEFT_ARC: {g.Fact.stack_has_head, g.Fact.arc_from_stack, g.Fact.arc_from_buffer},
    Operation.RIGHT_ARC: {g.Fact.buffer_has_head, g.Fact.arc_from_stack, g.Fact.arc_from_buffer},
}


def checked_root(root: str) -> Root:
    """Return where the artificial root stands, or refuse it."""
    if root not in ROOTS:
        raise TransitionError(f'the artificial root is "none", "first" or "last", not {root!r}')
    return root


class TransitionSystem(Definition):
    """A name and transitions, in the order in which they are given; immutable, and equal by all of its parts."""

    def __init__(
        self, name: str, *, stacks: int = 1, labels: Iterable[str] | None = None, **transitions: Transition
    ) -> None:
        """Define a system; a definition that cannot be run is refused with the reason."""
        if not isinstance(name, str) or not re.fullmatch(r"\w[\w+.-]*", name):
            raise TransitionError(f"a system's name has letters, digits and - + . _, no sign first; not {name!r}")
        try:
            super().__init__(name, stacks, None if labels is None else _listed(labels), transitions)
            self._check()
        except TransitionError as error:
            raise TransitionError(f"{name}: {error}") from None

    def renamed(self, name: str) -> TransitionSystem:
        """Return it under another name."""
        return self._with(self.transitions, name)

    def _with(self, transitions: Mapping[str, Transition], name: str) -> TransitionSystem:
        return TransitionSystem(name, stacks=self.stacks, labels=self.labels, **transitions)

    def extended(self, name: str, **transitions: Transition) -> TransitionSystem:
        """Return a system with further transitions, or others in the place of those with the same names."""
        taken = serialisation.RESERVED & transitions.keys()
        if taken:
            raise TransitionError(f"{name}: a transition cannot be called {min(taken)}")
        return self._with({**self.transitions, **transitions}, name)

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
            raise TransitionError(f"{self.name}: links without direction have no heads; only acyclic can be asked")
        if no_covered_roots and not (self.is_divisible and self.stacks == 1):
            raise TransitionError(
                f"{self.name}: no_covered_roots restricts REDUCE, which is enough only for divisible systems on one "
                "stack (2013, Proposition 1); on several stacks it also forbids graphs without covered roots "
                "(Section 5.1.2)"
            )
        restrictions = {
            Operation.LEFT_ARC: [
                (single_head, ~g.stack_has_head),
                (acyclic, ~g.connected),
                (directed_acyclic, ~g.stack_reaches_buffer),
            ],
            Operation.RIGHT_ARC: [
                (single_head, ~g.buffer_has_head),
                (acyclic, ~g.connected),
                (directed_acyclic, ~g.buffer_reaches_stack),
            ],
            Operation.ARC: [(acyclic, ~g.connected)],
            Operation.REDUCE: [(no_covered_roots, g.stack_has_head)],
        }
        guards = {key: [guard for applies, guard in pairs if applies] for key, pairs in restrictions.items()}
        constraints = {
            "single-head": single_head,
            "acyclic": acyclic,
            "directed-acyclic": directed_acyclic,
            "no-covered-roots": no_covered_roots,
        }
        name = "+".join([self.name, *(constraint for constraint, applies in constraints.items() if applies)])
        return self._with({key: _restricted(transition, guards) for key, transition in self.transitions.items()}, name)

    def with_stacks(self, stacks: int) -> TransitionSystem:
        """Return it on so many stacks, with a transition `switch` that never comes back to the stack it came from."""
        _check_number_of_stacks(stacks)
        if stacks == 1:
            return self
        if self.stacks != 1:
            raise TransitionError(f"{self.name} has {self.stacks} stacks already")
        if "switch" in self.transitions:
            raise TransitionError(f"{self.name} has a transition called switch already: rename that")
        transitions = {**self.transitions, "switch": SWITCH.where(~g.switched_round)}
        return TransitionSystem(f"{stacks}-{self.name}", stacks=stacks, labels=self.labels, **transitions)

    def undirected(self) -> TransitionSystem:
        """Collapse its two arc transitions into one, `arc`, which adds a link without direction."""
        return self._with(_collapsed(self), f"undirected-{self.name}")

    def labelled(self, labels: Iterable[str]) -> TransitionSystem:
        """Give every transition that adds an arc a label to choose."""
        return TransitionSystem(self.name, stacks=self.stacks, labels=labels, **self.transitions)

    def properties(self) -> Properties:
        """Derive what the system guarantees, from its composition alone."""
        return cast("Properties", METHODS["properties"](self))

    def counterexample(self, name: str, words: int = 4) -> Arcs | None:
        """Return a graph of at most so many words that shows that the system lacks a property, if there is one."""
        return cast("Arcs | None", METHODS["counterexample"](self, name, words))

    def require_bounded(self) -> None:
        """Refuse a system that is not known to be bounded, before it is run."""
        bounded = self.properties().bounded
        if not bounded:
            raise TransitionError(f"{self.name} is not bounded: {bounded.reason}")

    def notation(self) -> str:
        """Return the definition in the notation of the papers: ⟨Σ|i, j|B, A⟩ ⇒ …."""
        return system_notation(self)

    def start(self, words: int, root: str = "none") -> Configuration:
        """Return the initial configuration of a sentence of so many words, to step by hand.

        `root` is where the artificial root stands: "none", "first" or "last".
        """
        return cast("Configuration", METHODS["start"](self, words, root))

    def oracle(
        self,
        gold: GoldTree,
        *,
        root: str = "none",
        method: str = "auto",
        order: str | None = None,
        planes: Sequence[int] | None = None,
    ) -> Oracle:
        """Return what to do in order to build a gold tree or graph; `crossarc.transitions.derive` is for treebanks.

        `root` is where the artificial root stands: "none", "first" or "last"; `order` is when a system with SWAP swaps,
        "eager" (the default) or "lazy" (that of swap-lazy).
        """
        options = {"root": root, "method": method, "order": order, "planes": planes}
        return cast("Oracle", METHODS["oracle"](self, gold, **options))

    def derivable(self, words: int, root: str = "none") -> Derivable:
        """Return all graphs that it derives for a sentence of a few words; `root` as for `start`."""
        return cast("Derivable", METHODS["derivable"](self, words, root))

    def to_dict(self) -> dict[str, Any]:
        return serialisation.to_dict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> TransitionSystem:
        """Build the system that `to_dict` described."""
        given = serialisation.from_dict(data)
        return TransitionSystem(given.name, stacks=given.stacks, labels=given.labels, **given.transitions)

    def to_json(self) -> str:
        """Return the definition as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> TransitionSystem:
        """Build the system that `to_json` described."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise TransitionError(f"a transition system as JSON: {error}") from None
        return TransitionSystem.from_dict(data)

    def __reduce__(self) -> tuple[Callable[..., TransitionSystem], tuple[dict[str, Any]]]:
        return TransitionSystem.from_dict, (self.to_dict(),)

    def __repr__(self) -> str:
        stacks = [f"stacks={self.stacks}"] if self.stacks != 1 else []
        labels = [f"labels={self.labels!r}"] if self.labels is not None else []
        transitions = [f"{key}={transition!r}" for key, transition in self.transitions.items()]
        lines = "".join(f",\n    {part}" for part in [*stacks, *labels, *transitions])
        return f'TransitionSystem("{self.name}"{lines})'

    def _check(self) -> None:
        if not self.transitions:
            raise TransitionError("a system needs transitions, such as shift=SHIFT")
        if len(self.transitions) > _kernel.MOST_TRANSITIONS:
            raise TransitionError(f"a system has at most {_kernel.MOST_TRANSITIONS} transitions")
        for key, transition in self.transitions.items():
            if not key.isidentifier() or iskeyword(key) or key in serialisation.RESERVED:
                raise TransitionError(f"a transition cannot be called {key!r}; use a name such as left_arc")
            if not isinstance(transition, Transition):
                raise TransitionError(
                    f"{key} is {transition!r}, not a composition of elementary transitions such as SHIFT"
                )
        _check_stacks(self)
        _check_lists(self)
        _check_directions(self)
        _check_labels(self)
        for key, transition in self.transitions.items():
            _check_possible(self, key, transition)


def _restricted(transition: Transition, restrictions: dict[Operation, list[g.Guard]]) -> Transition:
    return Transition(
        tuple(reduce(Step.where, restrictions.get(step.operation, []), step) for step in transition.steps)
    )


def _collapsed(system: Definition) -> dict[str, Transition]:
    """Return the transitions of the undirected form, `arc` in the place of the first arc transition.

    Possible where LEFT-ARC and RIGHT-ARC transitions are the same but for the direction of the arc. The conditions on
    arcs that keep a single head go, since links have no head (2012, Section 3); other conditions on heads are refused.
    """
    if system.is_undirected:
        raise TransitionError(f"{system.name} is undirected already")
    adding = {key: transition for key, transition in system.transitions.items() if transition.arcs}
    _check_pair(system, adding)
    if "arc" in system.transitions.keys() - adding.keys():
        raise TransitionError(f"{system.name} has another transition called arc: rename that")
    first, second = adding
    return {
        "arc" if key == first else key: _without_direction(system, key, transition)
        for key, transition in system.transitions.items()
        if key != second
    }


def _check_pair(system: Definition, adding: dict[str, Transition]) -> None:
    forms = [_without_direction(system, key, transition) for key, transition in adding.items()]
    if len(adding) != 2:
        raise TransitionError(
            f"{system.name} has no undirected form: two arc transitions would become one, and it has {len(adding)}"
        )
    left, right = adding
    if forms[0] != forms[1] or not system.operations >= _DIRECTED_ARCS:
        raise TransitionError(
            f"{system.name} has no undirected form: {left} ({adding[left]!r}) and {right} ({adding[right]!r}) differ "
            "in more than the direction of the arc, so that they cannot become one transition (2012, Section 3 and "
            "footnote 2)"
        )


def _without_direction(system: Definition, key: str, transition: Transition) -> Transition:
    return Transition(tuple(_undirected_step(system, key, step) for step in transition.steps))


def _undirected_step(system: Definition, key: str, step: Step) -> Step:
    operation = Operation.ARC if step.operation in _DIRECTED_ARCS else step.operation
    if step.guard is None:
        return replace(step, operation=operation)
    dropped = {fact for fact in _IMPLIED.get(step.operation, set()) if _asks_absence(step.guard, fact)}
    directed = (g.DIRECTED & step.guard.facts) - dropped
    if directed:
        raise TransitionError(
            f"{system.name} has no undirected form: {key} asks {min(directed).name}, which links do not have"
        )
    return replace(step, operation=operation, guard=step.guard.without(dropped))


def _asks_absence(guard: g.Guard, fact: g.Fact) -> bool:
    """Whether a fact is asked for only as one that does not hold."""
    return not any(must >> fact & 1 for must, _ in guard.alternatives)


def _check_possible(system: Definition, name: str, transition: Transition) -> None:
    try:
        carry_out(transition, system)
    except TransitionError as error:
        raise TransitionError(f"{name}: {error}") from None
    except NoClosedForm:
        pass


def _listed(labels: Iterable[str]) -> tuple[str, ...]:
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        raise TransitionError(f"labels are a list of strings, not {labels!r}")
    return tuple(labels)


def _check_number_of_stacks(stacks: int) -> None:
    if not isinstance(stacks, int) or not 1 <= stacks <= _kernel.MOST_STACKS:
        raise TransitionError(f"the number of stacks must be from 1 to {_kernel.MOST_STACKS}, not {stacks!r}")


def _check_stacks(system: Definition) -> None:
    _check_number_of_stacks(system.stacks)
    switches = Operation.SWITCH in system.operations
    if switches and system.stacks == 1:
        raise TransitionError("SWITCH needs more than one stack: leave it out, and use with_stacks(2)")
    if system.stacks > 1 and Operation.SWAP in system.operations:
        raise TransitionError("SWAP exchanges the top of one stack with the first buffer word; use it on one stack")
    if not switches and system.stacks > 1:
        raise TransitionError("more than one stack needs a SWITCH: use with_stacks, which adds it")


def _check_lists(system: Definition) -> None:
    if system.has_lists and system.stacks > 1:
        raise TransitionError("SKIP, JOIN and CLEAR move words between Covington's two lists: use them on one stack")
    used = system.operations & LISTS
    if used and Operation.SKIP not in used:
        raise TransitionError(f"{min(used).name} does nothing without SKIP, which fills the second list")
    if used == {Operation.SKIP}:
        raise TransitionError("SKIP needs JOIN or CLEAR, which empty the second list that it fills")


def _check_directions(system: Definition) -> None:
    if not system.is_undirected:
        return
    if system.operations & _DIRECTED_ARCS:
        raise TransitionError("ARC adds links without direction; LEFT_ARC and RIGHT_ARC cannot go with it")
    for key, transition in system.transitions.items():
        for step in transition.steps:
            directed = g.DIRECTED & (step.guard.facts if step.guard is not None else frozenset())
            if directed:
                raise TransitionError(f"{key} asks {min(directed).name}, but links of ARC have no direction")


def _check_labels(system: Definition) -> None:
    if system.labels is None:
        return
    if not system.labels or not all(isinstance(label, str) and label for label in system.labels):
        raise TransitionError("labels are one or more non-empty strings")
    label, times = Counter(system.labels).most_common(1)[0]
    if times > 1:
        raise TransitionError(f"the label {label!r} occurs {times} times")
    for key, transition in system.transitions.items():
        if transition.arcs > 1:
            raise TransitionError(f"{key} adds {transition.arcs} arcs at once, but a transition has one label")
