"""`crossarc draw`: sentences as pictures, in the terminal or in a file; one analysis, or two with what differs."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .export import check_lines, line_names, picture_of
from .options import Force, InputFile, InputFormat, Lines
from .output import fail

if TYPE_CHECKING:
    from .._arrays import Offsets
    from ..drawing import Orientation, Picture
    from ..evaluation import Pair
    from ..treebank import Treebank


def draw(
    file: InputFile = "-",
    sentence: Annotated[
        list[str] | None,
        typer.Option("--sentence", "-s", help="A sentence by its sent_id or number; may be given several times."),
    ] = None,
    first: Annotated[int, typer.Option("--first", "-n", help="Number of sentences, from the first.", min=1)] = 1,
    crossing: Annotated[bool, typer.Option("--crossing", help="Only sentences with arcs that cross.")] = False,
    tags: Annotated[bool, typer.Option("--tags", help="Show the part of speech of each word.")] = False,
    lines: Lines = None,
    layout: Annotated[
        str,
        typer.Option(
            "--layout",
            help="horizontal, vertical (one word per line) or auto: vertical where the other would be too wide, which "
            "is 1400 pixels, 1000 on an .html page, or the width of the terminal.",
        ),
    ] = "auto",
    gold: Annotated[
        str | None,
        typer.Option("--gold", help="Instead of FILE: a gold standard, drawn with --system.", metavar="FILE"),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option("--system", help="A parser's output for the same words; differences are marked.", metavar="FILE"),
    ] = None,
    all: Annotated[
        bool, typer.Option("--all", help="With --gold and --system: also sentences in which nothing differs.")
    ] = False,
    output: Annotated[
        str, typer.Option("--output", "-o", help="A .svg .html .tex .txt .png or .pdf file; - for the terminal.")
    ] = "-",
    format: InputFormat = None,
    force: Force = False,
) -> None:
    """Draw sentences: arcs of the first plane above the words, of the second below.

    In the terminal by default; into a file whose name says the kind. Several sentences stand one below the other, in
    .pdf each on its page. A long sentence has one word per line, the first plane at the left and the second at the
    right.

    With --gold and --system two analyses are in one drawing: the gold tree above (at the left), and below (at the
    right) the arcs of the system that it does not have.

    Examples:

        crossarc draw train.conllu --sentence 12

        crossarc draw train.conllu --crossing --first 5 -o crossing.html

        crossarc draw train.conllu -s weblog-0001 --tags --lines lemma,feats,gloss -o sentence.svg

        crossarc draw --gold test.conllu --system parsed.conllu --first 20 -o errors.html
    """
    from ..drawing.layout import checked_orientation
    from ..evaluation.error_analysis import errors_by_sentence
    from ..files import check_outputs
    from ..reports.evaluation import two_analyses
    from ..treebank import read

    orientation = checked_orientation(layout)
    if lines is not None and gold is not None:
        raise typer.Exit(fail("crossarc draw: --lines goes without --gold and --system: leave it out"))
    if (gold is None) != (system is None) or (gold is not None and file != "-") or (all and gold is None):
        raise typer.Exit(fail("crossarc draw: give FILE, or --gold FILE and --system FILE, and --all only with these"))
    check_outputs([(Path(output).suffix.lower(), output)], [file, gold, system], force=force)
    if gold is None or system is None:
        treebank = read(file, format=format, root="any")
        chosen = _chosen(treebank, sentence, first, crossing)
        names = line_names(lines, *(["upos"] if tags else []))
        check_lines(name for name in names if not any(treebank[index].text_lines(name) for index in chosen))
        pictures = [picture_of(treebank[index], names, treebank[index].id) for index in chosen]
        title = Path(file).name
    else:
        pair = _pair(gold, system, format)
        chosen = _chosen(pair.gold.treebank, sentence, first, crossing, None if all else errors_by_sentence(pair))
        pictures = [two_analyses(pair, index, tags=tags) for index in chosen]
        title = f"{Path(gold).name} and {Path(system).name}"
    _write(pictures, title, output, orientation)


def print_pictures(pictures: Iterable[Picture], orientation: Orientation = "auto") -> None:
    """Draw sentences in the terminal, each under what it is called."""
    from ..drawing import terminal
    from ..drawing.text import clean, for_terminals

    colour = sys.stdout.isatty()
    blocks = (
        f"{for_terminals(clean(picture.caption))}\n{terminal(picture, colour=colour, orientation=orientation)}"
        for picture in pictures
    )
    print("\n\n".join(block.rstrip() for block in blocks))


def _write(pictures: list[Picture], title: str, output: str, orientation: Orientation) -> None:
    from ..drawing import save_all

    if output == "-":
        print_pictures(pictures, orientation)
    else:
        save_all(pictures, output, orientation, title)


def _chosen(
    treebank: Treebank, names: list[str] | None, first: int, crossing: bool, errors: Offsets | None = None
) -> list[int]:
    """The numbers, from 0, of the sentences to draw; `errors` has for each in how many arcs two analyses differ."""
    import numpy as np

    from ..errors import CrossarcError
    from ..structure import classify

    if names:
        return [_index(treebank, name) for name in names]
    wanted = np.ones(len(treebank), bool) if errors is None else errors > 0
    why = "" if errors is None else ": the two analyses are the same, --all draws them"
    if crossing and wanted.any():
        wanted = wanted & (classify(treebank).crossings > 0)
        why = ": no arcs cross in this treebank" if errors is None else ": no arcs cross where the two analyses differ"
    if not wanted.any():
        raise CrossarcError(f"no sentence to draw{why}")
    found: list[int] = np.flatnonzero(wanted)[:first].tolist()
    return found


def _index(treebank: Treebank, name: str) -> int:
    from ..errors import CrossarcError

    for index, sentence in enumerate(treebank):
        if sentence.id == name:
            return index
    if name.isdecimal() and 1 <= int(name) <= len(treebank):
        return int(name) - 1
    raise CrossarcError(f'no sentence "{name}": there are {len(treebank)}, by number or by sent_id')


def _pair(gold: str, system: str, format: str | None) -> Pair:
    from ..errors import CrossarcError
    from ..reports.evaluation import evaluate

    pair = evaluate(gold, system, root="any", format=format, allow_invalid=True).scores.pair
    if not pair.same_words:
        raise CrossarcError(f"{system}: not the same words as in {gold}: only the same words can be drawn together")
    return pair
