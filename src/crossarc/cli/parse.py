"""`crossarc parse`: trees for sentences, by a trained parser."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import InputFile, InputFormat, Output
from .output import tracked


def parse(
    model: Annotated[str, typer.Argument(help="A model that crossarc train wrote.", metavar="MODEL")],
    file: InputFile = "-",
    output: Output = "-",
    format: InputFormat = None,
    threads: Annotated[int, typer.Option("--threads", help="How many threads; 0 for all cores.", min=0)] = 0,
) -> None:
    """Parse sentences: HEAD and DEPREL are replaced, arcs in DEPS follow them, everything else stays byte for byte.

    The words should have the lemmas, tags and features that the training data had. Files of any size are parsed in
    constant memory; every sentence comes out a tree, in its order.

    Examples:

        crossarc parse my.crossarc test.conllu -o parsed.conllu

        zcat large.conllu.gz | crossarc parse my.crossarc | gzip > parsed.conllu.gz
    """
    from ..parsers import load
    from ..treebank import stream, write

    parser = load(model)
    pieces = tracked(stream(file, format=format, root="any"), "parsing")
    write((parser.parse(piece, threads=threads) for piece in pieces), output)
