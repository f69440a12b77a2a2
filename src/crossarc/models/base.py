"""What models have in common: protocols of options, definitions, models and learners, and the kinds of models by name.

The *options* of a kind of model make a *definition*: all that a model consists of before it has learnt anything. A
definition makes a *learner* for training data, and a *model* of the arrays of a file; a learner gives models, too. A
*scorer* is the kind of options whose models choose the transitions and labels of a transition parser. One folder holds
all of a kind; parsers and commands know these protocols and find scorers by name. Another package joins by
`register_scorer`, or by an entry point of the group `crossarc.plugins` that names a module which does so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from .._arrays import AnyArray, Doubles, Flags, Floats, Ids, Offsets, Values
from ..errors import ParserError
from ..features import Vocabularies
from ..features.vocabularies import NO_FORMS, Characters, Forms
from ..options import Check
from ..treebank import Treebank
from .model_file import Arrays

if TYPE_CHECKING:
    from ..structure.arcs import Arcs
    from ..transitions import TransitionSystem

BITS = (8, 16)

_PLUGINS = "crossarc.plugins"


class SentenceInputs(NamedTuple):
    """What a model reads of sentences: values of words, where sentences begin, and the forms of words if it has any."""

    values: Values
    word_offsets: Offsets
    forms: Forms

    @classmethod
    def from_treebank(
        cls, treebank: Treebank, vocabularies: Vocabularies, characters: Characters | None = None
    ) -> SentenceInputs:
        """Return what is read of a treebank: attributes with vocabularies, and characters for models that read them."""
        forms = NO_FORMS if characters is None else characters.forms(treebank)
        return cls(vocabularies.values(treebank), treebank.word_offsets, forms)


class TrainingData(NamedTuple):
    """Sentences to learn from: what is read of them, where the arcs of sentences begin, and the arcs."""

    inputs: SentenceInputs
    arc_offsets: Offsets
    heads: Ids
    dependents: Ids
    labels: Ids


class SearchResult(NamedTuple):
    """What a beam search found: of sentence i the analyses from `offsets[i]` on, best first.

    `totals`: the score of each analysis. `arcs`: of each analysis, as if each were a sentence. `scores` and `margins`:
    of the transition that built each arc, and how much better it was than the best other one.
    """

    offsets: Offsets
    totals: Doubles
    arcs: Arcs
    scores: Floats
    margins: Floats

    @classmethod
    def from_arrays(
        cls,
        word_offsets: Offsets,
        offsets: Offsets,
        totals: Doubles,
        arc_offsets: Offsets,
        heads: Ids,
        dependents: Ids,
        labels: Ids,
        scores: Floats,
        margins: Floats,
    ) -> SearchResult:
        """Take the offsets of the words of sentences, and the arrays as the kernel gives them."""
        from ..structure.arcs import Arcs

        lengths = np.repeat(np.diff(word_offsets), np.diff(offsets))
        words = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        return cls(offsets, totals, Arcs(heads, dependents, labels, arc_offsets, words), scores, margins)

    @property
    def sentences(self) -> Offsets:
        """The number of the sentence of each analysis."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


class Trace(NamedTuple):
    """The transitions of one sentence, and the scores of all transitions at each step.

    `scores`: steps × transitions, NaN for those that are not legal there. `probabilities`: whether they are logarithms
    of probabilities.
    """

    transitions: Ids
    scores: Floats
    probabilities: bool


class Model(Protocol):
    """What was learnt."""

    @property
    def weight_count(self) -> int:
        """How many weights it has."""

    def arrays(self, bits: int = 16, prune: float = 0.0) -> Arrays:
        """Return the arrays of a file, with weights of so many bits and without a share of the features."""


AnyModel = TypeVar("AnyModel", bound=Model)
SomeModel = TypeVar("SomeModel", bound=Model, covariant=True)
Learnt = TypeVar("Learnt", covariant=True)


