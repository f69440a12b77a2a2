"""Rules, costs and guarantees belong to what transitions do: not to their names, their order or the system's name."""

from __future__ import annotations

import random

import pytest

from crossarc.parsers.transition.targets import right_transitions
from crossarc.transitions import (
    LEFT_ARC,
    REDUCE,
    RIGHT_ARC,
    SHIFT,
    SKIP,
    UNSHIFT,
    Configuration,
    Transition,
    TransitionSystem,
    systems,
)
from crossarc.transitions import guards as g
from crossarc.transitions.algebra.symbolic import effect_signature
from crossarc.transitions.oracles import OracleSupport, Reach, Role, Rule
from tests.support.gold_trees import TREES, arcs_of

NAMES = list(systems.catalogue())
WITH_RULE = [name for name in NAMES if OracleSupport.from_system(systems.get(name)).rule is not Rule.NONE]
EXACT = [name for name in NAMES if OracleSupport.from_system(systems.get(name)).reach is not Reach.UNKNOWN]


def renamed(system: TransitionSystem) -> tuple[TransitionSystem, dict[str, str]]:
    """Return the system with its transitions in another order, under names that say nothing; and the new names."""
    order = list(system.transitions)
    random.Random(system.name).shuffle(order)
    order = [*order[1:], order[0]] if order == list(system.transitions) else order
    names = {old: f"t{number}" for number, old in enumerate(order)}
    transitions = {names[old]: system.transitions[old] for old in order}
    return TransitionSystem("other", stacks=system.stacks, labels=system.labels, **transitions), names


def played(system: TransitionSystem) -> dict[Role, Transition]:
    transitions = list(system.transitions.values())
    roles = OracleSupport.from_system(system).roles
    return {role: transitions[number] for role, number in zip(Role, roles, strict=True) if number >= 0}


@pytest.mark.parametrize("name", NAMES)
def test_renamed_and_reordered_systems_keep_rule_roles_and_guarantees(name: str) -> None:
    system = systems.get(name)
    other, _ = renamed(system)
    known, same = OracleSupport.from_system(system), OracleSupport.from_system(other)
    assert (same.rule, same.reach, same.training_reach) == (known.rule, known.reach, known.training_reach)
    for guarantee in ("single_head", "acyclic", "no_covered_roots", "projective", "undirected"):
        assert getattr(same, guarantee) is getattr(known, guarantee)
    assert played(other) == played(system)
    assert known.rule is Rule.NONE or {Role.SHIFT, Role.LEFT_ARC, Role.RIGHT_ARC} <= played(system).keys()


@pytest.mark.parametrize("name", WITH_RULE)
def test_renamed_systems_derive_and_teach_the_same(name: str) -> None:
    system = systems.get(name)
    other, names = renamed(system)
    chance = random.Random(1)
    for heads in TREES[4][::4]:
        derivation = system.oracle(heads, method="rule").derivation
        translated = other.oracle(heads, method="rule").derivation
        assert (translated.method, translated.lost) == (derivation.method, derivation.lost)
        if derivation.method == "rule":  # a search that goes by the order of definition takes over elsewhere
            assert [step.transition for step in translated] == [names[step.transition] for step in derivation]
        here, there = system.start(4), other.start(4)
        while legal := here.legal():
            right = right_transitions(here, heads)
            assert set(right_transitions(there, heads)) == {names[one] for one in right}
            step(here, there, names, chance.choice(legal))


@pytest.mark.parametrize("name", EXACT)
def test_renamed_systems_keep_their_costs(name: str) -> None:
    system = systems.get(name)
    other, names = renamed(system)
    chance = random.Random(2)
    for heads in TREES[4][::6]:
        oracle, translated = system.oracle(heads), other.oracle(heads)
        assert translated.exact_costs
        here, there = system.start(4), other.start(4)
        while legal := here.legal():
            costs = oracle.costs(here)
            assert translated.costs(there) == {names[one]: cost for one, cost in costs.items()}
            step(here, there, names, chance.choice(legal))


def step(here: Configuration, there: Configuration, names: dict[str, str], transition: str) -> None:
    here.apply(transition)
    there.apply(names[transition])


