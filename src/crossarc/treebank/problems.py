"""The problems of treebank files: for each, what is wrong and what to do.

The kernel finds the problems and says which they are (`kernel/treebank/table.hpp`); this module turns each into one
line, ``file:line: what is wrong (sentence ID): what to do``. It also puts into words what a file is that is no treebank
at all, and finds mistakes made throughout a file, by its first 64 kB, so that a user reads the cause and not only the
thousand problems that follow from it. O(bytes).
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np

from .. import _kernel
from .._arrays import offsets_of
from .._kernel import LONGEST_SENTENCE, ProblemKind
from ..errors import Cause, Problem, TreebankError, shown
from .formats import BYTES_LOOKED_AT

#: For each problem: what is wrong and what to do. {0}, {1} … are the details; those in quotes are values of the file.
MESSAGES: dict[ProblemKind, tuple[str, str]] = {
    ProblemKind.column_count: ("expected 10 columns, found {0}", "separate the 10 columns with single tabs"),
    ProblemKind.space_separated: ("the columns are separated by spaces", "separate the 10 columns with single tabs"),
    ProblemKind.white_space_line: (
        "a line of nothing but white space",
        "make it empty if it ends a sentence, or delete it",
    ),
    ProblemKind.empty_column: ("column {0} is empty", 'write "_" for an absent value'),
    ProblemKind.empty_form: ("the form is empty", 'write the word, or "_" if it is unknown'),
    ProblemKind.space_in_column: ('column {0} holds a space: "{1}"', "only FORM, LEMMA and MISC may hold spaces"),
    ProblemKind.outer_space: ('column {0} begins or ends with a space: "{1}"', "delete that space"),
    ProblemKind.id_not_a_number: (
        'the id "{0}" is not a number',
        "number words 1, 2, 3 …; ranges 1-2 and empty nodes 1.1 exist in CoNLL-U only",
    ),
    ProblemKind.id_not_consecutive: (
        "id {0} where {1} was expected",
        "number the words without gaps; is a line missing?",
    ),
    ProblemKind.id_duplicate: (
        "id {0} a second time, {1} was expected",
        "give every word its own number; does a new sentence begin here? Then put an empty line before it",
    ),
    ProblemKind.range_bad: ('the range "{0}" is not a range', "write first-last with 1 ≤ first ≤ last"),
    ProblemKind.range_overlaps: ('the range "{0}" overlaps "{1}"', "every word belongs to at most one multiword token"),
    ProblemKind.range_misplaced: ('the range "{0}" stands before word {1}', "put it right before its first word"),
    ProblemKind.range_beyond_end: (
        'the range "{0}" goes beyond the last word, {1}',
        "end it at a word of the sentence",
    ),
    ProblemKind.empty_node_misplaced: (
        'the empty node "{0}" where {1} was expected',
        "put it right after its word and number the empty nodes there .1, .2 …",
    ),
    ProblemKind.aside_with_head: (
        '"{0}" has the head "{1}"',
        'ranges and empty nodes have "_" as HEAD; their arcs go to DEPS',
    ),
    ProblemKind.head_not_a_number: (
        'the head of word {0} is "{1}", not a number',
        'write a word\'s number, 0 for the root, or "_" for every word of the sentence',
    ),
    ProblemKind.head_out_of_range: (
        "the head of word {0} is {1}, the last word is {2}",
        "write the number of a word that exists",
    ),
    ProblemKind.head_self: ('word {0} "{1}" is its own head', "attach it to another word, or to 0"),
    ProblemKind.head_missing: (
        "word {0} has no head though others of its sentence have",
        'give it one, or write "_" as the head of every word of the sentence',
    ),
    ProblemKind.cycle: ("the heads form a cycle: {0}", "attach one of these words outside the cycle"),
    ProblemKind.no_root: ("no word is the root", "give one word the head 0"),
    ProblemKind.several_roots: (
        "several roots: {0}",
        'attach all but one to a word, or allow several with root="any" (--root any)',
    ),
    ProblemKind.deps_malformed: ('DEPS of word {0} is "{1}"', "write head:relation pairs joined by |"),
    ProblemKind.deps_out_of_range: ('DEPS of word {0} is "{1}", the last word is {2}', "name words that exist"),
    ProblemKind.phead_not_a_number: ('PHEAD of word {0} is "{1}", not a number', 'write a number or "_"'),
    ProblemKind.bad_utf8: ("not UTF-8: byte {1} in {0}", "convert the file to UTF-8"),
    ProblemKind.nul_byte: ("a NUL byte", "is this a text file in UTF-8? Delete the byte or convert the file"),
    ProblemKind.carriage_return: ("a carriage return inside the line", "end lines with LF or CR LF"),
    ProblemKind.mixed_line_ends: (
        "the line ends in {0}, its sentence began with {1}",
        "use one kind of line end in a sentence",
    ),
    ProblemKind.comment_inside: (
        "a comment inside the sentence",
        "put comments before the first word; does a new sentence begin here? Then put an empty line before it",
    ),
    ProblemKind.comment_without_sentence: (
        "a comment without a sentence",
        "delete the empty line between it and its sentence, or the comment",
    ),
    ProblemKind.no_words: ("a sentence without words", "ranges and empty nodes need words beside them"),
    ProblemKind.line_too_long: ("a line of {0} bytes, the most is {1}", "is this a treebank?"),
    ProblemKind.sentence_too_long: (
        "a sentence of more than {0} bytes, with the empty lines behind it",
        "is this a treebank?",
    ),
}


#: What a file is that is no treebank (`formats.foreign_content`). {0} is the detail, {1} a command that converts it.
FOREIGN: dict[str, tuple[str, str]] = {
    "wide_characters": ("the file is {0}, not UTF-8", "convert it: {1}"),
    "model_file": (
        "this is a model, not a treebank",
        "are the two swapped? A command that needs both takes the model first: crossarc parse MODEL FILE",
    ),
    "markup": ("this is {0}, not CoNLL-U", "export the trees as CoNLL-U, or use Treebank.from_dicts in Python"),
    "plain_text": (
        "this is text, not CoNLL-U",
        "split it into sentences and words, one word per line with its 10 columns and an empty line after each "
        "sentence; in Python Treebank.from_words does that with lists of words",
    ),
}

_ABOUT_HEADS = frozenset(
    {"head_not_a_number", "head_out_of_range", "head_self", "cycle", "no_root", "several_roots", "head_missing"}
)
_ABOUT_IDS = frozenset(
    {"id_not_a_number", "id_not_consecutive", "id_duplicate"}
    | {"range_bad", "range_overlaps", "range_misplaced", "range_beyond_end", "empty_node_misplaced"}
)
#: Mistakes made throughout a file: what is wrong, what to do, and which problems follow.
CAUSES: dict[str, tuple[str, str, frozenset[str]]] = {
    "heads_too_high": (
        "all heads look one too high: with 1 subtracted they are trees",
        "subtract 1 from every head; words count from 1, and 0 is the root",
        _ABOUT_HEADS,
    ),
    "heads_too_low": (
        "all heads look one too low: with 1 added they are trees",
        "add 1 to every head; words count from 1, and 0 is the root",
        _ABOUT_HEADS,
    ),
    "ids_from_zero": (
        "the words are numbered from 0",
        "number them from 1, and let heads name these numbers; 0 is the root",
        _ABOUT_IDS | _ABOUT_HEADS,
    ),
    "no_empty_lines": (
        "there are no empty lines between the sentences",
        "put an empty line after each sentence",
        _ABOUT_IDS | _ABOUT_HEADS | {"comment_inside"},
    ),
}
#: So few words may fit a pattern by chance.
_FEWEST_WORDS = 4
_NEARLY_ALL = 0.95
_WORD = re.compile(rb"^(\d+)\t(?:[^\t\n]*\t){5}(-?\d{1,8})\t", re.M)

#: The first byte of a surrogate that was written as if it were a character.
_SURROGATE = "ED"
#: Problems whose details the kernel has put into words already.
_OWN_TEXT = frozenset({ProblemKind.cycle, ProblemKind.several_roots})


def make_problem(
    file: str,
    found: tuple[ProblemKind, int, int, str, tuple[str, ...]],
    *,
    lines: bool = True,
) -> Problem:
    """Put a problem that the kernel found into words; without lines, its place is a word of the sentence."""
    kind, place, sentence, sentence_id, details = found
    what, remedy = MESSAGES[kind]
    if kind is ProblemKind.bad_utf8 and details[1] == _SURROGATE:
        what = "not UTF-8: half a surrogate pair in {0}"
    message = what.format(*(details if kind in _OWN_TEXT else map(shown, details)))
    line, word = (place, 0) if lines else (0, place)
    return Problem(file, line, sentence, sentence_id, kind.name, details, message, remedy, word)


def check_unfinished(name: str, length: int, line: int, sentence: int) -> None:
    """Refuse a file in which a sentence does not end for too long, before it fills memory: it is no treebank."""
    if length > LONGEST_SENTENCE:
        found = (ProblemKind.sentence_too_long, line, sentence, "", (f"{LONGEST_SENTENCE:,}",))
        raise TreebankError([make_problem(name, found)])


def foreign_problem(file: str, found: tuple[str, str]) -> Problem:
    """Put what a file is that is no treebank into words."""
    name, detail = found
    what, remedy = FOREIGN[name]
    message, advice = (text.format(detail, _conversion(file, detail)) for text in (what, remedy))
    return Problem(file, 0, 0, "", name, (detail,) if detail else (), message, advice)


def _conversion(file: str, encoding: str) -> str:
    """Return a command that converts a file to UTF-8."""
    command = f"iconv -f {encoding} -t UTF-8"
    if file.startswith("<"):
        return command
    path = Path(file)
    unpack = {".gz": "gzip", ".xz": "xz"}.get(path.suffix)
    target = path.with_suffix("") if unpack else path
    new = shlex.quote(str(target.with_name(f"{target.stem}.utf8{target.suffix}")))
    old = shlex.quote(file)
    return f"{unpack} -dc {old} | {command} > {new}" if unpack else f"{command} {old} > {new}"


def find_causes(file: str, text: bytes) -> list[Cause]:
    """Return the mistakes made throughout a file, given its beginning."""
    blocks = re.split(rb"\n\s*\n", text[:BYTES_LOOKED_AT].rstrip())
    whole = blocks if len(text) <= BYTES_LOOKED_AT else blocks[:-1] or blocks  # the last may be cut short
    sentences = [[(int(id), int(head)) for id, head in _WORD.findall(block)] for block in whole]
    sentences = [words for words in sentences if words]
    if sum(map(len, sentences)) < _FEWEST_WORDS:
        return []
    name = _pattern(sentences)
    if name is None:
        return []
    what, remedy, explains = CAUSES[name]
    return [Cause(file, 0, 0, "", name, (), what, remedy, explains=explains)]


def _pattern(sentences: list[list[tuple[int, int]]]) -> str | None:
    enough = _NEARLY_ALL * len(sentences)
    if len(sentences) == 1 and [id for id, _ in sentences[0]].count(1) > 2:
        return "no_empty_lines"
    if sum([id for id, _ in words] == list(range(len(words))) for words in sentences) >= enough:
        return "ids_from_zero"
    if _trees(sentences, 0) > len(sentences) - enough:
        return None
    for name, shift in (("heads_too_high", -1), ("heads_too_low", 1)):
        if _trees(sentences, shift) >= enough:
            return name
    return None


def _trees(sentences: list[list[tuple[int, int]]], shift: int) -> int:
    """Count the sentences whose heads are a tree with one root after a number is added to all."""
    count = 0
    for words in sentences:
        heads = np.array([head + shift for _, head in words], np.int32)
        count += np.count_nonzero(heads == 0) == 1 and not _kernel.find_tree_fault(heads, offsets_of([len(heads)]))
    return count


def reference_page() -> str:
    """Return the documentation of all problems, as Markdown; `docs/reference/problems.md` is this text."""
    messages = [(kind.name, *texts) for kind, texts in MESSAGES.items()]
    messages += [(name, *texts) for name, texts in FOREIGN.items()]
    rows = [f"| `{name}` | {what} | {remedy} |" for name, what, remedy in messages]
    causes = [f"| `{name}` | {what} | {remedy} |" for name, (what, remedy, _) in CAUSES.items()]
    return "\n".join(
        [
            "# Problems in files, and what to do",
            "",
            "`crossarc check` prints one line for each: `file:line: what is wrong (sentence ID): what to do`. More",
            "than five of the same kind in a file are one line, with the first place and their number; `--all` lists",
            "each. With `--json`, which also lists each, the name in the first column is the key `problem`. {0}, {1} …",
            "stand for what was found.",
            "",
            "| name | what is wrong | what to do |",
            "|---|---|---|",
            *(row.replace("joined by |", "joined by \\|") for row in rows),
            "",
            "Mistakes made throughout a file stand in place of the problems that follow from them (with `--json` under",
            "`causes`):",
            "",
            "| name | what is wrong | what to do |",
            "|---|---|---|",
            *causes,
            "",
        ]
    )
