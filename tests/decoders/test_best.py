"""The best tree is the best: against all trees of the class, against the plain programs, and pruned against unpruned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc import decoders
from crossarc.decoders import Decoded, DecodingError
from crossarc.structure import is_one_endpoint_crossing, is_projective
from tests.decoders.brute import CLASSES, best_scores, score, trees_of
from tests.decoders.matrices import KINDS, random_scores

WITNESSES = Path(__file__).parent / "witness_trees.tsv"
# How many matrices of each kind and policy of the root; together more than 20,000 for each class.
COUNTS = {1: 20, 2: 200, 3: 400, 4: 600, 5: 600, 6: 220, 7: 20}


def decode(tree_class: str, scores: Any, **options: Any) -> Any:
    return getattr(decoders, tree_class)(scores, **options)


def in_class(tree_class: str, tree: Decoded, root: str, root_arcs: bool = True) -> bool:
    xa.Tree(tree.heads)  # raises if it is none
    if root == "single" and (tree.heads == 0).sum() != 1:
        return False
    if tree_class == "projective":
        return is_projective(tree.heads)
    return tree_class == "spanning_tree" or is_one_endpoint_crossing(tree.heads, root_arcs=root_arcs)


def check_against_all(tree_class: str, root: str, words: int, matrices: Any, **options: Any) -> int:
    """Each tree is of the class and as good as the best; where there is none, that is said. Returns how many had one."""
    root_arcs = options.get("root_arcs", True)
    best = best_scores(trees_of(words, tree_class, root, root_arcs), matrices)
    possible = np.isfinite(best)
    found = decode(tree_class, list(matrices[possible]), root=root, **options)
    for tree, scores, most in zip(found, matrices[possible], best[possible], strict=True):
        assert tree.score == pytest.approx(most, abs=1e-9)
        assert tree.score == pytest.approx(score(tree.heads, scores), abs=1e-9)
        assert in_class(tree_class, tree, root, root_arcs)
    for scores in matrices[~possible]:
        with pytest.raises(DecodingError, match="no .*tree"):
            decode(tree_class, scores, root=root, **options)
    return len(found)


@pytest.mark.parametrize("root", ["any", "single"])
@pytest.mark.parametrize("tree_class", CLASSES)
def test_it_is_the_best_of_all_trees(tree_class: str, root: str, announce: list[str]) -> None:
    tested = 0
    for words, count in COUNTS.items():
        for kind in KINDS:
            matrices = random_scores(kind, words, count, seed=1)
            tested += len(matrices)
            check_against_all(tree_class, root, words, matrices)
    announce.append(f"{tree_class}, root={root}: {tested:,} matrices against all trees")
    assert tested > 10_000
