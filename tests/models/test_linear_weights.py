"""Weights in files: features packed and unpacked, eight bits, and what pruning leaves out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossarc import _kernel
from crossarc.models.perceptron.weights import Rows, arrays_from_rows, prune_rows, rows_from_arrays


def make_rows(rows: dict[int, dict[int, int]]) -> Rows:
    features = np.array(sorted(rows), np.uint64)
    known = [(one, weight) for feature in sorted(rows) for one, weight in rows[feature].items()]
    return (
        _kernel.pack_ascending(features),
        np.array([len(rows[feature]) for feature in sorted(rows)], np.uint16),
        np.array([one for one, _ in known], np.uint16),
        np.array([weight for _, weight in known], np.int16),
    )


@pytest.mark.kernel
@given(st.sets(st.integers(1, 2**63 - 1)))
def test_packed_numbers_come_back(numbers: set[int]) -> None:
    ascending = np.array(sorted(numbers), np.uint64)
    packed = _kernel.pack_ascending(ascending)
    assert _kernel.unpack_ascending(packed).tolist() == ascending.tolist()
    with pytest.raises(ValueError, match="cut short"):
        _kernel.unpack_ascending(np.append(packed, np.uint8(0x80)))
    with pytest.raises(ValueError, match="do not ascend"):
        _kernel.unpack_ascending(np.append(packed, np.uint8(0)))


@pytest.mark.kernel
@given(st.binary(max_size=60))
def test_any_bytes_are_numbers_or_refused(data: bytes) -> None:
    try:
        numbers = _kernel.unpack_ascending(np.frombuffer(data, np.uint8)).tolist()
    except ValueError:
        return
    assert numbers == sorted(set(numbers))
    assert _kernel.unpack_ascending(_kernel.pack_ascending(np.array(numbers, np.uint64))).tolist() == numbers


def test_numbers_that_do_not_ascend_are_not_packed() -> None:
    for wrong in ([0], [3, 3], [5, 4]):
        with pytest.raises(ValueError, match="do not ascend"):
            _kernel.pack_ascending(np.array(wrong, np.uint64))


def test_pruning_leaves_out_what_decides_least() -> None:
    rows = make_rows({1: {0: 5, 1: -5}, 2: {0: 9}, 3: {2: -30}, 4: {0: 100, 1: 99}, 5: {1: 1}})
    kept, counts, classes, weights = prune_rows(rows, 0.6)  # 5, 2 and 1 are least spread
    assert _kernel.unpack_ascending(kept).tolist() == [3, 4]
    assert (counts.tolist(), classes.tolist(), weights.tolist()) == ([1, 2], [2, 0, 1], [-30, 100, 99])
    assert prune_rows(rows, 0.0) is rows


@given(st.lists(st.integers(-32767, 32767).filter(bool), min_size=1, max_size=50))
def test_eight_bits_keep_sign_and_size(weights: list[int]) -> None:
    rows = make_rows({feature: {0: weight} for feature, weight in enumerate(weights, start=1)})
    arrays = arrays_from_rows("x", rows, bits=8)
    assert arrays["x_weights"].dtype == np.int8
    found = rows_from_arrays("x", arrays)[3].astype(int)
    largest = np.abs(weights).max()
    # The root of the share is right up to half of 1/127.
    error = np.sqrt(np.abs(found) / largest) - np.sqrt(np.abs(weights) / largest)
    assert (np.abs(error) < 0.5 / 127 + np.sqrt(1 / largest)).all()
    assert (np.sign(found) == np.sign(weights)).all()


def test_no_rows_at_all() -> None:
    rows = make_rows({})
    for bits in (8, 16):
        again = rows_from_arrays("x", arrays_from_rows("x", prune_rows(rows, 0.5), bits))
        assert [len(part) for part in again] == [0, 0, 0, 0]
