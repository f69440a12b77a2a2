"""What a teacher says of raw text: the sentences that a parser finds in files, to be learnt by another one.

Texts are cut and parsed piece by piece, on all threads; treebanks lose their trees, and tags that the parser predicts.
The cost is that of parsing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from ..errors import ParserError
from ..parsers.base import Parser
from ..training.texts import documents, text_files
from ..treebank import Treebank, read
from ..treebank.reading import is_treebank
from .pipeline import Pipeline

#: Documents are parsed together until there are so many characters.
_TOGETHER = 1 << 20


def teach(
    teacher: Parser,
    texts: Iterable[str | os.PathLike[str]],
    *,
    threads: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> Treebank:
    """Return the sentences of texts as a parser parses them.

    Parameters:
        teacher: A trained parser; a pipeline for raw text, any one for treebanks.
        texts: Files and folders, as `pretrain` takes them.
        threads: How many threads parse, 0 for all.
        on_progress: Told after each piece how many files are done, and how many words were parsed.
    """
    files = [file for path in texts for file in text_files(path)]
    parts: list[Treebank] = []
    words = 0
    for number, file in enumerate(files):
        for part in _parsed(teacher, file, threads):
            parts.append(part)
            words += part.words
            if on_progress is not None:
                on_progress(number, words)
    if not words:
        raise ParserError("there are no words in the texts to learn from: name files or folders with texts")
    return Treebank.concatenate(parts)


def _parsed(teacher: Parser, file: str, threads: int) -> Iterator[Treebank]:
    if is_treebank(file):
        given = read(file, root="any").in_format("conllu")
        # A parser that predicts tags would keep those that are there.
        if teacher.abilities.predicts:
            given = Treebank.from_words([sentence.forms for sentence in given])
        yield teacher.parse(given, threads=threads)
        return
    if not isinstance(teacher, Pipeline):
        raise ParserError(
            f"{file}: the teacher takes words and no raw text: give a pipeline, as crossarc models lists, or treebanks"
        )
    waiting: list[str] = []
    for document in documents(file):
        waiting.append(document)
        if sum(map(len, waiting)) >= _TOGETHER:
            yield from _together(teacher, waiting, threads)
            waiting = []
    yield from _together(teacher, waiting, threads)


def _together(teacher: Pipeline, texts: list[str], threads: int) -> Iterator[Treebank]:
    if texts:
        yield Treebank.concatenate(teacher.stream(texts, threads=threads))
