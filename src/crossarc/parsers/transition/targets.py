"""What a transition parser learns to build, arcs with numbered labels, and what is right on the way there.

Trees come from HEAD and DEPREL and go through the encoding; enhanced graphs come from DEPS. O(words + arcs) beside the
encoding and the oracle, which says what the system cannot build. Right in a configuration are the transitions that lose
the fewest gold arcs (Goldberg & Nivre 2013), where it is known how to count them, else the one that the rule of the
system's oracle asks for: O(transitions · words).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...encodings import Encoding, needs_links_to_the_root
from ...errors import ParserError
from ...models.base import TrainingData, TransitionDefinition, TransitionModel
from ...training.report import DevScores, TrainingReport
from ...transitions import Configuration, Derivations, TransitionSystem, derive
from ...transitions.oracles import GoldArcs, OracleSupport, Rule
from ...treebank import Treebank
from ..root_policy import RootPolicy, roots_by_sentence
from ..trees import attachment_evaluation, check_label_count, check_trees, numbered
from .enhanced import builds_enhanced_graphs, enhanced_evaluation, parse_enhanced, report_of_arcs, required_arcs
from .restoring import TransitionTrained, parse_arrays


@dataclass(frozen=True, eq=False)
class Target:
    """Arcs to be learnt, and what their labels stand for."""

    encoding: Encoding | None
    #: The labels of trees or enhanced graphs, and how many there are to be learnt: of encoded trees others.
    labels: tuple[str, ...]
    encoded_labels: int
    #: The label of an arc from the root before trees are restored, as a number.
    encoded_root: int
    policy: RootPolicy
    arcs: GoldArcs
    report: TrainingReport
    #: What transitions and labels lose that let arcs cross, and whether punctuation may make arcs non-projective.
    crossing_penalty: float = 0.0
    crossing_punctuation: bool = True

    def data(self, definition: TransitionDefinition, treebank: Treebank) -> TrainingData:
        """Return what a learner takes."""
        arcs = self.arcs
        inputs = definition.inputs(treebank)
        return TrainingData(inputs, arcs.arc_offsets, arcs.heads, arcs.dependents, arcs.labels)

    def trained(self, definition: TransitionDefinition, model: TransitionModel, beam: int) -> TransitionTrained:
        """Return what a parser keeps of a model that learnt this."""
        kept = definition, model, self.labels, self.policy, self.encoding, self.encoded_root, beam
        return TransitionTrained(*kept, self.crossing_penalty, self.crossing_punctuation)


def make_target(
    system: TransitionSystem,
    encoding: Encoding | None,
    treebank: Treebank,
    *,
    root: str | None,
    artificial_root: str,
    threads: int,
) -> Target:
    """Return what a system learns from training data."""
    if builds_enhanced_graphs(system):
        return _enhanced_target(system, treebank, artificial_root, threads)
    check_trees(treebank, "training")
    check_label_count(len(treebank.inventory("deprel")), "DEPREL of the training data has")
    encoding = None if encoding is None else encoding.fit(treebank, threads=threads)
    encoded = treebank if encoding is None else encoding.encode(treebank, threads=threads)
    labels = tuple(treebank.inventory("deprel")) if encoding is None else encoding.labels
    encoded_labels = labels if encoding is None else encoding.encoded_labels
    check_label_count(len(encoded_labels), "the encoding makes of DEPREL")
    label_of = numbered(encoded, encoded.deprel.ids, encoded_labels)
    derived = derive(system, encoded, root=artificial_root, threads=threads)
    _warn_of_the_root(derived, encoding, encoded, threads)
    lost = derived.lost
    return Target(
        encoding,
        labels,
        len(encoded_labels),
        int(np.bincount(label_of[encoded.head == 0]).argmax()),
        RootPolicy.fit(treebank, numbered(treebank, treebank.deprel.ids, labels), len(labels), root),
        replace(GoldArcs.from_treebank(encoded, system, "first"), labels=label_of),
        TrainingReport(len(encoded), encoded.words, len(lost), int(lost.sum())),
    )


def _enhanced_target(system: TransitionSystem, treebank: Treebank, artificial_root: str, threads: int) -> Target:
    found = required_arcs(system, treebank, "training")
    if found.heads.all():
        raise ParserError(
            "no graph of the training data has a root: DEPS of one word at least should have an arc from 0"
        )
    # Not in the order of the pool, which may be another one each time that a file is read.
    labels = tuple(sorted(treebank.pool.texts(np.unique(found.labels).astype(np.int32))))
    check_label_count(len(labels), "DEPS of the training data has")
    label_of = numbered(treebank, found.labels, labels)
    policy = RootPolicy.fit_enhanced(treebank, found, label_of, len(labels))
    words = np.diff(treebank.word_offsets).astype(np.int32)
    return Target(
        None,
        labels,
        len(labels),
        policy.root_label,
        policy,
        GoldArcs(words, found.offsets, found.heads, found.dependents, label_of),
        report_of_arcs(system, treebank, found, artificial_root, threads),
    )


def make_evaluation(
    target: Target, definition: TransitionDefinition, dev: Treebank, beam: int, threads: int
) -> Callable[[TransitionModel], DevScores | tuple[float, float]]:
    """Return a function that gives the labelled and unlabelled scores of a model on development data, from 0 to 1."""
    inputs = definition.inputs(dev)

    def trained(model: TransitionModel) -> TransitionTrained:
        return target.trained(definition, model, beam)

    if builds_enhanced_graphs(definition.system):
        gold = required_arcs(definition.system, dev, "development")
        return enhanced_evaluation(dev, gold, lambda model: parse_enhanced(trained(model), dev, inputs, threads))
    return attachment_evaluation(dev, target.labels, lambda model: parse_arrays(trained(model), dev, inputs, threads))


def check_development(system: TransitionSystem, treebank: Treebank) -> None:
    """Refuse development data that nothing can be compared with."""
    if builds_enhanced_graphs(system):
        required_arcs(system, treebank, "development")
    else:
        check_trees(treebank, "development")


def default_artificial_root(system: TransitionSystem, encoding: Encoding | None, treebank: Treebank) -> str:
    """Return where the artificial root stands by default.

    Where sentences have several roots, there must be one for them to hang on, each with a label of its own; in enhanced
    graphs a word with a head may be a root all the same; and reconstruction of directions starts from links to it.
    Otherwise parsers do a little better without one. Planar systems do without one wherever all roots have one label,
    since with one they build projective trees only (2010, footnote 3), unless reconstruction cannot do without.
    """
    if builds_enhanced_graphs(system):
        return "first"
    one_label = len(np.unique(treebank.deprel.ids[treebank.head == 0])) == 1
    if one_label and is_planar_with_covered_roots(system) and not needs_links_to_the_root(encoding):
        return "none"
    several = (roots_by_sentence(treebank.head, treebank.word_offsets) > 1).any()
    return "first" if several or system.is_undirected else "none"


def is_planar_with_covered_roots(system: TransitionSystem) -> bool:
    """Whether a system builds planar trees that need not be projective, as long as there is no artificial root."""
    properties = system.properties()
    return properties.planar.holds and not properties.no_covered_roots.holds


def _warn_of_the_root(derived: Derivations, encoding: Encoding | None, treebank: Treebank, threads: int) -> None:
    """Say how many sentences a planar system cannot derive only because there is an artificial root."""
    system = derived.system
    if derived.root == "none" or not is_planar_with_covered_roots(system):
        return
    without = derive(system, treebank, threads=threads)
    lost = int(np.count_nonzero(without.complete & ~derived.complete))
    if lost:
        without_it = 'artificial_root="none" (--artificial-root none)'
        what = 'the reconstruction "label" without a root' if needs_links_to_the_root(encoding) else without_it
        warnings.warn(
            f"{system.name} with an artificial root builds projective trees only: {lost:,} of {len(derived):,} "
            f"sentences are planar and not projective; {what} can build them",
            stacklevel=2,
        )


def right_transitions(configuration: Configuration, heads: Sequence[int], *, free_planes: bool = False) -> list[str]:
    """Return the transitions that are right in a configuration for a gold tree, of which 0 is the root.

    `free_planes`: on two stacks, whichever plane an arc comes to is right, as for networks and treebanks in which arcs
    often cross.

    >>> from crossarc.transitions.algebra import systems
    >>> configuration = systems.get("2-planar").start(4).apply("shift").apply("shift")
    >>> right_transitions(configuration, [3, 4, 0, 3])
    ['reduce']
    >>> right_transitions(configuration, [3, 4, 0, 3], free_planes=True)
    ['reduce', 'switch']
    """
    system = configuration.system
    support = OracleSupport.from_system(system)
    if support.rule is Rule.NONE:
        raise ParserError(
            f"{system.name}: no rule says what is right in any configuration; training follows derivations"
        )
    gold = np.asarray(heads, np.int32)
    if gold.shape != (configuration.words,):
        raise ParserError(f"the configuration has {configuration.words} words: give as many heads")
    dependents = np.arange(1, len(gold) + 1, dtype=np.int32)
    kept = gold >= (1 if configuration.root == "none" else 0)
    try:
        oracle = support.training_oracle(free_planes=free_planes)
        right = configuration.machine.right_transitions(gold[kept], dependents[kept], oracle)
    except ValueError as error:
        raise ParserError(f"{heads}: {error}") from error
    return [name for name, is_right in zip(system.transitions, right, strict=False) if is_right]
