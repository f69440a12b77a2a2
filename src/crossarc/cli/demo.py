"""`crossarc demo`: text to trees with the embedded models, then a walk through crossarc on the embedded sample."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .draw import print_pictures
from .output import note

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..text import Pipeline
    from ..treebank import Sentence, Treebank

#: What is parsed by each embedded model: English with an arc that crosses others, and the third verse of the Odyssey.
_TEXTS = {
    "en": "She met a man yesterday who didn't know her. It wasn't far!",
    "grc": "πολλῶν δ᾽ ἀνθρώπων ἴδεν ἄστεα καὶ νόον ἔγνω.",
}


def demo(
    text: Annotated[
        str | None, typer.Option("--text", help="Parse and draw this text, with the model that knows its letters.")
    ] = None,
) -> None:
    """Show raw text to trees, then the rest on the embedded sample.

    Text is parsed by the embedded models; then there is a walk: write, check, describe, classify, draw, train, parse,
    compare. With --text, only that text is parsed.

    Examples:

        crossarc demo

        crossarc demo --text "Which book did you say she wanted to read?"
    """
    from rich.console import Console

    if text is not None:
        name, pipeline = _fitting(text)
        note(f'crossarc parse {name} --text "…"')
        draw_text(pipeline, text)
        return
    for name, pipeline in _embedded().items():
        Console(highlight=False).rule(f'crossarc parse {name} --text "…"')
        draw_text(pipeline, _TEXTS.get(name, ""))
    _walk()


def draw_text(pipeline: Pipeline, text: str) -> None:
    """Parse a text and draw its trees in the terminal."""
    print_pictures(
        sentence.tree.picture(tags=sentence.texts("upos"), title=sentence.text) for sentence in pipeline(text)
    )


def _embedded() -> dict[str, Pipeline]:
    """Return the pipelines of the package by name."""
    from ..text import known_models, load_pipeline

    return {name: load_pipeline(one.file) for name, one in known_models().items() if one.origin == "crossarc"}


def _fitting(text: str) -> tuple[str, Pipeline]:
    """Return the embedded pipeline that knows most of the letters of a text."""
    from ..errors import FileError

    models = _embedded()
    if not models:
        raise FileError("no models are embedded in this installation: crossarc models lists what there is")
    letters = [letter for letter in text if letter.isalpha()]
    return max(models.items(), key=lambda one: sum(letter in one[1].segmenter.characters for letter in letters))


def _walk() -> None:
    """Show what else crossarc does, on the embedded sample."""
    from rich.console import Console

    from ..samples import sample
    from ..treebank import check, read, write
    from .describe import print_summary, summary

    console = Console(highlight=False)
    import tempfile

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
        console.rule("crossarc serve")
        console.print("shows all this in a browser and steps through it, and answers programs that speak to UDPipe")


def comparison(test: Treebank) -> Table:
    """Train three parsers on 1,000 sentences and compare what they find in the test sentences."""
    from rich.table import Table

    from ..encodings import PseudoProjective
    from ..parsers import TransitionParser
    from ..samples import sample
    from ..structure import classify

    train, dev = sample(1000, seed=2), sample(100, seed=3)
    table = Table("parser", "LAS", "UAS", "non-projective arcs built", "in the treebank", box=None)
    gold = classify(test).arc_nonprojective
    for system, encoding in (("arc-eager", None), ("arc-eager", PseudoProjective("head")), ("covington", None)):
        parser = TransitionParser(system, encoding=encoding)
        parser.train(train, dev=dev, epochs=4)
        parsed = parser.parse(test)
        right = parsed.head == test.head
        labelled = right & (test.pool.intern(parsed.texts("deprel")) == test.deprel.ids)
        built = classify(parsed).arc_nonprojective
        table.add_row(
            system if encoding is None else f"{system} + head",
            f"{100 * labelled.mean():.2f}",
            f"{100 * right.mean():.2f}",
            f"{built.sum():,}, {(built & gold & right).sum():,} right",
            f"{gold.sum():,}",
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
