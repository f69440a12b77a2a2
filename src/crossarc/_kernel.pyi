"""
The native loops of crossarc: arrays in, arrays out. Private; use the functions of crossarc.
"""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


sanitized: bool = False

class StringPool:
    """The strings of a treebank, each stored once; 0 is "_"."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def text(self, id: int) -> str: ...

    def texts(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[str]: ...

    def find(self, text: str) -> int:
        """The id of a string, or -1."""

    def intern(self, texts: Sequence[str], checked: bool = True) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """
        The ids of strings, new ones added. With checked, each must be able to stand in a column.
        """

    def intern_joined(self, prefix: str, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], space_after: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """
        The id of each sentence's text: a prefix and its words, given by their ids (-1: left out).
        """

    def merge(self, other: StringPool) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """Adds another pool; the new id of each of its ids."""

    def memory(self) -> int:
        """Bytes in use."""

class TreebankReader:
    """Reads a file that is fed to it piece by piece."""

    def __init__(self, format: str, root: str, threads: int = 0, first_line: int = 1, first_sentence: int = 1, expected_bytes: int = 0) -> None: ...

    def feed(self, text: bytes) -> None: ...

    def finish(self) -> dict[str, Any]:
        """The columns, or the problems; the reader is used up then."""

def print_sentences(pool: StringPool, columns: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], aside_kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], aside_before: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], aside_text: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], aside_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], after: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], crlf: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int) -> bytes: ...

def last_sentence_start(text: bytes) -> int: ...

def find_tree_fault(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, str, list[int]] | None: ...

def problem_names() -> list[str]: ...

def classify(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], root_arcs: bool, planarity: bool, lifts: bool, budget: int, threads: int) -> tuple[dict[str, Any], tuple[int, str, list[int]] | None]: ...

def find_planes(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: int, budget: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], int, int]: ...

def find_crossings(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]: ...

@overload
def decode(matrices: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)]], tree_class: int, single_root: bool, root_arcs: bool, pruned: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], tuple[int, str, int, int] | None]: ...

@overload
def decode(matrices: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]], tree_class: int, single_root: bool, root_arcs: bool, pruned: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], tuple[int, str, int, int] | None]: ...

def sum_trees(matrices: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]], tree_class: int, single_root: bool, root_arcs: bool, marginals: bool, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], tuple[int, str, int, int] | None]: ...

def sample_trees(matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], tree_class: int, single_root: bool, root_arcs: bool, count: int, seed: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], tuple[int, str, int, int] | None]: ...

def k_best_trees(matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], tree_class: int, single_root: bool, root_arcs: bool, k: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], tuple[int, str, int, int] | None]: ...

def count_trees(matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], tree_class: int, single_root: bool, root_arcs: bool, prime: int) -> tuple[int, tuple[int, str, int, int] | None]: ...
