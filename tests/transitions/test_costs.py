"""Costs of transitions against an exhaustive search for what can still be built."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from crossarc.transitions import Configuration, TransitionError
from crossarc.transitions.algebra import systems

from ..support.explored import Explored, Place
from ..support.gold_trees import arcs_of, derivable, links_of

EXACT = ["arc-eager", "arc-hybrid", "planar", "covington", "undirected-planar", "undirected-covington"]


class Exhaustive:
    """The most gold arcs that any sequence of transitions ends with, by trying all; of links, in either direction."""

    def __init__(self, explored: Explored, gold: list[tuple[int, int]], undirected: bool) -> None:
        self.explored = explored
        self.undirected = undirected
        self.gold = self._seen(gold)
        self.known: dict[Place, int] = {}

    def most_built(self, configuration: Configuration) -> int:
        return self._most_built(self.explored.place(configuration))

    def _seen(self, arcs: Iterable[tuple[int, int]]) -> set[object]:
        return {*links_of(arcs)} if self.undirected else {*arcs}

    def _most_built(self, place: Place) -> int:
        if place not in self.known:
            best = len(self._seen(place.arcs) & self.gold) if place.is_terminal else 0
            self.known[place] = max([best, *(self._most_built(after) for _, after in place.steps)])
        return self.known[place]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("root", "words", "step"),
    [
        pytest.param("first", 3, 1, marks=pytest.mark.kernel),
        pytest.param("last", 3, 1, marks=pytest.mark.kernel),
        ("none", 4, 3),
    ],
)
@pytest.mark.parametrize("name", EXACT)
@pytest.mark.exhaustive
def test_costs_are_exact(name: str, root: str, words: int, step: int) -> None:
    """In configurations on random ways, wrong arcs and all, for gold trees of the class."""
    system = systems.get(name)
    generator, explored = random.Random(1), Explored()
    for heads in derivable(name, words, root)[::step]:
        oracle = system.oracle(heads, root=root)
        exhaustive = Exhaustive(explored, arcs_of(heads, root), system.is_undirected)
        configuration = system.start(words, root)
        while configuration.legal():
            before = exhaustive.most_built(configuration)
            costs = oracle.costs(configuration)
            assert list(costs) == configuration.legal()
            for transition, cost in costs.items():
                after = exhaustive.most_built(configuration.copy().apply(transition))
                assert cost == before - after, (heads, str(configuration), transition)
            configuration.apply(generator.choice(configuration.legal()))
    assert oracle.exact_costs


@pytest.mark.parametrize("name", ["2-planar", "arc-standard", "swap", "easy-first", "attardi-2"])
def test_costs_by_search(name: str) -> None:
    """Along its own derivation some transition costs nothing, the oracle's does, and what spoils the tree costs."""
    system = systems.get(name)
    heads = [3, 4, 0, 3, 4] if name in ("2-planar", "swap") else [2, 0, 4, 2, 4]
    oracle = system.oracle(heads, root="first")
    assert oracle.derivation.complete
    assert not oracle.exact_costs
    configuration = system.start(5, "first")
    some_cost = False
    for step in oracle.derivation:
        costs = oracle.costs(configuration)
        shown = f"{step.transition}({step.position})" if step.position else step.transition
        assert costs[shown] == 0
        some_cost |= any(cost > 0 for cost in costs.values())
        configuration.apply(*step)
    assert some_cost


def test_a_configuration_of_another_sentence_or_system() -> None:
    oracle = systems.get("planar").oracle([0, 1])
    with pytest.raises(TransitionError, match="the gold tree has 2 words, the configuration 3"):
        oracle.costs(systems.get("planar").start(3))
    with pytest.raises(TransitionError, match="the oracle is for planar with artificial root 'none'"):
        oracle.costs(systems.get("arc-eager").start(2))
