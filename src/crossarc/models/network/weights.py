"""The weights of networks in model files: halves of floats, or bytes with a scale for each row or column.

A network in training has weights of 32 bits; what a parser is evaluated with and what is saved are their halves, so
that a parser that was saved and loaded finds the same trees. With eight bits, embeddings become bytes with a scale for
each row, and matrices that the kernel multiplies as bytes (kernel/nn/quantised.hpp) bytes with a scale for each column:
the very numbers that it multiplies with. What was saved as bytes is kept as it is when the parser is saved again.
O(weights).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ... import _kernel
from ..._arrays import AnyArray, Floats, Ids
from ...errors import ParserError
from ..base import SearchResult, SentenceInputs, Trace, check_bits
from ..model_file import Arrays

if TYPE_CHECKING:
    from ...encodings import Arcs

_LARGEST = np.float32(65504.0)
#: What the names of arrays end in.
_BYTES, _ROW_SCALES, _COLUMN_SCALES = "_bytes", "_scales", "_column_scales"
_NO_SCALES: Floats = np.zeros(0, np.float32)


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
        from ...encodings import Arcs

        return Arcs(*self.native.parse_arcs(*inputs, threads), inputs.word_offsets)

    def search(self, inputs: SentenceInputs, width: int, kept: int, threads: int) -> SearchResult:
        """Search with a beam of some width and return at most so many analyses of each sentence."""
        return SearchResult.of_arrays(inputs.word_offsets, *self.native.search(*inputs, width, kept, threads))

    def trace(self, inputs: SentenceInputs, given: Ids | None = None) -> Trace:
        """Return how greedy parsing goes through one sentence, or how transitions that are given are scored."""
        transitions, scores = self.native.trace(*inputs, np.zeros(0, np.int32) if given is None else given)
        return Trace(transitions, scores.reshape(len(transitions), -1), probabilities=True)

    def arrays(self, bits: int = 16, prune: float = 0.0) -> Arrays:
        """Return the weights for a file, of so many bits; none can be left out."""
        check_bits(bits)
        if prune:
            raise ParserError(f"prune is of features, and a network has none: leave it out, not {prune}")
        return arrays_of_weights(self.native.weights(), self.dimensions, bits)


def rounded(weights: Floats) -> Floats:
    """Return the nearest weights that have 16 bits, as floats again."""
    return np.clip(weights, -_LARGEST, _LARGEST).astype(np.float16).astype(np.float32)


def arrays_of_weights(
    weights: Sequence[Floats],
    lengths: Sequence[int],
    bits: int,
    columns: Sequence[int] = (),
    scales: Sequence[Floats] = (),
) -> Arrays:
    """Return arrays for a file. The first weights are embeddings of these lengths; with 8 bits they become bytes.

    `columns`: of each matrix that becomes bytes, too, its number of columns, 0 for the others. `scales`: of each
    matrix that is bytes already the scales of its columns, else nothing.
    """
    arrays: Arrays = {}
    for place, values in enumerate(weights):
        name = f"network_{place}"
        known = scales[place] if place < len(scales) else _NO_SCALES
        if bits == 8 and place < len(lengths):
            arrays |= _bytes_of_rows(name, values.reshape(-1, lengths[place]))
        elif len(known) or (bits == 8 and place < len(columns) and columns[place]):
            arrays |= _bytes_of_columns(name, values.reshape(-1, columns[place]), known)
        else:
            halves = rounded(values).astype(np.float16)
            # Bytes times a scale, of a model that was saved with eight bits, may be more exact than halves are.
            arrays[name] = halves if np.array_equal(halves, values) else values
    return arrays


def weights_of_arrays(arrays: Mapping[str, AnyArray]) -> list[Floats]:
    """Return the weights that `arrays_of_weights` put into arrays; others are refused."""
    try:
        return _weights(arrays)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise ParserError(f"the weights of the model cannot be read ({error})") from error


def scales_of_arrays(arrays: Mapping[str, AnyArray], matrices: int) -> list[Floats]:
    """Return, for each of so many matrices, the scales of its columns if it is bytes of columns, else nothing."""
    found = (arrays.get(f"network_{place}{_COLUMN_SCALES}", _NO_SCALES) for place in range(matrices))
    return [np.ascontiguousarray(one, np.float32) for one in found]


def _bytes_of_rows(name: str, rows: Floats) -> Arrays:
    scales = _scales(np.abs(rows).max(axis=1, initial=0.0))
    return {f"{name}{_BYTES}": _steps(rows, scales[:, None]), f"{name}{_ROW_SCALES}": scales}


def _bytes_of_columns(name: str, rows: Floats, known: Floats) -> Arrays:
    """Return a matrix as bytes; if it has scales already, with these, so that nothing is rounded twice."""
    scales = known.astype(np.float16) if len(known) else _scales(np.abs(rows).max(axis=0, initial=0.0))
    return {f"{name}{_BYTES}": _steps(rows, scales), f"{name}{_COLUMN_SCALES}": scales}


def _scales(largest: Floats) -> NDArray[np.float16]:
    return (largest / 127).astype(np.float16)


def _steps(rows: Floats, scales: NDArray[np.float16]) -> NDArray[np.int8]:
    """Return the nearest whole numbers from -127 to 127 to weights in units of their scales."""
    units = np.where(scales > 0, scales, np.float16(1)).astype(np.float32)
    steps: NDArray[np.int8] = np.clip(np.rint(rows / units), -127, 127).astype(np.int8)
    return steps


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
        elif f"{name}{_BYTES}" in arrays:
            weights.append(_weights_of_bytes(name, arrays))
        else:
            return weights


def _weights_of_bytes(name: str, arrays: Mapping[str, AnyArray]) -> Floats:
    steps = arrays[f"{name}{_BYTES}"]
    by_column = f"{name}{_COLUMN_SCALES}" in arrays
    scales = arrays[f"{name}{_COLUMN_SCALES if by_column else _ROW_SCALES}"]
    fit = steps.ndim == 2 and scales.shape == (steps.shape[1:] if by_column else steps.shape[:1])
    if not fit or steps.dtype != np.int8 or scales.dtype != np.float16 or not np.isfinite(scales).all():
        raise ValueError(f"{name} has no scale for each {'column' if by_column else 'row'} of bytes")
    # Exact: the product of a byte and a half of a float fits a float.
    product: Floats = np.multiply(steps, scales if by_column else scales[:, None], dtype=np.float32)
    return product.reshape(-1)
