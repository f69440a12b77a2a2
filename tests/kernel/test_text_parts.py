"""Parts of texts as ids of a pool, and ranges of tokens: as Python writes them, and refused where they are no parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc import _kernel
from crossarc._arrays import offsets_of
from crossarc.text.unicode import code_points

pytestmark = pytest.mark.kernel

_COLUMN = st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r\0")


def positions(*numbers: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(numbers, np.int64)


@given(st.lists(st.text(_COLUMN, min_size=1, max_size=5), max_size=8))
def test_parts_of_a_text(parts: list[str]) -> None:
    pool = _kernel.StringPool()
    offsets = offsets_of(map(len, parts))
    ids = pool.intern_parts(code_points("".join(parts)), offsets[:-1], offsets[1:])
    assert pool.texts(ids) == parts
    assert pool.intern(parts).tolist() == ids.tolist()


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 2**62), st.integers(0, 2**62)), max_size=8))
def test_ranges_of_tokens(ranges: list[tuple[int, int, int]]) -> None:
    pool, prefixes = _kernel.StringPool(), ["", "SpaceAfter=No|", "SpacesAfter=\\s\\s|"]
    indices, starts, ends = (np.array([row[column] for row in ranges], np.int64) for column in range(3))
    ids = pool.intern_ranges(prefixes, indices, starts, ends)
    assert pool.texts(ids) == [f"{prefixes[index]}TokenRange={start}:{end}" for index, start, end in ranges]


@pytest.mark.parametrize(
    ("text", "start", "end", "message"),
    [
        ("abc", 1, 1, "part 1 is empty, or not in the text"),
        ("abc", -1, 1, "part 1 is empty, or not in the text"),
        ("abc", 2, 4, "part 1 is empty, or not in the text"),
        ("a\tc", 0, 3, "a character that no column can hold"),
        ("a\nc", 0, 3, "a character that no column can hold"),
        ("a\ud800", 0, 2, "a character that no column can hold"),
    ],
)
def test_what_is_no_part_is_refused(text: str, start: int, end: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _kernel.StringPool().intern_parts(code_points(text), positions(start), positions(end))


def test_ranges_that_do_not_fit_are_refused() -> None:
    pool = _kernel.StringPool()
    with pytest.raises(ValueError, match="there are not as many ends as starts"):
        pool.intern_parts(code_points("abc"), positions(0, 1), positions(1))
    with pytest.raises(ValueError, match="no prefix 1"):
        pool.intern_ranges(["a"], positions(1), positions(0), positions(1))
    with pytest.raises(ValueError, match="no prefix -1"):
        pool.intern_ranges(["a"], positions(-1), positions(0), positions(1))
    with pytest.raises(ValueError, match="differ in length"):
        pool.intern_ranges(["a"], positions(0), positions(0, 1), positions(1))
    with pytest.raises(ValueError, match="a column cannot hold a tab"):
        pool.intern_ranges(["a\t"], positions(0), positions(0), positions(1))
    with pytest.raises(ValueError, match="a character that no column can hold"):
        pool.intern_parts(np.array([0x110000], np.uint32), positions(0), positions(1))
