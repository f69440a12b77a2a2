"""The models that are served, chosen by name alone: no request names a file.

A model is a parser, which takes words, or a pipeline, which takes raw text, too. As in UDPipe, a model `en-ewt` is also
found as `en`, and without a name the first one is meant. Names of UDPipe's models, `english` or
`english-ewt-ud-2.12-230717`, are those of ours for the language and, where there is one, for the treebank. Loading
costs what the files cost; a choice O(1).
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from ..errors import CrossarcError, ParserError, clean
from ..parsers import Parser
from ..parsers.analyses import Analyses
from ..text import Segmenter, known_models, load
from ..treebank import Treebank
from .batching import Pieces
from .limits import PIECE_SECONDS, Cost, CostModel, RefusedError

Result = TypeVar("Result")
SUFFIX = ".crossarc"
TOKENIZER, TAGGER, PARSER = "tokenizer", "tagger", "parser"
#: The columns that a tagger fills.
TAGS = ("lemma", "upos", "xpos", "feats")
_GENERIC = Segmenter.generic()


@dataclass(frozen=True)
class RawText:
    """A text that is to be cut into words together with those of other requests."""

    text: str
    #: Whether each line is a sentence.
    in_lines: bool = False
    #: Whether it is cut by rules of no language, in place of the model's.
    generic: bool = False


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model under the name that requests use."""

    name: str
    model: Parser
    threads: int = 0

    @property
    def parser(self) -> Parser:
        """The parser alone."""
        return self.model.parser

    @property
    def predicted(self) -> tuple[str, ...]:
        """The columns that it fills in."""
        return self.model.abilities.predicts

    @property
    def abilities(self) -> list[str]:
        """What it can do, in UDPipe's words."""
        return [
            *([TOKENIZER] if self.model.abilities.raw_text else []),
            *([TAGGER] if self.predicted else []),
            PARSER,
        ]

    @property
    def acknowledgements(self) -> list[str]:
        """Whom users of the model are to name."""
        about = self.about
        named = [about.get("attribution"), about.get("licence")]
        return [clean(str(name)) for name in named if name]

    @property
    def about(self) -> dict[str, Any]:
        """What the file says about the model."""
        return dict(self.model.about)

    @cached_property
    def costs(self) -> CostModel:
        """What its sentences cost."""
        info = self.parser.info()
        return CostModel(info.get("trees"), int(info.get("beam") or 1))

    def describe(self) -> dict[str, Any]:
        """Return what the page shows of it."""
        about = self.about
        info = self.parser.info()
        traced = self.parser.abilities.steps
        return {
            "name": self.name,
            "abilities": self.abilities,
            "keeps_heads": self.model.abilities.keeps_heads,
            "type": info["type"],
            "parser": self.parser.name,
            "system": None if traced is None else traced.definition.system.name,
            "language": about.get("language"),
            "licence": about.get("licence"),
            "trained_on": about.get("source") or ", ".join(info["trained_on"]),
            "words": info["words"],
            "dev_las": info.get("dev_las"),
            "columns": info["columns"],
        }

    # Work

    def with_words(self, given: Sequence[RawText]) -> list[Treebank]:
        """Return the sentences of raw texts, which are cut into words together."""
        if not self.model.abilities.raw_text and not all(raw.generic for raw in given):
            raise RefusedError(400, f"the model {self.name} takes words and no raw text: it has no tokenizer")
        found: dict[int, Treebank] = {}
        for generic, cut in ((False, self.model.segmented_texts), (True, _GENERIC.treebanks)):
            places = [place for place, raw in enumerate(given) if raw.generic == generic]
            if places:
                texts, in_lines = [given[place].text for place in places], [given[place].in_lines for place in places]
                found |= zip(places, cut(texts, in_lines=in_lines, threads=self.threads), strict=True)
        return [found[place] for place in range(len(given))]

    def parse(self, treebank: Treebank) -> Treebank:
        """Return a treebank with trees; every column that is given is kept."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.model.parse(treebank, threads=self.threads)

    def analyses(self, treebank: Treebank, n: int) -> Analyses | None:
        """Return the best trees with their scores; None if the parser keeps none."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return self.model.parse_nbest(treebank, n, threads=self.threads)
            except ParserError:
                if n > 1:
                    raise
                return None


