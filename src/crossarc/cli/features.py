"""`crossarc features`: the feature templates of a system or of a paper, as a file to change and train with."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import RUNS_CODE


def features(
    name: Annotated[
        str | None,
        typer.Argument(
            help=f"A feature model of the papers, a system that crossarc systems lists, or a file mine.py:system. "
            f"{RUNS_CODE}",
            metavar="[NAME]",
        ),
    ] = None,
    scorer: Annotated[
        str,
        typer.Option(
            "--scorer",
            help="perceptron, svm, linear-svm, memory: feature templates; network: attributes of words, and views of "
            "configurations.",
        ),
    ] = "perceptron",
) -> None:
    """List the feature models of the papers; with a name, print one of them, or what models read by default.

    Change the templates and give them to crossarc train --scorer perceptron --features; a model of the papers is taken
    by its name. A template is a conjunction: s0.form+b0.upos is the form of the word on top of the stack and the tag of
    the first word in the buffer.

    Examples:

        crossarc features 2-planar > my-features.txt

        crossarc train train.conllu --system 2-planar --scorer perceptron --features my-features.txt -o my.crossarc

        crossarc train train.conll --system planar --scorer perceptron --features malt-planar-linear -o my.crossarc
    """
    from ..features import feature_models
    from ..models import make_scorer
    from ..transitions import load_system

    models = feature_models()
    if name is None:
        width = max(map(len, models))
        for model in models.values():
            print(f"{model.name:{width}}  {model.system}: {model.about}")
    elif name in models:
        print(models[name].text, end="")
    else:
        sections = make_scorer(scorer).inputs(load_system(name))
        print("\n\n".join("\n".join([f"[{title}]", *lines]) for title, lines in sections.items()))
