"""Lists of words know exactly their own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc import _kernel

pytestmark = pytest.mark.kernel

WordList = _kernel.WordList

WORDS = st.text(st.sampled_from("abé\u0301\0 "), max_size=4)


@given(st.lists(WORDS, min_size=1, max_size=40), st.lists(WORDS | st.text(max_size=3), max_size=20))
def test_a_list_has_its_words_and_no_others(words: list[str], others: list[str]) -> None:
    known = WordList("\n".join(words).encode())
    assert len(known) == len(set(words))
    assert [word in known for word in words + others] == [word in set(words) for word in words + others]


def test_what_is_no_word_is_in_no_list() -> None:
    words = WordList(b"one\ntwo")
    assert [other in words for other in ("", "on", "one\n", "one\ntwo", "\n", "two\n", "\ud800", b"one", None, 1)] == (
        [False] * 10
    )


def test_a_list_without_lines_has_the_empty_word() -> None:
    assert "" in WordList(b"") and "a" not in WordList(b"") and len(WordList(b"")) == 1


def test_long_lists() -> None:
    words = [f"word{number}" for number in range(100_000)]
    known = WordList("\n".join(words).encode())
    assert all(word in known for word in words) and len(known) == 100_000
    assert not any(word + "x" in known or word[:-1] + "x" in known for word in words)


def test_a_list_that_was_not_made_is_refused() -> None:
    with pytest.raises(TypeError, match="constructor"):
        _ = "one" in WordList.__new__(WordList)
