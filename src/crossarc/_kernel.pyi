"""The native loops of crossarc: arrays in, arrays out. Private; use the functions of crossarc."""

from collections.abc import Sequence
import enum
from typing import Any, TypeAlias, overload

import numpy
from numpy.typing import NDArray


# Arrays are contiguous, and none is written to. Offsets say where sentences begin: one more than there are sentences,
# the first 0, the last the number of words. Words are numbered from 1; the head of a root is 0.
Float32Array: TypeAlias = NDArray[numpy.float32]  # one dimension
Float32Matrix: TypeAlias = NDArray[numpy.float32]  # two dimensions
Float32Scores: TypeAlias = NDArray[numpy.float32]  # one dimension or three
Float64Array: TypeAlias = NDArray[numpy.float64]  # one dimension
Float64Matrix: TypeAlias = NDArray[numpy.float64]  # two dimensions
Float64Scores: TypeAlias = NDArray[numpy.float64]  # one dimension or three
Int16Array: TypeAlias = NDArray[numpy.int16]  # one dimension
Int32Array: TypeAlias = NDArray[numpy.int32]  # one dimension
Int64Array: TypeAlias = NDArray[numpy.int64]  # one dimension
UInt16Array: TypeAlias = NDArray[numpy.uint16]  # one dimension
UInt32Array: TypeAlias = NDArray[numpy.uint32]  # one dimension
UInt32Matrix: TypeAlias = NDArray[numpy.uint32]  # two dimensions
UInt64Array: TypeAlias = NDArray[numpy.uint64]  # one dimension
UInt8Array: TypeAlias = NDArray[numpy.uint8]  # one dimension

# the form of each word; where each form begins among the characters; the characters
Forms: TypeAlias = tuple[Int32Array, Int64Array, UInt32Array]
# addresses (base, index, step, step); attributes (address, attribute, column or address); templates of these
Features: TypeAlias = tuple[
    Sequence[tuple[int, int, int, int]], Sequence[tuple[int, int, int]], Sequence[Sequence[int]]
]
# heads (or left words), dependents (or right words), labels; where the arcs of each sentence begin
Arcs: TypeAlias = tuple[Int32Array, Int32Array, Int32Array, Int64Array]
# where the arcs of each sentence begin; heads, dependents, labels
GoldArcs: TypeAlias = tuple[Int64Array, Int32Array, Int32Array, Int32Array]
# where those of each sentence begin; scores; where arcs begin; heads, dependents, labels, scores, margins
Analyses: TypeAlias = tuple[
    Int64Array, Float64Array, Int64Array, Int32Array, Int32Array, Int32Array, Float32Array, Float32Array
]
# features, packed; how many weights each has; the classes of the weights; the weights
Rows: TypeAlias = tuple[UInt8Array, UInt16Array, UInt16Array, Int16Array]
# steps; features; their updates; how many classes each has; classes; weights; sums of weights over steps
PerceptronState: TypeAlias = tuple[int, UInt64Array, Int32Array, UInt16Array, UInt16Array, Int32Array, Int64Array]
# steps; weights; first and second moments of the optimiser
LearnerState: TypeAlias = tuple[int, list[Float32Array], list[Float32Array], list[Float32Array]]
# a sentence, from 0; what is wrong with its heads; the words that it concerns
HeadFault: TypeAlias = tuple[int, TreeFault, list[int]]
# a sentence, from 0; what is wrong with its scores; the head and the dependent that it concerns
MatrixFault: TypeAlias = tuple[int, ScoreFault, int, int]


sanitized: bool = False

def vector_path() -> str:
    """The vector instructions in use."""

NO_HEAD: int = -1
NOT_WRITTEN: int = -1
LONGEST_SENTENCE: int = 67108864

class Format(enum.Enum):
    """The format of a treebank file."""

    conllu = 0
    conllx = 1

class RootPolicy(enum.Enum):
    """How many roots a sentence has: one, one or more, or any number, with words that have no head."""

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

    def text(self, id: int) -> str:
        """The string of an id."""

    def texts(self, ids: Int32Array) -> list[str]:
        """The strings of ids."""

    def find(self, text: str) -> int:
        """The id of a string, or -1."""

    def find_all(self, texts: Sequence[str]) -> Int32Array:
        """The ids of strings, -1 for those that are not there."""

    def copy(self) -> StringPool:
        """A pool with the same ids."""

    def intern(self, texts: Sequence[str], checked: bool = True) -> Int32Array:
        """The ids of strings, new ones added. With checked, each must be able to stand in a column."""

    def intern_joined(self, prefix: str, words: Int32Array, space_after: UInt8Array, offsets: Int64Array) -> Int32Array:
        """The id of each sentence's text: a prefix and its words, given by their ids (-1: left out)."""

    def merge(self, other: StringPool) -> Int32Array:
        """Adds another pool; the new id of each of its ids."""

    def memory(self) -> int:
        """Bytes in use."""

