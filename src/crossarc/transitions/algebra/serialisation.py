"""Systems outside Python: plain data and JSON, as model files hold them, and the program that the kernel executes.

A malformed definition is refused with the place and the reason. The data:

{"format": "crossarc transition system", "version": 1, "name", "stacks", "labels", "transitions": [{"name", "steps"}]};
a step has "do" and, where they say something, "depth", "position" (the constant added to P) and "where": alternatives,
each a list of facts with a ~ before those that must not hold. O(steps).
"""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from functools import lru_cache, reduce
from operator import and_, or_
from typing import Any

from ... import _kernel
from ...errors import TransitionError, shown
from . import guards as g
from .transition import Definition, Operation, Position, Step, Transition

#: The stacks, and for each transition its steps: (operation, depth, constant, times, alternatives of the guard). A step
#: is repeated constant + times · position times.
ProgramStep = tuple[int, int, int, int, list[tuple[int, int]]]
Program = tuple[int, list[list[ProgramStep]]]
#: What a transition cannot be called, since it means something else in a definition.
RESERVED = frozenset({"name", "stacks", "labels", "self"})
_FORMAT = "crossarc transition system"
_VERSION = 1
#: Of a step. No guard of the catalogue has more than two; putting them into normal form takes time.
_MOST_ALTERNATIVES = 32


def to_dict(system: Definition) -> dict[str, Any]:
    """Return the definition as plain data."""
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "name": system.name,
        "stacks": system.stacks,
        "labels": None if system.labels is None else list(system.labels),
        "transitions": [
            {"name": name, "steps": [_step_data(step) for step in transition.steps]}
            for name, transition in system.transitions.items()
        ],
    }


def from_dict(data: Any) -> Definition:
    """Return the definition that `to_dict` described; whether its parts fit together is not checked."""
    if not isinstance(data, Mapping) or data.get("format") != _FORMAT:
        raise TransitionError(f'not the definition of a transition system: "format" must be "{_FORMAT}"')
    if data.get("version") != _VERSION:
        raise TransitionError(
            f"the definition of a transition system has version {data.get('version')!r}; this crossarc reads {_VERSION}"
        )
    name, stacks = _value(data, "name", str, "system"), _value(data, "stacks", int, "system")
    labels = None if data.get("labels") is None else _value(data, "labels", list, "system")
    transitions: dict[str, Transition] = {}
    given = _value(data, "transitions", list, "system")
    if len(given) > _kernel.MOST_TRANSITIONS:
        raise TransitionError(f"a system has at most {_kernel.MOST_TRANSITIONS} transitions, not {len(given)}")
    for number, item in enumerate(given, 1):
        key = _value(item, "name", str, f"transition {number}")
        if key in transitions:
            raise TransitionError(f"{name}: two transitions are called {key}")
        if key in RESERVED:
            raise TransitionError(f"{name}: a transition cannot be called {key}")
        transitions[key] = _transition(key, _value(item, "steps", list, key))
    return Definition(name, stacks, None if labels is None else tuple(labels), transitions)


def program(system: Definition) -> Program:
    """Return what the kernel executes."""
    return system.stacks, [
        [_program_step(step) for step in transition.steps] for transition in system.transitions.values()
    ]


@lru_cache(maxsize=256)
def compiled(system: Definition) -> _kernel.Program:
    """Return the program of a system, ready to run; remembered, since whatever runs a system asks for it."""
    return _kernel.make_program(*program(system), len(system.labels or ()))


atexit.register(compiled.cache_clear)  # or the kernel would take what the cache holds for a leak


def _program_step(step: Step) -> ProgramStep:
    constant, times = (step.repeat.constant, 1) if step.repeat else (1, 0)
    alternatives = [] if step.guard is None else list(step.guard.alternatives)
    return int(step.operation), step.depth, constant, times, alternatives


def _step_data(step: Step) -> dict[str, Any]:
    data: dict[str, Any] = {"do": step.operation.name}
    if step.depth:
        data["depth"] = step.depth
    if step.repeat is not None:
        data["position"] = step.repeat.constant
    if step.guard is not None:
        data["where"] = [text.replace("g.", "").split(" & ") for text in repr(step.guard).split(" | ")]
    return data


def _transition(name: str, steps: list[Any]) -> Transition:
    if not 1 <= len(steps) <= _kernel.MOST_STEPS:
        raise TransitionError(f"{name}: a transition needs 1 to {_kernel.MOST_STEPS} steps, not {len(steps)}")
    return reduce(lambda one, other: one >> other, [_step(name, step) for step in steps])


def _step(name: str, data: Any) -> Transition:
    known = Operation.__members__
    operation = _value(data, "do", str, name)
    if operation not in known:
        raise TransitionError(f"{name}: no elementary transition {operation!r}; choose from {', '.join(known)}")
    unknown = data.keys() - {"do", "depth", "position", "where"}
    if unknown:
        raise TransitionError(f"{name}: a step has no {min(unknown)!r}")
    transition = Transition((Step(known[operation]),))
    if "depth" in data:
        transition = transition.at(_value(data, "depth", int, name))
    if "position" in data:
        transition = transition ** Position(_value(data, "position", int, name))
    if "where" in data:
        given = _value(data, "where", list, name)
        if not 1 <= len(given) <= _MOST_ALTERNATIVES:
            raise TransitionError(f'{name}: "where" needs 1 to {_MOST_ALTERNATIVES} alternatives, not {len(given)}')
        transition = transition.where(reduce(or_, [_alternative(name, item) for item in given]))
    return transition


def _alternative(name: str, literals: Any) -> g.Guard:
    if not isinstance(literals, list) or not literals or not all(isinstance(literal, str) for literal in literals):
        raise TransitionError(f'{name}: an alternative of "where" is a list of facts, not {shown(repr(literals))}')
    if len(literals) > 2 * len(g.Fact):
        raise TransitionError(f'{name}: an alternative of "where" has {len(literals)} facts of {len(g.Fact)}')
    return reduce(and_, [_literal(name, literal) for literal in literals])


def _literal(name: str, text: str) -> g.Guard:
    fact = text.removeprefix("~")
    if fact not in g.Fact.__members__:
        raise TransitionError(f"{name}: no fact {fact!r}; choose from {', '.join(g.Fact.__members__)}")
    guard: g.Guard = getattr(g, fact)
    return ~guard if text.startswith("~") else guard


def _value(data: Any, key: str, kind: type, where: str) -> Any:
    if not isinstance(data, Mapping) or type(data.get(key)) is not kind:
        raise TransitionError(f'{where}: "{key}" must be {_KINDS[kind]}')
    return data[key]


_KINDS: dict[type, str] = {str: "a string", int: "a whole number", list: "a list"}
