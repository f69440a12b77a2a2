"""What the papers prove about transition systems on the way to their propositions: lemmas, proofs and examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossarc as xa
from crossarc.encodings import Links
from crossarc.structure import nonprojective_arcs
from crossarc.structure.graph import Graph
from crossarc.transitions import Configuration, TransitionChain, TransitionSystem, systems

from ..support.gold_trees import TREES, arcs_of
from ..support.naive_structure import cross

Arc = tuple[int, int]


def arcs(configuration: Configuration) -> set[Arc]:
    return {(arc.head, arc.dependent) for arc in configuration.arcs}


# Gómez-Rodríguez & Nivre 2013.

ELEMENTARY_BOUNDS = {
    "arc-standard": "8n - 4",  # four times 2n - 1
    "arc-standard-stack": "8n - 4",
    "arc-eager": "4n",
    "dag-arc-standard": "20n - 24",  # four times n SHIFT and 4n - 6 arcs
    "planar": "3n - 1",
    "2-planar-graph": "22n - 23",
}


@pytest.mark.parametrize(("name", "bound"), ELEMENTARY_BOUNDS.items())
def test_proposition_9_bounds_elementary_transition_sequences(name: str, bound: str) -> None:
    system = systems.get(name)
    derived = system.properties().elementary_bound
    assert derived is not None
    assert (str(derived), derived.growth) == (bound, "O(n)")
    for words in (1, 2, 3) if system.stacks == 1 else (1, 2):
        assert _most_elementary(system, words) <= derived.at_most(words)


def _most_elementary(system: TransitionSystem, words: int) -> int:
    """The most elementary transitions of any transition sequence, by trying all."""

    @cache
    def most(text: str) -> int:
        configuration = reached[text]
        lengths = [0]
        for name in configuration.legal():
            after = configuration.copy().apply(name)
            key = f"{after} {after.active} {after.legal()}"
            reached[key] = after
            lengths.append(len(system.transitions[name].steps) + most(key))
        return max(lengths)

    reached = {"": system.start(words)}
    return most("")


def test_proposition_9_says_nothing_where_compositions_grow() -> None:
    """Example 11: the transitions of easy-first are as long as their position, so that Proposition 8 alone holds."""
    properties = systems.easy_first.properties()
    assert str(properties.bound) == "n"
    assert properties.elementary_bound is None
    assert all(
        systems.get(name).properties().elementary_bound is not None
        for name in systems.catalogue()
        if name != "easy-first"
    )


@pytest.mark.parametrize("name", ["arc-standard", "arc-eager", "dag-arc-eager", "planar-graph"])
def test_lemma_3_only_reduce_drops_words_and_from_the_top(name: str) -> None:
    """Along every elementary transition sequence for three words."""
    system, dropped = systems.get(name), 0
    for chain in _sequences(system, 3):
        elementary = chain.elementary
        passed = elementary.sequence(3)
        gone: set[int] = set()
        for operation, before, after in zip(elementary, passed, passed[1:], strict=False):
            if operation.name == "REDUCE":
                gone.add(before.stack[-1])
            assert {1, 2, 3} - {*after.stack, *after.buffer} == gone
        dropped += len(gone)
    assert dropped


def _sequences(system: TransitionSystem, words: int) -> Iterator[TransitionChain]:
    """Transition sequences that end in terminal configurations: one to each such configuration."""
    start = system.start(words)
    known, waiting = {str(start)}, [(TransitionChain(system), start)]
    for chain, configuration in waiting:
        if configuration.is_terminal:
            yield chain
        for name in configuration.legal():
            after = configuration.copy().apply(name)
            if str(after) not in known:
                known.add(str(after))
                waiting.append((chain >> TransitionChain.from_steps(system, [name]), after))


def follow_the_proof(system: TransitionSystem, words: int, planes: Sequence[set[Arc]]) -> Configuration:
    """Run the transition sequence that the proofs of Lemmas 5 and 7 construct, a plane for each stack."""
    configuration = system.start(words)
    for word in range(1, words + 1):
        for number, plane in enumerate(planes):
            ends = sorted({min(arc) for arc in plane if max(arc) == word}, reverse=True)
            if ends and number:
                configuration.apply("switch")
            for end in ends:
                while configuration.stack[-1] != end:
                    configuration.apply("reduce")
                for name, arc in (("left_arc", (word, end)), ("right_arc", (end, word))):
                    if arc in plane:
                        configuration.apply(name)
            if ends and number:
                configuration.apply("switch")
        configuration.apply("shift")
    return configuration


def uncovered(words: int, plane: set[Arc]) -> set[int]:
    return {word for word in range(1, words + 1) if not any(min(arc) < word < max(arc) for arc in plane)}


def check_lemma(system: TransitionSystem, words: int, planes: Sequence[set[Arc]]) -> None:
    last = follow_the_proof(system, words, planes)
    assert last.is_terminal
    assert arcs(last) == set().union(*planes)
    assert last.active == 0
    for stack, plane in zip(last.stacks, planes, strict=True):
        assert uncovered(words, plane) <= {*stack}


def is_planar(plane: set[Arc]) -> bool:
    return not any(cross(one, other) for one, other in combinations(plane, 2))


def test_lemma_5_every_planar_graph_with_all_uncovered_words_on_the_stack() -> None:
    number = 0
    for words in range(1, 5):
        possible = [(one, other) for one in range(1, words + 1) for other in range(1, words + 1) if one != other]
        for chosen in product((False, True), repeat=len(possible)):
            plane = {arc for arc, is_there in zip(possible, chosen, strict=True) if is_there}
            if is_planar(plane):
                check_lemma(systems.planar_graph, words, [plane])
                number += 1
    assert number == 1 + 4 + 64 + (4096 - 9 * 256)  # of four words those without both (1, 3) and (2, 4), either way


@given(st.data(), st.integers(1, 9))
def test_lemma_7_every_2_planar_graph_with_all_uncovered_words_on_the_stack_of_each_plane(
    data: st.DataObject, words: int
) -> None:
    planes: list[set[Arc]] = [set(), set()]
    word = st.integers(1, words)
    for one, other, number in data.draw(st.lists(st.tuples(word, word, st.integers(0, 1)), max_size=20)):
        is_new = one != other and (one, other) not in planes[0] | planes[1]
        if is_new and is_planar({*planes[number], (one, other)}):
            planes[number].add((one, other))
    check_lemma(systems.get("2-planar-graph"), words, planes)


@pytest.mark.parametrize(
    ("name", "sequence", "cycle"),
    [
        # Example 7. Its sequence is lost in the text of the article; this is one.
        ("dag-arc-standard", ["left_attach", "shift", "left_reduce", "right_attach"], {(2, 1), (3, 2), (1, 3)}),
        ("dag-arc-standard", ["right_attach", "left_reduce"], {(1, 2), (2, 1)}),
        # Example 8; of its transitions RIGHT-ARC, SHIFT and LEFT-ARC are left in the text.
        ("dag-arc-eager", ["right_arc", "shift", "right_arc", "reduce", "left_arc"], {(1, 2), (2, 3), (3, 1)}),
    ],
)
def test_examples_7_and_8_dag_parsers_build_cycles(name: str, sequence: list[str], cycle: set[Arc]) -> None:
    """From any configuration with a word on the stack and two in the buffer: here from two of them."""
    for first, words in ((1, 3), (2, 5)):
        configuration = systems.get(name).start(words)
        for transition in [*["shift"] * first, *sequence]:
            configuration.apply(transition)
        moved = {(head + first - 1, dependent + first - 1) for head, dependent in cycle}
        assert arcs(configuration) == moved
        assert not Graph(words, moved).acyclic
    assert not systems.get(name).properties().directed_acyclic


# Gómez-Rodríguez & Nivre 2010, Section 4.3.


@pytest.mark.parametrize("words", [1, 2, 3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_the_invariants_and_the_variant_function_of_2010(words: int) -> None:
    """Along the oracle's derivation of every planar forest; the variant function falls by 1 in every transition."""
    for heads in TREES[words]:
        gold = set(arcs_of(heads, "none"))
        if not is_planar(gold):
            continue
        configuration = systems.planar.start(words)
        value = len(gold) + 2 * words
        for step in systems.planar.oracle(heads).derivation:
            _check_invariants(configuration, gold)
            configuration.apply(step.transition)
            left = gold - arcs(configuration)
            assert value - 1 == len(left) + len(configuration.stack) + 2 * len(configuration.buffer)
            value -= 1
        assert configuration.is_terminal
        assert arcs(configuration) == gold


