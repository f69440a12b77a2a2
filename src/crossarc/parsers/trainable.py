"""Parsers that learn from a treebank, and the kinds of parsers by the `type` of their model files.

Training, model files, checkpoints and information are written here once, and a kind says what it learns, how it parses
a treebank, and what of it a file keeps. It joins by `register_parser`, or by an entry point of the group
`crossarc.plugins` that names a module that registers it. `load` opens the files of all kinds. The cost is that of the
kind.
"""

from __future__ import annotations

import json
import os
import warnings
import zlib
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from .. import __version__
from .._progress import is_watched
from ..errors import ParserError, clean, shown
from ..features import Vocabularies
from ..features.vocabularies import COLUMNS_READ
from ..models.base import Definition, Model, ModelOptions, registered
from ..models.model_file import (
    MISFITS,
    Arrays,
    ModelFile,
    ModelFileError,
    check_fields,
    read_model_file,
    reason,
)
from ..options import Check, checked, checked_threads, text, tree_labels
from ..training.report import Epoch, TrainingReport, check_record, measures
from ..treebank import Treebank, opened
from ..treebank.reading import Source
from .base import Parser
from .input_columns import MissingColumnsWarning, columns_read, missed_columns
from .root_policy import RootPolicy, check_policy, check_root_policy
from .taught import mixture
from .trees import fingerprint

if TYPE_CHECKING:
    from ..training.loop import TrainingSettings

_VOCABULARIES = "vocabularies"
#: What a transformer's pieces of words are stored as, compressed: as part of the description, where they are in memory,
#: they would be a fiftieth of a file.
_TRANSFORMER, _PIECES = "transformer", "pieces"
_MOST_BYTES = 1 << 28
#: The type of model files that hold a parser and more (`crossarc.text.pipeline`).
_PIPELINE = "pipeline"


@dataclass(frozen=True)
class Trained:
    """What training gives a parser: all that parsing needs, and a record of where it comes from."""

    definition: Definition[Model]
    model: Model
    #: The labels of arcs, by number.
    labels: tuple[str, ...]
    policy: RootPolicy
    record: dict[str, Any] = field(default_factory=dict, kw_only=True)


AnyTrained = TypeVar("AnyTrained", bound=Trained)


def required(trained: AnyTrained | None, what_to_do: str = "call train, or load a model") -> AnyTrained:
    """Return what training gave a parser; without it, nothing can be done."""
    if trained is None:
        raise ParserError(f"the parser was not trained: {what_to_do}")
    return trained


