"""Treebank files that people correct: opened whole, saved sentence by sentence, everything else byte for byte.

A `Document` is a file as a list of blocks. To save a sentence is to say which version of it was edited: if the file has
another one by now, since somebody else saved it, that is a `ConflictError`, and nothing is lost. Every save writes the
file whole or not at all (`crossarc.files`), so that a program that is killed leaves the last file that was saved; the
file as it was at first is kept beside it as `NAME.orig`. A `Workspace` holds the files of one session by name and
writes nowhere else. Opening and saving cost O(bytes of the file).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import CrossarcError, FileError, ForbiddenFileError
from ..files import held, open_input, open_output, treebank_files
from ..treebank import Treebank, from_bytes
from ..treebank.formats import detect_format
from .block import EditError, split_blocks, version
from .edits import faults

#: What is added to the name of a file for the copy of it as it was.
ORIGINAL = ".orig"


class ConflictError(CrossarcError):
    """Somebody else saved the same sentence meanwhile."""


@dataclass
class Document:
    """A treebank file as the blocks of its sentences."""

    path: Path
    format: str
    blocks: list[bytes]
    _signature: tuple[int, ...] = ()
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Document:
        """Read a file; one that is not well-formed is refused with everything that is wrong."""
        document = cls(Path(path), "conllu", [])
        document._read()
        return document

    def _read(self) -> None:
        signature = self._signature_now()
        with open_input(self.path) as file:
            content = file.read()
        treebank = from_bytes(content, str(self.path), root="any")
        blocks = split_blocks(content) if len(treebank) else []
        if len(blocks) != len(treebank):
            raise FileError(f"{self.path}: its sentences cannot be told apart: crossarc convert writes it anew")
        self.format, self.blocks, self._signature = treebank.format, blocks, signature

    def _signature_now(self) -> tuple[int, ...]:
        try:
            status = self.path.stat()
        except OSError:
            return ()
        return status.st_mtime_ns, status.st_size, status.st_ino

    def __len__(self) -> int:
        return len(self.blocks)

    def treebank(self, start: int = 0, end: int | None = None) -> Treebank:
        """Return sentences as a treebank."""
        return from_bytes(b"".join(self.blocks[start:end]), str(self.path), format=self.format, root="any")

    def refresh(self) -> None:
        """Read the file again if another program wrote it."""
        with self._lock:
            if self._signature_now() != self._signature:
                self._read()

    def replace(self, index: int, versions: Sequence[str], text: bytes) -> int:
        """Save `text` in place of the sentences from `index` on that had these versions; return where they are now.

        Sentences before them may have been cut or joined meanwhile: they are looked for by their versions, too.
        """
        with self._lock, held(self.path, "it is being saved"):
            if self._signature_now() != self._signature:
                self._read()
            start = self._find(index, versions)
            wrong = faults(text, self.format)
            if wrong:
                raise EditError(f"not saved: {wrong[0].message}: {wrong[0].remedy}")
            end = start + len(versions)
            if end < len(self.blocks) and not text.endswith((b"\n\n", b"\n\r\n")):
                raise EditError("a sentence ends with an empty line")
            blocks = [*self.blocks[:start], *split_blocks(text), *self.blocks[end:]]
            content = b"".join(blocks)
            if detect_format(content) != self.format:
                raise EditError("with these tags the file would be read as CoNLL-X: take universal ones for UPOS")
            self._keep_original()
            with open_output(self.path) as file:
                file.write(content)
            self.blocks, self._signature = blocks, self._signature_now()
            return start

    def _find(self, index: int, versions: Sequence[str]) -> int:
        wanted = list(versions)
        if not wanted:
            raise EditError("to save takes the version of each sentence that is replaced")
        if [version(block) for block in self.blocks[max(0, index) : index + len(wanted)]] == wanted:
            return index
        known = [version(block) for block in self.blocks]
        indices = [i for i in range(len(known)) if known[i : i + len(wanted)] == wanted]
        if len(indices) != 1:
            raise ConflictError(
                f"sentence {index + 1} of {self.path.name} was saved by somebody else meanwhile: "
                "look at theirs, and make your changes again"
            )
        return indices[0]

    def _keep_original(self) -> None:
        beside = self.path.with_name(self.path.name + ORIGINAL)
        if not os.path.lexists(beside):  # a link is left as it is: it may lead anywhere
            with open_output(beside) as file:
                file.write(self.path.read_bytes())


class Workspace:
    """The files of a session by the names that requests use: files that were named, and those of folders."""

    def __init__(
        self,
        files: Sequence[str | os.PathLike[str]],
        *,
        against: Sequence[str | os.PathLike[str]] = (),
        read_only: bool = False,
    ) -> None:
        """Open all files; links that lead out of their folder are refused, unless nothing is written.

        `against`: of each file a second annotation, which is shown beside it and never written.
        """
        self.read_only = read_only
        self.documents: dict[str, Document] = {}
        #: The second annotations by the names of the first.
        self.others: dict[str, Document] = {}
        paths: list[tuple[Path, Path]] = []
        for given in map(Path, files):
            within = treebank_files(given) if given.is_dir() else [given]
            paths += [(given if given.is_dir() else given.parent, path) for path in within]
        if not paths:
            raise CrossarcError("no files to annotate: name treebank files, or a folder of them")
        names = [path.name for _, path in paths]
        for folder, path in paths:
            name = path.name if names.count(path.name) == 1 else str(path)
            if name not in self.documents:
                self._folder_of(path, folder)
                self.documents[name] = Document.open(path)
        self._folders = {path: folder for folder, path in paths}
        if against and len(against) != len(self.documents):
            raise CrossarcError(
                f"{len(self.documents)} files and {len(against)} second annotations: give one of each file, in order"
            )
        if against:
            self.others = dict(zip(self.documents, map(Document.open, against), strict=True))

    def _folder_of(self, path: Path, folder: Path) -> None:
        inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
        if not inside and not self.read_only:
            raise ForbiddenFileError(
                f"{path}: is a link out of its folder, where nothing is written: name the file itself, or add "
                "--read-only"
            )

    def document(self, name: str) -> Document:
        """Return a file by its name; no other file can be named."""
        document = self.documents.get(name)
        if document is None:
            raise FileError(f"no file {name[:80]!r} is open: there are {', '.join(self.documents)}")
        return document

    def save(self, name: str, index: int, versions: Sequence[str], text: bytes) -> int:
        """Save sentences of a file, as `Document.replace` does."""
        document = self.document(name)
        if self.read_only:
            raise ForbiddenFileError("the files are open for reading alone: start without --read-only to save")
        self._folder_of(document.path, self._folders[document.path])
        return document.replace(index, versions, text)
