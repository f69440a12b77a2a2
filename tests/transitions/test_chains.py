"""Chains of transitions (2013, Definitions 8 to 10): as values, and the propositions on every short chain there is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from crossarc.structure.graph import Graph
from crossarc.transitions import TransitionError, systems
from crossarc.transitions.algebra.transition import DIVISIBLE, Operation
from crossarc.transitions.running.chains import ElementaryChain, TransitionChain, elementary_system

WORDS = 4
LONGEST = 7


def chains(words: int, longest: int, stacks: int = 1) -> Iterator[ElementaryChain]:
    """All elementary chains up to a length that can be carried out, the short ones first."""
    waiting = [(ElementaryChain(), elementary_system(stacks).start(words))]
    for chain, configuration in waiting:
        yield chain
        if len(chain) < longest:
            for name in configuration.legal():
                longer = chain >> ElementaryChain((Operation[name.upper()],))
                waiting.append((longer, configuration.copy().apply(name)))


def undirected_cycle(graph: Graph) -> bool:
    """Whether arcs form a cycle if directions are ignored; two opposite arcs do, too."""
    parts = {node: {node} for node in graph.nodes}
    for head, dependent in graph.arcs:
        if parts[head] is parts[dependent]:
            return True
        joined = parts[head] | parts[dependent]
        parts |= dict.fromkeys(joined, joined)
    return False


@pytest.mark.slow
@pytest.mark.exhaustive
def test_propositions_1_to_4_and_both_lemmas_on_all_short_chains() -> None:
    """Each premise that a chain meets gives its graph the property; every graph is planar."""
    met = {"reduced_with_head": 0, "attached_once": 0, "joined_components": 0}
    number = 0
    for chain in chains(WORDS, LONGEST):
        number += 1
        graph, premises = chain.graph(WORDS), chain.premises(WORDS)
        assert graph.planar
        assert graph.no_covered_roots or not premises.reduced_with_head
        assert graph.single_head == premises.attached_once
        assert undirected_cycle(graph) != premises.joined_components
        for name in met:
            met[name] += getattr(premises, name)
        last = chain.sequence(WORDS)[-1]
        places = [*last.stack, *last.buffer]
        assert places == sorted(places)  # Lemma 1
        assert chain.decrease == (len(last.arcs), WORDS - len(places), WORDS - len(last.buffer))
    assert all(0 < count < number for count in met.values())


@pytest.mark.slow
def test_words_that_are_gone_never_come_back() -> None:
    """Lemma 2."""
    for chain in chains(WORDS, LONGEST - 2):
        left = [{*one.stack, *one.buffer} for one in chain.sequence(WORDS)]
        assert all(after <= before for before, after in pairwise(left))


def test_chains_on_two_stacks_build_2_planar_graphs() -> None:
    """Section 5.1: no graph of three words has crossing arcs, and with SWITCH four words may."""
    crossing = ElementaryChain(
        tuple(
            Operation[name]
            for name in (
                *("SHIFT", "SHIFT", "SWITCH", "REDUCE", "LEFT_ARC", "SHIFT"),
                *("SWITCH", "REDUCE", "RIGHT_ARC"),
            )
        )
    )
    graph = crossing.graph(4, stacks=2)
    assert graph.arcs == [(3, 1), (2, 4)]
    assert (graph.planar, graph.planarity) == (False, 2)
    assert all(chain.graph(3, stacks=2).planarity <= 2 for chain in chains(3, 5, stacks=2))


DIVISIBLE_SYSTEMS = [name for name, system in systems.catalogue().items() if system.is_divisible]


@pytest.mark.parametrize("name", DIVISIBLE_SYSTEMS)
def test_a_chain_of_a_divisible_system_and_its_elementary_chain_build_the_same(name: str) -> None:
    """Definition 9, along the derivations of the oracle."""
    system = systems.get(name)
    for heads in ([2, 0, 2, 3], [0, 1, 4, 1], [3, 3, 0, 3]):
        chain = TransitionChain.from_steps(system, system.oracle(heads).derivation)
        ends = chain.sequence(4)
        elementary = chain.elementary.sequence(4)
        assert len(elementary) == len(chain.elementary) + 1
        assert (ends[-1].stack, ends[-1].buffer) == (elementary[-1].stack, elementary[-1].buffer)
        assert [arc[:2] for arc in ends[-1].arcs] == [arc[:2] for arc in elementary[-1].arcs]
        passed = iter(str(one) for one in elementary)
        assert all(str(one) in passed for one in ends)  # in this order


def test_decomposition_of_transitions() -> None:
    right_arc = systems.arc_standard.transitions["right_arc"]
    chain = ElementaryChain.from_transition(right_arc)
    assert repr(chain) == "RIGHT_ARC >> SHIFT >> REDUCE >> UNSHIFT"
    assert chain.transition == right_arc
    assert chain.decrease == (1, 1, 0)
    restricted = ElementaryChain.from_transition(systems.arc_eager.transitions["left_arc"])
    assert repr(restricted) == "LEFT_ARC >> REDUCE"  # restrictions are no part of a chain
    attach = systems.easy_first.transitions["attach_left"]
    assert repr(ElementaryChain.from_transition(attach, 3)) == (
        "SHIFT >> SHIFT >> SHIFT >> LEFT_ARC >> REDUCE >> UNSHIFT >> UNSHIFT"
    )
    assert all(
        set(ElementaryChain.from_transition(one)) <= DIVISIBLE for one in systems.arc_hybrid.transitions.values()
    )


def test_chains_are_values_that_compose() -> None:
    one, two = ElementaryChain((Operation.SHIFT,)), ElementaryChain((Operation.LEFT_ARC, Operation.REDUCE))
    empty = ElementaryChain()
    assert (one >> two) >> one == one >> (two >> one)
    assert empty >> one == one >> empty == one
    assert len({one, ElementaryChain((Operation.SHIFT,)), two}) == 2
    assert list(one >> two) == [Operation.SHIFT, Operation.LEFT_ARC, Operation.REDUCE]
    first = TransitionChain.from_steps(systems.arc_eager, ["shift", "left_arc"])
    second = TransitionChain.from_steps(systems.arc_eager, ["shift"])
    assert (first >> second).elementary == first.elementary >> second.elementary
    assert len(first >> second) == 3
    assert {first, TransitionChain.from_steps(systems.arc_eager, ["shift", "left_arc"])} == {first}


def test_what_is_no_chain_is_refused() -> None:
    for name, transition in (("swap", "swap"), ("attardi-2", "left_arc_2"), ("covington", "no_arc")):
        with pytest.raises(TransitionError, match="not composed of elementary transitions"):
            ElementaryChain.from_transition(systems.get(name).transitions[transition])
    with pytest.raises(TransitionError, match="not an elementary transition"):
        ElementaryChain((Operation.SWAP,))
    with pytest.raises(TransitionError, match="REDUCE, number 1 of the chain, cannot be done"):
        ElementaryChain((Operation.REDUCE,)).sequence(2)
    with pytest.raises(TransitionError, match="the empty chain is no transition"):
        _ = ElementaryChain().transition
    with pytest.raises(TransitionError, match="arc-eager has no transition 'swap'; it has shift"):
        TransitionChain.from_steps(systems.arc_eager, ["swap"])
    with pytest.raises(TransitionError, match="a chain of arc-eager does not go on with one of swap"):
        TransitionChain.from_steps(systems.arc_eager, ["shift"]) >> TransitionChain.from_steps(systems.swap, ["shift"])
