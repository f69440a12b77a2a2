"""Weights of networks by name: changed at random, and held against each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from crossarc._arrays import Floats

Weights = Mapping[str, Floats]


def changed(weights: Weights, seed: int, scale: float) -> dict[str, Floats]:
    """The same weights and something at random; what stands for no value stays zero."""
    generator = np.random.default_rng(seed)
    found = {
        name: values + generator.normal(0, scale, values.shape).astype(np.float32) for name, values in weights.items()
    }
    for name, values in found.items():
        if "embeddings" in name:
            values[0] = 0
    return found


def assert_same(found: Weights, expected: Weights) -> None:
    """The same names, shapes and numbers."""
    assert set(found) == set(expected)
    for name, values in expected.items():
        assert found[name].shape == values.shape and np.array_equal(found[name], values), name


def assert_same_moments(learner: Any, native: Any, *, rel: float | None = None, abs: float | None = None) -> None:
    """The first moments of the gradients, in torch and in the kernel, are about the same, and not all nearly zero."""
    expected = native.state_dict()[2]
    found = {name: learner.optimiser.state[values]["exp_avg"] for name, values in learner.network.named_parameters()}
    assert set(found) == set(expected)
    for name, values in expected.items():
        assert found[name].numpy() == pytest.approx(values, rel=rel, abs=abs), name
    assert max(np.abs(values).max() for values in expected.values()) > 1e-3
