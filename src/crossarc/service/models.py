"""The models that are served, chosen by name alone: no request names a file.

A model is a parser, which takes words, or a pipeline, which takes raw text, too. As in UDPipe, a model `en-ewt` is also
found as `en`, and without a name the first one is meant. Loading costs what the files cost; a choice O(1).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from .. import _kernel
from ..errors import CrossarcError, ParserError, clean
from ..parsers import Parser, TransitionParser
from ..parsers.analyses import Analyses
from ..text import Pipeline, known_models, load
from ..text.pipeline import predicted
from ..text.sentences import segmented_texts
from ..treebank import Treebank
from .limits import RefusedError

Found = TypeVar("Found")
SUFFIX = ".crossarc"
TOKENIZER, TAGGER, PARSER = "tokenizer", "tagger", "parser"
#: The columns that a tagger fills.
TAGS = ("lemma", "upos", "xpos", "feats")


@dataclass(frozen=True)
class RawText:
    """A text that is to be cut into words together with those of other requests."""

    text: str
    #: Whether each line is a sentence.
    in_lines: bool = False


@dataclass(frozen=True, eq=False)
class ServedModel:
    """A model under the name that requests use."""

    name: str
    model: Parser | Pipeline
    threads: int = 0

    @property
    def pipeline(self) -> Pipeline | None:
        """The pipeline, if it is one."""
        return self.model if isinstance(self.model, Pipeline) else None

    @property
    def parser(self) -> Parser:
        """The parser alone."""
        return self.model.parser if isinstance(self.model, Pipeline) else self.model

    @property
    def stepper(self) -> TransitionParser | None:
        """The parser, if it goes by transitions that can be traced."""
        parser = self.parser
        traced = isinstance(parser, TransitionParser) and not (
            parser.system.chooses_position or parser.builds_enhanced_graphs
        )
        return parser if traced and isinstance(parser, TransitionParser) else None

    @property
    def predicted(self) -> tuple[str, ...]:
        """The columns that it fills in."""
        tagger = self.model.tagger if isinstance(self.model, Pipeline) else None
        return predicted(self.parser if tagger is None else tagger)

    @property
    def abilities(self) -> list[str]:
        """What it can do, in UDPipe's words."""
        return [
            *([TOKENIZER] if self.pipeline is not None else []),
            *([TAGGER] if self.predicted else []),
            PARSER,
        ]

    @property
    def acknowledgements(self) -> list[str]:
        """Whom users of the model are to name."""
        about = self.about
        named = [about.get("attribution"), about.get("licence")]
        return [clean(str(one)) for one in named if one]

    @property
    def about(self) -> dict[str, Any]:
        """What the file says about the model."""
        return dict(self.model.about) if isinstance(self.model, Pipeline) else {}

    def describe(self) -> dict[str, Any]:
        """Return what the page shows of it."""
        about = self.about
        info = self.parser.info()
        return {
            "name": self.name,
            "abilities": self.abilities,
            "type": info["type"],
            "parser": self.parser.name,
            "system": self.stepper.system.name if self.stepper is not None else None,
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
        if self.pipeline is None:
            raise RefusedError(400, f"the model {self.name} takes words and no raw text: it has no tokenizer")
        segmenter = self.pipeline.segmenter
        found = segmented_texts(segmenter, [one.text for one in given], [one.in_lines for one in given], self.threads)
        pool = _kernel.StringPool()
        return [own.treebank(segmenter.words(own), pool) for own in found]

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

    def tagged(self, treebank: Treebank) -> Treebank:
        """Return a treebank with what the parser of a pipeline reads."""
        if self.pipeline is None or not self.predicted:
            return treebank
        parsed = self.parse(treebank)
        return treebank.replace(**{column: parsed.texts(column) for column in self.predicted})


def parsed_together(
    model: ServedModel | None,
    given: Sequence[Treebank | RawText],
    check: Callable[[Treebank], None],
    parse: Callable[[Treebank, list[int]], Sequence[Found]],
) -> list[Found | RefusedError]:
    """Have the sentences of many requests parsed as one treebank; those of raw texts get numbers.

    `check` refuses a request by what its own sentences are. `parse` gets the sentences of all others and where those of
    each end, and gives a result for each.
    """
    raw = [one for one in given if isinstance(one, RawText)]
    cut = iter(model.with_words(raw) if raw and model is not None else ())
    refused: dict[int, RefusedError] = {}
    kept: list[Treebank] = []
    comments: list[list[str]] = []
    for place, one in enumerate(given):
        treebank = one if isinstance(one, Treebank) else next(cut)
        try:
            check(treebank)
        except RefusedError as error:
            refused[place] = error
            continue
        kept.append(treebank)
        comments += ([f"# sent_id = {number + 1}"] if one is not treebank else [] for number in range(len(treebank)))
    if not kept:
        return list(refused.values())
    whole = Treebank.concatenate(kept)
    found = iter(parse(whole.with_comments(comments) if raw else whole, np.cumsum([len(one) for one in kept]).tolist()))
    return [refused[place] if place in refused else next(found) for place in range(len(given))]


class Models:
    """The served models by name."""

    def __init__(self, models: Iterable[ServedModel]) -> None:
        """Take them in their order; the first is the default. Names are unique."""
        self._by_name: dict[str, ServedModel] = {}
        for one in models:
            if one.name in self._by_name:
                raise CrossarcError(f"two models are called {one.name}: name one otherwise, NAME={one.name}{SUFFIX}")
            self._by_name[one.name] = one
        self._aliases = _prefixes(self._by_name)

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
        found = self._aliases.get(name or self.default)
        if found is None:
            known = ", ".join(self._by_name)
            raise RefusedError(404, f"no model {clean(str(name))[:80]!r} is served: there are {known}")
        return self._by_name[found]


def _prefixes(names: Mapping[str, Any]) -> dict[str, str]:
    """Return full names, and what stands before a hyphen of them for the first model that has it."""
    found = {name: name for name in names}
    for name in names:
        for place, letter in enumerate(name):
            if letter == "-":
                found.setdefault(name[:place], name)
    return found


def embedded_models() -> list[str]:
    """Return the names of the models that come with crossarc or were installed beside it."""
    return list(known_models())


def load_models(given: Sequence[str], threads: int = 0) -> Models:
    """Load models given as a path, as a name that `crossarc models` lists, or as NAME=PATH."""
    return Models(_loaded(one, threads) for one in given)


def _loaded(given: str, threads: int) -> ServedModel:
    name, separator, path = given.partition("=")
    if not separator or not name or os.sep in name:
        name, path = Path(given).name.removesuffix(SUFFIX), given
    if not name or clean(name) != name:
        raise CrossarcError(f"{given}: a model is a path, a name, or NAME=PATH")
    return ServedModel(name, load(path), threads)
