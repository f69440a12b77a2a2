"""Sentences in lockstep: what is seen, legal and right in every row, and a scorer in Python that learns from it."""

from __future__ import annotations

import doctest
import random
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import crossarc as xa
from crossarc.errors import TransitionError
from crossarc.features import Vocabularies, look
from crossarc.models import lockstep
from crossarc.models.lockstep import Lockstep
from crossarc.parsers.transition.targets import right_transitions
from crossarc.structure.arcs import Arcs
from crossarc.transitions import Configuration, TransitionSystem
from crossarc.transitions.algebra import systems
from crossarc.transitions.oracles import GoldArcs, OracleSupport, Rule, derive_arcs
from crossarc.treebank import Treebank
from tests.support.trees import all_trees

Ids = NDArray[np.int32]

NAMES = list(systems.catalogue())
NOTHING = Vocabularies({})
#: Systems that go on when the buffer is empty, until nothing is legal.
ENDLESS = {"arc-standard-stack", "arc-hybrid", "swap"}


def gold_of_trees(trees: Ids, root: str = "first") -> GoldArcs:
    """Arcs of trees of one length, each labelled with its dependent; those from 0 only where 0 is."""
    count, words = trees.shape
    kept = (trees > 0) | (root != "none")
    dependents = np.broadcast_to(np.arange(1, words + 1, dtype=np.int32), trees.shape)
    return GoldArcs(
        np.full(count, words, np.int32),
        np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int64),
        trees[kept].astype(np.int32),
        dependents[kept].astype(np.int32),
        dependents[kept].astype(np.int32),
    )


def start_trees(batch: Lockstep, trees: Ids) -> None:
    count, words = trees.shape
    offsets = np.arange(count + 1) * words
    batch.start(offsets, np.zeros((count * words, 0), np.uint32), gold=gold_of_trees(trees))


def built(arcs: Arcs, sentence: int) -> set[tuple[int, int, int]]:
    own = slice(arcs.offsets[sentence], arcs.offsets[sentence + 1])
    triples = zip(arcs.heads[own], arcs.dependents[own], arcs.labels[own], strict=True)
    return {(int(head), int(dependent), int(label)) for head, dependent, label in triples}


def wanted(heads: Ids, root: str, undirected: bool) -> set[tuple[int, int, int]]:
    """The arcs of a tree with the labels of `gold_of_trees`; of links the left word of the order of reading first."""
    found = set()
    for dependent, head in enumerate(heads.tolist(), start=1):
        if head or root != "none":
            first_is_left = head > dependent or (head == 0 and root == "last")
            turned = undirected and first_is_left
            found.add((dependent, head, dependent) if turned else (head, dependent, dependent))
    return found


def follow(batch: Lockstep, chance: np.random.Generator | None = None) -> None:
    """Do what is right until the end: the first of it, or one at random."""
    while not batch.finished():
        right = batch.costs() == 0
        assert right.any(axis=1).all()
        assert not (right & ~batch.legal()).any()
        weights = right if chance is None else right * chance.random(right.shape)
        actions = weights.argmax(axis=1)
        batch.apply(actions, batch.gold_labels(actions))


@pytest.mark.kernel
@pytest.mark.parametrize("root", ["none", "first", "last"])
@pytest.mark.parametrize("name", NAMES)
def test_the_dynamic_oracle_builds_every_tree_of_the_class(name: str, root: str) -> None:
    system = systems.get(name)
    for words, step in ((1, 1), (3, 1), (4, 2)):
        trees = np.concatenate(list(all_trees(words)))[::step]
        complete = derive_arcs(system, gold_of_trees(trees, root), root=root, threads=1).complete
        assert complete.any()
        batch = Lockstep(system, [], NOTHING, root=root, threads=1)
        start_trees(batch, trees)
        follow(batch)
        for number in np.flatnonzero(complete).tolist():
            found, gold = built(batch.arcs(), number), wanted(trees[number], root, system.is_undirected)
            assert gold <= found, trees[number]
            # Where nothing is left to build and something legal to do, roots of a forest may still be joined.
            assert found == gold or (root == "none" and name in ENDLESS), trees[number]


