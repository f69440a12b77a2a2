"""`crossarc decode`: the trees that marked labels describe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .encode import Reconstruction, Search, Signs, make_encoding
from .options import InputFile, InputFormat, Json, Output, Root
from .output import fail, note, print_json, tracked

if TYPE_CHECKING:
    from ..encodings import DecodeReport
    from ..treebank import Treebank

_MOST_LABELS = 5


def decode(
    file: InputFile = "-",
    map: Annotated[
        str | None, typer.Option("--map", help="What encode --map wrote for the training data.", metavar="PATH")
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
) -> None:
    """Turn what a parser built, trained on encoded trees, into the trees that are meant.

    Give the map, or the scheme and, if it was not arrows, the signs. A mark that leads nowhere leaves its arc where it
    is, and is counted on standard error; no mark is left in the output.

    Examples:

        crossarc decode parsed.conllu --map labels.json -o decoded.conllu

        crossarc decode --scheme head+path < parsed.conllu > decoded.conllu
    """
    from ..encodings import DecodeReport
    from ..encodings.storage import read_map
    from ..treebank import stream, write

    if (map is None) == (scheme is None):
        raise typer.Exit(fail("crossarc decode: say how the file was encoded, with either --map PATH or --scheme NAME"))
    if json and output == "-":
        raise typer.Exit(fail("crossarc decode: --json prints the counts, so the trees need a file: add -o PATH"))
    encoding = read_map(map) if map is not None else make_encoding(scheme or "", reconstruction, signs, search)
    reports = [DecodeReport()]
    sentences = 0

    def decoded() -> Iterator[Treebank]:
        nonlocal sentences
        for piece in tracked(stream(file, format=format, root=root), "decoding"):
            result, report = encoding.decode_with_report(piece)
            reports[0] += report
            sentences += len(piece)
            yield result

    write(decoded(), output)
    if json:
        print_json(_counts(sentences, reports[0]))
    else:
        _describe(sentences, reports[0])


def _counts(sentences: int, report: DecodeReport) -> dict[str, Any]:
    return {
        "sentences": sentences,
        "marked": report.marked,
        "unresolved": report.unresolved,
        "unknown_labels": report.unknown,
    }


def _describe(sentences: int, report: DecodeReport) -> None:
    lines = f"{sentences:,} sentences: {report.marked:,} arcs were marked to be moved"
    if report.unresolved:
        lines += f", {report.unresolved:,} of them lead nowhere and stay"
    note(lines)
    if report.unknown:
        shown = ", ".join(list(report.unknown)[:_MOST_LABELS])
        more = f" and {len(report.unknown) - _MOST_LABELS} more" if len(report.unknown) > _MOST_LABELS else ""
        note(f"labels that the map does not have ({sum(report.unknown.values()):,} words): {shown}{more}")
