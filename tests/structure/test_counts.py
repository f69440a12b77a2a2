"""How many trees of n words are in each class: exact counts from enumeration by other programs."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from crossarc.structure import classify

from ..support.golden_counts import GOLDEN_COUNTS
from ..support.trees import all_trees, offsets

NAMES = [
    "all",
    "projective",
    "planar_rootedges",
    "planar_wordsonly",
    "2planar_rootedges",
    "2planar_wordsonly",
    "1ec_rootedges",
    "1ec_wordsonly",
    "wellnested",
    "blockdeg<=2",
    "wellnested_bd2",
    "gapminding",
    "1ec_and_wn_bd2",
    "1ec_and_gapminding",
    "1ec_not_wn_bd2",
    "1ec_not_2planar",
    "planar_words_not_1ec_rootedges",
]


def count_classes(words: int) -> dict[bool, Counter[str]]:
    """The counts over all trees of so many words, and over those with one child of 0."""
    counts: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
    for trees in all_trees(words):
        heads, starts = trees.reshape(-1), offsets(trees)
        with_root = classify(heads, starts, root_arcs=True)
        words_only = classify(heads, starts)
        one_endpoint = words_only.one_endpoint_crossing
        two_planar = with_root.k_planar(2)
        mild = words_only.well_nested_block_degree_2
        classes = (
            np.ones(len(trees), bool),
            ~words_only.nonprojective,
            with_root.planar,
            words_only.planar,
            two_planar,
            words_only.k_planar(2),
            one_endpoint,
            words_only.one_endpoint_crossing_without_root,
            words_only.well_nested,
            words_only.block_degree <= 2,
            mild,
            words_only.gap_minding,
            one_endpoint & mild,
            one_endpoint & words_only.gap_minding,
            one_endpoint & ~mild,
            one_endpoint & ~two_planar,
            words_only.planar & ~one_endpoint,
        )
        single = (trees == 0).sum(axis=1) == 1
        for name, members in zip(NAMES, classes, strict=True):
            counts[False][name] += int(members.sum())
            counts[True][name] += int((members & single).sum())
    return counts


def check_counts(words: int) -> None:
    counts = count_classes(words)
    for single in (False, True):
        assert counts[single] == GOLDEN_COUNTS[words, single]


@pytest.mark.kernel
@pytest.mark.parametrize("words", range(1, 8))
def test_counts_of_all_classes(words: int) -> None:
    check_counts(words)


@pytest.mark.exhaustive
def test_counts_of_all_classes_of_eight_words() -> None:
    check_counts(8)


def test_the_enumeration_has_every_tree_once() -> None:
    trees = np.concatenate(list(all_trees(5, at_once=100)))
    assert len(np.unique(trees, axis=0)) == len(trees) == 6**4
