"""The weights of networks in model files: halves of floats, or for embeddings bytes with a scale for each row.

A network in training has weights of 32 bits; what a parser is evaluated with and what is saved are their halves, so
that a parser that was saved and loaded finds the same trees. Embeddings that were saved as bytes are kept as they are
when the parser is saved again. O(weights).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ... import _kernel
from ..._arrays import AnyArray, Floats
from ...encodings import Arcs
from ...errors import ParserError
from ..base import SearchResult, SentenceInputs, check_bits
from ..model_file import Arrays

_LARGEST = np.float32(65504.0)


@dataclass(frozen=True, eq=False)
class NetworkModel:
    """A network that chooses transitions and labels."""

    native: _kernel.NetworkModel
    #: The embedding dimension of each attribute of words: the first weights are embeddings.
    dimensions: tuple[int, ...]

    @property
    def weight_count(self) -> int:
        """How many weights it has."""
        return sum(one.size for one in self.native.weights())

    def parse_arcs(self, inputs: SentenceInputs, threads: int) -> Arcs:
        """Return the arcs that greedy parsing builds in each sentence."""
        return Arcs(*self.native.parse_arcs(*inputs, threads), inputs.word_offsets)

    def search(self, inputs: SentenceInputs, width: int, kept: int, threads: int) -> SearchResult:
        """Search with a beam of some width and return at most so many analyses of each sentence."""
        return SearchResult.of_arrays(inputs.word_offsets, *self.native.search(*inputs, width, kept, threads))

    def arrays(self, bits: int = 16, prune: float = 0.0) -> Arrays:
        """Return the weights for a file, of so many bits; none can be left out."""
        check_bits(bits)
        if prune:
            raise ParserError(f"prune is of features, and a network has none: leave it out, not {prune}")
        return arrays_of_weights(self.native.weights(), self.dimensions, bits)


def rounded(weights: Floats) -> Floats:
    """Return the nearest weights that have 16 bits, as floats again."""
    return np.clip(weights, -_LARGEST, _LARGEST).astype(np.float16).astype(np.float32)


def arrays_of_weights(weights: Sequence[Floats], lengths: Sequence[int], bits: int) -> Arrays:
    """Return arrays for a file. The first weights are embeddings of these lengths; with 8 bits they become bytes."""
    arrays: Arrays = {}
    for place, values in enumerate(weights):
        if bits == 8 and place < len(lengths):
            rows = values.reshape(-1, lengths[place])
            scales = (np.abs(rows).max(axis=1, initial=0.0) / 127).astype(np.float16)
            steps = np.where(scales > 0, scales, np.float16(1)).astype(np.float32)
            arrays[f"network_{place}_bytes"] = np.clip(np.rint(rows / steps[:, None]), -127, 127).astype(np.int8)
            arrays[f"network_{place}_scales"] = scales
        else:
            halves = rounded(values).astype(np.float16)
            # Bytes times a scale, of a model that was saved with eight bits, may be more exact than halves are.
            arrays[f"network_{place}"] = halves if np.array_equal(halves, values) else values
    return arrays


def weights_of_arrays(arrays: Mapping[str, AnyArray]) -> list[Floats]:
    """Return the weights that `arrays_of_weights` put into arrays; others are refused."""
    try:
        return _weights(arrays)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise ParserError(f"the weights of the model cannot be read ({error})") from error


def _weights(arrays: Mapping[str, AnyArray]) -> list[Floats]:
    weights: list[Floats] = []
    while True:
        name = f"network_{len(weights)}"
        if name in arrays:
            if arrays[name].dtype not in (np.float16, np.float32):
                raise ValueError(f"{name} holds {arrays[name].dtype}, not floats")
            if not np.isfinite(arrays[name]).all():
                raise ValueError(f"{name} holds what is not a finite number")
            weights.append(np.ascontiguousarray(arrays[name].reshape(-1), np.float32))
        elif f"{name}_bytes" in arrays:
            steps, scales = arrays[f"{name}_bytes"], arrays[f"{name}_scales"]
            fit = steps.ndim == 2 and scales.shape == steps.shape[:1]
            if not fit or steps.dtype != np.int8 or scales.dtype != np.float16 or not np.isfinite(scales).all():
                raise ValueError(f"{name} has no scale for each row of bytes")
            weights.append((steps.astype(np.float32) * scales.astype(np.float32)[:, None]).reshape(-1))
        else:
            return weights
