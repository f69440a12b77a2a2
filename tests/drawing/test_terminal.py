"""The terminal: what belongs together stands in one column, whatever the width of the characters."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings

from crossarc import CrossarcError
from crossarc.drawing import Picture, terminal
from crossarc.drawing.render_terminal import BOXES, HEAVY, LIGHT
from crossarc.drawing.text import cells, clusters

from ..support.pictures import CHINESE, DUTCH_CLUSTER, ENGLISH, HEBREW, ODD, THREE_PLANES, picture, pictures


def grid(text: str) -> list[list[str]]:
    """The cells of each line; the second cell of a wide character is empty."""
    lines = []
    for line in text.splitlines():
        row: list[str] = []
        for cluster, width in clusters(line):
            row += [cluster, *[""] * (width - 1)]
        lines.append(row)
    return lines


def test_a_short_sentence() -> None:
    assert (
        terminal(ENGLISH, 80)
        == """\
                 ╭────────punct─────────╮
                 │╭─────obj──────╮      │
  ╭─nsubj─╮ root ││    ╭─nummod─╮│      │
  ▼       │   ▼  ││    ▼        │▼      ▼
 Anna       drew     seven     trees    .
PROPN       VERB      NUM       NOUN  PUNCT
"""
    )
    assert (
        terminal(ENGLISH, 30)
        == """\
    ╭─▶ Anna   nsubj   PROPN
╭─┬─┴─● drew   root    VERB
│ │ ╭─▶ seven  nummod  NUM
│ ╰▶┴── trees  obj     NOUN
╰─────▶ .      punct   PUNCT
"""
    )


def test_two_verbs_that_cross() -> None:
    assert (
        terminal(DUTCH_CLUSTER, 80)
        == """\
      ┏━━━━━ccomp━━━━━┓
 root ┃   ┏━━nsubj━━━┓┃╭─xcomp─╮
   ▼  ┃   ▼          ┃▼│       ▼
  dat    Jan  Marie  zag    zwemmen
                ▲              ┃
                ┗━━━━nsubj━━━━━┛
"""
    )
    assert (
        terminal(DUTCH_CLUSTER, 26)
        == """\
┏━━━━━● dat          root
┃ ┏━━━▶ Jan          nsubj
┃ ┃     Marie   ◀━┓  nsubj
┗▶┻━┯━━ zag       ┃  ccomp
    ╰─▶ zwemmen ━━┛  xcomp
