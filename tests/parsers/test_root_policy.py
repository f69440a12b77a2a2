"""The root policy: trees with one root each, whatever the parser left."""

from __future__ import annotations

import numpy as np
import pytest

import crossarc as xa
from crossarc.parsers.root_policy import RootPolicy, roots_by_sentence
from crossarc.parsers.trees import numbered


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
