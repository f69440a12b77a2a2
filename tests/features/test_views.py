"""What parsers see in configurations: words along arcs, siblings, planes, links, against plain definitions."""

from __future__ import annotations

import random

import pytest

from crossarc.features import TemplateError, look
from crossarc.transitions import Configuration
from crossarc.transitions.algebra import systems

STEPS = ("h", "l1", "l2", "l3", "r1", "r2", "r3", "ls", "rs")
SYSTEMS = (
    *("arc-eager", "arc-standard", "2-planar", "3-planar", "covington", "swap"),
    *("2-planar-graph", "undirected-planar", "undirected-2-planar", "undirected-covington"),
)


def reached(arcs: list[tuple[int, int]], undirected: bool, word: int, step: str) -> int | None:
    """Return the word at a step from another one, from all arcs; the last head if there are several."""
    both = arcs + [(b, a) for a, b in arcs]
    beside = [b for a, b in (both if undirected else arcs) if a == word]
    heads = [a for a, b in arcs if b == word]
    if step == "h":
        return heads[-1] if heads and not undirected else None
    left = step[0] == "l"
    if step in ("ls", "rs"):
        if undirected:
            commons = [b for a, b in both if a == word and (b > word) == left]
            found = {b for a, b in both if a in commons}
        else:
            found = {b for a, b in arcs if a in heads[-1:]}
        near = sorted((abs(one - word), one) for one in found if one != word and (one < word) == left)
        return near[0][1] if near else None
    side = sorted({one for one in beside if (one < word) == left}, key=lambda one: abs(one - word))
    order = side if undirected else side[::-1]
    number = int(step[1]) - 1
    return order[number] if number < len(order) else None


def beginnings(configuration: Configuration) -> dict[str, list[int]]:
    """The lists of words that addresses begin in, by their letter."""
    stacks = configuration.stacks
    return {
        "s": stacks[0][::-1],
        "t": stacks[1 % len(stacks)][::-1],
        "b": configuration.buffer,
        "a": configuration.describe()["aside"],
    }


def begin(lists: dict[str, list[int]], address: str) -> int | None:
    words, index = lists[address[0]], int(address[1])
    return words[index] if index < len(words) else None


@pytest.mark.slow
@pytest.mark.kernel
@pytest.mark.parametrize("root", ["none", "first"])
@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.exhaustive
def test_steps_lead_where_the_arcs_say(name: str, root: str) -> None:
    system, chance = systems.get(name), random.Random(name + root)
    bases = ["s0", "s1", "t0", "b0", "b1", "a0"]
    views = [*bases, *(f"{base}.{one}" for base in bases for one in STEPS)]
    pairs = [f"{base}.{one}.{two}" for base in bases for one in STEPS for two in STEPS]
    seen = 0
    for _ in range(30):
        configuration = system.start(9, root)
        while (actions := configuration.legal_actions()) and not configuration.is_terminal:
            transition, position = chance.choice(actions)
            configuration.apply(transition, position=position)
            if chance.random() < 0.5:
                continue
            asked = chance.sample(views, 15) + chance.sample(pairs, 15)
            arcs = [(arc.head, arc.dependent) for arc in configuration.arcs]
            lists = beginnings(configuration)
            for view, found in zip(asked, look(configuration, asked), strict=True):
                base, *steps = view.split(".")
                expected = begin(lists, base)
                for step in steps:
                    expected = None if expected is None else reached(arcs, system.is_undirected, expected, step)
                assert found == expected, (view, str(configuration))
                seen += bool(steps) and found is not None
    assert seen > 100


@pytest.mark.kernel
@pytest.mark.parametrize("name", SYSTEMS)
def test_links_are_seen_in_their_direction_or_without(name: str) -> None:
    system, chance = systems.get(name), random.Random(name)
    pairs = [("s0", "b0"), ("s1", "s0"), ("t0", "b0"), ("a0", "b0"), ("s0", "s0.l1"), ("b0.l1", "b0")]
    kinds = set()
    for _ in range(30):
        configuration = system.start(6)
        while (actions := configuration.legal_actions()) and not configuration.is_terminal:
            transition, position = chance.choice(actions)
            configuration.apply(transition, position=position)
            one, two = chance.choice(pairs)
            first, second, link = look(configuration, [one, two, f"link({one},{two})"])
            arcs = {(arc.head, arc.dependent) for arc in configuration.arcs}
            if first is None or second is None:
                expected = 0
            elif system.is_undirected:
                expected = 2 if {(first, second), (second, first)} & arcs else 1
            else:
                expected = 2 if (second, first) in arcs else 3 if (first, second) in arcs else 1
            assert link == expected, (one, two, str(configuration))
            kinds.add(link)
    assert kinds == ({0, 1, 2} if system.is_undirected else {0, 1, 2, 3})


def test_planes_are_counted_from_the_active_stack() -> None:
    configuration = systems.get("2-planar").start(3).apply("shift").apply("right_arc")
    assert look(configuration, ["b0.plane", "s0.plane", "s0.r1.plane", "s1.plane"]) == [2, 1, 2, 0]
    configuration.apply("switch")
    assert look(configuration, ["b0.plane", "s0.r1.plane"]) == [3, 3]


def test_what_a_view_cannot_be() -> None:
    configuration = systems.get("planar").start(2)
    with pytest.raises(TemplateError, match="form: no view of a network"):
        look(configuration, ["s0.form"])
    with pytest.raises(TemplateError, match="no step and no attribute"):
        look(configuration, ["s0.l4"])
