"""The problems of treebank files: for each, what is wrong and what to do.

The kernel finds the problems and says which they are (`kernel/treebank/table.hpp`); this module turns each into one
line, ``file:line: what is wrong (sentence ID): what to do``.
"""

from __future__ import annotations

from .._kernel import LONGEST_SENTENCE, ProblemKind
from ..errors import Problem, TreebankError, shown

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
    ProblemKind.id_duplicate: ("id {0} a second time, {1} was expected", "give every word its own number"),
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
    ProblemKind.comment_inside: ("a comment inside the sentence", "put comments before the first word"),
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
    message = what.format(*(details if kind in _OWN_TEXT else map(shown, details)))
    line, word = (place, 0) if lines else (0, place)
    return Problem(file, line, sentence, sentence_id, kind.name, details, message, remedy, word)


def check_unfinished(name: str, length: int, line: int, sentence: int) -> None:
    """Refuse a file in which a sentence does not end for too long, before it fills memory: it is no treebank."""
    if length > LONGEST_SENTENCE:
        found = (ProblemKind.sentence_too_long, line, sentence, "", (f"{LONGEST_SENTENCE:,}",))
        raise TreebankError([make_problem(name, found)])


def reference_page() -> str:
    """Return the documentation of all problems, as Markdown; `docs/reference/problems.md` is this text."""
    rows = [f"| `{kind.name}` | {what} | {remedy} |" for kind, (what, remedy) in MESSAGES.items()]
    return "\n".join(
        [
            "# Problems in files, and what to do",
            "",
            "`crossarc check` prints one line for each: `file:line: what is wrong (sentence ID): what to do`. With",
            "`--json` the name in the first column is the key `problem`. {0}, {1} … stand for what was found.",
            "",
            "| name | what is wrong | what to do |",
            "|---|---|---|",
            *(row.replace("joined by |", "joined by \\|") for row in rows),
            "",
        ]
    )