class TreebankReader:
    """Reads a file that is fed to it piece by piece."""

    def __init__(
        self,
        format: Format,
        root: RootPolicy,
        threads: int = 0,
        first_line: int = 1,
        first_sentence: int = 1,
        expected_bytes: int = 0,
    ) -> None: ...

    def feed(self, text: bytes) -> None:
        """Reads the next piece; it may end anywhere."""

    def unfinished(self) -> tuple[int, int, int]:
        """How many bytes wait for the end of their sentence, and the line and the sentence where they begin."""

    def finish(self) -> dict[str, Any]:
        """The columns, or the problems; the reader is used up then."""

def read_columns(
    columns: Sequence[list[Any] | None],
    heads: Int32Array,
    word_offsets: Int64Array,
    format: Format,
    root: RootPolicy,
) -> dict[str, Any]:
    """A treebank of lists of texts (None: "_" for all words), as TreebankReader.finish gives it."""

def print_sentences(
    pool: StringPool,
    columns: Sequence[Int32Array],
    word_offsets: Int64Array,
    aside_kind: UInt8Array,
    aside_before: Int32Array,
    aside_text: Int32Array,
    aside_offsets: Int64Array,
    after: Int32Array,
    crlf: UInt8Array,
    first: int,
    last: int,
) -> bytes:
    """The bytes of the sentences from first to before last, as they were read."""

def last_sentence_start(text: bytes) -> int:
    """Where the last sentence of a text begins, which may be unfinished."""

def find_tree_fault(heads: Int32Array, word_offsets: Int64Array) -> HeadFault | None:
    """The first sentence whose heads are not a tree, or None."""

def classify(
    heads: Int32Array,
    word_offsets: Int64Array,
    root_arcs: bool,
    planarity: bool,
    lifts: bool,
    budget: int,
    threads: int,
) -> tuple[dict[str, Any], HeadFault | None]:
    """
    Structural classes of each sentence and each arc by name; or nothing and the first sentence whose heads are not a
    tree. At most budget steps are spent on the planarity of a sentence.
    """

def find_planes(heads: Int32Array, dependents: Int32Array, words: int, budget: int) -> tuple[Int32Array, int, int]:
    """A plane for each arc so that arcs of one plane do not cross, and the bounds of the least number of planes."""

def find_crossings(heads: Int32Array, dependents: Int32Array, words: int) -> tuple[Int32Array, Int32Array]:
    """The pairs of arcs that cross, as the numbers of both."""

NO_VALUE: int = 0
UNKNOWN_VALUE: int = 1
ROOT_VALUE: int = 2

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

    def __init__(
        self,
        program: Program,
        *,
        artificial_root: str,
        transition_features: Features,
        label_features: Features = ([], [], []),
        labels: int,
        joint: bool = False,
    ) -> None:
        """What is looked at for transitions and for labels; joint: transitions and labels are one choice."""

class TrainingOracle:
    """Which transitions training calls right."""

    def __init__(
        self,
        *,
        rule: int,
        roles: Sequence[int],
        reach: int,
        guarantees: Sequence[bool],
        free_planes: bool = False,
        follows_derivation: bool = False,
    ) -> None:
        """
        roles: the transition of each Role, -1 for none. guarantees: a truth value for each Guarantee. free_planes:
        whichever of two planes an arc comes to is right.
        """

class PerceptronModel:
    """A transition parser with a linear model: parses and searches."""

    def __init__(self, definition: ParserDefinition, *, transition_rows: Rows, label_rows: Rows) -> None:
        """A model of stored weights."""

    def transition_rows(self) -> Rows:
        """The weights of transitions, for files."""

    def label_rows(self) -> Rows:
        """The weights of labels, for files."""

    def parse_arcs(self, values: UInt32Matrix, word_offsets: Int64Array, threads: int) -> Arcs:
        """The arcs of the best analysis of each sentence, by greedy search."""

    def search(self, values: UInt32Matrix, word_offsets: Int64Array, width: int, kept: int, threads: int) -> Analyses:
        """The best analyses of each sentence, at most kept of them, by beam search of a width."""

    def trace(
        self,
        values: UInt32Matrix,
        word_offsets: Int64Array,
        given: Int32Array,
    ) -> tuple[Int32Array, Float32Array]:
        """
        The transitions for one sentence, and the scores of all transitions at each step, row by row. given: the first
        transitions.
        """