class TrainableParser(Parser):
    """A parser that learns from a treebank."""

    #: Checks of what a model file says beside the fields of all parsers; those of the scorer are in its own table.
    fields: ClassVar[Mapping[str, Check]] = {}
    #: The same for what files of earlier versions do not say.
    later_fields: ClassVar[Mapping[str, Check]] = {}

    scorer: ModelOptions
    trained: Trained | None

    def __init__(self, scorer: ModelOptions, *, root: str | None = None, cutoff: int = 1) -> None:
        """Take the options that all parsers have.

        `scorer`: options of the model. `root`: the root policy, by default what the training data keep. `cutoff`: how
        often a form, a lemma and so on must occur to be known.
        """
        if root is not None:
            check_root_policy(root)
        self.scorer = scorer
        self.root = root
        self.cutoff = checked("cutoff", cutoff)
        self.trained = None
        self._said: set[str] = set()

    @property
    def default_prune(self) -> float:
        return self.scorer.default_prune

    @property
    def parser(self) -> TrainableParser:
        return self

    # What differs from kind to kind

    @abstractmethod
    def _learn(
        self, train: Treebank, dev: Treebank | None, settings: TrainingSettings
    ) -> tuple[TrainingReport, Trained]:
        """Train as the settings say; `training.loop.train_model` does so for any learner."""

    @abstractmethod
    def _options(self) -> dict[str, Any]:
        """Return its own options as plain data: a checkpoint is of the same training if they are equal."""

    @abstractmethod
    def _description(self) -> dict[str, Any]:
        """Return what a model file says about the trained parser, beside what files of all parsers say."""

    @classmethod
    @abstractmethod
    def _restored(cls, file: ModelFile, parts: StoredParts) -> TrainableParser:
        """Make the parser of a model file; what cannot be raises any of the errors that `from_model_file` catches."""

    @abstractmethod
    def _summary(self) -> dict[str, Any]:
        """Return what `info` says about the kind: plain data with short names."""

    # Training

    def train(
        self,
        train: Treebank | Source,
        *,
        dev: Treebank | Source | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        seed: int = 1,
        threads: int = 0,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        command: str | None = None,
        on_start: Callable[[TrainingReport], None] | None = None,
        on_progress: Callable[[int, int, int], None] | None = None,
        on_epoch: Callable[[Epoch], None] | None = None,
        device: str | None = None,
        progress: bool | None = None,
        taught: Treebank | Source | None = None,
        taught_share: float = 0.5,
        teacher: Parser | None = None,
    ) -> TrainingReport:
        """Learn from a treebank and keep the model of the epoch that is best on `dev`, without it that of the last.

        `train` and `dev` are treebanks, or paths of files, which are read. In a terminal or a notebook a bar shows how
        far training is, unless the functions below do so; `progress` False leaves it out, True shows it in any case.
        The logger `crossarc.training` is told of each epoch.

        `epochs`: how many; by default as many as the size of the data asks for. `patience`: stop after so many epochs
        that were not better. The same data, options and seed give the same model. Ctrl-C ends training with the best
        model so far, once an epoch is done. `checkpoint` is a file that is written after each epoch; with `resume`
        training goes on from it, if it is there, to the very model that it would have come to. If it cannot be
        written after an epoch, there is a warning and training goes on. `command` is the command line that `info` is to
        give. The functions are told how training goes: at its start, within and after each epoch. Scores in the report
        and in what they are told are shares from 0 to 1. `device`: "cpu" or "cuda" to train with torch, which graph
        parsers and networks of transition parsers can; without, training is native. `taught`: sentences that
        another parser parsed (`teach`), to be learnt from beside the others; of the words of an epoch they
        are about `taught_share`. `teacher`: the graph parser or pipeline that parsed them, if how probable it
        finds heads, relations and tags is to be learnt there, not only its best ones; of graph parsers on a device.
        """
        train = opened(train, threads=checked_threads(threads))
        dev = None if dev is None else opened(dev, threads=threads)
        if progress is None:
            progress = on_progress is None and on_epoch is None and is_watched()
        from ..training.loop import TrainingSettings, shown_training

        gold, of_teacher = None, 0
        if teacher is not None:
            self._check_teacher(taught, device)
        if taught is not None:
            gold = train
            train, of_teacher = mixture(train, opened(taught, threads=threads), taught_share)
        settings = TrainingSettings(
            self.epochs_for(train) if epochs is None else epochs,
            patience,
            seed,
            threads,
            checkpoint,
            resume,
            on_start,
            on_progress,
            on_epoch,
            device,
            gold,
            of_teacher,
            teacher,
        )
        with shown_training(settings, shown=progress) as told:
            report, trained = self._learn(train, dev, told)
        given = {} if command is None else {"command": clean(command)}
        self.trained = replace(trained, record=self._record(train, settings.seed, report, trained) | given)
        return report

    def _check_teacher(self, taught: Treebank | Source | None, device: str | None) -> None:
        """Refuse to learn distributions where that cannot be."""
        if taught is None:
            raise ParserError(
                "a teacher's distributions are learnt in the sentences that it parsed: give them as taught"
            )
        if device is None or self.type != "graph parser":
            raise ParserError("distributions are learnt by graph parsers, with torch: give a device, or no teacher")

    def epochs_for(self, train: Treebank) -> int:
        """Return how many epochs training data ask for."""
        return self.scorer.epochs_for(train.words)

    def _record(self, train: Treebank, seed: int, report: TrainingReport, trained: Trained) -> dict[str, Any]:
        """Return where the model comes from; no times, so that the same training gives the same file."""
        described = trained.definition.to_dict()
        return {
            **report.record(),
            "seed": seed,
            "cutoff": self.cutoff,
            "scorer": {name: value for name, value in self.scorer.to_dict().items() if name not in described},
            # Not their folders, which say something about the machine and nothing about the model.
            "sources": [clean(Path(name).name) for name in train.sources],
            "fingerprint": fingerprint(train),
            "crossarc": __version__,
        }

    def _identity(self, train: Treebank, dev: Treebank | None, settings: TrainingSettings) -> dict[str, Any]:
        """Return what decides to which model training comes."""
        return {
            "training data": fingerprint(train),
            "development data": None if dev is None else fingerprint(dev),
            "root": self.root,
            "cut-off": self.cutoff,
            "scorer": self.scorer.name,
            "options of the scorer": self.scorer.to_dict(),
            "number of epochs": settings.epochs if self.scorer.depends_on_epochs else None,
            "seed": settings.seed,
            "version": __version__,
            **({} if settings.teacher is None else {"distributions of a teacher": True}),
            **self._options(),
        }

    def _noticed(self, treebank: Treebank) -> Treebank:
        """Warn, once, of each column that the parser was trained with and sentences to be parsed lack."""
        if self.trained is not None:
            known = {*self._said, *self.abilities.predicts}
            missed = missed_columns(self.trained.definition.vocabularies, treebank, known)
            self._said.update(missed.empty, missed.unknown)
            for message in missed.messages():
                warnings.warn(message, MissingColumnsWarning, stacklevel=3)
        return treebank

    # Files

    def model_file(self, bits: int = 16, prune: float = 0.0) -> ModelFile:
        trained = required(self.trained, "there is nothing to save")
        description = {
            "type": self.type,
            **trained.definition.to_dict(),
            "labels": list(trained.labels),
            "root_policy": trained.policy.to_dict(),
            "training": trained.record,
            **self._description(),
        }
        # Too many texts for the description, which is read even if only that is asked for.
        vocabularies = json.dumps(trained.definition.vocabularies.to_dict(), ensure_ascii=False).encode()
        arrays: Arrays = {_VOCABULARIES: np.frombuffer(vocabularies, np.uint8)}
        if _TRANSFORMER in description:
            shape = dict(description[_TRANSFORMER])
            pieces = json.dumps(shape.pop(_PIECES), ensure_ascii=False).encode()
            description[_TRANSFORMER] = shape
            arrays[_PIECES] = np.frombuffer(zlib.compress(pieces, 9), np.uint8)
        return ModelFile(description, arrays | trained.model.arrays(bits, prune))

    @classmethod
    def from_model_file(cls, file: ModelFile) -> TrainableParser:
        """Return the parser of a model file; `crossarc.load` opens it. What it says is checked before it is used."""
        try:
            file = _with_pieces(file)
            check_fields("description", file.description, {**_FIELDS, **cls.fields}, cls.later_fields)
            return cls._restored(file, StoredParts.from_file(file))
        except MISFITS as error:
            raise ModelFileError(f"the description of the model does not fit together ({reason(error)})") from error

    # Copies

    def __getstate__(self) -> dict[str, Any]:
        """Return its options and what a model file of it would hold: the native model itself cannot be pickled."""
        if self.trained is None:
            return self.__dict__.copy()
        file = self.model_file()
        return {**self.__dict__, "trained": ModelFile(json.loads(json.dumps(file.description)), file.arrays)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what `__getstate__` gave, of the same version of crossarc."""
        file = state["trained"]
        trained = None if file is None else type(self).from_model_file(file).trained
        self.__dict__.update(state | {"trained": trained})

    # Information

    def __repr__(self) -> str:
        """Say what it is, what it was trained on and how good it was there."""
        about = f"{type(self).__name__} {self.name}, {self.scorer.name}"
        if self.trained is None:
            return f"<{about}, not trained>"
        record = self.trained.record
        sources = ", ".join(map(clean, record["sources"][:3])) or "unnamed sentences"
        best = _six_digits(record["epochs"][record["best"] - 1]["las"])
        score = "" if best is None else f", {record.get('measure', 'LAS')} {100 * best:.2f} on development data"
        return f"<{about}, trained on {sources}: {record['sentences']:,} sentences{score}>"

    def info(self) -> dict[str, Any]:
        """Return plain data about a trained parser, as `crossarc info --json` prints it.

        What it is: `type`, what the kind of parser says (of a transition parser `system`, `encoding`,
        `artificial_root`, `beam`), `root_policy`, `labels` (their number), `scorer`, `looks_at` (the number of
        templates or views), `encoder` (one that has read: its sizes, what it was pretrained on, licences), `options`
        (of the scorer), `weights` (their number). What it needs: `columns`, those of
        the treebank that it reads, as CoNLL-U names them; `empty_columns`, those of them that were empty in training
        and should be so in parsing; `reads`, the attributes of words made of them. What it learnt from: `trained_on`
        (names of files), `fingerprint` (a checksum of the sentences), `sentences`, `words`, `lost_arcs` (that the
        system cannot build), `epochs`, `best_epoch`, `seed`, `crossarc` (the version), `command` (of
        `crossarc train`, None from Python). How good it is: `dev_las` and `dev_uas` (of enhanced graphs `dev_f1` and
        `dev_unlabelled_f1`), from 0 to 1, None without development data; `dev_strict_f`, that of non-projective arcs,
        where they have at least five; of a parser that predicts columns the share of
        words that were right, too, `dev_upos` and so on.
        """
        trained = required(self.trained)
        training = trained.record
        best = training["epochs"][training["best"] - 1]
        columns, empty = self._columns(trained)
        names = measures(training.get("measure", "LAS"))
        labelled, unlabelled = (f"dev_{name.lower().replace(' ', '_')}" for name in names)
        return {
            "type": self.type,
            **self._summary(),
            "root_policy": trained.policy.kind,
            "labels": len(trained.labels),
            **trained.definition.summary(),
            "columns": columns,
            "empty_columns": empty,
            "reads": [clean(name) for name in trained.definition.vocabularies.names],
            "options": self._options_taken(trained),
            "weights": trained.model.weight_count,
            "trained_on": [clean(name) for name in training["sources"]],
            "fingerprint": training["fingerprint"],
            "sentences": training["sentences"],
            "words": training["words"],
            "lost_arcs": training["lost_arcs"],
            "epochs": len(training["epochs"]),
            "best_epoch": training["best"],
            labelled: _six_digits(best["las"]),
            unlabelled: _six_digits(best["uas"]),
            **({"dev_strict_f": _six_digits(best["strict_f"])} if best.get("strict_f") is not None else {}),
            **{f"dev_{column}": _six_digits(share) for column, share in best.get("tags", {}).items()},
            "seed": training["seed"],
            "crossarc": training.get("crossarc"),
            "command": training.get("command"),
        }

    @staticmethod
    def _options_taken(trained: Trained) -> dict[str, Any]:
        """Return the options of the scorer; those that training data decided as they were taken."""
        given: dict[str, Any] = trained.record.get("scorer", {})
        taken = getattr(trained.definition, "scorer", None)
        return {name: getattr(taken, name, None) if value is None else value for name, value in given.items()}

    @staticmethod
    def _columns(trained: Trained) -> tuple[list[str], list[str]]:
        """Return the columns of a treebank that a parser reads, and those of them that were empty in training."""
        filled = columns_read(trained.definition.vocabularies)
        if len(trained.policy.parts_of_speech) > 1:  # it chooses among several roots by them
            filled["upos"] = True
        names = [column for column in COLUMNS_READ if column in filled]
        return [name.upper() for name in names], [name.upper() for name in names if not filled[name]]


AnyParser = TypeVar("AnyParser", bound=TrainableParser)

#: What the model files of all parsers say.
_FIELDS: Mapping[str, Check] = {
    "type": text,
    "scorer": text,
    "labels": tree_labels,
    "root_policy": check_policy,
    "training": check_record,
}


class StoredParts(NamedTuple):
    """What the model files of all parsers hold, beside the definition and the weights of the model."""

    labels: tuple[str, ...]
    policy: RootPolicy
    vocabularies: Vocabularies
    record: dict[str, Any]

    @classmethod
    def from_file(cls, file: ModelFile) -> StoredParts:
        """Read them from a file whose description was checked; what does not fit together raises an error."""
        data = file.description
        labels = tuple(data["labels"])
        policy = RootPolicy.from_dict(data["root_policy"], labels)
        vocabularies = Vocabularies.from_dict(json.loads(file.arrays[_VOCABULARIES].tobytes()))
        return cls(labels, policy, vocabularies, dict(data["training"]))


def _with_pieces(file: ModelFile) -> ModelFile:
    """Return a file whose description has the pieces of a transformer, if there is one."""
    if _PIECES not in file.arrays or not isinstance(file.description.get(_TRANSFORMER), dict):
        return file
    inflated = zlib.decompressobj()
    try:
        text = inflated.decompress(file.arrays[_PIECES].tobytes(), _MOST_BYTES)
    except zlib.error as error:
        raise ValueError(f"the pieces of words cannot be read ({error})") from error
    if not inflated.eof:
        raise ValueError(f"the pieces of words are cut short, or more than {_MOST_BYTES:,} bytes")
    transformer = {**file.description[_TRANSFORMER], _PIECES: json.loads(text)}
    return ModelFile({**file.description, _TRANSFORMER: transformer}, file.arrays)


#: The modules that register the kinds of parsers of this package, by the `type` in model files.
_HOMES = {f"{kind} parser": f"{__package__}.{kind}.parser" for kind in ("transition", "graph")}
_PARSERS: dict[str, type[TrainableParser]] = {}


def register_parser(kind: type[AnyParser]) -> type[AnyParser]:
    """Make a kind of parser known by the `type` in its model files."""
    _PARSERS[kind.type] = kind
    return kind


def parser_from_file(file: ModelFile) -> TrainableParser:
    """Return the parser of a model file that was read."""
    kind = str(file.description.get("type"))
    parser = registered(_PARSERS, kind, _HOMES)
    if kind == _PIPELINE:
        raise ModelFileError("a pipeline, which crossarc.load opens")
    if parser is None:
        raise ModelFileError(f"a model of a {clean(shown(kind))}, which this crossarc does not have")
    return parser.from_model_file(file)


def load(path: str | os.PathLike[str]) -> TrainableParser:
    """Return the parser of a model file that `save` or `crossarc train` wrote; `crossarc.load` takes pipelines, too."""
    file = read_model_file(path)
    try:
        return parser_from_file(file)
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)}: {error}") from error


def _six_digits(score: float | None) -> float | None:
    return None if score is None else round(score, 6)
