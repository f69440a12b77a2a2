"""Undirected encoding: Section 4 of the 2012 paper, its Figure 4, all small trees, and the general algorithm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import crossarc as xa
from crossarc import _kernel
from crossarc.encodings import (
    RECONSTRUCTIONS,
    EncodingError,
    Links,
    Undirected,
)

from ..support import naive_encodings as naive
from ..support.trees import all_trees, offsets

# One label X: Xl is 0, Xr is 1.
LABELS = ("X", "root")
L, R = 0, 1
# The text of the paper has kept the labels, one R and a row R L L L, but not the drawing: the row is read as the links
# of neighbours from 1 to 5.
FIGURE_4 = [(0, 2, R), (1, 2, R), (2, 3, L), (3, 4, L), (4, 5, L)]


def fitted(reconstruction: str) -> Undirected:
    return Undirected(reconstruction).with_labels(LABELS, "root")


@pytest.mark.parametrize(
    ("reconstruction", "heads"),
    [("label-strict", [2, 0, 2, 3, 4]), ("label", [2, 3, 4, 5, 0])],
)
def test_figure_4_of_the_2012_paper(reconstruction: str, heads: list[int]) -> None:
    """The second cost assignment moves the arc from the root to the word for which most labels vote."""
    found, labels, _ = fitted(reconstruction).restore_arcs(Links.from_lists([FIGURE_4], [5]))
    assert found.tolist() == heads
    assert labels.tolist() == [0] * 5


@pytest.mark.slow
@pytest.mark.parametrize("reconstruction", RECONSTRUCTIONS)
def test_every_tree_of_up_to_7_words_comes_back(reconstruction: str) -> None:
    encoding = fitted(reconstruction)
    for words in range(1, 8):
        for trees in all_trees(words):
            heads = trees.reshape(-1)
            labels = (np.arange(len(heads)) % 2).astype(np.int32)
            links = encoding.encode_arcs(heads, labels, offsets(trees))
            found, found_labels, _ = encoding.restore_arcs(links)
            assert np.array_equal(found, heads)
            assert np.array_equal(found_labels, labels)


def test_naive_reconstruction_depends_on_the_root_link() -> None:
    links = Links.from_lists([[(0, 3, 0), (1, 2, 0), (2, 3, 0)]], [3])
    assert fitted("naive").restore_arcs(links)[0].tolist() == [2, 3, 0]
    wrong = Links.from_lists([[(0, 1, 0), (1, 2, 0), (2, 3, 0)]], [3])
    assert fitted("naive").restore_arcs(wrong)[0].tolist() == [0, 1, 2]


def test_components_without_a_root_link_get_a_root_and_its_label() -> None:
    links = Links.from_lists([[(2, 3, R), (3, 4, L)], [], [(0, 1, 3)]], [4, 1, 1])
    heads, labels, _ = fitted("label").restore_arcs(links)
    assert heads.tolist() == [0, 0, 2, 3, 0, 0]  # 2 → 3 ← 4: as many votes for 2 as for 4, so the leftmost
    assert labels.tolist() == [1, 1, 0, 0, 1, 1]


def random_forests(count: int, words: int, seed: int) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.bool_]]:
    """Spanning trees over 0…n as heads of words, directions of their links, and which links are there."""
    generator = np.random.default_rng(seed)
    order = generator.random((count, words)).argsort(axis=1).astype(np.int32) + 1
    above = (generator.random((count, words)) * np.arange(1, words + 1)).astype(np.int32)
    rows = np.arange(count)[:, None]
    heads = np.zeros((count, words), np.int32)
    heads[rows, order - 1] = np.concatenate([np.zeros((count, 1), np.int32), order], axis=1)[rows, above]
    directions = generator.integers(0, 3, (count, words)).astype(np.uint8)
    return heads, directions, generator.random((count, words)) < generator.random((count, 1))


@pytest.mark.exhaustive
@pytest.mark.parametrize("reconstruction", RECONSTRUCTIONS)
def test_the_cost_is_the_minimum_for_100000_random_forests(reconstruction: str) -> None:
    count = 0
    for words, forests in [*((words, 8_400) for words in range(1, 13)), (60, 200)]:
        heads, directions, kept = random_forests(forests, words, words)
        positions = np.arange(1, words + 1, dtype=np.int32)
        left, right = np.minimum(heads, positions), np.maximum(heads, positions)
        link_offsets = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int64)
        costs = _kernel.Reconstruction[reconstruction.replace("-", "_")]
        found, _, faulty = _kernel.reconstruct(
            left[kept], right[kept], directions[kept], link_offsets, offsets(heads), costs, 0
        )
        assert faulty is None
        for sentence, own in enumerate(found.reshape(-1, words).tolist()):
            there = kept[sentence]
            links = zip(
                left[sentence][there].tolist(),
                right[sentence][there].tolist(),
                ("lr"[way - 1] if way else "" for way in directions[sentence][there].tolist()),
                strict=True,
            )
            arcs = naive.reconstruction_arcs(words, links, reconstruction)
            cost = {(head, word): cost for head, word, cost in arcs}
            best = naive.minimum_branching(words, arcs)
            assert best is not None
            assert sum(cost[head, word] for word, head in enumerate(own, 1)) == sum(
                cost[head, word] for word, head in enumerate(best, 1)
            )
            count += 1
    assert count >= 100_000


@pytest.mark.slow
@settings(max_examples=300)
@given(st.integers(1, 5), st.data())
def test_minimum_branching_is_the_cheapest_of_all_trees(words: int, data: st.DataObject) -> None:
    """What reconstruction is compared with is compared with all trees itself."""
    word = st.integers(0, words)
    arcs = data.draw(st.lists(st.tuples(word, word, st.integers(-4, 9)), max_size=16))
    best = naive.cheapest(words, arcs)
    heads = naive.minimum_branching(words, arcs)
    if best is None or heads is None:
        assert best is None
        assert heads is None
        return
    assert _kernel.find_tree_fault(np.array(heads, np.int32), np.array([0, words])) is None
    assert best == sum(
        min(cost for head, dependent, cost in arcs if (head, dependent) == (own, place))
        for place, own in enumerate(heads, 1)
    )


def test_minimum_branching_of_a_long_dense_cycle() -> None:
    """Contraction upon contraction: a chain in which every word would rather be below its right neighbour."""
    words = 300
    arcs = [(word + 1, word, word) for word in range(1, words)] + [(word, word + 1, word) for word in range(1, words)]
    heads = naive.minimum_branching(words, [*arcs, (0, words // 2, 10**6), (0, 1, 10**6 + words)])
    assert heads is not None
    assert heads.count(0) == 1
    assert heads[words // 2 - 1] == 0


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("links", "words", "message"),
    [
        ([(1, 2, 0), (1, 2, 0)], 2, "the links of sentence 1 have a cycle"),
        ([(0, 1, 0), (1, 2, 0), (0, 2, 0)], 2, "have a cycle"),
        ([(1, 3, 0)], 2, "link 0 does not join two words"),
        ([(1, 1, 0)], 2, "link 0 does not join two words"),
        ([(-1, 1, 0)], 2, "link 0 does not join two words"),
        ([(1, 2, 4)], 2, "encoded labels are numbers from 0 to 3"),
    ],
)
def test_links_that_are_no_forest_are_refused(links: list[tuple[int, int, int]], words: int, message: str) -> None:
    with pytest.raises(EncodingError, match=message):
        fitted("label").restore_arcs(Links.from_lists([links], [words]))


def test_links_can_be_read_back() -> None:
    links = Links.from_lists([FIGURE_4, []], [5, 0])
    assert len(links) == 2
    assert links.sentence(0) == FIGURE_4
    assert links.sentence(1) == []
    with pytest.raises(EncodingError, match="1 lists of links for 2 sentences"):
        Links.from_lists([[]], [1, 1])


def test_files_have_directions_in_labels_and_come_back() -> None:
    gold = xa.sample(200, seed=3)
    for reconstruction in RECONSTRUCTIONS:
        encoding = Undirected(reconstruction).fit(gold)
        assert encoding.root_label == "root"
        encoded = encoding.encode(gold)
        assert np.array_equal(encoded.head, gold.head)
        assert {*encoded.texts("deprel")} <= {*encoding.encoded_labels}
        assert encoding.restore(encoded).to_bytes() == gold.to_bytes()
        assert Undirected(reconstruction).restore(encoded).to_bytes() == gold.to_bytes()


def test_labels_vote_on_the_arcs_of_a_file() -> None:
    """A parser has attached a chain to the wrong end; three labels know better."""
    line = "{}\tw\t_\t_\t_\t_\t{}\t{}\t_\t_\n"
    rows = [(1, 0, "rootr"), (2, 1, "objl"), (3, 2, "objl"), (4, 3, "objl")]
    parsed = xa.from_text("".join(line.format(*row) for row in rows) + "\n")
    decoded, report = Undirected("label").restore_with_report(parsed)
    assert decoded.head.tolist() == [2, 3, 4, 0]
    assert decoded.texts("deprel") == ["obj", "obj", "obj", "root"]
    assert report.marked == 4
    assert Undirected("label-strict").restore(parsed).head.tolist() == [0, 1, 2, 3]


def test_labels_without_a_direction_do_not_vote_and_stay_whole() -> None:
    gold = xa.from_text("1\tw\t_\t_\t_\t_\t0\troot\t_\t_\n2\tw\t_\t_\t_\t_\t1\tappl\t_\t_\n\n")
    decoded = Undirected("label").fit(gold).restore(gold)  # nothing was encoded: "appl" is a label of the training data
    assert decoded.to_bytes() == gold.to_bytes()
