"""What encodings check and look up: options, descriptions in model files, faults of heads, ids of labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._arrays import Ids, Offsets
from .._kernel import TreeFault
from ..structure.heads import raise_fault
from ..treebank import Treebank
from .base import EncodingError

#: The sentence, what is wrong with its heads, and the words it concerns.
Fault = tuple[int, TreeFault, Sequence[int]]
Option = TypeVar("Option", bound=Enum)


def named(options: type[Option], joint: str = "-") -> dict[str, Option]:
    """Return the options of the kernel by the names that users write, in order; words are joined by `joint`."""
    return {option.name.replace("_", joint): option for option in options}


def checked_choice(what: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse an option that does not exist."""
    if value not in choices:
        raise EncodingError(f"unknown {what} {value!r}: use one of {', '.join(choices)}")


def checked_labels(value: Any) -> tuple[str, ...]:
    """Return the labels of a model file, if they are a list of different texts."""
    if not isinstance(value, (list, tuple)) or not all(isinstance(label, str) for label in value):
        raise EncodingError("the labels of an encoding are a list of texts")
    if len(set(value)) != len(value):
        raise EncodingError("a label occurs twice in the labels of an encoding")
    return tuple(value)


def checked_keys(data: Mapping[str, Any], keys: set[str]) -> None:
    """Refuse a description of an encoding with unknown parts, which a later version may have written."""
    unknown = sorted(set(data) - keys - {"type"})
    if unknown:
        raise EncodingError(f"unknown part {unknown[0]!r} in the description of a {data.get('type')} encoding")


def treebank_place(treebank: Treebank) -> Callable[[int], str]:
    """Return how to name a sentence of a treebank."""
    return lambda index: treebank[index].place


def numbered_place(index: int) -> str:
    """Name a sentence of which only the number is known."""
    return f"sentence {index + 1}"


def check_fault(fault: Fault | None, heads: Ids, word_offsets: Offsets, place: Callable[[int], str]) -> None:
    """Raise what the kernel found wrong with the heads."""
    if fault is not None:
        sentence, kind, words = fault
        own_heads = heads[word_offsets[sentence] : word_offsets[sentence + 1]]
        raise_fault(kind, words, own_heads, lambda: place(sentence))


@contextmanager
def kernel_refusals() -> Iterator[None]:
    """Raise what the kernel refuses (offsets that do not fit the words, say) as an error of encodings."""
    try:
        yield
    except ValueError as error:
        raise EncodingError(str(error)) from error


def check_numbers(what: str, numbers: Ids, count: int, words: int) -> None:
    """Refuse numbers of labels that do not exist, or too few or too many of them."""
    if len(numbers) != words:
        raise EncodingError(f"{len(numbers)} {what} for {words} arcs")
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        raise EncodingError(f"{what} are numbers from 0 to {count - 1}")


def used_ids(ids: Ids) -> Ids:
    """Return the different ids of a column, in order. O(words + ids), without sorting."""
    return np.flatnonzero(np.bincount(ids)).astype(np.int32)


def unknown_labels(treebank: Treebank, texts: list[str]) -> dict[str, int]:
    """Return how often each of some labels occurs in a treebank."""
    counts = treebank.inventory("deprel") if texts else {}
    return {text: counts[text] for text in texts}


def lookup(ids: Ids, values: NDArray[Any]) -> NDArray[Any]:
    """Return a table that has, at each of some ids, the value that belongs to it."""
    table = np.zeros(int(ids.max(initial=-1)) + 1, values.dtype)
    table[ids] = values
    return table
