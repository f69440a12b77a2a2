"""Which modules of a package import which, at the top, inside functions and for types alike, and the circles in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

Graph = dict[str, set[str]]


def module_names(source: Path) -> dict[str, Path]:
    """The modules below a package's folder, by their full names."""
    names = {}
    for path in sorted(source.rglob("*.py")):
        parts = [source.name, *path.relative_to(source).with_suffix("").parts]
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def import_graph(source: Path, lazy_names: Mapping[str, str]) -> Graph:
    """The modules that each module imports from.

    `lazy_names` has the names that the package itself gives on demand, with the module in which each is at home.
    """
    modules = module_names(source)
    graph = {}
    for name, path in modules.items():
        package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        found = {
            _home(imported, modules, source.name, lazy_names) for imported in imported_names(path.read_text(), package)
        }
        graph[name] = {other for other in found if other is not None and other != name}
    return graph


def imported_names(text: str, package: list[str]) -> Iterator[str]:
    """The full name of everything that the source of a module of the package imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _home(name: str, modules: Mapping[str, Path], top: str, lazy_names: Mapping[str, str]) -> str | None:
    """The module that an imported name is, or comes from; none for those of other packages."""
    above, _, last = name.rpartition(".")
    if above == top and last in lazy_names:
        return f"{top}.{lazy_names[last]}"
    return name if name in modules else above if above in modules else None


def circles(graph: Graph) -> list[list[str]]:
    """The sets of modules that import each other, directly or by way of others."""
    reached = {module: _reached(graph, module) for module in graph}
    groups = {tuple(sorted(other for other in reached[module] if module in reached.get(other, ()))) for module in graph}
    return [list(group) for group in sorted(groups) if len(group) > 1]


def _reached(graph: Graph, start: str) -> set[str]:
    found, waiting = set(), [start]
    while waiting:
        for module in graph.get(waiting.pop(), ()):
            if module not in found:
                found.add(module)
                waiting.append(module)
    return found
