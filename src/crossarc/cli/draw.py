"""`crossarc draw`: sentences as pictures, in the terminal or in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import InputFile, InputFormat

if TYPE_CHECKING:
    from ..drawing import Picture
    from ..treebank import Sentence, Treebank


def draw(
    file: InputFile = "-",
    sentence: Annotated[
        list[str] | None,
        typer.Option("--sentence", "-s", help="A sentence by its sent_id or number; may be given several times."),
    ] = None,
    first: Annotated[int, typer.Option("--first", "-n", help="Number of sentences, from the first.", min=1)] = 1,
    crossing: Annotated[bool, typer.Option("--crossing", help="Only sentences with arcs that cross.")] = False,
    tags: Annotated[bool, typer.Option("--tags", help="Show the part of speech under each word.")] = False,
    output: Annotated[
        str, typer.Option("--output", "-o", help="A .svg .html .tex .txt .png or .pdf file; - for the terminal.")
    ] = "-",
    format: InputFormat = None,
) -> None:
    """Draw sentences: arcs of the first plane above the words, of the second below.

    In the terminal by default; into a file whose name says the kind. Only .html holds several sentences.

    Examples:

        crossarc draw train.conllu --sentence 12

        crossarc draw train.conllu --crossing --first 5 -o crossing.html

        crossarc draw train.conllu -s weblog-0001 -o sentence.svg
    """
    from ..drawing import html_page, save, terminal
    from ..errors import CrossarcError
    from ..treebank import read
    from ..treebank.files import open_output

    chosen = _chosen(read(file, format=format, root="any"), sentence, first, crossing)
    pictures = [_picture(each, tags) for each in chosen]
    if output == "-":
        import sys

        colour = sys.stdout.isatty()
        print("\n\n".join(f"{picture.title}\n{terminal(picture, colour=colour)}".rstrip() for picture in pictures))
    elif Path(output).suffix == ".html":
        with open_output(output) as page:
            page.write(html_page(pictures, Path(file).name).encode())
    elif len(pictures) == 1:
        save(pictures[0], output)
    else:
        raise CrossarcError(f"{output}: holds one sentence, not {len(pictures)}: choose one, or write an .html page")


def _chosen(treebank: Treebank, names: list[str] | None, first: int, crossing: bool) -> list[Sentence]:
    from ..errors import CrossarcError

    if names:
        ids = {each.id: each for each in treebank}
        chosen = []
        for name in names:
            number = int(name) if name.isdigit() else 0
            if name in ids:
                chosen.append(ids[name])
            elif 1 <= number <= len(treebank):
                chosen.append(treebank[number - 1])
            else:
                raise CrossarcError(f'no sentence "{name}": there are {len(treebank)}, by number or by sent_id')
        return chosen
    if crossing:
        from ..structure import classify

        treebank = treebank[classify(treebank).crossings > 0]
    if not len(treebank):
        raise CrossarcError("no sentence to draw" + (": no arcs cross in this treebank" if crossing else ""))
    return list(treebank[:first])


def _picture(sentence: Sentence, tags: bool) -> Picture:
    return sentence.tree.picture(tags=sentence.texts("upos") if tags else None, title=sentence.id)