class Learner(Protocol[Learnt]):
    """Learns from training data, gives models, and can be stored in a checkpoint."""

    def learn(self, order: Ids, epoch: int) -> int:
        """Learn from sentences in this order and return the number of mistakes."""

    def model(self) -> Learnt:
        """Return the model that was learnt so far."""

    def state_dict(self) -> Arrays:
        """Return the whole state, as arrays by name."""

    def load_state_dict(self, arrays: Mapping[str, AnyArray]) -> None:
        """Take the state that `state_dict` gave; a KeyError or ValueError if these arrays are none."""


class ModelOptions(Protocol):
    """The options of a kind of model, see `crossarc.options`; those that cannot be are refused when they are made."""

    #: Of the kind, in commands and model files.
    name: ClassVar[str]
    #: Whether the number of epochs changes what each of them learns, as a learning rate that falls does.
    depends_on_epochs: ClassVar[bool]
    #: The share of features that `crossarc compress` leaves out.
    default_prune: ClassVar[float]

    def epochs_for(self, words: int) -> int:
        """Return how many epochs training data of so many words ask for."""

    def to_dict(self) -> dict[str, Any]:
        """Return all options as plain data: checkpoints are of the same training if they are equal."""


class Definition(Protocol[SomeModel]):
    """What a model consists of before it has learnt anything."""

    @property
    def vocabularies(self) -> Vocabularies:
        """What it reads of words."""

    def model(self, arrays: Mapping[str, AnyArray]) -> SomeModel:
        """Return the model whose `arrays` these are; others are refused."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a model file, with the name of the kind as `scorer` and without the vocabularies."""

    def summary(self) -> dict[str, Any]:
        """Return what `crossarc info` says about it."""


class TransitionModel(Model, Protocol):
    """A model that chooses transitions and labels."""

    def parse_arcs(self, inputs: SentenceInputs, threads: int) -> Arcs:
        """Return the arcs that greedy parsing builds in each sentence."""

    def search(self, inputs: SentenceInputs, width: int, kept: int, threads: int) -> SearchResult:
        """Search with a beam of some width and return at most so many analyses of each sentence."""

    def trace(self, inputs: SentenceInputs, given: Ids | None = None) -> Trace:
        """Return how greedy parsing goes through one sentence, or how transitions that are given are scored."""


@runtime_checkable
class Penalisable(Protocol):
    """A model that takes a crossing penalty; one of another package need not."""

    def penalised(self, amount: float, labels: Flags) -> TransitionModel:
        """Return the same model with transitions that let arcs cross, and these labels, worth so much less."""


class TransitionDefinition(Definition[TransitionModel], Protocol):
    """The definition of a model that chooses transitions of a system and so many labels."""

    @property
    def system(self) -> TransitionSystem:
        """The transition system."""

    @property
    def artificial_root(self) -> str:
        """Where the artificial root stands."""

    @property
    def labels(self) -> int:
        """How many labels there are."""

    @property
    def scorer(self) -> Scorer:
        """Options that make another definition like this one."""

    def inputs(self, treebank: Treebank) -> SentenceInputs:
        """Return what its models read of a treebank."""

    def learner(
        self, data: TrainingData, *, seed: int, epochs: int, beam: int, threads: int
    ) -> Learner[TransitionModel]:
        """Return a learner for these data; a beam that the kind cannot learn with is refused."""


class Scorer(ModelOptions, Protocol):
    """The options of a kind of model that chooses transitions and labels."""

    #: Checks of the fields that `to_dict` of its definitions gives a model file.
    fields: ClassVar[Mapping[str, Check]]

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Scorer:
        """Make it of options by name, as `to_dict` or a command line has them; unknown ones are refused."""

    def definition(
        self, system: TransitionSystem, artificial_root: str, labels: int, treebank: Treebank, cutoff: int
    ) -> TransitionDefinition:
        """Return the definition of a model, with the vocabularies of training data."""

    @classmethod
    def definition_from_dict(
        cls,
        data: Mapping[str, Any],
        system: TransitionSystem,
        artificial_root: str,
        labels: int,
        vocabularies: Vocabularies,
    ) -> TransitionDefinition:
        """Return the definition whose `to_dict` a model file has."""

    def inputs(self, system: TransitionSystem) -> dict[str, list[str]]:
        """Return what models read of words and configurations of a system, in sections with titles."""