def pack_ascending(numbers: UInt64Array) -> UInt8Array:
    """Ascending numbers in few bytes: their differences, seven bits a byte."""

def unpack_ascending(bytes: UInt8Array) -> UInt64Array:
    """The numbers that pack_ascending packed."""

class PerceptronLearner:
    """Trains a PerceptronModel, and can stop and go on."""

    def __init__(self, definition: ParserDefinition, oracle: TrainingOracle, *, seed: int) -> None: ...

    @staticmethod
    def learn(
        learners: Sequence[PerceptronLearner],
        orders: Sequence[Int32Array],
        values: UInt32Matrix,
        word_offsets: Int64Array,
        arc_offsets: Int64Array,
        heads: Int32Array,
        dependents: Int32Array,
        labels: Int32Array,
        *,
        explore: int,
        beam: int,
        early: bool,
        threads: int,
    ) -> int:
        """
        One epoch of learners that were made alike, each in an order of its own; the sum of their mistakes. explore: of
        a hundred choices of the model, how many are followed though they are wrong. early: the early update of beam
        search.
        """

    def average(self, others: Sequence[PerceptronLearner], least_updates: int) -> PerceptronModel:
        """The mean of this learner and others; features with fewer updates are left out."""

    def remember(self) -> tuple[PerceptronState, PerceptronState, int]:
        """The state of transitions and labels, and of the random numbers, for a checkpoint."""

    def restore(self, transitions: PerceptronState, labels: PerceptronState, random: int) -> None:
        """Goes on from a checkpoint."""

ATOM_VALUES: int = 16
NARROWEST_FILTER: int = 2
WIDEST_FILTER: int = 5

class NetworkSizes:
    """How many values each column has, and the sizes of all layers."""

    def __init__(
        self,
        *,
        groups: Sequence[tuple[Sequence[int], int]],
        characters: int,
        character_dimension: int,
        filters: int,
        character_outputs: int,
        layers: int,
        cells: int,
        hidden: int,
        label_hidden: int,
    ) -> None: ...

class NetworkModel:
    """A transition parser with a network: parses and searches."""

    def __init__(
        self,
        definition: ParserDefinition,
        sizes: NetworkSizes,
        *,
        weights: Sequence[Float32Array],
    ) -> None: ...

    def weights(self) -> list[Float32Array]:
        """All weights, a flat array for each matrix."""

    def parse_arcs(self, values: UInt32Matrix, word_offsets: Int64Array, forms: Forms, threads: int) -> Arcs:
        """The arcs of the best analysis of each sentence, by greedy search."""

    def search(
        self,
        values: UInt32Matrix,
        word_offsets: Int64Array,
        forms: Forms,
        width: int,
        kept: int,
        threads: int,
    ) -> Analyses:
        """The best analyses of each sentence, at most kept of them, by beam search of a width."""

    def trace(
        self,
        values: UInt32Matrix,
        word_offsets: Int64Array,
        forms: Forms,
        given: Int32Array,
    ) -> tuple[Int32Array, Float32Array]:
        """
        The transitions for one sentence, and the scores of all transitions at each step, row by row. given: the first
        transitions.
        """

class NetworkLearner:
    """Trains a NetworkModel, and can stop and go on."""

    def __init__(
        self,
        definition: ParserDefinition,
        oracle: TrainingOracle,
        sizes: NetworkSizes,
        *,
        dropout: EncoderDropout,
        hidden_dropout: float,
        columns: ColumnDropout,
        counts: Sequence[Sequence[int]],
        sentences: int,
        words: int,
        seed: int,
    ) -> None: ...

    def learn(
        self,
        order: Int32Array,
        values: UInt32Matrix,
        word_offsets: Int64Array,
        forms: Forms,
        arc_offsets: Int64Array,
        heads: Int32Array,
        dependents: Int32Array,
        labels: Int32Array,
        *,
        explore: int,
        rate: float,
        threads: int,
    ) -> int:
        """
        One epoch over the sentences in an order; how many choices were wrong. explore: of a hundred choices of the
        model, how many are followed though they are wrong. rate: the learning rate.
        """

    def weights(self) -> list[Float32Array]:
        """All weights, a flat array for each matrix."""

    def remember(self) -> LearnerState:
        """Weights and state of the optimiser, for a checkpoint."""

    def restore(
        self,
        steps: int,
        weights: Sequence[Float32Array],
        first: Sequence[Float32Array],
        second: Sequence[Float32Array],
    ) -> None:
        """Goes on from a checkpoint."""

