"""A derivation as plain data to step through: stacks, buffer and arcs at every step, what was allowed and why, scores.

Three kinds: the transitions that an oracle builds a given tree with, in any system (`of_tree`); those that a transition
parser takes, with the score of every transition at every step (`of_parser`); and an oracle's in the system of a parser,
with the parser's scores (`of_tree` with that parser). `/derive`, the page and the files for lectures show nothing but
this. O(words) for each step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..drawing.layout import WIDEST, Orientation
from ..drawing.render_svg import page_svg
from ..errors import CrossarcError, ParserError, TransitionError, clean
from ..models.base import Trace
from ..parsers import TransitionParser
from ..parsers.base import required
from ..transitions import Configuration, TransitionSystem, systems
from ..transitions.algebra.notation import title, transition_notation
from ..transitions.oracles import Oracle, Step
from ..transitions.running.explanation import count_switches, explain_all
from ..tree import Tree
from ..treebank import Treebank
from .models import ServedModel

#: Longer derivations are too much for a page to hold, and for people to step through.
MOST_STEPS = 6000

ORACLE, PARSER = "oracle", "parser"
USUAL_SYSTEM = "2-planar"


@dataclass(frozen=True)
class Shown:
    """What is to be shown: the steps of a sentence, and the scores of the transitions at each."""

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

    def to_dict(self, orientation: Orientation = "auto", widest: float = WIDEST) -> dict[str, Any]:
        """Return everything as plain data; the drawing has one word a line where it would be wider than `widest`."""
        if len(self.steps) > MOST_STEPS:
            raise CrossarcError(
                f"{self.system.name} takes {len(self.steps):,} transitions for this sentence, and at most "
                f"{MOST_STEPS:,} can be stepped through: take a shorter sentence or another system"
            )
        configurations = _configurations(self)
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
            "steps": _steps(self, configurations),
            "svg": page_svg(_picture(self.tree, self.forms, heads), orientation, widest),
        }

    def _heads(self, last: Configuration) -> list[int]:
        """Return the arcs to draw: those that are built, and of words without one that of the tree."""
        heads: list[int] = self.tree.heads.tolist()
        if not self.system.is_undirected:
            for arc in last.arcs:
                heads[arc.dependent - 1] = arc.head
        return heads


def of_tree(
    system: TransitionSystem,
    tree: Tree,
    forms: Sequence[str],
    *,
    root: str = "none",
    method: str = "auto",
    order: str | None = None,
    scored_by: tuple[TransitionParser, Treebank] | None = None,
) -> Shown:
    """Return the derivation of a tree by the oracle of a system; `root`, `method` and `order` are those of `Oracle`.

    `scored_by`: a parser of the same system and the sentence; it scores the oracle's transitions.
    """
    derivation = Oracle(system, Tree(tree.heads), root=root, method=method, order=order).derivation
    named = iter([_label_of(tree, arc.head, arc.dependent, tree.labels or ()) for arc in derivation.final().arcs])
    adds = {name: one.arcs for name, one in system.transitions.items()}
    steps = [Step(one.transition, next(named) if adds[one.transition] else None, one.position) for one in derivation]
    trace = None
    if scored_by is not None:
        parser, treebank = scored_by
        trace = parser.trace(treebank, [step.transition for step in derivation])
    return Shown(
        system,
        root,
        tuple(forms),
        tree,
        steps,
        ORACLE,
        derivation.method,
        derivation.lost,
        derivation.added,
        trace,
    )


def of_parser(parser: TransitionParser, treebank: Treebank) -> Shown:
    """Return the transitions that a parser takes greedily for a treebank of one sentence, with its scores."""
    trained = required(parser.trained)
    if parser.builds_enhanced_graphs:
        raise ParserError(f"{parser.name} builds enhanced graphs: only the derivations of trees are shown")
    trace = parser.trace(treebank)
    built = trained.model.parse_arcs(trained.definition.inputs(treebank), 1)
    known = trained.labels if trained.encoding is None else trained.encoding.encoded_labels
    labels = iter([known[number] if 0 <= number < len(known) else None for number in built.labels.tolist()])
    names = list(parser.system.transitions.items())
    steps = []
    for number in trace.transitions.tolist():
        name, one = names[number]
        steps.append(Step(name, next(labels, None) if one.arcs else None))
    parsed = parser.parse(treebank, beam=1)[0]
    root = trained.definition.artificial_root
    return Shown(parser.system, root, tuple(parsed.forms), parsed.tree, steps, PARSER, trace=trace)


def derived(
    model: ServedModel | None,
    treebank: Treebank,
    system: TransitionSystem | None = None,
    *,
    given: bool = False,
    root: str = "none",
) -> Shown:
    """Return the derivation of one sentence: of its tree if `given`, else of what the model makes of its words.

    Without a system it is that of the model. The model's own transitions are shown where it has any of this system; of
    another system, or of a given tree, those of the oracle.
    """
    stepper = None if model is None else model.stepper
    own = stepper is not None and (system is None or system.name == stepper.system.name)
    if model is not None and not given:
        tagged = model.tagged(treebank)
        if own and stepper is not None:
            return of_parser(stepper, tagged)
        treebank = model.parse(treebank)
    sentence = treebank[0]
    if not sentence.has_heads:
        raise CrossarcError(f"sentence {clean(sentence.id)} has no heads: choose a model to parse it")
    if own and stepper is not None and stepper.encoding is None:
        artificial = required(stepper.trained).definition.artificial_root
        scored = (stepper, treebank)
        return of_tree(stepper.system, sentence.tree, sentence.forms, root=artificial, scored_by=scored)
    return of_tree(system or systems.get(USUAL_SYSTEM), sentence.tree, sentence.forms, root=root)


def describe_system(system: TransitionSystem) -> dict[str, Any]:
    """Return what there is to know of a system: its transitions in the notation of the papers, where it comes from."""
    transitions = []
    for name, one in system.transitions.items():
        move, conditions = transition_notation(system, one)
        transitions.append({"name": name, "title": title(name, one), "does": move, "only_if": conditions})
    return {
        "name": system.name,
        "paper": systems.source(system),
        "stacks": system.stacks,
        "lists": system.has_lists,
        "undirected": system.is_undirected,
        "transitions": transitions,
    }


def _label_of(tree: Tree, head: int, dependent: int, labels: Sequence[str]) -> str | None:
    """The label of an arc or link of a tree, if it is one."""
    for word, other in ((dependent, head), (head, dependent)):
        if word > 0 and int(tree.heads[word - 1]) == other and labels:
            return labels[word - 1]
    return None


def _configurations(shown: Shown) -> list[Configuration]:
    configuration = Configuration(shown.system, len(shown.forms), shown.root)
    passed = [configuration.copy()]
    for step in shown.steps:
        try:
            configuration.apply(step.transition, position=step.position)
        except TransitionError as error:
            raise CrossarcError(f"the derivation cannot be shown: {error}") from error
        passed.append(configuration.copy())
    return passed


def _steps(shown: Shown, configurations: Sequence[Configuration]) -> list[dict[str, Any]]:
    """Return an entry for each configuration: what led to it, what it is, and what may be done next."""
    names = ["ROOT", *(clean(form) for form in shown.forms)]
    numbers = {name: number for number, name in enumerate(shown.system.transitions)}
    found: list[dict[str, Any]] = []
    arcs_before, switched = 0, 0
    for place, configuration in enumerate(configurations):
        state = configuration.describe()
        arcs = [(arc.head, arc.dependent) for arc in configuration.arcs]
        entry: dict[str, Any] = {
            "stacks": state["stacks"],
            "active": state["active"],
            "aside": state["aside"],
            "buffer": state["buffer"],
            "arcs": len(arcs),
        }
        if place:
            step = shown.steps[place - 1]
            switched = count_switches(switched, shown.system.transitions[step.transition], shown.system.stacks)
            label = None if step.label is None else clean(step.label)
            entry |= {"transition": numbers[step.transition], "label": label, "position": step.position}
            entry["added"] = [list(arc) for arc in arcs[arcs_before:]]
            arcs_before = len(arcs)
        last = place == len(shown.steps)
        entry["next"] = None if last else numbers[shown.steps[place].transition]
        entry["choices"] = [] if last else _choices(shown, configuration, place, switched, names)
        found.append(entry)
    return found


def _choices(
    shown: Shown, configuration: Configuration, place: int, switched: int, names: Sequence[str]
) -> list[dict[str, Any]]:
    """Return for each transition whether it is allowed, why, and how it was scored."""
    explained = explain_all(configuration, switched=switched, name=lambda word: f"“{names[word]}”")
    legal = {name for name, _ in configuration.legal_actions()} if shown.system.chooses_position else set()
    found = []
    for number, (name, one) in enumerate(explained.items()):
        allowed = one.allowed or name in legal
        why = one.why if allowed == one.allowed else "at a later position"
        entry: dict[str, Any] = {"allowed": allowed, "why": why}
        if shown.trace is not None:
            score = float(shown.trace.scores[place, number])
            entry["score"] = None if math.isnan(score) else round(score, 4)
        found.append(entry)
    return found


def _picture(tree: Tree, forms: Sequence[str], heads: Sequence[int]) -> Any:
    """Return what is drawn: the tree, or where other arcs are built, those."""
    try:
        drawn = Tree(heads, tree.labels, forms)
    except CrossarcError:  # what a system built that need not build trees
        drawn = Tree(tree.heads, tree.labels, forms)
    return drawn.picture()
