"""What a projective system is taught of trees that are not projective: exactly the tree of the plain program."""

from __future__ import annotations

import numpy as np
import pytest

from crossarc.structure import classify, is_projective, lifts_needed
from crossarc.transitions.algebra import systems

from ..support.nearest_projective import nearest_projective
from ..support.trees import all_trees, random_tree


def taught(heads: list[int]) -> list[int]:
    """The tree that the oracle of arc-standard builds."""
    final = systems.get("arc-standard").oracle(heads, root="first").derivation.final()
    found = {arc.dependent: arc.head for arc in final.arcs}
    return [found[word] for word in range(1, len(heads) + 1)]


@pytest.mark.parametrize("words", [3, 4, 5, pytest.param(6, marks=pytest.mark.exhaustive)])
def test_all_small_trees(words: int) -> None:
    compared = 0
    for trees in all_trees(words):
        for heads in trees[classify(trees).nonprojective].tolist():
            assert taught(heads) == nearest_projective(heads)
            compared += 1
    # (n + 1)^(n - 1) trees, less the projective ones: 12, 55, 273, 1428.
    assert compared == {3: 4, 4: 70, 5: 1023, 6: 15379}[words]


@pytest.mark.parametrize("seed", range(40))
def test_random_trees(seed: int) -> None:
    heads = random_tree(7 + seed, seed).tolist()
    nearest = taught(heads)
    assert nearest == nearest_projective(heads)
    assert is_projective(nearest)


def test_long_trees_are_lifted() -> None:
    """From 400 words on; up to 399 the chart keeps at least as many arcs as lifting does."""
    for words in (399, 400):
        heads = np.arange(words, dtype=np.int32)  # a chain
        heads[[20, 40, 60]] = [5, 10, 50]
        lifted = heads.tolist()
        for (_, word), steps in lifts_needed(heads).items():
            for _ in range(steps):
                lifted[word - 1] = int(heads[lifted[word - 1] - 1])
        nearest = taught(heads.tolist())
        assert is_projective(nearest)
        assert np.count_nonzero(np.equal(nearest, heads)) >= np.count_nonzero(np.equal(lifted, heads)) < words
        assert words == 399 or nearest == lifted
