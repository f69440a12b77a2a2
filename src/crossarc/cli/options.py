"""Options and arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

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
    typer.Option("--root", help="Root policy: single or any; by default single for CoNLL-U, any for CoNLL-X."),
]
Output = Annotated[
    str, typer.Option("--output", "-o", help="File to write; .gz and .xz are compressed; - for standard output.")
]
#: Added to the help of options that take a system.
RUNS_CODE = "A file is run as a Python program: give only files that you trust."
Force = Annotated[
    bool, typer.Option("--force", help="Write even over an input, a file of another kind or a write-protected one.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
