"""`crossarc features`: the feature templates of a system, as a file to change and train with."""

from __future__ import annotations

from typing import Annotated

import typer


def features(
    system: Annotated[
        str, typer.Argument(help="A name that crossarc systems lists, or a file mine.py:system.", metavar="SYSTEM")
    ],
) -> None:
    """Print the default feature templates of a transition system.

    Change what it prints and give it to crossarc train --features. A template is a conjunction: s0.form+b0.upos is the
    form of the word on top of the stack and the tag of the first word in the buffer.

    Examples:

        crossarc features 2-planar > my-features.txt

        crossarc train train.conllu --system 2-planar --features my-features.txt -o my.crossarc
    """
    from ..models import default_label_templates, default_templates
    from ..transitions import load_system

    loaded = load_system(system)
    print("[transitions]")
    print("\n".join(default_templates(loaded)))
    print("\n[labels]")
    print("\n".join(default_label_templates(loaded)))
