"""TrainingPlan: what is to be trained, as `crossarc train` takes it; options that do not go together are refused.

A plan is a value: it is checked when it is made, before any file is read, and makes a parser for training data. Which
options belong to which kind of parser stands in the tables below. O(1), and for "auto" what the choice costs
(`crossarc.parsers.advice`, `crossarc.parsers.trials`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..encodings import Encoding, named_encoding
from ..errors import ParserError
from ..features.tags import PREDICTED
from ..models import Biaffine, Network, scorer_kind
from ..models.base import Scorer
from ..treebank import Treebank
from .advice import Choice, GraphChoice, choose, choose_parser
from .base import ABOUT
from .crossing_options import given_penalty
from .data_size import network_options, patience_for, warning_for
from .graph.parser import GraphParser
from .graph.trees import AUTO, fitting_trees
from .trainable import TrainableParser
from .transition.parser import TransitionParser
from .trials import choose_by_training

PARSERS = ("transition", "graph", AUTO)
NETWORKS = ("plain", "deep")
_LIFTED = "head, path or head+path"
#: The encodings that these options belong to.
_OF_ENCODINGS = {
    "reconstruction": "undirected",
    "search": _LIFTED,
    "lift_order": _LIFTED,
    "covered_roots": _LIFTED,
}
_OF_TRANSITION_PARSERS = (
    *("system", "reconstruction", "encoding", "trials", "beam", "scorer", "artificial_root", "network", "features"),
    *("search", "lift_order", "covered_roots"),
)
_OF_GRAPH_PARSERS = ("trees", "predict")
_OF_PIPELINES = ("segmenter_epochs", "about")


class PlanError(ParserError):
    """Options of a plan that do not go together.

    The message names options as the command line does (`flags`); in Python they are written as the fields are called.
    """

    def __init__(self, message: str) -> None:
        """Take a message in which every option is written --with-hyphens."""
        super().__init__(re.sub(r"--([a-z][a-z-]*)", lambda option: option[1].replace("-", "_"), message))
        self.flags = message


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """What is to be trained; what is not given is decided by the kind of parser or by the training data.

    Parameters:
        pipeline: Train a pipeline, from raw text to trees: a segmenter, and a graph parser that predicts tags and
            lemmas or, with --parser transition, a tagger beside it.
        parser: transition (default): builds trees step by step; graph (default of pipelines): scores all arcs, slower
            and more accurate; auto: graph if the data are small enough or there is a device.
        trees: Graph parser: 1-endpoint-crossing (default), projective or unrestricted trees, or auto (default of
            pipelines).
        predict: Graph parser: columns to predict with trees, from words alone: upos,xpos,feats,lemma, or some.
        device: Network, graph parser: train with torch on cuda or cpu instead of natively.
        segmenter_epochs: Pipeline: epochs of the segmenter; by default 20.
        about: Pipeline: what the model says of itself: name=, language=, domain=, licence=, attribution=, source=.
        system: A name that crossarc systems lists, a file mine.py:system, or auto. A file is run as a Python program:
            give only files that you trust.
        trials: With auto: train each candidate for so many epochs, and take the best on --dev.
        encoding: head, path, head+path, baseline, undirected, or head,undirected.
        reconstruction: How directions are restored: label (default), label-strict or naive.
        search: Which target a mark leads to: careful (default), or first for the first one found.
        lift_order: Which non-projective arc is lifted first: shortest (default) or deepest.
        covered_roots: Attach roots below an arc to its left, right or head end; or none (default).
        features: Perceptron and classifiers: a feature model that crossarc features lists, or a file of templates as it
            prints.
        scorer: The model that chooses transitions and labels: network (default), perceptron, svm, linear-svm or memory.
        network: Network: plain, or deep (two LSTM layers of hidden size 200 that read characters, too): slower to train
            and to parse, more accurate.
        options: Any option of the scorer, by name.
        epochs: Number of epochs; by default 8 to 30, deep networks and graph parsers 12 to 80, by the size of the
            data; perceptrons 10, classifiers 1.
        patience: Stop after so many epochs without improvement on --dev; by default never, pipelines after a third of
            the epochs.
        seed: Random seed.
        root: Root policy: single or any number of roots; by default as in the data.
        artificial_root: Where the artificial root stands: none, first or last; by default by the data.
        cutoff: How often a form, a lemma and so on must occur to be known: 1; 2 for graph parsers and deep networks.
        beam: Beam width of the search; 1 is greedy.
        crossing_penalty: By how much crossing arcs must be better than others (the transitions that let them cross, the
            labels of lifted arcs): a number, or auto (default): the best one for non-projective arcs of --dev.
        crossing_punctuation: Whether arcs of punctuation may cross others; by default not if those of the data never
            do.
    """

    pipeline: bool = False
    parser: str | None = None
    trees: str | None = None
    predict: tuple[str, ...] | None = None
    device: str | None = None
    segmenter_epochs: int | None = None
    about: Mapping[str, str] | None = None
    system: str = AUTO
    trials: int = 0
    encoding: str | None = None
    reconstruction: str | None = None
    search: str | None = None
    lift_order: str | None = None
    covered_roots: str | None = None
    features: str | None = None
    scorer: str | None = None
    network: str = "plain"
    options: Mapping[str, Any] = field(default_factory=dict)
    epochs: int | None = None
    patience: int | None = None
    seed: int = 1
    root: str | None = None
    artificial_root: str | None = None
    cutoff: int | None = None
    beam: int = 1
    crossing_penalty: str = AUTO
    crossing_punctuation: bool | None = None

    def __post_init__(self) -> None:
        if self.predict is not None:
            object.__setattr__(self, "predict", tuple(self.predict))
        if self.parser is None:
            object.__setattr__(self, "parser", "graph" if self.pipeline else "transition")
        if self.parser not in PARSERS:
            raise PlanError(f"--parser is transition, graph or auto, not {self.parser}")
        self._check_kind()
        if self.parser == "graph":
            Biaffine.from_dict(self.options)
        elif self.parser == "transition":
            self._check_encoding()
            self.make_scorer()
        given_penalty(self.crossing_penalty)

    def _check_kind(self) -> None:
        """Refuse options of other kinds of parsers."""
        if not self.pipeline and (foreign := self._given(_OF_PIPELINES)):
            raise PlanError(f"{foreign} is for pipelines: add --pipeline")
        for name, value in (self.about or {}).items():
            if name not in ABOUT:
                raise PlanError(f"--about {name}={value}: give NAME=VALUE with one of {', '.join(ABOUT)}")
        if self.parser == "transition":
            if foreign := self._given(_OF_GRAPH_PARSERS):
                raise PlanError(f"{foreign} is for graph parsers: add --parser graph")
            return
        why = "graph parsers have none" if self.parser == "graph" else "--parser auto chooses the parser"
        if foreign := self._given(_OF_TRANSITION_PARSERS):
            raise PlanError(f"{foreign} is for transition parsers, and {why}: leave it out")
        if self.parser == AUTO and self.trees is not None:
            raise PlanError(f"--trees is for graph parsers, and {why}: leave it out")

    def _check_encoding(self) -> None:
        """Let the reconstruction imply its encoding; refuse options that would change nothing."""
        if self.encoding is None and self.reconstruction is not None:
            object.__setattr__(self, "encoding", "undirected")
        schemes = [] if self.encoding is None else self.encoding.split(",")
        kinds = {"undirected" if scheme == "undirected" else _LIFTED for scheme in schemes}
        if foreign := self._given(name for name, kind in _OF_ENCODINGS.items() if kind not in kinds):
            needed = _OF_ENCODINGS[foreign.removeprefix("--").replace("-", "_")]
            raise PlanError(f"{foreign} is for --encoding {needed}: add that")
        if self.system == AUTO and self.encoding is not None:
            raise PlanError("--system auto chooses the encoding too: leave out --encoding")

    def _given(self, names: Any) -> str | None:
        """Return the first of these options that is not the default, as a flag."""
        defaults = {known.name: known.default for known in fields(self)}
        return next((_flag(name) for name in names if getattr(self, name) != defaults[name]), None)

    # What it makes

    def make_scorer(self) -> Scorer:
        """Return the options of the model that chooses transitions and labels."""
        scorer = self.scorer or Network.name
        if self.network not in NETWORKS:
            raise PlanError(f"--network is plain or deep, not {self.network}")
        options = {**({} if self.features is None else {"templates_file": self.features}), **self.options}
        if self.network == "plain":
            return scorer_kind(scorer).from_dict(options)
        if scorer != Network.name:
            raise PlanError(f"--network deep is for the scorer network, not {scorer}")
        return Network.deep(**options)

    def make_encoding(self) -> Encoding | None:
        """Return the encoding around the system."""
        if self.encoding is None:
            return None
        given = {name: getattr(self, name) for name in _OF_ENCODINGS}
        return named_encoding(self.encoding, **{name: value for name, value in given.items() if value is not None})

    def make_parser(
        self,
        train: Treebank,
        dev: Treebank | None = None,
        *,
        threads: int = 0,
        tell: Callable[[str], None] = lambda message: None,
    ) -> TrainableParser:
        """Return the parser that is to learn from training data; `tell` is told what was chosen by them, and why."""
        if self.parser == "graph":
            return self._graph_parser(train, self.trees, threads, tell)
        if self.parser == "transition":
            return self._transition_parser(self._choice(train, dev, threads, tell))
        choice = choose_parser(train, device=self.device, threads=threads)
        tell(f"{choice.name}: {choice.reason}")
        if isinstance(choice, GraphChoice):
            return self._graph_parser(train, choice.trees, threads, tell)
        if self.predict is not None:
            raise PlanError("--predict is for graph parsers: add --parser graph")
        return self._transition_parser(choice)

    def _graph_parser(
        self, train: Treebank, trees: str | None, threads: int, tell: Callable[[str], None]
    ) -> GraphParser:
        predict = self.predict
        network = Biaffine.from_dict(self.options)
        if self.pipeline:
            trees = trees or AUTO
            predict = predict or tuple(name for name in PREDICTED if train.inventory(name).keys() - {"_"})
            network = Biaffine.from_dict({**network_options(train.words), **self.options})
            if warning := warning_for(train.words, network.layers * network.hidden_size):
                tell(warning)
        if trees == AUTO:
            trees = fitting_trees(train, threads)
            tell(f"--trees {trees}: the class that fits the training data")
        return GraphParser(
            trees or "1-endpoint-crossing",
            root=self.root,
            network=network,
            cutoff=self.cutoff or 2,
            predict=predict or (),
            **self._crossings(),
        )

    def patience_of(self, epochs: int) -> int | None:
        """Return the patience of a training of so many epochs; None for endless patience."""
        return patience_for(epochs) if self.patience is None and self.pipeline else self.patience

    def _crossings(self) -> dict[str, Any]:
        """Return the options of all parsers whose arcs may cross."""
        punctuation = AUTO if self.crossing_punctuation is None else self.crossing_punctuation
        return {"crossing_penalty": given_penalty(self.crossing_penalty), "crossing_punctuation": punctuation}

    def _transition_parser(self, choice: Choice | None) -> TransitionParser:
        return TransitionParser(
            self.system if choice is None else choice.system,
            encoding=self.make_encoding() if choice is None else choice.encoding,
            root=self.root,
            artificial_root=self.artificial_root,
            scorer=self.make_scorer(),
            cutoff=self.cutoff or (2 if self.network == "deep" else 1),
            beam=self.beam,
            **self._crossings(),
        )

    def _choice(
        self, train: Treebank, dev: Treebank | None, threads: int, tell: Callable[[str], None]
    ) -> Choice | None:
        """Return the system and the encoding that the data choose, if they are to."""
        if self.system != AUTO:
            return None
        if not self.trials:
            choice = choose(train, threads=threads)
        elif dev is None:
            raise PlanError("--trials compares systems on development data: add --dev FILE")
        else:
            choice = choose_by_training(
                train,
                dev,
                self.trials,
                scorer=self.make_scorer(),
                seed=self.seed,
                threads=threads,
                on_result=lambda candidate, *scores: tell(f"trial of {candidate.name}: {_scores(*scores)}"),
            )
        tell(f"{choice.name}: {choice.reason}")
        tell(choice.alternative)
        return choice


def _scores(las: float, strict_f: float | None) -> str:
    crossing = "" if strict_f is None else f", strict F of non-projective arcs {100 * strict_f:.2f}"
    return f"LAS {100 * las:.2f}{crossing}"


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
