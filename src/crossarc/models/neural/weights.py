"""The weights of networks in model files: arrays by the names of parameters, in 16 or in 8 bits.

A network in training has weights of 32 bits; what a parser is evaluated with and what is saved is float16, so that a
parser that was saved and loaded finds the same trees. In 8 bits, embeddings become int8 with a scale for each row, and
matrices that the kernel multiplies in 8 bits (kernel/nn/quantised.hpp) int8 with a scale for each column: the very
numbers that it multiplies with. What was saved as int8 is kept as it is when the parser is saved again. O(weights).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import _kernel
from ..._arrays import AnyArray, Floats
from ...errors import ParserError
from ..model_file import Arrays
from .parts import Part

_LARGEST = np.float32(65504.0)
#: What the names of arrays of int8 and of their scales end in.
_INT8, _ROW_SCALES, _COLUMN_SCALES = ".int8", ".row_scales", ".column_scales"
#: A matrix of int8 and its scales, which numpy would multiply it with: a column of them for its rows, or a row.
Int8 = tuple[AnyArray, Floats]
#: How the kernel says that a parameter is stored in 8 bits: with a scale for each row, or for each column.
_BY_ROW, _BY_COLUMN = "rows", "columns"


def rounded(weights: Floats) -> Floats:
    """Return the nearest weights that have 16 bits, as floats again."""
    return np.clip(weights, -_LARGEST, _LARGEST).astype(np.float16).astype(np.float32)


def make_network(
    encoder: Part,
    heads: Iterable[Part],
    *,
    seed: int = 0,
    weights: Mapping[str, Floats] | None = None,
    int8: Mapping[str, Int8] | None = None,
) -> _kernel.Network:
    """Return a network with these weights, by default those that training begins with; what does not fit is refused."""
    given: dict[str, Any] = {} if weights is None else {"weights": dict(weights), "int8": dict(int8 or {})}
    try:
        return _kernel.Network(encoder.described, [head.described for head in heads], seed=seed, **given)
    except (MemoryError, TypeError, ValueError) as error:
        raise ParserError(f"the weights do not fit the parser that the model describes ({error})") from error


def kept_network(encoder: Part, heads: Iterable[Part], weights: Mapping[str, Floats], rate: float) -> _kernel.Network:
    """Return a network with weights as a file would keep them; those of training that diverged are refused."""
    if not all(np.isfinite(values).all() for values in weights.values()):
        raise ParserError(f"training diverged, some weights are no numbers any more: take a learning rate below {rate}")
    return make_network(encoder, heads, weights={name: rounded(values) for name, values in weights.items()})


def arrays_from_network(network: _kernel.Network, bits: int) -> Arrays:
    """Return arrays for a file, of so many bits. What is int8 already stays as it is."""
    scales, storage, arrays = network.scales(), network.storage(), Arrays()
    for name, values in network.parameters().items():
        if name in scales:
            arrays |= _int8_by_column(name, values, scales[name])
        elif bits == 8 and storage[name] == _BY_ROW:
            row_scales = _float16_scales(np.abs(values).max(axis=1, initial=0.0))
            arrays |= {name + _INT8: _steps(values, row_scales[:, None]), name + _ROW_SCALES: row_scales}
        elif bits == 8 and storage[name] == _BY_COLUMN:
            arrays |= _int8_by_column(name, values, _float16_scales(np.abs(values).max(axis=0, initial=0.0)))
        else:
            float16 = rounded(values).astype(np.float16)
            # int8 times a scale, of a model that was saved with 8 bits, may be more exact than float16 is.
            arrays[name] = float16 if np.array_equal(float16, values) else values
    return arrays


def network_from_arrays(encoder: Part, heads: Collection[Part], arrays: Mapping[str, AnyArray]) -> _kernel.Network:
    """Return the network whose weights `arrays_from_network` put into arrays; others are refused.

    Arrays whose names begin with no kind of part are not those of a network.
    """
    parts = ("encoder.", *(f"{kind}." for kind in _kernel.head_kinds()))
    weights: dict[str, Floats] = {}
    int8: dict[str, Int8] = {}
    try:
        for name, array in arrays.items():
            if not name.startswith(parts) or name.endswith((_ROW_SCALES, _COLUMN_SCALES)):
                continue
            parameter = name.removesuffix(_INT8)
            if parameter in weights or parameter in int8:
                raise ValueError(f"{parameter} is there twice")
            if parameter == name:
                weights[name] = _checked_floats(name, array, (np.float16, np.float32))
            else:
                int8[parameter] = _from_int8(parameter, arrays)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise ParserError(f"the weights of the model cannot be read ({error})") from error
    return make_network(encoder, heads, weights=weights, int8=int8)


def with_int8(
    network: _kernel.Network, encoder: Part, heads: Collection[Part], names: Collection[str]
) -> _kernel.Network:
    """Return a network some of whose matrices are int8, with float32 scales for their columns."""
    weights, int8 = network.parameters(), {}
    for name in names:
        values = weights.pop(name)
        scales = (np.abs(values) / np.float32(127)).max(axis=0, initial=0.0, keepdims=True)
        int8[name] = _steps(values, scales), scales
    return make_network(encoder, heads, weights=weights, int8=int8)


def _int8_by_column(name: str, values: Floats, scales: AnyArray) -> Arrays:
    """Return a matrix as int8; scales that float16 holds are kept so."""
    float16 = scales.astype(np.float16)
    kept = float16 if np.array_equal(float16, scales) else scales
    return {name + _INT8: _steps(values, kept), name + _COLUMN_SCALES: kept}


def _float16_scales(largest: Floats) -> NDArray[np.float16]:
    return (largest / 127).astype(np.float16)


def _steps(values: Floats, scales: AnyArray) -> NDArray[np.int8]:
    """Return the nearest whole numbers from -127 to 127 to weights in units of their scales."""
    units = np.where(scales > 0, scales, scales.dtype.type(1)).astype(np.float32)
    steps: NDArray[np.int8] = np.clip(np.rint(values / units), -127, 127).astype(np.int8)
    return steps


def _checked_floats(name: str, array: AnyArray, held: Collection[type[np.generic]]) -> Floats:
    if array.dtype not in held:
        raise ValueError(f"{name} holds {array.dtype}, not floats")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds what is not a finite number")
    return np.ascontiguousarray(array, np.float32)


def _from_int8(parameter: str, arrays: Mapping[str, AnyArray]) -> Int8:
    """Return a parameter that is int8, with the scales of its rows or of its columns, whichever it has."""
    steps = arrays[parameter + _INT8]
    by_column = parameter + _COLUMN_SCALES in arrays
    name = parameter + (_COLUMN_SCALES if by_column else _ROW_SCALES)
    scales = _checked_floats(name, arrays[name], (np.float16, np.float32) if by_column else (np.float16,))
    fit = steps.ndim == 2 and scales.shape == (steps.shape[1:] if by_column else steps.shape[:1])
    if not fit or steps.dtype != np.int8:
        raise ValueError(f"{parameter} has no scale for each {'column' if by_column else 'row'} of int8")
    return np.ascontiguousarray(steps), scales[None, :] if by_column else scales[:, None]