class Lockstep:
    """Sentences that take steps together, for scorers outside the kernel. Rows are those that have not ended."""

    def __init__(
        self,
        program: Program,
        oracle: TrainingOracle,
        *,
        artificial_root: str,
        features: Features,
        threads: int,
    ) -> None: ...

    def start(
        self,
        word_offsets: Int64Array,
        values: UInt32Matrix,
        sentences: Int32Array,
        gold: GoldArcs | None,
    ) -> None:
        """Starts with some of the sentences; gold arcs are needed for costs."""

    @property
    def actions(self) -> int:
        """How many actions there are for each row."""

    @property
    def positions(self) -> int:
        """How many positions of each row are looked at."""

    @property
    def is_dynamic(self) -> bool:
        """Whether costs are known in every configuration, right ones or not."""

    def unfinished(self) -> Int32Array:
        """The sentence of each row."""

    def features(self) -> UInt32Array:
        """The values of all attributes at all positions of each row."""

    def legal(self) -> UInt8Array:
        """For each row and action 1 where it is legal."""

    def costs(self) -> Int32Array:
        """For each row and action how many gold arcs it loses."""

    def gold_labels(self, actions: Int32Array) -> Int32Array:
        """The gold labels of the arcs that actions build, -1 for none."""

    def apply(self, actions: Int32Array, labels: Int32Array) -> tuple[int, int] | None:
        """Takes a step in every row; or none, and the first row that is refused with the reason."""

    def arcs(self) -> GoldArcs:
        """The arcs that were built."""

class InstanceBase:
    """Instances with their classes, and the nearest ones to a question: memory-based learning."""

    def __init__(
        self,
        values: UInt32Array,
        classes: Int32Array,
        *,
        class_count: int,
        order: Int32Array,
        weights: Float64Array,
        nearest: int,
        threshold: int,
        overlap: bool,
        inverse_distance: bool,
    ) -> None:
        """
        order: features from the most to the least important. threshold: values seen less often are compared by overlap.
        nearest: how many distances count.
        """

    def rank(self, questions: UInt32Array, threads: int) -> Int32Array:
        """The classes of each question, the best first."""

    def neighbours(
        self,
        questions: UInt32Array,
        threads: int,
    ) -> tuple[Int64Array, Float64Array, Int64Array, Int32Array]:
        """Where the distances of each question begin; distances; where the instances at each begin; instances."""

class Operation(enum.IntEnum):
    """An elementary transition."""

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
    """What a guard asks of a configuration."""

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
    """A static oracle that a paper gives for a system; NONE: by search."""

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
    """What a transition does in a rule."""

    SHIFT = 0
    REDUCE = 1
    LEFT_ARC = 2
    RIGHT_ARC = 3
    SWITCH = 4
    NO_ARC = 5
    SWAP = 6

class Reach(enum.IntEnum):
    """How a dynamic oracle counts the arcs that are out of reach."""

    UNKNOWN = 0
    ARC_EAGER = 1
    ARC_HYBRID = 2
    PLANAR = 3
    COVINGTON = 4

class Guarantee(enum.IntEnum):
    """What holds of everything that a system builds."""

    single_head = 0
    acyclic = 1
    no_covered_roots = 2
    projective = 3

class Method(enum.IntEnum):
    """How a derivation was found."""

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
    """A transition system as the kernel runs it."""

    def action_count(self, nodes: int) -> int:
        """How many actions there are for a sentence of so many nodes."""

    def transition_of(self, action: int) -> tuple[int, int]:
        """The transition of an action, and its position."""

    def action_of(self, transition: int, position: int) -> int:
        """The action of a transition at a position."""

def make_program(
    stacks: int,
    transitions: Sequence[Sequence[tuple[int, int, int, int, Sequence[tuple[int, int]]]]],
    labels: int,
) -> Program:
    """
    A system of stacks and transitions. A step of a transition: operation, depth, repeats (a constant, and times the
    position), and facts that must and must not hold.
    """

