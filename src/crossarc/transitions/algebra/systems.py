"""The catalogue: the transition systems of the literature, each a few lines of the algebra; systems by name or file.

The compositions of Gómez-Rodríguez & Nivre 2013, Sections 3.1, 3.3 and 5.1 (planar and 2-planar: 2010), the undirected
forms of Gómez-Rodríguez & Fernández-González 2012, and the systems of Nivre 2008 and 2009 and Attardi 2006 that need
more than its five elementary transitions. Whether there is an artificial root, first or last, is a matter of use, not
of definition.

Wherever a command takes `--system`, `2-planar` is the one of the catalogue; `mine.py:my_system` is the
`TransitionSystem` of that name in a Python file, which is run like any program: open only files that you trust.
`mine.py` alone is enough if the file defines one system.
"""

from __future__ import annotations

import re
import runpy
import traceback
from difflib import get_close_matches
from functools import cache
from itertools import product
from pathlib import Path

from ...errors import TransitionError
from . import guards as g
from .system import TransitionSystem
from .transition import CLEAR, JOIN, LEFT_ARC, REDUCE, RIGHT_ARC, SHIFT, SKIP, SWAP, UNSHIFT, Definition, P

_LONGEST_NAME = 100

#: The papers, by name without constraints and numbers.
_SOURCES = {
    "arc-standard": "Nivre 2008",
    "arc-standard-stack": "Nivre 2004",
    "arc-eager": "Nivre 2003",
    "arc-hybrid": "Kuhlmann, Gómez-Rodríguez & Satta 2011",
    "easy-first": "Goldberg & Elhadad 2010",
    "dag-arc-standard": "Sagae & Tsujii 2008",
    "dag-arc-eager": "Sagae & Tsujii 2008",
    "planar": "Gómez-Rodríguez & Nivre 2010",
    "planar-projective": "Gómez-Rodríguez & Nivre 2013",
    "planar-graph": "Gómez-Rodríguez & Nivre 2013",
    "covington": "Covington 2001, Nivre 2008",
    "covington-projective": "Covington 2001, Nivre 2008",
    "swap": "Nivre 2009",
    "swap-lazy": "Nivre, Kuhlmann & Hall 2009",
    "attardi": "Attardi 2006",
    "undirected": "Gómez-Rodríguez & Fernández-González 2012",
}

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

swap = arc_standard_stack.extended("swap", swap=UNSHIFT >> SWAP)
#: The same transitions. The oracle of `swap` swaps as early as possible (Nivre 2009); under this name it swaps as late
#: as possible (Nivre, Kuhlmann & Hall 2009), in derivations and in training.
swap_lazy = swap.renamed("swap-lazy")


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


#: Systems that `get` finds beside the catalogue, which has their transitions already.
_OTHER_NAMES = {"swap-eager": swap, "swap-lazy": swap_lazy}


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

    Beyond the catalogue: `4-planar`, `undirected-4-planar`, `attardi-4`, `swap-lazy`, and constraints after a plus
    sign, as in `2-planar-graph+single-head`.
    """
    known = catalogue()
    if name in known:
        return known[name]
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
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


def source(system: Definition) -> str:
    """Return the paper that a system of the catalogue comes from; empty for others."""
    if not in_catalogue(system):
        return ""
    base = system.name.split("+")[0]
    base = "undirected" if base.startswith("undirected-") else re.sub(r"^\d+-", "", base)
    return _SOURCES[re.sub(r"-\d+$", "", base)]


def in_catalogue(system: Definition) -> bool:
    """Whether the catalogue has it under its name, with or without labels; swap-lazy counts as part of it."""
    known = catalogue().get(system.name, _OTHER_NAMES.get(system.name))
    return known is not None and known.transitions == system.transitions and known.stacks == system.stacks


def load_system(system: str | TransitionSystem) -> TransitionSystem:
    """Return a system by its name in the catalogue, or from a file: `mine.py:my_system`."""
    if isinstance(system, TransitionSystem):
        return system
    file, separator, variable = system.rpartition(":")
    if separator and file.endswith(".py"):
        return _from_file(file, variable)
    if system.endswith(".py"):
        return _from_file(system, "")
    return get(system)


def _from_file(file: str, variable: str) -> TransitionSystem:
    variables = _run(file)
    defined = {key: value for key, value in variables.items() if isinstance(value, TransitionSystem)}
    if not variable and len(defined) == 1:
        return next(iter(defined.values()))
    if variable in defined:
        return defined[variable]
    listed = ", ".join(f"{file}:{key}" for key in defined) or "it defines none"
    if not variable:
        raise TransitionError(f"{file}: say which transition system: {listed}")
    if variable in variables:
        raise TransitionError(f"{file}: {variable} is {variables[variable]!r:.60}, not a TransitionSystem")
    near = get_close_matches(variable, defined, n=1)
    hint = f"did you mean {file}:{near[0]}?" if near else f"its transition systems: {listed}"
    raise TransitionError(f"{file}: there is no {variable}; {hint}")


def _run(file: str) -> dict[str, object]:
    if not Path(file).is_file():
        raise TransitionError(f"{file}: there is no such file with a transition system")
    try:
        return runpy.run_path(file)
    except SyntaxError as error:
        raise TransitionError(f"{error.filename or file}:{error.lineno or 1}: {error.msg}") from None
    except (Exception, SystemExit) as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
        where = f"{file}:{lines[-1]}" if lines else file
        message = str(error) if isinstance(error, TransitionError) else f"{type(error).__name__}: {error}"
        raise TransitionError(f"{where}: {message}".replace("\n", " ")) from error