ScorerKind = TypeVar("ScorerKind", bound=type[Scorer])
Kind = TypeVar("Kind")
#: Makes a learner in torch of a definition and training data; by name: seed, epochs, device, threads.
MakeTorchLearner = Callable[..., Learner[Any]]
TorchKind = TypeVar("TorchKind", bound=MakeTorchLearner)

#: The kinds of scorers of this package, by name, and the folders that register them.
SCORERS = {
    "network": "neural.transitions",
    "perceptron": "perceptron.options",
    "svm": "classifiers.svm",
    "linear-svm": "classifiers.linear_svm",
    "memory": "classifiers.memory",
}
_SCORERS: dict[str, type[Scorer]] = {}
#: The networks of this package that torch can train, by name, and the files that register how.
TORCH_LEARNERS = {"network": "neural.torch.transitions", "biaffine": "neural.torch.biaffine"}
_TORCH_LEARNERS: dict[str, MakeTorchLearner] = {}


def register_scorer(kind: ScorerKind) -> ScorerKind:
    """Make a kind of scorer known by its name."""
    _SCORERS[kind.name] = kind
    return kind


def scorer_kind(name: str) -> type[Scorer]:
    """Return a kind of scorer by its name."""
    kind = registered(_SCORERS, name, {own: f"{__package__}.{home}" for own, home in SCORERS.items()})
    if kind is None:
        names = dict.fromkeys([*SCORERS, *_SCORERS])
        raise ParserError(f"the scorer is one of {', '.join(names)}, not {name!r}")
    return kind


def register_torch_learner(name: str) -> Callable[[TorchKind], TorchKind]:
    """Make known how torch trains the models of a kind of scorer."""

    def register(make: TorchKind) -> TorchKind:
        _TORCH_LEARNERS[name] = make
        return make

    return register


def torch_learner(name: str) -> MakeTorchLearner | None:
    """Return what makes learners in torch for a kind of scorer by its name; None if there is nothing."""
    if name in TORCH_LEARNERS:
        check_torch("cpu")  # these files import it
    return registered(_TORCH_LEARNERS, name, {own: f"{__package__}.{home}" for own, home in TORCH_LEARNERS.items()})


def check_torch(device: str) -> None:
    """Refuse a device that torch does not have, and any where torch is not installed."""
    try:
        import torch
    except ImportError as error:
        raise ParserError(
            "training on a device needs torch: pip install 'crossarc[torch]', or leave out the device"
        ) from error
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ParserError(f"torch has no device {device!r} here ({str(error).splitlines()[0]}): take cpu") from error


def make_scorer(scorer: str | Scorer) -> Scorer:
    """Return a scorer, for a name the one with default options; it must be registered, or no model could be loaded."""
    kind = scorer_kind(scorer if isinstance(scorer, str) else getattr(scorer, "name", str(scorer)))
    return kind.from_dict({}) if isinstance(scorer, str) else scorer


def registered(kinds: Mapping[str, Kind], name: str, homes: Mapping[str, str]) -> Kind | None:
    """Return a registered kind by its name, after importing its home, or plugins, if need be; None if there is none."""
    if name not in kinds and name in homes:
        import_module(homes[name])
    if name not in kinds:
        _load_plugins()
    return kinds.get(name)


@lru_cache(maxsize=1)
def _load_plugins() -> None:
    """Import the modules that installed packages name; they register what they have."""
    from importlib.metadata import entry_points

    for plugin in entry_points(group=_PLUGINS):
        try:
            plugin.load()
        except ImportError as error:
            raise ParserError(f"the plugin {plugin.name} cannot be imported ({error}): mend or remove it") from error


def check_bits(bits: int) -> None:
    """Refuse weights of other sizes than files have."""
    if bits not in BITS:
        raise ParserError(f"weights have {' or '.join(map(str, BITS))} bits, not {bits}")