@dataclass(frozen=True)
class Task(Generic[Result]):
    """What a request wants of its sentences: read, checked, parsed, told as plain data, and joined to an answer.

    `check` refuses a request by what its own sentences are, and says what they cost. `parse` gets the sentences of
    several requests and where those of each end, and gives a result for each. `tell` gets a result, and how many
    sentences of the request were told before.
    """

    model: ServedModel | None
    read: Callable[[], Treebank | RawText]
    check: Callable[[Treebank], Cost]
    parse: Callable[[Treebank, list[int]], Sequence[Result]]
    tell: Callable[[Result, int], Any]
    join: Callable[[list[Any]], bytes]

    def together(self, given: Sequence[Treebank | RawText]) -> list[Result | RefusedError | Pieces]:
        """Have the sentences of many requests parsed as one treebank; what takes long is left to be done in pieces."""
        raw = [sentences for sentences in given if isinstance(sentences, RawText)]
        cut = iter(self.model.with_words(raw) if raw and self.model is not None else ())
        apart: dict[int, RefusedError | Pieces] = {}
        kept: list[Treebank] = []
        beyond = 0.0
        for index, sentences in enumerate(given):
            treebank = sentences if isinstance(sentences, Treebank) else _numbered(next(cut))
            try:
                cost = self.check(treebank)
            except RefusedError as error:
                apart[index] = error
                continue
            if cost.total > PIECE_SECONDS or beyond + cost.beyond > PIECE_SECONDS:
                apart[index] = self.in_pieces(treebank, cost.total)
            else:
                beyond += cost.beyond
                kept.append(treebank)
        ends = np.cumsum([len(treebank) for treebank in kept]).tolist()
        results = iter(self.parse(Treebank.concatenate(kept), ends) if kept else ())
        return [apart[index] if index in apart else next(results) for index in range(len(given))]

    def finish(self, result: Result) -> bytes:
        """Return the answer to a request that was parsed whole."""
        return self.join([self.tell(result, 0)])

    def in_pieces(self, sentences: Treebank | RawText, seconds: float) -> Pieces:
        """Return what is to be done for a long request, piece by piece."""
        return Pieces(seconds, self._steps(sentences))

    def _steps(self, sentences: Treebank | RawText) -> Generator[None, None, bytes]:
        if isinstance(sentences, RawText):
            assert self.model is not None
            sentences = _numbered(self.model.with_words([sentences])[0])
            yield
        told = []
        for piece in self.check(sentences).pieces():
            part = sentences[piece]
            told.append(self.tell(self.parse(part, [len(part)])[0], piece.start))
            yield
        return self.join(told)


def _numbered(treebank: Treebank) -> Treebank:
    """Return sentences of raw text, which have numbers, as those of a document."""
    return treebank.with_comments([["# newdoc"] if not index else [] for index in range(len(treebank))])


class Models:
    """The served models by name."""

    def __init__(self, models: Iterable[ServedModel]) -> None:
        """Take them in their order; the first is the default. Names are unique."""
        self._by_name: dict[str, ServedModel] = {}
        for model in models:
            name = model.name
            if name in self._by_name:
                raise CrossarcError(f"two models are called {name}: name one otherwise, NAME={name}{SUFFIX}")
            self._by_name[name] = model
        self._aliases = _prefixes(self._by_name) | {name: name for name in self._by_name}
        for model in self._by_name.values():
            for name in _names_of_udpipe(model.about):
                self._aliases.setdefault(name, model.name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __iter__(self) -> Any:
        return iter(self._by_name.values())

    @property
    def default(self) -> str:
        """The name of the model that is meant where none is named; empty if there is none."""
        return next(iter(self._by_name), "")

    def choose(self, name: str | None) -> ServedModel:
        """Return a model by its name or the beginning of it, without a name the first."""
        if not self._by_name:
            raise RefusedError(404, "no model is served: start with crossarc serve MODEL")
        asked = name or self.default
        full_name = self._aliases.get(asked)
        while full_name is None and "-" in asked:  # a name of UDPipe: language, treebank, version and date
            asked = asked.rpartition("-")[0]
            full_name = self._aliases.get(asked.lower())
        if full_name is None:
            known = ", ".join(self._by_name)
            raise RefusedError(404, f"no model {clean(str(name))[:80]!r} is served: there are {known}")
        return self._by_name[full_name]


def _prefixes(names: Mapping[str, Any]) -> dict[str, str]:
    """Return full names, and what stands before a hyphen of them for the first model that has it."""
    aliases = {name: name for name in names}
    for name in names:
        for hyphen in re.finditer("-", name):
            aliases.setdefault(name[: hyphen.start()], name)
    return aliases


def _names_of_udpipe(about: Mapping[str, Any]) -> Iterator[str]:
    """Return how UDPipe would call a model: by its language, and by language and treebank."""
    language = str(about.get("language") or "").strip().lower().replace(" ", "_")
    if language:
        yield language
        if treebank := re.search(r"UD_[^-\s]+-(\w+)", str(about.get("source") or "")):
            yield f"{language}-{treebank[1].lower()}"


def embedded_models() -> list[str]:
    """Return the names of the models that come with crossarc or were installed beside it."""
    return list(known_models())


def load_models(given: Sequence[str], threads: int = 0) -> Models:
    """Load models given as a path, as a name that `crossarc models` lists, or as NAME=PATH."""
    return Models(_loaded(model, threads) for model in given)


def _loaded(given: str, threads: int) -> ServedModel:
    name, separator, path = given.partition("=")
    if not separator or not name or os.sep in name:
        name, path = Path(given).name.removesuffix(SUFFIX), given
    if not name or clean(name) != name:
        raise CrossarcError(f"{given}: a model is a path, a name, or NAME=PATH")
    return ServedModel(name, load(path), threads)
