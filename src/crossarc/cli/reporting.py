"""Options that the commands `analyze`, `evaluate` and `compare` share, and how they print their reports."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .output import fail, note, print_json

if TYPE_CHECKING:
    from ..reports.analysis import Analysis
    from ..reports.comparison import Comparison
    from ..reports.evaluation import Evaluation
    from ..reports.seeds import SeedComparison

_WIDEST = 100

Gold = Annotated[str, typer.Argument(help="The gold standard; .gz and .xz too; - for standard input.", metavar="GOLD")]
Punctuation = Annotated[
    str | None,
    typer.Option(
        "--punctuation",
        help="What counts as punctuation: upos (tagged PUNCT) or unicode (all characters punctuation, as in CoNLL-X). "
        "By default upos for CoNLL-U and unicode for CoNLL-X.",
    ),
]
PunctuationPattern = Annotated[
    str | None,
    typer.Option(
        "--punctuation-pattern",
        help="Punctuation is every word that this regular expression matches as a whole.",
        metavar="REGEX",
    ),
]
AllowInvalid = Annotated[
    bool, typer.Option("--allow-invalid", help="Score output that is not a tree: cycles, missing heads, several roots.")
]
Csv = Annotated[bool, typer.Option("--csv", help="Print a table for a spreadsheet.")]
Latex = Annotated[bool, typer.Option("--latex", help="Print a table for a paper.")]
Html = Annotated[
    str | None, typer.Option("--html", help="Write a page with plots and drawn sentences.", metavar="PATH")
]


def chosen_punctuation(name: str | None, pattern: str | None) -> Any:
    """Return the definition of punctuation that two options ask for."""
    if pattern is None:
        return name
    if name is not None:
        raise typer.Exit(fail("choose one of --punctuation and --punctuation-pattern"))
    try:
        return re.compile(pattern)
    except re.error as error:
        raise typer.Exit(fail(f'--punctuation-pattern: "{pattern}" is no regular expression: {error}')) from error


def check_one_output(command: str, json: bool, csv: bool, latex: bool, html: str | None) -> None:
    """Refuse several kinds of output at once."""
    if sum([json, csv, latex, html is not None]) > 1:
        raise typer.Exit(fail(f"crossarc {command}: choose one of --json, --csv, --latex and --html"))


def print_report(
    report: Analysis | Evaluation | Comparison | SeedComparison,
    json: bool,
    csv: bool,
    latex: bool,
    html: str | None,
    *,
    full: bool = True,
) -> None:
    """Print a report in the form that was asked for; of a page the file, and what it says in short."""
    width = min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns)
    if json:
        print_json(report.to_dict())
    elif csv:
        print(report.to_csv(), end="")
    elif latex:
        print(report.to_latex(), end="")
    elif html is not None:
        write_page(html, report.to_html())
        if html != "-":
            print(report.to_text(width, full=False), end="")
    else:
        print(report.to_text(width, full=full), end="")


def write_page(path: str, page: str) -> None:
    """Write a page and say where."""
    from ..files import open_output

    with open_output(path) as file:
        file.write(page.encode())
    if path != "-":
        note(f"wrote {path}")
