"""The undirected form of a system (Gómez-Rodríguez & Fernández-González 2012, Section 3); O(steps).

Possible where LEFT-ARC and RIGHT-ARC transitions are the same but for the direction of the arc: then one transition
`arc` stands for both. Conditions for a single head go, since links have no head.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import TransitionError
from .guards import DIRECTED, HEADS, Fact, Guard
from .transition import Operation, Step, Transition

if TYPE_CHECKING:
    from .system import TransitionSystem

_ARCS = {Operation.LEFT_ARC, Operation.RIGHT_ARC}


def collapse(system: TransitionSystem) -> dict[str, Transition]:
    """Return the transitions of the undirected form, `arc` in the place of the first arc transition."""
    if system.is_undirected:
        raise TransitionError(f"{system.name} is undirected already")
    adding = {key: one for key, one in system.transitions.items() if one.arcs}
    forms = {key: _without_direction(system, key, one) for key, one in adding.items()}
    _check_pair(system, adding, forms)
    if "arc" in system.transitions.keys() - adding.keys():
        raise TransitionError(f"{system.name} has another transition called arc; call that otherwise")
    first = next(iter(adding))
    others = {key: _without_direction(system, key, one) for key, one in system.transitions.items()}
    renamed = {"arc" if key == first else key: one for key, one in others.items()}
    return {key: one for key, one in renamed.items() if key not in adding}


def _check_pair(system: TransitionSystem, adding: dict[str, Transition], forms: dict[str, Transition]) -> None:
    if len(adding) != 2:
        raise TransitionError(
            f"{system.name} has no undirected form: two arc transitions would become one, and it has {len(adding)}"
        )
    (left, right), (one, other) = adding, forms.values()
    directions = {step.operation for transition in adding.values() for step in transition.steps} & _ARCS
    if one != other or len(directions) != 2:
        raise TransitionError(
            f"{system.name} has no undirected form: {left} ({adding[left]!r}) and {right} ({adding[right]!r}) differ "
            "in more than the direction of the arc, so that they cannot become one transition (2012, Section 3 and "
            "footnote 2)"
        )


def _without_direction(system: TransitionSystem, key: str, transition: Transition) -> Transition:
    return Transition(tuple(_undirected_step(system, key, step) for step in transition.steps))


def _undirected_step(system: TransitionSystem, key: str, step: Step) -> Step:
    operation = Operation.ARC if step.operation in _ARCS else step.operation
    if step.guard is None:
        return replace(step, operation=operation)
    # That the opposite arc is absent is part of ARC itself.
    dropped = HEADS | ({Fact.arc_from_stack, Fact.arc_from_buffer} if _asks_absence(step.guard) else set())
    directed = (DIRECTED & step.guard.facts) - dropped
    if directed:
        raise TransitionError(
            f"{system.name} has no undirected form: {key} asks {min(directed).name}, which links do not have"
        )
    return replace(step, operation=operation, guard=step.guard.without(dropped))


def _asks_absence(guard: Guard) -> bool:
    """Whether arcs between the two words are asked for only as absent."""
    arcs = 1 << Fact.arc_from_stack | 1 << Fact.arc_from_buffer
    return not any(must & arcs for must, _ in guard.alternatives)
