"""Which rule oracle, which way of counting costs and which guarantees a system has.

A system is recognised by what its transitions do, not by their names, their order or its own name, so that it keeps its
rule whatever a user calls things. The one name that matters is swap-lazy: its transitions are those of swap, and only
the rule is another one. O(steps).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache, lru_cache

from ..._kernel import Guarantee, Reach, Role, Rule
from ..algebra import systems
from ..algebra.symbolic import effect_of
from ..algebra.transition import Definition, Operation
from ..theory.properties import derive_properties


@dataclass(frozen=True)
class Knowledge:
    """What an oracle may rely on."""

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

    @property
    def teaching_reach(self) -> Reach:
        """How losses are counted in training: for planar forests on several stacks by a lower bound, too."""
        forests = self.rule is Rule.PLANAR and (self.undirected or (self.single_head and self.acyclic))
        return Reach.PLANAR if forests else self.reach

    @property
    def guarantees(self) -> list[bool]:
        """The guarantees in the order in which the kernel takes them."""
        return [bool(getattr(self, guarantee.name)) for guarantee in Guarantee]


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
#: The roles of transitions as the catalogue names them.
_ROLES_OF_CATALOGUE = {
    "shift": (Role.SHIFT,),
    "reduce": (Role.REDUCE,),
    "left_arc": (Role.LEFT_ARC,),
    "right_arc": (Role.RIGHT_ARC,),
    "arc": (Role.LEFT_ARC, Role.RIGHT_ARC),
    "no_arc": (Role.NO_ARC,),
    "swap": (Role.SWAP,),
}
#: The roles of single elementary transitions, of which the planar family is made.
_ROLES_OF_OPERATIONS = {
    Operation.SHIFT: (Role.SHIFT,),
    Operation.REDUCE: (Role.REDUCE,),
    Operation.LEFT_ARC: (Role.LEFT_ARC,),
    Operation.RIGHT_ARC: (Role.RIGHT_ARC,),
    Operation.ARC: (Role.LEFT_ARC, Role.RIGHT_ARC),
    Operation.SWITCH: (Role.SWITCH,),
}


@lru_cache(maxsize=256)
def knowledge_of(system: Definition) -> Knowledge:
    """Return what is known of a system."""
    effects = [effect_of(one, system) for one in system.transitions.values()]
    same = next((name for name in _OF_PAPERS if system.stacks == 1 and _has_effects(name, effects)), None)
    rule, reach = Rule.NONE, Reach.UNKNOWN
    played: list[tuple[Role, ...]] = [() for _ in effects]
    if same is not None:
        rule, reach = _OF_PAPERS[same]
        if rule is Rule.SWAP_EAGER and system.name == systems.swap_lazy.name:
            rule = Rule.SWAP_LAZY
        played = [_roles_of_effects(same)[effect] for effect in effects]
    elif _is_planar_family(system):
        rule = Rule.PLANAR
        played = [_ROLES_OF_OPERATIONS[one.steps[0].operation] for one in system.transitions.values()]
    number_of = {role: number for number, roles in enumerate(played) for role in roles}
    properties = derive_properties(system)
    single_head = properties.single_head.holds
    acyclic = properties.acyclic.holds
    no_covered_roots = properties.no_covered_roots.holds
    # That the system derives all projective forests is not known, but where it does not, the search will say so.
    projective = properties.planar.holds and single_head and acyclic and no_covered_roots
    projective |= same in _ALSO_PROJECTIVE
    return Knowledge(
        rule=rule,
        reach=reach,
        single_head=single_head,
        acyclic=acyclic,
        no_covered_roots=no_covered_roots,
        projective=projective,
        undirected=system.is_undirected,
        roles=tuple(number_of.get(role, -1) for role in Role),
    )


def roles_of(system: Definition) -> list[int]:
    """Return the number of the transition that plays each role, -1 for none, as the kernel takes them."""
    return list(knowledge_of(system).roles)


@cache
def _roles_of_effects(name: str) -> dict[Hashable, tuple[Role, ...]]:
    """Return the roles of what the transitions of a system of the catalogue do."""
    system = systems.get(name)
    return {effect_of(one, system): _ROLES_OF_CATALOGUE[key] for key, one in system.transitions.items()}


def _has_effects(name: str, effects: list[Hashable]) -> bool:
    """Whether these are what the transitions of a system of the catalogue do, each once."""
    wanted = _roles_of_effects(name)
    return len(effects) == len(wanted) and set(effects) == wanted.keys()


def _is_planar_family(system: Definition) -> bool:
    """Whether each transition is one elementary transition: planar or k-planar, constrained, or undirected."""
    steps = [one.steps[0] for one in system.transitions.values() if len(one.steps) == 1]
    if len(steps) < len(system.transitions) or any(step.depth for step in steps):
        return False
    arcs = [Operation.ARC] if system.is_undirected else [Operation.LEFT_ARC, Operation.RIGHT_ARC]
    switch = [Operation.SWITCH] if system.stacks > 1 else []
    return sorted(step.operation for step in steps) == sorted([Operation.SHIFT, Operation.REDUCE, *arcs, *switch])
