"""TransitionParser: a transition system, an encoding around it and a model that chooses transitions and labels.

Training encodes the trees, learns to build them and keeps the model that is best on development data; parsing builds,
decodes and sees to it that every sentence is a tree with the root policy of the model. Greedy: O(transitions of the
system) for each sentence.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast, overload

import numpy as np
from numpy.typing import NDArray

from .. import __version__, _kernel
from ..encodings import Composition, Encoding, PseudoProjective, Undirected
from ..encodings.links import Links
from ..models import Columns, ModelFile, default_label_templates, default_templates, write_model_file
from ..models.templates import parse_template, word_attributes
from ..transitions import TransitionSystem, derive, load_system
from ..transitions.machine import checked_root
from ..transitions.rules import knowledge_of
from ..treebank import MissingHeadsError, Sentence, Treebank
from ..treebank.writing import printed
from .checkpoint import Checkpoint
from .errors import ParserError
from .greedy import Definition, GreedyLearner
from .root_policy import POLICIES, RootPolicy
from .training import Epoch, Trainer, TrainingReport

Ids = NDArray[np.int32]


@dataclass(frozen=True)
class Trained:
    """What training gives a parser: all that parsing needs, and a record of where it comes from."""

    definition: Definition
    encoding: Encoding | None
    #: The labels of trees, by number.
    labels: tuple[str, ...]
    #: What a root is labelled in the encoded trees, as a number.
    encoded_root: int
    policy: RootPolicy
    model: _kernel.GreedyModel
    record: dict[str, Any]


class TransitionParser:
    """A parser that builds trees by the transitions of a system.

    `system` is a name of the catalogue or a `TransitionSystem`. `encoding` goes around it: `PseudoProjective("head")`
    for projective systems; systems without direction need `Undirected(…)`, which they get by themselves. `root` is the
    policy of `crossarc.parsers.root_policy`, by default what the training data keep. `artificial_root`: where it
    stands among the words, "none", "first" or "last". `templates` and `label_templates` replace the default features.
    `cutoff`: how often a form, a lemma and so on must occur to be known; `least_updates`: how often a feature must
    have mattered in training to be kept. `learners`: how many learn, in different orders; their average is the model.
    """

    #: Its name in model files.
    type = "transition parser"

    def __init__(
        self,
        system: str | TransitionSystem = "2-planar",
        *,
        encoding: Encoding | None = None,
        root: str | None = None,
        artificial_root: str | None = None,
        templates: Sequence[str] | None = None,
        label_templates: Sequence[str] | None = None,
        cutoff: int = 1,
        least_updates: int = 1,
        learners: int = 1,
    ) -> None:
        """Choose a system and options; those that do not go together are refused."""
        self.system = load_system(system)
        if self.system.is_undirected and encoding is None:
            encoding = Undirected("label")
        self.encoding = encoding
        if root is not None and root not in POLICIES:
            raise ParserError(f"the root policy is one of {', '.join(POLICIES)}, not {root!r}")
        self.root = root
        self.artificial_root = checked_root(artificial_root or default_artificial_root(self.system))
        self.templates = tuple(templates if templates is not None else default_templates(self.system))
        self.label_templates = tuple(
            label_templates if label_templates is not None else default_label_templates(self.system)
        )
        for template in (*self.templates, *self.label_templates):
            parse_template(template)
        if cutoff < 1 or least_updates < 0 or learners < 1:
            raise ParserError("the cut-off and the number of learners are 1 or more, that of updates 0 or more")
        self.cutoff = cutoff
        self.least_updates = least_updates
        self.learners = learners
        self.trained: Trained | None = None
        _check_system(self.system, encoding)

    # Training

    def train(
        self,
        train: Treebank,
        *,
        dev: Treebank | None = None,
        epochs: int = 10,
        patience: int | None = None,
        seed: int = 1,
        threads: int = 0,
        checkpoint: str | os.PathLike[str] | None = None,
        resume: bool = False,
        on_start: Callable[[TrainingReport], None] | None = None,
        on_progress: Callable[[int, int, int], None] | None = None,
        on_epoch: Callable[[Epoch], None] | None = None,
    ) -> TrainingReport:
        """Learn from a treebank and keep the model of the epoch that is best on `dev`, without it that of the last.

        The same data, options and seed give the same model. Ctrl-C ends training with the best model so far, once an
        epoch is done. `checkpoint` is a file that is written after each epoch; with `resume` training goes on from it,
        if it is there, to the very model that it would have come to. The functions are told how training goes: at its
        start, within and after each epoch.
        """
        _check_data(train, "training")
        if dev is not None:
            _check_data(dev, "development")
        encoding = None if self.encoding is None else self.encoding.fit(train, threads=threads)
        encoded = train if encoding is None else encoding.encode(train, threads=threads)
        labels = tuple(train.inventory("deprel")) if encoding is None else encoding.labels
        encoded_labels = labels if encoding is None else encoding.encoded_labels
        attributes = word_attributes((*self.templates, *self.label_templates))
        columns = Columns.fit(train, attributes, cutoff=self.cutoff)
        definition = Definition(
            self.system, self.artificial_root, columns, self.templates, self.label_templates, len(encoded_labels)
        )
        policy = RootPolicy.fit(train, numbered(train, labels), len(labels), self.root)
        gold_labels = numbered(encoded, encoded_labels)
        encoded_root = int(np.bincount(gold_labels[encoded.head == 0]).argmax())
        report = _report(self.system, encoded, self.artificial_root, threads)
        if on_start is not None:
            on_start(report)

        def trained(model: _kernel.GreedyModel) -> Trained:
            return Trained(definition, encoding, labels, encoded_root, policy, model, {})

        learner = GreedyLearner(
            [definition.learner(seed + number) for number in range(self.learners)],
            columns.values(train),
            train.word_offsets,
            np.ascontiguousarray(encoded.head),
            gold_labels,
            self.least_updates,
            seed,
            threads,
        )
        evaluate = None if dev is None else _evaluation(dev, columns, labels, trained, threads)
        trainer = Trainer(learner, evaluate, seed, on_progress, on_epoch)
        best = None
        if checkpoint is not None:
            saved = Checkpoint(checkpoint, self._identity(train, dev, seed))
            best = saved.restore(learner.learners, definition, report) if resume else None
            trainer.on_checkpoint = lambda so_far, model: saved.write(learner.learners, so_far, model)
        model = trainer.train(report, best, epochs, patience)
        record = self._record(train, seed, report)
        self.trained = Trained(definition, encoding, labels, encoded_root, policy, model, record)
        return report

    def _record(self, train: Treebank, seed: int, report: TrainingReport) -> dict[str, Any]:
        """Return where the model comes from; no times, so that the same training gives the same file."""
        known = report.to_dict()
        for epoch in known["epochs"]:
            del epoch["seconds"]
        return {
            **known,
            "seed": seed,
            "cutoff": self.cutoff,
            "least_updates": self.least_updates,
            "learners": self.learners,
            "sources": list(train.sources),
            "fingerprint": _fingerprint(train),
            "crossarc": __version__,
        }

    def _identity(self, train: Treebank, dev: Treebank | None, seed: int) -> dict[str, Any]:
        """Return what makes training come to the model it comes to."""
        return {
            "training data": _fingerprint(train),
            "development data": None if dev is None else _fingerprint(dev),
            "system": self.system.to_dict(),
            "encoding": None if self.encoding is None else self.encoding.to_dict(),
            "root": self.root,
            "artificial root": self.artificial_root,
            "templates": [self.templates, self.label_templates],
            "cut-off": self.cutoff,
            "least updates": self.least_updates,
            "learners": self.learners,
            "seed": seed,
            "version": __version__,
        }

    # Parsing

    @overload
    def parse(self, source: Treebank, *, threads: int = 0) -> Treebank: ...
    @overload
    def parse(self, source: Sequence[str], *, threads: int = 0) -> Sentence: ...
    def parse(self, source: Treebank | Sequence[str], *, threads: int = 0) -> Treebank | Sentence:
        """Return a treebank with the heads and labels that the parser finds, or for a list of words a sentence.

        Everything but HEAD, DEPREL and the arcs in DEPS that follow them stays as it is.
        """
        if isinstance(source, Treebank):
            return self._parsed(source, threads)
        if isinstance(source, str):
            raise ParserError("give a list of words: a text has to be cut into words first")
        return self.parse_batch([source], threads=threads)[0]

    def parse_batch(self, sentences: Sequence[Sequence[str]], *, threads: int = 0) -> Treebank:
        """Return a treebank of sentences that are given as lists of words. The words have no tags then."""
        for number, words in enumerate(sentences, start=1):
            if not words or not all(isinstance(word, str) and word for word in words):
                raise ParserError(f"sentence {number}: a sentence is a list of words that are not empty")
        return self._parsed(Treebank.from_dicts([[{"form": word} for word in words] for words in sentences]), threads)

    def _parsed(self, treebank: Treebank, threads: int) -> Treebank:
        if self.trained is None:
            raise ParserError("the parser was not trained: call train, or load a model")
        heads, labels = parse_arrays(self.trained, treebank, self.trained.definition.columns.values(treebank), threads)
        ids = treebank.pool.intern(list(self.trained.labels))
        return treebank.replace(head=heads, deprel=ids[labels])

    # Files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the parser to a model file, whole or not at all."""
        from .storage import model_file_of

        if self.trained is None:
            raise ParserError("the parser was not trained: there is nothing to save")
        write_model_file(path, model_file_of(self.trained))

    @classmethod
    def from_model_file(cls, file: ModelFile) -> TransitionParser:
        """Return the parser of a model file; `crossarc.load` opens it."""
        from .storage import trained_of

        trained = trained_of(file)
        definition = trained.definition
        parser = cls(
            definition.system,
            encoding=trained.encoding,
            root=trained.policy.kind,
            artificial_root=definition.artificial_root,
            templates=definition.templates,
            label_templates=definition.label_templates,
        )
        parser.trained = trained
        return parser


