"""
The native loops of crossarc: arrays in, arrays out. Private; use the functions of crossarc.
"""

from collections.abc import Sequence
import enum
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

class PerceptronModel:
    def parse(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]: ...

    def parse_arcs(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]: ...

    def transition_rows(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C')]]: ...

    def label_rows(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C')]]: ...

    def memory(self) -> int: ...

def make_greedy_model(program: Program, root: str, transition_features: tuple[Sequence[tuple[int, int, int, int]], Sequence[tuple[int, int, int]], Sequence[Sequence[int]]], label_features: tuple[Sequence[tuple[int, int, int, int]], Sequence[tuple[int, int, int]], Sequence[Sequence[int]]], labels: int, transition_rows: tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)]], label_rows: tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> PerceptronModel: ...

def pack_ascending(numbers: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]: ...

def unpack_ascending(bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

class PerceptronLearner:
    def __init__(self, program: Program, root: str, transition_features: tuple[Sequence[tuple[int, int, int, int]], Sequence[tuple[int, int, int]], Sequence[Sequence[int]]], label_features: tuple[Sequence[tuple[int, int, int, int]], Sequence[tuple[int, int, int]], Sequence[Sequence[int]]], labels: int, rule: int, roles: Sequence[int], reach: int, guarantees: Sequence[bool], seed: int) -> None: ...

    def learn(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arc_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], explore: int, beam: int, early: bool) -> int: ...

    def average(self, others: Sequence[PerceptronLearner], least_updates: int) -> PerceptronModel: ...

    def features(self) -> tuple[int, int]: ...

    def remember(self) -> tuple[tuple[int, Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]], tuple[int, Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]], int]: ...

    def restore(self, transitions: tuple[int, Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], labels: tuple[int, Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], random: int) -> None: ...

class NetworkModel:
    def parse_arcs(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]: ...

    def search(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, kept: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

    def weights(self) -> list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

def make_network_model(program: Program, root: str, features: tuple[Sequence[tuple[int, int, int, int]], Sequence[tuple[int, int, int]], Sequence[Sequence[int]]], labels: int, shape: tuple[Sequence[int], Sequence[int], int, int, int, int, int, int], weights: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> NetworkModel: ...

class NetworkLearner:
    def __init__(self, program: Program, root: str, features: tuple[Sequence[tuple[int, int, int, int]], Sequence[tuple[int, int, int]], Sequence[Sequence[int]]], labels: int, rule: int, roles: Sequence[int], reach: int, guarantees: Sequence[bool], free_planes: bool, shape: tuple[Sequence[int], Sequence[int], int, int, int, int, int, int], counts: Sequence[Sequence[int]], batch: int, dropout: tuple[float, float, float, float], seed: int) -> None: ...

    def learn(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arc_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], explore: int, rate: float, threads: int) -> int: ...

    def weights(self) -> list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

    def remember(self) -> tuple[int, list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]], list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]], list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]]: ...

    def restore(self, steps: int, weights: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], first: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], second: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

def search_beam(model: PerceptronModel, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, kept: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

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

    def look(self, sentence: int, views: tuple[Sequence[tuple[int, int, int, int]], Sequence[tuple[int, int, int]], Sequence[Sequence[int]]]) -> tuple[list[int], list[int]]: ...

    def terminal(self, arg: int, /) -> bool: ...

    def copy(self) -> Machine: ...

def make_machine(program: Program, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], root: str) -> Machine: ...

def enumerate_graphs(program: Program, words: int, root: str, limit: int) -> dict[str, Any]: ...

def derive(program: Program, root: str, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], arc_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], planes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rule: int, roles: Sequence[int], guarantees: Sequence[bool], width: int, budget: int, threads: int) -> dict[str, Any]: ...

def right_transitions(machine: Machine, sentence: int, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rule: int, roles: Sequence[int], reach: int, guarantees: Sequence[bool], free_planes: bool) -> list[bool]: ...

def count_costs(machine: Machine, sentence: int, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reach: int, guarantees: Sequence[bool], width: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

class Mark(enum.IntEnum):
    lifted = 1

    on_path = 2

    covered_root = 4

class LiftOrder(enum.Enum):
    shortest = 0

    deepest = 1

class CoveredRoots(enum.Enum):
    none = 0

    left = 1

    right = 2

    head = 3

class Scheme(enum.Enum):
    head = 0

    path = 1

    head_path = 2

class Search(enum.Enum):
    careful = 1

    first = 0

class Reconstruction(enum.Enum):
    label = 1

    label_strict = 2

    naive = 0

class Direction(enum.IntEnum):
    none = 0

    left = 1

    right = 2

def lift(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: LiftOrder, covered_roots: CoveredRoots, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], tuple[int, str, list[int]] | None]: ...

def lower(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], head_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], marks: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scheme: Scheme, search: Search, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], tuple[int, str, list[int]] | None]: ...

def reconstruct(left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], directions: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], link_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reconstruction: Reconstruction, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], int | None]: ...

def align_words(gold_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gold_multiword: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], gold_form: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], system_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], system_end: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], system_multiword: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], system_form: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]: ...

class TreeClass(enum.Enum):
    projective = 0

    one_endpoint_crossing = 1

    spanning_tree = 2

class ScoreFault(enum.Enum):
    not_a_number = 1

    infinite = 2

    infeasible = 3

class ScoreMatrices:
    """
    Scores of arcs of some sentences: a list of matrices, one array of them one after the other, or a padded one.
    """

    @overload
    def __init__(self, matrices: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)]]) -> None: ...

    @overload
    def __init__(self, scores: Annotated[NDArray[numpy.float32], dict(device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @overload
    def __init__(self, matrices: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]]) -> None: ...

    @overload
    def __init__(self, scores: Annotated[NDArray[numpy.float64], dict(device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def decode(self, tree_class: TreeClass, single_root: bool, root_arcs: bool, pruned: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], tuple[int, ScoreFault, int, int] | None]: ...

    def k_best(self, tree_class: TreeClass, single_root: bool, root_arcs: bool, k: int, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], tuple[int, ScoreFault, int, int] | None]: ...

    def sample(self, tree_class: TreeClass, single_root: bool, root_arcs: bool, count: int, seed: int, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], tuple[int, ScoreFault, int, int] | None]: ...

    def sum(self, tree_class: TreeClass, single_root: bool, root_arcs: bool, marginals: bool, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], tuple[int, ScoreFault, int, int] | None]: ...

    def count(self, tree_class: TreeClass, single_root: bool, root_arcs: bool, prime: int) -> tuple[int, tuple[int, ScoreFault, int, int] | None]: ...
