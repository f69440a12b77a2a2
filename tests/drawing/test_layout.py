"""The geometry: nothing overlaps that should not, and what covers is above what is covered."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings

from crossarc import CrossarcError
from crossarc.drawing import ArcPlace, Layout, Picture, layout

from ..support.pictures import DUTCH_CLUSTER, ENGLISH, HEBREW, THREE_PLANES, cross, picture, pictures


def ends(place: ArcPlace) -> tuple[float, float]:
    return min(place.head, place.dependent), max(place.head, place.dependent)


@pytest.mark.slow
@settings(max_examples=150)
@given(pictures())
def test_no_two_boxes_overlap(drawn: Picture) -> None:
    places = layout(drawn, "horizontal")
    boxes = [word.box for word in places.words] + [arc.label for arc in places.arcs if arc.label]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    for box in boxes:
        assert box.x >= 0 and box.x + box.width <= places.width
        assert box.y >= 0 and box.y + box.height <= places.height


@pytest.mark.slow
@settings(max_examples=150)
@given(pictures())
def test_labels_lie_between_the_legs_of_their_arc(drawn: Picture) -> None:
    for place in layout(drawn, "horizontal").arcs:
        if place.label is not None and not place.arc.is_root:
            left, right = ends(place)
            assert left < place.label.x and place.label.x + place.label.width < right


@pytest.mark.slow
@settings(max_examples=150)
@given(pictures())
def test_a_longer_arc_that_covers_a_shorter_one_is_higher(drawn: Picture) -> None:
    for one, other in combinations(layout(drawn, "horizontal").arcs, 2):
        if one.arc.is_above != other.arc.is_above:
            continue
        long, short = (one, other) if one.arc.right - one.arc.left > other.arc.right - other.arc.left else (other, one)
        if long.arc.left <= short.arc.left and short.arc.right <= long.arc.right and not short.arc.is_root:
            assert long.level > short.level
            assert abs(long.line - long.foot) > abs(short.line - short.foot)


def segments(place: ArcPlace) -> list[tuple[float, ...]]:
    """The legs and the line of an arc as boxes without area."""
    low, high = min(place.foot, place.line), max(place.foot, place.line)
    left, right = ends(place)
    if place.arc.is_root:
        return [(left, low, left, high)]
    return [(left, low, left, high), (right, low, right, high), (left, place.line, right, place.line)]


def upright_segments(place: ArcPlace) -> list[tuple[float, ...]]:
    """The same of a vertical drawing."""
    low, high = min(place.foot, place.line), max(place.foot, place.line)
    top, bottom = ends(place)
    if place.arc.is_root:
        return [(low, top, high, top)]
    return [(low, top, high, top), (low, bottom, high, bottom), (place.line, top, place.line, bottom)]


def touch(one: ArcPlace, other: ArcPlace, lines: Callable[[ArcPlace], list[tuple[float, ...]]] = segments) -> int:
    return sum(
        a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3] for a in lines(one) for b in lines(other)
    )


@settings(max_examples=150)
@given(pictures(most=14))
def test_lines_meet_exactly_where_arcs_of_one_side_cross(drawn: Picture) -> None:
    for one, other in combinations(layout(drawn, "horizontal").arcs, 2):
        roots = one.arc.is_root or other.arc.is_root
        same_side = one.arc.is_above == other.arc.is_above
        crossing = not roots and cross((one.arc.head, one.arc.dependent), (other.arc.head, other.arc.dependent))
        assert touch(one, other) == (1 if crossing and same_side else 0)


@settings(max_examples=100)
@given(pictures())
def test_an_arrow_points_at_its_word(drawn: Picture) -> None:
    places = layout(drawn, "horizontal")
    for place in places.arcs:
        box = places.words[place.arc.dependent - 1].box
        assert box.x <= place.dependent <= box.x + box.width
        assert place.foot == (box.y if place.arc.is_above else box.y + box.height)


def order(places: Layout) -> list[float]:
    return [word.x for word in places.words]


def test_right_to_left_is_the_mirror_image() -> None:
    latin = picture(HEBREW.heads, ["abcde", "abcde", "ab"], HEBREW.labels)
    mirrored, straight = layout(HEBREW), layout(latin)
    assert order(straight) == sorted(order(straight))
    assert order(mirrored) == sorted(order(mirrored), reverse=True)
    for one, other in zip(mirrored.arcs, straight.arcs, strict=True):
        assert (one.head < one.dependent) == (other.head > other.dependent)
        assert one.level == other.level


def test_second_plane_is_below_and_third_above() -> None:
    assert {place.arc.plane: place.line > place.foot for place in layout(THREE_PLANES).arcs} == {
        0: False,
        1: True,
        2: False,
    }
    sides = {place.arc.dependent: place.line < place.foot for place in layout(DUTCH_CLUSTER).arcs}
    assert sides[2] != sides[3]  # the two subjects


def test_nesting_is_as_low_as_it_can_be() -> None:
    levels = {place.arc.dependent: place.level for place in layout(ENGLISH).arcs}
    assert levels == {1: 1, 2: 1, 3: 1, 4: 2, 5: 3}


def test_a_star_and_a_chain() -> None:
    star = layout(Picture(tuple([0] + [1] * 30)), "horizontal")
    assert max(place.level for place in star.arcs) == 30
    chain = layout(Picture(tuple(range(30))))
    assert max(place.level for place in chain.arcs) == 1


def test_three_hundred_words() -> None:
    source = random.Random(7)
    heads = [0] + [source.randrange(max(1, word - 6), word) for word in range(2, 301)]
    places = layout(picture(heads, [f"word{n}" for n in range(300)], ["label"] * 300), "horizontal")
    labels = [place.label for place in places.arcs if place.label]
    assert len(labels) == 300
    assert not any(one.overlaps(other) for one, other in combinations(labels, 2))


def test_one_word_and_none() -> None:
    assert len(layout(Picture((0,), ("yes",))).arcs) == 1
    empty = layout(Picture(()))
    assert (empty.words, empty.arcs) == ((), ()) and empty.width > 0 and empty.height > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"heads": (0, 3)}, "the head of word 2 is 3"),
        ({"heads": (1,)}, "word 1 is its own head"),
        ({"heads": (0, 1), "forms": ("a",)}, "1 forms for 2 words"),
        ({"heads": (0,), "planes": (-1,)}, "planes are counted from 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments: dict[str, tuple[int, ...]], message: str) -> None:
    with pytest.raises(CrossarcError, match=message):
        Picture(**arguments)  # type: ignore[arg-type]


def test_words_without_heads_are_drawn_without_arcs() -> None:
    assert [place.arc.dependent for place in layout(Picture((-1, 0, 2))).arcs] == [2, 3]


# One word per line


@pytest.mark.slow
@settings(max_examples=100)
@given(pictures())
def test_nothing_overlaps_in_a_vertical_drawing(drawn: Picture) -> None:
    places = layout(drawn, "vertical")
    boxes = [word.box for word in places.words] + [arc.label for arc in places.arcs if arc.label]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    for box in boxes:
        assert box.x >= 0 and box.x + box.width <= places.width
        assert box.y >= 0 and box.y + box.height <= places.height
    tops = [word.box.y for word in places.words]
    assert tops == sorted(tops)


@settings(max_examples=100)
@given(pictures(most=14))
def test_lines_of_a_vertical_drawing_meet_exactly_where_arcs_of_one_side_cross(drawn: Picture) -> None:
    for one, other in combinations(layout(drawn, "vertical").arcs, 2):
        roots = one.arc.is_root or other.arc.is_root
        same_side = one.arc.is_above == other.arc.is_above
        crossing = not roots and cross((one.arc.head, one.arc.dependent), (other.arc.head, other.arc.dependent))
        assert touch(one, other, upright_segments) == (1 if crossing and same_side else 0)


@settings(max_examples=100)
@given(pictures())
def test_an_arrow_of_a_vertical_drawing_ends_in_the_row_of_its_word_beside_its_label(drawn: Picture) -> None:
    places = layout(drawn, "vertical")
    for place in places.arcs:
        neighbours = [word.box.y + word.box.height / 2 for word in places.words]
        nearest = min(range(len(neighbours)), key=lambda word: abs(neighbours[word] - place.dependent))
        assert nearest == place.arc.dependent - 1
        at_the_left = place.arc.is_above != drawn.is_right_to_left
        assert (place.line < place.foot) == at_the_left
        if place.label is not None:
            end = place.label.x if at_the_left else place.label.x + place.label.width
            assert abs(end - place.foot) < 5


def test_long_sentences_are_vertical_unless_told_otherwise() -> None:
    long = picture([0, *range(1, 60)], ["Donaudampfschiff"] * 60, ["conj"] * 60)
    assert not layout(ENGLISH).is_vertical and layout(long).is_vertical
    assert layout(long).width < 400 < 1400 < layout(long, "horizontal").width
    assert layout(ENGLISH, widest=100).is_vertical and not layout(long, widest=1e6).is_vertical
    assert not layout(Picture((0,), ("a" * 1000,))).is_vertical  # would be as wide
    with pytest.raises(CrossarcError, match="unknown orientation 'diagonal': known are auto, horizontal, vertical"):
        layout(ENGLISH, "diagonal")  # type: ignore[arg-type]


def test_a_vertical_drawing_from_right_to_left_is_the_mirror_image() -> None:
    places = layout(HEBREW, "vertical")
    assert all(place.line > place.foot for place in places.arcs)
    assert all(word.box.x + word.box.width == pytest.approx(word.x) for word in places.words)


def lines_run(words: int, orientation: str) -> int:
    """The number of lines run for a sentence whose words are a balanced binary tree, with long arcs and short ones."""
    heads = [0] * words

    def attach(first: int, last: int, head: int) -> None:
        if first <= last:
            middle = (first + last) // 2
            heads[middle - 1] = head
            attach(first, middle - 1, middle)
            attach(middle + 1, last, middle)

    attach(1, words, 0)
    drawn, count = Picture(tuple(heads), ("x",) * words, ("x",) * words), 0

    def trace(frame: object, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        layout(drawn, orientation)  # type: ignore[arg-type]
    finally:
        sys.settrace(before)
    return count


@pytest.mark.slow
@pytest.mark.parametrize("orientation", ["horizontal", "vertical"])
def test_four_times_the_words_are_four_times_the_work(orientation: str) -> None:
    layout(Picture((0,)))  # what happens once
    assert lines_run(1600, orientation) < 5 * lines_run(400, orientation)
