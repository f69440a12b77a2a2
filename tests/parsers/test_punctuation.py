"""Punctuation that makes no arc non-projective: by the definitions, for all small trees, and in parsers."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import crossarc as xa
from crossarc.parsers.punctuation import (
    keeps_punctuation_projective,
    misplaced_punctuation,
    punctuation_words,
    with_projective_punctuation,
)

from ..support import naive_structure as naive
from ..support.trees import all_trees, trees


def treebank_of(sentences: list[tuple[list[int], tuple[bool, ...]]]) -> xa.Treebank:
    words = xa.Treebank.from_words([["," if mark else "a" for mark in marks] for _, marks in sentences])
    return words.replace(head=np.array([head for heads, _ in sentences for head in heads], np.int32))


def misplaced(heads: list[int], marks: tuple[bool, ...]) -> set[int]:
    """Punctuation words, by the definition: their arc, or one that covers nothing else outside, is non-projective."""
    found = {word for word in range(1, len(heads) + 1) if marks[word - 1] and wrong(heads, word)}
    below = [naive.projection(heads, word) for word in range(1, len(heads) + 1)]
    for dependent, head in enumerate(heads, start=1):
        if not head or marks[dependent - 1] or not wrong(heads, dependent):
            continue
        outside = set(naive.between((head, dependent))) - below[head - 1]
        reasons = {word for word in range(1, len(heads) + 1) if marks[word - 1] and below[word - 1] & outside}
        if outside <= {word for reason in reasons for word in below[reason - 1]}:
            found |= {word for word in reasons if not any(word in below[other - 1] for other in reasons - {word})}
    return {word for word in found if heads[word - 1]}


def wrong(heads: list[int], word: int) -> bool:
    return heads[word - 1] > 0 and naive.is_nonprojective(heads, (heads[word - 1], word))


def check(heads: list[int], marks: tuple[bool, ...], fixed: list[int]) -> None:
    """What is asked of a tree that was changed: only misplaced words moved, to arcs that cross nothing.

    Some were misplaced only because those below others moved with them.
    """
    moved = {word for word, (old, new) in enumerate(zip(heads, fixed, strict=True), start=1) if old != new}
    waiting, tree = set(moved), list(heads)
    while waiting:
        now = waiting & misplaced(tree, marks)
        assert now
        tree = [fixed[word - 1] if word in now else head for word, head in enumerate(tree, start=1)]
        waiting -= now
    assert all(0 < fixed[word - 1] != word for word in moved)
    assert not any((fixed[word - 1], word) in pair for pair in naive.crossings(fixed, True) for word in moved)
    assert naive.crossings(fixed, True) <= naive.crossings(heads, True)
    leaves = {word for word in range(1, len(heads) + 1) if marks[word - 1] and word not in heads}
    assert not misplaced(fixed, marks) & leaves
    for root_arcs in (False, True):
        if naive.is_one_endpoint_crossing(heads, root_arcs):
            assert naive.is_one_endpoint_crossing(fixed, root_arcs)


@pytest.mark.parametrize("words", [1, 2, 3, 4])
def test_all_small_trees(words: int) -> None:
    every = [
        (heads, marks)
        for heads in np.concatenate(list(all_trees(words))).tolist()
        for marks in product((False, True), repeat=words)
    ]
    treebank = treebank_of(every)
    found = misplaced_punctuation(treebank, treebank.head, tags=False)
    expected = [index * words + word - 1 for index, one in enumerate(every) for word in sorted(misplaced(*one))]
    assert found.tolist() == expected
    fixed = with_projective_punctuation(treebank, treebank.head, tags=False).reshape(-1, words)
    for (heads, marks), new in zip(every, fixed.tolist(), strict=True):
        check(heads, marks, new)
    assert words < 4 or len(expected) > 100


@given(trees(max_words=10), st.data())
def test_larger_trees(heads: list[int], data: st.DataObject) -> None:
    marks = tuple(data.draw(st.lists(st.booleans(), min_size=len(heads), max_size=len(heads))))
    treebank = treebank_of([(heads, marks)])
    fixed = with_projective_punctuation(treebank, treebank.head, tags=False)
    treebank.replace(head=fixed)  # refuses what is no tree
    check(heads, marks, fixed.tolist())


def test_punctuation_follows_what_moved_before_it() -> None:
    """5 leaves 7, and 9 with it, so that the arc from 7 to 10 passes over a word that is no longer below 7."""
    heads, marks = [0, 0, 0, 0, 7, 0, 0, 7, 5, 7], (False,) * 4 + (True,) + (False,) * 4 + (True,)
    assert misplaced(heads, marks) == {5}
    treebank = treebank_of([(heads, marks)])
    fixed = with_projective_punctuation(treebank, treebank.head, tags=False).tolist()
    assert fixed == [0, 0, 0, 0, 4, 0, 0, 7, 5, 9]
    check(heads, marks, fixed)


def test_the_highest_head_is_taken() -> None:
    # A full stop on the first word, with the root between: the root, not the nearest word.
    treebank = treebank_of([([2, 0, 2, 3, 1], (False, False, False, False, True))])
    assert with_projective_punctuation(treebank, treebank.head, tags=False).tolist() == [2, 0, 2, 3, 2]


def test_what_is_punctuation() -> None:
    words = xa.Treebank.from_words([["…", "«", "--", "a.", "$", "1", "z"]])
    assert punctuation_words(words, tags=False).tolist() == [True, True, True, False, False, False, False]
    tagged = words.replace(upos=["X", "X", "X", "X", "X", "X", "PUNCT"])
    assert punctuation_words(tagged, tags=True)[-1] and not punctuation_words(tagged, tags=False)[-1]
    assert punctuation_words(tagged, np.array([0, 5]), tags=True).tolist() == [True, False]


@pytest.mark.parametrize(
    ("name", "keeps"), [("en_ewt", True), ("pt_bosque", True), ("nl_lassysmall", False), ("grc_agdt", False)]
)
def test_most_treebanks_of_universal_dependencies_keep_it(treebanks: Path, name: str, keeps: bool) -> None:
    (train,) = (treebanks / name).glob("train.*")
    assert keeps_punctuation_projective(xa.read(train)[:1500], tags=True) == keeps
