"""Options and arguments that several commands share."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..options import ARGUMENTS


def bounded(flag: str, help: str, *short: str) -> Any:
    """Return an option that takes the numbers of the argument of this name; its help states them."""
    bounds = ARGUMENTS[flag.removeprefix("--").replace("-", "_")]
    return typer.Option(flag, *short, help=help, min=bounds.least, max=bounds.most)


Files = Annotated[
    list[str],
    typer.Argument(help="Treebank files or directories; .gz and .xz too; - for standard input.", metavar="FILE…"),
]
InputFile = Annotated[
    str, typer.Argument(help="A treebank file; .gz and .xz too; - for standard input.", metavar="[FILE]")
]
InputFormat = Annotated[
    str | None,
    typer.Option("--format", help="Format of the input, conllu or conllx; by default recognised by content."),
]
Root = Annotated[
    str | None,
    typer.Option(
        "--root", help="Root policy: single or any; by default any, with a note where CoNLL-U has several roots."
    ),
]
Output = Annotated[
    str, typer.Option("--output", "-o", help="File to write; .gz and .xz are compressed; - for standard output.")
]
Threads = Annotated[int, bounded("--threads", "Number of threads; 0 for all cores.")]
#: Added to the help of options that take a system.
RUNS_CODE = "A file is run as a Python program: give only files that you trust."
Force = Annotated[
    bool, typer.Option("--force", help="Write even over an input, a file of another kind or a write-protected one.")
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Work on many files with workers of Dask: local, slurm, the address of a scheduler or its .json file.",
    ),
]
Workers = Annotated[
    int | None, bounded("--workers", "With --cluster: how many workers are started; by default one a core.")
]
Lines = Annotated[
    str | None,
    typer.Option(
        "--lines",
        help="Of drawings: what stands under the words, columns or keys of MISC with commas: lemma,feats,gloss.",
        metavar="NAME,…",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