@pytest.mark.parametrize(
    "changes",
    [
        {"reduce": REDUCE},
        {"left_arc": LEFT_ARC >> REDUCE},
        {"right_arc": RIGHT_ARC.where(~g.buffer_has_head) >> SHIFT},
        {"left_arc": RIGHT_ARC.where(~g.stack_has_head) >> REDUCE},
        {"shift": SHIFT >> SHIFT},
        {"another": SHIFT >> SHIFT},
        {"another": SHIFT},
    ],
)
def test_the_names_alone_give_no_rule(changes: dict[str, Transition]) -> None:
    mine = systems.arc_eager.extended("arc-eager", **changes)
    known = OracleSupport.from_system(mine)
    assert (known.rule, known.reach, set(known.roles)) == (Rule.NONE, Reach.UNKNOWN, {-1})
    assert not mine.oracle([2, 0]).exact_costs


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("planar", {"reduce": REDUCE >> REDUCE}),
        ("planar", {"left_arc": LEFT_ARC.at(1)}),
        ("planar", {"left_arc": RIGHT_ARC.where(~g.connected)}),
        ("planar", {"second": RIGHT_ARC.where(g.connected)}),
        ("covington", {"no_arc": SKIP.where(g.stack_has_head)}),
        ("swap", {"swap": SHIFT >> UNSHIFT >> UNSHIFT}),
    ],
)
def test_other_systems_that_use_the_names_of_one_with_a_rule(name: str, changes: dict[str, Transition]) -> None:
    mine = systems.get(name).extended(name, **changes)
    assert OracleSupport.from_system(mine).rule is Rule.NONE


def test_arcs_that_are_called_the_other_way_round() -> None:
    """The transition called left_arc adds right arcs, and plays that role."""
    arcs = {"left_arc": systems.planar.transitions["right_arc"], "right_arc": systems.planar.transitions["left_arc"]}
    turned = systems.planar.extended("turned", **arcs)
    assert OracleSupport.from_system(turned).rule is Rule.PLANAR
    for heads in TREES[4][::5]:
        derivation = turned.oracle(heads).derivation
        assert derivation.lost == systems.planar.oracle(heads).derivation.lost
        if derivation.complete:
            assert {(arc.head, arc.dependent) for arc in derivation.final().arcs} == set(arcs_of(heads, "none"))


def test_other_compositions_that_do_the_same() -> None:
    mine = TransitionSystem(
        "mine",
        a=LEFT_ARC.where(~g.stack_has_head) >> REDUCE.where(g.arc_from_buffer),
        b=RIGHT_ARC >> SHIFT >> UNSHIFT >> SHIFT,
        c=SHIFT >> UNSHIFT >> SHIFT,
        d=REDUCE.where(g.stack_has_head),
    )
    assert OracleSupport.from_system(mine).rule is Rule.ARC_EAGER
    assert played(mine) == dict(
        zip((Role.LEFT_ARC, Role.RIGHT_ARC, Role.SHIFT, Role.REDUCE), mine.transitions.values(), strict=True)
    )
    derivations = [one.oracle([2, 0, 4, 2]).derivation for one in (mine, systems.arc_eager)]
    assert derivations[0].final().arcs == derivations[1].final().arcs
    assert [one.method for one in derivations] == ["rule", "rule"]


def test_effects_tell_transitions_apart() -> None:
    """No two transitions of a system do the same, and what needs more words of a configuration is not the same."""
    for system in systems.catalogue().values():
        effects = [effect_signature(one, system) for one in system.transitions.values()]
        assert len(set(effects)) == len(effects), system.name
    assert effect_signature(SHIFT >> UNSHIFT >> SHIFT, systems.planar) == effect_signature(SHIFT, systems.planar)
    assert effect_signature(SHIFT >> SHIFT >> UNSHIFT, systems.planar) != effect_signature(SHIFT, systems.planar)
    assert effect_signature(UNSHIFT >> SHIFT >> SHIFT, systems.planar) != effect_signature(SHIFT, systems.planar)
    guarded = LEFT_ARC >> RIGHT_ARC.where(~g.connected & g.buffer_has_head | g.stack_has_head)
    other = RIGHT_ARC.where(g.stack_has_head) >> LEFT_ARC
    assert effect_signature(guarded, systems.planar_graph) != effect_signature(other, systems.planar_graph)
