"""`crossarc analyze`: how the arcs of treebanks cross, and which parser that calls for."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Files, InputFormat, Json
from .output import fail, note, print_json, tracked

if TYPE_CHECKING:
    from ..treebank import Treebank

_WIDEST = 100


def analyze(
    files: Files,
    json: Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print a table for a spreadsheet.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print a table for a paper.")] = False,
    html: Annotated[
        str | None,
        typer.Option("--html", help="Write a page with plots and drawn examples.", metavar="PATH"),
    ] = None,
    format: InputFormat = None,
    root: Annotated[
        str, typer.Option("--root", help="single or any number of roots in a sentence.", show_default=True)
    ] = "any",
    threads: Annotated[int, typer.Option("--threads", help="How many threads; 0 for all cores.", min=0)] = 0,
) -> None:
    """Count the structural classes of treebanks: how non-projective are they, and which parser fits?

    Sentences may have several roots, since the classes are defined for those too; --root single insists on one. Several
    files give a row each and a total. Files are read one at a time.

    Examples:

        crossarc analyze train.conllu

        crossarc analyze treebanks/ --html report.html

        crossarc analyze --json train.conllu dev.conllu | jq .total.not_2_planar
    """
    from ..reports.analysis import analyze as analyzed
    from ..treebank import read
    from ..treebank.files import open_output
    from ..treebank.reading import expand

    if sum([json, csv, latex, html is not None]) > 1:
        raise typer.Exit(fail("crossarc analyze: choose one of --json, --csv, --latex and --html"))
    sources = expand(files)

    def treebanks() -> Iterator[tuple[str, Treebank]]:
        for file in tracked(sources, "analyzing", len(sources)):
            treebank = read(file, format=format, root=root, threads=threads)
            yield treebank.sources[0], treebank

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        analysis = analyzed(treebanks(), threads=threads)
    for warning in caught:
        note(f"note: {warning.message}")
    if json:
        print_json(analysis.to_dict())
    elif csv:
        print(analysis.to_csv(), end="")
    elif latex:
        print(analysis.to_latex(), end="")
    elif html is not None:
        with open_output(html) as file:
            file.write(analysis.to_html().encode())
    else:
        print(analysis.to_text(min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns)), end="")
