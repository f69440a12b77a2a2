"""The sentences of a file for a parser or a pipeline, whatever the file holds: text, lines, words or CoNLL-U.

A parser takes words, a pipeline also raw text, which it cuts itself. Sentences come in pieces, so that memory does not
grow with the file. The cost is that of reading, and of the segmenter for raw text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, cast

from ..parsers import Parser
from ..treebank import Treebank, stream
from .inputs import InputError, Opened, check_text, recognised, text_blocks, word_treebanks
from .pipeline import Pipeline


def pieces_of(
    parser: Parser | Pipeline, content: Opened, kind: str | None, format: str | None, model: str, *, threads: int
) -> Iterator[Treebank]:
    """Return the sentences of a file, piece by piece, for a parser: those of a text as the pipeline cuts it.

    `kind` is one of `INPUTS`, by default recognised by content; `model` is the name of the model in messages.
    """
    pipeline = parser if isinstance(parser, Pipeline) else None
    if kind is None and (format is not None or pipeline is None):
        kind = "conllu"  # whose reader says what is wrong with other files
    kind = recognised(content) if kind is None else kind
    if kind == "conllu":
        root = "any" if pipeline is None else "partial"
        return stream(cast(IO[Any], content), format=format, root=root)
    check_text(content)
    if kind == "words":
        return word_treebanks(text_blocks(content))
    if pipeline is None:
        raise no_text(model)
    if kind == "lines":
        return pipeline.segmented_lines(text_blocks(content), threads=threads)
    return pipeline.segmented(text_blocks(content), threads=threads)


def no_text(model: str) -> InputError:
    """Return the error of a parser that was given raw text."""
    return InputError(
        f"{model} is a parser, which takes words and no raw text: train a pipeline with crossarc train --pipeline, "
        "take one that crossarc models lists, or give --input words or conllu"
    )
