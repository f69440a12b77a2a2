"""`crossarc demo`: a walk through crossarc on the embedded sample."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from ..treebank import Sentence, Treebank


def demo() -> None:
    """Walk through crossarc on the embedded sample: write, check, read, describe, show.

    Example:

        crossarc demo
    """
    from rich.console import Console

    from ..samples import sample
    from ..treebank import check, read, write
    from .describe import print_summary, summary

    console = Console(highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.conllu"
        console.rule("crossarc sample -n 1000 -o sample.conllu")
        write(sample(1000), path)
        console.print(f"wrote {path.stat().st_size:,} bytes")
        console.rule("crossarc check sample.conllu")
        console.print(f"{len(check(path))} problems")
        console.rule("crossarc describe sample.conllu")
        treebank = read(path)
        print_summary([{"file": path.name, **summary(treebank)}], summary(treebank))
        console.rule("one sentence for each construction whose arcs cross")
        for construction, sentence in constructions(treebank).items():
            console.print(f"\n[bold]{construction}[/bold]")
            print_sentence(console, sentence)
        console.rule("write(read(file)) is the file")
        console.print("yes" if treebank.to_bytes() == path.read_bytes() else "NO")


def constructions(treebank: Treebank) -> dict[str, Sentence]:
    """Return the shortest sentence with each construction that MISC names."""
    found: dict[str, Sentence] = {}
    for sentence in sorted(treebank, key=len):
        names = {word.misc.get("Construction") for word in sentence} - {None}
        if len(names) == 1:
            found.setdefault(str(names.pop()), sentence)
    return dict(sorted(found.items()))


def print_sentence(console: Console, sentence: Sentence) -> None:
    """Print the words with their heads, one line each."""
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    for word in sentence:
        head = sentence[word.head - 1].form if word.head else "(root)"
        table.add_row(str(word.id), word.form, word.upos, "|".join(word.feats.values()), f"← {word.deprel}", head)
    console.print(sentence.text)
    console.print(table)
