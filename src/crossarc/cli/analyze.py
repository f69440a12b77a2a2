"""`crossarc analyze`: how the arcs of treebanks cross, and which parser that calls for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Cluster, Files, Force, InputFormat, Json, Threads, Workers
from .output import is_watched, note_if_empty, tracked
from .reporting import Csv, Html, Latex, check_one_output, print_report

if TYPE_CHECKING:
    from ..treebank import Treebank


def analyze(
    files: Files,
    json: Json = False,
    csv: Csv = False,
    latex: Latex = False,
    html: Html = None,
    format: InputFormat = None,
    root: Annotated[
        str, typer.Option("--root", help="Root policy: single, or any number of roots in a sentence.")
    ] = "any",
    cluster: Cluster = None,
    workers: Workers = None,
    threads: Threads = 0,
    force: Force = False,
) -> None:
    """Count the structural classes of treebanks: how non-projective are they, and which parser fits?

    The parser is the one that crossarc train takes by itself, with the reason. Sentences may have several roots, since
    the classes are defined for those too; --root single refuses them. Several files give a row each and a total. Files
    are read one at a time; with --cluster workers of Dask share them, and patterns and addresses of object stores work.

    Examples:

        crossarc analyze train.conllu

        crossarc analyze treebanks/ --html report.html

        crossarc analyze --json train.conllu dev.conllu | jq .total.not_2_planar
    """
    from ..files import check_outputs
    from ..reports.analysis import analyze as analyzed
    from ..treebank import read
    from ..treebank.reading import expand

    check_one_output("analyze", json, csv, latex, html)
    check_outputs([(".html", html)], files, force=force)
    if cluster is not None:
        from ..cluster import analyze_files

        found = analyze_files(files, cluster=cluster, workers=workers, format=format, progress=is_watched())
        print_report(found, json, csv, latex, html)
        return
    sources = expand(files)

    def treebanks() -> Iterator[tuple[str, Treebank]]:
        for file in tracked(sources, "analyzing", len(sources)):
            treebank = read(file, format=format, root=root, threads=threads)
            note_if_empty(len(treebank), file)
            yield treebank.sources[0], treebank

    analysis = analyzed(treebanks(), threads=threads)
    print_report(analysis, json, csv, latex, html)
