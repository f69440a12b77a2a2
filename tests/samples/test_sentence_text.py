"""The kernel function that puts the texts of sentences together, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crossarc import _kernel

pytestmark = pytest.mark.kernel


def joined(words: list[int], spaces: list[int], offsets: list[int]) -> list[str]:
    pool = _kernel.StringPool()
    pool.intern(["one", "two", ","])
    ids: Any = pool.intern_joined(
        "> ", np.array(words, np.int32), np.array(spaces, np.uint8), np.array(offsets, np.int64)
    )
    return list(pool.texts(ids))


def test_texts() -> None:
    assert joined([1, 3, 2, 2, -1, 1], [0, 1, 1, 0, 1, 1], [0, 3, 3, 6]) == ["> one, two", "> ", "> two one"]
    assert joined([], [], [0]) == []


@pytest.mark.parametrize(
    ("words", "spaces", "offsets"),
    [
        ([1], [1, 1], [0, 1]),
        ([4], [1], [0, 1]),
        ([-2], [1], [0, 1]),
        ([1], [1], [0, 2]),
        ([1, 2], [1, 1], [0, 2, 1]),
        ([1], [1], [1, 1]),
        ([1], [1], []),
    ],
)
def test_arrays_that_do_not_fit_are_refused(words: list[int], spaces: list[int], offsets: list[int]) -> None:
    with pytest.raises(ValueError):
        joined(words, spaces, offsets)
