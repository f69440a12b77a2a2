"""Malformed files: each with the exact lines that a user reads."""

from __future__ import annotations

import gzip
import io
import pickle
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

import crossarc as xa
from crossarc import _kernel
from crossarc.treebank import from_bytes
from crossarc.treebank.problems import CAUSES, FOREIGN, MESSAGES, find_causes

pytestmark = pytest.mark.kernel


def w(
    id: int | str,
    head: int | str,
    form: str = "a",
    deps: str = "_",
    upos: str = "_",
    deprel: str = "_",
) -> str:
    """A word line."""
    return f"{id}\t{form}\t_\t{upos}\t_\t_\t{head}\t{deprel}\t{deps}\t_\n"


GOOD = w(1, 0) + w(2, 1)


@dataclass(frozen=True)
class Case:
    name: str
    text: str | bytes
    expected: list[str]
    format: str = "conllu"
    root: str | None = None

    @property
    def file(self) -> bytes:
        return self.text.encode() if isinstance(self.text, str) else self.text


CASES = [
    Case(
        "nine columns",
        "1\ta\t_\t_\t_\t_\t0\t_\t_\n\n",
        ["1: expected 10 columns, found 9 (sentence 1): separate the 10 columns with single tabs"],
    ),
    Case(
        "eleven columns",
        "# sent_id = s1\n1\ta\t_\t_\t_\t_\t0\t_\t_\t_\t_\n\n",
        ["2: expected 10 columns, found 11 (sentence s1): separate the 10 columns with single tabs"],
    ),
    Case(
        "one column",
        w(1, 0) + "word\n" + w(2, 1) + "\n",
        ["2: expected 10 columns, found 1 (sentence 1): separate the 10 columns with single tabs"],
    ),
    Case(
        "columns separated by spaces",
        "1 a _ _ _ _ 0 _ _ _\n\n",
        ["1: the columns are separated by spaces (sentence 1): separate the 10 columns with single tabs"],
    ),
    Case(
        "doubled tab",
        "1\ta\t\t_\t_\t_\t0\t_\t_\t_\n\n",
        ['1: column LEMMA is empty (sentence 1): write "_" for an absent value'],
    ),
    Case(
        "empty form",
        "1\t\t_\t_\t_\t_\t0\t_\t_\t_\n\n",
        ['1: the form is empty (sentence 1): write the word, or "_" if it is unknown'],
    ),
    Case(
        "empty misc",
        "1\ta\t_\t_\t_\t_\t0\t_\t_\t\n\n",
        ['1: column MISC is empty (sentence 1): write "_" for an absent value'],
    ),
    Case(
        "two empty columns",
        "1\ta\t_\t\t\t_\t0\t_\t_\t_\n\n",
        [
            '1: column UPOS is empty (sentence 1): write "_" for an absent value',
            '1: column XPOS is empty (sentence 1): write "_" for an absent value',
        ],
    ),
    Case(
        "space in a tag",
        w(1, 0, upos="NO UN") + "\n",
        ['1: column UPOS holds a space: "NO UN" (sentence 1): only FORM, LEMMA and MISC may hold spaces'],
    ),
    Case(
        "space in a relation of CoNLL-X",
        w(1, 0, deprel="a b") + "\n",
        ['1: column DEPREL holds a space: "a b" (sentence 1): only FORM, LEMMA and MISC may hold spaces'],
        format="conllx",
    ),
    Case(
        "form that ends with a space",
        w(1, 0, form="a ") + "\n",
        ['1: column FORM begins or ends with a space: "a " (sentence 1): delete that space'],
    ),
    Case(
        "line of white space",
        w(1, 0) + " \t \n" + "\n",
        ["2: a line of nothing but white space (sentence 1): make it empty if it ends a sentence, or delete it"],
    ),
    Case(
        "id that is a word",
        w("one", 0) + "\n",
        [
            '1: the id "one" is not a number (sentence 1): number words 1, 2, 3 …; ranges 1-2 and empty nodes 1.1 exist in CoNLL-U only'
        ],
    ),
    Case(
        "id zero",
        w(0, 0) + "\n",
        [
            '1: the id "0" is not a number (sentence 1): number words 1, 2, 3 …; ranges 1-2 and empty nodes 1.1 exist in CoNLL-U only'
        ],
    ),
    Case(
        "id with a leading zero",
        w("01", 0) + "\n",
        [
            '1: the id "01" is not a number (sentence 1): number words 1, 2, 3 …; ranges 1-2 and empty nodes 1.1 exist in CoNLL-U only'
        ],
    ),
    Case(
        "id too long",
        w("12345678901", 0) + "\n",
        [
            '1: the id "12345678901" is not a number (sentence 1): number words 1, 2, 3 …; ranges 1-2 and empty nodes 1.1 exist in CoNLL-U only'
        ],
    ),
    Case(
        "negative id",
        w("-1", 0) + "\n",
        [
            '1: the id "-1" is not a number (sentence 1): number words 1, 2, 3 …; ranges 1-2 and empty nodes 1.1 exist in CoNLL-U only'
        ],
    ),
    Case(
        "gap in the ids",
        w(1, 0) + w(3, 1) + w(4, 1) + "\n",
        ["2: id 3 where 2 was expected (sentence 1): number the words without gaps; is a line missing?"],
    ),
    Case(
        "ids that begin with 2",
        w(2, 0) + "\n",
        ["1: id 2 where 1 was expected (sentence 1): number the words without gaps; is a line missing?"],
    ),
    Case(
        "id twice",
        w(1, 0) + w(1, 1) + w(2, 1) + "\n",
        [
            "2: id 1 a second time, 2 was expected (sentence 1): give every word its own number; does a new sentence begin here? Then put an empty line before it"
        ],
    ),
    Case(
        "an empty line missing",
        GOOD + GOOD + w(3, 1) + "\n",
        [
            "3: id 1 a second time, 3 was expected (sentence 1): give every word its own number; does a new sentence begin here? Then put an empty line before it"
        ],
    ),
    Case(
        "white space where an empty line should be",
        GOOD + " \n" + GOOD + "\n" + w(1, 2) + "\n",
        [
            "3: a line of nothing but white space (sentence 1): make it empty if it ends a sentence, or delete it",
            "7: the head of word 1 is 2, the last word is 1 (sentence 3): write the number of a word that exists",
        ],
    ),
    Case(
        "range in CoNLL-X",
        w("1-2", "_") + GOOD + "\n",
        [
            '1: the id "1-2" is not a number (sentence 1): number words 1, 2, 3 …; ranges 1-2 and empty nodes 1.1 exist in CoNLL-U only'
        ],
        format="conllx",
    ),
    Case(
        "range that ends before it begins",
        w("2-1", "_") + GOOD + "\n",
        ['1: the range "2-1" is not a range (sentence 1): write first-last with 1 ≤ first ≤ last'],
    ),
    Case(
        "range from zero",
        w("0-1", "_") + GOOD + "\n",
        ['1: the range "0-1" is not a range (sentence 1): write first-last with 1 ≤ first ≤ last'],
    ),
    Case(
        "range that is not numbers",
        w("1-b", "_") + GOOD + "\n",
        [
            '1: the id "1-b" is not a number (sentence 1): number words 1, 2, 3 …; ranges 1-2 and empty nodes 1.1 exist in CoNLL-U only'
        ],
    ),
    Case(
        "overlapping ranges",
        w("1-2", "_") + w(1, 0) + w("2-3", "_") + w(2, 1) + w(3, 1) + "\n",
        ['3: the range "2-3" overlaps "1-2" (sentence 1): every word belongs to at most one multiword token'],
    ),
    Case(
        "range twice",
        w("1-2", "_") + w("1-2", "_") + GOOD + "\n",
        ['2: the range "1-2" overlaps "1-2" (sentence 1): every word belongs to at most one multiword token'],
    ),
    Case(
        "range after its first word",
        w(1, 0) + w("1-2", "_") + w(2, 1) + "\n",
        ['2: the range "1-2" stands before word 2 (sentence 1): put it right before its first word'],
    ),
    Case(
        "range beyond the end",
        w(1, 0) + w("2-5", "_") + w(2, 1) + "\n",
        ['2: the range "2-5" goes beyond the last word, 2 (sentence 1): end it at a word of the sentence'],
    ),
    Case(
        "range with a head",
        w("1-2", "0") + GOOD + "\n",
        ['1: "1-2" has the head "0" (sentence 1): ranges and empty nodes have "_" as HEAD; their arcs go to DEPS'],
    ),
    Case(
        "empty node in the wrong place",
        w(1, 0) + w("2.1", "_") + w(2, 1) + "\n",
        [
            '2: the empty node "2.1" where 1.1 was expected (sentence 1): put it right after its word and number the empty nodes there .1, .2 …'
        ],
    ),
    Case(
        "empty node that begins with .2",
        w(1, 0) + w("1.2", "_") + w(2, 1) + "\n",
        [
            '2: the empty node "1.2" where 1.1 was expected (sentence 1): put it right after its word and number the empty nodes there .1, .2 …'
        ],
    ),
    Case(
        "empty node between a range and its word",
        w("1-2", "_") + w("0.1", "_") + GOOD + "\n",
        [
            '2: the empty node "0.1" where word 1 was expected (sentence 1): put it right after its word and number the empty nodes there .1, .2 …'
        ],
    ),
    Case(
        "empty node that is not a number",
        w(1, 0) + w("1.x", "_") + "\n",
        [
            '2: the id "1.x" is not a number (sentence 1): number words 1, 2, 3 …; ranges 1-2 and empty nodes 1.1 exist in CoNLL-U only'
        ],
    ),
    Case(
        "empty node with a head",
        w(1, 0) + w("1.1", "1") + "\n",
        ['2: "1.1" has the head "1" (sentence 1): ranges and empty nodes have "_" as HEAD; their arcs go to DEPS'],
    ),
    Case(
        "head that is a word",
        w(1, "root") + "\n",
        [
            '1: the head of word 1 is "root", not a number (sentence 1): write a word\'s number, 0 for the root, or "_" for every word of the sentence'
        ],
    ),
    Case(
        "negative head",
        w(1, "-1") + "\n",
        [
            '1: the head of word 1 is "-1", not a number (sentence 1): write a word\'s number, 0 for the root, or "_" for every word of the sentence'
        ],
    ),
    Case(
        "head with a leading zero",
        w(1, 0) + w(2, "01") + "\n",
        [
            '2: the head of word 2 is "01", not a number (sentence 1): write a word\'s number, 0 for the root, or "_" for every word of the sentence'
        ],
    ),
    Case(
        "head out of range",
        w(1, 0) + w(2, 7) + "\n",
        ["2: the head of word 2 is 7, the last word is 2 (sentence 1): write the number of a word that exists"],
    ),
    Case(
        "own head",
        w(1, 0) + w(2, 2, form="self") + "\n",
        ['2: word 2 "self" is its own head (sentence 1): attach it to another word, or to 0'],
    ),
    Case(
        "head missing",
        w(1, 0) + w(2, "_") + "\n",
        [
            '2: word 2 has no head though others of its sentence have (sentence 1): give it one, or write "_" as the head of every word of the sentence'
        ],
    ),
    Case(
        "cycle of two",
        "# sent_id = round\n" + w(1, 0) + w(2, 3, form="chicken") + w(3, 2, form="egg") + "\n",
        [
            "3: the heads form a cycle: 2 chicken ← 3 egg ← 2 (sentence round): attach one of these words outside the cycle"
        ],
    ),
    Case(
        "two cycles",
        w(1, 0) + w(2, 3) + w(3, 2) + w(4, 5) + w(5, 4) + "\n",
        [
            "2: the heads form a cycle: 2 a ← 3 a ← 2 (sentence 1): attach one of these words outside the cycle",
            "4: the heads form a cycle: 4 a ← 5 a ← 4 (sentence 1): attach one of these words outside the cycle",
        ],
    ),
    Case(
        "no root",
        w(1, 2) + w(2, 1) + "\n",
        [
            "1: no word is the root (sentence 1): give one word the head 0",
            "1: the heads form a cycle: 1 a ← 2 a ← 1 (sentence 1): attach one of these words outside the cycle",
        ],
    ),
    Case(
        "several roots",
        GOOD + "\n" + w(1, 0) + w(2, 0) + w(3, 0) + "\n",
        [
            '5: several roots: 1, 2, 3 (sentence 2): attach all but one to a word, or allow several with root="any" (--root any)'
        ],
        root="single",
    ),
    Case(
        "several roots where one is asked for in CoNLL-X",
        w(1, 0) + w(2, 0) + "\n",
        [
            '2: several roots: 1, 2 (sentence 1): attach all but one to a word, or allow several with root="any" (--root any)'
        ],
        format="conllx",
        root="single",
    ),
    Case(
        "DEPS without a relation",
        w(1, 0, deps="0") + "\n",
        ['1: DEPS of word 1 is "0" (sentence 1): write head:relation pairs joined by |'],
    ),
    Case(
        "DEPS with an empty item",
        w(1, 0, deps="0:root|") + "\n",
        ['1: DEPS of word 1 is "0:root|" (sentence 1): write head:relation pairs joined by |'],
    ),
    Case(
        "DEPS out of range",
        w(1, 0, deps="0:root|9:dep") + "\n",
        ['1: DEPS of word 1 is "0:root|9:dep", the last word is 1 (sentence 1): name words that exist'],
    ),
    Case(
        "PHEAD that is not a number",
        w(1, 0, deps="x") + "\n",
        ['1: PHEAD of word 1 is "x", not a number (sentence 1): write a number or "_"'],
        format="conllx",
    ),
    Case(
        "latin 1",
        b"1\tsm\xf8r\t_\t_\t_\t_\t0\t_\t_\t_\n\n",
        ["1: not UTF-8: byte F8 in FORM (sentence 1): convert the file to UTF-8"],
    ),
    Case(
        "overlong UTF-8",
        b"1\t\xc0\xaf\t_\t_\t_\t_\t0\t_\t_\t_\n\n",
        ["1: not UTF-8: byte C0 in FORM (sentence 1): convert the file to UTF-8"],
    ),
    Case(
        "surrogate in UTF-8",
        b"# \xed\xa0\x80\n1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n\n",
        ["1: not UTF-8: half a surrogate pair in a comment (sentence 1): convert the file to UTF-8"],
    ),
    Case(
        "UTF-8 cut short",
        b"1\ta\t_\t_\t_\t_\t0\t_\t_\t\xe2\x82\n\n",
        ["1: not UTF-8: byte E2 in MISC (sentence 1): convert the file to UTF-8"],
    ),
    Case(
        "NUL byte",
        b"1\ta\0b\t_\t_\t_\t_\t0\t_\t_\t_\n\n",
        ["1: a NUL byte (sentence 1): is this a text file in UTF-8? Delete the byte or convert the file"],
    ),
    Case(
        "carriage return alone",
        "1\ta\t_\t_\t_\t_\t0\t_\t_\t_\r1\ta\t_\t_\t_\t_\t0\t_\t_\t_\r",
        ["1: a carriage return inside the line (sentence 1): end lines with LF or CR LF"],
    ),
    Case(
        "mixed line ends",
        w(1, 0) + w(2, 1).replace("\n", "\r\n") + "\n",
        ["2: the line ends in CR LF, its sentence began with LF (sentence 1): use one kind of line end in a sentence"],
    ),
    Case(
        "comment inside a sentence",
        w(1, 0) + "# late\n" + w(2, 1) + "\n",
        [
            "2: a comment inside the sentence (sentence 1): put comments before the first word; does a new sentence begin here? Then put an empty line before it"
        ],
    ),
    Case(
        "comment and empty line",
        "# newdoc\n\n" + GOOD + "\n",
        [
            "1: a comment without a sentence (sentence 1): delete the empty line between it and its sentence, or the comment"
        ],
    ),
    Case(
        "comment at the end",
        GOOD + "\n# the end\n",
        [
            "4: a comment without a sentence (sentence 2): delete the empty line between it and its sentence, or the comment"
        ],
    ),
    Case(
        "range without words",
        w("1-2", "_") + "\n",
        ["1: a sentence without words (sentence 1): ranges and empty nodes need words beside them"],
    ),
    Case(
        "line of 10 MB",
        "1\t" + "a" * 10_000_000 + "\t_\t_\t_\t_\t0\t_\t_\t_\n\n",
        ["1: a line of 10000018 bytes, the most is 1048576 (sentence 1): is this a treebank?"],
    ),
    Case(
        "long value is shortened",
        w(1, "x" * 500) + "\n",
        [
            '1: the head of word 1 is "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…", not a number (sentence 1): write a word\'s number, 0 for the root, or "_" for every word of the sentence'
        ],
    ),
    Case(
        "invisible characters are shown",
        w(1, "\x01\x02") + "\n",
        [
            '1: the head of word 1 is "\\u0001\\u0002", not a number (sentence 1): write a word\'s number, 0 for the root, or "_" for every word of the sentence'
        ],
    ),
    Case(
        "problems of several sentences in order",
        w(1, 0) + w(3, 1) + "\n" + GOOD + "\n" + w(1, 9) + "\n",
        [
            "2: id 3 where 2 was expected (sentence 1): number the words without gaps; is a line missing?",
            "7: the head of word 1 is 9, the last word is 1 (sentence 3): write the number of a word that exists",
        ],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_message_and_line(case: Case) -> None:
    with pytest.raises(xa.TreebankError) as caught:
        from_bytes(case.file, "f", format=case.format, root=case.root)
    assert [str(problem) for problem in caught.value.problems] == [f"f:{line}" for line in case.expected]


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 40


def test_every_problem_of_the_kernel_has_a_message_and_a_case() -> None:
    assert set(_kernel.ProblemKind) == set(MESSAGES)
    seen = set()
    for case in CASES:
        with pytest.raises(xa.TreebankError) as caught:
            from_bytes(case.file, "f", format=case.format, root=case.root)
        seen |= {problem.name for problem in caught.value.problems}
    assert seen | {"sentence_too_long"} == {kind.name for kind in MESSAGES}


@pytest.mark.parametrize("what", [b"\n", b"x", b"# c\n"], ids=["empty lines", "one line", "comments"])
def test_a_sentence_that_does_not_end_is_not_collected(what: bytes) -> None:
    """The file is endless: reading stops all the same, and says where the sentence began."""

    class Endless(io.BytesIO):
        first = (GOOD + "\n").encode()

        def read(self, size: int | None = -1) -> bytes:
            first, self.first = self.first, b""
            return first or what * ((size or 0) // len(what))

    for read in (xa.read, lambda file: list(xa.stream(file))):
        with pytest.raises(xa.TreebankError) as caught:
            read(Endless())
        [problem] = caught.value.problems
        assert problem.name == "sentence_too_long"
        start = 1 if what == b"\n" else 1 + (GOOD + "\n").count("\n")
        assert (problem.line, problem.sentence) == (start, 1 if what == b"\n" else 2)
        assert "a sentence of more than 67,108,864 bytes" in str(problem)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_streaming_finds_the_same_problems(case: Case) -> None:
    with pytest.raises(xa.TreebankError) as caught:
        list(xa.stream(io.BytesIO(case.file), format=case.format, root=case.root))
    found = [str(problem) for problem in caught.value.problems]
    assert found  # a stream ends at the first block that has a problem
    assert found == [f"<file>:{line}" for line in case.expected][: len(found)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(GOOD + "\n\n" + GOOD + "\n", id="double empty line"),
        pytest.param(GOOD, id="no empty line at the end"),
        pytest.param(GOOD[:-1], id="no line end at the end"),
        pytest.param(w(1, "_") + w(2, "_") + "\n", id="no heads"),
        pytest.param(w(1, 0, form="a b") + "\n", id="space in a form"),
        pytest.param(w("0.1", "_") + GOOD + w("2.1", "_") + w("2.2", "_") + "\n", id="empty nodes at both ends"),
        pytest.param(w("1-1", "_") + GOOD + "\n", id="range of one word"),
        pytest.param("#\n#x\n# sent_id=1\n" + GOOD + "\n", id="comments of any shape"),
        pytest.param("# " + "a" * 1_000_000 + "\n" + GOOD + "\n", id="comment of a megabyte"),
    ],
)
def test_unusual_but_well_formed(text: str) -> None:
    assert from_bytes(text.encode(), format="conllu").to_text() == text


def test_lines_count_on_from_block_to_block() -> None:
    """A problem far into a streamed file has its line in the file, not in the block."""
    text = (GOOD + "\n") * 200_000 + w(1, 5) + "\n"
    with pytest.raises(xa.TreebankError) as caught:
        for _ in xa.stream(io.BytesIO(text.encode()), sentences=1000):
            pass
    assert caught.value.problems[0].line == 600_001
    assert caught.value.problems[0].sentence == 200_001


SENTENCES = [[2, 0, 2], [0, 1, 1, 3], [2, 4, 4, 0, 4]]


def sentences(shift: int = 0, ids_from: int = 1, separator: str = "\n") -> str:
    """Some trees, with a number added to all heads."""
    return separator.join("".join(w(id, head + shift) for id, head in enumerate(own, ids_from)) for own in SENTENCES)


@dataclass(frozen=True)
class WholeFile:
    """A file that is wrong as a whole, with the one line that says so."""

    name: str
    text: bytes
    expected: str


TEXT = "this is text, not CoNLL-U: parse it first: crossarc parse en 'my file.conllu' -o parsed.conllu, where crossarc models lists other models than en; in Python Treebank.from_words takes lists of words"
JSON = "this is JSON, not CoNLL-U: export the trees as CoNLL-U, or use Treebank.from_dicts in Python"
SUBTRACT = "all heads look one too high: with 1 subtracted they are trees: subtract 1 from every head; words count from 1, and 0 is the root"
ADD = "all heads look one too low: with 1 added they are trees: add 1 to every head; words count from 1, and 0 is the root"
LISTED = "problems: `crossarc check --all` lists them)"
WHOLE_FILES = [
    WholeFile("prose", b"It was the best of times,\nit was the worst of times.\n", TEXT),
    WholeFile("a heading and prose", b"# Title\n\nOne line of text, no more.\n", TEXT),
    WholeFile("JSON", b'{"form": "a", "head": 0}\n', JSON),
    WholeFile("JSON with tabs", b'[\n\t{\n\t\t"form": "a"\n\t}\n]\n', JSON),
    WholeFile(
        "HTML",
        b"<html>\n<p>a\n</html>\n",
        "this is XML or HTML, not CoNLL-U: export the trees as CoNLL-U, or use Treebank.from_dicts in Python",
    ),
    WholeFile(
        "a model",
        (100).to_bytes(8, "little") + b'{"__metadata__":{"crossarc":"{}"}}',
        "this is a model, not a treebank: are the two swapped? A command that needs both takes the model first: crossarc parse MODEL FILE",
    ),
    *(
        WholeFile(
            f"{encoding}{' with a mark' if mark else ''}",
            (mark + sentences()).encode(encoding),
            f"the file is {name}, not UTF-8: convert it: iconv -f {name} -t UTF-8 'my file.conllu' > 'my file.utf8.conllu'",
        )
        for encoding, mark, name in [
            ("utf-16-le", "\ufeff", "UTF-16"),
            ("utf-16-be", "\ufeff", "UTF-16"),
            ("utf-16-le", "", "UTF-16LE"),
            ("utf-16-be", "", "UTF-16BE"),
            ("utf-32-le", "\ufeff", "UTF-32"),
            ("utf-32-le", "", "UTF-32LE"),
            ("utf-32-be", "", "UTF-32BE"),
        ]
    ),
    WholeFile("heads one too high", sentences(1).encode(), f"{SUBTRACT} (5 {LISTED}"),
    WholeFile("heads one too low", sentences(-1).encode(), f"{ADD} (6 {LISTED}"),
    WholeFile(
        "words from 0",
        sentences(-1, 0).encode(),
        f"the words are numbered from 0: number them from 1, and let heads name these numbers; 0 is the root (5 {LISTED}",
    ),
    WholeFile(
        "no empty lines",
        sentences(separator="# late\n").encode(),
        f"there are no empty lines between the sentences: put an empty line after each sentence (4 {LISTED}",
    ),
]


@pytest.mark.parametrize("case", WHOLE_FILES, ids=lambda case: case.name)
def test_what_is_wrong_with_a_file_as_a_whole_is_one_line(case: WholeFile) -> None:
    with pytest.raises(xa.TreebankError) as caught:
        from_bytes(case.text, "my file.conllu")
    assert str(caught.value) == f"my file.conllu: {case.expected}"
    with pytest.raises(xa.TreebankError) as streamed:
        list(xa.stream(io.BytesIO(case.text)))
    # A stream has no file to convert, and ends at the first block that has a problem.
    expected = case.expected.partition(" 'my file")[0].rpartition(" (")
    assert str(streamed.value).startswith(f"<file>: {expected[0] or expected[2]}")
    assert len(str(streamed.value).splitlines()) == 1


def test_a_text_without_empty_lines_is_told_at_its_beginning() -> None:
    """A stream looks for the end of a sentence; a book has none, and need not be read to its end."""
    book = io.BytesIO(b"It was the best of times, it was the worst of times.\n" * 200_000)
    with pytest.raises(xa.TreebankError, match=r"^<file>: this is text, not CoNLL-U: "):
        next(iter(xa.stream(book)))
    assert book.tell() < len(book.getvalue())


def test_every_cause_and_every_kind_of_foreign_file_has_a_case() -> None:
    seen = set()
    for case in WHOLE_FILES:
        with pytest.raises(xa.TreebankError) as caught:
            from_bytes(case.text, "f")
        seen |= {problem.name for problem in caught.value.causes or caught.value.problems}
    assert seen == {*FOREIGN, *CAUSES}


def test_a_compressed_file_is_unpacked_before_it_is_converted(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(sentences().encode("utf-16")))
    with pytest.raises(xa.TreebankError) as caught:
        xa.read(path)
    assert str(caught.value).endswith(f"gzip -dc {path} | iconv -f UTF-16 -t UTF-8 > {tmp_path}/a.utf8.conllu")


def test_the_command_that_is_given_converts_the_file(tmp_path: Path) -> None:
    path = tmp_path / "it's.conllu"
    for encoding in ("utf-16", "utf-16-be"):
        path.write_bytes(sentences().encode(encoding))
        with pytest.raises(xa.TreebankError) as caught:
            xa.read(path)
        subprocess.run(caught.value.problems[0].remedy.removeprefix("convert it: "), shell=True, check=True)
        assert xa.read(tmp_path / "it's.utf8.conllu").to_text() == sentences()


def test_problems_that_a_cause_does_not_explain_stay() -> None:
    with pytest.raises(xa.TreebankError) as caught:
        from_bytes((sentences(1) + "\n1\ta\n").encode(), "f")
    assert str(caught.value).splitlines() == [
        f"f: {SUBTRACT} (5 {LISTED}",
        "f:16: expected 10 columns, found 2 (sentence 4): separate the 10 columns with single tabs",
    ]
    assert len(caught.value.problems) == 6


@pytest.mark.parametrize("text", [sentences(), (w(1, 2) + w(2, 0) + "\n") * 4 + (w(1, 1) + "\n")])
def test_no_cause_is_seen_in_files_that_are_mostly_well(text: str) -> None:
    assert find_causes("f", text.encode()) == []


def test_many_problems_of_a_kind_are_one_line() -> None:
    text = (w(1, 5) + "\n") * 30 + "# a\n\n"
    with pytest.raises(xa.TreebankError) as caught:
        from_bytes(text.encode(), "f")
    assert str(caught.value).splitlines() == [
        "f:1: the head of word 1 is 5, the last word is 1 (sentence 1): write the number of a word that exists "
        "(and 29 more like this: lines 3, 5, 7 …)",
        "f:61: a comment without a sentence (sentence 31): delete the empty line between it and its sentence, or the comment",
    ]
    assert len(caught.value.problems) == caught.value.count == 31


def test_five_problems_of_a_kind_are_five_lines() -> None:
    with pytest.raises(xa.TreebankError) as caught:
        from_bytes(((w(1, 5) + "\n") * 5).encode(), "f")
    assert str(caught.value).splitlines() == [str(problem) for problem in caught.value.problems]
    assert len(caught.value.problems) == 5


def test_problems_of_words_name_their_sentences() -> None:
    with pytest.raises(xa.TreebankError, match=r"\(and 6 more like this: sentences 2, 3, 4 …\)$"):
        xa.Treebank.from_words([[""]] * 7)


def test_an_error_is_the_same_in_another_process() -> None:
    with pytest.raises(xa.TreebankError) as caught:
        from_bytes(sentences(1).encode(), "f")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert (again.problems, again.count, again.causes) == (
        caught.value.problems,
        caught.value.count,
        caught.value.causes,
    )


def test_no_control_character_reaches_a_message() -> None:
    text = "# sent_id = \x1b[31m\n" + w(1, 0) + w(2, 3, form="\x1b[2J\x9b") + w(3, 2) + "\n" + w(1, "\x1b\x7f") + "\n"
    with pytest.raises(xa.TreebankError) as caught:
        from_bytes(text.encode(), "a\x1b]0;b\x07")
    assert len(caught.value.problems) == 2
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", str(caught.value))


def test_a_hundred_thousand_problems_are_kept_and_all_are_counted() -> None:
    with pytest.raises(xa.TreebankError) as caught:
        from_bytes(b"x\n\n" * 150_000, "f", threads=1)
    assert len(caught.value.problems) == 100_000
    assert caught.value.count == 150_000


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


def test_the_reference_page_lists_them_all() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "reference" / "problems.md"
    assert page.read_text() == reference_page(), "write reference_page() into it"
