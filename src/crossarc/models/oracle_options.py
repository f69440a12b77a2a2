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

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .. import _kernel
from ..errors import ParserError
from ..options import Options, bounded, one_of, option
from ..transitions import TransitionSystem
from ..transitions.oracles import OracleSupport, Rule
from .base import TrainingData

#: The default share of wrong choices that training follows after the first epoch.
EXPLORATION = 0.9
ORACLES = ("static", "dynamic")
PLANES = ("fixed", "free", "auto")
#: The share of sentences with crossing arcs from which on parsers with two stacks learn to keep both in order: they
#: gain about a point on la_circse (0.62), and nothing but more transitions on en_ewt (0.02).
_OFTEN = 0.25


@dataclass(frozen=True, kw_only=True)
class OracleOptions(Options):
    """Options of a scorer that concern the oracle.

    Parameters:
        exploration: The share of wrong choices that training follows after the first epoch, so that it learns in
            configurations that the parser will get into (Goldberg & Nivre 2013). With 0 the oracle is static.
        oracle: "static": one derivation of each tree is right; "dynamic": every transition is that loses no arc. By
            default static if `exploration` is 0, else dynamic.
        planes: On two stacks: "fixed": arcs have their planes, SWITCH is right where one waits; "free": whichever plane
            an arc comes to is right; "auto": free if arcs cross in a quarter of the sentences or more.
    """

    exploration: float = bounded(EXPLORATION, 0, 1)
    oracle: str | None = option(None, one_of(*ORACLES))
    planes: str = option("fixed", one_of(*PLANES))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.oracle == "static" and self.exploration not in (0, EXPLORATION):
            raise ParserError(
                f"the static oracle explores nothing, and exploration is {self.exploration}: leave out one of the two"
            )
        if self.planes == "free" and self.is_static:
            raise ParserError(
                "the static oracle gives every arc its plane: free planes need exploration or oracle=dynamic"
            )

    @property
    def is_static(self) -> bool:
        """Whether the static oracle says what is right."""
        return self.oracle == "static" or (self.oracle is None and self.exploration == 0)

    def check_oracle(self, system: TransitionSystem) -> None:
        """Refuse options that a system cannot be taught with."""
        support = OracleSupport.from_system(system)
        if self.oracle == "static" and system.chooses_position:
            raise ParserError(
                f"{system.name} has no static oracle: arcs may come in any order; take exploration=0 alone"
            )
        if self.oracle == "dynamic" and support.rule is Rule.NONE and not system.chooses_position:
            raise ParserError(f"{system.name} has no dynamic oracle: no rule says what is right in every configuration")
        forests = system.is_undirected or (support.single_head and support.acyclic)
        if self.planes == "free" and not (system.stacks == 2 and support.rule is Rule.PLANAR and forests):
            raise ParserError(f"free planes are for trees on two stacks (2-planar …), {system.name} has none")

    def free_planes(self, system: TransitionSystem, data: TrainingData) -> bool:
        """Whether any plane of an arc is right that loses no other arc."""
        if self.planes == "auto" and system.stacks == 2 and not self.is_static:
            return often_cross(data)
        return self.planes == "free"

    def training_oracle(self, system: TransitionSystem, data: TrainingData) -> _kernel.TrainingOracle:
        """Return what the kernel calls right when it trains on these data."""
        return OracleSupport.from_system(system).training_oracle(
            free_planes=self.free_planes(system, data), static=self.is_static
        )


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
