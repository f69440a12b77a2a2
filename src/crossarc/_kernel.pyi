"""
The native loops of crossarc: arrays in, arrays out. Private; use the functions of crossarc.
"""

from collections.abc import Sequence
import enum
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


sanitized: bool = False

def vector_path() -> str: ...

NO_HEAD: int = -1

NOT_WRITTEN: int = -1

LONGEST_SENTENCE: int = 67108864

class Format(enum.Enum):
    conllu = 0

    conllx = 1

class RootPolicy(enum.Enum):
    single = 0

    any = 1

    partial = 2

class Column(enum.Enum):
    """The columns of a word, in the order of the file and without ID."""

    form = 0

    lemma = 1

    upos = 2

    xpos = 3

    feats = 4

    head = 5

    deprel = 6

    deps = 7

    misc = 8

class AsideKind(enum.IntEnum):
    """The kind of a line that is not a word."""

    comment = 0

    range = 1

    empty_node = 2

class TreeFault(enum.Enum):
    """Why heads are not a tree."""

    out_of_range = 1

    own_head = 2

    cycle = 3

class ProblemKind(enum.Enum):
    """What can be wrong with a treebank file."""

    column_count = 0

    space_separated = 1

    white_space_line = 2

    empty_column = 3

    empty_form = 4

    space_in_column = 5

    outer_space = 6

    id_not_a_number = 7

    id_not_consecutive = 8

    id_duplicate = 9

    range_bad = 10

    range_overlaps = 11

    range_misplaced = 12

    range_beyond_end = 13

    empty_node_misplaced = 14

    aside_with_head = 15

    head_not_a_number = 16

    head_out_of_range = 17

    head_self = 18

    head_missing = 19

    cycle = 20

    no_root = 21

    several_roots = 22

    deps_malformed = 23

    deps_out_of_range = 24

    phead_not_a_number = 25

    bad_utf8 = 26

    nul_byte = 27

    carriage_return = 28

    mixed_line_ends = 29

    comment_inside = 30

    comment_without_sentence = 31

    no_words = 32

    line_too_long = 33

    sentence_too_long = 34

