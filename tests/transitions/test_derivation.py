"""Traces in the papers' notation, and how long derivations are."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from crossarc.structure import planarity_bounds
from crossarc.transitions.algebra import systems

from ..support.explored import Explored, Place
from ..support.gold_trees import TREES, arcs_of
from ..support.trees import random_tree

# 2013, Figure 1: ROOT Z nich je jen jedna na kvalitu .
CZECH = [0, 6, 2, 1, 6, 4, 4, 7, 1]


def test_figure_6_of_2013() -> None:
    """The stacks, the buffer and the new arc at each arc transition of the figure."""
    derivation = systems.get("2-planar").oracle(CZECH).derivation
    before = []
    for step, configuration in zip(derivation, list(derivation.configurations())[1:], strict=True):
        if step.transition.endswith("arc"):
            arc = configuration.arcs[-1]
            before.append((configuration.stack, configuration.buffer[0], (arc.head, arc.dependent)))
    assert before == [
        ([1, 2], 3, (2, 3)),
        ([1], 4, (1, 4)),
        ([1, 4, 5], 6, (6, 5)),
        ([1, 4], 6, (4, 6)),
        ([1, 2], 6, (6, 2)),
        ([1, 4], 7, (4, 7)),
        ([1, 4, 7], 8, (7, 8)),
        ([1], 9, (1, 9)),
    ]


def test_a_trace_lines_up() -> None:
    trace = systems.get("2-planar").oracle([3, 4, 0, 3]).derivation.trace()
    assert trace == (
        "            ([ ],       [ ],       [1, …, 4], ∅)\n"
        "    SHIFT ⇒ ([1],       [1],       [2, 3, 4], ∅)\n"
        "    SHIFT ⇒ ([1, 2],    [1, 2],    [3, 4],    ∅)\n"
        "   REDUCE ⇒ ([1],       [1, 2],    [3, 4],    ∅)\n"
        " LEFT-ARC ⇒ ([1],       [1, 2],    [3, 4],    A1 = {(3, 1)})\n"
        "    SHIFT ⇒ ([1, 3],    [1, 2, 3], [4],       A1)\n"
        "RIGHT-ARC ⇒ ([1, 3],    [1, 2, 3], [4],       A2 = A1 ∪ {(3, 4)})\n"
        "   SWITCH ⇒ ([1, 2, 3], [1, 3],    [4],       A2)\n"
        "   REDUCE ⇒ ([1, 2],    [1, 3],    [4],       A2)\n"
        " LEFT-ARC ⇒ ([1, 2],    [1, 3],    [4],       A3 = A2 ∪ {(4, 2)})\n"
        "    SHIFT ⇒ ([1, 2, 4], [1, 3, 4], [ ],       A3)\n"
    )


def fewest_switches(heads: tuple[int, ...], explored: Explored) -> int:
    """Over all sequences of transitions that build the tree, by trying all that add gold arcs only."""
    gold = set(arcs_of(heads, "none"))
    known: dict[Place, float] = {}

    def fewest(place: Place) -> float:
        if place.arcs - gold:
            return float("inf")
        if place.is_terminal:
            return 0 if len(place.arcs) == len(gold) else float("inf")
        if place not in known:
            known[place] = min((name == "switch") + fewest(after) for name, after in place.steps)
        return known[place]

    return int(fewest(explored.place(systems.get("2-planar").start(len(heads)))))


@pytest.mark.exhaustive
def test_switch_is_used_as_rarely_as_can_be() -> None:
    """2010, Section 5.2, to the letter: no sequence of transitions for the tree has fewer SWITCH."""
    trees = [heads for heads in TREES[5] if sum(head == 0 for head in heads) == 1]
    crossing = [heads for heads in trees if not systems.get("planar").oracle(heads).derivation.complete]
    explored = Explored()
    for heads in crossing[::70]:
        steps = [step.transition for step in systems.get("2-planar").oracle(heads).derivation]
        assert steps.count("switch") == fewest_switches(heads, explored), heads


def random_multiplanar_tree(words: int, planes: int, seed: int) -> list[int]:
    """A tree whose arcs fit on so many planes: arcs are added wherever they make no cycle and no crossing."""
    generator = np.random.default_rng(seed)
    stacks: list[list[int]] = [[] for _ in range(planes)]
    heads = [0] * (words + 1)
    component = list(range(words + 1))

    def find(word: int) -> int:
        while component[word] != word:
            component[word] = component[component[word]]
            word = component[word]
        return word

    for word in range(1, words + 1):
        for stack in stacks:
            for _ in range(int(generator.integers(0, 3))):
                for _ in range(min(len(stack), int(generator.geometric(0.6)) - 1)):
                    stack.pop()
                if stack and find(stack[-1]) != find(word):
                    other = stack[-1]
                    head, dependent = (word, other) if not heads[other] else (other, word)
                    if not heads[dependent]:
                        heads[dependent] = head
                        component[find(dependent)] = find(head)
        for stack in stacks:
            stack.append(word)
    return heads[1:]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rule", "search"])
@pytest.mark.parametrize(("name", "planes"), [("planar", 1), ("2-planar", 2)])
def test_transitions_grow_with_the_words(name: str, planes: int, method: str) -> None:
    """2013, Propositions 8 and 11: the number of transitions for each word stays what it is from 10 to 10,000 words."""
    ratios = {}
    for words, trees in ((10, 200), (100, 20), (1000, 3), (10_000, 1)):
        lengths = []
        for seed in range(trees):
            derivation = (
                systems.get(name).oracle(random_multiplanar_tree(words, planes, seed), method=method).derivation
            )
            assert derivation.complete
            lengths.append(len(derivation) / words)
        ratios[words] = float(np.mean(lengths))
    # A sentence of ten words is mostly margin, where there is less to link.
    assert ratios.pop(10) <= 1.05 * min(ratios.values())
    assert max(ratios.values()) < 1.05 * min(ratios.values()), ratios


@pytest.mark.slow
@pytest.mark.parametrize("name", ["planar", "2-planar", "arc-eager", "covington", "swap", "3-planar"])
def test_random_trees_of_any_shape(name: str) -> None:
    """What is lost is lost: replayed, every derivation ends with the gold arcs that it does not call lost."""
    for words, seed in product((2, 17, 64), range(8)):
        heads = random_tree(words, seed)
        derivation = systems.get(name).oracle(heads).derivation
        built = {(arc.head, arc.dependent) for arc in derivation.final().arcs}
        gold = set(arcs_of(heads.tolist(), "none"))
        assert gold - built == set(derivation.lost)
        if name == "2-planar":
            lower, _ = planarity_bounds(heads)
            assert derivation.complete == (lower <= 2)
        if name in ("covington", "swap"):
            assert derivation.complete
