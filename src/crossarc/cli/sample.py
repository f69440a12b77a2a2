"""`crossarc sample`: a treebank to try things on."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Force, Output, bounded
from .output import tracked

_SENTENCES_AT_ONCE = 20_000


def sample(
    sentences: Annotated[int, bounded("--sentences", "Number of sentences.", "-n")] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="Random seed: another one gives other sentences.")] = 1,
    output: Output = "-",
    force: Force = False,
) -> None:
    """Write the embedded sample: a generated treebank of a small invented language.

    A quarter of its sentences are not projective, and every structural class occurs. The same seed gives the same
    sentences everywhere.

    Examples:

        crossarc sample -n 1000 -o sample.conllu

        crossarc sample -n 1000000 --seed 7 -o large.conllu.gz
    """
    from ..files import check_outputs
    from ..samples import sample as generate
    from ..treebank import write

    check_outputs([("treebank", output)], force=force)
    treebank = generate(sentences, seed)
    starts = range(0, max(1, len(treebank)), _SENTENCES_AT_ONCE)
    write((treebank[start : start + _SENTENCES_AT_ONCE] for start in tracked(starts, "writing", len(starts))), output)
