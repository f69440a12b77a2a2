"""`crossarc convert`: from one file format to the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from .export import output_kind, write_as
from .options import Force, InputFile, InputFormat, Output, Root
from .output import note, sentences_of, tracked

if TYPE_CHECKING:
    from ..treebank import Treebank


def convert(
    file: InputFile = "-",
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            help="Format to write, conllu or conllx; by default that of an ending .conllu or .conllx, else the other "
            "one.",
        ),
    ] = None,
    output: Output = "-",
    format: InputFormat = None,
    root: Root = None,
    tags: Annotated[
        str | None,
        typer.Option(
            "--tags",
            help="universal: of a treebank of the AGDT, write UPOS and FEATS of Universal Dependencies, made from the "
            "nine positions of its tags, and lemmas without its numbers; as CoNLL-U by default.",
            rich_help_panel="Output",
        ),
    ] = None,
    lossless: Annotated[
        bool, typer.Option("--lossless", help="Write nothing and exit 1 if anything would be lost.")
    ] = False,
    force: Force = False,
) -> None:
    """Convert between CoNLL-U and CoNLL-X, or into tables, JSON, documents of spaCy and drawings.

    An ending of the output such as .csv, .xlsx or .json is that of the format, as of crossarc parse.

    What the other format cannot hold (comments, multiword tokens, DEPS …) is counted on standard error. Files of any
    size are converted in constant memory; --lossless reads the whole file first.

    Examples:

        crossarc convert da.conll --to conllu -o da.conllu

        crossarc convert en.conllu.gz --to conllx > en.conll

        crossarc convert perseus.conll --tags universal -o perseus.conllu

        crossarc convert en.conllu -o en.csv
    """
    from ..errors import CrossarcError
    from ..files import check_outputs
    from ..treebank import convert as convert_treebank
    from ..treebank import read, stream
    from ..treebank.agdt import with_plain_lemmas, with_universal_tags
    from ..treebank.export import ending
    from ..treebank.formats import checked_format

    kind = output_kind(output, force=force) if to is None else "treebank"
    check_outputs([(kind, output)], [file], force=force)
    if tags not in (None, "universal"):
        raise CrossarcError(f"--tags can only be universal, not {tags!r}")
    # .conll is the ending of both.
    named = to or {".conllu": "conllu", ".conllx": "conllx"}.get(ending(output))
    target = checked_format(named or "conllu") if named or tags or kind != "treebank" else None
    pieces: Iterable[Treebank] = stream(file, format=format, root=root)
    if lossless:
        pieces = [read(file, format=format, root=root)]
    lost: dict[str, int] = {}

    def converted() -> Iterator[Treebank]:
        for piece in tracked(sentences_of(pieces, file), "converting"):
            if tags:
                piece = with_plain_lemmas(with_universal_tags(piece))
            conversion = convert_treebank(piece, target or ("conllx" if piece.format == "conllu" else "conllu"))
            for what, number in conversion.lost.items():
                lost[what] = lost.get(what, 0) + number
            yield conversion.treebank

    if lossless:
        pieces = list(converted())
        if lost:
            note(f"nothing written; this would be lost: {_listed(lost)}")
            raise typer.Exit(1)
        write_as(kind, pieces, output, ["upos"])
        return
    write_as(kind, converted(), output, ["upos"])
    if lost:
        note(f"lost, because the format cannot hold it: {_listed(lost)}")


def _listed(lost: dict[str, int]) -> str:
    return ", ".join(f"{number:,} {what}" for what, number in lost.items())
