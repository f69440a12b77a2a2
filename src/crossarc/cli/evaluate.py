"""`crossarc evaluate`: how good is a parser's output?"""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Cluster, Force, InputFormat, Json, Root, Threads, Workers
from .output import fail, is_watched, note, note_if_empty, print_json
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
    system: Annotated[
        str | None, typer.Argument(help="The parser's output for the same text; not with --raw.", metavar="[SYSTEM]")
    ] = None,
    raw: Annotated[
        str | None,
        typer.Option(
            "--raw", help="Score this pipeline: parse the text of GOLD anew, cut into words by it.", metavar="MODEL"
        ),
    ] = None,
    words: Annotated[
        bool, typer.Option("--words", help="With --raw: keep the words of GOLD; tags, lemmas and trees are found anew.")
    ] = False,
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
    cluster: Cluster = None,
    workers: Workers = None,
    threads: Threads = 0,
    force: Force = False,
) -> None:
    """Score a parser's output against a gold standard.

    LAS, UAS, label accuracy and exact match, with and without punctuation; strict precision, recall and F of
    non-projective arcs (right is what is non-projective in both trees and has the right head), with 95 % intervals and
    by construction; for CoNLL-U the measures of the CoNLL 2018 shared task, also where the text was cut into other
    words. With --full also looser scores of non-projective arcs, scores by class of arc, relation, part of speech, arc
    length, distance to root and sentence length. With --undirected also scores of arcs without their direction: what
    direction errors cost. Where the output has probabilities of heads (crossarc parse --scores with a graph parser),
    calibration says whether they hold. Output that is not the same text, or no tree, is refused with the first place
    where it goes wrong.

    With --cluster, GOLD and SYSTEM are directories or patterns, and files of the same names are scored by workers of
    Dask; the scores are those of each file and of all words together.

    With --raw, a pipeline parses the text of the gold standard again, from characters, and its words are aligned.

    Examples:

        crossarc evaluate test.conllu parsed.conllu

        crossarc evaluate --raw en test.conllu

        crossarc evaluate test.conllu parsed.conllu --html report.html --errors errors.html

        crossarc evaluate test.conll parsed.conll --json | jq .all_words.las.f1
    """
    from ..evaluation.validity import read_gold
    from ..files import check_outputs
    from ..reports.evaluation import evaluate as evaluated
    from ..reports.raw_text import evaluate_pipeline
    from ..text import load_pipeline

    check_one_output("evaluate", json, csv, latex, html)
    if undirected and (csv or latex or html):
        raise typer.Exit(fail("crossarc evaluate: --undirected is printed as text or with --json"))
    if cluster is not None and system is not None:
        _evaluate_files(gold, system, cluster, workers, format, json, csv)
        return
    page = None if html == "-" else html  # standard output has the page then, else the scores
    if (system is None) == (raw is None) or (words and raw is None):
        raise typer.Exit(fail("crossarc evaluate: give GOLD and SYSTEM, or --raw MODEL and GOLD; --words is for --raw"))
    check_outputs([("scores", "-"), (".html", errors), (".html", page)], [gold, system, raw], force=force)
    marks = chosen_punctuation(punctuation, punctuation_pattern)
    if system is None:
        pipeline = load_pipeline(str(raw))
        treebank = read_gold(gold, format=format, root=root, threads=threads)
        found = evaluate_pipeline(pipeline, treebank, words=words, punctuation=marks, threads=threads)
        found.system = f"{raw}, {'gold words' if words else 'raw text'}"
    else:
        found = evaluated(
            gold,
            system,
            punctuation=marks,
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


def _evaluate_files(
    gold: str, system: str, cluster: str, workers: int | None, format: str | None, json: bool, csv: bool
) -> None:
    """Score many files on a cluster, and print the scores of each and of all together."""
    from ..cluster import evaluate_files

    found = evaluate_files(gold, system, cluster=cluster, workers=workers, format=format, progress=is_watched())
    if json:
        print_json(found.to_dict())
    else:
        print(found.to_csv() if csv else found.to_text(), end="")
