"""`crossarc agreement`: how far two annotators of the same sentences agree."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Json
from .output import print_json


def agreement(
    one: Annotated[str, typer.Argument(help="A treebank as the first annotator left it.", metavar="ONE")],
    other: Annotated[str, typer.Argument(help="The same sentences by the second annotator.", metavar="OTHER")],
    json: Json = False,
) -> None:
    """Say how far two annotators agree: UAS, LAS, and Cohen's kappa of labels.

    Both files need the same words. crossarc annotate ONE --against OTHER shows where they differ, and lets one choose.

    Examples:

        crossarc agreement ann.conllu bo.conllu
    """
    from ..evaluation.agreement import agreement as compared

    found = compared(one, other)
    if json:
        print_json(found.to_dict())
        return
    share = found.same_sentences / found.sentences
    print(f"{found.sentences:,} sentences, {found.words:,} words; {100 * share:.1f} % of the sentences are the same")
    print(f"UAS {100 * found.uas:.2f}   LAS {100 * found.las:.2f}   labels {100 * found.label_accuracy:.2f}")
    print(f"Cohen's kappa of labels {found.kappa:.3f}")
    for first, second, count in found.confusions:
        print(f"{count:6,} × {first} / {second}")