class Machine:
    """Configurations of sentences that run a program."""

    @property
    def actions(self) -> int:
        """How many actions there are for each sentence."""

    def legal(self) -> UInt8Array:
        """For each sentence and action 1 where it is legal."""

    def apply(self, actions: Int32Array, labels: Int32Array) -> int:
        """Takes a step in every sentence, -1 for none; the first sentence where it is not legal, else -1."""

    def describe(self, sentence: int) -> dict[str, Any]:
        """Stacks, buffer and arcs of a sentence, in numbers of words."""

    def look(self, sentence: int, views: Features) -> tuple[list[int], list[int]]:
        """The words at addresses, -1 for none, and the values of attributes."""

    def terminal(self, arg: int, /) -> bool:
        """Whether a sentence has ended."""

    def copy(self) -> Machine:
        """A machine in the same configurations."""

def make_machine(program: Program, words: Int32Array, root: str) -> Machine:
    """Sentences of so many words at their beginning; root: none, first or last."""

def enumerate_graphs(program: Program, words: int, root: str, limit: int) -> dict[str, Any]:
    """All graphs that a program can build over so many words, in at most limit configurations."""

def derive(
    program: Program,
    root: str,
    words: Int32Array,
    arc_offsets: Int64Array,
    heads: Int32Array,
    dependents: Int32Array,
    labels: Int32Array,
    planes: Int32Array,
    rule: int,
    roles: Sequence[int],
    guarantees: Sequence[bool],
    width: int,
    budget: int,
    threads: int,
) -> dict[str, Any]:
    """
    The transitions that build the gold arcs of sentences, with what is lost: by a rule, or by search within a width and
    a budget of steps.
    """

def right_transitions(
    machine: Machine,
    sentence: int,
    heads: Int32Array,
    dependents: Int32Array,
    rule: int,
    roles: Sequence[int],
    reach: int,
    guarantees: Sequence[bool],
    free_planes: bool,
) -> list[bool]:
    """For each transition whether training calls it right here."""

def count_costs(
    machine: Machine,
    sentence: int,
    heads: Int32Array,
    dependents: Int32Array,
    reach: int,
    guarantees: Sequence[bool],
    width: int,
) -> Int32Array:
    """For each action how many gold arcs it loses."""

class Mark(enum.IntEnum):
    """What lifting marks an arc with; marks add up."""

    lifted = 1
    on_path = 2
    covered_root = 4

class LiftOrder(enum.Enum):
    """Which non-projective arc is lifted first."""

    shortest = 0
    deepest = 1

class CoveredRoots(enum.Enum):
    """What covered roots are attached to."""

    none = 0
    left = 1
    right = 2
    head = 3

class Scheme(enum.Enum):
    """What labels say of a lifted arc."""

    head = 0
    path = 1
    head_path = 2

class Search(enum.Enum):
    """How the former head of a lifted arc is searched for."""

    careful = 1
    first = 0

class Reconstruction(enum.Enum):
    """How links become arcs."""

    label = 1
    label_strict = 2
    naive = 0

class Direction(enum.IntEnum):
    """Which way a link was marked to go."""

    none = 0
    left = 1
    right = 2

def lift(
    heads: Int32Array,
    word_offsets: Int64Array,
    order: LiftOrder,
    covered_roots: CoveredRoots,
    threads: int,
) -> tuple[Int32Array, UInt8Array, HeadFault | None]:
    """Projective heads, the Marks of each arc, and the first sentence whose heads are not a tree."""

def lower(
    heads: Int32Array,
    labels: Int32Array,
    head_labels: Int32Array,
    marks: UInt8Array,
    word_offsets: Int64Array,
    scheme: Scheme,
    search: Search,
    threads: int,
) -> tuple[Int32Array, UInt8Array, HeadFault | None]:
    """
    Heads with marked arcs moved back, 1 for each arc whose head was not found, and the first sentence whose heads are
    not a tree.
    """

def reconstruct(
    left: Int32Array,
    right: Int32Array,
    directions: UInt8Array,
    link_offsets: Int64Array,
    word_offsets: Int64Array,
    reconstruction: Reconstruction,
    threads: int,
) -> tuple[Int32Array, Int64Array, int | None]:
    """Heads, the link that each arc goes along (-1: none), and the first sentence whose links have a cycle."""

