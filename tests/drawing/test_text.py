"""Widths of text, and who writes from right to left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc.drawing.text import cells, clean, clusters, ems, for_terminals, is_right_to_left, needs_shaping, shorten


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("abc", 3),
        ("é", 1),
        ("e\u0301", 1),
        ("漢字", 4),
        ("한국어", 6),
        ("\u1112\u1161\u11ab", 2),  # one syllable in three pieces
        ("ﾊﾟ", 2),  # half-width
        ("😀", 2),
        ("👍🏽", 2),
        ("👩\u200d👩\u200d👧", 2),
        ("🇳🇱", 2),
        ("🇳🇱🇩🇰", 4),
        ("❤\ufe0f", 2),
        ("שָׁלוֹם", 4),
        ("می\u200cکنی", 5),
        ("นี้", 1),
    ],
)
def test_cells(text: str, width: int) -> None:
    assert cells(text) == width


@pytest.mark.slow
@given(st.text())
def test_clusters_lose_nothing(text: str) -> None:
    assert "".join(cluster for cluster, _ in clusters(text)) == text
    assert all(width in (1, 2) for _, width in clusters(text))


@given(st.text(), st.integers(0, 20))
def test_shortened_text_fits(text: str, width: int) -> None:
    short = shorten(text, width)
    assert cells(short) <= width
    assert short == text or cells(text) > width


def test_ems_grow_with_what_is_seen() -> None:
    assert ems("iiii") < ems("nnnn") < ems("mmmm") < ems("漢漢漢漢")
    assert ems("e\u0301") == ems("e") == ems("é")
    assert ems("👩\u200d👩\u200d👧") == ems("😀")


def test_direction() -> None:
    assert is_right_to_left(["שלום", "(", "2024"]) and is_right_to_left(["سلام", "PDF"])
    assert not is_right_to_left(["hello", "שלום", "again"]) and not is_right_to_left(["42", "."])
    assert not is_right_to_left([])


def test_shaping() -> None:
    assert needs_shaping("سلام") and needs_shaping("नमस्ते") and needs_shaping("שלום")
    assert not any(map(needs_shaping, ("Łódź", "ἄνδρα", "Привет", "漢字", "სიტყვა")))


@given(st.text())
def test_clean_text_has_no_control_characters(text: str) -> None:
    assert all(character.isprintable() or character.isspace() or ord(character) > 0x9F for character in clean(text))
    assert clean("a\x1b[31m\ud800") == "a�[31m�"


def test_marks_that_would_disturb_a_terminal() -> None:
    assert for_terminals("a\u202eb\u2066c") == "abc"
    assert for_terminals("\u0301x") == "◌\u0301x"
    assert for_terminals("\u200bx") == "x"
