"""Parser: what finds trees, and what else it can do.

A `Parser` parses sentences and is kept in a model file; its `abilities` say what else it can do, and programs ask for
these, never for its kind. What learns from a treebank is in `trainable`. The cost is that of the kind.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, overload

from ..errors import ParserError
from ..models.base import Trace, TransitionDefinition
from ..models.model_file import (
    ModelFile,
    write_model_file,
)
from ..options import checked, checked_threads
from ..treebank import Sentence, Treebank, opened
from .analyses import Analyses, ScoredTree
from .candidates import Candidates
from .trees import treebank_from_words

if TYPE_CHECKING:
    from ..encodings import Encoding

#: What a model file may say about itself: where it comes from.
ABOUT = ("name", "language", "domain", "licence", "attribution", "source", "command", "crossarc")


class Stepper(Protocol):
    """A parser that goes by transitions, which can be followed one by one."""

    #: The encoding around its system.
    encoding: Encoding | None

    @property
    def definition(self) -> TransitionDefinition:
        """What its model consists of: the system, and where the artificial root stands."""

    def trace(self, treebank: Treebank, transitions: Sequence[str] | None = None) -> Trace:
        """Return how greedy parsing goes through one sentence, or how transitions that are given are scored."""

    def labels_of_steps(self, treebank: Treebank) -> list[str | None]:
        """Return the labels of the arcs that greedy parsing adds to one sentence, in the order of its transitions."""


@dataclass(frozen=True)
class Abilities:
    """What a parser can do beside finding trees for words."""

    #: Takes raw text: `segmented`, `segmented_lines`.
    raw_text: bool = False
    #: The columns that it fills in where words have nothing.
    predicts: tuple[str, ...] = ()
    #: Gives several trees and scores: `parse_nbest`, `parse_scored`.
    several_trees: bool = False
    #: Keeps heads that are given: `parse` with `keep_heads`.
    keeps_heads: bool = False
    #: Writes enhanced graphs into DEPS, in place of trees.
    enhanced_graphs: bool = False
    #: What shows its transitions one by one, if it goes by any.
    steps: Stepper | None = None


class ParseOptions(NamedTuple):
    """How sentences are parsed: see `Parser.parse`."""

    beam: int | None = None
    threads: int = 0
    keep_heads: bool | None = None
    keep_deps: bool = False


class Parser(ABC):
    """What finds trees for sentences and is kept in a model file: a parser of any kind, or a pipeline around one."""

    #: Its name in model files.
    type: ClassVar[str]
    #: What its file says about it, as that of a pipeline does: language, licence and so on.
    about: Mapping[str, Any] = {}

    @property
    @abstractmethod
    def name(self) -> str:
        """What messages call it."""

    @property
    @abstractmethod
    def parser(self) -> Parser:
        """What learnt to find trees: itself, or the parser of a pipeline."""

    @property
    def default_prune(self) -> float:
        """The share of features that smaller model files usually leave out."""
        return self.parser.default_prune

    @property
    def abilities(self) -> Abilities:
        """What it can do."""
        return Abilities()

    @abstractmethod
    def info(self) -> dict[str, Any]:
        """Return plain data about it, as `crossarc info --json` prints it."""

    @abstractmethod
    def model_file(self, bits: int = 16, prune: float = 0.0) -> ModelFile:
        """Return the description and the arrays of what was trained."""

    @abstractmethod
    def _parsed(self, treebank: Treebank, options: ParseOptions) -> Treebank:
        """Return a treebank with what is found."""

    def _analyses(self, treebank: Treebank, n: int, options: ParseOptions) -> Analyses:
        """Return up to n trees of each sentence with scores; a parser that has none refuses."""
        raise ParserError(f"{self.name} keeps no scores: it gives one tree, by parse")

    def _noticed(self, treebank: Treebank) -> Treebank:
        """Return a treebank that is to be parsed, after a warning of what it lacks."""
        return treebank

    def _taken(self, treebank: Treebank, options: ParseOptions) -> Treebank:
        """Return what is parsed: without columns that depend on heads which are going to be replaced."""
        checked_threads(options.threads)
        kept = options.keep_deps or options.keep_heads or self.abilities.enhanced_graphs
        return self._noticed(treebank if kept else treebank.without_enhanced())

    def set_crossing_penalty(self, penalty: float) -> None:
        """Change by how much what lets arcs cross must be better than what does not; a parser without one refuses."""
        if self.parser is self:
            raise ParserError(f"{self.name} has no crossing penalty: leave it out")
        self.parser.set_crossing_penalty(penalty)

    # Parsing

    @overload
    def parse(
        self,
        source: Treebank | os.PathLike[str],
        *,
        beam: int | None = None,
        threads: int = 0,
        keep_heads: bool | None = None,
        keep_deps: bool = False,
    ) -> Treebank: ...
    @overload
    def parse(
        self,
        source: Sequence[str],
        *,
        beam: int | None = None,
        threads: int = 0,
        keep_heads: bool | None = None,
        keep_deps: bool = False,
    ) -> Sentence: ...
    def parse(
        self,
        source: Treebank | os.PathLike[str] | Sequence[str],
        *,
        beam: int | None = None,
        threads: int = 0,
        keep_heads: bool | None = None,
        keep_deps: bool = False,
    ) -> Treebank | Sentence:
        """Return a treebank with the heads and labels that the parser finds, or for a list of words a sentence.

        A file is given as a `pathlib.Path`; a `str` is none, since it might be a text.

        HEAD and DEPREL are replaced, and DEPS (in CoNLL-X PHEAD and PDEPREL), which belong to the heads that were
        there, are emptied; with `keep_deps` arcs in DEPS that stood for old heads follow the new ones, and all others
        stay. Everything else stays as it is. Columns that the parser predicts (`abilities.predicts`) are filled where a
        word has nothing; FEATS of a word that has UPOS or XPOS stay empty if another one of its sentence has FEATS.
        `beam`: how many states a search keeps, if not as many as in training.

        With `keep_heads`, which graph parsers and pipelines with one can, words that have a head keep it, and their
        label if they have one; the other words get the best heads of all trees of the class that have these; where
        there is no such tree, that is an error, unless all words have heads. By default parsers replace all heads, and
        pipelines keep those of sentences where some words have one and others have none.
        """
        options = ParseOptions(beam, threads, keep_heads, keep_deps)
        if keep_heads and not self.abilities.keeps_heads:
            raise ParserError("heads that are given can be kept by graph parsers alone: leave them out")
        if isinstance(source, (Treebank, os.PathLike)):
            return self._parsed(self._taken(opened(source), options), options)
        return self._parsed(self._taken(treebank_from_words([source]), options), options)[0]

    def parse_batch(self, sentences: Sequence[Sequence[str]], *, beam: int | None = None, threads: int = 0) -> Treebank:
        """Return a treebank of sentences that are given as lists of words. The words have no tags then."""
        options = ParseOptions(beam, threads)
        return self._parsed(self._taken(treebank_from_words(sentences), options), options)

    def parse_stream(
        self, pieces: Iterable[Treebank], *, beam: int | None = None, threads: int = 0, keep_deps: bool = False
    ) -> Iterator[Treebank]:
        """Return the pieces of a treebank, as `crossarc.stream` reads them, parsed one after the other."""
        options = ParseOptions(beam, checked_threads(threads), keep_deps=keep_deps)
        return (self._parsed(self._taken(piece, options), options) for piece in pieces)

    @overload
    def parse_nbest(self, source: Treebank, n: int, *, beam: int | None = None, threads: int = 0) -> Analyses: ...
    @overload
    def parse_nbest(
        self, source: Sequence[str], n: int, *, beam: int | None = None, threads: int = 0
    ) -> list[ScoredTree]: ...
    def parse_nbest(
        self, source: Treebank | Sequence[str], n: int, *, beam: int | None = None, threads: int = 0
    ) -> Analyses | list[ScoredTree]:
        """Return up to n different trees with their scores, best first: for every sentence, or for a list of words.

        The beam is n wide at least. What ends up as the same tree is given once, so that there may be fewer.
        """
        options = ParseOptions(beam, threads)
        treebank = self._taken(source if isinstance(source, Treebank) else treebank_from_words([source]), options)
        analyses = self._analyses(treebank, checked("nbest", n), options)
        return analyses if isinstance(source, Treebank) else analyses[0]

    def parse_scored(self, treebank: Treebank, *, beam: int | None = None, threads: int = 0) -> Analyses:
        """Return what `parse` does as `treebank`, with the scores and margins of all arcs."""
        return self.parse_nbest(treebank, 1, beam=beam, threads=threads)

    def candidates(self, sentence: Treebank, heads: int, labels: int, *, threads: int = 0) -> Candidates:
        """Return the likely heads of the words of a sentence, so many of each, and so many labels of each arc."""
        raise ParserError(f"{self.name} scores no arcs: take a graph parser, or a pipeline with one")

    # Raw text

    def segmented(self, blocks: Iterable[str], *, threads: int = 0) -> Iterator[Treebank]:
        """Return the sentences of one text that comes in blocks, with words and without tags and trees."""
        raise self._no_segmenter()

    def segmented_lines(self, blocks: Iterable[str], *, threads: int = 0) -> Iterator[Treebank]:
        """Return the same of a text that has a sentence on each line."""
        raise self._no_segmenter()

    def segmented_texts(self, texts: Sequence[str], *, in_lines: Sequence[bool], threads: int = 0) -> list[Treebank]:
        """Return the sentences of many texts; `in_lines`: of each, whether it has a sentence on each line."""
        raise self._no_segmenter()

    def _no_segmenter(self) -> ParserError:
        return ParserError(f"{self.name} takes words and no raw text: it has no segmenter")

    # Files

    def save(self, path: str | os.PathLike[str], *, bits: int = 16, prune: float = 0.0) -> None:
        """Write it to a model file, whole or not at all.

        With weights of 8 `bits`, and without the share `prune` of the features, those that decide least, the file is
        smaller and the parser a little worse.
        """
        write_model_file(path, self.model_file(bits, prune))

    def compress(self, path: str | os.PathLike[str], *, bits: int = 8, prune: float | None = None) -> None:
        """Write a smaller model file, without as many features as are usually left out of such models."""
        self.save(path, bits=bits, prune=self.default_prune if prune is None else prune)
