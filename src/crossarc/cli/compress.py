"""`crossarc compress`: a smaller model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import Force
from .output import note


def compress(
    model: Annotated[str, typer.Argument(help="A model file, or a name of crossarc models.", metavar="MODEL")],
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write the smaller one.", metavar="SMALL")],
    bits: Annotated[int, typer.Option("--bits", help="Bits of each weight: 8 or 16.")] = 8,
    prune: Annotated[
        float | None,
        typer.Option(
            "--prune",
            help="Share of the features to leave out, those that decide least; by default 0.6 of a perceptron. "
            "A network has none.",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Make a model file smaller.

    Weights get eight bits; of a perceptron, the features that decide least are left out.

    It parses a little worse, if at all, and graph parsers faster; crossarc compare says whether that matters. --prune 0
    keeps all features.

    Examples:

        crossarc compress my.crossarc -o small.crossarc

        crossarc compress my.crossarc --prune 0.7 -o smaller.crossarc
    """
    from ..files import check_outputs
    from ..models import check_model_name
    from ..text import load
    from ..text.registry import find

    check_outputs([("model", output)], [model], force=force)
    check_model_name(output)
    path = Path(find(model))
    parser, before = load(path), path.stat().st_size
    parser.compress(output, bits=bits, prune=prune)
    after = Path(output).stat().st_size
    share = f", {100 * after / before:.0f}% of {model}" if before else ""  # a pipe has no size
    note(f"{output}: {after / 1e6:.1f} MB{share}")
