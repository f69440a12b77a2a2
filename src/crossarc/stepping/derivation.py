"""A derivation as plain data to step through: stacks, buffer and arcs at every step, what was allowed and why, scores.

Three kinds: the transitions that an oracle builds a given tree with, in any system; those that a transition parser
takes, with the score of every transition at every step; and an oracle's in the system of a parser, with the parser's
scores. `/derive`, the page and the files for lectures show nothing but this. O(words) for each step.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..drawing.layout import WIDEST, Orientation
from ..drawing.render_svg import page_svg
from ..errors import CrossarcError, ParserError, TransitionError, clean
from ..models.base import Trace
from ..parsers import Parser
from ..parsers.base import Stepper
from ..transitions import Configuration, TransitionSystem, systems
from ..transitions.algebra.notation import title, transition_notation
from ..transitions.oracles import Oracle, Step
from ..transitions.running.explanation import count_switches, explain_all
from ..tree import Tree
from ..treebank import Treebank

#: Longer derivations are too much for a page to hold, and for people to step through.
MOST_STEPS = 6000

#: Where the costs of transitions are found by search, that takes too long for longer sentences.
MOST_SEARCHED_WORDS = 25

ORACLE, PARSER = "oracle", "parser"
USUAL_SYSTEM = "2-planar"


@dataclass(frozen=True)
class SteppedDerivation:
    """The steps of a sentence, and the scores of the transitions at each."""

    system: TransitionSystem
    root: str
    forms: tuple[str, ...]
    #: The tree that the steps are to build, or that the parser made of what they build.
    tree: Tree
    steps: Sequence[Step]
    #: Who chose them: an oracle or a parser.
    source: str
    #: How the oracle found them: by rule, search or beam.
    method: str = ""
    lost: Sequence[tuple[int, int]] = ()
    added: int = 0
    trace: Trace | None = None

    @classmethod
    def from_tree(
        cls,
        system: TransitionSystem,
        tree: Tree,
        forms: Sequence[str],
        *,
        root: str = "none",
        method: str = "auto",
        order: str | None = None,
        scored_by: tuple[Stepper, Treebank] | None = None,
    ) -> SteppedDerivation:
        """Return the derivation of a tree by a system's oracle; `root`, `method` and `order` are those of `Oracle`.

        `scored_by`: a parser of the same system and the sentence; it scores the oracle's transitions.
        """
        derivation = Oracle(system, Tree(tree.heads), root=root, method=method, order=order).derivation
        labels = iter([_label(tree, arc.head, arc.dependent) for arc in derivation.final().arcs])
        transitions = system.transitions
        steps = [
            Step(step.transition, next(labels) if transitions[step.transition].arcs else None, step.position)
            for step in derivation
        ]
        trace = None
        if scored_by is not None:
            parser, treebank = scored_by
            trace = parser.trace(treebank, [step.transition for step in derivation])
        found = (derivation.method, derivation.lost, derivation.added)
        return cls(system, root, tuple(forms), tree, steps, ORACLE, *found, trace)

    @classmethod
    def from_parser(cls, parser: Parser, treebank: Treebank) -> SteppedDerivation:
        """Return the transitions that a parser takes greedily for a treebank of one sentence, with its scores."""
        stepper = parser.abilities.steps
        if stepper is None:
            graphs = parser.abilities.enhanced_graphs
            why = "builds enhanced graphs: only the derivations of trees are shown" if graphs else "has no derivations"
            raise ParserError(f"{parser.name} {why}")
        trace = stepper.trace(treebank)
        labels = iter(stepper.labels_of_steps(treebank))
        system, root = stepper.definition.system, stepper.definition.artificial_root
        transitions = list(system.transitions.items())
        steps = []
        for number in trace.transitions.tolist():
            name, transition = transitions[number]
            steps.append(Step(name, next(labels, None) if transition.arcs else None))
        parsed = parser.parse(treebank, beam=1)[0]
        return cls(system, root, tuple(parsed.forms), parsed.tree, steps, PARSER, trace=trace)

    def to_dict(
        self, orientation: Orientation = "auto", widest: float = WIDEST, *, costs: bool | None = False
    ) -> dict[str, Any]:
        """Return everything as plain data; the drawing has one word a line where it would be wider than `widest`.

        With `costs` each choice says how many arcs of the tree it loses, so that one can choose oneself and be told;
        None: of derivations by an oracle, where that is quick.
        """
        if costs is None:
            costs = self.source == ORACLE and self._has_quick_costs(Oracle(self.system, Tree(self.tree.heads)))
        if len(self.steps) > MOST_STEPS:
            raise CrossarcError(
                f"{self.system.name} takes {len(self.steps):,} transitions for this sentence, and at most "
                f"{MOST_STEPS:,} can be stepped through: take a shorter sentence or another system"
            )
        configurations = self._configurations()
        heads = self._heads(configurations[-1])
        return {
            "system": describe_system(self.system),
            "root": self.root,
            "source": self.source,
            "method": self.method,
            "words": [clean(form) for form in self.forms],
            "heads": heads,
            "labels": [clean(label) for label in self.tree.labels or ()],
            "lost": [list(arc) for arc in self.lost],
            "added": self.added,
            "scores": None if self.trace is None else ("logarithms" if self.trace.probabilities else "sums"),
            "costs": costs,
            "steps": self._entries(configurations, self._oracle() if costs else None),
            "svg": page_svg(_picture(self.tree, self.forms, heads), orientation, widest),
        }

    def _has_quick_costs(self, oracle: Oracle) -> bool:
        return oracle.exact_costs or len(self.forms) <= MOST_SEARCHED_WORDS

    def _oracle(self) -> Oracle:
        """Return the oracle that counts costs; a sentence that would take too long is refused."""
        oracle = Oracle(self.system, Tree(self.tree.heads), root=self.root)
        if not self._has_quick_costs(oracle):
            raise CrossarcError(
                f"what transitions of {self.system.name} cost is found by search, for up to {MOST_SEARCHED_WORDS} "
                "words: take a shorter sentence, or arc-eager, arc-hybrid, planar or covington"
            )
        return oracle

    def _heads(self, last: Configuration) -> list[int]:
        """Return the arcs to draw: those that are built, and of words without one that of the tree."""
        heads: list[int] = self.tree.heads.tolist()
        if not self.system.is_undirected:
            for arc in last.arcs:
                heads[arc.dependent - 1] = arc.head
        return heads

    def _configurations(self) -> list[Configuration]:
        configuration = Configuration(self.system, len(self.forms), self.root)
        passed = [configuration.copy()]
        for step in self.steps:
            try:
                configuration.apply(step.transition, position=step.position)
            except TransitionError as error:
                raise CrossarcError(f"the derivation cannot be shown: {error}") from error
            passed.append(configuration.copy())
        return passed

    def _entries(self, configurations: Sequence[Configuration], oracle: Oracle | None) -> list[dict[str, Any]]:
        """Return an entry for each configuration: what led to it, what it is, and what may be done next."""
        numbers = {name: number for number, name in enumerate(self.system.transitions)}
        entries: list[dict[str, Any]] = []
        arcs_before, switched = 0, 0
        for index, configuration in enumerate(configurations):
            state = configuration.describe()
            arcs = [(arc.head, arc.dependent) for arc in configuration.arcs]
            entry = {name: state[name] for name in ("stacks", "active", "aside", "buffer")} | {"arcs": len(arcs)}
            if index:
                step = self.steps[index - 1]
                switched = count_switches(switched, self.system.transitions[step.transition], self.system.stacks)
                label = None if step.label is None else clean(step.label)
                entry |= {"transition": numbers[step.transition], "label": label, "position": step.position}
                entry["added"] = [list(arc) for arc in arcs[arcs_before:]]
                arcs_before = len(arcs)
            last = index == len(self.steps)
            entry["next"] = None if last else numbers[self.steps[index].transition]
            entry["choices"] = [] if last else self._choices(configuration, index, switched)
            if oracle is not None and not last:
                self._add_costs(entry["choices"], oracle.costs(configuration))
            entries.append(entry)
        return entries

    def _add_costs(self, choices: Sequence[dict[str, Any]], costs: dict[str, int]) -> None:
        """Say of each transition that is allowed how many arcs it loses, at its best position."""
        for choice, name in zip(choices, self.system.transitions, strict=True):
            own = [cost for shown, cost in costs.items() if shown.partition("(")[0] == name]
            if choice["allowed"] and own:
                choice["cost"] = min(own)

    def _choices(self, configuration: Configuration, index: int, switched: int) -> list[dict[str, Any]]:
        """Return for each transition whether it is allowed, why, and how it was scored."""
        names = ("ROOT", *self.forms)
        explained = explain_all(configuration, switched=switched, name=lambda word: f"“{clean(names[word])}”")
        legal = {name for name, _ in configuration.legal_actions()} if self.system.chooses_position else set()
        choices = []
        for number, (name, explanation) in enumerate(explained.items()):
            allowed = explanation.allowed or name in legal
            why = explanation.why if allowed == explanation.allowed else "at a later position"
            choice: dict[str, Any] = {"allowed": allowed, "why": why}
            if self.trace is not None:
                score = float(self.trace.scores[index, number])
                choice["score"] = None if math.isnan(score) else round(score, 4)
            choices.append(choice)
        return choices


def derived(
    model: Parser | None,
    treebank: Treebank,
    system: TransitionSystem | None = None,
    *,
    given: bool = False,
    root: str = "none",
    threads: int = 0,
) -> SteppedDerivation:
    """Return the derivation of one sentence: of its tree if `given`, else of what the model makes of its words.

    Without a system it is that of the model. The model's own transitions are shown where it has any of this system; of
    another system, or of a given tree, those of the oracle.
    """
    traced = None if model is None else model.abilities.steps
    if traced is not None and system is not None and system.name != traced.definition.system.name:
        traced = None
    if model is not None and not given:
        if traced is not None:
            return SteppedDerivation.from_parser(model.parser, _tagged(model, treebank, threads))
        treebank = _parsed(model, treebank, threads)
    sentence = treebank[0]
    if not sentence.has_heads:
        raise CrossarcError(f"sentence {clean(sentence.id)} has no heads: choose a model to parse it")
    if traced is not None and traced.encoding is None:
        system, root = traced.definition.system, traced.definition.artificial_root
        scored = (traced, treebank)
        return SteppedDerivation.from_tree(system, sentence.tree, sentence.forms, root=root, scored_by=scored)
    return SteppedDerivation.from_tree(system or systems.get(USUAL_SYSTEM), sentence.tree, sentence.forms, root=root)


def _parsed(model: Parser, treebank: Treebank, threads: int) -> Treebank:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.parse(treebank, threads=threads)


def _tagged(model: Parser, treebank: Treebank, threads: int) -> Treebank:
    """Return a treebank with what the parser of a pipeline reads."""
    columns = model.abilities.predicts
    if not columns:
        return treebank
    parsed = _parsed(model, treebank, threads)
    return treebank.replace(**{column: parsed.texts(column) for column in columns})


def describe_system(system: TransitionSystem) -> dict[str, Any]:
    """Return what there is to know of a system: its transitions in the notation of the papers, where it comes from."""
    transitions = []
    for name, transition in system.transitions.items():
        move, conditions = transition_notation(system, transition)
        transitions.append({"name": name, "title": title(name, transition), "does": move, "only_if": conditions})
    return {
        "name": system.name,
        "paper": systems.source(system),
        "stacks": system.stacks,
        "lists": system.has_lists,
        "undirected": system.is_undirected,
        "transitions": transitions,
    }


def _label(tree: Tree, head: int, dependent: int) -> str | None:
    """The label of an arc or link of a tree, if it is one."""
    for word, other in ((dependent, head), (head, dependent)):
        if word > 0 and int(tree.heads[word - 1]) == other and tree.labels:
            return tree.labels[word - 1]
    return None


def _picture(tree: Tree, forms: Sequence[str], heads: Sequence[int]) -> Any:
    """Return what is drawn: the tree, or where other arcs are built, those."""
    try:
        drawn = Tree(heads, tree.labels, forms)
    except CrossarcError:  # what a system built that need not build trees
        drawn = Tree(tree.heads, tree.labels, forms)
    return drawn.picture()
