"""Texts to pretrain encoders on: documents of files and folders, each once, as words.

A file is plain text in UTF-8, compressed or not, in which an empty line ends a document, or a treebank, whose sentences
are one. Of a folder all files *.txt are read, with those of its folders. A document that occurs again, whatever its
line ends and spaces, is left out. What is kept are the numbers of words, 4 bytes each. O(characters).
"""

from __future__ import annotations

import codecs
import hashlib
import os
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from .._arrays import Ids
from ..errors import FileError, MissingFileError
from ..files import COMPRESSIONS, open_input
from ..treebank import read
from ..treebank.reading import is_treebank

_BLOCK = 1 << 20
_DIGEST = 16
#: No word is longer: what is, is no text, but data.
_LONGEST_WORD = 1000


@dataclass
class TextWords:
    """Different words, and which of them follow each other; -1 stands between two documents."""

    words: list[str] = field(default_factory=list)
    numbers: array[int] = field(default_factory=lambda: array("i"))
    documents: int = 0
    duplicates: int = 0
    #: How many words each file has.
    files: dict[str, int] = field(default_factory=dict)
    _known: dict[str, int] = field(default_factory=dict, repr=False)
    _seen: set[bytes] = field(default_factory=set, repr=False)

    @property
    def count(self) -> int:
        """The number of words."""
        return len(self.numbers) - self.documents

    def add(self, document: str, file: str) -> None:
        """Take the words of a document, unless it was there before."""
        words = [word for word in document.split() if len(word) <= _LONGEST_WORD]
        if not words:
            return
        digest = hashlib.blake2b(" ".join(words).encode("utf-8", "replace"), digest_size=_DIGEST).digest()
        if digest in self._seen:
            self.duplicates += 1
            return
        self._seen.add(digest)
        known = self._known
        self.numbers.extend([known.setdefault(word, len(known)) for word in words])
        self.numbers.append(-1)
        self.documents += 1
        self.files[file] = self.files.get(file, 0) + len(words)

    def finish(self) -> None:
        """Keep the different words in their order."""
        self.words = list(self._known)

    def in_order(self) -> Ids:
        """Return the number of each word of the texts, and -1 behind each document."""
        return np.frombuffer(self.numbers, np.int32)


def read_texts(paths: Iterable[str | os.PathLike[str]]) -> TextWords:
    """Read files and folders; what cannot be read and texts without words are refused."""
    words = TextWords()
    for path in paths:
        for file in text_files(path):
            before = words.count, words.duplicates
            for document in documents(file):
                words.add(document, file)
            if (words.count, words.duplicates) == before:
                raise FileError(f"{file}: there are no words in this file: leave it out")
    if not words.count:
        raise FileError("no texts were given: name files or folders with texts")
    words.finish()
    return words


def text_files(path: str | os.PathLike[str]) -> list[str]:
    """Return the files that are meant: a file itself, or those of a folder whose names end in .txt, or .txt.gz …"""
    folder = Path(path)
    if not folder.is_dir():
        if not folder.exists() and os.fspath(path) != "-":
            raise MissingFileError(f"{os.fspath(path)}: there is no such file or folder")
        return [os.fspath(path)]
    suffixes = tuple(f".txt{compression}" for compression in ("", *COMPRESSIONS))
    files = sorted(str(each) for each in folder.rglob("*") if each.is_file() and each.name.endswith(suffixes))
    if not files:
        raise FileError(f"{folder}: no texts in this folder: expected names in {', '.join(suffixes)}")
    return files


def documents(file: str) -> Iterator[str]:
    """Return the documents of a file."""
    if is_treebank(file):
        yield "\n".join(" ".join(sentence.text.split()) for sentence in read(file, root="any"))
        return
    lines: list[str] = []
    for line in _lines(file):
        if line.strip():
            lines.append(line)
        elif lines:
            yield " ".join(lines)
            lines = []
    if lines:
        yield " ".join(lines)


def _lines(file: str) -> Iterator[str]:
    """Return the lines of a text in UTF-8; what is none is refused."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    rest, position = "", 0
    with open_input(file) as stream:
        while block := stream.read(_BLOCK):
            if b"\0" in block:
                raise FileError(f"{file}: this is no text, it has bytes that are zero: give texts in UTF-8")
            try:
                *lines, rest = (rest + decoder.decode(block)).split("\n")
            except UnicodeDecodeError as error:
                byte = position + error.start
                raise FileError(
                    f"{file}: not UTF-8 near byte {byte:,}: convert it (iconv -t utf-8), or leave it out"
                ) from error
            position += len(block)
            yield from lines
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise FileError(f"{file}: ends in the middle of a character: get it again") from error
    yield rest