"""
    )


def test_arrows_stand_over_their_words() -> None:
    rows = grid(terminal(CHINESE, 80))
    words = next(number for number, row in enumerate(rows) if "她" in row)
    arrows = [column for column, cell in enumerate(rows[words - 1]) if cell == "▼"]
    assert len(arrows) == 4
    starts = [column for column, cell in enumerate(rows[words]) if cell.strip()]
    assert all(any(start - 2 <= arrow <= start + 4 for start in starts) for arrow in arrows)
    above = rows[words - 2]
    assert all(above[arrow] in "╮╭│o" for arrow in arrows)


JOINS = {
    character: [strokes[side] > 0 for side in range(4)] for strokes, character in BOXES.items() if any(strokes)
} | {
    "╌": [False, True, False, True],
    "╍": [False, True, False, True],
    "╎": [True, False, True, False],
    "╏": [True, False, True, False],
}


@pytest.mark.slow
@settings(max_examples=120)
@given(pictures(most=12))
@pytest.mark.parametrize("orientation", ["horizontal", "vertical"])
def test_every_line_goes_on_in_the_next_cell(orientation: str, drawn: Picture) -> None:
    if drawn.labels:  # a blank in a label would look like the end of a line
        drawn = replace(drawn, labels=tuple(label.replace(" ", "x") for label in drawn.labels))
    rows = grid(terminal(drawn, 100_000, orientation=orientation))  # type: ignore[arg-type]

    def cell(row: int, column: int) -> str:
        return rows[row][column] if 0 <= row < len(rows) and 0 <= column < len(rows[row]) else " "

    for row, line in enumerate(rows):
        for column, character in enumerate(line):
            if character not in JOINS:
                continue
            up, right, down, left = JOINS[character]
            # In the rows of the arrowheads legs end: at a word, or beside one that is shorter than its legs are wide.
            up, down = up and "▲" not in line, down and "▼" not in line
            for goes, there in ((up, cell(row - 1, column)), (down, cell(row + 1, column))):
                assert not goes or there != " "
            # To the side a line may go on behind a leg that passes over it, or end at a label or a word.
            if orientation == "horizontal":
                assert not right or cell(row, column + 1) != " "
                assert not left or cell(row, column - 1) != " "


@pytest.mark.slow
@settings(max_examples=100)
@given(pictures(most=20))
@pytest.mark.parametrize("width", [1, 7, 30, 80])
def test_never_wider_than_the_terminal(width: int, drawn: Picture) -> None:
    assert all(cells(line) <= width for line in terminal(drawn, width).splitlines())


def test_vertical_columns_line_up_for_wide_and_combining_characters() -> None:
    forms = ["漢字", "e\u0301te\u0301", "👩‍👩‍👧", "🇳🇱", "plain"]
    lines = terminal(picture([2, 0, 2, 2, 4], forms, ["LABEL"] * 5), 60, orientation="vertical").splitlines()
    assert len({cells(line.split("LABEL")[0]) for line in lines}) == 1


def test_one_line_for_each_word_when_it_is_too_wide() -> None:
    source = random.Random(3)
    heads = [0] + [source.randrange(max(1, word - 4), word) for word in range(2, 301)]
    drawn = picture(heads, [f"word{number}" for number in range(1, 301)], ["dep"] * 300)
    lines = terminal(drawn, 100).splitlines()
    assert len(lines) == 300
    assert all(f"word{number}" in line for number, line in enumerate(lines, start=1))


def test_list_of_words_when_there_is_no_room_for_arcs() -> None:
    drawn = picture([0] + [1] * 20, [f"w{number}" for number in range(1, 22)], ["dep"] * 21)
    lines = terminal(drawn, 30).splitlines()
    assert len(lines) == 21
    assert lines[4].split() == ["5", "w5", "dep", "←", "1", "w1"]


def test_arcs_from_both_sides_of_a_word_have_columns_of_their_own() -> None:
    chain = terminal(picture([0, 1, 2, 3], list("abcd")), 80, orientation="vertical")
    star = terminal(picture([0, 1, 1, 1], list("abcd")), 80, orientation="vertical")
    assert "├" not in chain and "┤" not in chain
    assert chain != star


def test_right_to_left_is_vertical_unless_asked_for() -> None:
    assert [line.split()[-2] for line in terminal(HEBREW, 80).splitlines()] == list(HEBREW.words)
    words = next(line for line in terminal(HEBREW, 80, orientation="horizontal").splitlines() if "עץ" in line)
    assert words.split() == list(reversed(HEBREW.words))


def test_no_escape_sequence_comes_from_the_words() -> None:
    assert "\x1b" not in terminal(ODD, 80)
    coloured = terminal(ODD, 80, colour=True)
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == terminal(ODD, 80)
    assert all(line.count("\x1b[0m") >= 1 for line in coloured.splitlines() if "\x1b" in line)


def test_crossing_arcs_are_heavy_and_the_third_plane_is_broken() -> None:
    assert not set("┏┓┃━") & set(terminal(ENGLISH, 80))
    assert set("┏┓┃━╍") <= set(terminal(THREE_PLANES, 80))


def test_box_characters_are_read_right() -> None:
    assert len(BOXES) == 3**4 - 1
    assert BOXES[LIGHT, 0, LIGHT, 0] == "│" and BOXES[0, HEAVY, 0, HEAVY] == "━"
    assert BOXES[LIGHT, HEAVY, LIGHT, HEAVY] == "┿" and BOXES[HEAVY, LIGHT, LIGHT, LIGHT] == "╀"
    assert BOXES[0, LIGHT, 0, HEAVY] == "╾"


def test_one_word_and_none() -> None:
    assert terminal(Picture(()), 80) == ""
    assert terminal(Picture((0,), ("yes",)), 80) == " root\n   ▼\n  yes\n"


def test_wrong_options() -> None:
    with pytest.raises(CrossarcError, match="known are auto, horizontal, vertical"):
        terminal(ENGLISH, 80, orientation="diagonal")  # type: ignore[arg-type]
    with pytest.raises(CrossarcError, match="positive number of columns"):
        terminal(ENGLISH, 0)
