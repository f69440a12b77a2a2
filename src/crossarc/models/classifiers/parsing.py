"""Transition parsers whose choices are made by classifiers: examples from derivations, and parsing in lockstep.

Examples are the configurations of the derivations that the static oracle gives for the training data. A class is a
transition with its label, as MaltParser and the papers train; or transitions are classified first, and for each that
adds an arc its labels. In parsing all sentences take a step together, so that a classifier is asked about many
configurations at once, and takes the best class whose transition is legal. O(transitions) questions for a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..._arrays import AnyArray, Doubles, Flags, Ids, Values
from ...errors import ParserError
from ...features import Vocabularies
from ...structure.arcs import Arcs
from ...transitions import TransitionSystem
from ...transitions.oracles import GoldArcs
from ...transitions.running import NO_LABEL
from ..base import SearchResult, SentenceInputs, Trace, TrainingData
from ..lockstep import Lockstep
from ..model_file import Arrays
from .ensemble import Ensemble


class Examples(NamedTuple):
    """What was seen, a row of atoms for each configuration, and what was done there."""

    atoms: Values
    actions: Ids
    labels: Ids


def examples_of(batch: Lockstep, data: TrainingData, sentences: Ids) -> Examples:
    """Return the choices of the derivations of some sentences: configurations in which there is something to choose."""
    values, word_offsets, _ = data.inputs
    words = np.diff(word_offsets).astype(np.int32)
    gold = GoldArcs(words, data.arc_offsets, data.heads, data.dependents, data.labels)
    batch.start(word_offsets, values, gold=gold, sentences=sentences)
    adds_arc = arcs_of(batch.system)
    found: list[Examples] = []
    while not batch.finished():
        atoms, legal = batch.features(), batch.legal()
        actions = (batch.costs() == 0).argmax(axis=1).astype(np.int32)
        labels = batch.gold_labels(actions)
        # An arc that is not gold has no label to learn from.
        chosen = np.where(adds_arc[actions], labels != NO_LABEL, legal.sum(axis=1) > 1)
        found.append(Examples(atoms[chosen], actions[chosen], labels[chosen]))
        batch.apply(actions, np.where(adds_arc[actions], np.maximum(labels, 0), NO_LABEL))
    return Examples(*(np.concatenate(column) for column in zip(*found, strict=True)))


def arcs_of(system: TransitionSystem) -> Flags:
    """Return which transitions add an arc."""
    return np.array([one.arcs > 0 for one in system.transitions.values()], np.bool_)


class Penalty(NamedTuple):
    """What choices lose that let arcs cross: actions of rows, and labels."""

    amount: float
    #: Rows × actions; none if nothing is lost.
    crossing: Flags
    labels: Flags

    def of_classes(self, classes: Ids, rows: AnyArray) -> Doubles | float:
        """Return what classes, actions with labels, lose in some rows."""
        if not self.amount:
            return 0.0
        actions: Doubles = np.where(self.crossing[rows][:, classes[:, 0]], self.amount, 0.0)
        return actions + self.of_labels(classes[:, 1])

    def of_labels(self, labels: Ids) -> Doubles | float:
        """Return what labels lose; -1 is none."""
        if not self.amount or not self.labels.any():
            return 0.0
        lost: Doubles = np.where(self.labels[labels] & (labels >= 0), self.amount, 0.0)
        return lost


@dataclass(frozen=True, eq=False)
class Choices:
    """The ensembles of a parser: of transitions, with their labels if `labels` is None, and of labels by transition."""

    transitions: Ensemble
    labels: Mapping[int, Ensemble] | None

    def named(self) -> Iterator[tuple[str, Ensemble]]:
        """Return all ensembles with their names in files."""
        if self.labels is None:
            yield "joint", self.transitions
            return
        yield "transitions", self.transitions
        for action, ensemble in sorted(self.labels.items()):
            yield f"labels{action}", ensemble

    def choose(self, atoms: Values, legal: Flags, adds_arc: Flags, threads: int, penalty: Penalty) -> tuple[Ids, Ids]:
        """Return a legal action for each row, and the label of its arc."""
        rows = len(atoms)
        actions = legal.argmax(axis=1).astype(np.int32)
        labels = np.full(rows, NO_LABEL, np.int32)
        asked = np.flatnonzero((legal.sum(axis=1) > 1) | (adds_arc[actions] if self.labels is None else False))
        if len(asked):
            classes = self.transitions.classes
            scores = self.transitions.scores(atoms[asked], threads) - penalty.of_classes(classes, asked)
            best = np.where(legal[asked][:, classes[:, 0]], scores, -np.inf).argmax(axis=1)
            actions[asked], labels[asked] = classes[best].T
        if self.labels is None:
            return actions, labels
        for action in np.unique(actions[adds_arc[actions]]).tolist():
            own, ensemble = np.flatnonzero(actions == action), self.labels.get(action)
            labels[own] = 0
            if ensemble is not None:
                scores = ensemble.scores(atoms[own], threads) - penalty.of_labels(ensemble.classes[:, 1])
                labels[own] = ensemble.classes[scores.argmax(axis=1), 1]
        return actions, labels

    def best_scores(self, atoms: Values, transitions: int, penalty: Penalty) -> AnyArray:
        """Return the best score that each transition has in one configuration."""
        classes = self.transitions.classes
        scores = (self.transitions.scores(atoms, 1) - penalty.of_classes(classes, np.zeros(1, np.int64)))[0]
        best = np.full(transitions, -np.inf)
        np.maximum.at(best, classes[:, 0], scores)
        return best


@dataclass(frozen=True, eq=False)
class ClassifierModel:
    """Choices, and the lockstep that shows them configurations."""

    name: str
    choices: Choices
    make_lockstep: LockstepMaker
    #: What transitions that let arcs cross lose, and which labels lose as much.
    penalty: float = 0.0
    penalised_labels: Flags = field(default_factory=lambda: np.zeros(0, np.bool_))

    def penalised(self, amount: float, labels: Flags) -> ClassifierModel:
        return replace(self, penalty=amount, penalised_labels=labels)

    def _penalty(self, batch: Lockstep) -> Penalty:
        crossing = batch.crossing() if self.penalty else np.zeros((0, 0), np.bool_)
        return Penalty(self.penalty, crossing, self.penalised_labels)

    @property
    def weight_count(self) -> int:
        return sum(ensemble.weight_count for _, ensemble in self.choices.named())

    def parse_arcs(self, inputs: SentenceInputs, threads: int) -> Arcs:
        batch = self.make_lockstep(threads)
        adds_arc = arcs_of(batch.system)
        batch.start(inputs.word_offsets, inputs.values)
        while not batch.finished():
            chosen = self.choices.choose(batch.features(), batch.legal(), adds_arc, threads, self._penalty(batch))
            batch.apply(*chosen)
        arcs = batch.arcs()
        if batch.system.is_undirected:  # the left word of a link, of which 0 is always one, in place of the head
            ends = np.sort(np.stack([arcs.heads, arcs.dependents]), axis=0)
            arcs = Arcs(ends[0], ends[1], arcs.labels, arcs.offsets, arcs.word_offsets)
        return arcs

    def search(self, inputs: SentenceInputs, width: int, kept: int, threads: int) -> SearchResult:
        """Refuse: classifiers give no scores that add up along a sequence."""
        raise ParserError(f"{self.name} parses greedily: there is no beam but 1, and there are no scores of arcs")

    def trace(self, inputs: SentenceInputs, given: Ids | None = None) -> Trace:
        """Return how greedy parsing goes through one sentence, or how transitions that are given are scored.

        The score of a transition is that of the best class it has.
        """
        batch = self.make_lockstep(1)
        adds_arc = arcs_of(batch.system)
        batch.start(inputs.word_offsets, inputs.values)
        transitions: list[int] = []
        rows: list[AnyArray] = []
        while not batch.finished() and (given is None or len(transitions) < len(given)):
            atoms, legal = batch.features(), batch.legal()
            penalty = self._penalty(batch)
            actions, labels = self.choices.choose(atoms, legal, adds_arc, 1, penalty)
            if given is not None and actions[0] != given[len(transitions)]:
                actions = given[len(transitions) : len(transitions) + 1]
                labels = np.where(adds_arc[actions], 0, NO_LABEL).astype(np.int32)
            rows.append(np.where(legal[0], self.choices.best_scores(atoms, len(adds_arc), penalty), np.nan))
            batch.apply(actions, labels)
            transitions.append(int(actions[0]))
        scores = np.array(rows, np.float32).reshape(len(transitions), len(adds_arc))
        return Trace(np.array(transitions, np.int32), scores, probabilities=False)

    def arrays(self, bits: int = 16, prune: float = 0.0) -> Arrays:
        """Return the arrays of a file; there are no smaller ones."""
        if bits != 16 or prune:
            raise ParserError(f"models of the scorer {self.name} cannot be made smaller")
        arrays: Arrays = {}
        for name, ensemble in self.choices.named():
            arrays |= ensemble.arrays(name)
        return arrays


class LockstepMaker(NamedTuple):
    """Makes the lockstep of a parser for a number of threads; static for training."""

    system: TransitionSystem
    templates: tuple[str, ...]
    columns: Vocabularies
    root: str

    def __call__(self, threads: int, static: bool = False) -> Lockstep:
        """Return it."""
        return Lockstep(self.system, self.templates, self.columns, root=self.root, static=static, threads=threads)


def check_classes(name: str, classes: AnyArray, system: TransitionSystem, labels: int) -> None:
    """Refuse classes of a file that are no transitions of the system, or have labels that there are not."""
    adds_arc = arcs_of(system)
    actions, numbers = classes[:, 0], classes[:, 1]
    if not len(classes) or actions.min() < 0 or actions.max() >= len(adds_arc):
        raise ValueError(f"{name}: a class is no transition of {system.name}")
    if name == "transitions":
        fits = numbers == NO_LABEL
    else:
        fits = np.where(adds_arc[actions], (numbers >= 0) & (numbers < labels), numbers == NO_LABEL)
    if not fits.all():
        raise ValueError(f"{name}: a class has a label that the parser does not have")
    if not name.startswith("labels") and len(np.unique(actions)) < len(adds_arc):
        raise ValueError(f"{name}: a transition of {system.name} is in no class")
