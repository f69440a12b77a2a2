"""What training calls right leads to the gold tree, whichever of the right transitions is taken."""

from __future__ import annotations

import random

import numpy as np
import pytest

import crossarc as xa
from crossarc.parsers import ParserError
from crossarc.parsers.transition.targets import right_transitions
from crossarc.structure import classify
from crossarc.transitions import TransitionSystem
from crossarc.transitions.algebra import systems

from ..support.gold_trees import arcs_of, derivable, links_of

TAUGHT = ["arc-eager", "arc-hybrid", "planar", "covington", "undirected-planar", "undirected-covington"]
TWO_STACKS = ["2-planar", "undirected-2-planar"]


def lost(system: TransitionSystem, heads: list[int], root: str, chance: random.Random, free_planes: bool) -> int:
    """Follow right transitions at random and return how many gold arcs are missing in the end."""
    configuration = system.start(len(heads), root)
    while right := right_transitions(configuration, heads, free_planes=free_planes):
        configuration.apply(chance.choice(right))
    built = {(arc.head, arc.dependent) for arc in configuration.arcs}
    gold = arcs_of(tuple(heads), root)
    if system.is_undirected:
        return len(links_of(gold) - links_of(built))
    return len(set(gold) - built)


@pytest.mark.slow
@pytest.mark.kernel
@pytest.mark.parametrize("root", ["none", "first"])
@pytest.mark.parametrize("name", TAUGHT + TWO_STACKS)
@pytest.mark.exhaustive
def test_right_transitions_lose_nothing(name: str, root: str) -> None:
    system, chance = systems.get(name), random.Random(name)
    for words, step in ((3, 1), (4, 1), (5, 11)):
        for heads in derivable(name, words, root)[::step]:
            assert lost(system, list(heads), root, chance, free_planes=name in TWO_STACKS) == 0, heads


@pytest.mark.kernel
@pytest.mark.parametrize("name", TWO_STACKS)
def test_free_planes_lose_next_to_nothing_of_real_crossings(name: str) -> None:
    """A sentence in which three planes are needed loses an arc or two, the others nothing."""
    treebank = xa.sample(400, seed=3)
    classes = classify(treebank)
    two_planar = classes.planarity_upper <= 2
    system, chance = systems.get(name), random.Random(1)
    missing = {True: 0, False: 0}
    crossing = np.flatnonzero(~classes.planar)
    for sentence in crossing.tolist():
        heads = treebank[sentence].heads.tolist()
        two = bool(two_planar[sentence])
        missing[two] += lost(system, heads, "none", chance, free_planes=True)
    assert len(crossing) > 50
    assert missing[True] == 0
    assert missing[False] <= 2 * (~two_planar).sum()


def test_what_cannot_be_asked() -> None:
    with pytest.raises(ParserError, match="no rule says"):
        right_transitions(systems.get("attardi-2").start(2), [0, 1])
    with pytest.raises(ParserError, match="give as many heads"):
        right_transitions(systems.get("planar").start(2), [0, 1, 1])
    with pytest.raises(ParserError, match="no arc of its sentence"):
        right_transitions(systems.get("planar").start(2), [0, 7])
