"""Treebanks of words and columns: what dictionaries give by way of the text of a file, and the same refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossarc as xa
from crossarc.treebank import COLUMNS

Word = dict[str, Any]

# Letters of one to four bytes, spaces, and what separates columns.
CHARACTERS = "ab_ñж語𝄞|=:.1 "
SEPARATORS = "\t\n\r\0"
FORMS = st.text(CHARACTERS, min_size=1, max_size=20).filter(lambda text: text == text.strip(" "))
TAGS = st.text(CHARACTERS.replace(" ", ""), min_size=1, max_size=20)
TREES = st.integers(1, 6).flatmap(lambda words: st.lists(st.integers(0, words), min_size=words, max_size=words))


@st.composite
def words(draw: st.DrawFn, format: str) -> list[list[Word]]:
    """Sentences whose columns are well-formed one by one; heads may be anything in range, or none."""
    sentences = []
    for heads in draw(st.lists(TREES, max_size=4)):
        count = len(heads)
        deps = st.sampled_from(["_", f"{count}:x|0:root", "1.1:y:z"] if format == "conllu" else ["_", "0", "17"])
        misc = FORMS if format == "conllu" else TAGS
        texts = {"form": FORMS, "lemma": FORMS, "deps": deps, "misc": misc}
        without_heads = draw(st.booleans())
        sentences.append(
            [
                {name: draw(texts.get(name, TAGS)) for name in COLUMNS if name != "head" and draw(st.booleans())}
                | ({} if without_heads else {"head": head})
                | {"form": draw(FORMS)}
                for head in heads
            ]
        )
    return sentences


def from_columns(sentences: list[list[Word]], format: Any, root: str) -> xa.Treebank:
    flat = [word for sentence in sentences for word in sentence]
    columns: dict[str, Any] = {name: [word.get(name) for word in flat] for name in COLUMNS}
    return xa.Treebank.from_columns(**columns, lengths=[len(own) for own in sentences], format=format, root=root)


def refusals(error: xa.TreebankError, lengths: list[int], lines: bool) -> list[tuple[int, int, str, tuple[str, ...]]]:
    """The problems with sentence and word; a problem of a whole sentence stands with its first word."""
    starts = np.concatenate([[0], np.cumsum(np.array(lengths) + 1)])
    return [
        (
            problem.sentence,
            problem.line - int(starts[problem.sentence - 1]) if lines else max(problem.word, 1),
            problem.name,
            problem.details,
        )
        for problem in error.problems
    ]


def assert_equal(ours: xa.Treebank, theirs: xa.Treebank) -> None:
    assert ours.to_bytes() == theirs.to_bytes()
    assert ours.format == theirs.format
    assert len(ours.pool) == len(theirs.pool)
    np.testing.assert_array_equal(ours.word_offsets, theirs.word_offsets)
    for name in COLUMNS:
        np.testing.assert_array_equal(ours.column(name), theirs.column(name), name)
        assert ours.column(name).dtype == theirs.column(name).dtype


@pytest.mark.slow
@pytest.mark.kernel
@pytest.mark.parametrize("format", ["conllu", "conllx"])
@given(data=st.data())
def test_columns_are_what_dictionaries_are(format: Any, data: st.DataObject) -> None:
    sentences = data.draw(words(format))
    root = data.draw(st.sampled_from(["any", "single"]))
    try:
        expected = xa.Treebank.from_dicts(sentences, format=format, root=root)
    except xa.TreebankError as error:
        with pytest.raises(xa.TreebankError) as caught:
            from_columns(sentences, format, root)
        lengths = [len(own) for own in sentences]
        assert refusals(caught.value, lengths, lines=False) == refusals(error, lengths, lines=True)
        return
    assert_equal(from_columns(sentences, format, root), expected)


@pytest.mark.kernel
@pytest.mark.parametrize("format", ["conllu", "conllx"])
@given(data=st.data())
def test_one_bad_value_is_refused_where_it_stands(format: Any, data: st.DataObject) -> None:
    """Any text at all as one value: dictionaries and columns take it or refuse it alike, for the same reason."""
    sentences = [[{"form": "a"} for _ in range(3)] for _ in range(2)]
    name = data.draw(st.sampled_from([name for name in COLUMNS if name != "head"]))
    value = data.draw(st.text(CHARACTERS + SEPARATORS, min_size=1, max_size=4))
    sentences[1][1][name] = value
    if any(mark in value for mark in SEPARATORS):
        with pytest.raises(xa.CrossarcError, match=r"^sentence 2, word 2: a column cannot hold a tab"):
            from_columns(sentences, format, "any")
        with pytest.raises(xa.CrossarcError):
            xa.Treebank.from_dicts(sentences, format=format)
        return
    try:
        expected = xa.Treebank.from_dicts(sentences, format=format)
    except xa.TreebankError as error:
        with pytest.raises(xa.TreebankError, match=r"^<columns>: .* \(sentence 2, word 2\): ") as caught:
            from_columns(sentences, format, "any")
        assert refusals(caught.value, [3, 3], lines=False) == refusals(error, [3, 3], lines=True)
        return
    assert_equal(from_columns(sentences, format, "any"), expected)


@pytest.mark.kernel
@given(sentences=st.lists(st.lists(FORMS, min_size=1, max_size=8), max_size=5))
def test_words_are_what_dictionaries_are(sentences: list[list[str]]) -> None:
    expected = xa.Treebank.from_dicts([[{"form": word} for word in words] for words in sentences])
    assert_equal(xa.Treebank.from_words(sentences), expected)


def test_a_treebank_comes_back_from_its_columns() -> None:
    treebank = xa.sample(50)
    columns: dict[str, Any] = {name: treebank.texts(name) for name in COLUMNS if name != "head"}
    again = xa.Treebank.from_columns(**columns, head=treebank.head, word_offsets=treebank.word_offsets, root="single")
    plain = "".join(line + "\n" for line in treebank.to_text().split("\n")[:-1] if not line.startswith("#"))
    assert again.to_text() == "".join(line for line in plain.splitlines(True) if "-" not in line.split("\t")[0])


def test_what_is_made_has_no_file_but_a_place() -> None:
    treebank = xa.Treebank.from_words([["Go", "!"], ["Stop", "."]])
    assert repr(treebank) == "<Treebank <words>: 2 sentences, 4 words, conllu>"
    assert treebank.origin(1) == ("<words>", 0)
    with pytest.raises(xa.MissingHeadsError, match=r"^<words>: sentence 2 has no heads"):
        _ = treebank[1].tree
    assert len(xa.Treebank.from_words([])) == 0
    assert len(xa.Treebank.from_columns([], lengths=[])) == 0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"form": ["a", "b"], "lengths": [2], "head": [2, 1]}, r"^<columns>: no word is the root \(sentence 1\): give"),
        ({"form": ["a", "b"], "lengths": [1, 1], "head": [0, 2]}, r"the head of word 1 is 2.* \(sentence 2, word 1\)"),
        ({"form": ["a", "b"], "lengths": [2], "head": [0, -2]}, r"the head of word 2 is \"-2\", not a number"),
        ({"form": ["a", ""], "lengths": [2]}, r"the form is empty \(sentence 1, word 2\): write the word"),
        ({"form": ["a"], "lemma": [""], "lengths": [1]}, r"column LEMMA is empty \(sentence 1, word 1\)"),
        ({"form": ["a"], "lengths": [0, 1]}, r"a sentence without words \(sentence 1\)"),
        ({"form": ["a" * (1 << 20)], "lengths": [1]}, r"a line of 1048594 bytes, the most is 1048576"),
        ({"form": ["a"], "lemma": ["b", "c"], "lengths": [1]}, r"^column lemma: 2 values for 1 words$"),
        ({"form": ["a"], "head": [0, 1], "lengths": [1]}, r"^column head: 2 values for 1 words$"),
        ({"form": ["a"], "head": [0.5], "lengths": [1]}, r"^column head: whole numbers are needed"),
        ({"form": ["a"], "head": np.array([0]) + 2**32, "lengths": [1]}, r"^column head: a number that no word has$"),
        ({"form": ["a"], "head": [True], "lengths": [1]}, r"^column head: whole numbers are needed"),
        ({"form": ["a"], "head": 0, "lengths": [1]}, r"^column head: whole numbers are needed"),
        ({"form": 7, "lengths": [1]}, r"^column form: a list of texts is needed, not one int$"),
        ({"form": ["a"], "lengths": [1.5]}, r"lists of whole numbers"),
        ({"form": ["a"], "head": [2**40], "lengths": [1]}, r"^column head: a number that no word has$"),
        ({"form": "ab", "lengths": [2]}, r"^column form: a list of texts is needed, not one text$"),
        ({"form": ["a", 5], "lengths": [2]}, r"^sentence 1, word 2: not a text$"),
        ({"form": ["a", "\ud800"], "lengths": [1, 1]}, r"^sentence 2, word 1: a text that UTF-8 cannot hold"),
        ({"form": ["a"], "lengths": [2]}, r"the lengths of the sentences add up to 2, but there are 1 words"),
        ({"form": ["a", "b"], "lengths": [3, -1]}, r"offsets must start at 0, ascend"),
        ({"form": ["a"], "word_offsets": [0, 2]}, r"offsets must start at 0, ascend"),
        ({"form": ["a"], "word_offsets": [0.0, 1.0]}, r"lists of whole numbers"),
        ({"form": ["a"]}, r"by word_offsets or by lengths"),
        ({"form": ["a"], "lengths": [1], "word_offsets": [0, 1]}, r"by word_offsets or by lengths"),
        ({"form": ["a"], "lengths": [1], "format": "conll"}, r'unknown format "conll"'),
        ({"form": ["a"], "lengths": [1], "root": "many"}, r'unknown root policy "many"'),
    ],
)
def test_refusals(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(xa.CrossarcError, match=message):
        xa.Treebank.from_columns(**columns)


def test_words_that_are_none() -> None:
    with pytest.raises(xa.CrossarcError, match=r"^sentence 2: a list of words is needed, not one text$"):
        xa.Treebank.from_words([["a"], "b c"])
    with pytest.raises(xa.CrossarcError, match=r"^sentence 2: a list of words is needed, not one int$"):
        xa.Treebank.from_words([["a"], 5])  # type: ignore[list-item]
    with pytest.raises(xa.CrossarcError, match=r"^sentence 1, word 2: not a text$"):
        xa.Treebank.from_words([["a", 5]])  # type: ignore[list-item]
    with pytest.raises(xa.CrossarcError, match=r"^sentence 1, word 1: a text that UTF-8 cannot hold"):
        xa.Treebank.from_words([["\udc80"]])
    with pytest.raises(xa.TreebankError, match=r'^<words>: column FORM begins or ends with a space: " a" \(sentence 1'):
        xa.Treebank.from_words([[" a"]])
