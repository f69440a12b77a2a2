"""Every structural class is in the sample: by checkers that restate the definitions word for word."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations, pairwise

import pytest

from crossarc.samples import CONSTRUCTIONS, sample
from crossarc.treebank import Sentence, Treebank

Arc = tuple[int, int]


class Shape:
    """A tree and the naive answers to what it is."""

    def __init__(self, sentence: Sentence) -> None:
        self.heads = [-1, *sentence.heads.tolist()]
        self.words = range(1, len(self.heads))
        self._ancestors: dict[int, list[int]] = {0: [0]}
        self._projections = {
            word: {other for other in self.words if word in self.ancestors(other)} for word in self.words
        }
        self.arcs = [(min(word, self.heads[word]), max(word, self.heads[word])) for word in self.words]

    def ancestors(self, word: int) -> list[int]:
        if word not in self._ancestors:
            self._ancestors[word] = [word, *self.ancestors(self.heads[word])]
        return self._ancestors[word]

    def projection(self, word: int) -> set[int]:
        return self._projections[word]

    def blocks(self, word: int) -> list[list[int]]:
        blocks: list[list[int]] = []
        for member in sorted(self.projection(word)):
            if blocks and blocks[-1][-1] == member - 1:
                blocks[-1].append(member)
            else:
                blocks.append([member])
        return blocks

    @property
    def projective(self) -> bool:
        return not any(crosses(*pair) for pair in combinations(self.arcs, 2))

    @property
    def inner_crossings(self) -> list[tuple[Arc, Arc]]:
        inner = [arc for arc in self.arcs if arc[0] != 0]
        return [pair for pair in combinations(inner, 2) if crosses(*pair)]

    @property
    def planar(self) -> bool:
        return not self.inner_crossings

    @property
    def two_planar(self) -> bool:
        colour: dict[Arc, int] = {}
        neighbours: dict[Arc, list[Arc]] = {}
        for one, other in self.inner_crossings:
            neighbours.setdefault(one, []).append(other)
            neighbours.setdefault(other, []).append(one)

        def paint(arc: Arc, with_colour: int) -> bool:
            if arc in colour:
                return colour[arc] == with_colour
            colour[arc] = with_colour
            return all(paint(other, 1 - with_colour) for other in neighbours[arc])

        return all(arc in colour or paint(arc, 0) for arc in neighbours)

    @property
    def one_endpoint_crossing(self) -> bool:
        for arc in self.arcs:
            crossing = [set(other) for other in self.arcs if crosses(arc, other)]
            if crossing and not set.intersection(*crossing):
                return False
        return True

    @property
    def gap_degree(self) -> int:
        return max(len(self.blocks(word)) for word in self.words) - 1

    @property
    def well_nested(self) -> bool:
        for one, other in combinations(self.words, 2):
            a, b = self.projection(one), self.projection(other)
            if a & b:
                continue
            sides = [place in a for place in sorted(a | b)]
            if sum(left != right for left, right in pairwise(sides)) > 2:
                return False
        return True

    @property
    def gap_minding(self) -> bool:
        if not self.well_nested or self.gap_degree > 1:
            return False
        return not any(
            sum(bool(self.projection(word) & set(block)) for block in self.blocks(self.heads[word])) > 1
            for word in self.words
            if self.heads[word] != 0
        )

    @property
    def lifts(self) -> int:
        """The most steps that an arc's head must move up until the arc is projective."""
        return max(self.lifts_of(word) for word in self.words)

    def lifts_of(self, word: int) -> int:
        for steps, head in enumerate(self.ancestors(self.heads[word])):
            between = range(min(word, head) + 1, max(word, head))
            if all(head in self.ancestors(other) for other in between):
                return steps
        raise AssertionError("an arc from 0 is projective")


def crosses(one: Arc, other: Arc) -> bool:
    (a, b), (c, d) = sorted([one, other])
    return a < c < b < d


@cache
def bank() -> Treebank:
    return sample(1000)


@cache
def shapes() -> list[Shape]:
    return [Shape(sentence) for sentence in bank()]


def constructions(sentence: Sentence) -> set[str]:
    return {name for word in sentence for name in word.misc.get("Construction", "").split(",") if name}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_quarter_of_the_sentences_is_not_projective(seed: int) -> None:
    crossed = [not Shape(sentence).projective for sentence in sample(1130, seed)]
    for sentences in (1000, 1130):
        assert 0.23 <= sum(crossed[:sentences]) / sentences <= 0.27


def test_every_class_is_there() -> None:
    crossed = [shape for shape in shapes() if not shape.projective]
    classes = Counter[str]()
    for shape in crossed:
        planes = "planar" if shape.planar else "2-planar" if shape.two_planar else "not 2-planar"
        names = [
            planes,
            f"1-endpoint-crossing: {shape.one_endpoint_crossing}",
            f"gap degree {min(shape.gap_degree, 2)}",
            f"well-nested: {shape.well_nested}",
            f"gap-minding: {shape.gap_minding}",
            f"lifts {min(shape.lifts, 3)}",
        ]
        classes.update(names)
    print(len(crossed), "of", len(shapes()), "not projective:", dict(sorted(classes.items())))
    expected = {"planar", "2-planar", "not 2-planar", "gap degree 1", "gap degree 2", "lifts 1", "lifts 2", "lifts 3"}
    for name in ("1-endpoint-crossing", "well-nested", "gap-minding"):
        expected |= {f"{name}: True", f"{name}: False"}
    assert expected <= set(classes)
    assert 5 <= classes["not 2-planar"] <= 15


def test_every_construction_is_there_and_the_crossing_sentences_are_tagged() -> None:
    found = Counter[str]()
    for sentence, shape in zip(bank(), shapes(), strict=True):
        names = constructions(sentence)
        found.update(names)
        if not shape.projective:
            assert names, sentence.text
        elif names:
            assert names == {"Parenthetical"}, sentence.text
    assert set(found) == set(CONSTRUCTIONS)


def test_a_covered_root_is_planar_and_not_projective() -> None:
    for sentence, shape in zip(bank(), shapes(), strict=True):
        for word in sentence:
            if "CoveredRoot" in word.misc.get("Construction", ""):
                assert word.head == 0
                assert any(left < word.id < right for left, right in shape.arcs if left != 0)
                assert shape.planar and not shape.projective


def test_three_verbs_make_three_arcs_that_cross_each_other() -> None:
    seen = 0
    for sentence, shape in zip(bank(), shapes(), strict=True):
        subjects = [word for word in sentence if "ThreeVerbCluster" in word.misc.get("Construction", "")]
        if subjects:
            arcs = [shape.arcs[word.id - 1] for word in subjects]
            assert len(arcs) == 3 and all(crosses(*pair) for pair in combinations(arcs, 2))
            assert not shape.two_planar
            seen += 1
    assert seen >= 5


def test_a_crossing_arc_is_where_the_tag_is() -> None:
    tagged = ("ExtraposedRelative", "Scrambling", "FrontedQuestion", "FrontedTopic")
    for sentence, shape in zip(bank(), shapes(), strict=True):
        for word in sentence:
            if any(name in word.misc.get("Construction", "") for name in tagged):
                assert shape.lifts_of(word.id) >= 1


def test_the_mark_at_the_end_crosses_nothing() -> None:
    for shape in shapes():
        assert not any(crosses(shape.arcs[-1], arc) for arc in shape.arcs)