@pytest.mark.kernel
@pytest.mark.parametrize("name", ["arc-eager", "arc-hybrid", "planar", "covington", "easy-first", "undirected-planar"])
def test_whichever_right_action_is_taken_the_tree_is_built(name: str) -> None:
    system = systems.get(name)
    trees = np.concatenate(list(all_trees(5)))[::3]
    complete = derive_arcs(system, gold_of_trees(trees), root="first", threads=1).complete
    batch = Lockstep(system, [], NOTHING)
    start_trees(batch, trees)
    follow(batch, np.random.default_rng(1))
    for number in np.flatnonzero(complete).tolist():
        assert built(batch.arcs(), number) == wanted(trees[number], "first", system.is_undirected), trees[number]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_sentences_of_the_sample_are_built_as_the_oracle_builds_them(name: str) -> None:
    system, treebank = systems.get(name), xa.sample(60, seed=4)
    gold = GoldArcs.from_treebank(treebank, system, "first")
    derived = derive_arcs(system, gold, root="first", threads=1)
    batch = Lockstep(system, [], NOTHING)
    batch.start(treebank.word_offsets, np.zeros((treebank.words, 0), np.uint32), gold=gold)
    follow(batch)
    arcs = batch.arcs()
    assert derived.complete.sum() > 30
    for number in np.flatnonzero(derived.complete).tolist():
        oracle = {(arc.head, arc.dependent, -1) for arc in derived[number].final().arcs}
        assert built(arcs, number) == oracle


class Walk:
    """A batch that goes at random, and the same configurations one by one."""

    def __init__(self, system: TransitionSystem, root: str, atoms: list[str], seed: str) -> None:
        self.chance = random.Random(seed)
        self.labels = [f"l{number}" for number in range(5)]
        labelled = system.labelled(self.labels)
        lengths = [1, 7, 4, 9, 9, 2, 0, 6]
        self.columns = Vocabularies({"form": [], "feats:Case": []})
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        self.values = np.random.default_rng(len(seed)).integers(0, 40, (int(offsets[-1]), 2)).astype(np.uint32)
        self.offsets = offsets
        self.batch = Lockstep(labelled, atoms, self.columns, root=root, threads=2)
        self.batch.start(offsets, self.values)
        self.alone = [labelled.start(length, root) for length in lengths]

    def __iter__(self) -> Walk:
        return self

    def __next__(self) -> list[tuple[int, Configuration]]:
        """Return the rows with their sentences and configurations, after one more step of each."""
        rows = self.batch.unfinished().tolist()
        if not rows:
            raise StopIteration
        legal, moves = self.batch.legal(), self.batch.moves
        names = list(self.batch.system.transitions)
        actions, labels = [], []
        for row, sentence in enumerate(rows):
            action = self.chance.choice(np.flatnonzero(legal[row]).tolist())
            name, position = names[moves[action][0]], int(moves[action][1])
            adds_arc = name != "no_arc" and ("arc" in name or "attach" in name)
            label = self.free_label(self.alone[sentence], name, position) if adds_arc else -1
            self.alone[sentence].apply(name, self.labels[label] if adds_arc else None, position)
            actions.append(action)
            labels.append(label)
        self.batch.apply(actions, labels)
        return [(sentence, self.alone[sentence]) for sentence in self.batch.unfinished().tolist()]

    def free_label(self, configuration: Configuration, name: str, position: int) -> int:
        """Return a label that an arc may get: in graphs, one that the same arc has not."""
        for label in self.chance.sample(range(5), 5):
            try:
                configuration.copy().apply(name, self.labels[label], position)
            except TransitionError:
                continue
            return label
        raise AssertionError("the action is not legal")

    def value(self, sentence: int, word: int | None, column: int) -> int:
        """What stands in a column for a word of a sentence."""
        if not word:
            return 0 if word is None else 2
        return int(self.values[self.offsets[sentence] + word - 1, column])


WORDS = ("s0", "s1", "t0", "b0", "b1", "a0", "s0.h", "s0.l1", "b0.l1", "s0.r1.rs")
NUMBERS = (
    *("s0.deprel", "b0.l1.deprel", "s0.left_valency", "b0.right_labels", "t0.plane"),
    *("distance(s0,b0)", "link(s0,b0)", "link(b0.l1,s0)"),
)


@pytest.mark.kernel
@pytest.mark.parametrize("root", ["none", "first", "last"])
@pytest.mark.parametrize(
    "name", ["arc-eager", "swap", "2-planar", "covington", "undirected-2-planar", "2-planar-graph"]
)
def test_features_are_what_parsers_see(name: str, root: str) -> None:
    atoms = [*(f"{word}.{column}" for word in WORDS for column in ("form", "feats:Case")), *NUMBERS]
    walk = Walk(systems.get(name), root, ["+".join(atoms), *atoms], name + root)
    assert walk.batch.atoms == tuple(atoms)
    seen = 0
    for rows in walk:
        values = walk.batch.features()
        assert values.shape == (len(rows), len(atoms))
        for (sentence, configuration), found in zip(rows, values.tolist(), strict=True):
            words = look(configuration, WORDS)
            expected = [walk.value(sentence, word, column) for word in words for column in (0, 1)]
            assert found == expected + look(configuration, NUMBERS)
            seen += sum(word is not None for word in words)
    assert seen > 100


