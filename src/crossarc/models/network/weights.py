"""The weights of networks in model files: halves of floats, or for embeddings bytes with a scale for each row.

A network in training has weights of 32 bits; what a parser is evaluated with and what is saved are their halves, so
that a parser that was saved and loaded finds the same trees. O(weights).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_LARGEST = np.float32(65504.0)


def rounded(weights: Floats) -> Floats:
    """Return the nearest weights that have 16 bits, as floats again."""
    return np.clip(weights, -_LARGEST, _LARGEST).astype(np.float16).astype(np.float32)


def arrays_of_weights(weights: Sequence[Floats], lengths: Sequence[int], bits: int) -> dict[str, NDArray[Any]]:
    """Return arrays for a file. The first weights are embeddings of these lengths; with 8 bits they become bytes."""
    arrays: dict[str, NDArray[Any]] = {}
    for place, values in enumerate(weights):
        if bits == 8 and place < len(lengths):
            rows = values.reshape(-1, lengths[place])
            scales = (np.abs(rows).max(axis=1, initial=0.0) / 127).astype(np.float16)
            steps = np.where(scales > 0, scales, np.float16(1)).astype(np.float32)
            arrays[f"network_{place}_bytes"] = np.clip(np.rint(rows / steps[:, None]), -127, 127).astype(np.int8)
            arrays[f"network_{place}_scales"] = scales
        else:
            arrays[f"network_{place}"] = rounded(values).astype(np.float16)
    return arrays


def weights_of_arrays(arrays: Mapping[str, NDArray[Any]]) -> list[Floats]:
    """Return the weights that `arrays_of_weights` put into arrays."""
    weights: list[Floats] = []
    while True:
        name = f"network_{len(weights)}"
        if name in arrays:
            weights.append(np.ascontiguousarray(arrays[name].reshape(-1), np.float32))
        elif f"{name}_bytes" in arrays:
            scales = arrays[f"{name}_scales"].astype(np.float32)
            weights.append((arrays[f"{name}_bytes"].astype(np.float32) * scales[:, None]).reshape(-1))
        else:
            return weights
