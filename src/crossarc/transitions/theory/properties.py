"""What a transition system guarantees, derived from its composition alone, and by which proposition.

Propositions 1 to 9 and 11 of Gómez-Rodríguez & Nivre 2013 (10, that 2-planar parsing is correct, is left to tests).
Whether their conditions hold is found by `invariants` (heads and connections) and `bounds` (length of sequences). A
property holds, with the reason, or is not derivable: then it may hold all the same, for reasons that the propositions
do not see. Nothing is said to hold that some transition sequence refutes. Costs what `invariants` costs.

The class of graphs that a system builds follows from its properties: every graph that comes out lies in it. For the
catalogue every graph of the class comes out, too, unless it says "some"; a few of its classes are smaller than what can
be derived.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from ..algebra import guards as g
from ..algebra.systems import in_catalogue
from ..algebra.transition import DIVISIBLE, SHIFT, Definition, Operation, Transition
from .bounds import Bound, Resource, elementary_bound, idle_transitions, most_arcs, sequence_bound
from .invariants import Findings, analyse


@dataclass(frozen=True)
class Verdict:
    """Whether a property holds (else it is not derivable), and why, in a sentence that names the proposition."""

    holds: bool
    reason: str

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return f"{'yes' if self.holds else 'not derivable'}: {self.reason}"


@dataclass(frozen=True)
class Properties:
    """What every graph that a system derives has, and how its transition sequences behave."""

    #: Every word has at most one head.
    single_head: Verdict
    #: No cycles, even if the direction of arcs is ignored.
    acyclic: Verdict
    #: No directed cycles.
    directed_acyclic: Verdict
    #: No word without a head is covered by an arc.
    no_covered_roots: Verdict
    #: No two arcs cross.
    planar: Verdict
    #: The arcs can be drawn on `planes` planes without crossings.
    multiplanar: Verdict
    #: As long as the buffer is not empty, some transition can be done.
    robust: Verdict
    #: There is no infinite transition sequence.
    bounded: Verdict
    #: Robust and bounded, by the conditions of the propositions.
    efficient: Verdict
    #: How many planes are enough; None if that is not derivable.
    planes: int | None
    #: The most transitions for n words; None if the system is not known to be bounded.
    bound: Bound | None
    #: The most elementary transitions for n words (Proposition 9); None where transitions have no longest composition.
    elementary_bound: Bound | None

    def verdicts(self) -> dict[str, Verdict]:
        """Return the verdicts by name."""
        return {name: value for name, value in vars(self).items() if isinstance(value, Verdict)}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        verdicts = {name: asdict(verdict) for name, verdict in self.verdicts().items()}
        bounds = {
            name: None if bound is None else {"transitions": str(bound), "growth": bound.growth}
            for name, bound in (("bound", self.bound), ("elementary_bound", self.elementary_bound))
        }
        return {**verdicts, "planes": self.planes, **bounds}

    def __str__(self) -> str:
        return "\n".join(f"{name.replace('_', ' ')}: {verdict}" for name, verdict in self.verdicts().items())


@lru_cache(maxsize=256)
def derive_properties(system: Definition) -> Properties:
    """Derive the properties of a system; remembered, since whatever runs a system asks for them."""
    findings = analyse(system)
    single_head = _single_head(system, findings)
    directed_acyclic = _directed_acyclic(system, findings)
    acyclic = _acyclic(system, findings, single_head, directed_acyclic)
    planar, multiplanar, planes = _planes(system)
    robust = _robust(system)
    arcs = most_arcs(system, forest=acyclic.holds, single_head=single_head.holds, planes=planes)
    bound = sequence_bound(system, arcs)
    bounded = _bounded(system, bound)
    return Properties(
        single_head=single_head,
        acyclic=acyclic,
        directed_acyclic=directed_acyclic,
        no_covered_roots=_no_covered_roots(system, findings),
        planar=planar,
        multiplanar=multiplanar,
        robust=robust,
        bounded=bounded,
        efficient=_efficient(robust, bounded),
        planes=planes,
        bound=bound,
        elementary_bound=elementary_bound(system, bound),
    )


_NO_HEADS = "links without direction have no heads"


def _single_head(system: Definition, findings: Findings) -> Verdict:
    if system.is_undirected:
        return Verdict(False, _NO_HEADS)
    if findings.second_head:
        name, step = next(iter(findings.second_head.items()))
        where = "on the stack" if step.operation is Operation.LEFT_ARC else "in the buffer"
        return Verdict(False, f"{name} may give a head to a word {where} that has one (Proposition 2 asks for none)")
    left = _why_headless(system, Operation.LEFT_ARC, ~g.stack_has_head, findings.invariant.stack_heads, "on the stack")
    right = _why_headless(
        system, Operation.RIGHT_ARC, ~g.buffer_has_head, findings.invariant.buffer_heads, "in the buffer"
    )
    return Verdict(True, f"Proposition 2: arcs go only to words without a head ({left}; {right})")


def _why_headless(system: Definition, operation: Operation, guard: g.Guard, heads: bool, where: str) -> str:
    name = operation.name.replace("_", "-")
    steps = [step for step in system.steps if step.operation is operation]
    if not steps:
        return f"there is no {name}"
    if all(step.guard is not None and step.guard.implies(guard) for step in steps):
        return f"{name} is restricted to them"
    return f"{name} need not be restricted, since " + (
        f"the steps around it see to that {where}" if heads else f"no word {where} ever has one"
    )


def _directed_acyclic(system: Definition, findings: Findings) -> Verdict:
    if system.is_undirected:
        return Verdict(False, _NO_HEADS)
    if findings.directed_cycle:
        name = next(iter(findings.directed_cycle))
        return Verdict(False, f"{name} may add an arc to a word from which there is a path to its head")
    return Verdict(True, "Section 3.3.2: no arc is added where there is a path from its dependent to its head")


def _acyclic(system: Definition, findings: Findings, single_head: Verdict, directed_acyclic: Verdict) -> Verdict:
    if not findings.undirected_cycle:
        arcs = [step for step in system.steps if step.operation.adds_arc]
        if all(step.guard is not None and step.guard.implies(~g.connected) for step in arcs):
            why = "the arc transitions are restricted to them"
        elif not findings.invariant.connected:
            why = "words that are still at hand never are, since one of the two that an arc joins is dropped"
        else:
            why = "a buffer word and the stack word that an arc may join never are"
        return Verdict(True, f"Proposition 3: arcs join only words that are not connected ({why})")
    if single_head and directed_acyclic:
        return Verdict(True, "Section 3.3.2: under a single head, a graph without directed cycles has no other cycles")
    name = next(iter(findings.undirected_cycle))
    return Verdict(False, f"{name} may join two words that are connected (Proposition 3 asks that they are not)")


def _no_covered_roots(system: Definition, findings: Findings) -> Verdict:
    if system.is_undirected:
        return Verdict(False, _NO_HEADS)
    if not (system.is_divisible and system.stacks == 1):
        return Verdict(False, "Proposition 1 is about divisible systems on one stack")
    if findings.root_reduced:
        name = next(iter(findings.root_reduced))
        return Verdict(False, f"{name} may drop a word without a head (Proposition 1 asks for one)")
    return Verdict(True, "Proposition 1: REDUCE only drops words that have a head")


def _planes(system: Definition) -> tuple[Verdict, Verdict, int | None]:
    beyond = system.operations - DIVISIBLE - {Operation.SWITCH, Operation.ARC}
    deep = any(step.depth for step in system.steps)
    if beyond or deep:
        what = f"{min(beyond).name} is none of its elementary transitions" if beyond else "arcs reach below the top"
        no = Verdict(False, f"Proposition 4 is about divisible systems ({what})")
        return no, no, None
    if system.stacks == 1:
        planar = Verdict(True, "Proposition 4: the stack and the buffer stay in order, so that no two arcs can cross")
        return planar, Verdict(True, "planar, so one plane is enough"), 1
    k = system.stacks
    several = Verdict(True, f"Lemma 6: arcs of one stack do not cross (Proposition 4), and there are {k} stacks")
    return Verdict(False, f"arcs made on different ones of the {k} stacks may cross"), several, k


def _robust(system: Definition) -> Verdict:
    for name, transition in system.transitions.items():
        if transition.steps == (_SHIFT,):
            return Verdict(True, f"Proposition 5: {name} is SHIFT, which is possible while the buffer is not empty")
        if _always_possible(transition):
            return Verdict(True, f"{name} is possible while the buffer is not empty (as in Proposition 5)")
    return Verdict(False, "no transition is possible whenever the buffer is not empty (Proposition 5 asks for SHIFT)")


def _always_possible(transition: Transition) -> bool:
    free = {Operation.JOIN, Operation.CLEAR, Operation.SWITCH}
    demanding = [step for step in transition.steps if step.operation not in free or step.guard is not None]
    return demanding in ([], [_SHIFT])


def _bounded(system: Definition, bound: Bound | None) -> Verdict:
    if bound is None:
        names = idle_transitions(system)
        return Verdict(
            False,
            f"{names[0]} may come again and again for ever: it neither adds an arc nor drops a word nor shortens the "
            "buffer (Proposition 6 asks for one of them)",
        )
    means = " or ".join(resource.value for resource in bound.used)
    extended = "" if set(bound.used) <= _OF_PROPOSITION_6 else ", extended"
    if system.stacks == 1:
        return Verdict(True, f"Proposition 6{extended}: every transition {means}")
    return Verdict(
        True, f"Proposition 11{extended}: every transition {means}, but for at most {system.stacks - 1} SWITCH in a row"
    )


def _efficient(robust: Verdict, bounded: Verdict) -> Verdict:
    if not (robust and bounded):
        return Verdict(False, "Definition 13 asks for a robust and bounded system")
    return Verdict(True, "Definition 13: robust and bounded")


_OF_PROPOSITION_6 = {Resource.BUFFER, Resource.ARCS, Resource.WORDS}
_SHIFT = SHIFT.steps[0]
#: The classes of the catalogue that are smaller than the properties say.
_SMALLER = {
    "dag-arc-standard": "some planar graphs without covered roots",
    "dag-arc-eager": "planar graphs without covered roots or opposite arcs",
    "covington-projective": "projective forests",
    "attardi-2": "some forests",
    "attardi-3": "some forests",
}


def graph_class(system: Definition, properties: Properties) -> str:
    """Return the class of the graphs that a system builds."""
    if system.name in _SMALLER and in_catalogue(system):
        return _SMALLER[system.name]
    forest = properties.acyclic and (properties.single_head or system.is_undirected)
    planes = {None: [], 1: ["planar"]}.get(properties.planes, [f"{properties.planes}-planar"])
    if forest and properties.planar and properties.no_covered_roots:
        return "projective forests"
    kind = ["undirected"] if system.is_undirected else []
    without = [
        (properties.no_covered_roots, "covered roots"),
        (not forest and properties.acyclic, "undirected cycles"),
        (not properties.acyclic and properties.directed_acyclic, "directed cycles"),
        (not forest and properties.single_head, "second heads"),
    ]
    lacking = " or ".join(what for holds, what in without if holds)
    return " ".join([*planes, *kind, "forests" if forest else "graphs"]) + (f" without {lacking}" if lacking else "")