@pytest.mark.kernel
@pytest.mark.parametrize("root", ["none", "first", "last"])
def test_easy_first_is_seen_at_every_position(root: str) -> None:
    """What is seen at a position is what stands there after as many times SHIFT."""
    atoms = ["s0.form", "s1.form", "b0.form", "b1.form", "s0.left_valency", "distance(s0,b0)"]
    walk = Walk(systems.get("easy-first"), root, atoms, root)
    for rows in walk:
        values, legal = walk.batch.features(), walk.batch.legal()
        assert values.shape[0] == len(rows)
        for (sentence, configuration), found, allowed in zip(rows, values.tolist(), legal, strict=True):
            own = configuration.machine.legal()[0]
            assert allowed[: len(own)].tolist() == own.tolist()
            assert not allowed[len(own) :].any()
            shifted = configuration.copy()
            for seen in found:
                if not shifted.buffer:
                    assert not any(seen)
                    continue
                words = look(shifted, ["s0", "s1", "b0", "b1"])
                numbers = look(shifted, ["s0.left_valency", "distance(s0,b0)"])
                assert seen == [walk.value(sentence, word, 0) for word in words] + numbers
                shifted.apply("shift")


@pytest.mark.kernel
@pytest.mark.parametrize(
    "name", [name for name in NAMES if OracleSupport.from_system(systems.get(name)).rule is not Rule.NONE]
)
def test_costs_are_what_training_calls_right(name: str) -> None:
    """In configurations on random ways, wrong arcs and all, for all kinds of trees."""
    system, chance = systems.get(name), random.Random(name)
    trees = np.concatenate(list(all_trees(5)))[:: 40 if system.stacks == 1 else 80]
    for free_planes in (False, True) if system.stacks == 2 else (False,):
        batch = Lockstep(system, [], NOTHING, free_planes=free_planes, threads=1)
        start_trees(batch, trees)
        alone = [system.start(5, "first") for _ in trees]
        names = list(system.transitions)
        while not batch.finished():
            costs, legal = batch.costs(), batch.legal()
            assert ((costs >= 0) == legal).all()
            actions = []
            for sentence, found in zip(batch.unfinished().tolist(), costs, strict=True):
                right = right_transitions(alone[sentence], trees[sentence].tolist(), free_planes=free_planes)
                assert [names[action] for action in np.flatnonzero(found == 0)] == right
                actions.append(chance.choice(np.flatnonzero(found >= 0).tolist()))
                alone[sentence].apply(names[actions[-1]])
            batch.apply(actions)


def test_gold_labels_are_those_of_gold_arcs_alone() -> None:
    batch = Lockstep(systems.get("arc-eager"), [], NOTHING)
    start_trees(batch, np.array([[2, 0, 2]], np.int32))
    names = list(batch.system.transitions)
    shift, left, right = (names.index(name) for name in ("shift", "left_arc", "right_arc"))
    batch.apply([shift])
    assert batch.gold_labels([shift]).tolist() == [-1]
    assert batch.gold_labels([right]).tolist() == [-1]  # 0 → 1 is no gold arc
    batch.apply([shift])
    assert batch.gold_labels([left]).tolist() == [1]
    batch.apply([left], [1])
    assert batch.gold_labels([right]).tolist() == [2]


def test_sentences_are_chosen_and_threads_change_nothing() -> None:
    treebank, system = xa.sample(80, seed=8), systems.get("2-planar")
    columns = Vocabularies.fit(treebank, ["form", "upos"])
    gold = GoldArcs.from_treebank(treebank, system, "first")
    chosen = np.random.default_rng(2).permutation(80)[:70]
    found = []
    for threads in (1, 4):
        batch = Lockstep(system, ["s0.form+b0.upos"], columns, threads=threads)
        batch.start(treebank.word_offsets, columns.values(treebank), gold=gold, sentences=chosen)
        seen = []
        while not batch.finished():
            seen.append(batch.features())
            actions = (batch.costs() == 0).argmax(axis=1)
            batch.apply(actions, batch.gold_labels(actions))
        arcs = batch.arcs()
        found.append((np.concatenate(seen), arcs.heads, arcs.dependents, arcs.labels, arcs.offsets))
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)
    lengths = np.diff(treebank.word_offsets)[chosen]
    assert len(found[0][4]) == 71
    assert (np.diff(found[0][4]) <= lengths).all()


