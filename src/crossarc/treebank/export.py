"""Sentences for other programs: tables (CSV, TSV, XLSX), JSON and documents of spaCy, by the ending of a name.

A table has a row for each word: the number of its sentence, from 1, its `sent_id`, and the columns of CoNLL-U under
their names, as they stand in the file; `Treebank.from_pandas` reads it back. Comments, multiword tokens and empty nodes
are no rows. Tables and JSON are written piece by piece, so that memory does not grow with the treebank; a workbook is
kept in a temporary file, documents of spaCy in memory. O(words).
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath
from typing import IO, Any

import numpy as np

from .._arrays import positions_of
from ..errors import CrossarcError, clean, imported
from ..files import COMPRESSIONS, open_output
from .documents import SENTENCE, WORD, with_one_root
from .formats import COLUMNS
from .treebank import Treebank

#: The header of a table.
HEADER = (SENTENCE, "sent_id", WORD, *COLUMNS)
_MOST_ROWS = 1 << 20  # of a sheet, its header among them


def ending(path: str | os.PathLike[str]) -> str:
    """Return the ending of a name by which the format is known, in small letters and without that of compression.

    >>> ending("out/Letter.CSV.gz")
    '.csv'
    """
    name = PurePath(path)
    return (PurePath(name.stem) if name.suffix.lower() in COMPRESSIONS else name).suffix.lower()


def export(treebanks: Treebank | Iterable[Treebank], path: str | os.PathLike[str]) -> None:
    """Write a treebank, or several one behind the other, in the format that the ending of the name says.

    The endings are those of `EXPORTS`: .csv, .tsv, .xlsx (needs openpyxl), .json and .spacy (needs spaCy). A name in
    `.gz` or `.xz` is compressed. A file appears under its name whole or not at all.
    """
    writer = EXPORTS.get(ending(path))
    if writer is None:
        raise CrossarcError(f"{os.fspath(path)}: cannot be exported: the name ends in {', '.join(EXPORTS)}")
    with open_output(path) as file:
        writer([treebanks] if isinstance(treebanks, Treebank) else treebanks, file)


def rows(treebanks: Iterable[Treebank]) -> Iterator[tuple[str | int, ...]]:
    """Go through the rows of a table; heads and numbers are numbers, "_" of a head is -1."""
    before = 0
    for treebank in treebanks:
        texts = [_values(treebank, name) for name in COLUMNS]
        numbers, ids = [], []
        for number, sentence in enumerate(treebank, start=before + 1):
            numbers += [number] * len(sentence)
            ids += [sentence.metadata.get("sent_id", "")] * len(sentence)
        yield from zip(numbers, ids, positions_of(treebank.word_offsets).tolist(), *texts, strict=True)
        before += len(treebank)


def _values(treebank: Treebank, name: str) -> list[Any]:
    column = treebank.column(name)
    return column.tolist() if name == "head" else treebank.pool.texts(column)


def _separated(dialect: str) -> Callable[[Iterable[Treebank], IO[bytes]], None]:
    def write(treebanks: Iterable[Treebank], file: IO[bytes]) -> None:
        text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
        table = csv.writer(text, dialect, lineterminator="\n")
        table.writerow(HEADER)
        table.writerows(rows(treebanks))
        text.detach()

    return write


def _workbook(treebanks: Iterable[Treebank], file: IO[bytes]) -> None:
    openpyxl = imported("openpyxl", "xlsx")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("words")
    sheet.freeze_panes = "A2"
    cell = imported("openpyxl.cell", "xlsx").WriteOnlyCell

    def text(value: str | int) -> Any:
        if isinstance(value, int):
            return value
        made = cell(sheet, clean(value))
        made.data_type = "s"  # a word that begins with "=" is no formula
        return made

    sheet.append(HEADER)
    for number, row in enumerate(rows(treebanks), start=2):
        if number > _MOST_ROWS:
            raise CrossarcError(f"a sheet has no more than {_MOST_ROWS:,} rows: write .csv, or parts of the text")
        sheet.append([text(value) for value in row])
    target = io.BytesIO()  # a zip file is not written in order
    book.save(target)
    file.write(target.getbuffer())


def _json(treebanks: Iterable[Treebank], file: IO[bytes]) -> None:
    """Write a list of sentences, each in a line: its id and text, its words, and its multiword tokens."""
    separator, number = "[\n", 0
    for treebank in treebanks:
        for sentence in treebank:
            number += 1
            tokens = [
                {"first": token.first, "last": token.last, "form": token.form} for token in sentence.multiword_tokens
            ]
            data = {"id": sentence.metadata.get("sent_id", str(number)), "text": sentence.text}
            line = json.dumps(data | {"words": sentence.to_dicts(), "multiword_tokens": tokens}, ensure_ascii=False)
            file.write(f"{separator}{line}".encode())
            separator = ",\n"
    file.write(b"\n]\n" if number else b"[]\n")


def _documents(treebanks: Iterable[Treebank], file: IO[bytes]) -> None:
    """Write a document of spaCy for each sentence, as `spacy train` reads them; see `with_one_root`."""
    tokens, vocab = imported("spacy.tokens", "spacy"), imported("spacy.vocab", "spacy").Vocab()
    collected = tokens.DocBin(docs=(doc for treebank in treebanks for doc in _one_root(treebank).to_spacy(vocab)))
    file.write(collected.to_bytes())


def _one_root(treebank: Treebank) -> Treebank:
    """Return the trees with one root each; the relations stay."""
    start = np.repeat(treebank.word_offsets[:-1], np.diff(treebank.word_offsets))
    rows = np.arange(treebank.words)
    if not treebank.has_heads:
        return treebank
    above = with_one_root(np.where(treebank.head > 0, start + treebank.head - 1, rows), start)
    return treebank.replace(head=np.where(above == rows, 0, above - start + 1))


#: What writes each format, by the ending of its names.
EXPORTS: dict[str, Callable[[Iterable[Treebank], IO[bytes]], None]] = {
    ".csv": _separated("excel"),
    ".tsv": _separated("excel-tab"),
    ".xlsx": _workbook,
    ".json": _json,
    ".spacy": _documents,
}
