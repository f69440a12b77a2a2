"""`crossarc decode`: restores the trees that marked labels describe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .encode import Reconstruction, Search, Signs
from .options import Force, InputFile, InputFormat, Json, Output, Root
from .output import fail, note, print_json, sentences_of, tracked

if TYPE_CHECKING:
    from ..encodings import RestoreReport
    from ..treebank import Treebank

_MOST_LABELS = 5


def decode(
    file: InputFile = "-",
    map: Annotated[
        str | None, typer.Option("--map", help="The map that encode wrote for the training data.", metavar="PATH")
    ] = None,
    scheme: Annotated[
        str | None, typer.Option("--scheme", help="Without a map: the scheme that the file was encoded with.")
    ] = None,
    output: Output = "-",
    reconstruction: Reconstruction = "label",
    signs: Signs = "arrows",
    search: Search = "careful",
    format: InputFormat = None,
    root: Root = None,
    json: Json = False,
    force: Force = False,
) -> None:
    """Restore trees from the output of a parser that was trained on encoded trees.

    Give the map, or the scheme and, if they are not arrows, the signs. An arc whose mark has no target stays where it
    is, and is counted on standard error; no mark is left in the output.

    Examples:

        crossarc decode parsed.conllu --map labels.json -o restored.conllu

        crossarc decode --scheme head+path < parsed.conllu > restored.conllu
    """
    from ..encodings import RestoreReport, named_encoding
    from ..encodings.storage import read_map
    from ..files import check_outputs
    from ..treebank import stream, write

    if (map is None) == (scheme is None):
        raise typer.Exit(fail("crossarc decode: say how the file was encoded, with either --map PATH or --scheme NAME"))
    if json and output == "-":
        raise typer.Exit(fail("crossarc decode: --json prints the counts, so the trees need a file: add -o PATH"))
    check_outputs([("treebank", output)], [file, map], force=force)
    if map is not None:
        encoding = read_map(map)
    else:
        encoding = named_encoding(scheme or "", reconstruction=reconstruction, signs=signs, search=search)
    reports = [RestoreReport()]
    sentences = 0

    def restored() -> Iterator[Treebank]:
        nonlocal sentences
        for piece in tracked(sentences_of(stream(file, format=format, root=root), file), "restoring"):
            result, report = encoding.restore_with_report(piece)
            reports[0] += report
            sentences += len(piece)
            yield result

    write(restored(), output)
    if json:
        print_json(_counts(sentences, reports[0]))
    else:
        _describe(sentences, reports[0])


def _counts(sentences: int, report: RestoreReport) -> dict[str, Any]:
    return {
        "sentences": sentences,
        "marked": report.marked,
        "unresolved": report.unresolved,
        "unknown_labels": report.unknown,
    }


def _describe(sentences: int, report: RestoreReport) -> None:
    lines = f"{sentences:,} sentences: {report.marked:,} arcs were marked to be moved"
    if report.unresolved:
        lines += f", {report.unresolved:,} of them have no target and stay"
    note(lines)
    if report.unknown:
        shown = ", ".join(list(report.unknown)[:_MOST_LABELS])
        more = f" and {len(report.unknown) - _MOST_LABELS} more" if len(report.unknown) > _MOST_LABELS else ""
        note(f"labels that the map does not have ({sum(report.unknown.values()):,} words): {shown}{more}")
