"""Coverage adds up and agrees with the papers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc.structure import (
    RARE_CLASSES,
    Coverage,
    PlanarityBounds,
    classify,
    coverage,
    percent,
    rare_sentences,
)


def treebank(*trees: list[int]) -> xa.Treebank:
    sentences = (
        "".join(f"{word}\tw\t_\t_\t_\t_\t{head}\tr{head}\t_\t_\n" for word, head in enumerate(tree, start=1))
        for tree in trees
    )
    return xa.from_text("\n".join(sentences) + "\n", format="conllx")


PROJECTIVE, CROSSING, COVERED_ROOT = [2, 0, 2], [3, 4, 0, 3], [3, 0, 2]


def test_counts_of_small_trees() -> None:
    counts = coverage(treebank(PROJECTIVE, CROSSING, COVERED_ROOT))
    assert (counts.sentences, counts.words, counts.arcs, counts.root_arcs) == (3, 10, 10, 3)
    assert (counts.projective, counts.nonprojective_sentences, counts.not_planar) == (1, 2, 1)
    assert counts.gap_degree == {0: 1, 1: 2}
    assert counts.planarity == {PlanarityBounds(1, 1): 2, PlanarityBounds(2, 2): 1}
    assert counts.crossings == {0: 2, 1: 1}
    assert counts.crossing_arcs == 2
    assert counts.crossing_arc_length == {2: 2}
    assert counts.other_arc_length == {1: 4, 2: 1}
    assert counts.relation_crossing_arcs == {"r3": 1, "r4": 1}
    assert counts.words_in["projective"] == 3
    assert [counts.k_planar(k) for k in (1, 2)] == [2, 3]


def test_the_sum_of_parts_is_the_whole() -> None:
    whole = xa.sample(600)
    parts = [coverage(whole[start : start + 150]) for start in range(0, 600, 150)]
    assert Coverage.total(parts) == coverage(whole)
    assert Coverage.total([]) == Coverage()


def test_distributions_hold_everything_once() -> None:
    counts = coverage(xa.sample(1000))
    for distribution in (counts.gap_degree, counts.planarity, counts.crossings):
        assert distribution.total() == counts.sentences
    lengths = counts.crossing_arc_length + counts.other_arc_length
    assert lengths.total() == counts.relation_arcs.total() == counts.arcs - counts.root_arcs
    assert counts.crossing_arc_length.total() == counts.relation_crossing_arcs.total() == counts.crossing_arcs
    assert counts.projective + counts.nonprojective_sentences == counts.sentences
    assert counts.k_planar(1) + counts.not_planar == counts.sentences


def test_danish_as_in_the_papers(treebanks: Path) -> None:
    folder = treebanks / "da_ddt_conllx"
    train, test = (coverage(xa.read(folder / f"{part}.conll.gz")) for part in ("train", "test"))
    both = train + test
    assert both.sentences == 5_509
    assert (both.nonprojective_sentences, both.not_planar, both.ill_nested) == (853, 827, 6)
    assert (both.not_2_planar, both.not_3_planar, both.not_4_planar) == (1, 1, 0)
    assert (train.one_endpoint_crossing, train.one_endpoint_crossing_without_root) == (5_141, 5_153)
    assert (train.well_nested_block_degree_2, train.gap_minding, train.projective) == (5_172, 4_981, 4_376)
    assert train.sentences == 5_187


def test_rare_sentences_are_of_their_class_and_the_shortest_first() -> None:
    bank = xa.sample(2000)
    classes = classify(bank)
    found = rare_sentences(classes, most=4)
    assert list(found) == list(RARE_CLASSES)
    lengths = np.diff(bank.word_offsets)
    for sentences in found.values():
        assert 0 < len(sentences) <= 4
        assert list(lengths[sentences]) == sorted(lengths[sentences])
    assert not classes.well_nested[found["ill_nested"]].any()
    assert (classes.planarity_lower[found["not_2_planar"]] > 2).all()
    assert (classes.planar & classes.nonprojective)[found["planar_not_projective"]].all()
    shortest = lengths[~classes.one_endpoint_crossing].min()
    assert lengths[found["not_one_endpoint_crossing"][0]] == shortest


@pytest.mark.parametrize(
    ("count", "of", "text"),
    [
        (0, 10, "0.00 %"),
        (10, 10, "100.00 %"),
        (1, 1_000_000, "<0.01 %"),
        (999_999, 1_000_000, ">99.99 %"),
        (1, 3, "33.33 %"),
        (0, 0, "–"),
    ],
)
def test_percent_says_none_and_all_only_where_that_is_exact(count: int, of: int, text: str) -> None:
    assert percent(count, of) == text
