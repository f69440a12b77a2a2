"""TransitionParser: a transition system, an encoding around it and a model that chooses transitions and labels.

Training encodes the trees, learns to build them and keeps the model that is best on development data; parsing builds,
decodes and sees to it that every sentence is a tree with the root policy of the model. O(beam · transitions of the
system) for each sentence.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

from ... import __version__
from ...encodings import Encoding, Undirected
from ...errors import ParserError
from ...models import ModelFile, write_model_file
from ...models.base import Definition, Model, Scorer, make_scorer, scorer_of
from ...training.checkpoint import Checkpoint
from ...training.loop import Epoch, Trainer, TrainingData, TrainingReport
from ...transitions import TransitionSystem, load_system
from ...transitions.algebra import systems
from ...transitions.oracles.rules import knowledge_of
from ...transitions.running.machine import checked_root
from ...treebank import Sentence, Treebank
from ...treebank.writing import printed
from ..root_policy import POLICIES, RootPolicy, roots_by_sentence
from .analyses import Analyses, ScoredTree, analyses
from .enhanced import builds_graphs, parse_graphs
from .restoring import parse_arrays, with_trees
from .targets import check_development, make_evaluation, make_target


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
    model: Model
    record: dict[str, Any]
    #: How many states its search keeps.
    beam: int


class TransitionParser:
    """A parser that builds trees, or graphs, by the transitions of a system.

    `system` is a name of the catalogue or a `TransitionSystem`. `encoding` goes around it: `PseudoProjective("head")`
    for projective systems; systems without direction need `Undirected(…)`, which they get by themselves. `root` is the
    policy of `crossarc.parsers.root_policy`, by default what the training data keep. `artificial_root`: where it
    stands among the words, "none", "first" or "last", by default as the data ask. `scorer` chooses transitions and
    labels: "network", "perceptron", or options of either, `Network(…)` or `Perceptron(…)`. `cutoff`: how often a form,
    a lemma and so on must occur to be known. `beam`: how many states the search keeps; 1 is greedy. Perceptrons learn
    with the beam, too; easy-first has none, since it is greedy by nature.
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
        scorer: str | Scorer = "network",
        cutoff: int = 1,
        beam: int = 1,
    ) -> None:
        """Choose a system and options; those that do not go together are refused."""
        self.system = load_system(system)
        if self.system.is_undirected and encoding is None:
            encoding = Undirected("label")
        self.encoding = encoding
        if root is not None and root not in POLICIES:
            raise ParserError(f"the root policy is one of {', '.join(POLICIES)}, not {root!r}")
        self.root = root
        self.artificial_root = None if artificial_root is None else checked_root(artificial_root)
        self.scorer = make_scorer(scorer)
        if cutoff < 1:
            raise ParserError("the cut-off is 1 or more")
        check_beam(self.system, beam)
        self.cutoff = cutoff
        self.beam = beam
        self.trained: Trained | None = None
        _check_system(self.system, encoding, root)

    @property
    def builds_graphs(self) -> bool:
        """Whether it learns the arcs of DEPS and writes them there, in place of trees."""
        return builds_graphs(self.system)

    # Training

    def train(
        self,
        train: Treebank,
        *,
        dev: Treebank | None = None,
        epochs: int | None = None,
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

        What is learnt are the trees, or the graphs of DEPS if the system may give words several heads.
        Without a number of epochs, it goes with the data. The same data, options and seed give the same model. Ctrl-C
        ends training with the best model so far, once an epoch is done. `checkpoint` is a file that is written after
        each epoch; with `resume` training goes on from it, if it is there, to the very model that it would have come
        to. The functions are told how training goes: at its start, within and after each epoch.
        """
        if dev is not None:
            check_development(self.system, dev)
        artificial_root = self.artificial_root or default_artificial_root(self.system, train)
        target = make_target(
            self.system, self.encoding, train, root=self.root, artificial_root=artificial_root, threads=threads
        )
        report, arcs = target.report, target.arcs
        epochs = self.scorer.epochs_for(train.words) if epochs is None else epochs
        definition: Definition = self.scorer.definition(
            self.system, artificial_root, target.encoded_labels, train, self.cutoff
        )
        columns = definition.columns
        if on_start is not None:
            on_start(report)

        def trained(model: Model, record: dict[str, Any] | None = None) -> Trained:
            return Trained(
                definition,
                target.encoding,
                target.labels,
                target.encoded_root,
                target.policy,
                model,
                record or {},
                self.beam,
            )

        places = (train.word_offsets, arcs.arc_offsets)
        data = TrainingData(columns.values(train), *places, arcs.heads, arcs.dependents, arcs.labels)
        learner: Any = self.scorer.learner(
            definition,  # type: ignore[arg-type]  # made by this very scorer
            data,
            seed=seed,
            epochs=epochs,
            beam=self.beam,
            threads=threads,
        )
        evaluate = None
        if dev is not None:
            evaluate = make_evaluation(target, self.system, dev, columns.values(dev), trained, threads)
        trainer: Trainer[Any] = Trainer(learner, evaluate, seed, on_progress, on_epoch)
        best = None
        if checkpoint is not None:
            saved = Checkpoint(checkpoint, self._identity(train, dev, seed, epochs))
            found = saved.restore(learner, report) if resume else None
            best = None if found is None else definition.model(found)
            trainer.on_checkpoint = lambda so_far, model: saved.write(learner, so_far, definition.arrays(model))
        model = trainer.train(report, best, epochs, patience)
        self.trained = trained(model, self._record(train, seed, report))
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
            # Templates and views stand in the description, whether they were given or not.
            "scorer": {
                name: value
                for name, value in self.scorer.to_dict().items()
                if name not in ("templates", "label_templates", "views")
            },
            "beam": self.beam,
            "sources": list(train.sources),
            "fingerprint": _fingerprint(train),
            "crossarc": __version__,
        }

    def _identity(self, train: Treebank, dev: Treebank | None, seed: int, epochs: int) -> dict[str, Any]:
        """Return what makes training come to the model it comes to."""
        return {
            "training data": _fingerprint(train),
            "development data": None if dev is None else _fingerprint(dev),
            "system": self.system.to_dict(),
            "encoding": None if self.encoding is None else self.encoding.to_dict(),
            "root": self.root,
            "artificial root": self.artificial_root,
            "cut-off": self.cutoff,
            "scorer": self.scorer.name,
            "options of the scorer": self.scorer.to_dict(),
            # The rate at which a network learns falls until the last of them.
            "number of epochs": epochs if self.scorer.name == "network" else None,
            "beam": self.beam,
            "seed": seed,
            "version": __version__,
        }

    # Parsing

    @overload
    def parse(self, source: Treebank, *, beam: int | None = None, threads: int = 0) -> Treebank: ...
    @overload
    def parse(self, source: Sequence[str], *, beam: int | None = None, threads: int = 0) -> Sentence: ...
    def parse(
        self, source: Treebank | Sequence[str], *, beam: int | None = None, threads: int = 0
    ) -> Treebank | Sentence:
        """Return a treebank with the heads and labels that the parser finds, or for a list of words a sentence.

        Everything but HEAD, DEPREL and the arcs in DEPS that follow them stays as it is. Graphs replace DEPS of words,
        and HEAD and DEPREL stay. `beam`: how many states to keep, if not as many as in training.
        """
        if isinstance(source, Treebank):
            return self._parsed(source, beam, threads)
        return self._parsed(_treebank_of([source]), beam, threads)[0]

    def parse_batch(self, sentences: Sequence[Sequence[str]], *, beam: int | None = None, threads: int = 0) -> Treebank:
        """Return a treebank of sentences that are given as lists of words. The words have no tags then."""
        return self._parsed(_treebank_of(sentences), beam, threads)

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
        if n < 1:
            raise ParserError("the number of trees is 1 or more")
        treebank = source if isinstance(source, Treebank) else _treebank_of([source])
        found = self._analyses(treebank, n, beam, threads)
        return found if isinstance(source, Treebank) else found[0]

    def parse_scored(self, treebank: Treebank, *, beam: int | None = None, threads: int = 0) -> Analyses:
        """Return what `parse` does as `treebank`, with the scores and margins of all arcs."""
        return self._analyses(treebank, 1, beam, threads)

    def _analyses(self, treebank: Treebank, n: int, beam: int | None, threads: int) -> Analyses:
        if self.builds_graphs:
            raise ParserError(f"{self.system.name} builds graphs: scores and n best there are only of trees")
        trained = self._require_trained(beam)
        if self.system.chooses_position:
            raise ParserError(f"{self.system.name} is greedy and keeps no scores: it gives one tree, by parse")
        return analyses(trained, treebank, n, max(n, trained.beam), threads)

    def _parsed(self, treebank: Treebank, beam: int | None, threads: int) -> Treebank:
        trained = self._require_trained(beam)
        values = trained.definition.columns.values(treebank)
        if self.builds_graphs:
            if treebank.format != "conllu":
                raise ParserError("CoNLL-X has no DEPS column for graphs: convert the sentences to CoNLL-U first")
            return treebank.with_enhanced_arcs(parse_graphs(trained, treebank, values, threads))
        heads, labels = parse_arrays(trained, treebank, values, threads)
        return with_trees(trained, treebank, heads, labels)

    def _require_trained(self, beam: int | None) -> Trained:
        if self.trained is None:
            raise ParserError("the parser was not trained: call train, or load a model")
        if beam is None:
            return self.trained
        check_beam(self.system, beam)
        return replace(self.trained, beam=beam)

    # Files

    def save(self, path: str | os.PathLike[str], *, bits: int = 16, prune: float = 0.0) -> None:
        """Write the parser to a model file, whole or not at all.

        With weights of 8 `bits`, and without the share `prune` of the features, those that decide least, the file is
        smaller and the parser a little worse.
        """
        from .storage import model_file_of

        if self.trained is None:
            raise ParserError("the parser was not trained: there is nothing to save")
        write_model_file(path, model_file_of(self.trained, bits, prune))

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
            scorer=scorer_of(definition),
            beam=trained.beam,
        )
        parser.trained = trained
        return parser


def default_artificial_root(system: TransitionSystem, treebank: Treebank) -> str:
    """Return where the artificial root stands if nobody says.

    Where sentences have several roots, there must be one for them to hang on, each with a label of its own; in graphs a
    word with a head may be a root all the same; and reconstruction of directions starts from links to it. Otherwise
    parsers do a little better without one.
    """
    if system.is_undirected or builds_graphs(system):
        return "first"
    several = (roots_by_sentence(treebank.head, treebank.word_offsets) > 1).any()
    return "first" if several else "none"


def _treebank_of(sentences: Sequence[Sequence[str]]) -> Treebank:
    for number, words in enumerate(sentences, start=1):
        if isinstance(words, str):
            raise ParserError("give a list of words: a text has to be cut into words first")
        if not words or not all(isinstance(word, str) and word for word in words):
            raise ParserError(f"sentence {number}: a sentence is a list of words that are not empty")
    return Treebank.from_words(sentences)


def _fingerprint(treebank: Treebank) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for block in printed(treebank):
        digest.update(block)
    return digest.hexdigest()


def check_beam(system: TransitionSystem, beam: int) -> None:
    """Refuse what is no beam of a system."""
    if beam < 1:
        raise ParserError("the beam is 1 or more")
    if beam > 1 and system.chooses_position:
        raise ParserError(f"{system.name} is greedy, it takes the surest arc first: there is no beam but 1")


def _check_system(system: TransitionSystem, encoding: Encoding | None, root: str | None) -> None:
    """Refuse what no parser can be made of, with the reason."""
    system.require_bounded()
    known = knowledge_of(system)
    if system.chooses_position and dict(system.transitions) != dict(systems.easy_first.transitions):
        raise ParserError(f"{system.name} chooses a position with a transition: of such systems only easy-first parses")
    if any(one.arcs > 1 for one in system.transitions.values()):
        raise ParserError(f"{system.name} adds several arcs at once: labels are learnt for one at a time")
    if system.is_undirected != (encoding is not None and not encoding.directed):
        if system.is_undirected:
            raise ParserError(f'{system.name} builds links without direction: use the encoding Undirected("label")')
        raise ParserError(f"{system.name} builds arcs with a direction: take {system.name} without Undirected")
    if system.is_undirected and not known.acyclic:
        raise ParserError(f"{system.name} may link words in a circle: constrain it with acyclic=True")
    if builds_graphs(system):
        _check_graphs(system, encoding, root)


def _check_graphs(system: TransitionSystem, encoding: Encoding | None, root: str | None) -> None:
    if encoding is not None:
        raise ParserError(f"{system.name} builds graphs, and encodings are for trees: leave out the encoding")
    if root == "single":
        raise ParserError(f"{system.name} builds graphs, which may have any number of roots")
    if system.labels is not None:
        raise ParserError(f"{system.name} has labels: take it without, training finds those of the graphs")
