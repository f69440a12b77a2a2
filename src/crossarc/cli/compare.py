"""`crossarc compare`: is one parser better than another?"""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Force, InputFormat, Json, Root, Threads, bounded
from .output import note, note_if_empty
from .reporting import (
    AllowInvalid,
    Csv,
    Gold,
    Html,
    Latex,
    Punctuation,
    PunctuationPattern,
    check_one_output,
    chosen_punctuation,
    print_report,
)


def compare(
    gold: Gold,
    systems: Annotated[
        list[str], typer.Argument(help="The outputs of two parsers or more for the same text.", metavar="A B…")
    ],
    measure: Annotated[
        str, typer.Option("--measure", help="The measure of the verdict: las, uas, las_without_punctuation, clas, …")
    ] = "las",
    json: Json = False,
    csv: Csv = False,
    latex: Latex = False,
    html: Html = None,
    samples: Annotated[int, bounded("--samples", "Number of shuffles and of bootstrap samples.")] = 10_000,
    seed: Annotated[int, bounded("--seed", "Seed of the random numbers.")] = 1,
    punctuation: Punctuation = None,
    punctuation_pattern: PunctuationPattern = None,
    format: InputFormat = None,
    root: Root = None,
    allow_invalid: AllowInvalid = False,
    threads: Threads = 0,
    force: Force = False,
) -> None:
    """Compare parsers on the same text: is one better, or may the difference be chance?

    For every measure the values with bootstrap intervals, and for every pair of parsers McNemar's test, a randomised
    paired test by sentence, and Holm's correction for several pairs. The verdict is about one measure, which should be
    chosen before looking.

    Examples:

        crossarc compare test.conllu old.conllu new.conllu

        crossarc compare test.conllu a.conllu b.conllu c.conllu --measure las_without_punctuation --json
    """
    from ..files import check_outputs
    from ..reports.comparison import compare as compared

    check_one_output("compare", json, csv, latex, html)
    check_outputs([(".html", html)], [gold, *systems], force=force)
    found = compared(
        gold,
        *systems,
        measure=measure,
        samples=samples,
        seed=seed,
        punctuation=chosen_punctuation(punctuation, punctuation_pattern),
        root=root,
        format=format,
        allow_invalid=allow_invalid,
        threads=threads,
    )
    note_if_empty(found.evaluations[0].scores.sentences, gold)
    for line in found.notes:
        note(f"note: {line}")
    print_report(found, json, csv, latex, html)
