"""How many trees of n words are in each class: exact counts from enumeration by other programs."""

from __future__ import annotations

import csv
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from crossarc.structure import classify

from ..support.trees import all_trees, offsets

REFERENCE = Path(
    os.environ.get("CROSSARC_REFERENCE", Path(__file__).resolve().parents[2].parent / "shared" / "reference")
)
GOLDEN = REFERENCE / "one_endpoint_crossing" / "golden_counts.tsv"

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

# (n, whether 0 has exactly one child): the counts in the order of NAMES.
COUNTS = {
    (1, False): "1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0",
    (1, True): "1 1 1 1 1 1 1 1 1 1 1 1 1 1 0 0 0",
    (2, False): "3 3 3 3 3 3 3 3 3 3 3 3 3 3 0 0 0",
    (2, True): "2 2 2 2 2 2 2 2 2 2 2 2 2 2 0 0 0",
    (3, False): "16 12 12 16 16 16 16 16 16 16 16 16 16 16 0 0 0",
    (3, True): "9 7 7 9 9 9 9 9 9 9 9 9 9 9 0 0 0",
    (4, False): "125 55 55 105 125 125 125 125 121 125 121 105 121 105 4 0 0",
    (4, True): "64 30 30 48 64 64 64 64 64 64 64 56 64 56 0 0 0",
    (5, False): "1296 273 273 756 1242 1296 1104 1296 1166 1215 1103 759 971 723 133 0 32",
    (5, True): "625 143 143 275 603 625 545 625 605 589 569 393 505 377 40 0 8",
    (6, False): "16807 1428 1428 5738 14371 16379 10024 15239 13508 13342 11102 5838 7710 5110 2314 0 692",
    (6, True): "7776 728 728 1638 6756 7452 4876 6624 6996 6252 5652 2964 3964 2616 912 0 120",
    (7, False): (
        "262144 7752 7752 45088 184024 236482 92344 185697 181616 157632 118432 46880 61388 37168 30956 0 9844"
    ),
    (7, True): "117649 3876 3876 9996 84676 100597 44496 70168 94556 72214 59774 23478 31138 18714 13358 0 1224",
    (8, False): (
        "4782969 43263 43263 363221 2531088 3736481 865143 2284233 2769085 1954395 1312795 388467 499111 277767 366032 "
        "0 116998"
    ),
    (8, True): (
        "2097152 21318 21318 62016 1146764 1472192 413316 738752 1452928 881148 658388 192604 249680 137956 163636 0 "
        "10640"
    ),
}


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
        expected = dict(zip(NAMES, map(int, COUNTS[words, single].split()), strict=True))
        assert counts[single] == expected


@pytest.mark.kernel
@pytest.mark.parametrize("words", range(1, 8))
def test_counts_of_all_classes(words: int) -> None:
    check_counts(words)


@pytest.mark.slow
def test_counts_of_all_classes_of_eight_words() -> None:
    check_counts(8)


def test_the_enumeration_has_every_tree_once() -> None:
    trees = np.concatenate(list(all_trees(5, at_once=100)))
    assert len(np.unique(trees, axis=0)) == len(trees) == 6**4


def test_the_table_is_the_reference() -> None:
    if not GOLDEN.is_file():
        pytest.skip(f"no reference counts at {GOLDEN}: set CROSSARC_REFERENCE")
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        rows = {(int(row["n"]), row["root_children"] != "any"): row for row in csv.DictReader(file, delimiter="\t")}
    for key, counts in COUNTS.items():
        assert [rows[key][name] for name in NAMES] == counts.split()
