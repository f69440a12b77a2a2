"""The type stubs of the extension in a form that people can read: `make stubs` writes them, a test compares them.

nanobind writes out all that it knows of an array wherever one is given. Here arrays, and tuples that come again and
again, have names, which are explained once at the top of the file; long signatures have a line for each parameter.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

WIDTH = 120
SHAPES = {"(None,)": "Array", "(None, None)": "Matrix", "": "Scores"}
DIMENSIONS = {"Array": "one dimension", "Matrix": "two dimensions", "Scores": "one dimension or three"}
ABOUT_ARRAYS = """
# Arrays are contiguous, and none is written to. Offsets say where sentences begin: one more than there are sentences,
# the first 0, the last the number of words. Words are numbered from 1; the head of a root is 0."""
#: Tuples that several signatures have: what is in them, in words and in types.
TUPLES = {
    "Forms": (
        "the form of each word; where each form begins among the characters; the characters",
        "Int32Array, Int64Array, UInt32Array",
    ),
    "Features": (
        "addresses (base, index, step, step); attributes (address, attribute, column or address); templates of these",
        "Sequence[tuple[int, int, int, int]], Sequence[tuple[int, int, int]], Sequence[Sequence[int]]",
    ),
    "Arcs": (
        "heads (or left words), dependents (or right words), labels; where the arcs of each sentence begin",
        "Int32Array, Int32Array, Int32Array, Int64Array",
    ),
    "GoldArcs": (
        "where the arcs of each sentence begin; heads, dependents, labels",
        "Int64Array, Int32Array, Int32Array, Int32Array",
    ),
    "Analyses": (
        "where those of each sentence begin; scores; where arcs begin; heads, dependents, labels, scores, margins",
        "Int64Array, Float64Array, Int64Array, Int32Array, Int32Array, Int32Array, Float32Array, Float32Array",
    ),
    "Rows": (
        "features, packed; how many weights each has; the classes of the weights; the weights",
        "UInt8Array, UInt16Array, UInt16Array, Int16Array",
    ),
    "PerceptronState": (
        "steps; features; their updates; how many classes each has; classes; weights; sums of weights over steps",
        "int, UInt64Array, Int32Array, UInt16Array, UInt16Array, Int32Array, Int64Array",
    ),
    "LearnerState": (
        "steps; weights; first and second moments of the optimiser",
        "int, list[Float32Array], list[Float32Array], list[Float32Array]",
    ),
    "HeadFault": (
        "a sentence, from 0; what is wrong with its heads; the words that it concerns",
        "int, TreeFault, list[int]",
    ),
    "MatrixFault": (
        "a sentence, from 0; what is wrong with its scores; the head and the dependent that it concerns",
        "int, ScoreFault, int, int",
    ),
}


def stubs() -> str:
    """The stubs of the extension that is installed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "_kernel.pyi"
        command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "crossarc._kernel", "-o", str(path)]
        subprocess.run(command, check=True)
        return readable(path.read_text())


def readable(text: str) -> str:
    """Stubs of nanobind with names for arrays and tuples, and lines that fit."""
    arrays: dict[str, str] = {}

    def name(found: re.Match[str]) -> str:
        shape = re.search(r"shape=(\(.*?\))", found[2])
        kind = SHAPES[shape[1] if shape else ""]
        value = found[1].removeprefix("u").capitalize()
        named = f"U{value}{kind}" if found[1].startswith("u") else f"{value}{kind}"
        arrays[named] = f"{named}: TypeAlias = NDArray[numpy.{found[1]}]  # {DIMENSIONS[kind]}"
        return named

    text = re.sub(r"Annotated\[NDArray\[numpy\.(\w+)\], dict\((.*?)\)\]", name, text)
    for tuple_name, (_, members) in TUPLES.items():
        text = text.replace(f"tuple[{members}]", tuple_name)
    text = re.sub(r"^((?: {4})?\w+(?:: int)? = -?\d+\n)\n(?=(?: {4})?\w+(?:: int)? = )", r"\1", text, flags=re.M)
    text = re.sub(r'"""\n *(\S.*)\n *"""', r'"""\1"""', text)
    text = text.replace("import Annotated, Any, overload", "import Any, TypeAlias, overload")
    head, start, rest = text.partition("\n\nsanitized")
    names = [ABOUT_ARRAYS, *(arrays[key] for key in sorted(arrays)), ""]
    for key, (what, members) in TUPLES.items():
        alias = f"{key}: TypeAlias = tuple[{members}]"
        fits = len(alias) <= WIDTH
        names += [f"# {what}", alias if fits else f"{key}: TypeAlias = tuple[\n    {members}\n]"]
    text = "\n".join([head, *names, start + rest])
    return "\n".join(line if len(line) <= WIDTH else wrapped(line) for line in text.splitlines()) + "\n"


def wrapped(line: str) -> str:
    """A signature with a line for each parameter, a text in lines that fit; other lines stay as they are."""
    if said := re.fullmatch(r'( *)"""(.*)"""', line):
        text = textwrap.fill(said[2], WIDTH, initial_indent=said[1], subsequent_indent=said[1])
        return f'{said[1]}"""\n{text}\n{said[1]}"""'
    found = re.fullmatch(r"( *)(def \w+\()(.*)(\) -> .*)", line)
    if found is None:
        return line
    indent, start, parameters, end = found.groups()
    parts = ast.parse(f"def f({parameters}): ...").body[0]
    assert isinstance(parts, ast.FunctionDef)
    given = parts.args
    positional = [*given.posonlyargs, *given.args]
    without = len(positional) - len(given.defaults)
    named = [one(argument, None) for argument in positional[:without]]
    named += [one(argument, value) for argument, value in zip(positional[without:], given.defaults, strict=True)]
    named += ["*"] if given.kwonlyargs else []
    named += [one(argument, value) for argument, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    return "\n".join([indent + start, *(f"{indent}    {part}," for part in named), indent + end.lstrip()])


def one(argument: ast.arg, value: ast.expr | None) -> str:
    """A parameter with its type, and its value where none is given."""
    default = "" if value is None else f" = {ast.unparse(value)}"
    return ast.unparse(argument) + default


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(stubs())
