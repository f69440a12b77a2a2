"""The random numbers are those of SplitMix64, in Python and in numpy alike."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crossarc.samples.randomness import Stream, derived, mixed, mixed_array, skewed_choice

WORDS = st.integers(0, 2**64 - 1)


def test_published_values_of_splitmix64() -> None:
    assert mixed(0, 0) == 0xE220A8397B1DCDAF
    assert [mixed(1234567, counter) for counter in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@given(WORDS, st.lists(WORDS, min_size=1))
def test_arrays_and_single_numbers_agree(key: int, counters: list[int]) -> None:
    array = np.array(counters, np.uint64)
    expected = [mixed(key, counter) for counter in counters]
    assert mixed_array(key, array).tolist() == expected
    assert mixed_array(np.full(len(array), key, np.uint64), array).tolist() == expected


@given(WORDS, st.integers(1, 1000))
def test_choices_stay_in_range_and_favour_the_first(key: int, size: int) -> None:
    numbers = mixed_array(key, np.arange(4000, dtype=np.uint64))
    chosen = skewed_choice(numbers, np.full(4000, size, np.uint64))
    assert chosen.min() >= 0 and chosen.max() < size
    assert (4 * chosen < size).mean() > 0.45


@given(WORDS, st.integers(1, 50))
def test_a_shuffle_is_a_permutation(key: int, size: int) -> None:
    items = list(range(size))
    Stream(key).shuffle(items)
    assert sorted(items) == list(range(size))


def test_paths_have_sequences_of_their_own() -> None:
    keys = {derived(seed, step, number) for seed in range(5) for step in range(5) for number in range(5)}
    assert len(keys) == 125