def _check_invariants(configuration: Configuration, gold: set[Arc]) -> None:
    """The three invariants of the proof, for the top i of the stack and the first word j of the buffer."""
    left = {(min(arc), max(arc)) for arc in gold - arcs(configuration)}
    built = {(min(arc), max(arc)) for arc in arcs(configuration)}
    stack, first = configuration.stack, configuration.buffer[0]
    assert not any(b < first for _, b in left)
    if stack and (stack[-1], first) in built:
        assert not any((k, first) in left for k in range(stack[-1] + 1, first))
    for k in range(1, first):
        assert k in stack or not any(k in arc for arc in left)


@pytest.mark.parametrize("words", [3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_with_a_root_planar_parsing_is_projective_but_for_words_that_are_made_roots(words: int) -> None:
    """Footnote 3. A word without a head becomes a root after parsing: only arcs over such words are not projective."""
    trees = []
    for forest in systems.planar.derivable(words, root="first"):
        attached = {dependent: head for head, dependent in forest}
        heads = [attached.get(word, 0) for word in range(1, words + 1)]
        made = [word for word in range(1, words + 1) if word not in attached]
        arcs_left = nonprojective_arcs(heads)
        assert all(any(min(arc) < word < max(arc) for word in made) for arc in arcs_left)
        trees.append(not arcs_left)
    assert 0 < sum(trees) < len(trees)


# Gómez-Rodríguez & Fernández-González 2012, Section 1.

FIGURE_1 = (2, 3, 0)


@pytest.mark.parametrize("name", ["arc-eager", "planar", "covington", pytest.param("2-planar", marks=pytest.mark.slow)])
def test_figure_1_of_2012_a_wrong_direction_costs_two_arcs(name: str) -> None:
    """1 → 2 in place of 2 → 1: the single-head constraint then rules out 3 → 2, too."""
    system = systems.get(name)
    start = system.start(3, root="first").apply("shift").apply("shift")
    assert (start.stack[-1], start.buffer[0]) == (1, 2)
    gold = set(arcs_of(FIGURE_1, "first"))
    most = [
        max(len(arcs(end) & gold) for end in terminal(start.copy().apply(arc))) for arc in ("left_arc", "right_arc")
    ]
    assert most == [3, 1]


def terminal(start: Configuration) -> Iterator[Configuration]:
    """The terminal configurations that can be reached from one, each once."""
    known, waiting = set(), [start]
    while waiting:
        configuration = waiting.pop()
        key = f"{configuration.describe()} {configuration.legal()}"
        if key not in known:
            known.add(key)
            waiting += [configuration.copy().apply(name) for name in configuration.legal()]
            if configuration.is_terminal:
                yield configuration


@pytest.mark.parametrize(
    ("reconstruction", "labels"), [("naive", (0, 0, 0)), ("label", (1, 1, 0)), ("label-strict", (1, 1, 0))]
)
def test_figure_1_of_2012_costs_nothing_without_directions(reconstruction: str, labels: tuple[int, ...]) -> None:
    """The link between 1 and 2 is the same for both; a label that says 1 → 2 is overruled by the others."""
    links = Links.from_lists([[(0, 3, labels[0]), (1, 2, labels[1]), (2, 3, labels[2])]], [3])
    heads, _, _ = xa.Undirected(reconstruction).with_labels(("X", "root"), "root").restore_arcs(links)
    assert tuple(heads.tolist()) == FIGURE_1
