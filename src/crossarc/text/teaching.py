"""What a teacher says of raw text: the sentences that a parser finds in files, to be learnt by another one.

Texts are cut and parsed piece by piece, on all threads or by several processes; treebanks lose their trees, and tags
that the parser predicts. The cost is that of parsing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from ..errors import ParserError
from ..parsers.base import Parser
from ..training.texts import documents, text_files
from ..treebank import Treebank, read
from ..treebank.reading import is_treebank
from .pipeline import Pipeline

#: What is parsed together: texts, or words.
Piece = list[str] | Treebank

#: Documents are parsed together until there are so many characters, and so many sentences of treebanks.
_CHARACTERS, _SENTENCES = 1 << 18, 2000
#: In a process of its own, the parser that it was given.
_given: list[Parser] = []


def teach(
    teacher: Parser,
    texts: Iterable[str | os.PathLike[str]],
    *,
    threads: int = 0,
    processes: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> Treebank:
    """Return the sentences of texts as a parser parses them.

    Parameters:
        teacher: A trained parser; a pipeline for raw text, any one for treebanks.
        texts: Files and folders, as `pretrain` takes them.
        threads: How many threads parse, 0 for all.
        processes: How many processes parse, each with one thread, if more than one. Many cores are better used so,
            since not everything is done by several threads; each process has a parser of its own in memory.
        on_progress: Told after each piece how many files are done, and how many words were parsed.
    """
    files = [file for path in texts for file in text_files(path)]
    pieces = ((number, piece) for number, file in enumerate(files) for piece in _pieces(teacher, file))
    parts: list[Treebank] = []
    words = 0
    for number, part in _parsed(teacher, pieces, threads, processes):
        parts.append(part)
        words += part.words
        if on_progress is not None:
            on_progress(number, words)
    if not words:
        raise ParserError("there are no words in the texts to learn from: name files or folders with texts")
    return Treebank.concatenate(parts)


def _pieces(teacher: Parser, file: str) -> Iterator[Piece]:
    """Yield what of a file is parsed together."""
    if is_treebank(file):
        given = read(file, root="any").in_format("conllu")
        # A parser that predicts tags would keep those that are there.
        if teacher.abilities.predicts:
            given = Treebank.from_words([sentence.forms for sentence in given])
        for first in range(0, len(given), _SENTENCES):
            yield given[first : first + _SENTENCES]
        return
    if not isinstance(teacher, Pipeline):
        raise ParserError(
            f"{file}: the teacher takes words and no raw text: give a pipeline, as crossarc models lists, or treebanks"
        )
    waiting: list[str] = []
    for document in documents(file):
        waiting.append(document)
        if sum(map(len, waiting)) >= _CHARACTERS:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _parsed(
    teacher: Parser, pieces: Iterator[tuple[int, Piece]], threads: int, processes: int
) -> Iterator[tuple[int, Treebank]]:
    """Yield the numbers of files and what is parsed of them, in their order."""
    if processes <= 1:
        for number, piece in pieces:
            yield number, _parse(teacher, piece, threads)
        return
    with ProcessPoolExecutor(processes, get_context("spawn"), _take, (teacher,)) as pool:
        yield from pool.map(_parse_in_process, pieces)


def _take(teacher: Parser) -> None:
    _given.append(teacher)


def _parse_in_process(piece: tuple[int, Piece]) -> tuple[int, Treebank]:
    return piece[0], _parse(_given[0], piece[1], 1)


def _parse(teacher: Parser, piece: Piece, threads: int) -> Treebank:
    if isinstance(piece, Treebank):
        return teacher.parse(piece, threads=threads)
    assert isinstance(teacher, Pipeline)
    return Treebank.concatenate(teacher.stream(piece, threads=threads))
