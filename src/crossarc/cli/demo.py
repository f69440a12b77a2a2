"""`crossarc demo`: a walk through crossarc on the embedded sample."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..treebank import Sentence, Treebank


def demo() -> None:
    """Walk through crossarc on the embedded sample: write, check, describe, classify, draw, train, parse, compare.

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
        console.rule("one sentence for each construction, drawn, with its classes")
        for construction, sentence in constructions(treebank).items():
            show(console, construction, sentence)
        console.rule("trained on other sentences: arc-eager, and two whose arcs may cross")
        console.print(comparison(treebank))
        console.rule("write(read(file)) is the file")
        console.print("yes" if treebank.to_bytes() == path.read_bytes() else "NO")


def comparison(test: Treebank) -> Table:
    """Train three parsers on 2,000 sentences and compare what they find in the test sentences."""
    from rich.table import Table

    from ..encodings import PseudoProjective
    from ..parsers import TransitionParser
    from ..samples import sample
    from ..structure import classify

    train, dev = sample(2000, seed=2), sample(200, seed=3)
    table = Table("parser", "LAS", "UAS", "non-projective arcs built", "found", box=None)
    gold = classify(test).arc_nonprojective
    for system, encoding in (("arc-eager", None), ("arc-eager", PseudoProjective("head")), ("covington", None)):
        parser = TransitionParser(system, encoding=encoding)
        parser.train(train, dev=dev, epochs=5)
        parsed = parser.parse(test)
        right = parsed.head == test.head
        labelled = right & (test.pool.intern(parsed.texts("deprel")) == test.deprel.ids)
        built = classify(parsed).arc_nonprojective
        table.add_row(
            system if encoding is None else f"{system} + head",
            f"{100 * labelled.mean():.2f}",
            f"{100 * right.mean():.2f}",
            f"{built.sum():,}, {(built & right).sum():,} right",
            f"{(gold & right).sum():,} of {gold.sum():,}",
        )
    return table


def constructions(treebank: Treebank) -> dict[str, Sentence]:
    """Return the shortest sentence with each construction that MISC names, if its arcs cross."""
    from ..structure import classify

    found: dict[str, Sentence] = {}
    for sentence in sorted(treebank[classify(treebank).nonprojective], key=len):
        for name in {word.misc["Construction"] for word in sentence if "Construction" in word.misc}:
            found.setdefault(name, sentence)
    return dict(sorted(found.items()))


def show(console: Console, construction: str, sentence: Sentence) -> None:
    """Draw a sentence and say what kind of tree it is."""
    from ..drawing import terminal

    tree = sentence.tree
    console.print(f"\n[bold]{construction}[/bold] ({sentence.id})")
    console.print(terminal(tree.picture(), width=console.width), soft_wrap=True)
    classes = [
        "planar" if tree.is_planar else f"{tree.planarity}-planar",
        f"gap degree {tree.gap_degree}",
        "well-nested" if tree.is_well_nested else "ill-nested",
        "1-endpoint-crossing" if tree.is_one_endpoint_crossing else "not 1-endpoint-crossing",
        f"{len(tree.crossings())} crossings",
    ]
    console.print(", ".join(classes))
