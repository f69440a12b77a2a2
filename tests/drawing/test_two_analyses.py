"""A picture of two analyses: the first above the words, what is wrong in the second below them."""

from __future__ import annotations

import pytest

from crossarc import CrossarcError
from crossarc.drawing import Picture, layout, svg, terminal, tikz

WORDS = ("Ann", "often", "sees", "Bo")


def picture(other_heads: tuple[int, ...], other_labels: tuple[str, ...] | None = None) -> Picture:
    labels = ("nsubj", "advmod", "root", "obj")
    return Picture((3, 3, 0, 3), WORDS, labels, other_heads=other_heads, other_labels=other_labels or labels)


def test_marks() -> None:
    drawn = picture((2, 3, 0, 3), ("nsubj", "advmod", "root", "obl"))
    found = [(arc.head, arc.dependent, arc.label, arc.mark, arc.is_above) for arc in drawn.arcs]
    assert found == [
        (3, 1, "nsubj", "missed", True),
        (2, 1, "nsubj", "wrong", False),
        (3, 2, "advmod", "", True),
        (0, 3, "root", "", True),
        (3, 4, "obj ≠ obl", "relabelled", True),
    ]


def test_a_wrong_root_is_below() -> None:
    drawn = picture((0, 3, 1, 3))
    wrong = [place for place in layout(drawn).arcs if place.arc.mark == "wrong"]
    words = layout(drawn).words[0].box
    assert [(place.arc.head, place.arc.dependent) for place in wrong] == [(0, 1), (1, 3)]
    assert all(place.line > words.y + words.height for place in wrong)


def test_equal_analyses_have_no_marks() -> None:
    drawn = picture((3, 3, 0, 3))
    assert {arc.mark for arc in drawn.arcs} == {""}
    assert layout(drawn).height == layout(Picture((3, 3, 0, 3), WORDS, ("nsubj", "advmod", "root", "obj"))).height


def test_what_is_no_arc_is_not_drawn() -> None:
    """Output that is no tree may have no head, or the word itself."""
    assert [arc.mark for arc in picture((-1, 2, 0, 9)).arcs] == ["missed", "missed", "", "missed"]


def test_every_kind_of_drawing() -> None:
    drawn = picture((2, 3, 0, 3), ("nsubj", "advmod", "root", "obl"))
    assert 'class="arc wrong"' in svg(drawn)
    assert "Two analyses of 4 words: 1 arcs of the first are missed by the second, 1 have another relation" in svg(
        drawn
    )
    assert r"\depedge[edge below" in tikz(drawn)
    lines = terminal(drawn, width=80).splitlines()
    assert "▲" in lines[-2] + lines[-1]
    upright = terminal(drawn, width=80, orientation="vertical")
    assert "nsubj / nsubj" in upright
    assert "obj ≠ obl" in terminal(drawn, width=30, orientation="vertical")


def test_lengths_are_checked() -> None:
    with pytest.raises(CrossarcError, match="3 other_heads for 4 words"):
        picture((3, 3, 0))