def test_a_system_without_a_rule_follows_its_derivation() -> None:
    batch = Lockstep(systems.get("attardi-2"), [], NOTHING)
    assert not batch.explores
    assert Lockstep(systems.get("arc-eager"), [], NOTHING).explores
    assert Lockstep(systems.get("easy-first"), [], NOTHING).explores
    start_trees(batch, np.array([[2, 0, 2]], np.int32))
    batch.apply((batch.costs() == 0).argmax(axis=1))
    before = batch.arcs()
    wrong = (batch.costs() == 1).argmax(axis=1)
    with pytest.raises(TransitionError, match=r"only what is right can be done: shift$"):
        batch.apply(wrong)
    assert batch.arcs().heads.tolist() == before.heads.tolist()
    batch.start([0, 3], np.zeros((3, 0)))  # without gold arcs, whatever is legal can be done
    while not batch.finished():
        batch.apply(batch.legal().argmax(axis=1))


def test_what_is_refused() -> None:
    system, columns = systems.get("arc-eager"), Vocabularies({"upos": ["NOUN"]})
    with pytest.raises(TransitionError, match="name form, but the columns are upos"):
        Lockstep(system, ["s0.form+b0.upos"], columns)
    with pytest.raises(TransitionError, match='"none", "first" or "last"'):
        Lockstep(system, ["s0.upos"], columns, root="left")
    with pytest.raises(xa.ParserError, match="threads is a whole number from 0 to 1,024, not -1"):
        Lockstep(system, ["s0.upos"], columns, threads=-1)
    other = systems.get("easy-first").extended("mine", reduce=systems.arc_eager.transitions["reduce"])
    with pytest.raises(TransitionError, match="easy-first alone"):
        Lockstep(other, [], NOTHING)
    batch = Lockstep(system, ["s0.upos", "s0.feats:Case"], columns)
    assert batch.atoms == ("s0.upos",)  # no column, no atom
    with pytest.raises(TransitionError, match=r"2 words and 1 columns, not the shape \(2, 2\)"):
        batch.start([0, 2], np.zeros((2, 2)))
    with pytest.raises(TransitionError, match="numbers from 0 to 0"):
        batch.start([0, 2], [[3], [3]], sentences=[1])
    with pytest.raises(TransitionError, match="other lengths"):
        batch.start([0, 2], [[3], [3]], gold=gold_of_trees(np.zeros((1, 3), np.int32)))
    gold = gold_of_trees(np.array([[2, 0]], np.int32))
    with pytest.raises(TransitionError, match="out of range"):
        batch.start([0, 2], [[3], [3]], gold=replace(gold, heads=np.array([5, 0], np.int32)))
    with pytest.raises(TransitionError, match=r"arc-eager: .*offsets"):
        batch.start([0, 3, 2], [[3], [3]])
    batch.start([0, 2, 3], [[3], [3], [1]])
    with pytest.raises(TransitionError, match="without gold arcs"):
        batch.costs()
    with pytest.raises(TransitionError, match="without gold arcs"):
        batch.gold_labels([0, 0])
    with pytest.raises(TransitionError, match="2 unfinished sentences: one action for each"):
        batch.apply([0])
    with pytest.raises(TransitionError, match="a label is a number from 0 on"):
        batch.apply([0, 0], [-2, 0])
    with pytest.raises(TransitionError, match="left_arc is not legal in sentence 1; arc-eager allows shift there"):
        batch.apply([0, 2])
    with pytest.raises(TransitionError, match="action 9 is not legal in sentence 0"):
        batch.apply([9, 0])
    assert batch.features().tolist() == [[0], [0]]  # nothing was done
    batch.start([0, 2], [[3], [3]], gold=gold)
    with pytest.raises(TransitionError, match="an action is not legal"):
        batch.gold_labels([2])
    graphs = Lockstep(systems.get("2-planar-graph").labelled(["a", "b"]), [], NOTHING)
    graphs.start([0, 2], np.zeros((2, 0)))
    names = list(graphs.system.transitions)
    graphs.apply([names.index("shift")])
    right = [names.index("right_arc")]
    graphs.apply(right, [1])
    assert graphs.legal()[0, right[0]]  # the other label is free
    with pytest.raises(TransitionError, match="right_arc in sentence 0: its arc is there already with label 1"):
        graphs.apply(right, [1])
    graphs.apply(right, [0])
    assert graphs.arcs().labels.tolist() == [1, 0]


