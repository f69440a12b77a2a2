"""`crossarc features`: the feature templates of a system, as a file to change and train with."""

from __future__ import annotations

from typing import Annotated

import typer


def features(
    system: Annotated[
        str, typer.Argument(help="A name that crossarc systems lists, or a file mine.py:system.", metavar="SYSTEM")
    ],
    scorer: Annotated[
        str, typer.Option("--scorer", help="perceptron: templates; network: what it reads and looks at.")
    ] = "perceptron",
) -> None:
    """Print the feature templates of a system, or what a network reads.

    Change the templates and give them to crossarc train --scorer perceptron --features. A template is a conjunction:
    s0.form+b0.upos is the form of the word on top of the stack and the tag of the first word in the buffer.

    Examples:

        crossarc features 2-planar > my-features.txt

        crossarc train train.conllu --system 2-planar --scorer perceptron --features my-features.txt -o my.crossarc
    """
    from ..features import default_label_templates, default_templates
    from ..features.default_views import default_views
    from ..models.base import make_scorer
    from ..parsers import Network
    from ..transitions import load_system

    loaded = load_system(system)
    if make_scorer(scorer).name == "network":
        network = Network()
        for title, lines in (
            ("[words]", [*network.lexical, *network.grammatical]),
            ("[configuration]", default_views(loaded)),
        ):
            print("\n".join([title, *lines]))
        return
    print("[transitions]")
    print("\n".join(default_templates(loaded)))
    print("\n[labels]")
    print("\n".join(default_label_templates(loaded)))
