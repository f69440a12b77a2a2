"""Parsed sentences in whatever file `-o` names: a treebank, a table, JSON, documents of spaCy or drawings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CrossarcError, FileError

if TYPE_CHECKING:
    from ..drawing import Picture
    from ..treebank import Sentence, Treebank

_TREEBANKS = (".conllu", ".conll", ".conllx")
#: Not .txt, which may be the text itself.
_DRAWINGS = (".svg", ".html", ".pdf", ".png", ".tex")


def output_kind(output: str, *, force: bool = False) -> str:
    """Return what is written under a name: "treebank", or the ending of the format; other endings are refused."""
    from ..treebank.export import EXPORTS, ending

    found = ending(output)
    if output == "-" or not found or found in _TREEBANKS or Path(output).is_char_device():
        return "treebank"
    if found in EXPORTS or found in _DRAWINGS:
        return found
    if force:
        return "treebank"
    known = ", ".join((*_TREEBANKS, *EXPORTS, *_DRAWINGS))
    raise FileError(f"{output}: no format of this ending: there are {known}; --force writes a treebank under any name")


def has_format(output: str) -> bool:
    """Whether a name ends as a treebank, a table or a drawing does."""
    from ..treebank.export import EXPORTS, ending

    return ending(output) in (*_TREEBANKS, *EXPORTS, *_DRAWINGS)


def write_as(kind: str, pieces: Iterable[Treebank], output: str, lines: list[str], title: str = "") -> None:
    """Write sentences as the kind that `output_kind` returned; drawings have these lines under the words."""
    from ..treebank import export, write

    if kind == "treebank":
        write(pieces, output)
    elif kind in _DRAWINGS:
        from ..drawing import save_all  # which takes long to import

        save_all(pictures_of(pieces, lines), output, title=title or Path(output).stem)
    else:
        export(pieces, output)


def pictures_of(pieces: Iterable[Treebank], lines: list[str]) -> Iterator[Picture]:
    """Go through the drawings of sentences; a line of which no word of all has a text is refused."""
    seen: set[str] = set()
    for piece in pieces:
        for sentence in piece:
            seen |= {name for name in lines if name not in seen and sentence.text_lines(name)}
            yield picture_of(sentence, lines, sentence.text)
    check_lines(set(lines) - seen)


def picture_of(sentence: Sentence, lines: list[str], title: str) -> Picture:
    """Return the drawing of a sentence with lines under the words."""
    return sentence.tree.picture(lines=sentence.text_lines(*lines), title=title)


def check_lines(missing: Iterable[str]) -> None:
    """Refuse lines that no word has a text for; tags alone may be missing."""
    from ..treebank import COLUMNS

    for name in sorted(set(missing) - {"upos"}):
        what = name.upper() if name in COLUMNS else f"{name}= in MISC"
        raise CrossarcError(f"--lines {name}: no word has {what}")


def line_names(text: str | None, *always: str) -> list[str]:
    """Return the names that --lines lists, behind those that are always there."""
    given = [name.strip().lower() for name in (text or "").split(",")]
    return list(dict.fromkeys([*always, *filter(None, given)]))
