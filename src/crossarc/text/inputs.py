"""The sentences of files of any size for a parser or a pipeline, whatever a file holds, recognised by content.

Input is raw text, one sentence a line, one word a line with empty lines between sentences, or CoNLL-U (also CoNLL-X).
Prose is never taken for broken CoNLL-U, nor the other way round: most lines of CoNLL-U are numbered rows of columns, or
it begins with a comment such as `# text = …`. A parser takes words, a pipeline also raw text, which it cuts itself.
Sentences come in pieces, so that memory does not grow with the file; O(bytes), and the cost of the segmenter.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import IO, Any, cast

from ..errors import CrossarcError, FileError
from ..files import open_input
from ..parsers import Parser
from ..treebank import Treebank, stream
from ..treebank.formats import BYTES_LOOKED_AT, foreign_content
from .text_stream import text_lines

INPUTS = ("text", "lines", "words", "conllu")
_BLOCK = 1 << 16
#: Words that are parsed together; a sentence of more stays whole.
_WORDS_TOGETHER = 20_000
_COMMENT = re.compile(r"#\s*(sent_id|text|newdoc|newpar|global\.columns)\b")
_NUMBER = re.compile(r"\d+([-.]\d+)?")
#: More control characters than these, and than this share of all bytes, no text has.
_FEW_CONTROLS = 4
_MOST_CONTROLS = 0.02
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1b\b"))


class InputError(FileError):
    """A file that is no text."""


class Opened:
    """A file whose beginning was looked at and can still be read."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        """Read the beginning."""
        self.name = name
        self._file = file
        self.start = b""
        while len(self.start) < BYTES_LOOKED_AT and (block := file.read(BYTES_LOOKED_AT - len(self.start))):
            self.start += block
        self._unread = self.start

    def read(self, size: int = -1) -> bytes:
        """Read so many bytes at most, as files do."""
        if not self._unread:
            return self._file.read(size)
        size = len(self._unread) if size < 0 else size
        given, self._unread = self._unread[:size], self._unread[size:]
        return given


@contextlib.contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Opened]:
    """Open a file, `-` for standard input; `.gz` and `.xz` are decompressed."""
    name = os.fspath(path)
    with open_input(name) as file:
        yield Opened(file, "<stdin>" if name == "-" else name)


def recognised(file: Opened) -> str:
    """Return what a file holds, one of `INPUTS`, by its beginning; what is no text is refused."""
    check_text(file)
    text = file.start.decode("utf-8-sig", "replace")
    lines = [line for line in text.split("\n") if line.strip()]
    if len(file.start) == BYTES_LOOKED_AT and len(lines) > 1:
        lines.pop()  # it may go on
    if _is_conllu(lines):
        return "conllu"
    return "words" if _is_one_word_a_line(lines) else "text"


def check_text(file: Opened) -> None:
    """Refuse what is no text by its beginning."""
    foreign = foreign_content(file.start)
    if foreign is not None and foreign[0] == "wide_characters" and _is_text_in(foreign[1], file.start):
        raise InputError(f"{file.name}: the text is in {foreign[1]}: convert it to UTF-8")
    if foreign is not None and foreign[0] == "model_file":
        raise InputError(f"{file.name}: this is a model, not a text: the model comes first, then the text")
    controls = len(file.start) - len(file.start.translate(None, _CONTROLS))
    if controls > max(_FEW_CONTROLS, _MOST_CONTROLS * len(file.start)):
        raise InputError(f"{file.name}: this is no text but a binary file: give text in UTF-8, or CoNLL-U")


def _is_text_in(encoding: str, start: bytes) -> bool:
    """Whether the beginning of a file is text in such an encoding: bytes of pictures and programs are none."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(start)  # which may end within a character
    except UnicodeDecodeError:
        return False
    return sum(sign.isprintable() or sign.isspace() for sign in text) > (1 - _MOST_CONTROLS) * len(text)


