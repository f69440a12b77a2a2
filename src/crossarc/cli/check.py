"""`crossarc check`: list everything that is not well-formed in treebank files."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Files, InputFormat, Json, Root
from .output import fail, note, print_json, tracked

if TYPE_CHECKING:
    from ..treebank import Treebank


def check(
    files: Files,
    format: InputFormat = None,
    root: Root = None,
    level: Annotated[
        int,
        typer.Option(
            "--level",
            help="Levels of Universal Dependencies: 1 well-formed; 2 known UPOS and relations, form of features, "
            "sent_id and text; 3 root, punctuation that crosses, order; with udtools all tests, and 4 and 5.",
            min=1,
            max=5,
            rich_help_panel="Levels",
        ),
    ] = 1,
    language: Annotated[
        str | None,
        typer.Option(
            "--language", help="Code of the language, for levels 4 and 5: en, grc …", rich_help_panel="Levels"
        ),
    ] = None,
    official: Annotated[
        bool | None,
        typer.Option(
            "--official/--own",
            help="Ask the official validator, udtools, or check a part of its tests, which is faster; by default "
            "the official one if it is installed.",
            rich_help_panel="Levels",
        ),
    ] = None,
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
    are no problem, since other treebanks have them, but noted; with --level 2 they are.

    Levels above 1 are those of Universal Dependencies. Where udtools is installed (crossarc[check]) its tests are run,
    with its names; without it, and with --own, those that the help of --level lists, under the same names.

    Examples:

        crossarc check train.conllu dev.conllu

        crossarc check --root any --json treebanks/

        crossarc check --level 3 train.conllu
    """
    from ..errors import FileError
    from ..evaluation.levels import LEVELS
    from ..treebank import TreebankError, read
    from ..treebank.reading import expand

    problems: list[dict[str, object]] = []
    causes: list[dict[str, object]] = []
    count = sentences = words = unreadable = 0
    if official is None:
        official = level > 1 and find_spec("udtools") is not None
    if level > LEVELS and (not official or language is None):
        raise typer.Exit(fail("crossarc check: levels 4 and 5 need udtools (crossarc[check]) and --language"))
    if level > 1:
        root = root or "single"
        by = "the official validator" if official else "a part of the tests of the official validator"
        note(f"note: level {level} is checked by {by}")
    sources = expand(files)
    for file in tracked(sources, "checking", len(sources)):
        try:
            treebank = read(file, format=format, root=root)
            sentences += len(treebank)
            words += treebank.words
            if level > 1:
                _check_level(str(file), treebank, level, language, official=official)
            elif not json:
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


def _check_level(file: str, treebank: Treebank, level: int, language: str | None, *, official: bool) -> None:
    """Raise an error with what is wrong with a treebank at the levels above 1, if anything."""
    from ..evaluation.levels import level_problems, official_problems
    from ..treebank import TreebankError

    if official and treebank.format == "conllu":
        found = official_problems(treebank.to_text(), file, level, language)
    else:
        found = level_problems(treebank, level)
    if found:
        raise TreebankError(found)


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
