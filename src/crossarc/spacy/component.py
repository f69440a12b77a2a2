"""The spaCy component `crossarc`: heads and relations of crossing trees for the tokens of documents.

It takes whatever model `crossarc.load` opens, a parser or a pipeline, and reads the tags, features and lemmas that the
documents have; those that the model predicts are filled in where documents lack them. Documents are parsed in batches,
many sentences in one native call. Every sentence has one root: spaCy takes the sentences of a document from its trees,
and could not hold two trees whose words interleave. Where a model gives several, that of the largest tree stays, and
the others hang on it with the relations that they have. The cost is that of the parser.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc, Token
from spacy.util import minibatch

from ..errors import ParserError
from ..options import checked_threads
from ..parsers import Parser
from ..text import load
from .docs import NUMBERS, ParsedDocs, keep_numbers, put_back, words_of
from .noun_chunks import noun_chunks

_MODEL = "model.crossarc"
_COLUMNS = ("upos", "xpos", "feats", "lemma")


def _register_extensions() -> None:
    """Give tokens `._.crossarc_probability` and the like: None unless the component was asked for scores."""
    for name in NUMBERS:
        if not Token.has_extension(name):
            Token.set_extension(name, getter=_number_of(name))


def _number_of(name: str) -> Callable[[Token], float | None]:
    def number(token: Token) -> float | None:
        values = token.doc.user_data.get(name)
        return None if values is None else values[token.i]

    return number


class CrossarcParser:
    """Parses documents of spaCy; `nlp.add_pipe("crossarc", config={"model": "my.crossarc"})` makes one.

    Parameters:
        model: A parser or a pipeline, its file, or a name that `crossarc models` lists; None before `from_disk`.
        name: What the component is called in its pipeline.
        scores: Whether tokens get scores: `token._.crossarc_score`, `token._.crossarc_margin`, and with graph parsers
            `token._.crossarc_probability`, the probability that the head is right.
        threads: The number of threads; 0 for all cores.
    """

    def __init__(
        self,
        model: Parser | str | os.PathLike[str] | None = None,
        name: str = "crossarc",
        *,
        scores: bool = False,
        threads: int = 0,
    ) -> None:
        """Load the model, if there is one."""
        self.name = name
        self.scores = scores
        self.threads = checked_threads(threads)
        #: What is said where there is no model.
        self.missing = 'the component has no model: give one, config={"model": "my.crossarc"}'
        self.model: Parser | None = None
        if model is not None:
            self.take(load(model) if isinstance(model, (str, os.PathLike)) else model)
        _register_extensions()

    def take(self, model: Parser) -> None:
        """Take a model; one whose output spaCy cannot hold is refused."""
        model.parser.info()  # of one that was not trained this raises an error
        if model.abilities.enhanced_graphs:
            raise ParserError("the model builds enhanced graphs, and documents of spaCy hold trees")
        self.model = model

    # Documents

    def __call__(self, doc: Doc) -> Doc:
        """Parse a document, which is returned."""
        self._parse([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 1000) -> Iterator[Doc]:
        """Parse documents in batches."""
        for docs in minibatch(stream, size=batch_size):
            batch = list(docs)
            self._parse(batch)
            yield from batch

    def _parse(self, docs: list[Doc]) -> None:
        if self.model is None:
            raise ParserError(self.missing)
        found = words_of(docs)
        if not found.treebank.words:
            return
        if self.scores:
            analyses = self.model.parse_nbest(found.treebank, 1, threads=self.threads)
            numbers = {"crossarc_score": analyses.scores, "crossarc_margin": analyses.margins}
            if analyses.probabilities:
                numbers["crossarc_probability"] = np.exp(np.minimum(analyses.scores, 0))
            put_back(found, analyses.treebank, self._predicted(found))
            keep_numbers(found, numbers)
        else:
            put_back(found, self.model.parse(found.treebank, threads=self.threads), self._predicted(found))

    def _predicted(self, found: ParsedDocs) -> list[str]:
        """Return the columns that the model predicts and some words lacked."""
        predicts = () if self.model is None else self.model.abilities.predicts
        return [name for name in _COLUMNS if name in predicts and (found.treebank.column(name) == 0).any()]

    # Files

    def to_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> None:
        """Write the model into a folder, as `nlp.to_disk` does."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        if self.model is not None:
            self.model.save(folder / _MODEL)

    def from_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> CrossarcParser:
        """Read the model from a folder that `to_disk` wrote."""
        file = Path(path) / _MODEL
        if file.exists():
            self.take(load(file))
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the model as `nlp.to_bytes` does."""
        if self.model is None:
            return b""
        with tempfile.TemporaryDirectory() as folder:
            self.model.save(Path(folder) / _MODEL)
            return (Path(folder) / _MODEL).read_bytes()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> CrossarcParser:
        """Read the model from what `to_bytes` gave."""
        if data:
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / _MODEL).write_bytes(data)
                self.from_disk(folder)
        return self


@Language.factory(
    "crossarc",
    assigns=["token.head", "token.dep", "token.is_sent_start", "doc.sents"],
    default_config={"model": None, "scores": False, "threads": 0},
)
def make_component(nlp: Language, name: str, model: str | None, scores: bool, threads: int) -> CrossarcParser:
    """Make the component for a pipeline of spaCy.

    A pipeline that was saved has the model in its folder, and in its config the place where it was once: a model that
    is missing is an error only if nothing is loaded in its place.
    """
    component = CrossarcParser(None, name, scores=scores, threads=threads)
    nlp.vocab.get_noun_chunks = noun_chunks  # those of the language are for other relations, if there are any
    if model is not None:
        try:
            component.take(load(model))
        except FileNotFoundError as error:
            component.missing = str(error)
    return component
