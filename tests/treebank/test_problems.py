"""Malformed files: each with the exact lines that a user reads."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import pytest

import crossarc as xa
from crossarc import _kernel
from crossarc.treebank import from_bytes
from crossarc.treebank.problems import MESSAGES, reference_page

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
        ["2: id 1 a second time, 2 was expected (sentence 1): give every word its own number"],
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
        ["1: not UTF-8: byte ED in a comment (sentence 1): convert the file to UTF-8"],
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
        ["2: a comment inside the sentence (sentence 1): put comments before the first word"],
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
    Case(
        "UTF-16",
        ("\ufeff" + w(1, 0) + "\n").encode("utf-16-le"),
        [
            "1: a NUL byte (sentence 1): is this a text file in UTF-8? Delete the byte or convert the file",
            "2: a NUL byte (sentence 1): is this a text file in UTF-8? Delete the byte or convert the file",
            "3: a NUL byte (sentence 1): is this a text file in UTF-8? Delete the byte or convert the file",
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


def test_the_message_shows_the_first_and_counts_the_rest() -> None:
    with pytest.raises(xa.TreebankError) as caught:
        from_bytes((w(1, 5) + "\n").encode() * 30, "f")
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert lines[-1] == "… and 10 more problems; `crossarc check` lists them"
    assert len(caught.value.problems) == 30


def test_a_hundred_thousand_problems_are_kept_and_all_are_counted() -> None:
    with pytest.raises(xa.TreebankError) as caught:
        from_bytes(b"x\n\n" * 150_000, "f", threads=1)
    assert len(caught.value.problems) == 100_000
    assert caught.value.count == 150_000


def test_the_reference_page_lists_them_all() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "reference" / "problems.md"
    assert page.read_text() == reference_page(), "write reference_page() into it"
