"""`crossarc evaluate`: how good is a parser's output?"""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Force, InputFormat, Json, Root, Threads
from .output import fail, note, note_if_empty, print_json
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
    write_page,
)


def evaluate(
    gold: Gold,
    system: Annotated[str, typer.Argument(help="The parser's output for the same text.", metavar="SYSTEM")],
    json: Json = False,
    csv: Csv = False,
    latex: Latex = False,
    html: Html = None,
    full: Annotated[
        bool, typer.Option("--full", help="Print all tables: arcs of every class, groups of words, confusions.")
    ] = False,
    undirected: Annotated[
        bool, typer.Option("--undirected", help="Also score arcs as links: right whichever end is called the head.")
    ] = False,
    errors: Annotated[
        str | None,
        typer.Option("--errors", help="Write a page with every sentence that has errors, drawn.", metavar="PATH"),
    ] = None,
    punctuation: Punctuation = None,
    punctuation_pattern: PunctuationPattern = None,
    format: InputFormat = None,
    root: Root = None,
    allow_invalid: AllowInvalid = False,
    threads: Threads = 0,
    force: Force = False,
) -> None:
    """Score a parser's output against a gold standard.

    LAS, UAS, label accuracy and exact match, with and without punctuation; precision and recall on non-projective arcs;
    for CoNLL-U the measures of the CoNLL 2018 shared task, also where the text was cut into other words. With --full
    also scores by class of arc, relation, part of speech, arc length, distance to root and sentence length. With
    --undirected also scores of arcs without their direction: what direction errors cost. Where the output has
    probabilities of heads (crossarc parse --scores with a graph parser), calibration says whether they hold. Output
    that is not the same text, or no tree, is refused with the first place where it goes wrong.

    Examples:

        crossarc evaluate test.conllu parsed.conllu

        crossarc evaluate test.conllu parsed.conllu --html report.html --errors errors.html

        crossarc evaluate test.conll parsed.conll --json | jq .all_words.las.f1
    """
    from ..reports.evaluation import evaluate as evaluated
    from ..treebank.files import check_outputs

    check_one_output("evaluate", json, csv, latex, html)
    if undirected and (csv or latex or html):
        raise typer.Exit(fail("crossarc evaluate: --undirected is printed as text or with --json"))
    page = None if html == "-" else html  # standard output has the page then, else the scores
    check_outputs([("scores", "-"), (".html", errors), (".html", page)], [gold, system], force=force)
    found = evaluated(
        gold,
        system,
        punctuation=chosen_punctuation(punctuation, punctuation_pattern),
        root=root,
        format=format,
        allow_invalid=allow_invalid,
        threads=threads,
    )
    note_if_empty(found.scores.sentences, gold)
    for line in found.notes:
        note(f"note: {line}")
    if errors is not None:
        write_page(errors, found.errors_html())
    links = found.scores.undirected if undirected else None
    if links is not None and json:
        names = ("all_words", "without_punctuation")
        shown = {name: one.to_dict() for name, one in zip(names, links, strict=True)}
        print_json({**found.to_dict(), "undirected": shown})
        return
    print_report(found, json, csv, latex, html, full=full)
    if links is not None:
        for title, one in zip(("all words", "without punctuation"), links, strict=True):
            print(f"undirected, {title}: UAS {100 * one.uas.f1:.2f}, LAS {100 * one.las.f1:.2f}")
    if not (full or json or csv or latex or html):
        print("\nMore: --full (all tables), --html PATH (plots), --errors PATH (all errors)")
