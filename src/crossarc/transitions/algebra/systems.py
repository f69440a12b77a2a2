"""The catalogue: the transition systems of the literature, each a few lines of the algebra.

The compositions of Gómez-Rodríguez & Nivre 2013, Sections 3.1, 3.3 and 5.1 (planar and 2-planar: 2010), the undirected
forms of Gómez-Rodríguez & Fernández-González 2012, and the systems of Nivre 2008 and 2009 and Attardi 2006 that need
more than its five elementary transitions. Whether there is an artificial root, first or last, is a matter of use, not
of definition.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from itertools import product

from ...errors import TransitionError
from . import guards as g
from .elementary import CLEAR, JOIN, LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT, SKIP, SWAP, UNSHIFT, P
from .system import TransitionSystem

_LONGEST_NAME = 100

arc_standard = TransitionSystem(
    "arc-standard",
    shift=SHIFT,
    left_arc=LEFT_ARC >> REDUCE,
    right_arc=RIGHT_ARC >> SHIFT >> REDUCE >> UNSHIFT,
)

arc_standard_stack = TransitionSystem(
    "arc-standard-stack",
    shift=SHIFT,
    left_arc=UNSHIFT >> LEFT_ARC >> REDUCE >> SHIFT,
    right_arc=UNSHIFT >> RIGHT_ARC >> SHIFT >> REDUCE,
)

arc_eager = TransitionSystem(
    "arc-eager",
    shift=SHIFT,
    reduce=REDUCE.where(g.stack_has_head),
    left_arc=LEFT_ARC.where(~g.stack_has_head) >> REDUCE,
    right_arc=RIGHT_ARC >> SHIFT,
)

arc_hybrid = TransitionSystem(
    "arc-hybrid",
    shift=SHIFT,
    left_arc=LEFT_ARC >> REDUCE,
    right_arc=UNSHIFT >> RIGHT_ARC >> SHIFT >> REDUCE,
)

easy_first = TransitionSystem(
    "easy-first",
    shift=SHIFT,
    attach_left=SHIFT**P >> LEFT_ARC >> REDUCE >> UNSHIFT ** (P - 1),
    attach_right=SHIFT**P >> RIGHT_ARC >> SHIFT >> REDUCE >> UNSHIFT >> UNSHIFT ** (P - 1),
)

dag_arc_standard = TransitionSystem(
    "dag-arc-standard",
    shift=SHIFT,
    left_reduce=LEFT_ARC >> REDUCE,
    right_reduce=RIGHT_ARC >> SHIFT >> REDUCE >> UNSHIFT,
    left_attach=LEFT_ARC.where(~g.arc_from_stack),
    right_attach=RIGHT_ARC.where(~g.arc_from_buffer),
)

dag_arc_eager = TransitionSystem(
    "dag-arc-eager",
    shift=SHIFT,
    reduce=REDUCE.where(g.stack_has_head),
    left_arc=LEFT_ARC.where(~g.arc_from_stack),
    right_arc=RIGHT_ARC.where(~g.arc_from_buffer),
)

planar_graph = TransitionSystem("planar-graph", shift=SHIFT, reduce=REDUCE, left_arc=LEFT_ARC, right_arc=RIGHT_ARC)
planar = planar_graph.constrained(single_head=True, acyclic=True).renamed("planar")
planar_projective = planar.constrained(no_covered_roots=True).renamed("planar-projective")

covington = TransitionSystem(
    "covington",
    shift=JOIN >> SHIFT,
    no_arc=SKIP,
    left_arc=LEFT_ARC.where(~g.stack_has_head & ~g.connected) >> SKIP,
    right_arc=RIGHT_ARC.where(~g.buffer_has_head & ~g.connected) >> SKIP,
)

covington_projective = TransitionSystem(
    "covington-projective",
    shift=JOIN >> SHIFT,
    no_arc=SKIP.where(g.stack_has_head),
    left_arc=LEFT_ARC.where(~g.stack_has_head & ~g.connected) >> REDUCE,
    right_arc=RIGHT_ARC.where(~g.buffer_has_head & ~g.connected) >> CLEAR >> SHIFT,
)

#: The oracle may swap as early as possible (Nivre 2009) or as late (Nivre, Kuhlmann & Hall 2009).
swap = arc_standard_stack.extended("swap", swap=UNSHIFT >> SWAP)


def k_planar(k: int) -> TransitionSystem:
    """Return the system for k-planar forests (2013, Section 5.1)."""
    return planar.with_stacks(k)


def attardi(degree: int) -> TransitionSystem:
    """Return arc-standard with arcs to and from words up to `degree` places away, counted from the first buffer word.

    Degree 1 is arc-standard; degrees 2 and 3 add the Left2, Right2, Left3 and Right3 of Attardi 2006 (there, left and
    right are the other way round); 2 is the degree of the system of Cohen, Gómez-Rodríguez & Satta 2011.
    """
    further = {
        f"{name}_{depth + 1}": transition
        for depth in range(1, degree)
        for name, transition in (
            ("left_arc", LEFT_ARC.at(depth) >> REDUCE.at(depth)),
            ("right_arc", RIGHT_ARC.at(depth) >> SHIFT >> REDUCE >> UNSHIFT),
        )
    }
    return arc_standard.extended(f"attardi-{degree}", **further)


@cache
def catalogue() -> dict[str, TransitionSystem]:
    """Return the systems by name, in the order of the papers."""
    constrained = [
        planar_graph.constrained(
            single_head=single_head,
            acyclic=cycles == "acyclic",
            directed_acyclic=cycles == "directed-acyclic",
            no_covered_roots=no_covered_roots,
        )
        for no_covered_roots, single_head, cycles in product(
            (False, True), (False, True), ("", "acyclic", "directed-acyclic")
        )
        if not (single_head and cycles == "acyclic")  # these are planar and planar-projective
    ]
    listed = [
        *(arc_standard, arc_standard_stack, arc_eager, arc_hybrid, easy_first, dag_arc_standard, dag_arc_eager),
        *(planar, planar_projective, *constrained),
        *(k_planar(2), k_planar(3), planar_graph.with_stacks(2)),
        *(covington, covington_projective, swap, attardi(2), attardi(3)),
        *(planar.undirected(), k_planar(2).undirected(), k_planar(3).undirected(), covington.undirected()),
    ]
    return {system.name: system for system in listed}


def get(name: str) -> TransitionSystem:
    """Return a system by name.

    Beyond the catalogue: `4-planar`, `undirected-4-planar`, `attardi-4`, and constraints after a plus sign, as in
    `2-planar-graph+single-head`.
    """
    known = catalogue()
    if name in known:
        return known[name]
    if name in ("swap-eager", "swap-lazy"):
        return swap
    if len(name) <= _LONGEST_NAME and (derived := _derived(name)):
        return derived.renamed(name)
    near = get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`crossarc systems` lists them"
    raise TransitionError(f"there is no transition system {name!r}; {hint}")


def _derived(name: str) -> TransitionSystem | None:
    """Return what the parts of a name say, if they say something."""
    if match := re.fullmatch(r"(.+)\+(single-head|acyclic|directed-acyclic|no-covered-roots)", name):
        return get(match[1]).constrained(**{match[2].replace("-", "_"): True})
    if match := re.fullmatch(r"undirected-(.+)", name):
        return get(match[1]).undirected()
    if match := re.fullmatch(r"([1-9]\d{0,8})-(planar(?:-graph)?)", name):
        return get(match[2]).with_stacks(int(match[1]))
    if match := re.fullmatch(r"attardi-([1-9]\d{0,8})", name):
        return attardi(int(match[1]))
    return None
