"""
The native loops of crossarc: arrays in, arrays out. Private; use the functions of crossarc.
"""

from collections.abc import Sequence
from typing import Annotated, Any

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

class Program:
    def action_count(self, nodes: int) -> int: ...

    def transition_of(self, action: int) -> tuple[int, int]: ...

    def action_of(self, transition: int, position: int) -> int: ...

def make_program(stacks: int, transitions: Sequence[Sequence[tuple[int, int, int, int, Sequence[tuple[int, int]]]]], labels: int) -> Program: ...

class Machine:
    @property
    def actions(self) -> int: ...

    def legal(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]: ...

    def apply(self, actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

    def describe(self, sentence: int) -> dict[str, Any]: ...

    def terminal(self, arg: int, /) -> bool: ...

    def copy(self) -> Machine: ...

def make_machine(program: Program, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], root: str) -> Machine: ...

def enumerate_graphs(program: Program, words: int, root: str, limit: int) -> dict[str, Any]: ...

def derive(program: Program, root: str, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], arc_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], planes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rule: int, roles: Sequence[int], guarantees: Sequence[bool], width: int, budget: int, threads: int) -> dict[str, Any]: ...

def count_costs(machine: Machine, sentence: int, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reach: int, guarantees: Sequence[bool], width: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

def lift(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: str, covered_roots: str, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], tuple[int, str, list[int]] | None]: ...

def lower(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], head_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], marks: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scheme: str, search: str, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], tuple[int, str, list[int]] | None]: ...

def reconstruct(left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], directions: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], link_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reconstruction: str, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], int | None]: ...

def minimum_branching(words: int, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')] | None: ...

def align_words(gold_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold_multiword: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], gold_form: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], system_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], system_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], system_multiword: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], system_form: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...
