"""`crossarc compress`: a smaller model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .output import note


def compress(
    model: Annotated[str, typer.Argument(help="A model that crossarc train wrote.", metavar="MODEL")],
    output: Annotated[str, typer.Option("--output", "-o", help="Where to write the smaller one.", metavar="SMALL")],
    bits: Annotated[int, typer.Option("--bits", help="Of each weight: 8 or 16.")] = 8,
    prune: Annotated[
        float | None,
        typer.Option("--prune", help="Of a perceptron: the share of features to leave out; 0.6 if you say nothing."),
    ] = None,
) -> None:
    """Make a model file smaller.

    Weights get eight bits; of a perceptron, the features that decide least are left out.

    It parses as fast and a little worse; crossarc compare says whether that matters. For none of the loss that pruning
    brings, give --prune 0.

    Examples:

        crossarc compress my.crossarc -o small.crossarc

        crossarc compress my.crossarc --prune 0.7 -o smaller.crossarc
    """
    from ..models import check_model_name
    from ..parsers import Perceptron, load

    check_model_name(output)
    parser = load(model)
    share = 0.6 if parser.scorer.name == Perceptron.name else 0.0
    parser.save(output, bits=bits, prune=share if prune is None else prune)
    before, after = Path(model).stat().st_size, Path(output).stat().st_size
    note(f"{output}: {after / 1e6:.1f} MB, {100 * after / before:.0f}% of {model}")
