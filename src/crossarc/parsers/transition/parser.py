"""TransitionParser: a transition system, an encoding around it and a model that chooses transitions and labels.

Training encodes the trees, learns to build them and keeps the model that is best on development data; parsing builds,
restores and sees to it that every sentence is a tree with the root policy of the model. O(beam · transitions of the
system) for each sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ..._progress import logger
from ...encodings import Encoding, from_dict, named_encoding, needs_links_to_the_root
from ...errors import ParserError
from ...models.base import (
    Learner,
    Scorer,
    Trace,
    TrainingData,
    TransitionDefinition,
    TransitionModel,
    check_torch,
    make_scorer,
    scorer_kind,
    torch_learner,
)
from ...models.model_file import ModelFile, ModelFileError, check_fields
from ...options import MOST_LABELS, Check, checked, checked_threads, nullable, one_of, structure, truth, whole
from ...structure.arcs import Arcs
from ...training.loop import TrainingSettings, train_model
from ...training.report import TrainingReport
from ...transitions import TransitionSystem, load_system
from ...transitions.algebra import ROOTS, checked_root, systems
from ...transitions.oracles import OracleSupport
from ...treebank import Treebank, opened
from ...treebank.reading import Source
from ..advice import choose
from ..analyses import Analyses
from ..base import Abilities, ParseOptions
from ..crossing_options import AUTO, check_penalty, checked_penalty, checked_punctuation
from ..punctuation import keeps_punctuation_projective, reads_tags
from ..trainable import StoredParts, TrainableParser, Trained, register_parser, required
from ..trees import check_trees, with_trees
from .crossing_penalty import choose_penalty, may_be_penalised
from .enhanced import builds_enhanced_graphs, parse_enhanced
from .restoring import TransitionTrained, analyses, parse_arrays
from .targets import Target, check_development, default_artificial_root, make_evaluation, make_target

_log = logger("parsers")

#: The widest beam of training and of model files, whose readers pay for it; for parsing a wider one can be asked for.
_MOST_BEAM = 256
#: What files of older versions lack.
_CROSSING_FIELDS: Mapping[str, Check] = {"crossing_penalty": check_penalty, "crossing_punctuation": truth}


@register_parser
class TransitionParser(TrainableParser):
    """A parser that builds trees, or enhanced graphs, by the transitions of a system.

    Parameters:
        system: A name of the catalogue, a file `mine.py:system`, or a `TransitionSystem`; "auto" for the system and the
            encoding that fit the training data, as `crossarc analyze` recommends them. What a system learns that may
            give words several heads are the enhanced graphs in DEPS; it replaces DEPS and leaves HEAD and DEPREL.
        encoding: What goes around the system: `PseudoProjective("head")` or its name, "head", for projective systems
            ("path", "head+path", "baseline"; "undirected"; "head,undirected" for both); systems without direction need
            `Undirected(…)`, which they get by themselves.
        root: The root policy, "single" or "any" number of roots; by default what the training data keep.
        artificial_root: Where the artificial root stands among the words, "none", "first" or "last"; by default as the
            data ask.
        scorer: The model that chooses transitions and labels: "network", "perceptron", "svm", "linear-svm", "memory",
            or options, `Network(…)`, `Perceptron(…)`, `Svm(…)`, `LinearSvm(…)`, `MemoryBased(…)`.
        cutoff: How often a form, a lemma and so on must occur to be known.
        beam: How many states the search keeps; 1 is greedy. Perceptrons learn with the beam, too; easy-first has none,
            since it is greedy by nature.
        crossing_penalty: By how much a transition that lets arcs cross (SWAP, an arc that crosses another) or the label
            of a lifted arc must be better than the others: in logarithms of probabilities, for other models than
            networks in their own scores; less than 0 if it may be worse. "auto": what is best for non-projective arcs
            of development data, 0 without. It can be set after training, too.
        crossing_punctuation: Whether punctuation may be attached so that its arc, or another one because of it, is
            non-projective; "auto" for no if that of the training data is not.
    """

    type = "transition parser"
    later_fields: ClassVar[Mapping[str, Check]] = _CROSSING_FIELDS
    fields: ClassVar[Mapping[str, Check]] = {
        "system": structure,
        "artificial_root": one_of(*ROOTS),
        "encoding": nullable(structure),
        "encoded_labels": whole(1, MOST_LABELS),
        "encoded_root": whole(0, MOST_LABELS),
        "beam": whole(1, _MOST_BEAM),
    }

    scorer: Scorer
    trained: TransitionTrained | None

    def __init__(
        self,
        system: str | TransitionSystem = "2-planar",
        *,
        encoding: Encoding | str | None = None,
        root: str | None = None,
        artificial_root: str | None = None,
        scorer: str | Scorer = "network",
        cutoff: int = 1,
        beam: int = 1,
        crossing_penalty: float | str = AUTO,
        crossing_punctuation: bool | str = AUTO,
    ) -> None:
        """Choose a system and options; those that do not go together are refused."""
        super().__init__(make_scorer(scorer), root=root, cutoff=cutoff)
        self.artificial_root = None if artificial_root is None else checked_root(artificial_root)
        self.chooses_system = system == AUTO
        self._system: TransitionSystem | None = None
        self.encoding: Encoding | None = None
        self.beam = self.fields["beam"]("beam", beam)
        self._crossing_penalty = checked_penalty(crossing_penalty)
        self._crossing_punctuation = checked_punctuation(crossing_punctuation)
        if not self.chooses_system:
            self._take(load_system(system), _made_encoding(encoding))
        elif encoding is not None:
            raise ParserError('"auto" chooses the encoding, too: leave out the encoding, or name a system')

    def _take(self, system: TransitionSystem, encoding: Encoding | None) -> None:
        """Take a system and an encoding; what does not go together with the options is refused."""
        if system.is_undirected and encoding is None:
            encoding = named_encoding("undirected")
        _checked_beam(system, self.beam)
        _check_system(system, encoding, self.root)
        if self.artificial_root == "none" and needs_links_to_the_root(encoding):
            raise ParserError(
                "naive reconstruction directs all links away from the artificial root, so there must be one: leave out "
                'artificial_root="none", or use Undirected("label")'
            )
        self._system, self.encoding = system, encoding

    @property
    def system(self) -> TransitionSystem:
        """The transition system; with "auto" it is chosen when the parser is trained."""
        if self._system is None:
            raise ParserError('the system is "auto": it is chosen when the parser is trained')
        return self._system

    @property
    def name(self) -> str:
        """The name of the system."""
        return AUTO if self._system is None else self._system.name

    @property
    def builds_enhanced_graphs(self) -> bool:
        """Whether it learns the arcs of DEPS and writes them there, in place of trees."""
        return self._system is not None and builds_enhanced_graphs(self._system)

    @property
    def abilities(self) -> Abilities:
        if self.builds_enhanced_graphs:
            return Abilities(enhanced_graphs=True)
        searches = self._system is None or not self._system.chooses_position
        return Abilities(several_trees=searches, steps=self if searches else None)

    @property
    def definition(self) -> TransitionDefinition:
        """What its model consists of."""
        return required(self.trained).definition

    @property
    def crossing_penalty(self) -> float | str:
        """What lets arcs cross loses so much; of a trained parser a number, which can be changed."""
        return self._crossing_penalty if self.trained is None else self.trained.crossing_penalty

    @crossing_penalty.setter
    def crossing_penalty(self, penalty: float | str) -> None:
        checked = checked_penalty(penalty)
        if self.trained is not None:
            if isinstance(checked, str):
                raise ParserError("a crossing penalty is chosen in training: give a number afterwards")
            self._check_penalty(checked, self.trained.definition, self.trained.encoding)
            self.trained = replace(self.trained, crossing_penalty=checked)
        self._crossing_penalty = checked

    def set_crossing_penalty(self, penalty: float) -> None:
        self.crossing_penalty = penalty

    def choose_crossing_penalty(self, dev: Treebank | Source, *, threads: int = 0) -> float:
        """Take the penalty that is best for the non-projective arcs of development data, as training does.

        For a parser that was trained without such data, or by an older version. With fewer than five such arcs it is 0.
        """
        dev = opened(dev, threads=checked_threads(threads))
        check_development(self.system, dev)
        chosen = choose_penalty(required(self.trained), dev, threads)
        penalty = 0.0 if chosen is None else chosen[0]
        self.trained = replace(required(self.trained), crossing_penalty=penalty)
        return penalty

    @property
    def crossing_punctuation(self) -> bool | str:
        """Whether punctuation may make arcs non-projective; of a trained parser it can be changed, too."""
        return self._crossing_punctuation if self.trained is None else self.trained.crossing_punctuation

    @crossing_punctuation.setter
    def crossing_punctuation(self, crossing: bool | str) -> None:
        checked = checked_punctuation(crossing)
        if self.trained is not None:
            if isinstance(checked, str):
                raise ParserError("what punctuation does is learnt in training: give True or False afterwards")
            self.trained = replace(self.trained, crossing_punctuation=checked)
        self._crossing_punctuation = checked

    def _check_penalty(self, penalty: float | str, definition: TransitionDefinition, encoding: Encoding | None) -> None:
        if penalty not in (0.0, AUTO) and not may_be_penalised(definition.system, encoding):
            raise ParserError(f"no transition of {self.name} lets arcs cross: leave out the crossing penalty")

    # Training

    def _learn(
        self, train: Treebank, dev: Treebank | None, settings: TrainingSettings
    ) -> tuple[TrainingReport, Trained]:
        threads = settings.threads
        if self.chooses_system:
            check_trees(train, "training")
            choice = choose(train, threads=threads)
            self._take(load_system(choice.system), choice.encoding)
            _log.info("%s: %s", choice.name, choice.reason)
        if dev is not None:
            check_development(self.system, dev)
        artificial_root = self.artificial_root or default_artificial_root(self.system, self.encoding, train)
        target = make_target(
            self.system, self.encoding, train, root=self.root, artificial_root=artificial_root, threads=threads
        )
        gold = train if settings.gold is None else settings.gold
        definition = self.scorer.definition(self.system, artificial_root, target.encoded_labels, gold, self.cutoff)
        target = self._with_crossings(target, definition, train, threads)
        learner = self._learner(definition, target.data(definition, train), settings)
        evaluate = None if dev is None else make_evaluation(target, definition, dev, self.beam, threads)
        model = train_model(
            definition, learner, evaluate, target.report, settings, lambda: self._identity(train, dev, settings)
        )
        trained = target.trained(definition, model, self.beam)
        if self._crossing_penalty == AUTO and dev is not None and not target.report.interrupted:
            trained = _with_chosen_penalty(trained, dev, target.report, threads)
        return target.report, trained

    def _with_crossings(
        self, target: Target, definition: TransitionDefinition, train: Treebank, threads: int
    ) -> Target:
        """Return what is learnt with the penalty that is given, and with what punctuation does."""
        self._check_penalty(self._crossing_penalty, definition, target.encoding)
        penalty = 0.0 if isinstance(self._crossing_penalty, str) else self._crossing_penalty
        crossing = self._crossing_punctuation
        if crossing == AUTO:
            tags = reads_tags(definition)
            learns = not self.builds_enhanced_graphs
            crossing = not (learns and keeps_punctuation_projective(train, tags=tags, threads=threads))
        return replace(target, crossing_penalty=penalty, crossing_punctuation=bool(crossing))

    def _learner(
        self, definition: TransitionDefinition, data: TrainingData, settings: TrainingSettings
    ) -> Learner[TransitionModel]:
        """Return a native learner, or that of torch on a device; both begin with the same weights."""
        seed, epochs, threads, device = settings.seed, settings.epochs, settings.threads, settings.device
        if device is None:
            return definition.learner(data, seed=seed, epochs=epochs, beam=self.beam, threads=threads)
        make = torch_learner(definition.scorer.name)
        if make is None or self.system.chooses_position:
            trained = self.name if self.system.chooses_position else definition.scorer.name
            raise ParserError(f"torch trains networks that choose transitions, not {trained}: leave out the device")
        check_torch(device)
        return make(definition, data, seed=seed, epochs=epochs, device=device, threads=threads)

    def _identity(self, train: Treebank, dev: Treebank | None, settings: TrainingSettings) -> dict[str, Any]:
        trainer = {} if settings.device is None else {"trainer": "torch"}
        return {**super()._identity(train, dev, settings), **trainer}

    def _record(self, train: Treebank, seed: int, report: TrainingReport, trained: Trained) -> dict[str, Any]:
        return {**super()._record(train, seed, report, trained), "beam": self.beam}

    def _options(self) -> dict[str, Any]:
        return {
            "system": self.system.to_dict(),
            "encoding": None if self.encoding is None else self.encoding.to_dict(),
            "artificial root": self.artificial_root,
            "beam": self.beam,
            "crossing penalty": self._crossing_penalty,
            "crossing punctuation": self._crossing_punctuation,
        }

    # Parsing

    def _parsed(self, treebank: Treebank, options: ParseOptions) -> Treebank:
        trained, threads = self._with_beam(options.beam), options.threads
        inputs = trained.definition.inputs(treebank)
        if self.builds_enhanced_graphs:
            if treebank.format != "conllu":
                raise ParserError("CoNLL-X has no DEPS column for graphs: convert the sentences to CoNLL-U first")
            return treebank.with_enhanced_arcs(parse_enhanced(trained, treebank, inputs, threads))
        return with_trees(treebank, *parse_arrays(trained, treebank, inputs, threads), trained.labels)

    def parse_links(self, treebank: Treebank, *, beam: int | None = None, threads: int = 0) -> Arcs:
        """Return the arcs or links that transitions build, before the encoding restores trees from them.

        Labels are numbers of the encoding's `encoded_labels`, without an encoding of `labels`. With
        `crossarc.evaluation.undirected_attachment` they can be scored as they are (2012, Section 6).
        """
        trained = self._with_beam(beam)
        return trained.built(trained.definition.inputs(treebank), checked_threads(threads))

    def trace(self, treebank: Treebank, transitions: Sequence[str] | None = None) -> Trace:
        """Return how greedy parsing goes through a treebank of one sentence, with the scores of all transitions.

        With `transitions`, by name, these are done and scored instead, as an oracle gives them. Easy-first has no
        trace: it scores all positions at once.
        """
        trained = required(self.trained)
        if self.system.chooses_position:
            raise ParserError(f"{self.name} chooses among positions: there are no scores of single transitions")
        if len(treebank) != 1:
            raise ParserError(f"one sentence is traced at a time, not {len(treebank)}")
        numbers = {name: number for number, name in enumerate(self.system.transitions)}
        given = None if transitions is None else np.array([numbers.get(name, -1) for name in transitions], np.int32)
        try:
            return trained.searched.trace(trained.definition.inputs(treebank), given)
        except ValueError as error:  # a transition that is not legal
            raise ParserError(f"{self.name}: {error}") from error

    def labels_of_steps(self, treebank: Treebank) -> list[str | None]:
        """Return the labels of the arcs that greedy parsing adds to one sentence, before the encoding restores them."""
        trained = required(self.trained)
        known = trained.labels if trained.encoding is None else trained.encoding.encoded_labels
        built = trained.searched.parse_arcs(trained.definition.inputs(treebank), 1)
        return [known[number] if 0 <= number < len(known) else None for number in built.labels.tolist()]

    def _analyses(self, treebank: Treebank, n: int, options: ParseOptions) -> Analyses:
        if self.builds_enhanced_graphs:
            raise ParserError(f"{self.name} builds graphs: scores and n best there are only of trees")
        trained = self._with_beam(options.beam)
        if self.system.chooses_position:
            raise ParserError(f"{self.name} is greedy and keeps no scores: it gives one tree, by parse")
        return analyses(trained, treebank, n, max(n, trained.beam), options.threads)

    def _with_beam(self, beam: int | None) -> TransitionTrained:
        trained = required(self.trained)
        if beam is None:
            return trained
        return replace(trained, beam=_checked_beam(self.system, beam))

    # Files

    def _description(self) -> dict[str, Any]:
        trained = required(self.trained)
        definition, encoding = trained.definition, trained.encoding
        return {
            "system": definition.system.to_dict(),
            "artificial_root": definition.artificial_root,
            "encoding": None if encoding is None else encoding.to_dict(),
            "encoded_labels": definition.labels,
            "encoded_root": trained.encoded_root,
            "beam": trained.beam,
            "crossing_penalty": trained.crossing_penalty,
            "crossing_punctuation": trained.crossing_punctuation,
        }

    @classmethod
    def _restored(cls, file: ModelFile, parts: StoredParts) -> TransitionParser:
        data = file.description
        kind = scorer_kind(data["scorer"])
        check_fields("description", data, kind.fields, _CROSSING_FIELDS)
        encoding = None if data["encoding"] is None else from_dict(data["encoding"])
        system = TransitionSystem.from_dict(data["system"])
        encoded_root = data["encoded_root"]
        _check_stored_labels(system, encoding, parts.labels, data["encoded_labels"], encoded_root)
        definition = kind.definition_from_dict(
            data, system, checked_root(data["artificial_root"]), data["encoded_labels"], parts.vocabularies
        )
        model = definition.model(file.arrays)
        parser = cls(
            definition.system,
            encoding=encoding,
            root=parts.policy.kind,
            artificial_root=definition.artificial_root,
            scorer=definition.scorer,
            beam=data["beam"],
            crossing_penalty=data.get("crossing_penalty", 0.0),
            crossing_punctuation=data.get("crossing_punctuation", True),
        )
        parser.trained = TransitionTrained(
            definition,
            model,
            parts.labels,
            parts.policy,
            encoding,
            encoded_root,
            parser.beam,
            data.get("crossing_penalty", 0.0),
            data.get("crossing_punctuation", True),
            record=parts.record,
        )
        return parser

    def _summary(self) -> dict[str, Any]:
        trained = required(self.trained)
        return {
            "system": self.name,
            "encoding": None if self.encoding is None else self.encoding.type,
            "artificial_root": trained.definition.artificial_root,
            "beam": trained.beam,
            "crossing_penalty": trained.crossing_penalty,
            "crossing_punctuation": trained.crossing_punctuation,
        }


def _with_chosen_penalty(
    trained: TransitionTrained, dev: Treebank, report: TrainingReport, threads: int
) -> TransitionTrained:
    """Return a parser with the penalty that is best on development data; the report has its scores there."""
    chosen = choose_penalty(trained, dev, threads)
    if chosen is None:
        return trained
    penalty, (las, uas, _, strict_f, _) = chosen
    kept = report.epochs[report.best - 1]
    report.epochs[report.best - 1] = replace(kept, las=las, uas=uas, strict_f=strict_f)
    return replace(trained, crossing_penalty=penalty)


def _check_stored_labels(
    system: TransitionSystem, encoding: Encoding | None, labels: tuple[str, ...], encoded: int, encoded_root: int
) -> None:
    """Refuse labels of a model file that are not those of its encoding, or cannot be written."""
    known = labels if encoding is None else encoding.labels
    expected = labels if encoding is None else encoding.encoded_labels
    if known != labels or len(expected) != encoded or encoded_root >= encoded:
        raise ModelFileError(f"{len(labels)} labels do not fit {encoded} of the encoding, or its root {encoded_root}")
    # Several relations between two words are one label there, joined by |.
    if builds_enhanced_graphs(system) and not all(part for label in labels for part in label.split("|")):
        raise ModelFileError("a label of the enhanced graphs is empty")


def _made_encoding(encoding: Encoding | str | None) -> Encoding | None:
    """Return an encoding that is given as such or by its name."""
    if encoding is None or isinstance(encoding, Encoding):
        return encoding
    if isinstance(encoding, str):
        return named_encoding(encoding)
    raise ParserError(f"the encoding is a name such as head, or PseudoProjective(…), not a {type(encoding).__name__}")


def _checked_beam(system: TransitionSystem, beam: int) -> int:
    """Return the width of a beam; one that a system cannot have is refused."""
    width = checked("beam", beam)
    if width > 1 and system.chooses_position:
        raise ParserError(f"{system.name} is greedy, it takes the surest arc first: there is no beam but 1")
    return width


def _check_system(system: TransitionSystem, encoding: Encoding | None, root: str | None) -> None:
    """Refuse systems that no parser can be made of, and encodings that do not fit, with the reason."""
    system.require_bounded()
    support = OracleSupport.from_system(system)
    if system.chooses_position and set(system.transitions.values()) != set(systems.easy_first.transitions.values()):
        raise ParserError(f"{system.name} chooses a position with a transition: of such systems only easy-first parses")
    if any(one.arcs > 1 for one in system.transitions.values()):
        raise ParserError(f"{system.name} adds several arcs at once: labels are learnt for one at a time")
    if system.is_undirected != (encoding is not None and not encoding.directed):
        if system.is_undirected:
            raise ParserError(f'{system.name} builds links without direction: use the encoding Undirected("label")')
        raise ParserError(f"{system.name} builds arcs with a direction: take {system.name} without Undirected")
    if system.is_undirected and not support.acyclic:
        raise ParserError(f"{system.name} may link words in a circle: constrain it with acyclic=True")
    if builds_enhanced_graphs(system):
        _check_enhanced(system, encoding, root)


def _check_enhanced(system: TransitionSystem, encoding: Encoding | None, root: str | None) -> None:
    if encoding is not None:
        raise ParserError(f"{system.name} builds graphs, and encodings are for trees: leave out the encoding")
    if root == "single":
        raise ParserError(f"{system.name} builds graphs, which may have any number of roots")
    if system.labels is not None:
        raise ParserError(f"{system.name} has labels: take it without, training finds those of the graphs")
