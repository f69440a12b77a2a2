"""`crossarc systems`: the catalogue of transition systems, and one system with its definition and properties."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import RUNS_CODE, Json
from .output import print_json

if TYPE_CHECKING:
    from rich.console import Console

    from ..transitions import TransitionSystem

_WIDEST = 120
_MOST_STACKS = 2  # more take long to enumerate
_WIDE = 110  # narrower terminals get a table with less in it
_SHORT = r"([^,&\d]*[^,&\d\s]).*?(\d{4}).*"  # the first author, and the first year
_LEGEND = """\
head: no word gets a second head; acyclic: no cycles, directed or not; roots: no
root is covered by an arc; most: the most transitions for n > 1 words. All this
follows from the definitions: `crossarc systems NAME` says how. Constraints can
be added to a name (planar-graph+single-head; also +acyclic, +directed-acyclic,
+no-covered-roots), and the number of planes is free (4-planar)."""


def systems(
    name: Annotated[
        str | None,
        typer.Argument(help=f"A system by name, or one of your own: mine.py:my_system. {RUNS_CODE}", metavar="[NAME]"),
    ] = None,
    json: Json = False,
) -> None:
    """List the transition systems with what they build and guarantee; with a name, one of them in full.

    The properties are derived from the definition alone, for a system of your own as well. A name may have constraints
    and any number of planes: 2-planar-graph+single-head, 4-planar, undirected-4-planar.

    Examples:

        crossarc systems

        crossarc systems 2-planar

        crossarc systems mine.py:my_system --json
    """
    from ..transitions import load_system
    from ..transitions.algebra.systems import catalogue

    if name is not None:
        system = load_system(name)
        if json:
            print_json(_data(system))
        else:
            _print_system(system)
    elif json:
        print_json([_data(system) for system in catalogue().values()])
    else:
        # What differs in constraints alone would fill the screen.
        _print_table([system for system in catalogue().values() if "+" not in system.name])


def _console() -> Console:
    from rich.console import Console

    return Console(width=min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns), highlight=False)


def _data(system: TransitionSystem) -> dict[str, Any]:
    from ..transitions.algebra.notation import title, transition_notation
    from ..transitions.algebra.systems import source
    from ..transitions.theory import graph_class

    properties = system.properties()
    notation = {
        title(name, one): dict(zip(("does", "only_if"), transition_notation(system, one), strict=True))
        for name, one in system.transitions.items()
    }
    return {
        "name": system.name,
        "graphs": graph_class(system, properties),
        "source": source(system),
        "properties": properties.to_dict(),
        "notation": notation,
        "definition": system.to_dict(),
    }


def _print_table(listed: list[TransitionSystem]) -> None:
    from rich.table import Table

    from ..transitions.algebra.systems import source
    from ..transitions.theory import graph_class

    console = _console()
    wide = console.width >= _WIDE
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("system", no_wrap=True)
    table.add_column("builds")
    for header in ("head", "acyclic", "roots", "planes"):
        table.add_column(header, justify="center", no_wrap=True)
    table.add_column("most", justify="right", no_wrap=True)
    if wide:
        table.add_column("transitions", justify="right")
        table.add_column("from")
    for system in listed:
        properties = system.properties()
        ticks = (properties.single_head, properties.acyclic, properties.no_covered_roots)
        bound = properties.bound
        table.add_row(
            system.name,
            graph_class(system, properties),
            *("✓" if tick else "" for tick in ticks),
            str(properties.planes or ""),
            "" if bound is None else str(bound) if wide else bound.growth,
            *([str(len(system.transitions)), re.sub(_SHORT, r"\1 \2", source(system))] if wide else []),
        )
    console.print(table)
    console.print(f"\n{_LEGEND}")


def _print_system(system: TransitionSystem) -> None:
    from rich.table import Table
    from rich.text import Text

    from ..errors import clean, clean_lines
    from ..transitions.algebra.systems import source
    from ..transitions.theory import graph_class

    console = _console()
    properties = system.properties()
    builds, origin = graph_class(system, properties), source(system)
    # Which part of its class a system of one's own builds is not known.
    heading = f"{builds} ({origin})" if origin else f"some or all {builds}"
    console.print(Text(clean(f"{system.name}: {heading}"), "bold"))
    console.print(Text(clean_lines(f"\n{system.notation()}\n")))
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for key, verdict in properties.verdicts().items():
        answer, addition = ("yes", "") if verdict else _refuted(system, key)
        table.add_row(key.replace("_", " "), answer, Text(verdict.reason + addition))
    for key, what, bound in (
        ("length", "transitions", properties.bound),
        ("elementary", "elementary transitions", properties.elementary_bound),
    ):
        if bound:
            table.add_row(key, "", f"{bound.growth}: at most {bound} {what} for n > 1 words")
    console.print(table)
    console.print(Text(clean_lines(f"\n{system!r}")))


def _refuted(system: TransitionSystem, key: str) -> tuple[str, str]:
    """Say whether some small graph shows that a property does not hold, where that is quickly found out."""
    from ..transitions.theory.enumeration import can_be_refuted

    if system.stacks > _MOST_STACKS or not can_be_refuted(system, key):
        return "not derivable", ""
    arcs = system.counterexample(key)
    if arcs is None:
        return "not derivable", "; but none of its graphs of up to 4 words refutes it"
    sign = "–" if system.is_undirected else "→"
    return "no", "; it derives " + ", ".join(f"{head} {sign} {dependent}" for head, dependent in sorted(arcs))