def align_words(
    gold_begin: Int64Array,
    gold_end: Int64Array,
    gold_multiword: UInt8Array,
    gold_form: Int32Array,
    system_begin: Int64Array,
    system_end: Int64Array,
    system_multiword: UInt8Array,
    system_form: Int32Array,
) -> Int64Array:
    """The gold word of each word of the system, -1 for none, by places in the text."""

class TreeClass(enum.Enum):
    """A class of trees that has an exact decoder."""

    projective = 0
    one_endpoint_crossing = 1
    spanning_tree = 2

class ScoreFault(enum.Enum):
    """Why there is no best tree for scores."""

    not_a_number = 1
    infinite = 2
    infeasible = 3

class ScoreMatrices:
    """Scores of arcs of some sentences: a list of matrices, one array of them one after the other, or a padded one."""

    @overload
    def __init__(self, matrices: Sequence[Float32Matrix]) -> None: ...

    @overload
    def __init__(self, scores: Float32Scores, lengths: Int64Array) -> None: ...

    @overload
    def __init__(self, matrices: Sequence[Float64Matrix]) -> None: ...

    @overload
    def __init__(self, scores: Float64Scores, lengths: Int64Array) -> None: ...

    def decode(
        self,
        tree_class: TreeClass,
        single_root: bool,
        root_arcs: bool,
        pruned: bool,
        threads: int,
    ) -> tuple[Int32Array, Float64Array, MatrixFault | None]:
        """The heads of the best trees one after the other, and their scores."""

    def k_best(
        self,
        tree_class: TreeClass,
        single_root: bool,
        root_arcs: bool,
        k: int,
        threads: int,
    ) -> tuple[Int32Array, Float64Array, Int64Array, MatrixFault | None]:
        """The heads of the k best trees one after the other, their scores, and how many trees each sentence has."""

    def sample(
        self,
        tree_class: TreeClass,
        single_root: bool,
        root_arcs: bool,
        count: int,
        seed: int,
        threads: int,
    ) -> tuple[Int32Array, Float64Array, Int64Array, MatrixFault | None]:
        """The heads of random trees one after the other, their scores, and how many trees each sentence has."""

    def sum(
        self,
        tree_class: TreeClass,
        single_root: bool,
        root_arcs: bool,
        marginals: bool,
        threads: int,
    ) -> tuple[Float64Array, Float64Array, MatrixFault | None]:
        """The logarithms of the sums over all trees, and the probabilities of arcs if marginals is set."""

    def count(
        self,
        tree_class: TreeClass,
        single_root: bool,
        root_arcs: bool,
        prime: int,
    ) -> tuple[int, MatrixFault | None]:
        """The number of trees of one sentence whose arcs are possible, modulo a prime."""

MOST_GRAPH_WORDS: int = 4096
MOST_CHART_WORDS: int = 120
MOST_SUMMED_WORDS: int = 64
MOST_RANKED_TREES: int = 64

LEAK: float = 0.10000000149011612

class GraphObjective(enum.Enum):
    """What training a graph parser minimises: the loss of each head, of whole trees, or a margin."""

    heads = 0
    likelihood = 1
    margin = 2

class GraphShape:
    """How many values each column has, and the sizes of all layers."""

    def __init__(
        self,
        *,
        groups: Sequence[tuple[Sequence[int], int]],
        characters: int,
        character_dimension: int,
        filters: int,
        character_outputs: int,
        layers: int,
        cells: int,
        arc: int,
        label: int,
        labels: int,
        tags: Sequence[int] = [],
    ) -> None: ...