def test_the_example_of_the_documentation() -> None:
    assert doctest.testmod(lockstep).failed == 0


class NearestNeighbours:
    """A memory-based scorer in numpy: the example that agrees in the most informative atoms says what to do."""

    def __init__(self, system: TransitionSystem, templates: list[str], treebank: Treebank) -> None:
        self.labels = list(treebank.inventory("deprel"))
        self.columns = Vocabularies.fit(treebank, ["upos", "lemma", "feats"])
        self.batch = Lockstep(system, templates, self.columns)
        gold = GoldArcs.from_treebank(treebank, system, "first")
        texts = treebank.texts("deprel")
        numbers = np.array([self.labels.index(text) for text in texts], np.int32)
        self.batch.start(treebank.word_offsets, self.columns.values(treebank), gold=replace(gold, labels=numbers))
        seen, actions, labels = [], [], []
        while not self.batch.finished():
            seen.append(self.batch.features())
            actions.append((self.batch.costs() == 0).argmax(axis=1))
            labels.append(self.batch.gold_labels(actions[-1]))
            self.batch.apply(actions[-1], labels[-1])
        self.seen, self.actions, self.names = np.concatenate(seen), np.concatenate(actions), np.concatenate(labels)
        self.weights = np.array([information_gain(atom, self.actions) for atom in self.seen.T])

    def nearest(self, features: NDArray[np.uint32]) -> NDArray[np.float64]:
        """Return how much each row agrees with each example."""
        agreement = np.zeros((len(features), len(self.seen)))
        for atom, weight in enumerate(self.weights):
            agreement += weight * (features[:, atom, None] == self.seen[None, :, atom])
        return agreement

    def parse(self, treebank: Treebank) -> tuple[Ids, list[str]]:
        """Return the head and the label of every word; without one, the root."""
        self.batch.start(treebank.word_offsets, self.columns.values(treebank))
        while not self.batch.finished():
            agreement = self.nearest(self.batch.features())
            allowed = np.take(self.batch.legal(), self.actions, axis=1)
            best = np.where(allowed, agreement, -1).argmax(axis=1)
            self.batch.apply(self.actions[best], self.names[best])
        arcs = self.batch.arcs()
        words = np.repeat(treebank.word_offsets[:-1], np.diff(arcs.offsets)) + arcs.dependents - 1
        heads, labels = np.zeros(treebank.words, np.int32), np.full(treebank.words, self.labels.index("root"))
        heads[words], labels[words] = arcs.heads, arcs.labels
        return heads, [self.labels[label] for label in labels]


def information_gain(values: NDArray[np.uint32], classes: Ids) -> float:
    """Return how much the value of an atom tells of the class, in bits."""
    joint = np.zeros((int(values.max()) + 1, int(classes.max()) + 1))
    np.add.at(joint, (values, classes), 1.0 / len(values))
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    there = joint > 0
    return float((joint[there] * np.log2(joint[there] / apart[there])).sum())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["arc-eager", "2-planar"])
def test_a_scorer_in_python_learns_and_parses(name: str) -> None:
    """Far better than the best that knows nothing: every word's head at the most frequent distance."""
    train, test = xa.sample(400, seed=1), xa.sample(100, seed=2)
    templates = ["s0.upos+b0.upos", "s0.lemma+b0.lemma+b1.upos+s1.upos", "s0.feats+b0.feats", "link(s0,b0)"]
    templates += ["s0.left_valency", "s0.h.upos", "b0.l1.deprel", "s0.r1.deprel", "s0.deprel", "distance(s0,b0)"]
    scorer = NearestNeighbours(systems.get(name), templates, train)
    heads, labels = scorer.parse(test)
    right = heads == test.head
    gold = test.texts("deprel")
    labelled = right & np.array([one == other for one, other in zip(labels, gold, strict=True)])
    word = np.concatenate([np.arange(1, length + 1) for length in np.diff(test.word_offsets)])
    baseline = max(float((word + distance == test.head).mean()) for distance in (-2, -1, 1, 2))
    assert baseline > 0.2
    assert right.mean() > 0.65
    assert right.mean() > 2 * baseline
    assert labelled.mean() > 0.55