def default_artificial_root(system: TransitionSystem) -> str:
    """Return where the artificial root stands if nobody says: reconstruction of directions starts from links to it."""
    return "first" if system.is_undirected else "none"


def parse_arrays(trained: Trained, treebank: Treebank, values: NDArray[np.uint32], threads: int) -> tuple[Ids, Ids]:
    """Return the heads and the numbers of the labels that a trained parser finds."""
    offsets = treebank.word_offsets
    encoding = trained.encoding
    if isinstance(encoding, (Undirected, Composition)):
        left, right, link_labels, link_offsets = trained.model.parse_arcs(values, offsets, threads)
        links = Links(left, right, link_labels, link_offsets, offsets)
        heads, labels = encoding.decode_links(links, threads=threads)
        attached = np.ones(len(heads), bool)
    else:
        heads, labels = trained.model.parse(values, offsets, threads)
        attached = heads >= 0
        heads = np.where(attached, heads, np.int32(0))
        labels = np.where(attached, labels, np.int32(trained.encoded_root))
        if encoding is not None:
            heads, labels = cast(PseudoProjective, encoding).decode_arrays(heads, labels, offsets, threads=threads)
    return trained.policy.apply(treebank, heads, labels, attached)


def numbered(treebank: Treebank, labels: Sequence[str]) -> Ids:
    """Return the place of each word's relation among labels, -1 for one that is not there."""
    places = {label: place for place, label in enumerate(labels)}
    ids, where = np.unique(treebank.deprel, return_inverse=True)
    texts = treebank.pool.texts(ids.astype(np.int32))
    return np.array([places.get(text, -1) for text in texts], np.int32)[where]


