"""The alignment of words by hand, as its definition says, and what the kernel refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc import _kernel
from crossarc.evaluation.alignment import word_place

pytestmark = pytest.mark.kernel


def text(tokens: list[str]) -> str:
    """A sentence; "del=de+el" is a multiword token."""
    lines: list[str] = []
    words = 0
    for token in tokens:
        surface, _, parts = token.partition("=")
        forms = parts.split("+") if parts else [surface]
        if parts:
            lines.append(f"{words + 1}-{words + len(forms)}\t{surface}" + 8 * "\t_")
        for form in forms:
            lines.append(f"{words + 1}\t{form}\t_\t_\t_\t_\t{words}\t_\t_\t_")
            words += 1
    return "\n".join(lines) + "\n\n"


@pytest.mark.parametrize(
    ("gold", "system", "aligned"),
    [
        ("a b c", "a b c", [(0, 0), (1, 1), (2, 2)]),
        ("ab c", "a b c", [(1, 2)]),
        ("a bc d", "ab c d", [(2, 2)]),
        ("del=de+el rio", "del rio", [(2, 1)]),  # the one word is none of the two
        ("del=de+el rio", "del=De+l rio", [(0, 0), (2, 2)]),  # letter case does not matter, forms do
        ("dámelo=da+me+lo", "dá=da melo=me+lo", [(0, 0), (1, 1), (2, 2)]),
        ("ab=x+y cd=z+w", "a bc=x+z d", [(0, 1), (2, 2)]),  # overlapping multiword tokens are one stretch
        ("ab=x+x", "ab=x", [(0, 0)]),
        ("ab=x+y+z", "ab=z+x+y", [(0, 1), (1, 2)]),  # the longest common subsequence, not the first match
    ],
)
def test_by_hand(gold: str, system: str, aligned: list[tuple[int, int]]) -> None:
    pair = xa.evaluate(xa.from_text(text(gold.split())), xa.from_text(text(system.split()))).scores.pair
    if pair.same_words:
        found = [(row, row) for row in range(pair.aligned)]
    else:
        assert not isinstance(pair.gold_rows, slice)
        assert not isinstance(pair.system_rows, slice)
        found = list(zip(pair.gold_rows.tolist(), pair.system_rows.tolist(), strict=True))
    assert found == aligned


def arrays(begins: list[int], ends: list[int]) -> list[Any]:
    return [
        np.array(begins, np.int64),
        np.array(ends, np.int64),
        np.zeros(len(begins), np.uint8),
        np.zeros(len(begins), np.int32),
    ]


def test_the_kernel_checks_what_it_is_given() -> None:
    good = arrays([0, 1], [1, 3])
    assert _kernel.align_words(*good, *good).tolist() == [0, 1]
    assert _kernel.align_words(*arrays([], []), *good).tolist() == [-1, -1]
    for bad, message in (
        (arrays([0, 1], [1, 1]), "a word without characters"),
        (arrays([3, 1], [4, 2]), "words out of order"),
        ([*good[:3], np.zeros(1, np.int32)], "as many begins"),
    ):
        for sides in ((good, bad), (bad, good)):
            with pytest.raises(ValueError, match=message):
                _kernel.align_words(*sides[0], *sides[1])


def test_places_are_lines_of_the_file() -> None:
    """Comments, multiword tokens and empty nodes before a word count."""
    lines = "# sent_id = s\n1-2\tdel" + 8 * "\t_" + "\n" + text(["x", "y"]).strip() + "\n2.1\tz" + 8 * "\t_" + "\n"
    treebank = xa.from_text(lines + "3\tw\t_\t_\t_\t_\t2\t_\t_\t_\n\n", "file")
    assert [word_place(treebank, row) for row in range(3)] == [
        "file:3: sentence s, word 1",
        "file:4: sentence s, word 2",
        "file:6: sentence s, word 3",
    ]
