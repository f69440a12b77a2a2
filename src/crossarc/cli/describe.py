"""`crossarc describe`: count sentences, words, tags and relations of treebanks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import Files, InputFormat, Json
from .output import note_if_empty, print_json, tracked

if TYPE_CHECKING:
    from ..treebank import Treebank

_MOST_VALUES = 12
_HEADERS = {
    "multiword_tokens": "multiword",
    "empty_nodes": "empty",
    "longest_sentence": "longest",
    "without_heads": "no heads",
}


def describe(files: Files, format: InputFormat = None, json: Json = False) -> None:
    """Count sentences, words, lengths, tags and relations of treebank files.

    Several roots in a sentence are accepted here. Several files give a row each and a total.

    Examples:

        crossarc describe train.conllu

        crossarc describe --json treebanks/ | jq .total.words
    """
    from ..treebank import Treebank, read
    from ..treebank.reading import expand

    sources = expand(files)
    treebanks = [read(file, format=format, root="any") for file in tracked(sources, "reading", len(sources))]
    for file, treebank in zip(sources, treebanks, strict=True):
        note_if_empty(len(treebank), file)
    rows = [{"file": treebank.sources[0], **summary(treebank)} for treebank in treebanks]
    if len({treebank.format for treebank in treebanks}) == 1:
        total = summary(Treebank.concatenate(treebanks))
    else:
        total = {key: sum(row[key] for row in rows) for key in rows[0] if isinstance(rows[0][key], int)}
    if json:
        print_json({"files": rows, "total": total})
    else:
        print_summary(rows, total)


def summary(treebank: Treebank) -> dict[str, Any]:
    """Count what is in a treebank."""
    import numpy as np

    from .._kernel import AsideKind

    lengths = np.diff(treebank.word_offsets)
    kinds = np.bincount(treebank.aside_kind, minlength=len(AsideKind))
    return {
        "format": treebank.format,
        "sentences": len(treebank),
        "words": treebank.words,
        "multiword_tokens": int(kinds[AsideKind.range]),
        "empty_nodes": int(kinds[AsideKind.empty_node]),
        "longest_sentence": int(lengths.max(initial=0)),
        "forms": len(treebank.inventory("form")),
        "lemmas": len(treebank.inventory("lemma")),
        "without_heads": int(np.count_nonzero(np.add.reduceat(treebank.head < 0, treebank.word_offsets[:-1])))
        if len(treebank)
        else 0,
        "upos": treebank.inventory("upos"),
        "deprel": treebank.inventory("deprel"),
    }


def print_summary(rows: list[dict[str, Any]], total: dict[str, Any]) -> None:
    """Print the counts as tables."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    shown = [key for key in total if isinstance(total[key], int)]
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("" if len(rows) == 1 else "file", overflow="fold")
    if len(rows) == 1:
        table.add_column(Text(_short_name(rows[0]["file"])), justify="right")
        for key in shown:
            table.add_row(key.replace("_", " "), f"{total[key]:,}")
    else:
        shown = [key for key in shown if total[key]]
        for key in shown:
            table.add_column(_HEADERS.get(key, key), justify="right", no_wrap=True)
        for row in rows:
            table.add_row(Text(_short_name(row["file"])), *(f"{row[key]:,}" for key in shown))
        table.add_row("total", *(f"{total[key]:,}" for key in shown), style="bold")
    console.print(table)
    for key in ("upos", "deprel"):
        if key in total:
            console.print(_frequencies(key, total[key]), highlight=False, markup=False)


def _short_name(file: str) -> str:
    """Return the last two parts of a path: the treebank and the file."""
    from ..errors import clean

    return clean("/".join(Path(file).parts[-2:]))


def _frequencies(column: str, counts: dict[str, int]) -> str:
    from ..errors import clean

    most = list(counts.items())[:_MOST_VALUES]
    words = sum(counts.values()) or 1
    listed = ", ".join(f"{clean(value)} {100 * count / words:.1f} %" for value, count in most)
    more = f" … ({len(counts)} in all)" if len(counts) > len(most) else ""
    return f"{column}: {listed}{more}"
