"""What training calls right: the options of all scorers that concern the oracle, and the oracle that they make.

A *dynamic oracle* (Goldberg & Nivre 2013) says in every configuration which transitions lose the fewest gold arcs.
Training may then *explore*: it follows a share of its own wrong choices and learns in the configurations they lead to.
The *static oracle* calls one derivation of each tree right and nothing else, as the papers trained (Nivre & Nilsson
2005; Gómez-Rodríguez & Nivre 2010; Gómez-Rodríguez & Fernández-González 2012); nothing can be explored with it.

On two stacks the *planes* of arcs are fixed, by the rule of the 2-planar oracle that switches only where crossing arcs
force it, or free: whichever plane an arc comes to is right as long as no arc is lost. O(1), `planes="auto"`
O(words + crossings).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from .. import _kernel
from ..errors import ParserError, shown
from ..transitions import TransitionSystem
from ..transitions.oracles import Rule, knowledge_of, roles_of
from .base import TrainingData, check_numbers

#: The default share of wrong choices that training follows after the first epoch.
EXPLORATION = 0.9
ORACLES = ("static", "dynamic")
PLANES = ("fixed", "free", "auto")
#: The options below; what a file says of a training leaves out those that have their default values.
TEACHING = ("exploration", "oracle", "planes")
#: The share of sentences with crossing arcs from which on parsers with two stacks learn to keep both in order: they
#: gain about a point on la_circse (0.62), and nothing but more transitions on en_ewt (0.02).
_OFTEN = 0.25


class Teaching(Protocol):
    """Options of a scorer that concern the oracle."""

    @property
    def exploration(self) -> float:
        """The share of wrong choices that training follows after the first epoch; with 0 the oracle is static."""

    @property
    def oracle(self) -> str | None:
        """ "static" or "dynamic"; by default as `exploration` asks."""

    @property
    def planes(self) -> str:
        """On two stacks: "fixed", "free", or "auto", free where arcs cross in a quarter of the sentences."""


def check_teaching(options: Teaching) -> None:
    """Refuse options that no oracle has."""
    check_numbers(options, ("exploration",))
    if options.oracle is not None and options.oracle not in ORACLES:
        raise ParserError(f"the oracle is one of {', '.join(ORACLES)}, not {shown(repr(options.oracle))}")
    if options.planes not in PLANES:
        raise ParserError(f"planes are one of {', '.join(PLANES)}, not {shown(repr(options.planes))}")
    if options.oracle == "static" and options.exploration not in (0, EXPLORATION):
        raise ParserError(
            f"the static oracle explores nothing, and exploration is {options.exploration}: leave out one of the two"
        )
    if options.planes == "free" and is_static(options):
        raise ParserError("the static oracle gives every arc its plane: free planes need exploration or oracle=dynamic")


def is_static(options: Teaching) -> bool:
    """Whether the static oracle teaches."""
    return options.oracle == "static" or (options.oracle is None and options.exploration == 0)


def check_teaching_of(system: TransitionSystem, options: Teaching) -> None:
    """Refuse options that a system cannot be taught with."""
    known = knowledge_of(system)
    if options.oracle == "static" and system.chooses_position:
        raise ParserError(f"{system.name} has no static oracle: arcs may come in any order; take exploration=0 alone")
    if options.oracle == "dynamic" and known.rule is Rule.NONE and not system.chooses_position:
        raise ParserError(f"{system.name} has no dynamic oracle: no rule says what is right in every configuration")
    forests = system.is_undirected or (known.single_head and known.acyclic)
    if options.planes == "free" and not (system.stacks == 2 and known.rule is Rule.PLANAR and forests):
        raise ParserError(f"free planes are for trees on two stacks (2-planar …), {system.name} has none")


def training_oracle(system: TransitionSystem, options: Teaching, data: TrainingData) -> _kernel.TrainingOracle:
    """Return what the kernel calls right when it trains on these data."""
    known = knowledge_of(system)
    return _kernel.TrainingOracle(
        rule=int(known.rule),
        roles=roles_of(system),
        reach=int(known.teaching_reach),
        guarantees=known.guarantees,
        free_planes=free_planes(system, options, data),
        follows_derivation=is_static(options),
    )


def free_planes(system: TransitionSystem, options: Teaching, data: TrainingData) -> bool:
    """Whether any plane of an arc is right that loses no other arc."""
    if options.planes == "auto" and system.stacks == 2 and not is_static(options):
        return often_cross(data)
    return options.planes == "free"


def without_defaults(kind: type[Any], known: Mapping[str, Any], later: Collection[str] = TEACHING) -> dict[str, Any]:
    """Return options as plain data without later ones that have the default values of their kind."""
    defaults = {one.name: one.default for one in fields(kind)}
    return {name: value for name, value in known.items() if name not in later or value != defaults[name]}


def exploration_percent(share: float, epoch: int) -> int:
    """Return of how many wrong choices in a hundred training follows the parser's own: none in the first epoch."""
    return round(100 * share) if epoch > 1 else 0


def often_cross(data: TrainingData) -> bool:
    """Whether arcs between words cross in so many sentences that a second stack is worth its own transitions."""
    ends = data.arc_offsets.tolist()
    crossing = 0
    for start, end in pairwise(ends):
        kept = np.flatnonzero(data.heads[start:end] > 0) + start
        longest = max(data.heads[kept].max(initial=0), data.dependents[kept].max(initial=0))
        crossing += len(_kernel.find_crossings(data.heads[kept], data.dependents[kept], int(longest))[0]) > 0
    return crossing >= _OFTEN * (len(ends) - 1)