class StringPool:
    """The strings of a treebank, each stored once; 0 is "_"."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def text(self, id: int) -> str: ...

    def texts(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[str]: ...

    def find(self, text: str) -> int:
        """The id of a string, or -1."""

    def find_all(self, texts: Sequence[str]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """The ids of strings, -1 for those that are not there."""

    def copy(self) -> StringPool:
        """A pool with the same ids."""

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

    def __init__(self, format: Format, root: RootPolicy, threads: int = 0, first_line: int = 1, first_sentence: int = 1, expected_bytes: int = 0) -> None: ...

    def feed(self, text: bytes) -> None: ...

    def unfinished(self) -> tuple[int, int, int]:
        """
        How many bytes wait for the end of their sentence, and the line and the sentence where they begin.
        """

    def finish(self) -> dict[str, Any]:
        """The columns, or the problems; the reader is used up then."""

def read_columns(columns: Sequence[list[Any] | None], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], format: Format, root: RootPolicy) -> dict[str, Any]:
    """
    A treebank of lists of texts (None: "_" for all words), as TreebankReader.finish gives it.
    """

def print_sentences(pool: StringPool, columns: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], aside_kind: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], aside_before: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], aside_text: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], aside_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], after: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], crlf: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int) -> bytes: ...

def last_sentence_start(text: bytes) -> int: ...

def find_tree_fault(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, TreeFault, list[int]] | None: ...

def classify(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], root_arcs: bool, planarity: bool, lifts: bool, budget: int, threads: int) -> tuple[dict[str, Any], tuple[int, TreeFault, list[int]] | None]: ...

def find_planes(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: int, budget: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], int, int]: ...

def find_crossings(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]: ...

class FeatureBase(enum.IntEnum):
    """Where the address of a word begins."""

    stack = 0

    other_stack = 1

    buffer = 2

    aside = 3

class FeatureStep(enum.IntEnum):
    """A step of an address along arcs."""

    none = 0

    head = 1

    left1 = 2

    left2 = 3

    left3 = 6

    right1 = 4

    right2 = 5

    right3 = 7

    left_sibling = 8

    right_sibling = 9

class FeatureAttribute(enum.IntEnum):
    """What of a word is looked at."""

    column = 0

    optional_column = 8

    label = 1

    left_valency = 2

    right_valency = 3

    left_labels = 4

    right_labels = 5

    plane = 9

    distance = 6

    linked = 7

class ParserDefinition:
    """Everything about a parser but its weights."""

    def __init__(self, program: Program, *, artificial_root: str, transition_features: tuple[Sequence[tuple[int, int, int, int]], Sequence[tuple[int, int, int]], Sequence[Sequence[int]]], label_features: tuple[Sequence[tuple[int, int, int, int]], Sequence[tuple[int, int, int]], Sequence[Sequence[int]]] = ([], [], []), labels: int, joint: bool = False) -> None: ...

class TrainingOracle:
    """Which transitions training calls right."""

    def __init__(self, *, rule: int, roles: Sequence[int], reach: int, guarantees: Sequence[bool], free_planes: bool = False, follows_derivation: bool = False) -> None: ...

class PerceptronModel:
    def __init__(self, definition: ParserDefinition, *, transition_rows: tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)]], label_rows: tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

    def transition_rows(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C')]]: ...

    def label_rows(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C')]]: ...

    def parse_arcs(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]: ...

    def search(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, kept: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

    def trace(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

def pack_ascending(numbers: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]: ...

def unpack_ascending(bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

class PerceptronLearner:
    def __init__(self, definition: ParserDefinition, oracle: TrainingOracle, *, seed: int) -> None: ...

    @staticmethod
    def learn(learners: Sequence[PerceptronLearner], orders: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], arc_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, explore: int, beam: int, early: bool, threads: int) -> int: ...

    def average(self, others: Sequence[PerceptronLearner], least_updates: int) -> PerceptronModel: ...

    def remember(self) -> tuple[tuple[int, Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]], tuple[int, Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]], int]: ...

    def restore(self, transitions: tuple[int, Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], labels: tuple[int, Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], random: int) -> None: ...

class NetworkSizes:
    """How many values each column has, and the sizes of all layers."""

    def __init__(self, *, groups: Sequence[tuple[Sequence[int], int]], characters: int, character_dimension: int, filters: int, character_outputs: int, layers: int, cells: int, hidden: int, label_hidden: int) -> None: ...

class NetworkModel:
    def __init__(self, definition: ParserDefinition, sizes: NetworkSizes, *, weights: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

    def weights(self) -> list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

    def parse_arcs(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forms: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]]: ...

    def search(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forms: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], width: int, kept: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

    def trace(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forms: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], given: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

class NetworkLearner:
    def __init__(self, definition: ParserDefinition, oracle: TrainingOracle, sizes: NetworkSizes, *, dropout: EncoderDropout, hidden_dropout: float, columns: ColumnDropout, counts: Sequence[Sequence[int]], sentences: int, words: int, seed: int) -> None: ...

    def learn(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forms: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], arc_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], dependents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, explore: int, rate: float, threads: int) -> int: ...

    def weights(self) -> list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

    def remember(self) -> tuple[int, list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]], list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]], list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]]: ...

    def restore(self, steps: int, weights: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], first: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], second: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

class Lockstep:
    def __init__(self, program: Program, oracle: TrainingOracle, *, artificial_root: str, features: tuple[Sequence[tuple[int, int, int, int]], Sequence[tuple[int, int, int]], Sequence[Sequence[int]]], threads: int) -> None: ...

    def start(self, word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gold: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None) -> None: ...

    @property
    def actions(self) -> int: ...

    @property
    def positions(self) -> int: ...

    @property
    def is_dynamic(self) -> bool: ...

    def unfinished(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    def features(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]: ...

    def legal(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]: ...

    def costs(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    def gold_labels(self, actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    def apply(self, actions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, int] | None: ...

    def arcs(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]: ...

class InstanceBase:
    def __init__(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, class_count: int, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], nearest: int, threshold: int, overlap: bool, inverse_distance: bool) -> None: ...

    def rank(self, questions: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]: ...

    def neighbours(self, questions: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]: ...

class Operation(enum.IntEnum):
    SHIFT = 0

    UNSHIFT = 1

    REDUCE = 2

    LEFT_ARC = 3

    RIGHT_ARC = 4

    ARC = 5

    SWITCH = 6

    SWAP = 7

    SKIP = 8

    JOIN = 9

    CLEAR = 10

class Fact(enum.IntEnum):
    stack_has_head = 0

    buffer_has_head = 1

    connected = 2

    stack_reaches_buffer = 3

    buffer_reaches_stack = 4

    arc_from_stack = 5

    arc_from_buffer = 6

    switched_round = 7

    stack_is_root = 8

    buffer_is_root = 9

class Rule(enum.IntEnum):
    NONE = 0

    PLANAR = 1

    ARC_EAGER = 2

    ARC_STANDARD = 3

    ARC_STANDARD_STACK = 4

    ARC_HYBRID = 5

    COVINGTON = 6

    SWAP_EAGER = 7

    SWAP_LAZY = 8

class Role(enum.IntEnum):
    SHIFT = 0

    REDUCE = 1

    LEFT_ARC = 2

    RIGHT_ARC = 3

    SWITCH = 4

    NO_ARC = 5

    SWAP = 6

class Reach(enum.IntEnum):
    UNKNOWN = 0

    ARC_EAGER = 1

    ARC_HYBRID = 2

    PLANAR = 3

    COVINGTON = 4

class Guarantee(enum.IntEnum):
    single_head = 0

    acyclic = 1

    no_covered_roots = 2

    projective = 3

class Method(enum.IntEnum):
    rule = 0

    search = 1

    beam = 2

MOST_STACKS: int = 255

MOST_DEPTH: int = 7

MOST_STEPS: int = 64

MOST_TRANSITIONS: int = 1000

MOST_REPEATS: int = 1000

MOST_ENUMERATED_NODES: int = 8

NO_ACTION: int = -1

NO_LABEL: int = -1

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

def lift(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: LiftOrder, covered_roots: CoveredRoots, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], tuple[int, TreeFault, list[int]] | None]: ...

def lower(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], head_labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], marks: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scheme: Scheme, search: Search, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], tuple[int, TreeFault, list[int]] | None]: ...

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

class GraphObjective(enum.Enum):
    heads = 0

    likelihood = 1

    margin = 2

class GraphShape:
    """How many values each column has, and the sizes of all layers."""

    def __init__(self, *, groups: Sequence[tuple[Sequence[int], int]], characters: int, character_dimension: int, filters: int, character_outputs: int, layers: int, cells: int, arc: int, label: int, labels: int, tags: Sequence[int] = []) -> None: ...

class GraphModel:
    def __init__(self, shape: GraphShape, *, weights: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], scales: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]] = []) -> None:
        """
        `scales`: of the columns of each matrix that is computed with as bytes; empty for the others.
        """

    def weights(self) -> list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

    def scales(self) -> list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

    def byte_columns(self) -> list[int]:
        """
        Of each matrix, its columns if it can be computed with as bytes, else 0.
        """

    def parse(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forms: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], *, tree_class: TreeClass, single_root: bool, most: int, temperature: float, minimum_risk: bool, root_label: int, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], int]:
        """
        `heads`: those that words have in every tree, -1 for any; empty if there are none.
        """

    def arc_scores(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forms: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], *, threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]: ...

    def label_scores(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forms: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]: ...

    def tag_scores(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forms: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], *, threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]: ...

class EncoderDropout:
    """How much of the inputs and layers is left out in training."""

    def __init__(self, *, inputs: float, layers: float, words: float, groups: float) -> None: ...

class ColumnDropout:
    """Which columns sentences lose in training, and how often."""

    def __init__(self, *, families: Sequence[Sequence[int]], empty: Sequence[int], share: float) -> None: ...

class GraphLearner:
    def __init__(self, shape: GraphShape, *, dropout: EncoderDropout, hidden_dropout: float, columns: ColumnDropout, tag_weight: float, objective: GraphObjective, tree_class: TreeClass, single_root: bool, lexical_columns: int, words: int, seed: int) -> None: ...

    def learn(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forms: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tags: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, rate: float, threads: int) -> int: ...

    def weights(self) -> list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

    def remember(self) -> tuple[int, list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]], list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]], list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]]: ...

    def restore(self, steps: int, weights: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], first: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], second: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

class TaggerShape:
    """The sizes of a tagger."""

    def __init__(self, *, groups: Sequence[tuple[Sequence[int], int]], characters: int, character_dimension: int, filters: int, character_outputs: int, layers: int, cells: int, classes: Sequence[int]) -> None: ...

class TaggerModel:
    """A trained tagger."""

    def __init__(self, shape: TaggerShape, weights: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], *, bytes: bool) -> None: ...

    def weights(self) -> list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

    def probabilities(self, values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forms: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], *, threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]: ...

class TaggerLearner:
    def __init__(self, shape: TaggerShape, *, dropout: EncoderDropout, lexical_columns: int, rows: int, seed: int) -> None: ...

    def learn(self, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], forms: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, rate: float, threads: int) -> int: ...

    def weights(self) -> list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]: ...

    def remember(self) -> tuple[int, list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]], list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]], list[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]]: ...

    def restore(self, steps: int, weights: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], first: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], second: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...
