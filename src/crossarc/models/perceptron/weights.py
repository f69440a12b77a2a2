"""The weights of linear models: as arrays of a file, and smaller ones that score nearly the same.

A model's rows are, for each feature, the classes it speaks for or against and how much; features are packed as the
differences between them. Pruning leaves out the features that speak least. With eight bits a weight becomes the root of
its share of the largest one: small weights, which are by far the most, keep more of their precision than large ones.
Where there are at most eight classes, those of a feature are the bits of one byte. O(weights).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ... import _kernel
from ..._arrays import AnyArray, Flags, Ids, offsets_of
from ...options import ARGUMENTS
from ...structure.arcs import Arcs
from ..base import SearchResult, SentenceInputs, Trace, check_bits
from ..model_file import Arrays

#: Packed features, the number of weights of each, their classes, and the weights.
Rows = tuple[NDArray[np.uint8], NDArray[np.uint16], NDArray[np.uint16], NDArray[np.int16]]

_STEPS = 127
#: How many bits each byte has.
_SIZES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1).sum(axis=1, dtype=np.uint16)


@dataclass(frozen=True, eq=False)
class PerceptronModel:
    """Averaged perceptrons that choose transitions and labels."""

    native: _kernel.PerceptronModel

    @property
    def weight_count(self) -> int:
        return sum(len(rows[3]) for rows in (self.native.transition_rows(), self.native.label_rows()))

    def parse_arcs(self, inputs: SentenceInputs, threads: int) -> Arcs:
        return Arcs(*self.native.parse_arcs(inputs.values, inputs.word_offsets, threads), inputs.word_offsets)

    def search(self, inputs: SentenceInputs, width: int, kept: int, threads: int) -> SearchResult:
        found = self.native.search(inputs.values, inputs.word_offsets, width, kept, threads)
        return SearchResult.from_arrays(inputs.word_offsets, *found)

    def trace(self, inputs: SentenceInputs, given: Ids | None = None) -> Trace:
        chosen = np.zeros(0, np.int32) if given is None else given
        transitions, scores = self.native.trace(inputs.values, inputs.word_offsets, chosen)
        return Trace(transitions, scores.reshape(len(transitions), -1), probabilities=False)

    def penalised(self, amount: float, labels: Flags) -> PerceptronModel:
        return PerceptronModel(self.native.penalised(amount, labels.view(np.uint8)))

    def arrays(self, bits: int = 16, prune: float = 0.0) -> Arrays:
        """Return the weights for a file, of so many bits, without a share of the features: those that decide least."""
        check_bits(bits)
        prune = ARGUMENTS["prune"]("prune", prune)
        rows = {"transition": self.native.transition_rows(), "label": self.native.label_rows()}
        arrays: Arrays = {}
        for name, own in rows.items():
            arrays |= arrays_from_rows(name, prune_rows(own, prune), bits)
        return arrays


def prune_rows(rows: Rows, share: float) -> Rows:
    """Leave out a share of the features: those whose weights lie closest together, so that they decide least."""
    packed, counts, classes, weights = rows
    if not share or not len(counts):
        return rows
    starts = offsets_of(counts)[:-1]
    wide = weights.astype(np.int32)
    spread = np.maximum(np.maximum.reduceat(wide, starts), 0) - np.minimum(np.minimum.reduceat(wide, starts), 0)
    left_out = np.argsort(spread, kind="stable")[: int(share * len(spread))]
    kept = np.ones(len(spread), bool)
    kept[left_out] = False
    of_kept = np.repeat(kept, counts)
    features = _kernel.unpack_ascending(packed)[kept]
    return _kernel.pack_ascending(features), counts[kept], classes[of_kept], weights[of_kept]


def arrays_from_rows(name: str, rows: Rows, bits: int = 16) -> Arrays:
    """Return the arrays of a file, whose names begin with this one."""
    packed, counts, classes, weights = rows
    arrays: Arrays = {f"{name}_features": packed, f"{name}_weights": weights}
    if len(counts) and classes.max() < 8:
        arrays[f"{name}_sets"] = np.bitwise_or.reduceat(
            np.left_shift(1, classes).astype(np.uint8), offsets_of(counts)[:-1]
        )
    else:
        arrays |= {f"{name}_counts": _narrow(counts), f"{name}_classes": _narrow(classes)}
    if bits == 8:
        sizes = np.abs(weights.astype(np.float64))
        largest = sizes.max(initial=1.0)
        roots = np.maximum(1, np.rint(_STEPS * np.sqrt(sizes / largest)))
        arrays[f"{name}_weights"] = (np.sign(weights) * roots).astype(np.int8)
        arrays[f"{name}_largest"] = np.array([largest], np.int16)
    return arrays


def rows_from_arrays(name: str, arrays: Mapping[str, AnyArray]) -> Rows:
    """Return the rows that `arrays_from_rows` took; a KeyError or ValueError if the arrays cannot be those."""
    packed, weights = arrays[f"{name}_features"], arrays[f"{name}_weights"]
    if f"{name}_sets" in arrays:
        sets = arrays[f"{name}_sets"]
        bits = np.unpackbits(sets, bitorder="little")
        counts, classes = _SIZES[sets], (np.flatnonzero(bits.view(np.bool_)) & 7).astype(np.uint16)
    else:
        counts, classes = arrays[f"{name}_counts"], arrays[f"{name}_classes"]
    if packed.dtype != np.uint8 or counts.dtype.kind != "u" or classes.dtype.kind != "u":
        raise ValueError("features and weights have other types")
    if weights.dtype == np.int8:
        roots = weights.astype(np.float64)
        (largest,) = arrays[f"{name}_largest"].astype(np.int16).tolist()
        sizes = np.minimum(np.maximum(1, np.rint(largest * (roots / _STEPS) ** 2)), np.iinfo(np.int16).max)
        weights = (np.sign(roots) * sizes).astype(np.int16)
    if weights.dtype != np.int16:
        raise ValueError(f"the weights are {weights.dtype}, not whole numbers of 8 or 16 bits")
    return packed, counts.astype(np.uint16), classes.astype(np.uint16), weights


def _narrow(numbers: NDArray[np.uint16]) -> AnyArray:
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))
