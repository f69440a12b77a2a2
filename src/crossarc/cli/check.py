"""`crossarc check`: list everything that is not well-formed in treebank files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .options import Files, InputFormat, Json, Root
from .output import note, print_json, tracked

if TYPE_CHECKING:
    from ..treebank import Treebank


def check(
    files: Files,
    format: InputFormat = None,
    root: Root = None,
    all: Annotated[
        bool,
        typer.Option("--all", help="Give every problem a line of its own, however many.", rich_help_panel="Output"),
    ] = False,
    json: Json = False,
) -> None:
    """List everything that is wrong with treebank files.

    One line for each problem: file, line, what is wrong, which sentence, what to do. Where a file has more than five of
    the same kind, or a mistake runs through all of it, they are one line with the first place and their number. Exits 0
    if all files are well-formed, 1 if not, 2 if one cannot be read. UPOS tags that Universal Dependencies do not have
    are no problem, since other treebanks have them, but noted.

    Examples:

        crossarc check train.conllu dev.conllu

        crossarc check --root any --json treebanks/
    """
    from ..errors import FileError
    from ..treebank import TreebankError, read
    from ..treebank.reading import expand

    problems: list[dict[str, object]] = []
    causes: list[dict[str, object]] = []
    count = sentences = words = unreadable = 0
    sources = expand(files)
    for file in tracked(sources, "checking", len(sources)):
        try:
            treebank = read(file, format=format, root=root)
            sentences += len(treebank)
            words += treebank.words
            if not json:
                _note_tags(treebank, format)
        except FileError as error:
            note(str(error))
            unreadable += 1
        except TreebankError as error:
            count += error.count
            if json:
                problems += [problem.to_dict() for problem in error.problems]
                causes += [cause.to_dict() for cause in error.causes]
            else:
                print("\n".join(map(str, error.problems) if all else error.summary()))
    if json:
        print_json({"files": len(sources), "problem_count": count, "causes": causes, "problems": problems})
    elif not count and not unreadable:
        print(f"{len(sources):,} files, {sentences:,} sentences, {words:,} words: no problems")
    if count and not json:
        note(f"{count:,} problems in {len(sources):,} files")
    if count or unreadable:
        raise typer.Exit(2 if unreadable else 1)


def _note_tags(treebank: Treebank, format: str | None) -> None:
    """Say which tags of UPOS are not universal, and if the file was taken for CoNLL-X because of them."""
    from ..treebank.formats import UNIVERSAL_TAGS

    file = treebank.sources[0]
    tags = sorted(treebank.inventory("upos").keys() - {tag.decode() for tag in UNIVERSAL_TAGS})
    some = ", ".join(tags[:5]) + (f" and {len(tags) - 5} more" if len(tags) > 5 else "")
    if tags and treebank.format == "conllu":
        note(f"note: {file}: UPOS has tags that are not universal: {some}")
    elif tags and format is None and ".conllu" in file:
        note(f"note: {file}: checked as CoNLL-X, since UPOS has {some}: --format conllu checks it as CoNLL-U")
