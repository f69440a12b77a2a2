"""What a system builds, in words, and where it comes from.

The class of graphs follows from the derived properties: every graph that comes out lies in it. For the catalogue every
graph of the class comes out, too, unless it says "some"; a few of its classes are smaller than what can be derived.
"""

from __future__ import annotations

import re

from ..algebra.system import TransitionSystem
from .properties import Properties

_SMALLER = {
    "dag-arc-standard": "some planar graphs without covered roots",
    "dag-arc-eager": "planar graphs without covered roots or opposite arcs",
    "covington-projective": "projective forests",
    "attardi-2": "some forests",
    "attardi-3": "some forests",
}

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
    "attardi": "Attardi 2006",
    "undirected": "Gómez-Rodríguez & Fernández-González 2012",
}


def graph_class(system: TransitionSystem, properties: Properties) -> str:
    """Return the class of the graphs that a system builds."""
    if system.name in _SMALLER and _is_of_catalogue(system):
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


def source(system: TransitionSystem) -> str:
    """Return the paper that a system of the catalogue comes from; empty for others."""
    if not _is_of_catalogue(system):
        return ""
    base = system.name.split("+")[0]
    base = "undirected" if base.startswith("undirected-") else re.sub(r"^\d+-", "", base)
    return _SOURCES[re.sub(r"-\d+$", "", base)]


def _is_of_catalogue(system: TransitionSystem) -> bool:
    """Whether it is one, with or without labels."""
    from ..algebra.systems import catalogue

    known = catalogue().get(system.name)
    return known is not None and known.transitions == system.transitions and known.stacks == system.stacks
