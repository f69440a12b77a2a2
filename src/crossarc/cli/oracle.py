"""`crossarc oracle`: which transitions build the trees of a treebank, and how much of it a system can derive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import RUNS_CODE, InputFile, InputFormat, Json, Threads
from .output import fail, note, note_if_empty, print_json
from .reporting import write_page

if TYPE_CHECKING:
    from ..transitions import Derivations, TransitionSystem
    from ..treebank import Treebank


def oracle(
    file: InputFile = "-",
    system: Annotated[
        str,
        typer.Option(
            "--system", "-s", help=f"A name that `crossarc systems` lists, or a file mine.py:my_system. {RUNS_CODE}"
        ),
    ] = "2-planar",
    root: Annotated[
        str, typer.Option("--root", help="The place of the artificial root: none, first or last.", show_default=True)
    ] = "none",
    method: Annotated[
        str, typer.Option("--method", help="rule (of the papers), search (any system) or auto.", show_default=True)
    ] = "auto",
    order: Annotated[
        str | None,
        typer.Option("--order", help="When a system with SWAP swaps: eager or lazy; swap-lazy swaps lazily."),
    ] = None,
    sentence: Annotated[
        int | None, typer.Option("--sentence", help="Only this sentence, counted from 1.", min=1, metavar="N")
    ] = None,
    sequences: Annotated[bool, typer.Option("--sequences", help="Print the transitions of each sentence.")] = False,
    trace: Annotated[
        bool, typer.Option("--trace", help="Print the transitions with the configurations they lead to.")
    ] = False,
    lost: Annotated[bool, typer.Option("--lost", help="List the arcs that the system cannot build.")] = False,
    json: Json = False,
    html: Annotated[
        str | None,
        typer.Option("--html", help="Write a page that steps through the derivations, for lectures.", metavar="PATH"),
    ] = None,
    format: InputFormat = None,
    threads: Threads = 0,
) -> None:
    """Derive the trees of a treebank: transitions, their number, and the share that a system can build.

    Without an artificial root, the roots of a tree are words without a head, and arcs from the root cross nothing. A
    sentence is derivable if the system builds exactly its tree; of other sentences the oracle builds what it can.

    With --html the file shows the first sentences, or the one that --sentence names, step by step: stacks, buffer, the
    arcs that appear, and why each transition was allowed or not. It stands alone and needs no server.

    Examples:

        crossarc oracle train.conllu --system 2-planar

        crossarc oracle train.conllu --system swap-lazy --json | jq .counts.swap

        crossarc oracle train.conllu --system mine.py:my_system --sentence 3 --trace

        crossarc oracle train.conllu --system 2-planar --sentence 3 --html steps.html
    """
    from ..transitions import derive, load_system
    from ..treebank import read

    if sequences + trace + lost + (html is not None) > 1:
        raise typer.Exit(fail("crossarc oracle: choose one of --sequences, --trace, --lost and --html"))
    treebank = read(file, format=format, root="any", threads=threads)
    note_if_empty(len(treebank), file)
    if sentence is not None:
        if sentence > len(treebank):
            raise typer.Exit(fail(f"crossarc oracle: no sentence {sentence}: the treebank has {len(treebank):,}"))
        treebank = treebank[sentence - 1 : sentence]
    chosen = load_system(system)
    if html is not None:
        _write_steps(html, file, treebank, chosen, root, method, order)
        return
    derivations = derive(chosen, treebank, root=root, method=method, order=order, threads=threads)
    first = sentence or 1
    if json or sequences or trace:
        names = [one.metadata.get("sent_id", str(number)) for number, one in enumerate(treebank, start=first)]
    if json:
        print_json(_data(names, derivations, sequences or trace, lost))
    elif sequences or trace:
        _print_steps(treebank, names, derivations, trace)
    elif lost:
        _print_lost(treebank, derivations)
    else:
        _print_summary(treebank, derivations)


def _write_steps(
    path: str, file: str, treebank: Treebank, system: TransitionSystem, root: str, method: str, order: str | None
) -> None:
    from pathlib import Path

    from ..stepping import MOST_SENTENCES, SteppedDerivation, lecture_page

    shown = treebank[:MOST_SENTENCES]
    if len(shown) < len(treebank):
        note(f"note: the page has the first {len(shown)} of {len(treebank):,} sentences; --sentence chooses another")
    steps = [
        SteppedDerivation.from_tree(system, one.tree, one.forms, root=root, method=method, order=order).to_dict(
            costs=None
        )
        for one in shown
    ]
    title = "standard input" if file == "-" else Path(file).name
    write_page(path, lecture_page(f"{title}: {system.name}", steps))


def _data(names: list[str], derivations: Derivations, sequences: bool, lost: bool) -> dict[str, Any]:
    data = derivations.to_dict()
    if not (sequences or lost):
        return data
    data["derivations"] = []
    for name, derivation in zip(names, derivations, strict=True):
        if lost and derivation.complete:
            continue
        entry: dict[str, Any] = {"sentence": name, "lost": derivation.lost, "added": derivation.added}
        if sequences:
            entry["transitions"] = [str(step) for step in derivation]
        data["derivations"].append(entry)
    return data


def _print_steps(treebank: Treebank, names: list[str], derivations: Derivations, trace: bool) -> None:
    from ..errors import clean, clean_lines

    for name, sentence, derivation in zip(names, treebank, derivations, strict=True):
        if not trace:
            print(f"{clean(name)}\t{clean(str(derivation))}")
            continue
        print(clean(f"{name}: {' '.join(f'{form}/{word}' for word, form in enumerate(sentence.forms, start=1))}"))
        print(clean_lines(derivation.trace()), end="")
        if derivation.lost:
            print(f"lost: {', '.join(str(arc) for arc in derivation.lost)}")
        print()


def _print_lost(treebank: Treebank, derivations: Derivations) -> None:
    import numpy as np

    from ..errors import clean

    for number in np.flatnonzero(~derivations.complete).tolist():
        sentence, derivation = treebank[number], derivations[number]
        forms = ["ROOT", *sentence.forms]
        for head, dependent in derivation.lost:
            print(clean(f"{sentence.place}: {forms[head]}/{head} → {forms[dependent]}/{dependent}"))
        if not derivation.lost:
            print(clean(f"{sentence.place}: nothing lost, but {derivation.added} arcs too many"))


def _print_summary(treebank: Treebank, derivations: Derivations) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ..errors import clean

    data = derivations.to_dict()
    sentences, arcs, words = data["sentences"], data["arcs"], data["words"]
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column(justify="right")
    table.add_row(Text(clean(data["system"])), Text(clean(", ".join(treebank.sources[:1]))), "", style="bold")
    table.add_row("sentences derived", f"{data['derivable_sentences']:,} of {sentences:,}", _percent(data, "sentences"))
    table.add_row("arcs built", f"{data['built_arcs']:,} of {arcs:,}", _percent(data, "arcs"))
    table.add_row("transitions", f"{data['transitions']:,}", f"{data['transitions_per_word']:.2f} a word")
    for name, count in data["counts"].items():
        share = f"{count / words:.3f} a word" if words else ""
        table.add_row(f"  {name.upper().replace('_', '-')}", f"{count:,}", share)
    Console(highlight=False).print(table)


def _percent(data: dict[str, Any], what: str) -> str:
    key = {"sentences": "derivable_sentences_share", "arcs": "built_arcs_share"}[what]
    return f"{100 * data[key]:.2f} %"