def _is_conllu(lines: list[str]) -> bool:
    if lines and _COMMENT.match(lines[0]):
        return True
    rows = [line for line in lines if not line.startswith("#")]
    return bool(rows) and 2 * sum(map(_is_row, rows)) >= len(rows)


def _is_row(line: str) -> bool:
    """Whether a line is a numbered row of columns, with tabs or, where these were lost, spaces between them."""
    columns = line.split("\t")
    if len(columns) < 5:
        columns = line.split()
        if not 8 <= len(columns) <= 12 or not (columns[6] == "_" or columns[6].isdecimal()):
            return False
    return _NUMBER.fullmatch(columns[0].strip()) is not None


def _is_one_word_a_line(lines: list[str]) -> bool:
    """Whether no line has several words, and some line is punctuation alone, as in a list of the words of sentences."""
    if len(lines) < 4 or any(len(line.split()) > 1 for line in lines):
        return False
    return any(all(unicodedata.category(sign)[0] == "P" for sign in line.strip()) for line in lines)


def text_blocks(file: Opened) -> Iterator[str]:
    """Yield the text of a file in UTF-8; bytes that are none are refused with line and column."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line, column = 1, 1
    last = False
    while not last:
        block = file.read(_BLOCK)
        last = not block
        try:
            text = decoder.decode(block, last)
        except UnicodeDecodeError as error:
            good = error.object[: error.start].decode("utf-8", "replace")
            line, column = _after(good, line, column)
            raise InputError(
                f"{file.name}:{line}:{column}: the byte 0x{error.object[error.start]:02x} is not UTF-8: "
                "convert the text to UTF-8"
            ) from None
        line, column = _after(text, line, column)
        if text:
            yield text


def _after(text: str, line: int, column: int) -> tuple[int, int]:
    """Return the line and the column behind a text that begins at others."""
    lines = text.count("\n")
    return (line + lines, len(text) - text.rindex("\n")) if lines else (line, column + len(text))


def word_treebanks(blocks: Iterable[str]) -> Iterator[Treebank]:
    """Yield treebanks of sentences that are given one word a line, with empty lines between them."""
    sentences: list[list[str]] = [[]]
    count = 0
    for number, line in enumerate(text_lines(blocks), start=1):
        word = line.strip()
        if word.split("\t")[1:]:
            raise CrossarcError(f"line {number} has columns, not one word: give the input as CoNLL-U")
        if word:
            sentences[-1].append(word)
            count += 1
        elif sentences[-1]:
            if count >= _WORDS_TOGETHER:
                yield Treebank.from_words(sentences)
                sentences, count = [], 0
            sentences.append([])
    whole = [words for words in sentences if words]
    if whole:
        yield Treebank.from_words(whole)


def input_treebanks(
    parser: Parser,
    content: Opened,
    kind: str | None,
    format: str | None,
    model: str,
    *,
    threads: int,
    keep_heads: bool = False,
) -> Iterator[Treebank]:
    """Return the sentences of a file, in pieces, for a parser: those of a text as a pipeline cuts it.

    `kind` is one of `INPUTS`, by default recognised by content; `model` is the name of the model in messages. With
    `keep_heads` trees may be incomplete, as for pipelines they always may.
    """
    takes_text = parser.abilities.raw_text
    if kind is None and (format is not None or not takes_text):
        kind = "conllu"  # whose reader says what is wrong with other files
    kind = recognised(content) if kind is None else kind
    if kind == "conllu":
        return stream(cast(IO[Any], content), format=format, root="partial" if takes_text or keep_heads else "any")
    check_text(content)
    if kind == "words":
        return word_treebanks(text_blocks(content))
    if not takes_text:
        raise no_text(model)
    segmented = parser.segmented_lines if kind == "lines" else parser.segmented
    return segmented(text_blocks(content), threads=threads)


def no_text(model: str) -> InputError:
    """Return the error of a parser that was given raw text."""
    return InputError(
        f"{model} is a parser, which takes words and no raw text: train a pipeline with crossarc train --pipeline, "
        "take one that crossarc models lists, or give --input words or conllu"
    )
