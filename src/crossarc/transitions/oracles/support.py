"""What an oracle can rely on for a system: its rule, its way of counting costs, its guarantees.

A system is recognised by what its transitions do, not by their names, their order or its own name, so that it keeps its
rule whatever a user calls things. The one name that matters is swap-lazy: its transitions are those of swap, and only
the rule is another one. O(steps).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache, lru_cache

from ..._kernel import Guarantee, Reach, Role, Rule, TrainingOracle
from ..algebra import systems
from ..algebra.symbolic import effect_signature
from ..algebra.transition import Definition, Operation
from ..theory.properties import derive_properties

#: The systems of the catalogue whose rules and costs the papers give.
_OF_PAPERS = {
    "arc-eager": (Rule.ARC_EAGER, Reach.ARC_EAGER),
    "arc-standard": (Rule.ARC_STANDARD, Reach.UNKNOWN),
    "arc-standard-stack": (Rule.ARC_STANDARD_STACK, Reach.UNKNOWN),
    "arc-hybrid": (Rule.ARC_HYBRID, Reach.ARC_HYBRID),
    "planar": (Rule.PLANAR, Reach.PLANAR),
    "covington": (Rule.COVINGTON, Reach.COVINGTON),
    "undirected-planar": (Rule.PLANAR, Reach.PLANAR),
    "undirected-covington": (Rule.COVINGTON, Reach.COVINGTON),
    "covington-projective": (Rule.COVINGTON, Reach.UNKNOWN),
    "swap": (Rule.SWAP_EAGER, Reach.UNKNOWN),
}
#: Systems that derive the projective forests and nothing else, though they are not divisible.
_ALSO_PROJECTIVE = ("covington-projective",)
#: The roles of transitions as the catalogue names them, and of the elementary ones that the planar family is made of.
_ROLES = {
    "shift": (Role.SHIFT,),
    "reduce": (Role.REDUCE,),
    "left_arc": (Role.LEFT_ARC,),
    "right_arc": (Role.RIGHT_ARC,),
    "arc": (Role.LEFT_ARC, Role.RIGHT_ARC),
    "switch": (Role.SWITCH,),
    "no_arc": (Role.NO_ARC,),
    "swap": (Role.SWAP,),
}


@dataclass(frozen=True)
class OracleSupport:
    """What is known of a system."""

    #: The rule of kernel/transitions/oracles/rule_oracle.hpp that derives its trees.
    rule: Rule
    #: How kernel/transitions/oracles/losses.hpp counts the arcs out of reach; UNKNOWN: by search.
    reach: Reach
    single_head: bool
    acyclic: bool
    no_covered_roots: bool
    projective: bool
    undirected: bool
    #: For each role in the rule, the number of the transition that plays it; -1 for none.
    roles: tuple[int, ...]

    @staticmethod
    @lru_cache(maxsize=256)
    def from_system(system: Definition) -> OracleSupport:
        """Find out what is known; remembered, since whatever trains on a system asks for it."""
        effects = [effect_signature(transition, system) for transition in system.transitions.values()]
        same = next((name for name in _OF_PAPERS if system.stacks == 1 and _has_effects(name, effects)), None)
        rule, reach = _OF_PAPERS[same] if same else (Rule.NONE, Reach.UNKNOWN)
        played: list[tuple[Role, ...]] = []
        if same:
            if same == "swap" and system.name == systems.swap_lazy.name:
                rule = Rule.SWAP_LAZY
            played = [_roles_of_effects(same)[effect] for effect in effects]
        elif _is_planar_family(system):
            rule = Rule.PLANAR
            played = [_ROLES[transition.steps[0].operation.name.lower()] for transition in system.transitions.values()]
        number_of = {role: number for number, roles in enumerate(played) for role in roles}
        properties = derive_properties(system)
        forests = properties.single_head.holds and properties.acyclic.holds
        # That the system derives all projective forests is not known, but where it does not, the search will say so.
        projective = forests and properties.planar.holds and properties.no_covered_roots.holds
        return OracleSupport(
            rule=rule,
            reach=reach,
            single_head=properties.single_head.holds,
            acyclic=properties.acyclic.holds,
            no_covered_roots=properties.no_covered_roots.holds,
            projective=projective or same in _ALSO_PROJECTIVE,
            undirected=system.is_undirected,
            roles=tuple(number_of.get(role, -1) for role in Role),
        )

    @property
    def training_reach(self) -> Reach:
        """How losses are counted in training: for planar forests on several stacks by a lower bound, too."""
        forests = self.rule is Rule.PLANAR and (self.undirected or (self.single_head and self.acyclic))
        return Reach.PLANAR if forests else self.reach

    def training_oracle(
        self,
        *,
        rule: Rule | None = None,
        reach: Reach | None = None,
        free_planes: bool = False,
        static: bool = False,
    ) -> TrainingOracle:
        """Return what the kernel calls right in training, with another rule or reach if they are given.

        `free_planes`: any plane of an arc is right that loses no other arc. `static`: a derivation made beforehand is
        followed.
        """
        return TrainingOracle(
            rule=int(self.rule if rule is None else rule),
            roles=self.roles,
            reach=int(self.training_reach if reach is None else reach),
            guarantees=[bool(getattr(self, guarantee.name)) for guarantee in Guarantee],
            free_planes=free_planes,
            follows_derivation=static,
        )


@cache
def _roles_of_effects(name: str) -> dict[Hashable, tuple[Role, ...]]:
    """Return the roles of what the transitions of a system of the catalogue do."""
    system = systems.get(name)
    return {effect_signature(transition, system): _ROLES[key] for key, transition in system.transitions.items()}


def _has_effects(name: str, effects: list[Hashable]) -> bool:
    """Whether these are what the transitions of a system of the catalogue do, each once."""
    return len(effects) == len(_roles_of_effects(name)) and set(effects) == _roles_of_effects(name).keys()


def _is_planar_family(system: Definition) -> bool:
    """Whether each transition is one elementary transition: planar or k-planar, constrained, or undirected."""
    if any(len(transition.steps) > 1 or transition.steps[0].depth for transition in system.transitions.values()):
        return False
    operations = sorted(transition.steps[0].operation for transition in system.transitions.values())
    arcs = [Operation.ARC] if system.is_undirected else [Operation.LEFT_ARC, Operation.RIGHT_ARC]
    switch = [Operation.SWITCH] if system.stacks > 1 else []
    return operations == sorted([Operation.SHIFT, Operation.REDUCE, *arcs, *switch])