class GraphModel:
    """A graph parser: a network that scores all arcs, and exact decoding."""

    def __init__(
        self,
        shape: GraphShape,
        *,
        weights: Sequence[Float32Array],
        scales: Sequence[Float32Array] = [],
    ) -> None:
        """`scales`: of the columns of each matrix that is computed with as bytes; empty for the others."""

    def weights(self) -> list[Float32Array]:
        """All weights, a flat array for each matrix."""

    def scales(self) -> list[Float32Array]:
        """The scales of matrices that are computed with as bytes."""

    def byte_columns(self) -> list[int]:
        """Of each matrix, its columns if it can be computed with as bytes, else 0."""

    def parse(
        self,
        values: UInt32Matrix,
        word_offsets: Int64Array,
        forms: Forms,
        *,
        tree_class: TreeClass,
        single_root: bool,
        most: int,
        temperature: float,
        minimum_risk: bool,
        root_label: int,
        heads: Int32Array,
        threads: int,
    ) -> tuple[Int64Array, Float64Array, Int32Array, Int32Array, Float32Array, Float32Array, Int32Array, int]:
        """`heads`: those that words have in every tree, -1 for any; empty if there are none."""

    def arc_scores(self, values: UInt32Matrix, word_offsets: Int64Array, forms: Forms, *, threads: int) -> Float32Array:
        """The scores of all arcs, the matrices of the sentences one after the other."""

    def label_scores(
        self,
        values: UInt32Matrix,
        word_offsets: Int64Array,
        forms: Forms,
        heads: Int32Array,
        *,
        threads: int,
    ) -> Float32Array:
        """The scores of all labels for each word and its given head."""

    def tag_scores(self, values: UInt32Matrix, word_offsets: Int64Array, forms: Forms, *, threads: int) -> Float32Array:
        """The scores of all classes of all tags for each word."""

class EncoderDropout:
    """How much of the inputs and layers is left out in training."""

    def __init__(self, *, inputs: float, layers: float, words: float, groups: float) -> None: ...

class ColumnDropout:
    """Which columns sentences lose in training, and how often."""

    def __init__(self, *, families: Sequence[Sequence[int]], empty: Sequence[int], share: float) -> None: ...

class GraphLearner:
    """Trains a GraphModel, and can stop and go on."""

    def __init__(
        self,
        shape: GraphShape,
        *,
        dropout: EncoderDropout,
        hidden_dropout: float,
        columns: ColumnDropout,
        tag_weight: float,
        objective: GraphObjective,
        tree_class: TreeClass,
        single_root: bool,
        lexical_columns: int,
        words: int,
        seed: int,
    ) -> None: ...

    def learn(
        self,
        order: Int32Array,
        values: UInt32Matrix,
        word_offsets: Int64Array,
        forms: Forms,
        heads: Int32Array,
        labels: Int32Array,
        tags: Int32Array,
        *,
        rate: float,
        threads: int,
    ) -> int:
        """One epoch over the sentences in an order; how many heads were wrong. rate: the learning rate."""

    def weights(self) -> list[Float32Array]:
        """All weights, a flat array for each matrix."""

    def remember(self) -> LearnerState:
        """Weights and state of the optimiser, for a checkpoint."""

    def restore(
        self,
        steps: int,
        weights: Sequence[Float32Array],
        first: Sequence[Float32Array],
        second: Sequence[Float32Array],
    ) -> None:
        """Goes on from a checkpoint."""

class TaggerShape:
    """The sizes of a tagger."""

    def __init__(
        self,
        *,
        groups: Sequence[tuple[Sequence[int], int]],
        characters: int,
        character_dimension: int,
        filters: int,
        character_outputs: int,
        layers: int,
        cells: int,
        classes: Sequence[int],
    ) -> None: ...

class TaggerModel:
    """A trained tagger."""

    def __init__(self, shape: TaggerShape, weights: Sequence[Float32Array], *, bytes: bool) -> None: ...

    def weights(self) -> list[Float32Array]:
        """All weights, a flat array for each matrix."""

    def probabilities(self, values: UInt32Matrix, offsets: Int64Array, forms: Forms, *, threads: int) -> Float32Array:
        """The probabilities of all classes of all tags, row by row."""

class TaggerLearner:
    """Trains a TaggerModel, and can stop and go on."""

    def __init__(
        self,
        shape: TaggerShape,
        *,
        dropout: EncoderDropout,
        lexical_columns: int,
        rows: int,
        seed: int,
    ) -> None: ...

    def learn(
        self,
        order: Int32Array,
        values: UInt32Matrix,
        offsets: Int64Array,
        forms: Forms,
        classes: Int32Array,
        *,
        rate: float,
        threads: int,
    ) -> int:
        """One epoch over the sequences in an order; how many tags were wrong. rate: the learning rate."""

    def weights(self) -> list[Float32Array]:
        """All weights, a flat array for each matrix."""

    def remember(self) -> LearnerState:
        """Weights and state of the optimiser, for a checkpoint."""

    def restore(
        self,
        steps: int,
        weights: Sequence[Float32Array],
        first: Sequence[Float32Array],
        second: Sequence[Float32Array],
    ) -> None:
        """Goes on from a checkpoint."""