def _evaluation(
    dev: Treebank,
    columns: Columns,
    labels: Sequence[str],
    trained: Callable[[_kernel.GreedyModel], Trained],
    threads: int,
) -> Callable[[_kernel.GreedyModel], tuple[float, float]]:
    values = columns.values(dev)
    gold = numbered(dev, labels)

    def evaluate(model: _kernel.GreedyModel) -> tuple[float, float]:
        heads, found = parse_arrays(trained(model), dev, values, threads)
        right = heads == dev.head
        return 100 * float((right & (found == gold)).mean()), 100 * float(right.mean())

    return evaluate


def _report(system: TransitionSystem, encoded: Treebank, artificial_root: str, threads: int) -> TrainingReport:
    lost = derive(system, encoded, root=artificial_root, threads=threads).lost
    return TrainingReport(len(encoded), encoded.words, len(lost), int(lost.sum()))


def _fingerprint(treebank: Treebank) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for block in printed(treebank):
        digest.update(block)
    return digest.hexdigest()


def _check_data(treebank: Treebank, what: str) -> None:
    if not treebank.words:
        raise ParserError(f"the {what} data have no sentences")
    missing = np.flatnonzero(treebank.head < 0)
    if len(missing):
        sentence = int(np.searchsorted(treebank.word_offsets, missing[0], side="right")) - 1
        raise MissingHeadsError(f"{treebank[sentence].place} has no heads: {what} data need them")


def _check_system(system: TransitionSystem, encoding: Encoding | None) -> None:
    """Refuse what no parser can be made of, with the reason."""
    system.require_bounded()
    known = knowledge_of(system)
    if any(step.repeat for one in system.transitions.values() for step in one.steps):
        raise ParserError(f"{system.name} chooses a position with every transition: it cannot be trained yet")
    if any(one.arcs > 1 for one in system.transitions.values()):
        raise ParserError(f"{system.name} adds several arcs at once: labels are learnt for one at a time")
    if system.is_undirected != (encoding is not None and not encoding.directed):
        if system.is_undirected:
            raise ParserError(f'{system.name} builds links without direction: use the encoding Undirected("label")')
        raise ParserError(f"{system.name} builds arcs with a direction: take {system.name} without Undirected")
    if not known.acyclic or not (known.single_head or system.is_undirected):
        raise ParserError(
            f"{system.name} is not known to build trees only: constrain it with single_head=True, acyclic=True"
        )
