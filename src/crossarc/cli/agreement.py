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

    result = compared(one, other)
    if json:
        print_json(result.to_dict())
        return
    share = result.same_sentences / result.sentences
    print(f"{result.sentences:,} sentences, {result.words:,} words; {100 * share:.1f} % of the sentences are the same")
    print(f"UAS {100 * result.uas:.2f}   LAS {100 * result.las:.2f}   labels {100 * result.label_accuracy:.2f}")
    print(f"Cohen's kappa of labels {result.kappa:.3f}")
    for first, second, count in result.confusions:
        print(f"{count:6,} × {first} / {second}")
