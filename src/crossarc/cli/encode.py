"""`crossarc encode`: files whose trees are what another parser can learn to build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Force, InputFile, InputFormat, Json, Output, Root
from .output import fail, note, print_json, sentences_of, tracked

if TYPE_CHECKING:
    from ..encodings import Recovery
    from ..treebank import Treebank

Reconstruction = Annotated[
    str, typer.Option("--reconstruction", help="How undirected arcs get directions: label, label-strict or naive.")
]
Signs = Annotated[str, typer.Option("--signs", help="How marks are written: arrows (↑ ↓ ↥) or ascii (^ ! @).")]
Search = Annotated[
    str, typer.Option("--search", help="Which target a mark leads to: careful, or first for the first one found.")
]
LiftOrder = Annotated[
    str, typer.Option("--lift-order", help="Which non-projective arc is lifted first: shortest or deepest.")
]
CoveredRoots = Annotated[
    str, typer.Option("--covered-roots", help="Attach roots below an arc to its left, right or head end; or none.")
]


def encode(
    file: InputFile = "-",
    scheme: Annotated[
        str,
        typer.Option(
            "--scheme", help="head, path, head+path, baseline or undirected; also two of them: head,undirected."
        ),
    ] = "head",
    output: Output = "-",
    map: Annotated[
        str | None,
        typer.Option("--map", help="Write the encoding and its labels to a file, for decode.", metavar="PATH"),
    ] = None,
    lift_order: LiftOrder = "shortest",
    covered_roots: CoveredRoots = "none",
    reconstruction: Reconstruction = "label",
    signs: Signs = "arrows",
    search: Search = "careful",
    format: InputFormat = None,
    root: Root = None,
    json: Json = False,
    force: Force = False,
) -> None:
    """Make trees projective, with marks in their labels from which decode restores them; or mark directions.

    Train any projective parser on the result, parse with it, and give its output to crossarc decode. Arcs that cannot
    be restored are counted on standard error. Projective trees stay byte for byte as they are. With undirected, labels
    say which way their arcs point (Xl, Xr) and heads stay: decode takes the arcs as links and lets the labels vote. The
    file is read in pieces, unless --map needs all labels.

    Examples:

        crossarc encode train.conllu -o train-head.conllu --map labels.json

        crossarc encode train.conllu --scheme head+path --signs ascii > train-marked.conllu
    """
    from ..encodings import named_encoding
    from ..encodings.recovery import compare
    from ..encodings.storage import write_map
    from ..files import check_outputs
    from ..treebank import read, stream, write

    if json and output == "-":
        raise typer.Exit(fail("crossarc encode: --json prints the counts, so the trees need a file: add -o PATH"))
    check_outputs([("treebank", output), ("map", map)], [file], force=force)
    encoding = named_encoding(
        scheme,
        reconstruction=reconstruction,
        signs=signs,
        search=search,
        lift_order=lift_order,
        covered_roots=covered_roots,
    )
    pieces: Iterable[Treebank] = stream(file, format=format, root=root)
    if map is not None:  # the labels of all sentences have to be known
        pieces = [read(file, format=format, root=root)]
        encoding = encoding.fit(pieces[0])
    plain: Counter[str] = Counter()
    marked: Counter[str] = Counter()
    recoveries: list[Recovery] = []

    def encoded() -> Iterator[Treebank]:
        for piece in tracked(sentences_of(pieces, file), "encoding"):
            result = encoding.encode(piece)
            recoveries.append(compare(piece, result, encoding))
            plain.update(piece.inventory("deprel"))
            marked.update(result.inventory("deprel"))
            yield result

    write(encoded(), output)
    if map is not None:
        write_map(map, encoding, dict(marked.most_common()))
    total = _total(recoveries, len(plain), len(marked))
    if json:
        print_json(total.to_dict())
    else:
        _describe(total)


def _total(recoveries: list[Recovery], labels: int, encoded_labels: int) -> Recovery:
    from dataclasses import replace

    total = recoveries[0]
    for recovery in recoveries[1:]:
        total += recovery
    return replace(total, labels=labels, encoded_labels=encoded_labels)


def _describe(total: Recovery) -> None:
    labels = f"{total.labels:,} labels became {total.encoded_labels:,}"
    if total.covered_roots:
        labels = f"{total.covered_roots:,} covered roots were attached; {labels}"
    if not total.moved:
        note(f"{total.sentences:,} sentences: no arc was lifted; {labels}")
        return
    note(f"{total.sentences:,} sentences: {total.moved:,} arcs were lifted; {labels}")
    note(
        f"{total.recovered:,} of these arcs ({total.share:.1%}) are restored; "
        f"{total.changed_sentences:,} sentences are not restored completely"
    )
