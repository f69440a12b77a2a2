"""`crossarc compare`: is one parser better than another?"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Force, InputFormat, Json, Root, Threads, bounded
from .output import fail, note, note_if_empty
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

if TYPE_CHECKING:
    from ..reports.comparison import Comparison
    from ..reports.seeds import SeedComparison


def _seeds(flag: str, which: str) -> Any:
    return typer.Option(
        f"--{flag}", help=f"Outputs of the {which} parser, one for each seed.", metavar="FILE…", rich_help_panel="Seeds"
    )


_A = Annotated[list[str] | None, _seeds("a", "first")]
_B = Annotated[list[str] | None, _seeds("b", "second")]
_C = Annotated[list[str] | None, _seeds("c", "third")]
_D = Annotated[list[str] | None, _seeds("d", "fourth")]
#: Options that take all words up to the next option.
SEVERAL_VALUES = ("--a", "--b", "--c", "--d")


def compare(
    gold: Gold,
    systems: Annotated[
        list[str] | None,
        typer.Argument(help="The outputs of two parsers or more for the same text.", metavar="[A B…]"),
    ] = None,
    a: _A = None,
    b: _B = None,
    c: _C = None,
    d: _D = None,
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

    With --a and --b, up to --d, each parser has several outputs, of one seed each, and the question is whether one is
    better whatever the seed and the sentences: means and standard deviations over seeds, and a test in which the
    variance between seeds and that between sentences count together.

    Examples:

        crossarc compare test.conllu old.conllu new.conllu

        crossarc compare test.conllu a.conllu b.conllu c.conllu --measure las_without_punctuation --json

        crossarc compare test.conllu --a old-1.conllu old-2.conllu --b new-1.conllu new-2.conllu new-3.conllu
    """
    from ..files import check_outputs
    from ..reports.comparison import compare as compared
    from ..reports.seeds import compare_over_seeds

    check_one_output("compare", json, csv, latex, html)
    groups = {name: files for name, files in (("a", a), ("b", b), ("c", c), ("d", d)) if files}
    if groups and systems:
        raise typer.Exit(fail("crossarc compare: give outputs as A B…, or those of several seeds by --a and --b"))
    outputs = [*(systems or ()), *chain(*groups.values())]
    check_outputs([(".html", html)], [gold, *outputs], force=force)
    options: dict[str, Any] = {
        "measure": measure,
        "punctuation": chosen_punctuation(punctuation, punctuation_pattern),
        "root": root,
        "format": format,
        "allow_invalid": allow_invalid,
        "threads": threads,
    }
    report: Comparison | SeedComparison
    if groups:
        report = compare_over_seeds(gold, groups, **options)
    else:
        report = compared(gold, *outputs, samples=samples, seed=seed, **options)
    note_if_empty(report.evaluations[0].scores.sentences, gold)
    for line in report.notes:
        note(f"note: {line}")
    print_report(report, json, csv, latex, html)
