"""Which rule oracle, which way of counting costs and which guarantees a system has.

A system is recognised by what its transitions do, not by its name, so that a labelled or renamed one of the catalogue
keeps its rule. O(steps).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from ..algebra import systems
from ..algebra.system import TransitionSystem
from ..algebra.transition import Operation


class Rule(IntEnum):
    """The rules of kernel/transitions/oracles/rule_oracle.hpp."""

    NONE = 0
    PLANAR = 1
    ARC_EAGER = 2
    ARC_STANDARD = 3
    ARC_STANDARD_STACK = 4
    ARC_HYBRID = 5
    COVINGTON = 6
    SWAP_EAGER = 7
    SWAP_LAZY = 8


class Reach(IntEnum):
    """How kernel/transitions/oracles/loss.hpp counts the arcs out of reach; UNKNOWN: by search."""

    UNKNOWN = 0
    ARC_EAGER = 1
    ARC_HYBRID = 2
    PLANAR = 3
    COVINGTON = 4


@dataclass(frozen=True)
class Knowledge:
    """What an oracle may rely on."""

    rule: Rule
    reach: Reach
    single_head: bool
    acyclic: bool
    no_covered_roots: bool
    projective: bool
    undirected: bool

    @property
    def teaching_reach(self) -> Reach:
        """How losses are counted in training: for planar forests on several stacks by a lower bound, too."""
        forests = self.rule is Rule.PLANAR and (self.undirected or (self.single_head and self.acyclic))
        return Reach.PLANAR if forests else self.reach

    @property
    def guarantees(self) -> list[bool]:
        """As the kernel takes them."""
        return [self.single_head, self.acyclic, self.no_covered_roots, self.projective]


_BY_NAME = {
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
#: What the rules call the parts that transitions play, and the names that the catalogue has for them.
_ROLES = ("shift", "reduce", "left_arc", "right_arc", "switch", "no_arc", "swap")


def _transitions(system: TransitionSystem) -> dict[str, object]:
    return dict(system.transitions)


@lru_cache(maxsize=256)
def knowledge_of(system: TransitionSystem) -> Knowledge:
    """Return what is known of a system."""
    same = next(
        (name for name in _BY_NAME if system.stacks == 1 and _transitions(systems.get(name)) == _transitions(system)),
        None,
    )
    rule, reach = _BY_NAME.get(same or "", (Rule.NONE, Reach.UNKNOWN))
    if rule is Rule.NONE and _is_planar_family(system):
        rule = Rule.PLANAR
    properties = system.properties()
    single_head = properties.single_head.holds
    acyclic = properties.acyclic.holds
    no_covered_roots = properties.no_covered_roots.holds
    # That the system derives all projective forests is not known, but where it does not, the search will say so.
    projective = properties.planar.holds and single_head and acyclic and no_covered_roots
    projective |= same in _ALSO_PROJECTIVE
    return Knowledge(rule, reach, single_head, acyclic, no_covered_roots, projective, system.is_undirected)


def _is_planar_family(system: TransitionSystem) -> bool:
    """Whether each transition is one elementary transition: planar or k-planar, constrained, or undirected."""
    alone = {name: one.steps[0].operation for name, one in system.transitions.items() if len(one.steps) == 1}
    wanted = {"shift": Operation.SHIFT, "reduce": Operation.REDUCE}
    wanted |= {"switch": Operation.SWITCH} if system.stacks > 1 else {}
    directed = wanted | {"left_arc": Operation.LEFT_ARC, "right_arc": Operation.RIGHT_ARC}
    undirected = wanted | {"arc": Operation.ARC}
    deep = any(one.steps[0].depth for one in system.transitions.values())
    return len(alone) == len(system.transitions) and not deep and alone in (directed, undirected)


def roles_of(system: TransitionSystem) -> list[int]:
    """Return the number of the transition that plays each part, -1 for none."""
    names = list(system.transitions)
    parts = ("arc" if role in ("left_arc", "right_arc") and "arc" in names else role for role in _ROLES)
    return [names.index(part) if part in names else -1 for part in parts]
