"""The root policy: trees with one root each, whatever the parser left."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossarc as xa
from crossarc.parsers.root_policy import RootPolicy, roots_by_sentence
from crossarc.parsers.transition.enhanced import builds_enhanced_graphs
from crossarc.parsers.trees import numbered
from crossarc.transitions.algebra import systems


def policy_of(treebank: xa.Treebank, kind: str | None = None) -> tuple[RootPolicy, list[str]]:
    labels = list(treebank.inventory("deprel"))
    return RootPolicy.fit(treebank, numbered(treebank, treebank.deprel.ids, labels), len(labels), kind), labels


def test_the_kind_is_what_the_data_keep() -> None:
    sample = xa.sample(50)
    assert policy_of(sample)[0].kind == "single"
    two = xa.from_text("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n", root="any")
    assert policy_of(two)[0].kind == "any"
    with pytest.raises(xa.ParserError, match="single, any, not 'two'"):
        policy_of(sample, "two")


def random_forest(generator: np.random.Generator, words: int) -> list[int]:
    """Heads of a forest: each word hangs below one that comes before it in a random order, or is a root."""
    order = generator.permutation(words) + 1
    heads = [0] * words
    for place, word in enumerate(order.tolist()):
        if place and generator.random() < 0.7:
            heads[word - 1] = int(order[generator.integers(place)])
    return heads


def test_one_root_is_left_and_the_rest_stays_as_it_was() -> None:
    sample = xa.sample(300)
    policy, labels = policy_of(sample)
    generator = np.random.default_rng(1)
    lengths = np.diff(sample.word_offsets).tolist()
    heads = np.array([head for words in lengths for head in random_forest(generator, words)], np.int32)
    given = generator.integers(0, len(labels), len(heads)).astype(np.int32)
    fixed, fixed_labels = policy.apply(sample, heads, given, np.zeros(len(heads), bool))
    sample.replace(head=fixed)  # refuses what is no tree
    assert (roots_by_sentence(fixed, sample.word_offsets) == 1).all()
    assert (fixed[heads > 0] == heads[heads > 0]).all()
    assert ((fixed == 0) == (fixed_labels == labels.index("root"))).all()
    untouched = (heads > 0) & (given != labels.index("root"))
    assert (fixed_labels[untouched] == given[untouched]).all()


def test_the_root_that_stays_is_the_likeliest() -> None:
    treebank = xa.from_text(
        "1\tder\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n"
        "2\tsieht\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
        "3\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
    )
    policy, labels = policy_of(treebank)
    none, roots = np.zeros(3, np.int32), np.full(3, labels.index("root"), np.int32)
    heads, found = policy.apply(treebank, none, roots, np.zeros(3, bool))
    assert heads.tolist() == [2, 0, 2]
    assert [labels[label] for label in found] == ["nsubj", "root", "punct"]
    heads, _ = policy.apply(treebank, none, roots, np.array([False, False, True]))
    assert heads.tolist() == [3, 3, 0]  # the parser itself attached it to 0


def is_forest(heads: tuple[int, ...]) -> bool:
    for word in range(1, len(heads) + 1):
        steps = 0
        while word and steps <= len(heads):
            word, steps = heads[word - 1], steps + 1
        if word:
            return False
    return True


def planes_of(heads: list[list[int]]) -> list[int]:
    needed: list[int] = xa.structure.classify([np.array(tree, np.int32) for tree in heads]).planarity_upper.tolist()
    return needed


def applied(policy: RootPolicy, forests: list[list[int]], planes: int | None) -> list[list[int]]:
    treebank = xa.Treebank.from_words([["x"] * len(forest) for forest in forests])
    heads = np.array([head for forest in forests for head in forest], np.int32)
    fixed, _ = policy.apply(treebank, heads, np.zeros_like(heads), np.zeros(len(heads), bool), planes)
    return [tree.tolist() for tree in np.split(fixed, treebank.word_offsets[1:-1])]


@pytest.mark.parametrize("planes", [1, 2])
def test_every_small_forest_stays_on_its_planes(planes: int) -> None:
    policy, _ = policy_of(xa.sample(50))
    every = [list(heads) for n in range(1, 6) for heads in product(range(n + 1), repeat=n) if is_forest(heads)]
    forests = [forest for forest, needed in zip(every, planes_of(every), strict=True) if needed <= planes]
    before, after = applied(policy, forests, None), applied(policy, forests, planes)
    assert max(planes_of(after)) <= planes
    assert all(tree.count(0) == 1 and is_forest(tuple(tree)) for tree in after)
    # Only what would leave the class is attached otherwise.
    left = [needed > planes for needed in planes_of(before)]
    assert [plain != fixed for plain, fixed in zip(before, after, strict=True)] == left
    assert sum(left) == (193 if planes == 1 else 0)


@given(st.integers(0, 2**32), st.integers(6, 20), st.integers(1, 3))
def test_random_forests_stay_on_their_planes(seed: int, words: int, planes: int) -> None:
    forest = random_forest(np.random.default_rng(seed), words)
    for word in range(words):  # until the planes are enough
        if planes_of([forest])[0] <= planes:
            break
        forest[word] = 0
    (fixed,) = applied(policy_of(xa.sample(50))[0], [forest], planes)
    assert fixed.count(0) == 1
    assert planes_of([fixed])[0] <= planes


def test_arcs_of_a_long_forest_are_lifted_where_nothing_else_is_left() -> None:
    forest = [2, 0, 1, 5, 0, 4]  # both roots are covered by arcs of their own trees
    (fixed,) = applied(policy_of(xa.sample(50))[0], [forest], 1)
    assert fixed.count(0) == 1
    assert planes_of([fixed]) == [1]


FORESTS = [system.name for system in systems.catalogue().values() if not builds_enhanced_graphs(system)]


NETWORK = xa.Network(hidden_size=16, layers=1)


def assert_class_is_kept(treebanks: Path, name: str, **options: Any) -> None:
    """Greedily, with a beam and in all of the best trees, where there are several."""
    latin = xa.read(treebanks / "la_circse" / "train.conllu.gz")
    train, rest = latin[:250], latin[250:500]
    parser = xa.TransitionParser(name, root="single", **options)
    parser.train(train, epochs=1, seed=1)
    found = [parser.parse(rest)]
    if parser.abilities.several_trees:
        found += [parser.parse(rest, beam=4), parser.parse_nbest(rest, 4, beam=4).treebank]
    properties = parser.system.properties()
    for treebank in found:
        assert (roots_by_sentence(treebank.head, treebank.word_offsets) == 1).all()
        classes = xa.structure.classify(treebank)
        if properties.planes is not None:
            assert (classes.planarity_upper <= properties.planes).all()
        if properties.no_covered_roots or name == "covington-projective":
            assert not classes.nonprojective.any()


#: Those whose forests may have roots under arcs.
PLANAR = ("planar", "2-planar", "undirected-planar", "undirected-2-planar")


@pytest.mark.slow
@pytest.mark.parametrize("name", PLANAR)
@pytest.mark.parametrize("scorer", ["perceptron", NETWORK], ids=["perceptron", "network"])
def test_parsers_of_single_roots_keep_the_class_of_their_system(
    treebanks: Path, name: str, scorer: str | xa.Network
) -> None:
    assert_class_is_kept(treebanks, name, scorer=scorer)


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore:.*root:UserWarning")
@pytest.mark.parametrize("artificial_root", ["none", "first", "last"])
@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.parametrize("scorer", ["perceptron", NETWORK], ids=["perceptron", "network"])
def test_all_systems_keep_their_class_with_every_artificial_root(
    treebanks: Path, name: str, artificial_root: str, scorer: str | xa.Network
) -> None:
    assert_class_is_kept(treebanks, name, scorer=scorer, artificial_root=artificial_root)


def test_any_number_of_roots_stays() -> None:
    policy, _ = policy_of(xa.sample(10), "any")
    treebank = xa.sample(5)
    none = np.zeros(treebank.words, np.int32)
    assert policy.apply(treebank, none, none, none.astype(bool)) == (none, none)


def test_a_policy_comes_back_from_plain_data() -> None:
    policy, labels = policy_of(xa.sample(50))
    assert RootPolicy.from_dict(policy.to_dict(), labels) == policy
    with pytest.raises(xa.ParserError, match="has other labels than the 19"):
        RootPolicy.from_dict({**policy.to_dict(), "root_label": len(labels)}, labels)
