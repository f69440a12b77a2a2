"""`crossarc features`: the feature templates of a system, as a file to change and train with."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import RUNS_CODE


def features(
    system: Annotated[
        str,
        typer.Argument(
            help=f"A name that crossarc systems lists, or a file mine.py:system. {RUNS_CODE}", metavar="SYSTEM"
        ),
    ],
    scorer: Annotated[
        str,
        typer.Option(
            "--scorer", help="perceptron: feature templates; network: attributes of words, and views of configurations."
        ),
    ] = "perceptron",
) -> None:
    """Print what the model of a parser reads: by default the feature templates of a system.

    Change the templates and give them to crossarc train --scorer perceptron --features. A template is a conjunction:
    s0.form+b0.upos is the form of the word on top of the stack and the tag of the first word in the buffer.

    Examples:

        crossarc features 2-planar > my-features.txt

        crossarc train train.conllu --system 2-planar --scorer perceptron --features my-features.txt -o my.crossarc
    """
    from ..models import make_scorer
    from ..transitions import load_system

    sections = make_scorer(scorer).inputs(load_system(system))
    print("\n\n".join("\n".join([f"[{title}]", *lines]) for title, lines in sections.items()))
